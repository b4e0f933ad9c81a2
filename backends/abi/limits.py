"""Limits on which generated code and its callers agree."""

from __future__ import annotations

MIN_LANES = 4
"""Fewest lanes of a vector of invocations: a quad."""

MAX_LANES = 64
"""Most lanes of a vector of invocations."""

TILE = 64
"""Pixels along an edge of the rasterizer's tiles. Rendered levels are padded to whole tiles."""
