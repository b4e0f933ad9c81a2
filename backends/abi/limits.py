"""Limits on which generated code and its callers agree."""

from __future__ import annotations

MIN_LANES = 4
"""Fewest lanes of a vector of invocations: a quad."""

MAX_LANES = 64
"""Most lanes of a vector of invocations."""

MAX_LINES = 150_000
"""Lines of LLVM text of one function. Writing them takes two seconds and 100 MB; a program of a thousand real ones has 4,200."""

MAX_COMPILE_MS = 2500
"""Milliseconds of processor time that LLVM may take for a module, by the estimate of `engine.budget`, which is within a factor of two for
most texts: LLVM cannot be interrupted."""

LARGE_MS = 1000
"""Milliseconds of the same estimate from which a module is compiled in the linear way, which makes code that is half as fast."""

LARGE_LINES = 16384
"""Lines from which a module is compiled in the linear way, whatever the estimate."""

MAX_OPERATION_LANES = 1 << 19
"""Lanes of all results of a program, one a written channel, for which wide vectors are chosen; beyond that narrower ones compile sooner."""

MAX_ARRAY_BYTES = 1 << 20
"""Bytes of stack that indirectly addressed registers may take, all lanes together: all temporaries of a program, at most lanes."""

TILE = 64
"""Pixels along an edge of the rasterizer's tiles. Rendered levels are padded to whole tiles."""
