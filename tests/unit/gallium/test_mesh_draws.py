"""draw_mesh_tasks: its arguments, its calls of a device, its errors, and the limits that the screen names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from backends.device.grid import MeshDraw
from backends.gallium.screen.caps import MESH_CAPS
from backends.gallium.screen.screen import Screen
from tests.unit.gallium.recording_device import FAULTS, Recorder
from tests.unit.geometry.mesh.programs import MeshPicture, mesh, one_each, query, random_rows, task
from tests.unit.picture import PASS, WHITE
from tgsi import gallium as g

pytestmark = pytest.mark.light

POINT = "MOV OUT[0], IMM[3].xxxy\nMOV OUT[2], IMM[1].xxxx\n"
MESH = mesh(POINT, threads=1, vertices=1, kind="POINTS")
TASK = task("EMIT_MESH_TASKS IMM[1].yyyy\n")


class Stage:
    """Context over the recorder, with a mesh shader."""

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.screen = Screen(0, device=self.recorder, cache_dir="")
        self.ctx = self.screen.context_create()
        self.shader = self.ctx.create_ms_state(MESH)
        self.ctx.bind_ms_state(self.shader)
        self.recorder.take()

    def buffer(self, *words: int) -> g.Resource:
        """Buffer with these words."""
        made = self.screen.resource_create(target="BUFFER", width0=4 * len(words))
        self.ctx.buffer_subdata(made, np.array(words, np.uint32))
        return made

    def draws(self, **given: Any) -> list[MeshDraw]:
        """The draws of a call, as the device gets them."""
        self.recorder.jobs.clear()
        self.ctx.draw_mesh_tasks(**given)
        return [job[2] for job in self.recorder.jobs if isinstance(job, tuple) and isinstance(job[-1], MeshDraw)]


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    with made.screen:
        yield made


def test_a_grid_is_one_draw(stage: Stage) -> None:
    assert stage.draws(grid=(3, 2, 1)) == [MeshDraw((3, 2, 1))]
    assert stage.draws(info=g.GridInfo(grid=(3, 2, 1))) == [MeshDraw((3, 2, 1))]
    assert stage.draws(grid=[3, np.int64(2), 1], block=(1, 1, 1)) == [MeshDraw((3, 2, 1))]


def test_an_empty_grid_is_no_draw(stage: Stage) -> None:
    for grid in ((0, 1, 1), (3, 0, 2), (1, 1, 0)):
        assert stage.draws(grid=grid) == []


def test_the_device_gets_the_shaders(stage: Stage) -> None:
    stage.ctx.draw_mesh_tasks(grid=(1, 1, 1))
    alone: object = (None, stage.shader, MeshDraw((1, 1, 1)))
    assert stage.recorder.jobs[-1] == alone
    tasks = stage.ctx.create_ts_state(TASK)
    stage.ctx.bind_ts_state(tasks)
    stage.ctx.draw_mesh_tasks(grid=(1, 1, 1))
    assert stage.recorder.jobs[-1] == (tasks, stage.shader, MeshDraw((1, 1, 1)))
    assert stage.recorder.take() == ["draw_mesh", "draw_mesh"]


def test_records_of_a_buffer_are_draws_with_numbers(stage: Stage) -> None:
    records = stage.buffer(9, 1, 2, 3, 4, 5, 6, 0, 1, 1, 7, 8, 9)
    assert stage.draws(indirect=records, indirect_offset=4) == [MeshDraw((1, 2, 3))]
    found = stage.draws(indirect=records, indirect_offset=4, draw_count=4)
    assert found == [MeshDraw((1, 2, 3)), MeshDraw((4, 5, 6), 1), MeshDraw((7, 8, 9), 3)]


def test_the_stride_is_honored(stage: Stage) -> None:
    records = stage.buffer(1, 1, 1, 99, 99, 2, 1, 1, 99, 99, 3, 1, 1)
    found = stage.draws(indirect=records, draw_count=3, indirect_stride=20)
    assert [draw.grid[0] for draw in found] == [1, 2, 3]


@pytest.mark.parametrize(("counted", "drawn"), [(0, 0), (2, 2), (3, 3), (0xFFFFFFFF, 3)])
def test_the_count_of_a_buffer_is_clamped_to_draw_count(stage: Stage, counted: int, drawn: int) -> None:
    records = stage.buffer(*[1] * 9)
    found = stage.draws(indirect=records, draw_count=3, indirect_draw_count=stage.buffer(7, counted), indirect_draw_count_offset=4)
    assert len(found) == drawn


def test_only_records_that_are_drawn_have_to_fit(stage: Stage) -> None:
    assert len(stage.draws(indirect=stage.buffer(1, 1, 1), draw_count=9, indirect_draw_count=stage.buffer(1))) == 1


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"grid": (1, 1)}, "grid: expected 3 values"),
    ({"grid": (1, 1 << 16, 1)}, "grid: y: 65536"),
    ({"grid": (1, -1, 1)}, "grid: y: -1"),
    ({"grid": (65535, 65, 1)}, r"grid: \(65535, 65, 1\) are more than 4194304 workgroups"),
    ({"grid": (1, 1, 1), "block": (4, 1, 1)}, r"block: \(4, 1, 1\) is given, the MESH program fixes \(1, 1, 1\)"),
    ({"grid": (1, 1, 1), "pc": 2}, "pc: it belongs to launch_grid"),
    ({"grid": (1, 1, 1), "input": b"1234"}, "input: it belongs to launch_grid"),
    ({"grid": (1, 1, 1), "last_block": (1, 0, 0)}, "last_block: it belongs to launch_grid"),
    ({"grid": (1, 1, 1), "variable_shared_mem": 4}, "variable_shared_mem: it belongs to launch_grid"),
    ({"grid": (1, 1, 1), "draw_count": 2}, "draw_count: several draws need `indirect`"),
    ({"grid": (1, 1, 1), "blocks": 3}, "has no field blocks"),
    ({"indirect": 3}, "indirect: expected a Resource"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_wrong_arguments_are_named(stage: Stage, given: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"draw_mesh_tasks: .*{message}"):
        stage.ctx.draw_mesh_tasks(**given)
    assert stage.recorder.take() == []


def test_wrong_buffers_are_named(stage: Stage) -> None:
    records, texture = stage.buffer(*[1] * 6), stage.screen.resource_create(width0=4, height0=4)
    huge = stage.buffer(1, 1, 1, 1, 1, 70000)
    stage.recorder.take()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"indirect": texture}, "indirect: three words at 0 do not fit"),
        ({"indirect_offset": 16}, "indirect: three words at 16 do not fit"),
        ({"indirect_offset": 2}, "indirect: three words at 2 do not fit"),
        ({"draw_count": 3}, "indirect: three words at 24 do not fit"),
        ({"draw_count": 2, "indirect_stride": 8}, "indirect_stride: expected a multiple of 4, at least 12, not 8"),
        ({"indirect_stride": 14}, "indirect_stride: expected a multiple of 4"),
        ({"draw_count": 1 << 17}, "draw_count: 131072"),
        ({"indirect_draw_count": 4}, "indirect_draw_count: expected a Resource"),
        ({"indirect_draw_count": records, "indirect_draw_count_offset": 24}, "indirect_draw_count: a word at 24 does not fit"),
        ({"indirect_draw_count": texture}, "indirect_draw_count: a word at 0 does not fit"),
        ({"indirect": huge, "draw_count": 2}, "indirect: draw 1: z: 70000"),
    ]
    for given, message in wrong:
        with pytest.raises((TypeError, ValueError), match=f"draw_mesh_tasks: {message}"):
            stage.ctx.draw_mesh_tasks(**{"indirect": records} | given)
    assert "draw_mesh" not in stage.recorder.take()


def test_a_count_buffer_needs_records(stage: Stage) -> None:
    with pytest.raises(ValueError, match="indirect_draw_count: several draws need `indirect`"):
        stage.ctx.draw_mesh_tasks(grid=(1, 1, 1), indirect_draw_count=stage.buffer(1))


def test_without_a_mesh_shader_meshes_are_refused(stage: Stage) -> None:
    stage.ctx.bind_ts_state(stage.ctx.create_ts_state(TASK))
    stage.ctx.bind_ms_state(None)
    with pytest.raises(ValueError, match="draw_mesh_tasks: no mesh shader is bound"):
        stage.ctx.draw_mesh_tasks(grid=(1, 1, 1))


def test_vertices_are_refused_while_a_mesh_shader_is_bound(stage: Stage) -> None:
    stage.ctx.bind_vs_state(stage.ctx.create_vs_state(PASS))
    with pytest.raises(ValueError, match=r"draw_vbo: a mesh shader is bound; draw with draw_mesh_tasks, or unbind it"):
        stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
    stage.ctx.bind_ms_state(None)
    stage.ctx.bind_ts_state(stage.ctx.create_ts_state(TASK))
    stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
    assert stage.recorder.take() == ["draw"]


def test_stream_output_is_refused(stage: Stage) -> None:
    target = stage.ctx.create_stream_output_target(stage.buffer(0, 0))
    stage.ctx.set_stream_output_targets([None, target])
    with pytest.raises(ValueError, match="a stream output target is bound, and meshes have no stream output"):
        stage.ctx.draw_mesh_tasks(grid=(1, 1, 1))
    stage.ctx.set_stream_output_targets([])
    assert stage.draws(grid=(1, 1, 1))


def test_shaders_are_checked(stage: Stage) -> None:
    ctx, task_shader = stage.ctx, stage.ctx.create_ts_state(TASK)
    for call, message in (
        (lambda: ctx.create_ts_state(MESH), "create_ts_state: program: expected a TASK program, not MESH"),
        (lambda: ctx.create_ms_state(TASK), "create_ms_state: program: expected a MESH program, not TASK"),
        (lambda: ctx.bind_ms_state(task_shader), "bind_ms_state: expected a MESH shader, not TASK"),
        (lambda: ctx.bind_ts_state(stage.shader), "bind_ts_state: expected a TASK shader, not MESH"),
        (lambda: ctx.bind_ts_state("x"), "bind_ts_state: expected an object from create_ts_state"),  # type: ignore[arg-type]
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            call()
    ctx.delete_ts_state(task_shader)
    with pytest.raises(ValueError, match="bind_ts_state: the shader was destroyed"):
        ctx.bind_ts_state(task_shader)
    ctx.delete_ms_state(stage.shader)
    with pytest.raises(ValueError, match="bind_ms_state: the shader was destroyed"):
        ctx.bind_ms_state(stage.shader)


def test_a_render_condition_holds_for_meshes(stage: Stage) -> None:
    made = stage.ctx.create_query("OCCLUSION_PREDICATE")
    stage.ctx.begin_query(made)
    stage.ctx.end_query(made)
    stage.ctx.render_condition(made, condition=False)
    stage.recorder.take()
    stage.ctx.draw_mesh_tasks(grid=(1, 1, 1))
    assert stage.recorder.take() == []
    stage.ctx.render_condition(None)
    stage.ctx.draw_mesh_tasks(grid=(1, 1, 1))
    assert stage.recorder.take() == ["draw_mesh"]


def test_faults_go_to_the_debug_callback(stage: Stage) -> None:
    seen: list[tuple[str, str]] = []
    stage.ctx.draw_mesh_tasks(grid=(1, 1, 1))
    stage.ctx.set_debug_callback(lambda kind, text: seen.append((kind, text)))
    stage.ctx.draw_mesh_tasks(grid=(1, 1, 1))
    assert seen == [("mesh", f"draw_mesh_tasks: {fault}") for fault in FAULTS]
    seen.clear()
    stage.ctx.draw_mesh_tasks(indirect=stage.buffer(*[1] * 6), draw_count=2)
    assert seen == [("mesh", f"draw_mesh_tasks: draw {number}: {fault}") for number in (0, 1) for fault in FAULTS[number:]]


def test_a_destroyed_context_draws_nothing(stage: Stage) -> None:
    stage.ctx.destroy()
    with pytest.raises(ValueError, match="destroyed"):
        stage.ctx.draw_mesh_tasks(grid=(1, 1, 1))


# -- on our own device -------------------------------------------------------------------------------------------------
def test_the_number_of_an_indirect_draw_reaches_both_programs() -> None:
    """Each draw writes its DRAWID, from the task through the payload and from the mesh shader itself, into words of its own."""
    tasks = task("STORE MEMORY[1].x, IMM[1].xxxx, SV[2].xxxx\nEMIT_MESH_TASKS IMM[1].yyyy\n", payload=4, threads=1)
    body = """LOAD TEMP[0].x, MEMORY[0], IMM[1].xxxx
