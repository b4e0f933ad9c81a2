"""Calls that could have written a pixel but did not reach it: skipped draws, draws to other layers, grids that store elsewhere."""

from __future__ import annotations

from typing import Any

from backends.gallium.context.recording.decoder import Call
from backends.gallium.resource.resource import Resource
from tgsi.insight.calls import KINDS
from tgsi.insight.events import ELSEWHERE
from tgsi.insight.place import Place, attachments
from tgsi.language.facts.enums import Processor


def idle_reason(context: Any, call: Call, resource: Resource, place: Place) -> str:
    """The reason why a call did not affect the pixel; empty if the call is unrelated to it."""
    kind = KINDS[call.row.name]
    if kind == "draw" and context.counting.is_conditional and attachments(context, resource, place):
        return "the render condition skips it: its query has counted nothing (render_condition(None) ends that)"
    if kind == "store" and _stores_to(context, resource):
        grid = call.row.named(call.args, call.given).get("grid")
        return f"no thread of its grid{f' {grid}' if grid else ''} stored to this pixel: grid and block say how many run"
    return ""


def _stores_to(context: Any, resource: Resource) -> bool:
    """True if the compute stage can store to a resource."""
    images = context.state.stage[int(Processor.COMP)].images.items
    begin, end = resource.address, resource.address + resource.storage.nbytes
    return any(item is not None and begin <= (item.record.base or 0) < end for item in images)


def beside_reason(context: Any, resource: Resource, place: Place) -> str:
    """The reason why draws to the pixel's texture miss it: another level or layer, or a smaller framebuffer; otherwise empty."""
    for surface in context.targets.surfaces:
        if surface is not None and surface.living_texture is resource:
            framebuffer = context.targets.framebuffer
            holds = surface.first_layer <= place.layer <= surface.last_layer
            if surface.level == place.level and holds and (place.x >= framebuffer.width or place.y >= framebuffer.height):
                return f"the framebuffer is {framebuffer.width} x {framebuffer.height}, as the smallest of its surfaces, and ends before it"
            layers = f"layer {surface.first_layer}"
            if surface.last_layer > surface.first_layer:
                layers = f"layers {surface.first_layer} to {surface.last_layer}"
            bound = f"the bound surface is level {surface.level}, {layers} of the texture"
            return f"{bound}, and the pixel is in level {place.level}, layer {place.layer}"
    return ""


def elsewhere_reason(context: Any, resource: Resource | None) -> str:
    """The reason why a draw to other targets misses the pixel; empty for draws without a target."""
    bound = [surface for surface in context.targets.surfaces if surface is not None]
    if not bound or any(surface.living_texture is resource for surface in bound if resource is not None):
        return ""
    framebuffer = context.targets.framebuffer
    return f"{ELSEWHERE}, {framebuffer.width} x {framebuffer.height}"
