"""The window of GLSL programs in a Context: y grows toward the upper edge of the picture, whichever row that is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.gallium.tracing.trace_player import Digest, TracePlayer
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.picture import screen

pytestmark = needs_glslang

Array = NDArray[Any]
SIZE = 8
DOWN, UP = -1, 1  # sign of the viewport's scale: row 0 is the upper edge of the picture, or the lower one
SIGNS = pytest.mark.parametrize("sign", [DOWN, UP])
VERTEX = """#version 450
in vec2 corner;
out vec2 uv; out vec3 p;
void main() { uv = corner * 0.5 + 0.5; p = vec3(corner, 0); gl_Position = vec4(corner, 0, 1); }"""
HEAD = "#version 450\nin vec2 uv; in vec3 p; out vec4 c;\n"
TRIANGLE = np.array([[-1, -1], [3, -1], [-1, 3]], np.float32)


def drawn(fragment: Any, sign: int, *, vertex: Any = VERTEX, mode: str = "TRIANGLES", samples: int = 0, **rasterizer: Any) -> Array:
    """Pixels of a draw of one triangle, or of one point in the middle; the row that the viewport shows as the lowest one is the first."""
    return Scene(samples, **rasterizer).draw(fragment, sign, vertex, mode).pixels(sign)


class Scene:
    """A target, and draws into it."""

    def __init__(self, samples: int = 0, trace: Path | None = None, **rasterizer: Any) -> None:
        self.context = screen().context_create() if trace is None else screen().context_create(trace=trace)
        self.target = screen().resource_create(format="R32G32B32A32_FLOAT", width0=SIZE, height0=SIZE, nr_samples=samples)
        self.context.set_framebuffer_state(cbufs=[self.target])
        options = {"front_ccw": True, "half_pixel_center": True, "multisample": samples > 1, **rasterizer}
        self.context.bind_rasterizer_state(self.context.create_rasterizer_state(**options))
        if samples:
            self.context.set_min_samples(samples)

    def draw(self, fragment: Any, sign: int, vertex: Any = VERTEX, mode: str = "TRIANGLES", height: int = SIZE) -> Scene:
        context, half = self.context, height / 2
        context.set_viewport_states([{"scale": (SIZE / 2, sign * half, 0.5), "translate": (SIZE / 2, half, 0.5)}])
        context.bind_vs_state(context.create_vs_state(vertex))
        context.bind_fs_state(context.create_fs_state(fragment))
        context.set_vertices({"corner": TRIANGLE if mode == "TRIANGLES" else np.zeros((1, 2), np.float32)})
        context.draw_vbo(mode=mode, count=3 if mode == "TRIANGLES" else 1)
        return self

    def pixels(self, sign: int) -> Array:
        picture: Array = np.asarray(self.target).reshape(-1, SIZE, SIZE, 4)[0]
        return picture[::sign]


def value(expression: str, sign: int, **options: Any) -> list[float]:
    """An expression of four components at the pixel (3, 3) of the window."""
    return [float(number) for number in drawn(f"{HEAD}void main() {{ c = vec4({expression}); }}", sign, **options)[3, 3]]


@SIGNS
def test_frag_coord_counts_from_the_lower_edge(sign: int) -> None:
    rows = drawn(f"{HEAD}void main() {{ c = gl_FragCoord; }}", sign)
    assert rows[:, 0, 1].tolist() == [row + 0.5 for row in range(SIZE)]
    assert rows[0, :, 0].tolist() == [column + 0.5 for column in range(SIZE)]


@SIGNS
@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("dFdx(gl_FragCoord.x), dFdy(gl_FragCoord.y), dFdyFine(gl_FragCoord.y), dFdyCoarse(gl_FragCoord.y)", [1, 1, 1, 1]),
        ("dFdx(uv) * 8.0, dFdy(uv) * 8.0", [1, 0, 0, 1]),
        ("fwidth(gl_FragCoord.xy), fwidth(uv) * 8.0", [1, 1, 1, 1]),
        ("normalize(cross(dFdx(p), dFdy(p))), 1", [0, 0, 1, 1]),
        ("(interpolateAtOffset(uv, vec2(0.25, 0.125)) - uv) * 8.0, (interpolateAtCentroid(uv) - uv)", [0.25, 0.125, 0, 0]),
        ("gl_FragCoord.xy - uv * 8.0, gl_SamplePosition", [0, 0, 0.5, 0.5]),
    ],
)
def test_values_along_the_window(expression: str, result: list[float], sign: int) -> None:
    assert value(expression, sign) == result


@SIGNS
def test_samples_lie_where_frag_coord_says(sign: int) -> None:
    text = f"""#version 450
