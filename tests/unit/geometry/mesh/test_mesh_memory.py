"""Memory of task and mesh programs: constants, textures, images, counters, stores, and the order of draws that share it."""

from __future__ import annotations

import numpy as np
import pytest

from backends.geometry.mesh import drawer, tasks
from tests.unit.geometry.mesh.programs import MeshPicture, mesh, one_each, random_rows, task
from tests.unit.picture import GENERIC, STRIP, Array
from tgsi import gallium as g

pytestmark = pytest.mark.light


def words(picture: MeshPicture, buffer: g.Resource) -> list[int]:
    """Words of a buffer."""
    with picture.ctx.transfer_map(buffer, usage="READ") as mapped:
        found: list[int] = mapped.data.view(np.uint32).reshape(-1).tolist()
    return found


def test_both_stages_have_bindings_of_their_own() -> None:
    """Each stage stores its constant, a texel, a texel of its image and a counter into its buffer."""
    body = """LOAD TEMP[1], IMAGE[0], IMM[1].xxxx, 2D, PIPE_FORMAT_R32_UINT
ATOMUADD TEMP[2].x, HWATOMIC[0][0], IMM[1].xxxx, IMM[1].yyyy
TXF TEMP[3], IMM[1].xxxx, SAMP[0], 2D
MOV TEMP[4].x, CONST[0].xxxx
MOV TEMP[4].y, TEMP[1].xxxx
MOV TEMP[4].z, TEMP[2].xxxx
MOV TEMP[4].w, TEMP[3].xxxx
STORE BUFFER[0], IMM[1].xxxx, TEMP[4]
"""
    declare = "DCL BUFFER[0]\nDCL CONST[0]\nDCL SAMP[0]\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL HWATOMIC[0][0]\n"
    picture = MeshPicture()
    ctx, screen = picture.ctx, picture.ctx.screen
    picture.bind(mesh(body, threads=1, declare=declare), task(body + "EMIT_MESH_TASKS IMM[1].yyyy\n", threads=1, declare=declare))
    found = {}
    for number, stage in enumerate(("TASK", "MESH")):
        found[stage] = picture.buffer(np.zeros(4, np.uint32))
        ctx.set_shader_buffers(stage, [found[stage]])
        ctx.set_constant_buffer(stage, np.array([10 + number, 0, 0, 0], np.uint32))
        image = screen.resource_create(width0=1, height0=1, format="R32_UINT", bind="SHADER_IMAGE")
        ctx.texture_subdata(image, np.full((1, 1, 1), 20 + number, np.uint32))
        ctx.set_shader_images(stage, [image])
        texture = screen.resource_create(width0=1, height0=1, format="R32_UINT", bind="SAMPLER_VIEW")
        ctx.texture_subdata(texture, np.full((1, 1, 1), 30 + number, np.uint32))
        ctx.set_sampler_views(stage, [ctx.create_sampler_view(texture)])
        ctx.bind_sampler_states(stage, [ctx.create_sampler_state()])
    counter = picture.buffer(np.array([40], np.uint32))
    ctx.set_hw_atomic_buffers([counter])
    picture.launch(1)
    assert words(picture, found["TASK"]) == [10, 20, 40, 30]
    assert words(picture, found["MESH"]) == [11, 21, 41, 31]
    assert words(picture, counter) == [42]


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
@pytest.mark.parametrize("lanes", [None, 8, 64])
def test_every_workgroup_and_task_runs_once(threads: int, lanes: int | None) -> None:
    """Tasks add 1 to their word; each launches t mod 5 workgroups, which add 1 to a word of the task's and 1 to a common word."""
    count = 300
    tasks_text = task(
        """SHL TEMP[0].x, SV[1].xxxx, IMM[1].zzzz
ATOMUADD TEMP[1].x, BUFFER[0], TEMP[0].xxxx, IMM[1].yyyy
UMOD TEMP[2].x, SV[1].xxxx, IMM[3].xxxx
MOV TEMP[2].yz, IMM[1].yyyy
STORE MEMORY[1].x, IMM[1].xxxx, SV[1].xxxx
EMIT_MESH_TASKS TEMP[2]
""",
        threads=1,
        payload=4,
        declare="DCL BUFFER[0]\n",
    ).replace("IMM[2] UINT32 {4, 16, 32, 64}\n", "IMM[2] UINT32 {4, 16, 32, 64}\nIMM[3] UINT32 {5, 0, 0, 0}\n")
    body = """LOAD TEMP[0].x, MEMORY[0], IMM[1].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, IMM[1].yyyy
SHL TEMP[0].x, TEMP[0].xxxx, IMM[1].zzzz
ATOMUADD TEMP[1].x, BUFFER[0], TEMP[0].xxxx, IMM[1].yyyy
ATOMUADD TEMP[1].x, BUFFER[0], IMM[1].xxxx, IMM[1].yyyy
"""
    with g.Screen(threads=threads, lanes=lanes).context_create() as ctx:

        def zeros(size: int) -> g.Resource:
            made = ctx.screen.resource_create(target="BUFFER", width0=4 * size)
            ctx.buffer_subdata(made, np.zeros(size, np.uint32))
            return made

        ctx.bind_ts_state(ctx.create_ts_state(tasks_text))
        ctx.bind_ms_state(ctx.create_ms_state(mesh(body, threads=1, declare="DCL BUFFER[0]\nDCL MEMORY[0], PAYLOAD\n", counts=None)))
        ran, launched = zeros(count), zeros(count + 1)
        ctx.set_shader_buffers("TASK", [ran])
        ctx.set_shader_buffers("MESH", [launched])
        ctx.draw_mesh_tasks(grid=(count, 1, 1))
        with ctx.transfer_map(ran, usage="READ") as mapped:
            assert (mapped.data.view(np.uint32) == 1).all()
        with ctx.transfer_map(launched, usage="READ") as mapped:
            found = mapped.data.view(np.uint32).reshape(-1)
        assert found[1:].tolist() == [t % 5 for t in range(count)]
        assert found[0] == found[1:].sum()


