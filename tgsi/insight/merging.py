"""The fates of the fragments of a draw at one pixel: tests and blending, fragment by fragment and sample by sample.

The order of steps is that of OpenGL 4.6 core, chapters 14 and 17, and of docs/execution.md. This module shares no code with the renderer,
so each of the two results proves the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.framebuffer import Surface
from backends.formats import ChannelType, Format
from backends.pipe.enums import CompareFunc, Face
from backends.pipe.state import DepthStencilAlphaState, ScissorState, ViewportState
from tgsi.insight.blending import Colors, adds_nothing, describe, stored
from tgsi.insight.depth_stencil import compares, pass_tests, shown
from tgsi.insight.events import Fate, Fragment, SampleFate
from tgsi.insight.fragment_log import FragmentLog, LoggedFragment
from tgsi.insight.place import Attachment, put_words, same_layer, stored_words, texel_numbers
from tgsi.language.facts.enums import File, Interpolation
from tgsi.language.facts.traits import Trait
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.validation.declared import registers

f4 = np.float32


@record(frozen=False, eq=False)
class PixelState:
    """The bytes of the watched color (or depth) buffer and of the depth buffer at the pixel, (samples, bytes of a pixel)."""

    color: NDArray[np.uint8]
    depth: NDArray[np.uint8] | None


def depth_test_of(dsa: DepthStencilAlphaState, zs: Surface | None) -> tuple[str, bool]:
    """The function of the depth test ("off" if it is not enabled, empty without a buffer), and whether passing depths are stored."""
    if zs is None or zs.format.depth is None:
        return "", False
    return (CompareFunc(dsa.depth.func).name, bool(dsa.depth.writemask)) if dsa.depth.enabled else ("off", False)


class Merger:
    """Merges the fragments of one draw, in order. The constructor copies the bound state."""

    def __init__(self, context: Any, attachment: Attachment, x: int, y: int, log: FragmentLog, *, is_polygon: bool = True) -> None:
        """is_polygon: the draw's primitives are triangles, quads or polygons, which face front or back."""
        state, framebuffer = context.state, context.targets.framebuffer
        self.attachment, self.x, self.y, self.program = attachment, x, y, log.program
        self.rasterizer, self.blend, self.dsa = state.rasterizer, state.blend, state.depth_stencil_alpha
        self.scissors, self.viewports, self.windows = state.scissors, state.viewports, state.window_rectangles
        self.sample_mask, self.references, self.constant = state.sample_mask, state.stencil_ref, np.array(state.blend_color, f4)
        self.layers, self.samples = framebuffer.layers, framebuffer.samples
        self.is_multisampled = self.rasterizer.multisample or framebuffer.has_own_samples
        self.zs = framebuffer.zsbuf
        layer = attachment.layer
        color = stored_words(attachment.surface, layer, x, y)
        depth = color if attachment.index < 0 else None if self.zs is None else stored_words(self.zs, layer, x, y)
        self.pixel = PixelState(color, depth)
        self.facts, self.is_polygon = ProgramFacts(log.program), is_polygon
        self.clamps_color = self._clamps(framebuffer)
        last = state.last_shader()
        self.is_window_space = last is not None and bool(last.program.property("VS_WINDOW_SPACE_POSITION"))

    @property
    def depth_test(self) -> tuple[str, bool]:
        """See `depth_test_of`."""
        return depth_test_of(self.dsa, self.zs)

    def _clamps(self, framebuffer: Any) -> bool:
        r = self.rasterizer
        floats = any(s is not None and any(c.type is ChannelType.FLOAT for c in s.format.channels) for s in framebuffer.cbufs)
        return bool(r.clamp_fragment_color and not (r.clamp_fixed_only and floats))

    # -- one fragment ----------------------------------------------------------------------------------------------------
    def merge(self, item: LoggedFragment) -> Fragment:
        """Merge a fragment and return it with its fate."""
        names = self.facts
        fragment = Fragment(
            primitive=item.primitive,
            is_front=item.is_front,
            depth=float(item.position[2]),
            covered=tuple(s for s in range(self.samples) if item.mask >> s & 1),
            inputs=names.shown(File.IN, item.inputs),
            outputs=names.shown(File.OUT, item.outputs),
            words={"inputs": item.inputs, "outputs": item.outputs, "quad": item.quad, "sample": item.sample},
            discarded_at=item.killed_at,
            coverage=float(item.coverage),
            flat=names.flat(self.rasterizer.flatshade) if self.is_polygon else (),
            provoking="first vertex (flatshade_first)" if self.rasterizer.flatshade_first else "last vertex (flatshade_first is not set)",
        )
        reason = self._before_samples(item)
        fates = []
        for s in range(self.samples):
            if not item.mask >> s & 1:
                continue
            before = self._numbers(s)
            fate, detail = reason or self._sample(item, s)
            fates.append(SampleFate(s, fate, detail, before, self._numbers(s)))
        return replace(fragment, samples=tuple(fates) or (SampleFate(0, *(reason or (Fate.SAMPLE_MASK, "it covers no sample"))),))

    def _numbers(self, sample: int) -> tuple[float, ...]:
        return tuple(v.item() for v in texel_numbers(self.attachment.surface.format, self.pixel.color[sample]))

    def _before_samples(self, item: LoggedFragment) -> tuple[Fate, str] | None:
        """The fate of a fragment that is rejected before its samples are tested."""
        r = self.rasterizer
        layer = same_layer(item.layer, self.layers)
        if layer != self.attachment.layer:
            return Fate.OTHER_LAYER, f"it goes to layer {layer}"
        if r.rasterizer_discard:
            return Fate.RASTERIZER_DISCARD, "rasterizer_discard is set"
        culled = Face.FRONT if item.is_front else Face.BACK
        if r.cull_face & culled and self.is_polygon:
            facing = "front" if item.is_front else "back"
            return Fate.CULLED, f"it faces {facing}, cull_face is {r.cull_face.name}, front_ccw is {r.front_ccw}"
        viewport = item.viewport if item.viewport < 16 else 0
        if r.scissor:
            box = self.scissors[viewport] if viewport < len(self.scissors) else ScissorState()
            if not _inside(box, self.x, self.y):
                return Fate.SCISSOR, f"the scissor is {_box(box)}"
        include, windows = self.windows
        if include or windows:
            is_in = any(_inside(box, self.x, self.y) for box in windows)
            if is_in is not include:
                what = "inside of none" if include else "inside of one"
                return Fate.WINDOW_RECTANGLE, f"it lies {what} of {', '.join(map(_box, windows)) or 'no rectangle'}"
        return None

    # -- one sample ------------------------------------------------------------------------------------------------------
    def _sample(self, item: LoggedFragment, s: int) -> tuple[Fate, str]:
        if not self.sample_mask >> (s if self.samples > 1 else 0) & 1:
            return Fate.SAMPLE_MASK, f"set_sample_mask({self.sample_mask:#x})"
        facts, names = self.facts, self.facts.outputs
        if facts.tests_early:
            fate, detail = self._test(item, s)
            if fate is not Fate.PASSED:
                return fate, detail
            after = self._after_program(item, s)
            return after if after is not None else self._write(item, s)
        late = self._runs_before_tests(item)
        after = self._after_program(item, s)
        if after is not None and not late:  # the early test may have rejected it before the program ran
            depth = None if self.pixel.depth is None else self.pixel.depth.copy()
            fate, detail = self._test(item, s)
            self._put_depth(depth)
            return (fate, detail) if fate is not Fate.PASSED else after
        if after is not None:
            return after
        fate, detail = self._test(item, s, names.get("POSITION"), names.get("STENCIL"))
        return (fate, detail) if fate is not Fate.PASSED else self._write(item, s)

    def _put_depth(self, depth: NDArray[np.uint8] | None) -> None:
        if self.pixel.depth is not None and depth is not None:
            self.pixel.depth[...] = depth

    def _runs_before_tests(self, item: LoggedFragment) -> bool:
        """True if the program runs before the depth and stencil tests."""
        facts = self.facts
        writes = "POSITION" in facts.outputs or "STENCIL" in facts.outputs or facts.has_side_effects
        return writes or (facts.kills and self.dsa.stencil[0].enabled)

    def _test(self, item: LoggedFragment, s: int, z_register: int | None = None, stencil_register: int | None = None) -> tuple[Fate, str]:
        if self.zs is None or self.pixel.depth is None:
            return Fate.PASSED, ""
        z = item.z[s]
        if z_register is not None and not self.facts.keeps_depth:
            z = item.outputs[z_register].view(f4)[2]
        low, high = self._depth_range(item.viewport)
        z = np.fmin(np.fmax(z, low), high)
        written = None if stencil_register is None else int(item.outputs[stencil_register][1]) & 255
        outcome = pass_tests(self.dsa, self.zs.format, self.references, z, item.is_front, self.pixel.depth[s], written)
        self.pixel.depth[s] = outcome.data
        is_flat = outcome.fate is Fate.DEPTH and low == high
        return outcome.fate, outcome.detail + (f"; the viewport gives every depth as {float(low):g} (scale[2] is 0)" if is_flat else "")

    def _depth_range(self, viewport: int) -> tuple[np.float32, np.float32]:
        if self.is_window_space:
            return f4(0), f4(1)
        v = self.viewports[viewport] if viewport < len(self.viewports) else ViewportState()
        scale, translate = v.scale[2], v.translate[2]
        ends = (translate if self.rasterizer.clip_halfz else translate - scale, translate + scale)
        low, high = min(ends), max(ends)
        depth = None if self.zs is None else self.zs.format.depth
        if depth is None or depth.type is ChannelType.UNORM:
            low, high = (min(1.0, max(0.0, end)) for end in (low, high))
        return f4(low), f4(high)

    def _after_program(self, item: LoggedFragment, s: int) -> tuple[Fate, str] | None:
        """The fate that the program decided, such as a discard; None if the fragment goes on."""
        facts = self.facts
        if item.killed_at is not None:
            return Fate.DISCARDED, facts.place_of(item.killed_at)
        mask = facts.outputs.get("SAMPLEMASK")
        if mask is not None and self.is_multisampled:
            word = int(item.outputs[mask][0])
            if not word >> (s if self.samples > 1 else 0) & 1:
                return Fate.SHADER_MASK, f"the shader wrote the mask {word:#x}"
        alpha = self.dsa.alpha
        if alpha.enabled and alpha.func is not CompareFunc.ALWAYS:
            value = self._smoothed(item, 0)[3]
            if not compares(alpha.func, value, f4(alpha.ref_value)):
                return Fate.ALPHA, shown(alpha.func, f"alpha {float(value):.9g}", f"{alpha.ref_value:.9g}") + " is false"
        if self.blend.alpha_to_coverage and self.samples > 1 and self.is_multisampled and facts.color_register(0) is not None:
            value = self._color(item, 0)[3]
            if not value > f4(f4(s + 0.5) * f4(1.0 / self.samples)):
                return (
                    Fate.ALPHA_TO_COVERAGE,
                    f"alpha {float(value):.9g} covers {round(float(value) * self.samples)} of {self.samples} samples",
                )
        return None

    def _color(self, item: LoggedFragment, number: int) -> NDArray[Any]:
        register = self.facts.color_register(number)
        color = np.zeros(4, f4) if register is None else item.outputs[register].view(f4)
        if self.clamps_color:
            color = np.fmin(np.fmax(color, f4(0)), f4(1))
        return color

    def _smoothed(self, item: LoggedFragment, number: int) -> NDArray[Any]:
        """The color, with the coverage by a smooth primitive in its alpha."""
        color = self._color(item, number)
        return color if item.coverage == 1 else np.append(color[:3], color[3] * item.coverage)

    def _write(self, item: LoggedFragment, s: int) -> tuple[Fate, str]:
        index = self.attachment.index
        if index < 0:
            return Fate.PASSED, ""
        format = self.attachment.surface.format
        register = self.facts.color_register(0 if self.facts.writes_all else index)
        if register is None:
            return Fate.NO_OUTPUT, f"it writes no COLOR[{index}]"
        rt = self.blend.target(index)
        if not int(rt.colormask):
            return Fate.MASKED, "the colormask of the blend state is 0"
        first = item.outputs[register]
        if not format.is_integer:
            first = self._smoothed(item, 0 if self.facts.writes_all else index)
            second = self._color(item, 1) if self.facts.color_register(1) is not None else np.zeros(4, f4)
            if self.blend.alpha_to_one and self.samples > 1:
                first, second = (np.append(color[:3], f4(1)) for color in (first, second))
        else:
            first = first.view(np.int32 if format.kind == "sint" else np.uint32)
            second = np.zeros(4, f4)
        self.pixel.color[s] = stored(self.blend, index, format, Colors(first, second, self.constant), self.pixel.color[s])
        if self.blend.logicop_enable:
            return Fate.PASSED, f"the logic operation {self.blend.logicop_func.name}"
        if not rt.blend_enable or format.is_integer:
            return Fate.PASSED, ""
        return Fate.PASSED, describe(rt) + ("; the alpha is 0, so nothing of the color is added" if adds_nothing(rt, first) else "")

    def differences(self) -> str:
        """The difference between the computed and the stored pixel, in words; empty if there is none."""
        now = stored_words(self.attachment.surface, self.attachment.layer, self.x, self.y)
        if np.array_equal(now, self.pixel.color):
            return ""
        format = self.attachment.surface.format
        sample = int(np.flatnonzero((now != self.pixel.color).any(axis=1))[0])
        computed, actual = (_shown(format, texel[sample]) for texel in (self.pixel.color, now))
        return f"sample {sample}: computed {computed}, stored {actual}{self._doubts()}"

    def _doubts(self) -> str:
        """Reasons why a difference need not be a bug."""
        return "; the program stores to memory, which it may read" if self.facts.has_side_effects else ""

    def put(self) -> None:
        """Store the computed pixel in the target."""
        put_words(self.attachment.surface, self.attachment.layer, self.x, self.y, self.pixel.color)