sample in vec2 uv; in vec3 p; out vec4 c;
void main() {{ vec2 own = fract(gl_FragCoord.xy); c = vec4(own - gl_SamplePosition, fract(uv * {SIZE}.0) - gl_SamplePosition); }}"""
    picture = drawn(text, sign, samples=4)
    assert np.abs(picture).max() < 1e-5


def test_the_same_sample_lies_on_the_other_side_where_rows_grow_down() -> None:
    text = "vec4(gl_SampleID == 0 ? gl_SamplePosition * 4.0 : vec2(0), 0, 1)"  # the mean of four samples is the place of the first
    down, up = (value(text, sign, samples=4) for sign in (DOWN, UP))
    assert down[0] == up[0]
    assert down[1] == 1 - up[1]
    assert up[1] != 0.5


@SIGNS
@pytest.mark.parametrize(("mode", "first"), [("UPPER_LEFT", 1.0), ("LOWER_LEFT", 0.0)])
def test_point_coord_begins_at_the_edge_that_the_state_names(mode: str, first: float, sign: int) -> None:
    text = "#version 450\nout vec4 c; void main() { c = vec4(gl_PointCoord, 0, 1); }"
    vertex = "#version 450\nin vec2 corner; void main() { gl_Position = vec4(corner, 0, 1); }"
    state = Scene(point_size=float(SIZE), point_quad_rasterization=True, sprite_coord_mode=mode)
    column = state.draw(text, sign, vertex, "POINTS").pixels(sign)[:, 0, 1]
    assert np.allclose(column, np.abs(first - (np.arange(SIZE) + 0.5) / SIZE))


def test_front_faces_are_those_of_the_state_in_the_rows_of_the_target() -> None:
    text = "gl_FrontFacing ? 1.0 : 0.0"
    assert [value(text, sign, front_ccw=sign == DOWN)[0] for sign in (DOWN, UP)] == [1, 1]
    assert [value(text, sign, front_ccw=sign == UP)[0] for sign in (DOWN, UP)] == [0, 0]


@SIGNS
def test_gradients_choose_the_level_that_implicit_derivatives_choose(sign: int) -> None:
    scene = Scene()
    levels = screen().resource_create(format="R32_FLOAT", width0=16, height0=16, last_level=4)
    for level in range(5):
        size = 16 >> level
        scene.context.texture_subdata(levels, level=level, box=(0, 0, 0, size, size, 1), data=np.full((size, size), level, np.float32))
    text = HEAD + "uniform sampler2D s; void main() { c = vec4(texture(s, uv).r, textureGrad(s, uv, dFdx(uv), dFdy(uv)).r, 0, 0); }"
    context = scene.context
    context.set_viewport_states([{"scale": (SIZE / 2, sign * SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}])
    context.bind_vs_state(context.create_vs_state(VERTEX))
    context.bind_fs_state(context.create_fs_state(text))
    state = {"min_img_filter": "NEAREST", "mag_img_filter": "NEAREST", "min_mip_filter": "LINEAR"}
    context.set_textures({"s": (levels, state)})
    context.set_vertices({"corner": TRIANGLE})
    context.draw_vbo(mode="TRIANGLES", count=3)
    assert scene.pixels(sign)[3, 3, :2].tolist() == [1.0, 1.0]


@SIGNS
def test_an_upper_left_origin_moves_frag_coord_alone(sign: int) -> None:
    text = """layout(origin_upper_left) in vec4 gl_FragCoord;
    void main() { c = vec4(gl_FragCoord.y, dFdy(gl_FragCoord.y), dFdy(uv.y) * 8.0, 1); }"""
    assert drawn(HEAD + text, sign)[3, 3].tolist() == [SIZE - 3.5, -1, 1, 1]


@SIGNS
def test_centers_at_whole_numbers_count_from_the_lower_edge(sign: int) -> None:
    text = HEAD + "layout(pixel_center_integer) in vec4 gl_FragCoord;\nvoid main() { c = gl_FragCoord; }"
    assert drawn(text, sign)[:, 0, 1].tolist() == list(range(SIZE))


@SIGNS
def test_a_viewport_that_is_lower_than_the_target_leaves_the_window_whole(sign: int) -> None:
    text = f"{HEAD}void main() {{ c = vec4(gl_FragCoord.y, dFdy(gl_FragCoord.y), 0, 1); }}"
    rows = Scene().draw(text, sign, height=4).pixels(sign)[:, 0]
    covered = rows[rows[:, 3] == 1]
    assert covered[:, 0].tolist() == [row + 0.5 for row in range(SIZE) if rows[row, 3] == 1]
    assert covered[:, 1].tolist() == [1.0] * 4


@SIGNS
def test_programs_of_tgsi_and_hlsl_count_rows(sign: int) -> None:
    text = "float4 main(float4 p : SV_Position) : SV_Target { return float4(p.y, ddy(p.y), 0, 1); }"
    hlsl = tgsi.compile(text, stage="frag", language="hlsl")
    rows = drawn(hlsl, sign)[::sign]
    assert rows[:, 0, 0].tolist() == [row + 0.5 for row in range(SIZE)]
    assert rows[3, 3, 1] == 1
    text = """FRAG