def test_small_waves_and_chunks_draw_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    points, values = random_rows(90, 3)
    body = "LOAD TEMP[5].x, MEMORY[0], IMM[1].xxxx\nUADD TEMP[5].x, TEMP[5].xxxx, SV[1].xxxx\n"
    from tests.unit.geometry.mesh.programs import blended, fetched

    text = mesh(body + fetched(3, "TEMP[5].xxxx"), vertices=3, threads=3, declare="DCL BUFFER[0]\nDCL MEMORY[0], PAYLOAD\n")
    launches = task(
        "UMUL TEMP[0].x, SV[1].xxxx, IMM[1].wwww\nSTORE MEMORY[1].x, IMM[1].xxxx, TEMP[0].xxxx\nEMIT_MESH_TASKS IMM[1].wyyy\n", payload=4
    )

    def drawn() -> Array:
        picture = MeshPicture(48, 32)
        blended(picture)
        return picture.bind(text, launches).data(np.hstack([points, values])).launch(30).pixels()

    wanted = drawn()
    assert wanted.any()
    for name, module, value in (("WAVE", tasks, 4), ("CHUNK", tasks, 1), ("CHUNK", drawer, 1), ("CHUNK_BYTES", drawer, 1)):
        monkeypatch.setattr(module, name, value)
        np.testing.assert_array_equal(drawn(), wanted)


