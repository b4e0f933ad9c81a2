"""Reasons why a draw has no fragment at a pixel: first what its state keeps away, then where its primitives lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tgsi.insight.fragment_log import log_fragments
from tgsi.insight.place import Place
from tgsi.insight.primitives import primitives_of
from tgsi.insight.replaying import Draw
from tgsi.insight.whereabouts import reasons_of_places


def reasons_for_nothing(context: Any, draw: Draw, place: Place) -> Iterator[str]:
    """Sentences, the most certain one first."""
    state = context.state
    info = draw.info
    if info is not None and (info.count == 0 or info.instance_count == 0):
        name = "count" if info.count == 0 else "instance_count"
        yield f"{name} is 0, so nothing is drawn"
        return
    if not state.viewports:
        yield "no viewport is set, so nothing is drawn; set_viewport_states"
        return
    is_found = False
    for reason in _clipped(context, draw, place):
        is_found = True
        yield reason
    if is_found:
        return
    found = primitives_of(context, draw)
    if found is not None:
        yield from reasons_of_places(context, found, place)


_SWITCHES = (
    ({"depth_clip_near": False}, "it is clipped by the near plane"),
    ({"depth_clip_far": False}, "it is clipped by the far plane"),
    ({"depth_clip": False}, "it is clipped by the near and the far plane"),
    ({"clip_plane_enable": 0}, "it is clipped by a user clip plane"),
    ({"poly_stipple_enable": False, "line_stipple_enable": False}, "the stipple leaves it out"),
)
"""Changes of the rasterizer state, each with the reason it proves if the draw has fragments after the change."""


def _clipped(context: Any, draw: Draw, place: Place) -> Iterator[str]:
    r = context.state.rasterizer
    for changes, reason in _SWITCHES:
        if all(getattr(r, name) == value for name, value in changes.items()):
            continue
        log = log_fragments(context, draw, place.x, place.y, **changes)
        if log.total:
            numbers = sorted({item.primitive for item in log.fragments})
            yield f"primitive {', '.join(map(str, numbers[:4]))} would cover the pixel: {reason}"
            return
