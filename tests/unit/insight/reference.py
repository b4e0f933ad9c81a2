"""The reference interpreter over the quad of a logged fragment, with everything that its draw has bound.

Only the inputs come from the code that draws. They are compared with those that float64 gives for the corners of a primitive, and the
interpreter shades its vertices, too, and runs task and mesh programs. Coverage, places of samples, stored colors and memory are read from
the state, and INTERP_* follow the planes.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.abi.records import TextureRecord
from backends.formats import Format
from backends.formats.arrays import unpack
from backends.interp.machine import Machine
from backends.pipe.enums import TextureTarget
from backends.run.arguments import prepare
from backends.run.textures import TextureData
from tests.unit.insight import coverage
from tests.unit.insight.mesh_stage import mesh_primitives
from tests.unit.insight.shapes import Shape, Triangle, inputs_of, places_of, shapes_of
from tests.unit.insight.vertex_stage import outputs_of
from tgsi.insight.events import Fate
from tgsi.insight.fragment_log import FragmentLog, LoggedFragment, Sampling
from tgsi.insight.logging_program import QUAD
from tgsi.insight.merging import Merger
from tgsi.insight.place import stored_words
from tgsi.insight.primitives import Primitives, primitives_of
from tgsi.insight.replaying import Draw
from tgsi.insight.smoothing import can_be_smooth
from tgsi.language.facts.enums import File, Interpolation, Location, Processor
from tgsi.language.facts.traits import OTHER_LANES, Trait
from tgsi.language.program import Program

Words = NDArray[np.uint32]
CENTER = np.float32(0.5)


class Refusal(Exception):
    """The interpreter cannot be given what the program reads; the text says what."""


def _bytes(address: int, size: int) -> NDArray[np.uint8]:
    return np.frombuffer(ctypes.string_at(address, size), np.uint8)


def _level(record: TextureRecord, level: int, size: int, *, is_volume: bool = False) -> NDArray[np.uint8]:
    """The texels of a level, (layers, height, width, bytes)."""
    width, height = max(1, record.width >> level), max(1, record.height >> level)
    layers = max(1, record.depth >> level) if is_volume else max(1, record.depth)
    start = record.base + record.level_offset[level]
    rows = [
        _bytes(start + z * record.layer_stride[level] + y * record.row_stride[level], width * size)
        for z in range(layers)
        for y in range(height)
    ]
    return np.concatenate(rows).reshape(layers, height, width, size)


def _texture(view: Any) -> TextureData:
    record, key = view.record, view.key
    is_volume = key.target is TextureTarget.TEXTURE_3D
    levels = (_level(record, level, key.format.block_bytes, is_volume=is_volume) for level in range(record.last_level + 1))
    return TextureData(key.format, tuple(levels), key.swizzle)


def _memory(context: Any, stage: Any) -> dict[str, Any]:
    """Buffers, images and counters of a stage, as they are now."""
    state = context.state
    return {
        "buffers": {k: _bytes(m.address, m.size // 4 * 4) for k, m in enumerate(stage.buffers.items) if m is not None},
        "images": {
            k: TextureData(image.key.format, (_level(image.record, 0, image.key.format.block_bytes),))
            for k, image in enumerate(stage.images.items)
            if image is not None
        },
        "counters": {k: _bytes(m.address, m.size // 4 * 4) for k, m in enumerate(state.counters.items) if m is not None},
    }


def _units(context: Any, stage: Any) -> dict[str, Any]:
    templates = {id(bound): state for state, bound in context._sampler_templates.items()}
    return {
        "constants": {k: _bytes(c.address, c.size // 16 * 16).view(np.uint32).reshape(-1, 4) for k, c in enumerate(stage.constants) if c},
        "textures": {k: _texture(view) for k, view in enumerate(stage.views) if view is not None},
        "samplers": {k: templates[id(bound)] for k, bound in enumerate(stage.samplers) if bound is not None},
    }


def corners_of_draw(context: Any, draw: Draw) -> Primitives | None:
    """The primitives of a draw: streamed out, or those that the interpreter makes of meshes."""
    if draw.mesh is None:
        return primitives_of(context, draw)
    stages = {number: context.state.stage[number] for number in (int(Processor.TASK), int(Processor.MESH))}
    return mesh_primitives(context, draw, {k: {**_units(context, stage), **_memory(context, stage)} for k, stage in stages.items()})


def positions_of_samples(context: Any, sampling: Sampling) -> NDArray[np.float32]:
    """Places of the samples of a pixel, (samples, 2) from 0 to 1, by docs/multisampling.md."""
    locations = context.state.sample_locations if sampling.is_on else None
    if locations is not None:
        sixteenths = [(b & 15, b >> 4) for b in bytes(locations)[: sampling.count]]
        sixteenths += [(8, 8)] * (sampling.count - len(sixteenths))
        return np.array(sixteenths, np.float32) / np.float32(16)
    return np.array([context.get_sample_position(sampling.count, k) for k in range(sampling.count)], np.float32)


class Reference:
    """Runs the program of a draw for its fragments at a pixel. counts: of fragments and checks, by kind."""

    def __init__(self, context: Any, draw: Draw, merger: Merger, log: FragmentLog, found: Primitives | None, counts: Counter[str]) -> None:
        self.context, self.draw, self.merger, self.log, self.found, self.counts = context, draw, merger, log, found, counts
        self.sampling = Sampling(context, log.program)
        self.places = positions_of_samples(context, self.sampling)
        self.program: Program = log.program
        self.seen: set[object] = set()

    def check(self, item: LoggedFragment) -> None:
        """Compare a fragment with the interpreter's. Refusals are counted by their text."""
        shape = self._matching(item)
        self.counts["fragments with compared inputs"] += shape is not None
        if shape is not None:
            self._check_vertices(shape)
        if can_be_smooth(self.context):
            fits = coverage.may_be(self.context, self.draw, self.found, item, (self.merger.x, self.merger.y))
            assert fits is not False, (self.merger.x, self.merger.y, item.primitive, item.coverage)
            self.counts["coverages"] += fits is True
        try:
            outputs, lives = self._run(item, shape)
        except Refusal as refusal:
            self.counts[f"not run: {refusal}"] += 1
            return
        where = (self.merger.x, self.merger.y, item.primitive, item.sample)
        assert lives is (item.killed_at is None), where
        assert item.killed_at is not None or not differ(outputs, item.outputs, self._is_loose), (where, outputs, item.outputs)
        self.counts["fragments"] += 1
        self.counts["of several samples"] += self.sampling.count > 1
        self.counts["with memory"] += any(Trait.MEM in i.opcode.traits for i in self.program.instructions)
        self.counts["that fetch colors"] += any(Trait.FRAMEBUFFER in i.opcode.traits for i in self.program.instructions)
        self.counts["that place inputs themselves"] += self._is_loose

    @property
    def _is_loose(self) -> bool:
        """True if inputs are computed in float64 here."""
        return any(i.opcode.name.startswith("INTERP_") for i in self.program.instructions)

    # -- inputs ----------------------------------------------------------------------------------------------------------
    def _place(self, item: LoggedFragment) -> tuple[float, float]:
        """The place of the window for which the program runs."""
        dx, dy = self.places[item.sample] if item.sample >= 0 and self.sampling.has_places else (CENTER, CENTER)
        return self.merger.x + float(dx), self.merger.y + float(dy)

    def _mask(self, item: LoggedFragment) -> int:
        """The samples that the program reads as covered."""
        if item.sample >= 0 or not self.sampling.has_places:
            return item.mask if self.sampling.is_on else 1
        mask = item.mask & self.merger.sample_mask
        if self.program.property("FS_POST_DEPTH_COVERAGE"):
            mask = sum(1 << s for s in range(self.sampling.count) if mask >> s & 1 and self._passes(item, s))
        return mask or item.mask

    def _passes(self, item: LoggedFragment, s: int) -> bool:
        depth = self.merger.pixel.depth
        if depth is None:
            return True
        kept = depth.copy()
        fate, _ = self.merger._test(item, s)
        depth[...] = kept
        return fate is Fate.PASSED

    def _offset_of(self, item: LoggedFragment) -> tuple[float, float]:
        """The centroid, from the center."""
        mask, every = self._mask(item), self.sampling.every
        if item.sample >= 0:
            return tuple(map(float, self.places[item.sample] - CENTER))  # type: ignore[return-value]
        if not self.sampling.has_places or mask in (0, every):
            return 0.0, 0.0
        first = next(s for s in range(self.sampling.count) if mask >> s & 1)
        return tuple(map(float, self.places[first] - CENTER))  # type: ignore[return-value]

    def _matching(self, item: LoggedFragment) -> Shape | None:
        """The primitive that gives the inputs of a fragment; None where none is known. AssertionError: none that may be it gives them."""
        pixel = self.merger.x, self.merger.y
        shapes, is_all = shapes_of(self.context, self.draw, self.found, item, pixel)
        wrong = []
        for shape in shapes:
            differences = list(self._differences(item, shape))
            if not differences:
                return shape
            wrong.append((shape.number, differences[0]))
        assert not is_all, (pixel, item.primitive, wrong[:4])
        return None

    def _differences(self, item: LoggedFragment, shape: Shape) -> Iterator[tuple[Any, ...]]:
        """Inputs, or positions, that a primitive does not give."""
        assert self.found is not None
        r = self.context.state.rasterizer
        x, y = self._place(item)
        center = (x, y) if r.force_persample_interp else (self.merger.x + 0.5, self.merger.y + 0.5)
        dx, dy = self._offset_of(item)
        at = (x, y) if item.sample >= 0 else (center[0] + dx, center[1] + dy)
        places = places_of(self.found)
        if shape.window.shape[0] == 1:
            places = {key: place for key, place in places.items() if key[0] != "GENERIC" or not r.sprite_coord_enable >> key[1] & 1}
        for register, values, slack in inputs_of(self.log, shape, places, *at, flat=r.flatshade, center=center):
            given = item.inputs[self.log.layout.inputs.index(register)].view(np.float32).astype(np.float64)
            scale = max(1.0, float(np.abs(shape.outputs).max()), float(np.abs(values).max()))
            if not np.abs(given[: len(values)] - values).max() <= 2e-3 * scale + slack:
                yield register, given, values
        z, one_over_w = shape.position(x, y)
        ends = np.stack([shape.window[:, 2], 1 / shape.w], 1)
        slack = shape.slack(ends, x, y, Interpolation.LINEAR)
        has_offset = r.offset_tri or r.offset_line or r.offset_point
        if not has_offset and not abs(z - float(item.position[2])) <= 1e-4 + slack:
            yield z, item.position
        if not abs(one_over_w - float(item.position[3])) <= 1e-3 * abs(one_over_w) + slack:
            yield one_over_w, item.position
        if (float(item.position[0]), float(item.position[1])) != (x, y):
            yield (x, y), item.position

    def _check_vertices(self, shape: Shape) -> None:
        """Compare the vertices of a primitive with the interpreter's, where no other stage stands between."""
        info, context, key = self.draw.info, self.context, ("vertices", shape.number)
        assert self.found is not None
        if info is None or self.found.program.processor is not Processor.VERT or key in self.seen:
            return
        self.seen.add(key)
        instance, number = divmod(shape.number, len(self.found.positions) // max(info.instance_count, 1))
        units = {**_units(context, context.state.vertex), **_memory(context, context.state.vertex)}
        outputs = outputs_of(context, info, number, instance, units)
        if outputs is None:
            return
        for corner in self.found.outputs[shape.number]:
            assert any(not differ(wanted.reshape(-1), corner.reshape(-1)) for wanted in outputs), (shape.number, corner, outputs)
            self.counts["vertices"] += 1

    def _inputs(self, item: LoggedFragment) -> Words:
        """The IN file, (4 lanes, registers, 4)."""
        assert item.quad is not None
        lane = (self.merger.x & 1) + 2 * (self.merger.y & 1)
        inputs = np.zeros((4, self.program.file_size(File.IN), 4), np.uint32)
        own = {k for d in self.program.declared(File.IN) if str(d.semantic) == "POSITION" for k in range(d.first, d.last + 1)}
        inward = 1 - 2 * (self.merger.x & 1), 1 - 2 * (self.merger.y & 1)
        for step, values in zip(((0, 0), *QUAD), (item.inputs, *item.quad)):
            to = lane ^ (step[0] + 2 * step[1])
            inputs[to, list(self.log.layout.inputs)] = values
            for register in own:
                place = inputs[to, register, :2].view(np.float32) + np.array(step) * inward
                inputs[to, register, :2] = place.astype(np.float32).view(np.uint32)
        return inputs

    # -- the run -----------------------------------------------------------------------------------------------------------
    def _refuse(self, shape: Shape | None) -> None:
        program = self.program
        traits = {trait for i in program.instructions for trait in i.opcode.traits}
        if Trait.HELPER in traits:
            raise Refusal("it reads whether it is a helper")
        if self._is_loose and not isinstance(shape, Triangle):
            raise Refusal("INTERP in a thin triangle, a line or a point")
        located = any(d.location is not Location.CENTER for d in program.declared(File.IN))
        if traits & OTHER_LANES and (self.log.runs_per_sample or located):
            raise Refusal("derivatives of places that differ from lane to lane")

    def _run(self, item: LoggedFragment, shape: Shape | None) -> tuple[Words, bool]:
        self._refuse(shape)
        program, lane = self.program, (self.merger.x & 1) + 2 * (self.merger.y & 1)
        inputs = self._inputs(item)
        names = {d.semantic.name for d in program.declared(File.SV) if d.semantic is not None}
        system = {
            "PRIM_ID": item.primitive,
            "FACE": 0xFFFFFFFF if item.is_front else 0,
            "SAMPLEID": max(item.sample, 0),
            "SAMPLEMASK": self._mask(item),
        }
        given: dict[str, Any] = {name: np.full(4, value, np.uint32) for name, value in system.items() if name in names}
        if "POSITION" in names:
            given["POSITION"] = np.tile(item.position, (4, 1))
        if self.log.runs_per_sample:
            given["SAMPLEID"] = np.full(4, item.sample, np.uint32)
        arguments = prepare(
            program,
            inputs,
            **_units(self.context, self.context.state.fragment),
            **_memory(self.context, self.context.state.fragment),
            system_values=given,
            framebuffer={k: np.tile(words, (4, 1)) for k, words in self._colors(item).items()},
            sample_positions=self.places if self.sampling.has_places else None,
            coverage=np.full(4, self._mask(item), np.uint32) if self.sampling.has_places else None,
        )
        if self._is_loose and isinstance(shape, Triangle):
            arguments = self._with_planes(arguments, shape)
        machine = Machine(program, arguments)
        machine.registers.files[File.IN] = inputs.transpose(1, 0, 2).copy()
        machine.run()
        return machine.outputs[list(self.log.layout.outputs), lane], bool(machine.alive[lane])

    def _colors(self, item: LoggedFragment) -> Mapping[int, Words]:
        """The stored colors at the pixel, as FBFETCH reads them."""
        found = {}
        for number, surface in enumerate(self.context.targets.framebuffer.cbufs):
            if surface is not None:
                texel = stored_words(surface, self.merger.attachment.layer, self.merger.x, self.merger.y)[max(item.sample, 0)]
                found[number] = _fetched(surface.format, texel)
        return found

    def _with_planes(self, arguments: Any, shape: Triangle) -> Any:
        """The arguments with coefficients and positions of the quad, so that INTERP_* are computed."""
        x, y = self.merger.x & ~1, self.merger.y & ~1
        lanes = [(x + 0.5 + k % 2, y + 0.5 + k // 2) for k in range(4)]
        w = np.array([shape.position(*place)[1] for place in lanes])
        position = np.stack([*np.array(lanes).T, np.zeros(4), w]).astype(np.float32)
        coefficients = np.zeros((self.program.file_size(File.IN), 3, 4), np.float32)
        assert self.found is not None
        outputs = places_of(self.found)
        for d in self.program.declared(File.IN):
            for k in range(d.first, d.last + 1):
                key = ("", 0) if d.semantic is None else (d.semantic.name, d.semantic.index + k - d.first)
                if key in outputs and key[0] != "POSITION":
                    coefficients[k] = shape.coefficients(shape.outputs[:, outputs[key]].astype(np.float64), d.interpolation)
        return replace(arguments, coefs=coefficients, quad_pos=position)


def _fetched(format: Format, texel: NDArray[np.uint8]) -> Words:
    return np.ascontiguousarray(unpack(format, texel)).view(np.uint32).reshape(4)


def differ(found: Words, wanted: Words, is_loose: bool = False) -> bool:
    """True if words differ by more than engines may: 2 units of the last place, or 2e-6; where inputs are computed, 1e-4."""
    a, b = (words.view(np.float32).astype(np.float64) for words in (found, wanted))
    least, share = (1e-4, 1e-4) if is_loose else (2e-6, 2.0**-22)
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= np.maximum(least, np.abs(b) * share)
    return not bool(((found == wanted) | close).all())
