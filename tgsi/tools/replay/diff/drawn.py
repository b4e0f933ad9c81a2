"""The first draw after which the targets of two traces differ, and its first differing pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.gallium.tracing.steps import DRAWS, WORK, Step
from tgsi.language.record import record
from tgsi.tools.replay.diff.align import Objects, Pair
from tgsi.tools.replay.played import PlayedTrace, Target
from tgsi.tools.replay.scene import Layout
from tgsi.tools.replay.units import spell_pixel


@record(eq=False, kw_only=True)
class Difference:
    """A picture or a buffer whose content differs between two traces.

    pair: the call after which it differs; None: it differs only at the end, in a resource that was not a bound target. target: what
    differs. handles: of the resource in both. layout: of both pictures; None for buffers. place: x, y and layer of the first pixel, or the
    byte of a buffer, in x. count: pixels, or bytes, that differ. pixels: texts of the first pixel. data: both contents. mask: pixels that
    differ. ends: numbers of steps that were played. level, first_layer: of the resource.
    """

    pair: Pair | None
    target: str
    handles: tuple[int, int]
    layout: Layout | None
    place: tuple[int, int, int]
    count: int
    pixels: tuple[str, str]
    data: tuple[bytes, bytes]
    mask: NDArray[np.bool_] | None
    ends: tuple[int, int] = (0, 0)
    level: int = 0
    first_layer: int = 0


def first_difference(one: PlayedTrace, other: PlayedTrace, pairs: Sequence[Pair], objects: Objects) -> Difference | None:
    """Play both traces up to the first call after which targets differ, or to the end. RecordingError from either.

    Calls before the first pair that differs give equal bytes on one machine, so nothing is compared before it.
    """
    is_different, ends = False, [0, 0]
    for pair in pairs:
        numbers = pair.first, pair.second
        ends = [end if number is None else number + 1 for end, number in zip(ends, numbers)]
        is_different = is_different or not pair.is_same
        if not is_different or not any(_works(trace.steps, k) for trace, k in zip((one, other), numbers)):
            continue
        one.play(ends[0])
        other.play(ends[1])
        for ours, theirs in zip(one.targets(), other.targets()):
            difference = _compared(ours, theirs, pair)
            if difference is not None:
                return replace(difference, ends=(one.at, other.at), level=ours.level, first_layer=ours.layers[0])
    one.play(len(one.steps))
    other.play(len(other.steps))
    difference = _in_resources(one, other, objects)
    return None if difference is None else replace(difference, ends=(one.at, other.at))


def _works(steps: Sequence[Step], number: int | None) -> bool:
    return number is not None and steps[number].name in WORK


def _compared(ours: Target, theirs: Target, pair: Pair | None) -> Difference | None:
    if ours.layout != theirs.layout or ours.name != theirs.name:
        return None
    a, b = ours.data(), theirs.data()
    if np.array_equal(a, b):
        return None
    return _of_pixels(pair, ours.name, (ours.handle, theirs.handle), ours.layout, (a, b))


def _of_pixels(
    pair: Pair | None, name: str, handles: tuple[int, int], layout: Layout, data: tuple[NDArray[np.uint8], NDArray[np.uint8]]
) -> Difference | None:
    mask: NDArray[np.bool_] = (data[0] != data[1]).any(axis=-1)
    if not mask.any():  # different samples may resolve, and different blocks may decode, to equal pixels
        return None
    layer, y, x = (int(k) for k in np.argwhere(mask)[0])
    pixels = tuple(spell_pixel(layout.format, item[layer, y, x].tobytes()) for item in data)
    return Difference(
        pair=pair,
        target=name,
        handles=handles,
        layout=layout,
        place=(x, y, layer),
        count=int(mask.sum()),
        pixels=(pixels[0], pixels[1]),
        data=(data[0].tobytes(), data[1].tobytes()),
        mask=mask,
    )


def _in_resources(one: PlayedTrace, other: PlayedTrace, objects: Objects) -> Difference | None:
    """The first resource that differs at the end."""
    theirs = other.resources()
    for handle, resource in one.resources().items():
        twin: Any = theirs.get(objects.of(handle))
        if twin is None or twin.template != resource.template:
            continue
        handles = handle, objects.of(handle)
        for level in range(len(resource.levels)):
            a, b = resource.blocks(level), twin.blocks(level)
            if np.array_equal(a, b):
                continue
            difference = _of_buffer(handles, a, b) if resource.is_buffer else _of_level(handles, resource, twin, level)
            if difference is not None:
                return difference
    return None


def _of_level(handles: tuple[int, int], ours: Any, theirs: Any, level: int) -> Difference | None:
    sides = [
        Target(f"level {level} of handle", handle, item, level, (0, item.levels[level].layers))
        for handle, item in zip(handles, (ours, theirs))
    ]
    difference = _of_pixels(None, f"level {level}", handles, sides[0].layout, (sides[0].data(), sides[1].data()))
    return None if difference is None else replace(difference, level=level)


def _of_buffer(handles: tuple[int, int], ours: NDArray[np.uint8], theirs: NDArray[np.uint8]) -> Difference:
    a, b = ours.reshape(-1), theirs.reshape(-1)
    differing = np.flatnonzero(a != b)
    at = int(differing[0]) // 4 * 4
    return Difference(
        pair=None,
        target="buffer",
        handles=handles,
        layout=None,
        place=(at, 0, 0),
        count=len(differing),
        pixels=(a[at : at + 4].tobytes().hex(), b[at : at + 4].tobytes().hex()),
        data=(a.tobytes(), b.tobytes()),
        mask=None,
    )


def number_of_draw(steps: Sequence[Step], at: int) -> int:
    """The number of a draw, clear, copy or grid among all of these, from 1 on; for any other call the number of the next one."""
    return sum(step.name in DRAWS for step in steps[:at]) + 1