SHL TEMP[1].x, SV[2].xxxx, IMM[1].wwww
STORE BUFFER[0].x, TEMP[1].xxxx, TEMP[0].xxxx
UADD TEMP[1].x, TEMP[1].xxxx, IMM[2].xxxx
STORE BUFFER[0].x, TEMP[1].xxxx, SV[2].xxxx
"""
    picture = MeshPicture()
    words = picture.buffer(np.full(8, 77, np.uint32))
    picture.bind(mesh(body, threads=1, declare="DCL BUFFER[0]\nDCL MEMORY[0], PAYLOAD\n"), tasks)
    picture.ctx.set_shader_buffers("MESH", [words])
    picture.ctx.draw_mesh_tasks(indirect=picture.buffer(np.ones(12, np.uint32)), draw_count=4)
    with picture.ctx.transfer_map(words, usage="READ") as mapped:
        assert mapped.data.view(np.uint32).reshape(-1).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_queries_count_invocations_and_primitives() -> None:
    points, values = random_rows(8, 3)
    culls = one_each(declare="DCL OUT[][3], CULL_PRIMITIVE, PRIMITIVE\n", body="MOV OUT[3].x, SV[1].xxxx\n")
    picture = MeshPicture().bind(culls, task("EMIT_MESH_TASKS IMM[1].zyyy\n", threads=5), WHITE)
    picture.data(np.hstack([points, values]))
    assert query(picture.ctx, "PRIMITIVES_GENERATED", lambda: picture.launch(4)) == 8
    result = query(picture.ctx, "PIPELINE_STATISTICS", lambda: picture.launch(4))
    assert len(result) == 13
    assert result[:5] == (0, 0, 0, 0, 0)
    assert result[11:] == (4 * 5, 8 * 3)
    assert result[5] == 4  # the clipper gets those that are not culled
    assert query(picture.ctx, "OCCLUSION_PREDICATE", lambda: picture.launch(4)) is True


def test_queries_count_meshes_that_are_discarded() -> None:
    points, values = random_rows(8, 3)
    picture = MeshPicture().bind(one_each(), None, WHITE, rasterizer_discard=True).data(np.hstack([points, values]))
    result = query(picture.ctx, "PIPELINE_STATISTICS", lambda: picture.launch(8))
    assert result[12] == 24
    assert query(picture.ctx, "PRIMITIVES_GENERATED", lambda: picture.launch(8)) == 8
    assert not picture.pixels().any()


# -- capabilities --------------------------------------------------------------------------------------------------------
def test_the_screen_has_mesh_shaders(screen: g.Screen) -> None:
    assert screen.get_param("MESH_SHADER") == 1
    assert screen.get_mesh_param("PIPE_MESH_CAP_MAX_MESH_OUTPUT_VERTICES") == 256
    with pytest.raises(ValueError, match="did you mean PIPE_MESH_CAP_MAX_TASK_PAYLOAD_SIZE"):
        screen.get_mesh_param("MAX_TASK_PAYLOAD_SIZES")
    assert (screen.get_shader_param("MESH", "MAX_OUTPUTS"), screen.get_shader_param("TASK", "MAX_OUTPUTS")) == (32, 0)
    assert screen.get_shader_param("TASK", "MAX_SHADER_IMAGES") == screen.get_shader_param("MESH", "MAX_SHADER_BUFFERS") == 32


def cap(name: str) -> int:
    """A limit that is one number, or the same for every axis."""
    found = MESH_CAPS[name]
    return found if isinstance(found, int) else found[0]


def accepts(create: Any, text: str) -> bool:
    """True if a program is valid."""
    from tgsi import ValidationError

    try:
        create(text)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("MAX_TASK_WORK_GROUP_INVOCATIONS", lambda n: task("", threads=n)),
        ("MAX_TASK_WORK_GROUP_SIZE", lambda n: task("", threads=n)),
        ("MAX_TASK_PAYLOAD_SIZE", lambda n: task("", payload=n)),
        ("MAX_TASK_SHARED_MEMORY_SIZE", lambda n: task("", shared=n)),
        ("MAX_TASK_PAYLOAD_AND_SHARED_MEMORY_SIZE", lambda n: task("", payload=16384, shared=n - 16384)),
        ("MAX_MESH_WORK_GROUP_INVOCATIONS", lambda n: mesh("", threads=n)),
        ("MAX_MESH_WORK_GROUP_SIZE", lambda n: mesh("", threads=n)),
        ("MAX_MESH_SHARED_MEMORY_SIZE", lambda n: mesh("").replace("MESH\n", f"MESH\nPROPERTY MS_SHARED_BYTES {n}\n", 1)),
        ("MAX_MESH_OUTPUT_VERTICES", lambda n: mesh("", vertices=n)),
        ("MAX_MESH_OUTPUT_PRIMITIVES", lambda n: mesh("", primitives=n)),
        ("MAX_MESH_OUTPUT_COMPONENTS", lambda n: mesh("", declare=f"DCL OUT[][3..{-(-n // 4) - 1}], ARRAY(1), GENERIC[9]\n")),
    ],
)
def test_limits_of_programs_are_those_of_the_caps(ctx: g.Context, name: str, text: Any) -> None:
    create = ctx.create_ts_state if text(1).startswith("TASK") else ctx.create_ms_state
    assert accepts(create, text(cap(name)))
    assert not accepts(create, text(cap(name) + 1))


@pytest.mark.parametrize("stage", ["TASK", "MESH"])
def test_limits_of_grids_are_those_of_the_caps(stage: str) -> None:
    made = Stage()
    if stage == "TASK":
        made.ctx.bind_ts_state(made.ctx.create_ts_state(TASK))
    axis, total = cap(f"MAX_{stage}_WORK_GROUP_COUNT"), cap(f"MAX_{stage}_WORK_GROUP_TOTAL_COUNT")
    assert made.draws(grid=(1, axis, 1))
    assert made.draws(grid=(total >> 11, 1 << 11, 1))
    for grid in ((1, axis + 1, 1), (total >> 11, (1 << 11) + 1, 1)):
        with pytest.raises(ValueError, match="draw_mesh_tasks: grid"):
            made.ctx.draw_mesh_tasks(grid=grid)


def test_the_largest_output_is_drawn() -> None:
    """256 vertices and 256 primitives with 32 registers in all, from 1024 threads with all of their memory."""
    declare = "DCL OUT[][3..16], ARRAY(1), GENERIC[9]\nDCL OUT[][17..31], ARRAY(2), GENERIC[40], PRIMITIVE\n"
    declare += "DCL MEMORY[0], SHARED\nDCL MEMORY[1], PAYLOAD\n"
    body = """SHL TEMP[0].x, SV[0].xxxx, IMM[1].zzzz
