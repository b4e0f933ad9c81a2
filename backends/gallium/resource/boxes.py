"""Boxes of copies and blits: clipped, mirrored, cut by window rectangles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from backends.gallium.resource.resource import Box, Resource
from backends.pipe.checks import integer, make, sequence
from backends.pipe.limits import MAX_WINDOW_COORDINATE, MAX_WINDOW_RECTANGLES
from backends.pipe.state import ScissorState

Boxes = Box | Sequence[int] | None
Triple = tuple[int, int, int]


def as_large(resource: Resource, level: int, at: Triple, blocks: Box, argument: str, of: str) -> Box:
    """The box at x, y, z of a level that has as many blocks as `blocks`; its last ones may reach over the level's edge."""
    info, format = resource.level(level, f"{argument}: {of}level"), resource.format
    width, height = blocks.width * format.block_width, blocks.height * format.block_height
    over_x, over_y = at[0] + width - info.width, at[1] + height - info.height
    if 0 < over_x < format.block_width:
        width -= over_x
    if 0 < over_y < format.block_height:
        height -= over_y
    return resource.box(level, Box(*at, width, height, blocks.depth), argument, of)


def overlap(a: Box, b: Box) -> bool:
    """Return True if two boxes share a texel."""
    return (
        a.x < b.x + b.width
        and b.x < a.x + a.width
        and a.y < b.y + b.height
        and b.y < a.y + a.height
        and a.z < b.z + b.depth
        and b.z < a.z + a.depth
    )


def blit_box(resource: Resource, level: int, box: Boxes, argument: str, of: str) -> tuple[Triple, Triple]:
    """Start and size (z, y, x) of a box, whose sizes may be negative, and which may reach outside of its level in x and y.

    argument, of: see `Resource.box`.
    """
    if box is not None:
        numbers = (box.x, box.y, box.z, box.width, box.height, box.depth) if isinstance(box, Box) else sequence(box, f"{argument}: {of}box")
        values = [integer(v, f"{argument}: {of}box", -(1 << 31)) for v in numbers]
        if len(values) not in (4, 6):
            raise ValueError(f"{argument}: {of}box: expected 4 (x, y, width, height) or 6 numbers, not {len(values)}")
        box = Box(*values) if len(values) == 6 else Box(values[0], values[1], 0, values[2], values[3], 1)
    if box is None:
        box = resource.box(level, None, argument, of)
    if not box.width or not box.height:
        raise ValueError(f"{argument}: {of}box: it is empty")
    resource.box(level, Box(0, 0, box.z + min(0, box.depth), 1, 1, abs(box.depth)), argument, of)
    return (box.z, box.y, box.x), (box.depth, box.height, box.width)


def inside(resource: Resource, level: int, start: Triple, size: Triple, clip: ScissorState | None = None) -> tuple[Box, bool]:
    """The part of a box inside its level and a scissor, and True if that is the whole box. Sizes are below 1 if nothing is inside."""
    info = resource.levels[level]
    low = [s + min(0, n) for s, n in zip(start, size)]
    x, y, right, top = max(low[2], 0), max(low[1], 0), info.width, info.height
    if clip is not None:
        x, y, right, top = max(x, clip.minx), max(y, clip.miny), min(right, clip.maxx), min(top, clip.maxy)
    width, height = min(low[2] + abs(size[2]), right) - x, min(low[1] + abs(size[1]), top) - y
    box = Box(x, y, low[0], width, height, abs(size[0]))
    return box, box == Box(low[2], low[1], low[0], abs(size[2]), abs(size[1]), abs(size[0]))


def edge(resource: Resource, level: int, box: Box) -> Box:
    """The box itself, or, if it is empty, the nearest texels of its level's edge."""
    info = resource.levels[level]
    x, y = min(box.x, info.width - 1), min(box.y, info.height - 1)
    return Box(x, y, box.z, max(box.width, 1), max(box.height, 1), box.depth)


def cut(box: Box, rectangles: Sequence[ScissorState], *, is_inside: bool) -> Iterator[Box]:
    """The part of a box inside (or outside) of all rectangles together, as boxes that share no texel, row by row."""
    edges = sorted({box.y, box.y + box.height, *(min(max(v, box.y), box.y + box.height) for r in rectangles for v in (r.miny, r.maxy))})
    for low, high in pairwise(edges):
        at = box.x
        for left, right in sorted((r.minx, r.maxx) for r in rectangles if r.miny <= low and high <= r.maxy):
            left, right = (min(max(v, at), box.x + box.width) for v in (left, right))
            start, end = (left, right) if is_inside else (at, left)
            if start < end:
                yield Box(start, low, box.z, end - start, high - low, box.depth)
            at = max(at, right)
        if not is_inside and at < box.x + box.width:
            yield Box(at, low, box.z, box.x + box.width - at, high - low, box.depth)


def windows_of(rectangles: Sequence[ScissorState | Mapping[str, Any]], argument: str) -> tuple[ScissorState, ...]:
    """Checked window rectangles, of draws or of a blit. `argument` names them in messages."""
    sequence(rectangles, argument)
    if len(rectangles) > MAX_WINDOW_RECTANGLES:
        raise ValueError(f"{argument}: {len(rectangles)} are too many; {MAX_WINDOW_RECTANGLES} are possible")
    windows = tuple([make(ScissorState, item, {}, f"{argument}[{k}]") for k, item in enumerate(rectangles)])
    for k, item in enumerate(windows):
        for field in ("minx", "miny", "maxx", "maxy"):
            integer(getattr(item, field), f"{argument}[{k}]: {field}", 0, MAX_WINDOW_COORDINATE)
    return windows
