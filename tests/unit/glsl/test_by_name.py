"""Textures and vertices by the names of GLSL; matrices of PyGLM; interfaces as text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tgsi
from linkage.dump import show
from tests.unit.glsl.glslang import needs_glslang
from tgsi import gallium as g

pytestmark = needs_glslang

VERTEX = """#version 330 core
in float unused; in vec2 place; in mat4 turn; in vec4 tint;
out vec4 v_tint;
void main() { gl_Position = turn * vec4(place, 0.0, 1.0); v_tint = tint; }
"""
FRAGMENT = """#version 330 core
uniform sampler2D map; uniform sampler2D others[2]; uniform sampler2DShadow shadow;
in vec4 v_tint;
out vec4 color;
void main() {
    vec4 other = texture(others[1], vec2(0.5)) * texture(shadow, vec3(0.5, 0.5, 0.25));
    color = v_tint * texture(map, vec2(0.5)) + texture(others[0], vec2(0.5)) + other;
}
"""
CORNERS = np.array([[-1, -1], [3, -1], [-1, 3]], np.float32)


@pytest.fixture
def ctx() -> Iterator[g.Context]:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as context:
        target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=4, height0=4)
        context.set_framebuffer_state(cbufs=[target])
        context.set_viewport_states([{"scale": (2, 2, 0.5), "translate": (2, 2, 0.5)}])
        context.bind_vs_state(context.create_vs_state(VERTEX))
        context.bind_fs_state(context.create_fs_state(FRAGMENT))
        yield context


def screen_of(ctx: g.Context) -> g.Screen:
    assert isinstance(ctx.screen, g.Screen)
    return ctx.screen


def plain(ctx: g.Context, *color: float) -> g.Resource:
    return screen_of(ctx).texture_from(np.full((2, 2, len(color)), color, np.float32))


def drawn(ctx: g.Context) -> list[float]:
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    target = ctx.targets.cbufs[0]
    assert target is not None
    pixels = target.texture.pixels()
    assert (pixels == pixels[0, 0]).all()
    return list(pixels[0, 0].tolist())


def textures(ctx: g.Context) -> dict[str, object]:
    depth = screen_of(ctx).texture_from(np.full((2, 2), 0.5, np.float32), format="Z32_FLOAT")
    return {"map": plain(ctx, 1, 2, 3, 4), "others": [plain(ctx, 8, 8, 8, 8), plain(ctx, 16, 0, 0, 0)], "shadow": depth}


def test_vertices_and_textures_meet_the_shader_by_name(ctx: g.Context) -> None:
    eyes = np.tile(np.eye(4, dtype=np.float32), (3, 1, 1))
    ctx.set_vertices({"tint": np.full((3, 4), 2, np.float32), "place": CORNERS, "spare": CORNERS, "turn": eyes})
    ctx.set_textures(textures(ctx))
    assert drawn(ctx) == [2 + 8 + 16, 4 + 8, 6 + 8, 8 + 8]


def test_a_structured_array_gives_the_same_vertices(ctx: g.Context) -> None:
    vertices = np.zeros(3, [("tint", "f4", 4), ("place", "f4", 2), ("turn", "f4", (4, 4))])
    vertices["tint"], vertices["place"], vertices["turn"] = 2, CORNERS, np.eye(4)
    ctx.set_vertices(vertices)
    ctx.set_textures(textures(ctx))
    assert drawn(ctx) == [2 + 8 + 16, 4 + 8, 6 + 8, 8 + 8]


def test_columns_of_a_matrix_are_rows_of_the_vertex(ctx: g.Context) -> None:
    moved = np.eye(4, dtype=np.float32)
    moved[3, 0] = 100  # GLSL's fourth column moves every corner out of sight
    ctx.set_vertices({"tint": np.ones((3, 4), np.float32), "place": CORNERS, "turn": np.tile(moved, (3, 1, 1))})
    ctx.set_textures(textures(ctx))
    assert drawn(ctx) == [0, 0, 0, 0]


def test_a_view_or_a_sampler_may_be_given_with_a_texture(ctx: g.Context) -> None:
    eyes = np.tile(np.eye(4, dtype=np.float32), (3, 1, 1))
    ctx.set_vertices({"tint": np.ones((3, 4), np.float32), "place": CORNERS, "turn": eyes})
    halves = screen_of(ctx).texture_from(np.array([[0, 1], [0, 1]], np.float32))
    ctx.set_textures(textures(ctx) | {"others": [], "map": halves})
    assert drawn(ctx)[0] == 0.5  # linear
    ctx.set_textures({"map": (halves, {"mag_img_filter": "NEAREST"})})
    assert drawn(ctx)[0] == 1
    nearest = ctx.create_sampler_state(mag_img_filter="NEAREST")
    ctx.set_textures({"map": (ctx.create_sampler_view(halves, swizzle="1x0x"), nearest)})
    assert drawn(ctx)[:3] == [1, 1, 0]
    ctx.set_textures({"map": halves})
    assert drawn(ctx)[0] == 0.5


def test_wrong_names_and_values_are_named_and_nothing_is_set(ctx: g.Context) -> None:
    given = textures(ctx)
    for values, error, message in [
        ({**given, "mapp": given["map"]}, ValueError, "'mapp' is not a sampler that a bound shader uses; did you mean 'map'"),
        (
            {"map": np.zeros((2, 2))},
            TypeError,
            "set_textures: map: expected a texture or a sampler view, alone or in a pair",
        ),
        ({"others": given["map"]}, TypeError, "set_textures: others: expected a sequence of up to 2 textures"),
        ([given["map"]], TypeError, "expected a mapping of names to textures, not list"),
    ]:
        with pytest.raises(error, match=message):
            ctx.set_textures(values)  # type: ignore[arg-type]
    eyes, tint = np.tile(np.eye(4, dtype=np.float32), (3, 1, 1)), np.ones((3, 4), np.float32)
    for vertices, error, message in [
        ({"place": CORNERS, "turn": eyes}, ValueError, "the vertex shader reads vec4 tint, which no vertex has"),
        ({"place": CORNERS.astype(float), "turn": eyes, "tint": tint}, TypeError, r"place: .* not float64; .*astype\(numpy.float32\)"),
        ({"place": CORNERS, "turn": eyes[:, 0], "tint": tint}, ValueError, "mat4 turn: expected 4 rows of each vertex, not 1"),
        ({"place": CORNERS[:2], "turn": eyes, "tint": tint}, ValueError, "the arrays differ in length: place 2, turn 3, tint 3"),
        (CORNERS, TypeError, "expected an array with named fields, or a mapping of names to arrays, not ndarray"),
    ]:
        with pytest.raises(error, match=message):
            ctx.set_vertices(vertices)
    ctx.bind_vs_state(ctx.create_vs_state("VERT\nDCL OUT[0], POSITION\nMOV OUT[0], OUT[0]\nEND\n"))
    with pytest.raises(ValueError, match="TGSI, which has no names"):
        ctx.set_vertices({"place": CORNERS})


def test_a_texture_that_cannot_be_bound_leaves_all_others_as_they_were(ctx: g.Context) -> None:
    eyes = np.tile(np.eye(4, dtype=np.float32), (3, 1, 1))
    ctx.set_vertices({"tint": np.ones((3, 4), np.float32), "place": CORNERS, "turn": eyes})
    ctx.set_textures(textures(ctx))
    before, other = drawn(ctx), screen_of(ctx).context_create()
    gone, ended = ctx.create_sampler_view(plain(ctx, 1, 1, 1, 1)), ctx.create_sampler_state()
    ctx.sampler_view_destroy(gone)
    ctx.destroy_sampler_state(ended)
    texture = plain(ctx, 9, 9, 9, 9)
    for wrong in (gone, other.create_sampler_view(texture), (texture, ended), (texture, other.create_sampler_state()), (texture, 7)):
        with pytest.raises((TypeError, ValueError), match="set_textures: "):
            ctx.set_textures({"map": texture, "others": [texture, wrong]})
        assert drawn(ctx) == before
    other.destroy()


TYPED = """#version 430
layout(location = 0) in vec2 place; layout(location = 1) in TYPE a;
out vec4 v;
void main() { gl_Position = vec4(place, 0.0, 1.0); v = vec4(a); }
"""


@pytest.mark.parametrize(
    ("kind", "numbers", "taken"),
    [
        ("vec4", "int32", False),
        ("vec4", "uint32", False),
        ("vec4", "bool", False),
        ("vec4", "float16", True),
        ("ivec4", "float32", False),
        ("ivec4", "int8", True),
        ("uvec4", "uint16", True),
        ("ivec4", "int32", True),
        ("dvec4", "float32", False),
        ("dvec4", "float64", True),
        ("dvec3", "float64", True),
        ("double", "float64", True),
    ],
)
def test_vertices_have_the_numbers_of_their_input_or_are_refused(ctx: g.Context, kind: str, numbers: str, taken: bool) -> None:
    size = int(kind[-1]) if kind[-1].isdigit() else 1
    wide = TYPED.replace("TYPE", kind).replace("vec4(a)", "vec4(a, 1.0)" if size == 3 else "vec4(a)")
    ctx.bind_vs_state(ctx.create_vs_state(wide))
    ctx.bind_fs_state(ctx.create_fs_state("#version 430\nin vec4 v; out vec4 color;\nvoid main() { color = v; }"))
    vertices = {"place": CORNERS, "a": np.tile(np.array([3, 2, 5, 1][:size], numbers), (3, 1))}
    if taken:
        ctx.set_vertices(vertices)
        assert drawn(ctx) == ([3, 3, 3, 3] if size == 1 else [3, 2, 5, 1])
    else:
        with pytest.raises(TypeError, match=rf"set_vertices: {kind} a: expected \w+, not {numbers}; convert the array with .astype"):
            ctx.set_vertices(vertices)


def test_a_matrix_of_pyglm_is_the_matrix_that_it_prints() -> None:
    glm = pytest.importorskip("pyglm.glm")
    program = tgsi.compile("uniform mat4 m; uniform mat4x3 n; uniform vec3 v; uniform mat4 two[2]; attribute vec4 p;\n"
        "void main() { gl_Position = m * p + vec4(n * p + v, 0) + two[1] * p; }", stage="vert")  # fmt: skip
    assert program.interface is not None
    block = program.interface.uniforms
    assert block is not None
    matrix = glm.translate(glm.mat4(1), glm.vec3(1, 2, 3))
    rows = np.eye(4)
    rows[:3, 3] = 1, 2, 3
    given = {"m": matrix, "n": glm.mat4x3(matrix), "v": glm.vec3(4, 5, 6), "two": [matrix, matrix]}
    assert block.pack(given) == block.pack({"m": rows, "n": rows[:3], "v": [4, 5, 6], "two": [rows, rows]})


def test_an_interface_prints_a_line_for_each_name() -> None:
    text = str(tgsi.compile(VERTEX, stage="vert").interface)
    assert text == "in vec2 place (location 1)\nin mat4 turn (location 2)\nin vec4 tint (location 6)\nout vec4 v_tint"
    lines = str(tgsi.compile(FRAGMENT, stage="frag").interface).splitlines()
    assert "uniform sampler2D others[2] (unit 1)" in lines
    assert "uniform sampler2DShadow shadow (unit 3)" in lines


def test_a_link_that_is_shown_says_the_names_of_values_that_meet_by_name() -> None:
    vertex, fragment = tgsi.compile(VERTEX, stage="vert"), tgsi.compile(FRAGMENT, stage="frag")
    table = tgsi.link(vertex, fragment)
    assert show([table], [vertex, fragment], "link") == f"{table}\nnames: {table.rows[0].semantic} v_tint\n"


def test_a_device_with_few_indices_asks_for_locations_by_the_name_of_the_value() -> None:
    vertex = tgsi.compile("#version 330\nout vec3 normal; void main() { gl_Position = vec4(0); normal = vec3(1); }", stage="vert")
    fragment = tgsi.compile("#version 330\nin vec3 normal; out vec4 c; void main() { c = vec4(normal, 1); }", stage="frag")
    with pytest.raises(tgsi.LinkError, match=r"stages find `normal` by its name.*give it a location in both: layout\(location = 0\)"):
        tgsi.link(vertex, fragment, profile="nv40")
