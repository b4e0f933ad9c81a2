"""Coarse depth, per draw: whether a draw may test, lower or raise the bound of a tile, and the bound after a clear.

`backends.raster.tile.hiz` defines the bounds and generates the code of kernels.
"""

from __future__ import annotations

import math

from backends.formats import ChannelType, Format
from backends.pipe.enums import CompareFunc
from backends.raster.layouts import HizUse
from backends.raster.tile.buffer_keys import DepthKey
from backends.raster.tile.fragment import DepthLayout, FragmentInfo, FragmentKey

INFINITY = math.inf
_STEPS = 4  # steps of the format: more than two roundings of a depth can differ


def hiz_of(key: FragmentKey, info: FragmentInfo) -> HizUse:
    """The permitted uses of depth bounds by draws with a key."""
    depth = key.depth
    if depth is None:
        return HizUse.NONE
    if depth.func not in (CompareFunc.LESS, CompareFunc.LEQUAL):
        keeps = not depth.write or depth.func is CompareFunc.EQUAL
        return HizUse.NONE if keeps else HizUse.RAISES
    writes_nearer = info.depth is not None and not info.tests_early and info.depth_layout is not DepthLayout.GREATER
    if depth.stencil or depth.bounds or writes_nearer or info.stencil is not None:
        return HizUse.NONE
    if key.count_invocations or (info.has_side_effects and not info.tests_early):
        return HizUse.NONE
    if key.views:  # each triangle has its own depth range
        return HizUse.NONE
    discards = info.kills or key.to_coverage or key.alpha is not None or key.is_masked or info.depth is not None
    return HizUse.TEST if discards or not depth.write else HizUse.TEST | HizUse.LOWER


def slack_of(depth: DepthKey | None) -> float:
    """The distance beyond the bound at which a depth certainly fails the test."""
    return _step(depth.format) if depth is not None and depth.func is CompareFunc.LEQUAL else 0.0


def cleared_bound(format: Format, depth: float) -> float:
    """The bound of a buffer that was cleared."""
    return depth + (_step(format) if depth < 1.0 else 0.0) if 0.0 <= depth <= 1.0 else INFINITY


def _step(format: Format) -> float:
    c = format.depth
    return 0.0 if c is None or c.type is ChannelType.FLOAT else _STEPS / ((1 << c.size) - 1)
