"""Reasons why a draw has no fragment at a pixel: first state that rejects all fragments, then the position of its primitives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from backends.pipe.enums import PolygonMode
from tgsi.insight.fragment_log import log_fragments
from tgsi.insight.place import Place
from tgsi.insight.primitives import Primitives, primitives_of
from tgsi.insight.replaying import Draw
from tgsi.insight.whereabouts import is_away, reasons_of_places
from tgsi.validation import vertices
from tgsi.validation.effects import clippers

_FEW_VERTICES = 1 << 12


def primitives_if_away(context: Any, draw: Draw, place: Place) -> Primitives | None:
    """The primitives of a small draw with only a vertex stage, if none of them can reach the pixel, so that no log is needed."""
    state, info = context.state, draw.info
    if info is None or info.count * info.instance_count > _FEW_VERTICES or not state.viewports or state.has_stages:
        return None
    primitives = primitives_of(context, draw)
    return primitives if primitives is not None and len(primitives.positions) and is_away(context, primitives, place) else None


def reasons_for_nothing(context: Any, draw: Draw, place: Place, primitives: Primitives | None = None) -> Iterator[str]:
    """Reasons, the most certain one first. primitives: result of `primitives_if_away`."""
    state = context.state
    info = draw.info
    if info is not None and (info.count == 0 or info.instance_count == 0):
        name = "count" if info.count == 0 else "instance_count"
        yield f"{name} is 0, so nothing is drawn"
        return
    if info is not None and (few := [item.text for item in vertices.counts(state, info) if item.is_cause]):
        yield few[0]
        return
    if not state.viewports:
        yield "no viewport is set, so nothing is drawn; set_viewport_states"
        return
    if primitives is not None:
        yield from reasons_of_places(context, primitives, place)
        return
    primitives = primitives_of(context, draw)
    if primitives is None or not is_away(context, primitives, place):
        reasons = list(_clipped(context, draw, place))
        if reasons:
            yield from reasons
            return
    if primitives is not None:
        yield from reasons_of_places(context, primitives, place)


_SWITCHES = (
    ({"depth_clip_near": False}, "it is clipped by the near plane"),
    ({"depth_clip_far": False}, "it is clipped by the far plane"),
    ({"depth_clip": False}, "it is clipped by the near and the far plane"),
    ({"clip_plane_enable": 0}, "it is clipped by {clippers}"),
    ({"fill_front": PolygonMode.FILL, "fill_back": PolygonMode.FILL}, "only lines or points of it are drawn: fill_front or fill_back"),
    ({"poly_stipple_enable": False, "line_stipple_enable": False}, "the stipple leaves it out"),
)
"""Changes of the rasterizer state to try. If the draw has fragments after the change, the reason beside it is proved."""


def _clipped(context: Any, draw: Draw, place: Place) -> Iterator[str]:
    r = context.state.rasterizer
    for changes, reason in _SWITCHES:
        if all(getattr(r, name) == value for name, value in changes.items()):
            continue
        log = log_fragments(context, draw, place.x, place.y, **changes)
        if log.total:
            numbers = sorted({item.primitive for item in log.fragments})
            reason = reason.format(clippers=clippers(context.state))
            yield f"primitive {', '.join(map(str, numbers[:4]))} would cover the pixel: {reason}"
            return