STORE MEMORY[0].x, TEMP[0].xxxx, SV[0].xxxx
BARRIER
LOAD TEMP[1].x, MEMORY[0], TEMP[0].xxxx
U2F TEMP[2].x, TEMP[1].xxxx
MAD TEMP[2].x, TEMP[2].xxxx, IMM[4].xxxx, IMM[4].yyyy
MOV TEMP[2].yz, IMM[3].xxxx
MOV TEMP[2].w, IMM[3].yyyy
MOV OUT[0], TEMP[2]
MOV OUT[2], TEMP[1].xxxx
MOV OUT[31], IMM[3].yyyy
"""
    text = mesh(body, threads=1024, vertices=256, primitives=256, kind="POINTS", declare=declare)
    text = text.replace("MESH\n", f"MESH\nPROPERTY MS_SHARED_BYTES {cap('MAX_MESH_SHARED_MEMORY_SIZE')}\n", 1)
    text = text.replace("SET_MESH", f"IMM[4] FLT32 {{{2 / 256}, {1 / 256 - 1}, 0, 0}}\nSET_MESH", 1)
    assert cap("MAX_MESH_OUTPUT_MEMORY_SIZE") >= 256 * 32 * 16
    reads = "FRAG\nDCL IN[0], GENERIC[54], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    picture = MeshPicture(256, 1).bind(text, task("EMIT_MESH_TASKS IMM[1].yyyy\n", payload=16384, shared=16384), reads)
    assert picture.launch(1).pixels().min() == 1.0


def test_layers_reach_as_far_as_the_cap(screen: g.Screen) -> None:
    assert cap("MAX_MESH_OUTPUT_LAYERS") == screen.get_param("MAX_TEXTURE_ARRAY_LAYERS")
    assert (cap("MAX_MESH_MULTIVIEW_VIEW_COUNT"), cap("MESH_OUTPUT_PER_VERTEX_GRANULARITY")) == (1, 1)
