"""One scene on both sides: emitted GLSL for a state on Mesa's llvmpipe, and the original program with that state on in a Context.

The picture is a grid of cells. A cell has two triangles, or a point, whose vertices have one set of random inputs; every other cell
shows its back. Row 0 of a picture is its upper edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from backends.shader_key.application import with_state
from backends.shader_key.layout import Layout
from passes.lower.state.window import origin_of, window_constant
from tests.unit.picture import screen
from tgsi import gallium as g
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.traits import Flow, Trait
from tgsi.language.ir import Declaration
from tgsi.language.program import Program
from tgsi.language.record import record

Picture = NDArray[np.float32]

COLUMNS, ROWS, CELL = 8, 4, 4
WIDTH, HEIGHT = COLUMNS * CELL, ROWS * CELL
CLEAR = (0.25, 0.5, 0.75, 1.0)
POOL = np.array([0, 1, 0.5, 0.75, 0.3, 0.9, 0.125, 0.6], np.float32)
LINKED = ("GENERIC", "TEXCOORD", "COLOR", "BCOLOR", "FOG")
"""Semantics of fragment inputs that the vertex program of a scene writes."""
BUILT_IN = ("POSITION", "FACE", "PCOORD")
UNITS = 8


@record(kw_only=True)
class Case:
    """A state as the text of a key, and as state objects.

    vertex: the key's text for the vertex program. rasterizer: fields of the rasterizer state. alpha: function and reference of the alpha
    test. planes: user clip planes, whose constants begin at `first`. varies: the vertices of a triangle have colors of their own.
    is_upward: y of the window grows with the rows of our target. samples: samples of a pixel. properties: those that the program of our
    side has besides. constants: rows of CONST[0] that the lowered program reads. scale: factor of all inputs.
    stipple: words of the polygon stipple, whose constants begin at 8.
    """

    state: str
    vertex: str = ""
    rasterizer: Mapping[str, Any] = field(default_factory=dict)
    alpha: tuple[str, float] | None = None
    planes: tuple[tuple[float, float, float, float], ...] = ()
    first: int = 0
    mode: str = "TRIANGLES"
    varies: bool = False
    is_upward: bool = False
    samples: int = 0
    targets: int = 1
    scale: float = 1.0
    stipple: tuple[int, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[int, tuple[float, ...]] = field(default_factory=dict)


def eligible(program: Program) -> bool:
    """Return true if a scene can feed a fragment program and judge it.

    Loops whose count is a random constant do not end, and derivatives along y follow the rows of the target, which lie the other way in
    OpenGL.
    """
    if program.processor is not Processor.FRAG:
        return False
    for item in program.declarations:
        name = item.semantic.name if item.semantic is not None else ""
        if item.file is File.IN and name not in (*LINKED, *BUILT_IN):
            return False
        if item.file is File.OUT and (name != "COLOR" or item.semantic != Semantic("COLOR") or item.last > item.first):
            return False
        if item.file in (File.BUFFER, File.IMAGE, File.MEMORY, File.SV, File.HWATOMIC):
            return False
        if item.file is File.SAMP and item.last >= UNITS:
            return False
        if item.view is not None and (item.view.target != "2D" or item.view.types[0].name != "FLOAT"):
            return False
    items = program.instructions
    registers = [o.register for item in items for o in item.src] + [o.register for item in items for o in item.dst]
    if any(register.indirect is not None for register in registers):
        return False
    loops = any(item.opcode.flow is Flow.LOOP for item in items)
    plain = all(item.texture in (None, "2D") and Trait.DERIVATIVE not in item.opcode.traits for item in items)
    return plain and not loops and len(linked(program)) <= 14 and any(True for _ in program.declared(File.OUT))


def linked(program: Program) -> list[str]:
    """Semantics that the vertex program writes, as texts; a back color for each color."""
    found = []
    for item in program.declared(File.IN):
        if item.semantic is not None and item.semantic.name in LINKED:
            found += [f"{item.semantic.name}[{item.semantic.index + k}]" for k in range(item.last - item.first + 1)]
    found += [text.replace("COLOR", "BCOLOR") for text in found if text.startswith("COLOR")]
    return sorted(set(found))


def _follows(item: Declaration) -> bool:
    """Return true for an input other than a color with an interpolation of its own."""
    is_color = item.semantic is not None and item.semantic.name in ("COLOR", "BCOLOR")
    return not is_color or item.interpolation in (None, Interpolation.COLOR, Interpolation.CONSTANT)


class Scene:
    """A fragment program with its inputs, constants and textures."""

    def __init__(self, program: Program, case: Case, seed: int = 0) -> None:
        self.program, self.case = program, case
        self.chance = np.random.default_rng(seed)
        self.semantics = linked(program)
        self.varies = case.varies and all(_follows(item) for item in program.declared(File.IN))
        count = len(self.semantics)
        heads = [f"DCL OUT[{k + 1}], {text}" for k, text in enumerate(self.semantics)]
        moves = [f"MOV OUT[{k + 1}], IN[{k + 1}]" for k in range(count)]
        self.vertex = "\n".join(["VERT", f"DCL IN[0..{count}]", "DCL OUT[0], POSITION", *heads, "MOV OUT[0], IN[0]", *moves, "END", ""])
        self.vertices = self._vertices(count)
        self.constants = self._constants()
        self.textures = [self.chance.random((8, 8, 4), np.float32) for _ in range(UNITS)]

    def _vertices(self, count: int) -> NDArray[np.float32]:
        """Positions and inputs, (vertices, 1 + count, 4)."""
        rows: list[Picture] = []
        for cell in range(COLUMNS * ROWS):
            x, y = cell % COLUMNS, cell // COLUMNS
            corners: list[tuple[float, float]] = [(x, y), (x + 1, y), (x, y + 1), (x, y + 1), (x + 1, y), (x + 1, y + 1)]
            if cell % 2:
                corners = [corners[k] for k in (0, 2, 1, 3, 5, 4)]
            if self.case.mode == "POINTS":
                corners = [(x + 0.5, y + 0.5)]
            values: Picture = (self.case.scale * self.chance.choice(POOL, (count, 4))).astype(np.float32)
            for corner in corners:
                own = values.copy()
                if self.varies:
                    colors = [k for k, text in enumerate(self.semantics) if "COLOR" in text]
                    own[colors] = self.chance.choice(POOL, (len(colors), 4))
                place = [2 * corner[0] / COLUMNS - 1, 2 * corner[1] / ROWS - 1, 0.25, 1]
                rows.append(np.vstack([np.array([place], np.float32), own]))
        return np.array(rows, np.float32)

    def _constants(self) -> dict[int, NDArray[np.float32]]:
        sizes: dict[int, int] = {}
        for item in self.program.declared(File.CONST):
            sizes[item.dimension or 0] = max(sizes.get(item.dimension or 0, 0), item.last + 1)
        return {buffer: self.chance.choice(POOL, (size, 4)) for buffer, size in sizes.items()}

    # Our side.

    def ours(self, alpha: bool = True) -> list[Picture]:
        """Pictures of a Context with the state on."""
        case, program = self.case, self.program
        if case.properties:
            heads = "".join(f"PROPERTY {name} {value}\n" for name, value in case.properties.items())
            program = tgsi.parse(str(program).replace("FRAG\n", f"FRAG\n{heads}", 1))
        ctx = screen().context_create()
        form: Any = {"width0": WIDTH, "height0": HEIGHT, "format": "R32G32B32A32_FLOAT"}
        made = [screen().resource_create(**form, nr_samples=case.samples) for _ in range(case.targets)]
        ctx.set_framebuffer_state(cbufs=made)
        ctx.clear(color=CLEAR)
        y = HEIGHT / 2 if case.is_upward else -HEIGHT / 2
        ctx.set_viewport_states([g.ViewportState((WIDTH / 2, y, 0.5), (WIDTH / 2, HEIGHT / 2, 0.5))])
        ctx.bind_vs_state(ctx.create_vs_state(self.vertex))
        ctx.bind_fs_state(ctx.create_fs_state(program))
        state: dict[str, Any] = {"front_ccw": not case.is_upward, "point_size": CELL, "multisample": bool(case.samples), **case.rasterizer}
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**state))
        if case.samples:
            ctx.set_min_samples(case.samples)
        if case.alpha is not None and alpha:
            tested = g.AlphaState(True, g.CompareFunc[case.alpha[0]], case.alpha[1])
            ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(g.DepthStencilAlphaState(alpha=tested)))
        if case.planes:
            ctx.set_clip_state(case.planes)
        if case.stipple:
            ctx.set_polygon_stipple(case.stipple)
        for buffer, rows in self.constants.items():
            ctx.set_constant_buffer("FRAGMENT", rows, index=buffer)
        views = []
        for texels in self.textures:
            texture = screen().resource_create(width0=8, height0=8, format="R32G32B32A32_FLOAT")
            ctx.texture_subdata(texture, texels)
            views.append(ctx.create_sampler_view(texture))
        ctx.set_sampler_views("FRAGMENT", views)
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()] * UNITS)
        slots = self.vertices.shape[1]
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(16 * k, "R32G32B32A32_FLOAT") for k in range(slots)]))
        ctx.set_vertex_buffers([self.vertices])
        ctx.draw_vbo(mode=case.mode, count=len(self.vertices))
        if case.samples:
            shown = [screen().resource_create(**form) for _ in made]
            for to, source in zip(shown, made):
                ctx.blit(to, src=source)
            made = shown
        ctx.flush()
        return [np.array(target.texels()[0]) for target in made]

    # Mesa's side.

    def mesa(self, context: Any, version: str = "450") -> list[Picture]:
        """Pictures that llvmpipe draws with emitted programs for the state."""
        held: list[Any] = []

        def hold(item: Any) -> Any:
            held.append(item)
            return item

        try:
            return self._mesa(context, version, hold)
        finally:
            for item in reversed(held):
                item.release()

    def _mesa(self, context: Any, version: str, hold: Any) -> list[Picture]:
        import moderngl

        case = self.case
        fragment = tgsi.write_glsl(self.program, version, state=f"prefix=fs_,{case.state}")
        matching = tgsi.matching_key(case.state, self.program).qualifiers
        key = replace(tgsi.ShaderKey.parse(f"prefix=vs_,names=IN[0]:position,{case.vertex}"), qualifiers=matching)
        vertex = tgsi.write_glsl(self.vertex, version, state=key)
        chosen = tgsi.ShaderKey.parse(case.state)
        program = hold(context.program(vertex_shader=vertex, fragment_shader=fragment))
        self._fill(program, chosen, hold, context)
        names = ["position", *(f"in{k}" for k in range(1, self.vertices.shape[1]))]
        buffers = [(hold(context.buffer(np.ascontiguousarray(self.vertices[:, k]).tobytes())), "4f", n) for k, n in enumerate(names)]
        array = hold(context.vertex_array(program, [row for row in buffers if row[2] in program]))
        size = (WIDTH, HEIGHT)
        targets = [hold(context.texture(size, 4, dtype="f4", samples=case.samples)) for _ in range(case.targets)]
        frame = hold(context.framebuffer(targets))
        frame.use()
        frame.clear(*CLEAR)
        for texels, unit in zip(self.textures, range(UNITS)):
            texture = hold(context.texture((8, 8), 4, texels.tobytes(), dtype="f4"))
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            texture.use(Layout(chosen).binding("SAMP", unit, unit))
        context.point_size = CELL
        for number in range(8):
            (context.enable_direct if number < len(case.planes) else context.disable_direct)(0x3000 + number)
        array.render(getattr(moderngl, case.mode))
        for number in range(8):
            context.disable_direct(0x3000 + number)
        pictures = targets
        if case.samples:
            pictures = [hold(context.texture(size, 4, dtype="f4"))]
            context.copy_framebuffer(hold(context.framebuffer(pictures)), frame)
        flip = 1 if case.is_upward else -1
        return [np.frombuffer(item.read(), np.float32).reshape(HEIGHT, WIDTH, 4)[::flip] for item in pictures]

    def _fill(self, program: Any, key: tgsi.ShaderKey, hold: Any, context: Any) -> None:
        """Give the constants of both programs; those that a lowering reads come after the fragment program's own."""
        lowered, _ = with_state(self.program, self.case.state, "test")
        added = window_constant(origin_of(self.program), origin_of(lowered), HEIGHT)
        own = self.constants.get(0, np.zeros((0, 4), np.float32))
        if "fs_CONST" in program:
            length = program["fs_CONST"].array_length
            rows: Picture = np.vstack([own, np.array([added] * length, np.float32)])[:length]
            for place, row in self.case.constants.items():
                rows[place : place + 1] = row
            if self.case.stipple and length > 15:
                rows.view(np.uint32)[8:16] = np.array(self.case.stipple, np.uint32).reshape(8, 4)
            program["fs_CONST"].write(rows.tobytes())
        for buffer, rows in self.constants.items():
            if buffer:
                hold(context.buffer(rows.tobytes())).bind_to_uniform_block(Layout(key).binding("CONST", buffer, buffer - 1))
        if "CONST[0]" in key.bindings and own.size:
            hold(context.buffer(own.tobytes())).bind_to_uniform_block(key.bindings["CONST[0]"])
        if "vs_CONST" in program:
            rows = np.zeros((program["vs_CONST"].array_length, 4), np.float32)
            rows[self.case.first : self.case.first + len(self.case.planes)] = self.case.planes
            program["vs_CONST"].write(rows.tobytes())

    def differences(self, context: Any, version: str = "450") -> list[str]:
        """Pixels of the two sides that differ."""
        return self.compared(self.ours(), self.mesa(context, version))

    def compared(self, ours: list[Picture], mesa: list[Picture]) -> list[str]:
        """Pixels that differ by more than 2 ULP an instruction. NaNs are skipped, as are alphas near the alpha test's reference."""
        found = []
        scale = 2 * len(self.program.instructions) * 2.0**-23
        doubtful = np.zeros((HEIGHT, WIDTH), bool)
        if self.case.alpha is not None:
            doubtful = np.abs(self.ours(alpha=False)[0][..., 3] - self.case.alpha[1]) <= 4 * scale
        for number, (want, got) in enumerate(zip(ours, mesa, strict=True)):
            with np.errstate(all="ignore"):
                size = np.maximum(np.maximum(np.abs(want), np.abs(got)), 1)
                near = np.abs(want.astype(np.float64) - got) <= scale * size
            wrong = ~(near | (want == got) | np.isnan(want) | np.isnan(got)).all(axis=2) & ~doubtful
            if wrong.any():
                y, x = map(int, np.argwhere(wrong)[0])
                found.append(f"target {number}: {int(wrong.sum())} pixels, at {x}, {y}: {got[y, x].tolist()}, not {want[y, x].tolist()}")
        return found
