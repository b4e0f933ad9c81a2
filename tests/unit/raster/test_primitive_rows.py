"""Primitive rows: outputs of a mesh program that exist once per primitive, drawn from packets that are placed by hand.

Most pictures are compared with those of a vertex shader whose vertices belong to one primitive each and carry its values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.device.framebuffer import Framebuffer, Surface
from backends.device.region import aligned
from backends.formats import Format
from backends.pipe.enums import Face, PolygonMode, Prim
from backends.pipe.state import RasterizerState, ViewportState
from tests.unit.raster.canvas import ADD, LESS, RGBA32F, Canvas, changed, shader
from tests.unit.raster.triangles import random_triangles
from tgsi.language.facts.enums import Processor

pytestmark = pytest.mark.light

Array = NDArray[Any]
ROWS = {Prim.POINTS: 1, Prim.LINES: 2, Prim.TRIANGLES: 3}


def mesh(vertex: str, primitive: str) -> str:
    """A mesh program with these outputs (semantics, separated by blanks) per vertex, and per primitive."""
    text = "MESH\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
    text += "PROPERTY MS_MAX_OUTPUT_VERTICES 3\nPROPERTY MS_MAX_OUTPUT_PRIMITIVES 1\n"
    names = [*vertex.split(), *(f"{name}, PRIMITIVE" for name in primitive.split())]
    return text + "".join(f"DCL OUT[][{k}], {name}\n" for k, name in enumerate(names)) + "END\n"


def per_vertex(outputs: str) -> str:
    """A vertex shader that copies its inputs to these outputs; integers come as floats with the same bits."""
    names = outputs.split()
    declared = "".join(f"DCL IN[{k}]\nDCL OUT[{k}], {name}\n" for k, name in enumerate(names))
    return "VERT\n" + declared + "".join(f"MOV OUT[{k}], IN[{k}]\n" for k in range(len(names))) + "END\n"


def reader(*inputs: str) -> str:
    """A fragment shader that writes the sum of its inputs, each a semantic with its interpolation."""
    text = "FRAG\n" + "".join(f"DCL IN[{k}], {name}\n" for k, name in enumerate(inputs)) + "DCL OUT[0], COLOR\nDCL TEMP[0]\n"
    text += "MOV TEMP[0], IN[0]\n" + "".join(f"ADD TEMP[0], TEMP[0], IN[{k}]\n" for k in range(1, len(inputs)))
    return text + "MOV OUT[0], TEMP[0]\nEND\n"


def draw_rows(canvas: Canvas, last: str, fs: str, vertices: Array, corners: Array, rows: Array, **changes: Any) -> None:
    """Draw primitives of shape (primitives, corners) from vertices (vertices, registers, 4) and rows (primitives, registers, 4)."""
    state = changed(canvas.state, **changes)
    state.bind(Processor.FRAG, shader(fs))
    mode = next(mode for mode, count in ROWS.items() if count == corners.shape[1])
    maker, numbers = canvas._maker, np.arange(len(corners), dtype=np.int32)
    template = maker.make_stored(state, shader(last), mode, len(corners), canvas._passes.framebuffer)
    assert template is not None
    memory = [canvas.memory(part) for part in (vertices.astype("f4"), corners.astype("u4"), numbers, rows.astype("f4"))]
    for part in memory:
        maker.region.keep(part.keepalive)
    at = [part.address for part in memory]
    canvas.enqueue(maker.place_stored(template, at[0], at[1], at[2], len(corners), rows=at[3], row_size=16 * rows.shape[1]))


def draw_flat(canvas: Canvas, vs: str, fs: str, position: Array, rows: Array, mode: Prim, **changes: Any) -> None:
    """Draw primitives of shape (primitives, corners, 4) whose vertices carry the registers `rows` (primitives, registers, 4)."""
    corners = position.shape[1]
    arrays = [position.reshape(-1, 4), *(np.repeat(rows[:, k], corners, 0) for k in range(rows.shape[1]))]
    canvas.draw_arrays(vs, fs, [a.astype("f4") for a in arrays], mode, **changes)


def shuffled(position: Array, seed: int = 4) -> tuple[Array, Array]:
    """The vertices of primitives (primitives, corners, 4) in another order, as (vertices, 1, 4); and the numbers of the corners."""
    flat = position.reshape(-1, 4)
    order = np.random.default_rng(seed).permutation(len(flat))
    numbers = np.empty(len(flat), np.uint32)
    numbers[order] = np.arange(len(flat))
    return flat[order][:, None], numbers.reshape(position.shape[:2])


def scattered(kinds: tuple[str, ...], count: int) -> Array:
    """Positions of primitives of several kinds, in mixed order."""
    found = np.concatenate([random_triangles(kind, count, 9) for kind in kinds])
    return found[np.random.default_rng(2).permutation(len(found))]


MESH, VERTEX = mesh("POSITION", "PRIMITIVE_INDICES GENERIC[3] GENERIC[0]"), per_vertex("POSITION GENERIC[3] GENERIC[0]")
BOTH = reader("GENERIC[3], CONSTANT", "GENERIC[0], CONSTANT")


def rows_of(count: int, registers: int = 3) -> Array:
    return np.random.default_rng(6).integers(1, 1000, (count, registers, 4)).astype("f4")


def compared(position: Array, mode: Prim, options: dict[str, Any] | None = None, **changes: Any) -> tuple[Array, Array]:
    """The pictures of the same primitives with rows, and with values in their vertices. Pixels are sums of all that is drawn there."""
    rows, changes = rows_of(len(position)), {"blend": ADD, **changes}
    pictures = []
    for is_mesh in (True, False):
        with Canvas(150, 100, color=(RGBA32F,), **(options or {})) as canvas:
            canvas.wipe()
            if is_mesh:
                draw_rows(canvas, MESH, BOTH, *shuffled(position), rows, **changes)
            else:
                draw_flat(canvas, VERTEX, BOTH, position, rows[:, 1:], mode, **changes)
            pictures.append(canvas.values())
    return pictures[0], pictures[1]


# -- values -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kinds", [("small", "medium"), ("grid", "sliver"), ("near", "huge", "off")])
def test_fragments_read_the_row_of_their_triangle(kinds: tuple[str, ...]) -> None:
    mine, other = compared(scattered(kinds, 700), Prim.TRIANGLES)
    assert len(np.unique(mine[..., 0])) > 20
    assert np.array_equal(mine, other)


@pytest.mark.parametrize("mode", [Prim.POINTS, Prim.LINES])
@pytest.mark.parametrize(
    "state", [{}, {"point_size": 5.0, "line_width": 3.0}, {"point_smooth": True, "line_smooth": True, "point_size": 4.0, "line_width": 2.5}]
)
def test_fragments_read_the_row_of_their_point_or_line(mode: Prim, state: dict[str, Any]) -> None:
    position = scattered(("medium", "near", "off"), 400)[:, : ROWS[mode]]
    mine, other = compared(position, mode, rasterizer=RasterizerState(**state))
    assert len(np.unique(mine[..., 0])) > 20
    assert np.array_equal(mine, other)


@pytest.mark.parametrize("fill", [PolygonMode.LINE, PolygonMode.POINT])
@pytest.mark.parametrize("changes", [{}, {"offset_line": True, "offset_point": True, "offset_units": 2.0}, {"line_stipple_enable": True}])
def test_outlines_read_the_row_of_their_triangle(fill: PolygonMode, changes: dict[str, Any]) -> None:
    state = RasterizerState(fill_front=fill, line_width=2.0, point_size=3.0, cull_face=Face.NONE, line_stipple_pattern=0x0FF3, **changes)
    mine, other = compared(scattered(("medium", "near"), 150), Prim.TRIANGLES, rasterizer=state)
    assert len(np.unique(mine[..., 0])) > 20
    assert np.array_equal(mine, other)


def test_rows_do_not_depend_on_batches_arenas_threads_and_lanes() -> None:
    position, pictures = scattered(("small", "medium", "near"), 900), set()
    settings: list[dict[str, Any]] = [
        {},
        {"batch": 64, "window": 3},
        {"batch": 700, "arena": 1},
        {"threads": 2, "batch": 100},
        *({"lanes": lanes, "setup_lanes": min(lanes, 32)} for lanes in (8, 16, 32, 64)),
    ]
    for options in settings:
        mine, other = compared(position, Prim.TRIANGLES, options)
        assert np.array_equal(mine, other), options
        pictures.add(mine.tobytes())
    assert len(pictures) == 1


def test_a_vertex_that_primitives_share_takes_the_row_of_each() -> None:
    """A fan of triangles around one vertex, one color each."""
    angles = np.linspace(0, 2 * np.pi, 9)[:-1] + 0.1
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles, 1 + 0 * angles], 1) * (0.9, 0.9, 1, 1)
    vertices = np.concatenate([[[0, 0, 0, 1]], ring])[:, None]
    corners = np.array([(0, k + 1, (k + 1) % 8 + 1) for k in range(8)])
    rows = np.zeros((8, 3, 4))
    rows[:, 2] = np.arange(1, 9)[:, None]
    with Canvas(64, 64, color=(RGBA32F,)) as canvas:
        canvas.wipe()
        draw_rows(canvas, MESH, reader("GENERIC[0], CONSTANT"), vertices, corners, rows)
        shown = canvas.values()[..., 0]
    middle = angles + np.pi / 8
    assert [shown[int(32 + 16 * np.sin(a)), int(32 + 16 * np.cos(a))] for a in middle] == list(range(1, 9))


@pytest.mark.parametrize("interpolation", ["PERSPECTIVE", "LINEAR", "COLOR"])
def test_an_input_that_is_declared_to_vary_has_the_exact_value_of_the_row(interpolation: str) -> None:
    position, rows = scattered(("medium",), 60), rows_of(60) / 7
    pictures = []
    for how in (interpolation, "CONSTANT"):
        with Canvas(64, 64, color=(RGBA32F,)) as canvas:
            canvas.wipe()
            draw_rows(canvas, MESH, reader(f"GENERIC[3], {how}"), *shuffled(position), rows)
            pictures.append(canvas.values())
    assert np.array_equal(pictures[0], pictures[1])
    assert set(np.unique(pictures[0][..., 1])) <= {0.0, *rows[:, 1, 1].astype("f4").tolist()}


def test_values_of_vertices_and_of_rows_meet_in_one_shader() -> None:
    """GENERIC[1] varies over each triangle; GENERIC[0] comes from the row."""
    position, rows = scattered(("medium", "near"), 200), rows_of(400, 2)
    colors = np.random.default_rng(8).uniform(0, 1, (len(position) * 3, 4)).astype("f4")
    last, fs = mesh("GENERIC[1] POSITION", "GENERIC[7] GENERIC[0]"), reader("GENERIC[1], PERSPECTIVE", "GENERIC[0], CONSTANT")
    pictures = []
    for is_mesh in (True, False):
        with Canvas(100, 80, color=(RGBA32F,)) as canvas:
            canvas.wipe()
            flat = position.reshape(-1, 4)
            if is_mesh:
                draw_rows(canvas, last, fs, np.stack([colors, flat], 1), np.arange(len(flat)).reshape(-1, 3), rows)
            else:
                canvas.draw_arrays(per_vertex("POSITION GENERIC[1] GENERIC[0]"), fs, [flat, colors, np.repeat(rows[:, 1], 3, 0)])
            pictures.append(canvas.values())
    assert len(np.unique(pictures[0][..., 0])) > 1000
    assert np.array_equal(pictures[0], pictures[1])


def test_a_point_s_sprite_coordinate_replaces_the_row() -> None:
    position, rows = np.array([[[0, 0, 0, 1]]], "f4"), np.full((1, 3, 4), 50.0)
    state = RasterizerState(point_size=8.0, sprite_coord_enable=1)
    with Canvas(16, 16, color=(RGBA32F,)) as canvas:
        canvas.wipe()
        draw_rows(canvas, MESH, reader("GENERIC[0], CONSTANT"), *shuffled(position), rows, rasterizer=state)
        replaced = canvas.values()
        draw_rows(canvas, MESH, reader("GENERIC[3], CONSTANT"), *shuffled(position), rows, rasterizer=state)
        kept = canvas.values()
    assert replaced[8, 4:12, 0].tolist() == [(k + 0.5) / 8 for k in range(8)]
    assert kept[4:12, 4:12].min() == 50.0


@pytest.mark.parametrize("front_ccw", [False, True])
def test_colors_of_rows_have_two_sides_and_are_clamped(front_ccw: bool) -> None:
    position = np.array([[[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]]], "f4")
    rows = np.array([[[0.25, 7, -2, 1], [0.5, -7, 2, 1]]])
    state = RasterizerState(front_ccw=front_ccw, light_twoside=True, clamp_vertex_color=True)
    with Canvas(8, 8, color=(RGBA32F,)) as canvas:
        canvas.wipe()
        draw_rows(canvas, mesh("POSITION", "COLOR BCOLOR"), reader("COLOR, COLOR"), *shuffled(position), rows, rasterizer=state)
        seen = canvas.values()[3, 3].tolist()
    assert seen == ([0.5, 0, 1, 1] if front_ccw else [0.25, 1, 0, 1])


def test_the_template_of_a_packet_is_made_once_and_placed_often() -> None:
    position = scattered(("small",), 40)
    rows = rows_of(40)
    with Canvas(64, 64, color=(RGBA32F,)) as canvas:
        canvas.wipe()
        for frame in range(2):
            for part in range(4):
                some = slice(10 * part, 10 * part + 10)
                draw_rows(canvas, MESH, BOTH, *shuffled(position[some]), rows[some] + frame)
            canvas.flush()
        mine = canvas.values()
    with Canvas(64, 64, color=(RGBA32F,)) as canvas:
        canvas.wipe()
        draw_flat(canvas, VERTEX, BOTH, position, rows[:, 1:] + 1, Prim.TRIANGLES)
        assert np.array_equal(mine, canvas.values())


# -- layers and viewports ---------------------------------------------------------------------------------------------------
SIZE = 48
VIEWS = tuple(ViewportState((24 - 3 * k, 20 + k, 0.4), (20 + k, 22 - k, 0.5)) for k in range(16))


class Layered(Canvas):
    """Canvas whose color target has several layers."""

    def __init__(self, layers: int, **options: Any) -> None:
        super().__init__(SIZE, SIZE, color=(RGBA32F,), **options)
        row = 64 * 16 + 64
        memory = aligned(row * 64 * layers)
        surface = Surface(memory.ctypes.data, row, RGBA32F, SIZE, SIZE, layers=layers, layer_stride=row * 64, keepalive=memory)
        self.shown = memory.reshape(layers, 64, row)
        self.set_framebuffer(Framebuffer(SIZE, SIZE, (surface,), layers=layers))
        self.state.viewports = VIEWS
        self.wipe()

    def layers(self) -> Array:
        """Pixels of all layers, of shape (layers, height, width, 4)."""
        self.flush()
        return self.shown[:, :SIZE, : SIZE * 16].copy().view(np.float32).reshape(len(self.shown), SIZE, SIZE, 4)


def integers(values: Array) -> Array:
    """Integers as floats with the same bits, in x of registers."""
    found = np.zeros((len(values), 4), np.int32)
    found[:, 0] = values
    return found.view(np.float32)


@pytest.mark.parametrize("mode", list(ROWS))
@pytest.mark.parametrize("names", ["LAYER", "VIEWPORT_INDEX", "LAYER VIEWPORT_INDEX"])
@pytest.mark.parametrize("layers", [1, 5])
def test_primitives_go_to_the_layer_and_the_viewport_of_their_row(mode: Prim, names: str, layers: int) -> None:
    rng = np.random.default_rng(1)
    position = scattered(("small", "medium", "near"), 120)[:, : ROWS[mode]]
    count = len(position)
    named = {"LAYER": rng.integers(-1, 7, count), "VIEWPORT_INDEX": rng.integers(-1, 18, count)}
    rows = np.stack([rows_of(count, 1)[:, 0], *(integers(named[name]) for name in names.split())], 1)
    fs, state = reader("GENERIC[0], CONSTANT"), RasterizerState(point_size=3.0, line_width=2.0)
    pictures = []
    for options in ({}, {"batch": 50, "threads": 1}, {"lanes": 8, "arena": 1, "batch": 100}):
        with Layered(layers, **options) as canvas:
            draw_rows(canvas, mesh("POSITION", f"GENERIC[0] {names}"), fs, *shuffled(position), rows, rasterizer=state)
            pictures.append(canvas.layers())
    with Layered(layers) as canvas:
        draw_flat(canvas, per_vertex(f"POSITION GENERIC[0] {names}"), fs, position, rows, mode, rasterizer=state)
        other = canvas.layers()
    assert all(layer.any() for layer in other) or "LAYER" not in names.split()
    assert other.any()
    for mine in pictures:
        assert np.array_equal(mine, other)


def test_the_number_in_place_of_a_viewport_mask_decides() -> None:
    """The step that repeats a primitive for each bit of its VIEWPORT_MASK leaves the number of the viewport there."""
    position, names = scattered(("medium",), 50), "GENERIC[0] VIEWPORT_MASK VIEWPORT_INDEX"
    number = np.random.default_rng(1).integers(0, 16, 50)
    rows = np.stack([rows_of(50, 1)[:, 0], integers(number), integers(np.full(50, 3))], 1)
    with Layered(1) as canvas:
        draw_rows(canvas, mesh("POSITION", names), reader("GENERIC[0], CONSTANT"), *shuffled(position), rows)
        mine = canvas.layers()
    with Layered(1) as canvas:
        vs = per_vertex("POSITION GENERIC[0] VIEWPORT_INDEX")
        draw_flat(canvas, vs, reader("GENERIC[0], CONSTANT"), position, rows[:, :2], Prim.TRIANGLES)
        assert np.array_equal(mine, canvas.layers())


@pytest.mark.parametrize("fill", [PolygonMode.LINE, PolygonMode.POINT])
def test_outlines_go_to_the_layer_and_the_viewport_of_their_row(fill: PolygonMode) -> None:
    rng = np.random.default_rng(1)
    position = scattered(("medium", "near"), 40)
    rows = np.stack([rows_of(80, 1)[:, 0], integers(rng.integers(0, 4, 80)), integers(rng.integers(0, 16, 80))], 1)
    fs, names = reader("GENERIC[0], CONSTANT"), "GENERIC[0] LAYER VIEWPORT_INDEX"
    state = RasterizerState(fill_front=fill, fill_back=fill, offset_line=True, offset_units=1.0, point_size=3.0)
    with Layered(4) as canvas:
        draw_rows(canvas, mesh("POSITION", names), fs, *shuffled(position), rows, rasterizer=state)
        mine = canvas.layers()
    with Layered(4) as canvas:
        draw_flat(canvas, per_vertex(f"POSITION {names}"), fs, position, rows, Prim.TRIANGLES, rasterizer=state)
        other = canvas.layers()
    assert all(layer.any() for layer in other)
    assert np.array_equal(mine, other)


def test_fragments_see_layer_and_viewport_as_the_row_names_them() -> None:
    fs = "FRAG\nDCL IN[0], LAYER, CONSTANT\nDCL IN[1], VIEWPORT_INDEX, CONSTANT\nDCL OUT[0], COLOR\n"
    fs += "I2F OUT[0].x, IN[0].xxxx\nI2F OUT[0].yzw, IN[1].xxxx\nEND\n"
    position = np.array([[[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]]], "f4")
    rows = np.stack([integers(np.array([77])), integers(np.array([33]))], 1)
    with Layered(3) as canvas:
        draw_rows(canvas, mesh("POSITION", "LAYER VIEWPORT_INDEX"), fs, *shuffled(position), rows)
        assert canvas.layers()[:, 20, 20, :2].tolist() == [[0, 0], [0, 0], [77, 33]]


def test_a_depth_buffer_decides_between_rows() -> None:
    position, rows, pictures = scattered(("medium",), 300), rows_of(300), []
    for is_mesh in (True, False):
        with Canvas(64, 64, color=(RGBA32F,), depth=Format.Z32_FLOAT) as canvas:
            canvas.wipe()
            if is_mesh:
                draw_rows(canvas, MESH, BOTH, *shuffled(position), rows, depth_stencil_alpha=LESS)
            else:
                draw_flat(canvas, VERTEX, BOTH, position, rows[:, 1:], Prim.TRIANGLES, depth_stencil_alpha=LESS)
            pictures.append(canvas.values())
    assert np.array_equal(pictures[0], pictures[1])