def test_a_payload_and_shared_memory_are_0_at_the_start_of_each_task() -> None:
    """Each task adds its number + 1 to a word of both memories, and passes on the old values."""
    body = """UADD TEMP[0].x, SV[1].xxxx, IMM[1].yyyy
LOAD TEMP[1].x, MEMORY[0], IMM[1].xxxx
LOAD TEMP[2].x, MEMORY[1], IMM[2].xxxx
STORE MEMORY[0].x, IMM[1].xxxx, TEMP[0].xxxx
STORE MEMORY[1].x, IMM[2].xxxx, TEMP[0].xxxx
UADD TEMP[1].x, TEMP[1].xxxx, TEMP[2].xxxx
STORE MEMORY[1].x, IMM[1].xxxx, TEMP[1].xxxx
EMIT_MESH_TASKS IMM[1].yyyy
"""
    reads = "LOAD TEMP[0].x, MEMORY[0], IMM[1].xxxx\nATOMUADD TEMP[1].x, BUFFER[0], IMM[1].xxxx, TEMP[0].xxxx\n"
    picture = MeshPicture()
    found = picture.buffer(np.zeros(1, np.uint32))
    picture.bind(mesh(reads, threads=1, declare="DCL BUFFER[0]\nDCL MEMORY[0], PAYLOAD\n"), task(body, threads=1, payload=8, shared=4))
    picture.ctx.set_shader_buffers("MESH", [found])
    picture.launch(50)
    assert words(picture, found) == [0]


STORES = mesh(
    """SHL TEMP[0].x, SV[0].xxxx, IMM[0].wwww
MOV TEMP[1], IMM[3].xxxy
STORE BUFFER[0], TEMP[0].xxxx, TEMP[1]
""",
    threads=4,
    declare="DCL BUFFER[0]\n",
    counts=None,
)
"""A program that draws nothing, and moves four vertices of `Picture.draw` to the center."""


def test_a_draw_that_waits_is_drawn_before_meshes_store_what_it_reads() -> None:
    picture = MeshPicture()
    rows = picture.buffer(np.hstack([STRIP, np.ones_like(STRIP)]))

    def draw() -> Array:
        ctx = picture.ctx
        ctx.clear(color=(0, 0, 0, 0))
        ctx.bind_ms_state(None)
        ctx.set_vertex_buffers([{"buffer": rows, "stride": 32}])
        ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4)
        picture.bind(STORES)
        ctx.set_shader_buffers("MESH", [rows])
        ctx.draw_mesh_tasks(grid=(1, 1, 1))
        return picture.pixels()

    picture.draw(GENERIC)
    assert draw().all()
    assert not draw().any()


def test_meshes_read_what_draws_before_them_stored() -> None:
    points, values = random_rows(1, 3)
    storing = """FRAG
DCL BUFFER[0]
DCL OUT[0], COLOR
IMM[0] UINT32 {16, 48, 80, 0}
IMM[1] FLT32 {1.0, 0.5, 0.25, 1.0}
STORE BUFFER[0], IMM[0].xxxx, IMM[1]
STORE BUFFER[0], IMM[0].yyyy, IMM[1]
STORE BUFFER[0], IMM[0].zzzz, IMM[1]
END
"""
    picture = MeshPicture()
    rows = picture.buffer(np.hstack([points, 0 * values]))
    picture.ctx.set_shader_buffers("FRAGMENT", [rows])
    picture.draw(storing)
    picture.ctx.clear(color=(0, 0, 0, 0))
    picture.bind(one_each()).ctx.set_shader_buffers("MESH", [rows])
    found = picture.launch(1).pixels()
    assert np.unique(found[found.any(axis=2)], axis=0).tolist() == [[1.0, 0.5, 0.25, 1.0]]


def test_meshes_are_drawn_into_what_is_bound_and_nothing_else_is_needed() -> None:
    """Neither a vertex nor a fragment shader is bound; stores of a draw without targets are carried out."""
    picture = MeshPicture()
    rows = picture.buffer(np.zeros(16, np.uint32))
    picture.ctx.set_framebuffer_state(cbufs=[])
    picture.bind(STORES, None, None).ctx.set_shader_buffers("MESH", [rows])
    picture.launch(1)
    assert words(picture, rows)[3] == np.float32(1).view(np.uint32)
