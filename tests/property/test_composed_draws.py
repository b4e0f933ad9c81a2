"""Templates composed from parts have the same records as Python writes for a single draw, for any combination of state."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

import numpy as np
import pytest

from backends.device.bound import DrawState
from backends.device.framebuffer import Framebuffer
from backends.formats import Format
from backends.pipe.enums import BlendFactor, CompareFunc, PolygonMode, Prim, StencilOp
from backends.pipe.state import (
    AlphaState,
    BlendState,
    DepthState,
    DepthStencilAlphaState,
    DrawInfo,
    RasterizerState,
    RenderTargetBlend,
    ScissorState,
    StencilState,
    VertexElement,
    ViewportState,
)
from backends.raster.draw.topology import TOPOLOGIES
from backends.raster.draw_record import Draw
from backends.raster.records import Work
from backends.software.commands.executor import Executor
from backends.software.commands.part_records import Block
from tests.unit.raster.canvas import Canvas, make_surface, shader
from tgsi.language.facts.enums import Processor

pytestmark = pytest.mark.light

SIZE, DRAWS = 16, 250
_OUT = "DCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], GENERIC[0]\n"
_MOVES = "MOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nMOV OUT[2], IN[0]\n"
VERTEX = (
    f"VERT\nDCL IN[0]\n{_OUT}{_MOVES}END\n",
    f"VERT\nDCL IN[0]\nDCL IN[1]\n{_OUT}DCL OUT[3], BCOLOR\nDCL OUT[4], PSIZE\n{_MOVES}MOV OUT[3], IN[1]\nMOV OUT[4], IN[1]\nEND\n",
    f"VERT\nDCL IN[0]\n{_OUT}DCL OUT[3], CLIPDIST[0]\nDCL OUT[4], LAYER\n{_MOVES}MOV OUT[3], IN[0]\nMOV OUT[4], IN[0]\nEND\n",
    f"VERT\nPROPERTY VS_WINDOW_SPACE_POSITION 1\nDCL IN[0]\n{_OUT}DCL OUT[3], EDGEFLAG\n{_MOVES}MOV OUT[3], IN[0]\nEND\n",
    f"VERT\nDCL IN[0]\n{_OUT}DCL OUT[3], VIEWPORT_INDEX\n{_MOVES}MOV OUT[3], IN[0]\nEND\n",
)
FRAGMENT = (
    "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n",
    "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n",
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], PRIM_ID, CONSTANT\nDCL OUT[0], COLOR[1]\nADD OUT[0], IN[0], IN[1]\nEND\n",
    "FRAG\nDCL IN[0], PCOORD, LINEAR\nDCL IN[1], GENERIC[0], LINEAR, SAMPLE\nDCL OUT[0], COLOR\nDCL OUT[1], POSITION\n"
    "ADD OUT[0], IN[0], IN[1]\nMOV OUT[1].z, IN[0].xxxx\nEND\n",
)
NUMBERS: list[float] = [0.0, 1.0, -3.5, 2.5, 17.3]


class Named:
    """Kernels whose entry points are numbers, one for each key; nothing is compiled, and nothing may run."""

    def __init__(self, kernels: Any) -> None:
        self._kernels, self._numbers = kernels, dict[str, int]()

    def __getattr__(self, name: str) -> Any:
        if name in ("fragment", "fragment_lanes", "vertex_lanes", "setup_lanes"):
            return getattr(self._kernels, name)

        def ask(*key: Any, **named: Any) -> Any:
            number = self._numbers.setdefault(repr((name, key, named)), 64 * len(self._numbers) + 64)
            return dataclasses.make_dataclass("L", ["address", "exports"])({"x": number}, ("x",))

        return ask


@pytest.fixture
def canvas() -> Iterator[Canvas]:
    with Canvas(SIZE, SIZE) as made:
        writer = made._maker.writer
        writer.kernels = Named(writer.kernels)  # type: ignore[assignment]
        yield made
        made._executor.hand_over(Work())


def another(rng: np.random.Generator, value: Any) -> Any:
    if isinstance(value, bool):
        return bool(rng.integers(2))
    if isinstance(value, Enum):
        return pick(rng, list(type(value)))
    return int(rng.choice([0, 1, 3])) if isinstance(value, int) else float(rng.choice(NUMBERS))


def pick(rng: np.random.Generator, items: Sequence[Any]) -> Any:
    return items[int(rng.integers(len(items)))]


def two_of(rng: np.random.Generator, count: int) -> list[int]:
    found: list[int] = rng.permutation(count)[:2].tolist()
    return found


def rasterizer(rng: np.random.Generator) -> RasterizerState:
    fields = [f for f in dataclasses.fields(RasterizerState) if f.name != "rasterizer_discard" and rng.random() < 0.3]
    found: dict[str, Any] = {f.name: another(rng, f.default) for f in fields}
    if rng.random() < 0.5:
        found["fill_front"] = found["fill_back"] = PolygonMode.FILL
    return RasterizerState(**found)


def blend(rng: np.random.Generator) -> BlendState:
    factors = [f for f in BlendFactor if f.name in ("ONE", "SRC_ALPHA", "DST_COLOR", "ZERO")]
    target = RenderTargetBlend(blend_enable=bool(rng.integers(2)), rgb_dst_factor=pick(rng, factors), colormask=pick(rng, [15, 15, 3, 0]))
    return BlendState((target,), alpha_to_coverage=bool(rng.integers(2)), alpha_to_one=bool(rng.integers(2)))


def depth_stencil(rng: np.random.Generator) -> DepthStencilAlphaState:
    depth = DepthState(bool(rng.integers(2)), bool(rng.integers(2)), pick(rng, list(CompareFunc)), bounds_max=float(rng.random()))
    faces = tuple(StencilState(enabled=bool(rng.integers(2)), zpass_op=pick(rng, list(StencilOp))) for _ in range(2))
    alpha = AlphaState(bool(rng.integers(2)), pick(rng, list(CompareFunc)), float(rng.random()))
    return DepthStencilAlphaState(depth=depth, stencil=faces, alpha=alpha)  # type: ignore[arg-type]


def framebuffers() -> list[Framebuffer]:
    one, other = make_surface(Format.R8G8B8A8_UNORM, SIZE, SIZE), make_surface(Format.R16G16B16A16_FLOAT, SIZE, SIZE)
    fixed, floats = make_surface(Format.Z24_UNORM_S8_UINT, SIZE, SIZE), make_surface(Format.Z32_FLOAT, SIZE, SIZE)
    return [
        Framebuffer(SIZE, SIZE, (one,)),
        Framebuffer(SIZE, SIZE, (one, other), fixed),
        Framebuffer(SIZE, SIZE, (other, None), floats, layers=3),
        Framebuffer(SIZE, SIZE, (dataclasses.replace(one, samples=4),), dataclasses.replace(fixed, samples=4), samples=4),
    ]


def record_of(address: int) -> Draw:
    """A copy of a record without what belongs to one frame."""
    d = Draw.from_buffer_copy(ctypes.string_at(address, ctypes.sizeof(Draw)))
    d.assembly.indices = d.layers.views = 0
    for a in range(d.fetch.num_attributes):
        d.fetch.attribute[a] *= d.fetch.limit[a] > 0
    return d


@pytest.mark.parametrize("seed", range(4))
def test_composed_templates_have_the_records_of_draws_made_alone(canvas: Canvas, seed: int) -> None:
    rng, executor, state = np.random.default_rng(seed), canvas._executor, DrawState()
    half = ViewportState((SIZE / 2, SIZE / 2, 0.5), (SIZE / 2, SIZE / 2, 0.5))
    formats = [Format.R32G32B32A32_FLOAT, Format.R8G8B8A8_UNORM]
    several = tuple(VertexElement(4 * k, f, instance_divisor=k) for k, f in enumerate(formats))
    pools: dict[str, list[Any]] = {
        "rasterizer": [rasterizer(rng) for _ in range(4)],
        "blend": [blend(rng) for _ in range(2)],
        "depth_stencil_alpha": [depth_stencil(rng) for _ in range(2)],
        "vertex_elements": [(VertexElement(0, formats[0]),), several],
        "sample_mask": [0xFFFFFFFF, 0xFFFFFFFF, 5],
        "min_samples": [0, 0, 4],
        "sample_locations": [None, None, (0x24, 0x88, 0xF1, 0x3C)],
        "count_samples": [False, True],
        "count_statistics": [False, False, True],
        "viewports": [(half,), (half,), ()],
        "scissors": [(), (ScissorState(1, 1, 9, 9),)],
        "clip_planes": [(), ((1.0, 0.0, 0.0, 1.0),)],
        "polygon_stipple": [None, (0xF0F0F0F0,) * 32],
        "window_rectangles": [(False, ()), (True, (ScissorState(0, 0, 9, 9),))],
    }
    targets, vertex, fragment = (two_of(rng, n) for n in (4, len(VERTEX), len(FRAGMENT)))
    kinds, modes = framebuffers(), [Prim.TRIANGLES, Prim(pick(rng, sorted(TOPOLOGIES)))]
    state.vertex_buffers = (canvas.vertex_buffer(np.zeros((40, 4), np.float32)),)
    compared = 0
    for number in range(DRAWS):
        for place, (name, pool) in enumerate(pools.items()):
            if rng.random() < (0.5 if place < 4 else 0.01) or not number:
                setattr(state, name, pick(rng, pool))
        if number % 4 == 0:
            executor.hand_over(Work())
            canvas.set_framebuffer(kinds[pick(rng, targets)])
            state.bind(Processor.VERT, shader(VERTEX[pick(rng, vertex)]))
            state.bind(Processor.FRAG, shader(FRAGMENT[pick(rng, fragment)]))
        info = DrawInfo(mode=pick(rng, modes), count=pick(rng, [4, 7, 12, 40]), instance_count=pick(rng, [1, 1, 9]))
        before = executor.record.num_spans
        is_known, packet = canvas._draw_known(state, info), canvas._maker.writer.write(state, info, canvas._passes.framebuffer)
        if not is_known:
            assert packet is None or not packet.primitives or state.rasterizer.line_stipple_enable
            continue
        if packet is None:
            assert executor.record.num_spans == before
            continue
        if executor.record.num_spans == before:  # without a pixel, known draws skip parts that would only count
            continue
        made, wanted = record_of(executor._spans[before].draw), record_of(packet.address)
        groups = [row[0] for row in Draw._fields_]
        differing = [name for name in groups if bytes(getattr(made, name)) != bytes(getattr(wanted, name))]
        assert differing == []
        compared += 1
    assert compared > DRAWS // 4
    assert executor.record.templates_composed > 1.1 * executor.templates_made > 0
    assert_fields_have_one_step(executor)


def assert_fields_have_one_step(executor: Executor) -> None:
    parts = {part.address: part for part in executor._parts._parts.values()}
    for address, _ in executor._table._entries():
        runs = [run for part in Block.from_address(address).parts if part for run in parts[part]._runs]
        places = [run.offset // 4 + k for run in runs for k in range(run.words)]
        assert len(places) == len(set(places))
