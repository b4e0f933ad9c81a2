"""Facts about targets: missing ones, viewports, tests without their buffers, textures that are drawn to while they are read, clears."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backends.device.bound import DrawState
from backends.gallium.resource.view import Surface
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.validation.declared import registers
from tgsi.validation.findings import Finding


def targets(state: DrawState, colors: Sequence[Surface | None], depth: Surface | None) -> Iterator[Finding]:
    """Draws without a framebuffer, and tests without a buffer to test against."""
    bound = [target for target in (*colors, depth) if target is not None]
    if not bound:
        text = "no framebuffer is bound, so nothing can be drawn: set_framebuffer_state(cbufs=[target])"
        yield Finding("framebuffer", "none", text, True)
        return
    tests = state.depth_stencil_alpha
    if tests.depth.enabled and (depth is None or not depth.format.has_depth):
        text = "the depth test is enabled, and no depth buffer is bound: every fragment passes; set_framebuffer_state(zsbuf=...)"
        yield Finding("depth", "no buffer", text)
    if tests.stencil[0].enabled and (depth is None or not depth.format.has_stencil):
        text = "the stencil test is enabled, and no stencil buffer is bound: every fragment passes; set_framebuffer_state(zsbuf=...)"
        yield Finding("stencil", "no buffer", text)
    sizes = {(target.width, target.height) for target in bound}
    if len(sizes) > 1:
        text = f"the bound targets have different sizes, {' and '.join(f'{w} x {h}' for w, h in sorted(sizes))}: the smallest is drawn to"
        yield Finding("sizes", tuple(sorted(sizes)), text)


def viewports(state: DrawState, program: Program, width: int, height: int) -> Iterator[Finding]:
    """Viewports that are missing, or too small to be meant."""
    if program.property("VS_WINDOW_SPACE_POSITION"):
        return
    usual = f"set_viewport_states([{{'scale': ({width / 2:g}, {-height / 2:g}, 0.5), 'translate': ({width / 2:g}, {height / 2:g}, 0.5)}}])"
    if not state.viewports:
        yield Finding("viewport", "none", f"no viewport is set, so positions become no pixels of the target: {usual}", True)
        return
    for number, item in enumerate(state.viewports[:1]):
        (sx, sy, _), (tx, ty, _) = item.scale, item.translate
        left, right, top, bottom = tx - abs(sx), tx + abs(sx), ty - abs(sy), ty + abs(sy)
        if right <= 0 or left >= width or bottom <= 0 or top >= height:
            place = f"{left:g} to {right:g} by {top:g} to {bottom:g}"
            text = f"viewport {number}, {place}, lies outside of the target of {width} x {height}: {usual}"
            yield Finding("viewport", (item, width, height), text, True)
        elif (abs(sx) <= 1 and width > 8) or (abs(sy) <= 1 and height > 8):
            text = f"viewport {number} is {2 * abs(sx):g} x {2 * abs(sy):g} pixels of a target of {width} x {height}: {usual}"
            yield Finding("viewport", (item, width, height), text, True)


def scissors(state: DrawState) -> Iterator[Finding]:
    """A scissor test without a rectangle."""
    if not state.rasterizer.scissor:
        return
    if not state.scissors or all(item.minx >= item.maxx or item.miny >= item.maxy for item in state.scissors):
        have = "no rectangle is set" if not state.scissors else "its rectangle is empty"
        yield Finding("scissor", have, f"the scissor test is on, and {have}: nothing is drawn; set_scissor_states", True)


def loops(state: DrawState, surfaces: Sequence[Surface | None], depth: Surface | None) -> Iterator[Finding]:
    """Textures that a draw reads while it writes them."""
    places = []
    tests = state.depth_stencil_alpha
    writes_depth = (tests.depth.enabled and tests.depth.writemask) or any(side.enabled and side.writemask for side in tests.stencil)
    for surface in surfaces:
        if surface is None or (surface is depth and not writes_depth) or (texture := surface.living_texture) is None:
            continue
        level = texture.levels[surface.level]
        begin = texture.address + level.offset
        places.append(
            (begin + surface.first_layer * level.layer_stride, begin + (surface.last_layer + 1) * level.layer_stride, repr(texture))
        )
    if not places:
        return
    for stage in state.drawn_stages():
        shader = stage.shader
        if shader is None:
            continue
        used = registers(shader.program, File.SAMP)
        for number, view in enumerate(stage.views):
            if view is None or number not in used:
                continue
            r = view.record
            for level_number in range(r.last_level + 1):
                begin = r.base + r.level_offset[level_number]
                end = begin + max(1, r.depth) * r.layer_stride[level_number]
                for low, high, name in places:
                    if begin < high and low < end:
                        text = f"texture unit {number} reads {name}, which is drawn to at the same time: results are undefined"
                        yield Finding("loop", (number, low), text)
