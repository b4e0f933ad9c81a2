"""Effort of LLVM's code generator for a module.

Gathers, scatters and 64-bit divisions of wide vectors become a scalar sequence for each lane, and the time of register allocation grows
much faster than their number: 30 indirect moves at 64 lanes take 7.2 s at level 2, 0.5 s at level 1 and 0.06 s at level 0, whose code
is half as large again. A shader with mostly such instructions must not make its user wait. The level does not change results, because all
levels obey the rules of determinism.
"""

from __future__ import annotations

import re

DEFAULT = 2
"""Level 1 takes 12 % less of the code generator's time, but has no scheduler: alu_mandel64 loses 6 %. On Intel both levels are equal."""

LIMITS = ((8192, 0), (2048, 1))
"""Pairs of a number of lanes, summed over such instructions, and the level used from that number on."""

LARGEST = 1 << 18
"""Most lanes, summed over all vectors that a text names, at level 2. On AVX2 that level takes 10 us for each of them, level 0 takes half of
that. The largest of a corpus of a thousand shaders names 50,000 lanes at 8 lanes; only wide runs of long programs come here.
"""

_WIDTHS = tuple(1 << k for k in range(1, 10))

_BY_LANE = re.compile(r"call [^@\n]*@llvm\.masked\.(?:gather|scatter)\.v(\d+)|= [us](?:div|rem) <(\d+) x i64>")


def code_generation_level(text: str) -> int:
    """Level of code generation, 0 to 2, for a module's LLVM text."""
    if sum(width * text.count(f"<{width} x ") for width in _WIDTHS) > LARGEST:
        return 0
    lanes = sum(int(match[1] or match[2]) for match in _BY_LANE.finditer(text))
    return next((level for limit, level in LIMITS if lanes >= limit), DEFAULT)