PROPERTY FS_COORD_ORIGIN LOWER_LEFT
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DDY OUT[0], IN[0].yyyy
MOV OUT[0].x, IN[0].yyyy
END
"""
    rows = drawn(text, sign)[::sign]
    assert rows[:, 0, 0].tolist() == [SIZE - row - 0.5 for row in range(SIZE)]
    assert rows[3, 3, 1] == -1


@SIGNS
@pytest.mark.parametrize("form", ["text", "program", "module", "optimized"])
def test_every_form_of_a_program_has_the_same_window(form: str, sign: int) -> None:
    text = f"{HEAD}void main() {{ c = vec4(gl_FragCoord.y, dFdy(gl_FragCoord.y), 0, 1); }}"
    forms: dict[str, Callable[[], Any]] = {
        "text": lambda: text,
        "program": lambda: tgsi.compile(text, stage="frag"),
        "module": lambda: tgsi.write_spirv(tgsi.compile(text, stage="frag")),
        "optimized": lambda: tgsi.optimize(tgsi.compile(text, stage="frag")),
    }
    assert drawn(forms[form](), sign)[3, 3].tolist() == [3.5, 1, 0, 1]


def test_draws_with_viewports_of_both_signs_follow_their_own() -> None:
    text = f"{HEAD}void main() {{ if (gl_FragCoord.y > 4.0) discard; c = vec4(gl_FragCoord.y, dFdy(uv.y) * 8.0, 0, 1); }}"
    scene = Scene()
    for _ in range(3):
        scene.draw(text, UP).draw(text, DOWN)
    rows = scene.pixels(UP)[:, 0]
    assert rows[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5, 3.5, 2.5, 1.5, 0.5]
    assert rows[:, 1].tolist() == [1.0] * SIZE


@SIGNS
def test_a_played_trace_of_a_program_keeps_its_window(sign: int, tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    scene = Scene(trace=path)
    scene.draw(tgsi.compile(f"{HEAD}void main() {{ c = vec4(gl_FragCoord.y, dFdy(gl_FragCoord.y), 0, 1); }}", stage="frag"), sign)
    scene.context.destroy()
    digests: list[Digest] = []
    with tgsi.Screen(threads=0) as other:
        TracePlayer(other, other.context_create(), digests.append).play(bytearray(path.read_bytes()))
    assert digests
    assert all(digest.is_same for digest in digests)
