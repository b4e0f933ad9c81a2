"""Emitted GLSL on Mesa's llvmpipe, and the original program in our JIT, over the same random values.

Vertex and geometry programs hand their outputs to transform feedback. A fragment program runs once for each of `COUNT` points of one
pixel, whose inputs do not vary. Constants that instructions read as integers are small integers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

import tgsi
from backends.glsl.emit import Emission
from backends.glsl.places import Place
from backends.glsl.table import INTEGER
from backends.glsl.variables import source_types
from backends.glsl.version import find_version
from passes.optimise.split import SplitRegisters
from tgsi.gallium import Format
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program

Words = NDArray[np.uint32]
COUNT = 32
MOST_CAPTURED = 60
"""Components that one transform feedback captures."""

FLOATS = np.array([0, 1, 0.5, 2, -1, 0.75, 3, -0.25, 1.5], np.float32)
WHOLE = np.array([0, 1, 2, 3, -1, 7, 100], np.int32)
_MODES = {0: "POINTS", 1: "LINES", 4: "TRIANGLES", 10: "LINES_ADJACENCY", 12: "TRIANGLES_ADJACENCY"}
_CORNERS = {0: 1, 1: 2, 4: 3, 10: 4, 12: 6}


class Judge:
    """One program on both sides. `differences` says where they disagree."""

    def __init__(self, context: Any, program: Program, seed: int) -> None:
        self.context, self.program = context, program
        self.random = np.random.default_rng(seed)
        self.emission = Emission(SplitRegisters().run(program), find_version("450"))
        self.text = self.emission.text()
        items = program.instructions
        registers = [o.register for i in items for o in i.src] + [o.register for i in items for o in i.dst]
        self.is_indexed = any(r.indirect or (r.dimension and r.dimension.indirect) for r in registers)
        self.constants = self._constants()
        self._held: list[Any] = []
        self._hold(context.simple_framebuffer((1, 1))).use()

    def differences(self) -> list[str]:
        """Name the results that differ by more than 2 ULP an instruction. NaN, open in GLSL, is not a difference."""
        try:
            run = {Processor.VERT: self._vertex, Processor.GEOM: self._geometry, Processor.FRAG: self._fragment}
            return run[self.program.processor]()
        finally:
            for held in self._held:
                held.release()

    # Values.

    def _words(self, shape: tuple[int, ...], whole: Any) -> Words:
        floats = self.random.choice(FLOATS[:2] if self.is_indexed else FLOATS, shape).astype(np.float32)
        numbers = self.random.choice(WHOLE[:2] if self.is_indexed else WHOLE, shape).astype(np.int32)
        return np.where(whole, numbers.view(np.uint32), floats.view(np.uint32)).astype(np.uint32)

    def _constants(self) -> dict[int, Words]:
        sizes: dict[int, int] = {}
        for item in self.program.declared(File.CONST):
            sizes[item.dimension or 0] = max(sizes.get(item.dimension or 0, 0), item.last + 1)
        whole = {buffer: np.zeros((size, 4), bool) for buffer, size in sizes.items()}
        for instruction in self.program.instructions:
            for operand, kind in zip(instruction.src, source_types(instruction), strict=False):
                register = operand.register
                if register.file is File.CONST and kind in ("int", "uint", INTEGER):
                    buffer = register.dimension.index if register.dimension else 0
                    whole[buffer][min(register.index, sizes[buffer] - 1), list(set(operand.swizzle))] = True
        return {buffer: self._words(mask.shape, mask) for buffer, mask in whole.items()}

    def _hold(self, item: Any) -> Any:
        self._held.append(item)
        return item

    def _bind(self, program: Any) -> None:
        for buffer, words in self.constants.items():
            if buffer:
                self._hold(self.context.buffer(words.tobytes())).bind_to_uniform_block(buffer - 1)
            elif "CONST" in program:
                uniform = program["CONST"]
                uniform.write(words[: uniform.array_length].tobytes())

    def _run(self, inputs: Words, **more: Any) -> Any:
        constants = {buffer: words.view(np.float32) for buffer, words in self.constants.items()}
        return tgsi.run(self.program, inputs.view(np.float32), constants=constants, **more)

    def _compare(self, name: str, got: Words, want: Words) -> list[str]:
        a, b = (words.view(np.float32).astype(np.float64) for words in (got, want))
        with np.errstate(all="ignore"):
            scale = np.maximum(np.maximum(np.abs(a), np.abs(b)), 1)
            near = np.abs(a - b) <= 2 * len(self.program.instructions) * 2.0**-23 * scale
        wrong = ~((got == want) | np.isnan(b) | near)
        if not wrong.any():
            return []
        place = tuple(np.argwhere(wrong)[0])
        return [f"{name}{[int(n) for n in place]}: {int(got[place]):#x}, not {int(want[place]):#x} ({int(wrong.sum())} of {wrong.size})"]

    # Stages.

    def _captured(self) -> list[tuple[int, tuple[int, ...], str]]:
        """Outputs by register, channels and name."""
        found: list[tuple[int, tuple[int, ...], str]] = []
        originals = {id(kept): place for place, kept in self.emission.kept}
        for index, place in self.emission.ports.outputs.items():
            place = originals.get(id(place), place)
            if place.elements:
                found += [(index, (c,), name) for c, name in zip(place.channels, place.elements, strict=True)]
            else:
                found.append((index, place.channels, place.name))
        return found

    def _batches(self) -> Iterator[list[tuple[int, tuple[int, ...], str]]]:
        batch: list[tuple[int, tuple[int, ...], str]] = []
        for item in self._captured():
            if sum(len(channels) for _, channels, _ in batch) + len(item[1]) > MOST_CAPTURED:
                yield batch
                batch = []
            batch.append(item)
        if batch:
            yield batch

    def _vertex(self) -> list[str]:
        places = self.emission.ports.inputs
        inputs = np.zeros((COUNT, max([*places, 0]) + 1, 4), np.uint32)
        for index, place in places.items():
            inputs[:, index] = self._words((COUNT, 4), place.type != "float")
        want = self._run(inputs).outputs
        found = []
        for batch in self._batches():
            program = self._hold(self.context.program(vertex_shader=self.text, varyings=[name for _, _, name in batch]))
            self._bind(program)
            vertices = self._hold(self.context.vertex_array(program, self._attributes(program, places, inputs)))
            size = sum(len(channels) for _, channels, _ in batch)
            out = self._hold(self.context.buffer(reserve=COUNT * size * 4))
            vertices.transform(out, mode=moderngl.POINTS, vertices=COUNT)
            got, at = np.frombuffer(out.read(), np.uint32).reshape(COUNT, size), 0
            for index, channels, name in batch:
                found += self._compare(name, got[:, at : at + len(channels)], want[:, index][:, list(channels)])
                at += len(channels)
        return found

    def _attributes(self, program: Any, places: Mapping[int, Place], inputs: Words) -> list[tuple[Any, str, str]]:
        formats = {"float": "4f", "int": "4i", "uint": "4u"}
        named = [(index, place) for index, place in places.items() if place.name in program]
        return [(self._hold(self.context.buffer(inputs[:, i].tobytes())), formats[p.type], p.name) for i, p in named]

    def _geometry(self) -> list[str]:
        primitive = self.program.property("GS_INPUT_PRIMITIVE")
        corners, count = _CORNERS[primitive], 4
        ports = re.findall(r"^layout\(location = (\d+)\) in vec4 (\w+)\[\];", self.text, re.MULTILINE)
        heads = "".join(f"in vec4 a_{name}; layout(location = {at}) out vec4 {name};\n" for at, name in ports)
        moves = "".join(f"{name} = a_{name};" for _, name in ports)
        vertex = f"#version 450\n{heads}in vec4 pos; void main() {{ gl_Position = pos; {moves} }}"
        captured = self._captured()
        names = [name for _, _, name in captured]
        program = self._hold(self.context.program(vertex_shader=vertex, geometry_shader=self.text, varyings=names))
        self._bind(program)
        places = self.emission.ports.inputs
        inputs = np.zeros((count * corners, max([*places, 0]) + 1, 4), np.uint32)
        content = []
        for index, place in places.items():
            inputs[:, index] = self._words((count * corners, 4), False)
            name = "pos" if "gl_Position" in place.name else "a_" + place.name.split("[")[0]
            if name in program:
                content.append((self._hold(self.context.buffer(inputs[:, index].tobytes())), "4f", name))
        size = sum(len(channels) for _, channels, _ in captured)
        room = max(count * self.program.property("GS_MAX_OUTPUT_VERTICES") * 3 * size, 1)
        out, query = self._hold(self.context.buffer(reserve=4 * room)), self.context.query(primitives=True)
        with query:
            mode = getattr(moderngl, _MODES[primitive])
            self._hold(self.context.vertex_array(program, content)).transform(out, mode=mode, vertices=count * corners)
        want = self._primitives(self._run(inputs.reshape(count, corners, -1, 4)), captured)
        each = {0: 1, 3: 2, 5: 3}[self.program.property("GS_OUTPUT_PRIMITIVE")]
        if query.primitives * each != len(want):
            return [f"{query.primitives} primitives, not {len(want) // each}"]
        got = np.frombuffer(out.read(), np.uint32)[: want.size].reshape(want.shape)
        return self._compare(" ".join(names), got, want)

    def _primitives(self, result: Any, captured: list[tuple[int, tuple[int, ...], str]]) -> Words:
        """Vertices of the points, lines or triangles of the strips."""
        words, at, made = np.asarray(result.emitted[0], np.uint32), 0, []
        kind = self.program.property("GS_OUTPUT_PRIMITIVE")
        for length in result.strips[0]:
            strip, at = words[at : at + length], at + length
            rows = np.concatenate([strip[:, index][:, list(channels)] for index, channels, _ in captured], 1)
            if kind == 0:
                made.append(rows)
            elif kind == 3:
                made += [rows[k : k + 2] for k in range(length - 1)]
            else:
                made += [rows[[k, k + 1, k + 2] if k % 2 == 0 else [k + 1, k, k + 2]] for k in range(length - 2)]
        return np.concatenate(made) if made else np.zeros((0, 1), np.uint32)

    def _fragment(self) -> list[str]:
        ports = re.findall(
            r"^(layout\(location = \d+\) |)(?:centroid |sample )?(?:flat |noperspective )?in vec4 (\w+);", self.text, re.MULTILINE
        )
        ports = [(layout, name) for layout, name in ports if not name.startswith("gl_")]
        names = [name for _, name in ports]
        heads = "".join(f"{layout}out vec4 {name};\n" for layout, name in ports)
        moves = "".join(f"{name} = data[gl_VertexID * {len(names)} + {k}];" for k, name in enumerate(names))
        place = f"gl_Position = vec4((gl_VertexID + 0.5) / {COUNT}.0 * 2.0 - 1.0, 0, 0, 1); gl_PointSize = 1.0;"
        vertex = f"#version 450\nlayout(std430, binding = 15) buffer Data {{ vec4 data[]; }};\n{heads}void main() {{ {place} {moves} }}"
        program = self._hold(self.context.program(vertex_shader=vertex, fragment_shader=self.text))
        self._bind(program)
        data = self._words((COUNT, max(len(names), 1), 4), False)
        inputs = self._fragment_inputs(names, data)
        self._hold(self.context.buffer(data.tobytes())).bind_to_storage_buffer(15)
        textures = self._textures()
        targets = {d.first: d.semantic.index for d in self.program.declared(File.OUT) if d.semantic and d.semantic.name == "COLOR"}
        kinds = {targets[i]: place.type for i, place in self.emission.ports.outputs.items() if i in targets}
        dtypes = [{"float": "f4", "int": "i4", "uint": "u4"}[kinds.get(k, "float")] for k in range(max([*kinds, 0]) + 1)]
        pictures = [self._hold(self.context.texture((COUNT, 1), 4, dtype=dtype)) for dtype in dtypes]
        frame = self._hold(self.context.framebuffer(pictures))
        frame.use()
        self.context.enable(moderngl.PROGRAM_POINT_SIZE)
        self._hold(self.context.vertex_array(program, [])).render(moderngl.POINTS, vertices=COUNT)
        result = self._run(np.repeat(inputs, 4, axis=0), textures=textures)
        alive = np.asarray(result.alive, bool)[::4]
        found = []
        for index, target in targets.items():
            got = np.frombuffer(pictures[target].read(), np.uint32).reshape(COUNT, 4)
            found += self._compare(f"color{target}", got[alive], result.outputs[::4][:, index][alive])
        return found

    def _fragment_inputs(self, names: list[str], data: Words) -> Words:
        places = self.emission.ports.inputs
        inputs = np.zeros((COUNT, max([*places, 0]) + 1, 4), np.uint32)
        half = np.full(COUNT, 0.5)
        built_in: dict[str, Any] = {
            "gl_FragCoord": np.stack([np.arange(COUNT) + 0.5, half, half, 2 * half], 1).astype(np.float32).view(np.uint32),
            "(gl_FrontFacing ? 1.0 : -1.0)": np.float32(1).view(np.uint32),
            "gl_PrimitiveID": np.arange(COUNT, dtype=np.uint32)[:, None],
            "gl_PointCoord": np.array([0.5, 0.5, 0, 1], np.float32).view(np.uint32),
        }
        for index, place in places.items():
            inputs[:, index] = data[:, names.index(place.name)] if place.name in names else built_in[place.name]
        return inputs

    def _textures(self) -> dict[int, Any]:
        """Random texels for the float 2D textures; the others stay unbound on both sides."""
        made = {}
        for unit, (kind, returned) in self.emission.resources.kinds.items():
            if kind == "2D" and returned == "float":
                texels = self.random.random((8, 8, 4), np.float32)
                texture = self._hold(self.context.texture((8, 8), 4, texels.tobytes(), dtype="f4"))
                texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
                texture.use(unit)
                made[unit] = tgsi.TextureData(Format.R32G32B32A32_FLOAT, (texels.view(np.uint8).reshape(1, 8, 8, 16),))
        return made