def _shown(format: Format, texel: NDArray[np.uint8]) -> str:
    return "(" + ", ".join(f"{v:.9g}" for v in map(float, texel_numbers(format, texel))) + ")"


def _inside(box: ScissorState, x: int, y: int) -> bool:
    return bool(box.minx <= x < box.maxx and box.miny <= y < box.maxy)


def _box(box: ScissorState) -> str:
    return f"x {box.minx} to {box.maxx}, y {box.miny} to {box.maxy}"


class ProgramFacts:
    """Facts about a fragment program that decide its fragments' fates."""

    def __init__(self, program: Program) -> None:
        self.program = self._shown = program
        self.outputs: dict[str, int] = {}
        self._colors: dict[int, int] = {}
        self._names: dict[File, dict[int, str]] = {File.IN: {}, File.OUT: {}}
        for file in (File.IN, File.OUT):
            places = {register: place for place, register in enumerate(registers(program, file))}
            for d in program.declared(file):
                for k in range(d.first, d.last + 1):
                    place = places[k]
                    name = "" if d.semantic is None else f" {replace(d.semantic, index=d.semantic.index + k - d.first)}"
                    self._names[file][place] = f"{file.name}[{k}]{name}"
                    if file is File.OUT and d.semantic is not None:
                        self.outputs.setdefault(d.semantic.name, place)
                        if d.semantic.name == "COLOR":
                            self._colors[d.semantic.index + k - d.first] = place
        traits = {trait for i in program.instructions for trait in i.opcode.traits}
        self.kills = Trait.KILL in traits or "SAMPLEMASK" in self.outputs
        self.has_side_effects = Trait.STORE in traits
        self.tests_early = bool(program.property("FS_EARLY_DEPTH_STENCIL") or program.property("FS_POST_DEPTH_COVERAGE"))
        self.writes_all = bool(program.property("FS_COLOR0_WRITES_ALL_CBUFS"))
        self.keeps_depth = program.property("FS_DEPTH_LAYOUT") >= 4

    def show(self, program: Program) -> None:
        """Name lines of the source text, if its program has the same instructions, and inputs by the source language's names."""
        if len(program.instructions) == len(self.program.instructions):
            self._shown = program
        ports = program.interface.inputs.values() if program.interface is not None else ()
        known = {port.semantic: port.name for port in ports if port.registers == 1}
        for place, name in list(self._names[File.IN].items()):
            register, _, semantic = name.partition(" ")
            self._names[File.IN][place] = f"{register} {known.get(semantic, semantic)}".rstrip()

    def flat(self, flatshade: bool) -> tuple[str, ...]:
        """Names of inputs that are constant across a primitive."""
        modes = (Interpolation.CONSTANT, Interpolation.COLOR) if flatshade else (Interpolation.CONSTANT,)
        inputs = registers(self.program, File.IN)
        return tuple(
            self._names[File.IN][inputs.index(k)]
            for d in self.program.declared(File.IN)
            if d.interpolation in modes and d.semantic is not None
            for k in range(d.first, d.last + 1)
        )

    def color_register(self, number: int) -> int | None:
        """Position of color `number` among the outputs; None if the program does not write it."""
        return self._colors.get(number)

    def shown(self, file: File, words: NDArray[np.uint32]) -> dict[str, tuple[float, ...]]:
        """Registers by name, as floats."""
        return {name: tuple(v.item() for v in words[place].view(f4)) for place, name in self._names[file].items()}

    def place_of(self, number: int) -> str:
        """An instruction as text, with its line."""
        instruction = self.program.instructions[number]
        span = self._shown.instructions[number].span
        from tgsi.language.printer import print_instruction

        text = print_instruction(instruction)
        return f"by instruction {number}: {text}" + (f", {span}" if span is not None else "")
