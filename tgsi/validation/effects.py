"""Draws without effect: targets are compared before and after, and tests are turned off one at a time to find the one that rejects all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import DrawState
from backends.device.counters import difference
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import Surface
from backends.pipe.enums import ColorMask, CompareFunc, Face, LogicOp
from backends.pipe.state import AlphaState, BlendState, DepthState, StencilState, ViewportState
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Trait
from tgsi.language.record import record
from tgsi.validation.declared import semantics
from tgsi.validation.drawing import Drawing
from tgsi.validation.positions import positions, unseen

Contents = list[tuple[Resource, int, int, slice, NDArray[np.uint8]]]
Changes = Mapping[str, Any]


def contents(surfaces: tuple[Surface | None, ...]) -> Contents | None:
    """Bytes of the layers of all targets; None if a target is gone, is memory of the caller, or has samples of its own."""
    found: Contents = []
    for surface in surfaces:
        if surface is None:
            continue
        texture = surface.living_texture
        if texture is None or texture.user is not None or surface.own is not None:
            return None
        layers = slice(surface.first_layer, surface.last_layer + 1)
        for sample in range(texture.samples):
            found.append((texture, surface.level, sample, layers, texture.blocks(surface.level, sample)[layers].copy()))
    return found


def is_changed(before: Contents) -> bool:
    """True if a bit of the targets differs."""
    return any(not np.array_equal(texture.blocks(level, sample)[layers], old) for texture, level, sample, layers, old in before)


def restore(before: Contents) -> None:
    """Give targets their bytes back. No work is pending."""
    for texture, level, sample, layers, old in before:
        texture.blocks(level, sample)[layers] = old


@record
class _Test:
    """A test that may reject fragments: whether it is on, the change of state that turns it off, and the text if it rejects all."""

    is_on: bool
    change: Callable[[dict[str, Any]], dict[str, Any]]
    text: str


def _all(tests: list[_Test]) -> dict[str, Any]:
    """The changes that turn all tests off."""
    changes: dict[str, Any] = {}
    for test in tests:
        changes = test.change(changes)
    return changes


class Trials:
    """A draw that changed nothing, repeated with other state."""

    def __init__(self, drawing: Drawing, before: Contents, size: tuple[int, int], cleared: Mapping[Resource, float]) -> None:
        """cleared: depths that targets were cleared to last."""
        self._drawing, self._before, self._size, self._cleared = drawing, before, size, cleared
        self._device, self._state = drawing.device, drawing.state

    def reason(self) -> str:
        """The reason why the draw has no effect, with a way out; empty where none is found."""
        state, tests = self._state, [test for test in self._tests() if test.is_on]
        for test in tests:
            if self._is_seen(test.change({})):
                return test.text
        everything = _all(tests)
        if self._is_seen(everything):
            needed = [test.text for test in tests if not self._is_seen(_all([other for other in tests if other is not test]))]
            return "; and ".join(needed[:3])
        found = positions(self._drawing)
        if found is not None:
            if not len(found):
                return "the stages before the rasterizer output no primitive"
            text = unseen(found, *self._size, state.rasterizer.clip_halfz)
            if text:
                return text
        return self._shaded(everything)

    def _shaded(self, everything: Changes) -> str:
        """A text about fragments that ran and changed nothing."""
        state = self._state
        kept = state.count_statistics
        state.count_statistics = True
        try:
            before = self._device.statistics()
            self._is_seen(everything)
            count = difference(self._device.statistics(), before).fs_invocations
        finally:
            state.count_statistics = kept
        if not count:
            return "no primitive covers the center of a pixel"
        blend = replace(BlendState(), logicop_enable=True)
        sets = [replace(blend, logicop_func=func) for func in (LogicOp.SET, LogicOp.CLEAR)]
        if any(self._is_seen({**everything, "blend": item}) for item in sets):
            return (
                f"the fragment shader ran for {count} fragments and wrote the color that is there already: is a uniform or a texture "
                "unset, which reads as 0, or an input that no stage writes?"
            )
        program = state.fragment.shader.program if state.fragment.shader is not None else None
        if program is not None and any(Trait.KILL in item.opcode.traits for item in program.instructions):
            return f"the fragment shader discards all {count} fragments"
        return f"the fragment shader ran for {count} fragments, and none of them changed a target"

    def _is_seen(self, changes: Changes) -> bool:
        """True if the draw changes a target with other state. Targets get their bytes back."""
        state = self._state
        kept = {name: getattr(state, name) for name in changes}
        try:
            for name, value in changes.items():
                setattr(state, name, value)
            self._drawing.carry_out()
            self._device.flush()
            return is_changed(self._before)
        finally:
            for name, value in kept.items():
                setattr(state, name, value)
            restore(self._before)

    def _tests(self) -> Iterator[_Test]:
        """Every test that can reject fragments, in the order of the pipeline."""
        yield from self._tests_of_primitives()
        yield from self._tests_of_fragments()

    def _part(self, name: str, **fields: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
        """A function that adds other fields of a state object to changes."""
        state = self._state

        def change(changes: dict[str, Any]) -> dict[str, Any]:
            return {**changes, name: replace(changes.get(name, getattr(state, name)), **fields)}

        return change

    def _targets(self, **fields: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
        """A function that adds other fields of every target of the blend state to changes."""
        state = self._state

        def change(changes: dict[str, Any]) -> dict[str, Any]:
            blend = changes.get("blend", state.blend)
            return {**changes, "blend": replace(blend, rt=tuple(replace(item, **fields) for item in blend.rt))}

        return change

    def _tests_of_primitives(self) -> Iterator[_Test]:
        state, rasterizer = self._state, self._state.rasterizer
        width, height = self._size
        front = "front_ccw is set" if rasterizer.front_ccw else "front_ccw is not set"
        yield _Test(
            rasterizer.cull_face is not Face.NONE,
            self._part("rasterizer", cull_face=Face.NONE),
            f"all primitives are culled: cull_face is {rasterizer.cull_face.name}, and {front}; mind that a viewport with a negative y "
            "scale turns the winding over",
        )
        yield _Test(
            rasterizer.scissor,
            self._part("rasterizer", scissor=False),
            f"all of it lies outside of the scissor rectangle {_rectangle(state)}: set_scissor_states",
        )
        yield _Test(
            bool(rasterizer.clip_plane_enable),
            self._part("rasterizer", clip_plane_enable=0),
            f"{clippers(state)} cut everything away: clip_plane_enable is {rasterizer.clip_plane_enable:#x}",
        )
        yield _Test(
            rasterizer.depth_clip_near or rasterizer.depth_clip_far,
            self._part("rasterizer", depth_clip_near=False, depth_clip_far=False, depth_clip=False),
            "everything is cut away by the near or the far plane: z is outside of "
            + ("0 to w" if rasterizer.clip_halfz else "-w to w (clip_halfz is for 0 to w)"),
        )
        whole = ViewportState((width / 2, -height / 2, 0.5), (width / 2, height / 2, 0.5))
        first = state.viewports[0] if state.viewports else ViewportState()
        yield _Test(
            bool(state.viewports) and first != whole,
            lambda changes: {**changes, "viewports": (whole, *state.viewports[1:])},
            f"the viewport, scale {_numbers(first.scale)} and translate {_numbers(first.translate)}, places everything outside of the "
            f"target of {width} x {height}, or of the depth range",
        )
        yield _Test(
            state.window_rectangles != (False, ()),
            lambda changes: {**changes, "window_rectangles": (False, ())},
            "the window rectangles leave out everything: set_window_rectangles",
        )
        yield _Test(
            state.sample_mask != 0xFFFFFFFF,
            lambda changes: {**changes, "sample_mask": 0xFFFFFFFF},
            f"the sample mask {state.sample_mask:#x} leaves out every sample: set_sample_mask(0xFFFFFFFF)",
        )

    def _tests_of_fragments(self) -> Iterator[_Test]:
        state, tests, blend = self._state, self._state.depth_stencil_alpha, self._state.blend
        yield _Test(
            tests.depth.enabled,
            self._part("depth_stencil_alpha", depth=DepthState()),
            f"the depth test {tests.depth.func.name} rejects every fragment{self._depths()}",
        )
        yield _Test(
            tests.stencil[0].enabled,
            self._part("depth_stencil_alpha", stencil=(StencilState(), StencilState())),
            f"the stencil test {tests.stencil[0].func.name} rejects every fragment: the reference is {state.stencil_ref[0]}, "
            f"valuemask {tests.stencil[0].valuemask:#x}; was the stencil buffer cleared or written before?",
        )
        yield _Test(
            tests.alpha.enabled,
            self._part("depth_stencil_alpha", alpha=AlphaState()),
            f"the alpha test {tests.alpha.func.name} with {tests.alpha.ref_value:g} rejects every fragment",
        )
        yield _Test(
            any(int(item.colormask) != int(ColorMask.RGBA) for item in blend.rt),
            self._targets(colormask=ColorMask.RGBA),
            f"the color mask of the blend state, {int(blend.rt[0].colormask):#x}, leaves out every channel that would change",
        )
        yield _Test(
            any(item.blend_enable for item in blend.rt),
            self._targets(blend_enable=False),
            f"blending leaves the target as it is, with {_factors(blend)}: is the alpha that the shader writes 0?",
        )
        yield _Test(
            blend.logicop_enable,
            self._part("blend", logicop_enable=False),
            f"the logic operation {blend.logicop_func.name} leaves the target as it is",
        )

    def _depths(self) -> str:
        """The range of the stored depths; or the viewport, if its scale makes all depths equal."""
        if self._state.viewports and self._state.viewports[0].scale[2] == 0:
            return f": the viewport's scale[2] is 0, so that every depth is {self._state.viewports[0].translate[2]:g}"
        from backends.formats.arrays import unpack_depth

        func = self._state.depth_stencil_alpha.depth.func
        for texture, _, _, _, old in self._before:
            format = texture.plain_format
            if format.has_depth:
                depths = unpack_depth(format, old.reshape(-1, format.block_bytes))
                low, high = float(depths.min()), float(depths.max())
                if low == high:
                    return f": the depth buffer holds {low:g} everywhere{_clear_hint(func, low, self._cleared.get(texture))}"
                return f": the depth buffer holds {low:g} to {high:g}"
        return ""


def _clear_hint(func: CompareFunc, value: float, cleared: float | None) -> str:
    """A hint about a depth buffer that holds one value. cleared: the depth that it was cleared to, or None."""
    if func is CompareFunc.GREATER and value == 1:
        return ", and GREATER needs a clear to 0: ctx.clear('DEPTH', depth=0.0)"
    if value:
        return ""
    return (
        ": was it never cleared? ctx.clear('DEPTH', depth=1.0)"
        if cleared is None
        else f": it was cleared to {cleared:g}, and no depth is less; ctx.clear('DEPTH', depth=1.0)"
    )


def clippers(state: DrawState) -> str:
    """Name of the distances that `clip_plane_enable` turns on."""
    last = state.last_shader()
    writes = last is not None and "CLIPDIST" in semantics(last.program, File.OUT)
    return "clip distances (CLIPDIST, gl_ClipDistance)" if writes else "clip planes"


def _rectangle(state: DrawState) -> str:
    if not state.scissors:
        return "(none is set)"
    item = state.scissors[0]
    return f"({item.minx}, {item.miny}) to ({item.maxx}, {item.maxy})"


def _numbers(numbers: tuple[float, ...]) -> str:
    return f"({', '.join(f'{number:g}' for number in numbers)})"


def _factors(blend: BlendState) -> str:
    item = blend.rt[0]
    return f"{item.rgb_src_factor.name} for the shader's color, {item.rgb_dst_factor.name} for the target's"
