"""Screen(validate=True): each mistake is said with its cause, at the line of the program; right programs are silent."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest

import tgsi
from tests.unit.geometry.mesh.programs import one_each
from tests.unit.insight.mistakes.sketch import FS, QUAD, RED, TRI, VS, VS_MATRIX, Sketch, sketch
from tests.unit.insight.test_mistakes import recorded
from tgsi.gallium import ValidationWarning

pytestmark = pytest.mark.light


def right(s: Sketch) -> None:
    """Draw a triangle as it should be."""
    s.frame("Z24X8_UNORM")
    s.less()
    s.triangle()


def culled(s: Sketch) -> None:
    """Draw a triangle that is culled."""
    s.frame("Z24X8_UNORM")
    s.raster(cull_face="FRONT_AND_BACK")
    s.triangle()


def never_cleared(s: Sketch) -> None:
    """Draw with a depth test, and without a clear of the depth buffer."""
    s.frame("Z24X8_UNORM", clear=False)
    s.less()
    s.triangle()


def pictures(s: Sketch) -> list[object]:
    """The bytes of the bound targets."""
    textures = [item.living_texture for item in s.ctx.targets.surfaces if item is not None]
    return [item.pixels().tobytes() for item in textures if item is not None]


def test_a_warning_names_the_line_of_the_program() -> None:
    with recorded() as found, sketch(validate=True) as s:
        s.frame()
        s.shaders()
        s.vertices(TRI, RED)
        s.ctx.draw_vbo(mode="TRIANGLES", count=0)
        line = sys._getframe().f_lineno
    assert [(item.filename, item.lineno) for item in found] == [(__file__, line - 1)]


def test_a_right_program_is_silent_and_draws_the_same_picture() -> None:
    found = []
    for validate in (True, False):
        with sketch(validate=validate) as s:
            right(s)
            found.append(pictures(s))
    assert found[0] == found[1]


@pytest.mark.parametrize("program", [culled, never_cleared])
def test_a_draw_that_is_looked_into_leaves_its_targets_as_they_were(program: Callable[[Sketch], None]) -> None:
    found = []
    for validate in (True, False):
        with recorded(), sketch(validate=validate) as s:
            program(s)
            s.triangle()
            found.append(pictures(s))
    assert found[0] == found[1]


def test_a_finding_is_said_once_and_to_the_debug_callback() -> None:
    told: list[tuple[str, str]] = []
    with recorded() as found, sketch(validate=True) as s:
        s.ctx.set_debug_callback(lambda kind, text: told.append((kind, text)))
        target = s.frame()
        s.raster(cull_face="FRONT_AND_BACK")
        for _ in range(2):
            s.triangle()
            s.ctx.draw_vbo(mode="TRIANGLES", count=3)
            target.pixels()
        s.ctx.draw_vbo(mode="TRIANGLES", count=3)
        target.pixels()
    assert len(found) == 2  # for each pair of shaders
    assert [text for kind, text in told if kind == "validation"] == [str(item.message) for item in found]


def test_an_object_that_is_hidden_in_one_draw_and_seen_in_another_is_no_mistake() -> None:
    with sketch(validate=True) as s:
        target = s.frame()
        s.shaders()
        for x in (9, 0):
            s.vertices(TRI + np.array([x, 0, 0, 0], np.float32), RED)
            s.ctx.draw_vbo(mode="TRIANGLES", count=3)
        target.pixels()  # warnings are errors here


def test_a_warning_that_is_an_error_ends_the_call_and_the_context_can_be_used() -> None:
    with sketch(validate=True) as s:
        s.bind(s.color())
        with pytest.raises(ValidationWarning, match="viewport"):
            s.triangle()
        s.ctx.bind_depth_stencil_alpha_state(None)
        target = s.frame()
        s.triangle()
        assert target.pixels()[..., 0].any()


def test_draws_inside_of_queries_are_not_made_again() -> None:
    with recorded(), sketch(validate=True) as s:
        culled(s)  # the combination has no effect
        query = s.ctx.create_query("PRIMITIVES_GENERATED")
        s.ctx.begin_query(query)
        s.raster(cull_face="FRONT_AND_BACK", flatshade=True)
        s.triangle()
        s.ctx.end_query(query)
        assert s.ctx.get_query_result(query) == 1


def test_without_it_the_device_stands_alone_and_known_draws_run_no_python() -> None:
    with sketch() as s:
        assert not s.screen.validates
        assert type(s.ctx.device).__module__.startswith("backends.software")
        right(s)
        for _ in range(8):
            s.ctx.draw_vbo(mode="TRIANGLES", count=3)
        before = s.ctx.device.statistics().known_draws
        s.ctx.draw_vbo(mode="TRIANGLES", count=3)
        assert s.ctx.device.statistics().known_draws == before + 1


def test_grids_name_memory_that_is_not_bound() -> None:
    program = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
    program += "DCL BUFFER[2]\nIMM[0] UINT32 {0, 1, 2, 3}\nSTORE BUFFER[2].x, IMM[0].xxxx, IMM[0].yyyy\nEND"
    with recorded() as found, tgsi.Screen(threads=0, validate=True) as screen, screen.context_create() as ctx:
        ctx.bind_compute_state(ctx.create_compute_state(program))
        ctx.launch_grid(grid=(1, 1, 1))
    assert [str(item.message) for item in found] == [
        "launch_grid: the compute shader uses BUFFER[2], which is not bound: it reads 0, and stores are lost; set_shader_buffers"
    ]
    assert found[0].filename == __file__


def test_validate_is_a_boolean() -> None:
    with pytest.raises(TypeError, match="validate"):
        tgsi.Screen(validate=np.array([1, 0]))  # type: ignore[arg-type]


def scenes() -> dict[str, object]:
    from tests.images.test_images import SCENES

    return dict(SCENES)


@pytest.mark.nightly
@pytest.mark.parametrize("scene", scenes())
def test_no_scene_has_a_false_alarm(scene: str) -> None:
    with tgsi.Screen(threads=0, validate=True) as screen:
        scenes()[scene](screen)  # type: ignore[operator]


RIGHT_AND_RARE: dict[str, Callable[[Sketch], None]] = {}
"""Correct programs that look like a mistake."""


def rare(program: Callable[[Sketch], None]) -> Callable[[Sketch], None]:
    """Add a program."""
    RIGHT_AND_RARE[program.__name__] = program
    return program


@rare
def transform_with_scale_and_camera(s: Sketch) -> None:
    s.frame()
    camera = np.array([[2, 0, 0, 0.1], [0, 2, 0, 0.2], [0, 0, -2.004, 5.8], [0, 0, -2, 6]], np.float32)
    s.ctx.set_constant_buffer("VERTEX", np.ascontiguousarray(camera.T))
    s.triangle(vs=VS_MATRIX)


@rare
def one_vertex_is_left_over_of_many(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(np.tile(TRI, (4, 1))[:10], np.tile(RED[:1], (10, 1)))
    s.ctx.draw_vbo(mode="TRIANGLES", count=10)


@rare
def lines_that_begin_at_vertex_0(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(QUAD, RED)
    s.ctx.draw_vbo(mode="LINES", count=6, index=np.array([1, 0, 2, 0, 3, 0], np.uint16))


@rare
def position_as_color_and_zeros_as_color(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.elements((0, "R32G32B32A32_FLOAT"), (0, "R32G32B32A32_FLOAT"))
    s.ctx.set_vertex_buffers([TRI])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@rare
def instances_by_number(s: Sketch) -> None:
    s.frame()
    vs = VS.replace("DCL IN[0]", "DCL SV[0], INSTANCEID\nDCL TEMP[0]\nDCL IN[0]").replace(
        "MOV OUT[1]", "U2F TEMP[0].x, SV[0].xxxx\nMOV OUT[1]"
    )
    s.shaders(vs=vs)
    s.vertices(TRI, RED)
    s.ctx.draw_vbo(mode="TRIANGLES", count=3, instance_count=4)


@rare
def texture_of_zeros_that_a_draw_fills_later(s: Sketch) -> None:
    s.frame()
    s.texture(upload=False)
    s.blend(blend_enable=True, rgb_src_factor="ONE", rgb_dst_factor="ONE")
    s.triangle()
    s.quad()


@pytest.mark.parametrize("name", RIGHT_AND_RARE)
def test_a_right_program_that_looks_like_a_mistake_is_silent(name: str) -> None:
    with sketch(validate=True) as s:
        RIGHT_AND_RARE[name](s)
        s.ctx.flush()  # warnings are errors here


def _scissor(s: Sketch) -> None:
    s.raster(scissor=True)
    s.ctx.set_scissor_states([{"maxx": 1, "maxy": 1}])


MESH_CAUSES: dict[str, tuple[Callable[[Sketch], None], str]] = {
    "culled": (lambda s: s.raster(cull_face="FRONT_AND_BACK"), "all primitives are culled"),
    "scissor": (_scissor, "outside of the scissor rectangle"),
    "depth": (lambda s: s.dsa(depth={"enabled": True, "func": "GREATER"}), "the depth test GREATER rejects every fragment"),
    "mask": (lambda s: s.blend(rt=[{"colormask": 0}]), "the color mask"),
}


@pytest.mark.parametrize("name", MESH_CAUSES)
def test_a_draw_of_meshes_without_an_effect_is_said_with_its_cause(name: str) -> None:
    set_state, text = MESH_CAUSES[name]
    with recorded() as found, sketch(validate=True) as s:
        s.frame("Z24X8_UNORM")
        s.ctx.bind_ms_state(s.ctx.create_ms_state(one_each(3)))
        s.ctx.bind_fs_state(s.ctx.create_fs_state(FS))
        s.ctx.set_shader_buffers("MESH", [s.screen.buffer_from(np.concatenate([TRI, RED[:3]], axis=1))])
        set_state(s)
        s.ctx.draw_mesh_tasks(grid=(1, 1, 1))
        s.ctx.flush()
    (said,) = [str(item.message) for item in found]
    assert said.startswith("draw_mesh_tasks: this draw changes no pixel")
    assert text in said
