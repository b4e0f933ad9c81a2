"""Limits on which generated code and its callers agree."""

from __future__ import annotations

MIN_LANES = 4
"""Lanes of a vector of invocations, at least: a quad."""

MAX_LANES = 64
"""Lanes of a vector of invocations, at most."""

TILE = 64
"""Pixels along an edge of the rasterizer's tiles. Rendered levels are padded to whole tiles."""
