"""launch_grid: blocks, threads, memory."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from backends.compute import dispatch, kernels
from backends.compute.dispatch import Dispatcher
from backends.llvm.engine import kernel_cache
from backends.llvm.engine.engine import Library
from tests.unit.gallium.compute_cases import ADD_ONE, NUMBERS, ONE, SUM, WHERE, buffer, launch, words, zeros
from tgsi import gallium as g

pytestmark = pytest.mark.light

SETTINGS: list[tuple[int, int | None, str]] = [
    (threads, lanes, cpu) for threads in (0, 1, 3) for lanes in (8, 16, 32, 64) for cpu in ("host",)
]
SETTINGS += [(0, 16, "x86-64"), (1, 32, "x86-64-v2"), (0, None, "x86-64-v3")]


@pytest.mark.parametrize(("threads", "lanes", "cpu"), SETTINGS)
def test_blocks_sum_their_words_with_barriers_whatever_the_threads_lanes_and_level(threads: int, lanes: int | None, cpu: str) -> None:
    with g.Screen(threads=threads, lanes=lanes, cpu=cpu).context_create() as ctx:
        data = np.arange(500 * 100, dtype=np.uint32) * 2654435761
        sums = zeros(ctx, 500)
        launch(ctx, SUM, buffer(ctx, data), sums, grid=(500, 1, 1))
        assert (words(sums) == data.reshape(500, 100).sum(axis=1, dtype=np.uint32)).all()


@pytest.mark.parametrize("lanes", [8, 16, 64])
@pytest.mark.parametrize(
    ("block", "grid"),
    [((3, 2, 2), (2, 3, 4)), ((1, 1, 1), (5, 3, 2)), ((4, 1, 1), (7, 1, 3)), ((5, 7, 3), (2, 2, 2)), ((8, 8, 1), (1, 1, 1))],
)
def test_threads_and_blocks_are_counted_x_first(lanes: int, block: tuple[int, int, int], grid: tuple[int, int, int]) -> None:
    with g.Screen(threads=0, lanes=lanes).context_create() as ctx:
        shape = tuple(a * b for a, b in zip(block, grid))
        found = zeros(ctx, 4 * int(np.prod(shape)))
        launch(ctx, NUMBERS, found, block=block, grid=grid, work_dim=2)
        seen = words(found).reshape(shape[2], shape[1], shape[0], 4)
        places = np.stack(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), axis=-1).transpose(2, 1, 0, 3)
        assert (seen[..., :3] == places // block * 65536 + places % block).all()
        assert (seen[..., 3] == 2 * 65536 + 1).all()


@pytest.mark.parametrize("block", [(4, 4, 1), (2, 1, 1), (40, 1, 1)])
def test_last_blocks_may_have_fewer_threads(ctx: g.Context, block: tuple[int, int, int]) -> None:
    found = zeros(ctx, 4 * 3 * block[0] * 2 * block[1])
    query = ctx.create_query("PIPELINE_STATISTICS")
    ctx.begin_query(query)
    launch(ctx, NUMBERS, found, block=block, grid=(3, 2, 1), last_block=(1, 0, 0))
    ctx.end_query(query)
    ran = words(found).reshape(2 * block[1], 3 * block[0], 4)[..., 3] != 0
    assert ran[:, : 2 * block[0] + 1].all()
    assert not ran[:, 2 * block[0] + 1 :].any()
    result = ctx.get_query_result(query)
    assert isinstance(result, tuple)
    assert result[10] == ran.sum()


def test_an_empty_grid_runs_nothing(ctx: g.Context) -> None:
    for grid in ((0, 1, 1), (3, 0, 2), (1, 1, 0)):
        found = zeros(ctx, 4)
        launch(ctx, ONE, found, block=(1, 1, 1), grid=grid)
        assert not words(found).any()


def test_the_grid_may_come_from_a_buffer(ctx: g.Context) -> None:
    found = zeros(ctx, 8 * 6)
    launch(ctx, ADD_ONE, found, block=(8, 1, 1), grid=(1, 1, 1), indirect=buffer(ctx, np.array([9, 5, 1, 1], np.uint32)), indirect_offset=4)
    assert (words(found) == [1] * 40 + [0] * 8).all()
    ctx.launch_grid(block=(8, 1, 1), indirect=buffer(ctx, np.zeros(3, np.uint32)))
    assert words(found).sum() == 40


def test_words_outside_of_a_buffer_read_0_and_are_not_written(ctx: g.Context) -> None:
    whole = buffer(ctx, np.full(64, 5, np.uint32))
    launch(ctx, ADD_ONE, None, block=(64, 1, 1))
    ctx.set_shader_buffers("COMPUTE", [g.ShaderBuffer(whole, 16, 39)])  # 9 words and three bytes
    ctx.launch_grid(block=(64, 1, 1), grid=(1000, 1, 1))
    assert (words(whole) == [5] * 4 + [6] * 9 + [5] * 51).all()


def test_shared_memory_is_as_large_as_the_shader_says_and_0_for_every_block(ctx: g.Context) -> None:
    text = f"""COMP
{WHERE}DCL BUFFER[0]
DCL MEMORY[0], SHARED
DCL TEMP[0..1]
IMM[0] UINT32 {{4, 1, 20, 3}}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
ATOMUADD TEMP[1].x, MEMORY[0], TEMP[0].xxxx, IMM[0].wwww
BARRIER
LOAD TEMP[1].x, MEMORY[0], TEMP[0].xxxx
UMAD TEMP[0].x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1]
END
"""
    for block in (8, 40):
        found = zeros(ctx, 3 * block)
        launch(ctx, text, found, memory={"req_local_mem": 16}, block=(block, 1, 1), grid=(3, 1, 1))
        assert (words(found).reshape(3, block) == [3] * 4 + [0] * (block - 4)).all()
        ctx.launch_grid(block=(block, 1, 1), grid=(3, 1, 1), variable_shared_mem=8)
        assert (words(found).reshape(3, block) == [3] * 6 + [0] * (block - 6)).all()


def test_private_memory_belongs_to_a_thread(ctx: g.Context) -> None:
    text = f"""COMP
{WHERE}DCL BUFFER[0]
DCL MEMORY[0], PRIVATE
DCL TEMP[0..2]
IMM[0] UINT32 {{4, 1, 12, 16}}
UMAD TEMP[0].x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx
LOAD TEMP[1].x, MEMORY[0], IMM[0].zzzz
UADD TEMP[1].x, TEMP[1].xxxx, TEMP[0].xxxx
STORE MEMORY[0].x, IMM[0].zzzz, TEMP[1]
STORE MEMORY[0].x, IMM[0].wwww, TEMP[1]
LOAD TEMP[2].x, MEMORY[0], IMM[0].zzzz
LOAD TEMP[2].y, MEMORY[0].xxxx, IMM[0].wwww
SHL TEMP[2].y, TEMP[2].yyyy, IMM[0].wwww
OR TEMP[2].x, TEMP[2].xxxx, TEMP[2].yyyy
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[2]
END
"""
    for block in (6, 70):
        found = zeros(ctx, 4 * block)
        launch(ctx, text, found, memory={"req_private_mem": 16}, block=(block, 1, 1), grid=(4, 1, 1))
        assert (words(found) == np.arange(4 * block)).all()


COPY_MEMORY = """COMP
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL MEMORY[0], GLOBAL
DCL MEMORY[1], INPUT
DCL TEMP[0..1]
IMM[0] UINT32 {4, 1, 100, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
LOAD TEMP[1].x, MEMORY[1], TEMP[0].xxxx
LOAD TEMP[1].x, MEMORY[0], TEMP[1].xxxx
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1]
UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz
LOAD TEMP[1].y, MEMORY[1].xxxx, TEMP[0].xxxx
STORE MEMORY[0].x, TEMP[1].yyyy, TEMP[1]
END
"""


def test_one_buffer_is_global_memory_itself(ctx: g.Context) -> None:
    data, found = buffer(ctx, np.arange(10, 18, dtype=np.uint32)), zeros(ctx, 4)
    assert ctx.set_global_binding([data]) == (0,)
    launch(ctx, COPY_MEMORY, found, block=(4, 1, 1), input=np.array([8, 0, 28, 32], np.uint32))
    assert list(words(found)) == [12, 10, 17, 0]
    assert list(words(data)) == [110, 11, 112, 13, 14, 15, 16, 117]
    assert ctx.set_global_binding([None]) == (0,)
    ctx.launch_grid(block=(4, 1, 1), input=bytes(16))
    assert not words(found).any()


def test_several_buffers_share_the_addresses_of_global_memory(ctx: g.Context) -> None:
    first, second, found = buffer(ctx, np.arange(4, dtype=np.uint32)), buffer(ctx, np.arange(70, 74, dtype=np.uint32)), zeros(ctx, 4)
    addresses = ctx.set_global_binding([first, None, second])
    assert addresses[0] == 0
    assert addresses[2] >= 16
    launch(ctx, COPY_MEMORY, found, block=(4, 1, 1), input=np.array([4, 16, addresses[2], addresses[2] + 12], np.uint32))
    assert list(words(found)) == [1, 0, 70, 73]
    assert list(words(first)) == [0, 101, 2, 3]
    assert list(words(second)) == [170, 71, 72, 173]
    assert ctx.set_global_binding([None], first=0) == (0,)
    ctx.launch_grid(block=(1, 1, 1), input=np.array([addresses[2]], np.uint32))
    assert words(found)[0] == 170


TWO_WORDS = """COMP
DCL MEMORY[0], GLOBAL
DCL BUFFER[0]
DCL CONST[0]
IMM[0] UINT32 {0, 7, 9, 4}
STORE MEMORY[0].x, CONST[0].xxxx, IMM[0].yyyy
STORE BUFFER[0].x, IMM[0].wwww, IMM[0].zzzz
END
"""


def test_a_buffer_that_is_mapped_twice_has_one_address(ctx: g.Context) -> None:
    found, other = zeros(ctx, 4), zeros(ctx, 4)
    first, again, last = ctx.set_global_binding([found, found, other])
    assert first == again != last
    ctx.set_constant_buffer("COMPUTE", np.array([first, 0, 0, 0], np.uint32))
    launch(ctx, TWO_WORDS, None, block=(1, 1, 1))
    assert list(words(found)) == [7, 0, 0, 0]
    ctx.set_global_binding([None, None, None])
    assert ctx.set_global_binding([found, found]) == (0, 0)


def test_what_is_written_as_a_buffer_stays_where_the_buffer_is_global_memory_too(ctx: g.Context) -> None:
    found, other = zeros(ctx, 4), zeros(ctx, 4)
    address = ctx.set_global_binding([other, found])[1]
    ctx.set_constant_buffer("COMPUTE", np.array([address, 0, 0, 0], np.uint32))
    launch(ctx, TWO_WORDS, found, block=(1, 1, 1))
    assert list(words(found)) == [7, 9, 0, 0]


def test_counters_are_words_of_their_buffers(ctx: g.Context) -> None:
    text = """COMP
DCL HWATOMIC[0]
DCL HWATOMIC[1][0..3]
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 4, 8}
ATOMUADD TEMP[0].x, HWATOMIC[1][2], IMM[0].xxxx, IMM[0].yyyy
UMUL TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz
STORE BUFFER[0].x, TEMP[0].yyyy, TEMP[0]
END
"""
    counter, found = buffer(ctx, np.array([1, 1, 1, 1, 3, 1], np.uint32)), zeros(ctx, 8)
    ctx.set_hw_atomic_buffers([{"buffer": counter, "buffer_offset": 8}], start=1)
    launch(ctx, text, found, block=(5, 1, 1))
    assert list(words(found)) == [0, 0, 0, 3, 4, 5, 6, 7]
    assert list(words(counter)) == [1, 1, 1, 1, 8, 1]


def test_a_subroutine_may_be_the_beginning(ctx: g.Context) -> None:
    text = """COMP
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 7, 9, 4}
STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy
CAL :3
END
BGNSUB
STORE BUFFER[0].x, IMM[0].wwww, IMM[0].zzzz
RET
ENDSUB
"""
    for pc, expected in ((0, [7, 9]), (3, [0, 9])):
        found = zeros(ctx, 2)
        launch(ctx, text, found, block=(1, 1, 1), pc=pc)
        assert list(words(found)) == expected
    with pytest.raises(ValueError, match="pc: instruction 1 is not a BGNSUB"):
        ctx.launch_grid(block=(1, 1, 1), pc=1)


def test_constants_are_read_when_a_grid_is_launched(ctx: g.Context) -> None:
    text = """COMP
DCL CONST[0][0..1]
DCL CONST[2][0]
DCL CONSTBUF[2]
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 4, 16, 20}
UADD TEMP[0].x, CONST[0][1].yyyy, CONST[2][0].xxxx
STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]
END
"""
    constants, found = buffer(ctx, np.arange(8, dtype=np.uint32)), zeros(ctx, 2)
    ctx.set_constant_buffer("COMPUTE", constants)
    ctx.set_constant_buffer("COMPUTE", np.full(4, 100, np.uint32), index=2)
    launch(ctx, text, found, block=(1, 1, 1))
    assert words(found)[0] == 105
    ctx.buffer_subdata(constants, np.full(8, 1000, np.uint32))
    ctx.launch_grid(block=(1, 1, 1))
    assert words(found)[0] == 1100


def test_user_memory_is_read_before_and_written_behind_a_grid(ctx: g.Context) -> None:
    memory = np.arange(8, dtype=np.uint32)
    resource = ctx.screen.resource_from_user_memory(memory)
    launch(ctx, ADD_ONE, resource, block=(4, 1, 1))
    assert list(memory) == [1, 2, 3, 4, 4, 5, 6, 7]
    memory[0] = 50
    ctx.launch_grid(block=(4, 1, 1))
    assert list(memory) == [51, 3, 4, 5, 4, 5, 6, 7]


def test_a_grid_of_many_blocks_is_the_same_on_several_threads() -> None:
    found = []
    for threads in (0, 3):
        with g.Screen(threads=threads).context_create() as ctx:
            result = zeros(ctx, 4 * 66 * 1001)
            for _ in range(3):
                launch(ctx, ADD_ONE, result, block=(33, 1, 1), grid=(4003, 1, 1))
            found.append(words(result).copy())
    assert (found[0] == found[1]).all()
    assert found[0].sum() == 3 * 33 * 4003


def test_a_grid_runs_without_helpers_where_no_thread_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(dispatch, "compute_units", lambda threads: 3)
    with g.Screen(threads=2).context_create() as ctx:
        found = [zeros(ctx, 64 * 1000) for _ in range(2)]
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", refuse)
            launch(ctx, ADD_ONE, found[0], block=(64, 1, 1), grid=(1000, 1, 1))
        launch(ctx, ADD_ONE, found[1], block=(64, 1, 1), grid=(1000, 1, 1))  # no data of an earlier launch is visible
        assert all((words(part) == 1).all() for part in found)


def test_kernels_are_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> None:
        with g.Screen(threads=0, cache_dir=tmp_path).context_create() as ctx:
            found = zeros(ctx, 4)
            launch(ctx, ONE, found, block=(1, 1, 1))
            assert words(found)[0] == 7

    run()
    monkeypatch.setattr(kernel_cache, "_shared", {})
    monkeypatch.setattr(kernels, "build_grid_kernel", lambda *given: pytest.fail("built again"))
    run()
    built: list[Library] = []
    monkeypatch.setattr(kernel_cache, "compile_cached", lambda *given, **more: built.append(given[0]))
    run()  # kept in memory
    assert not built


def test_programs_of_one_text_share_a_kernel(ctx: g.Context) -> None:
    found = zeros(ctx, 1)
    launch(ctx, ONE, found, block=(1, 1, 1))
    dispatcher = ctx._dispatch()
    assert isinstance(dispatcher, Dispatcher)
    before = len(dispatcher._kernels)
    launch(ctx, ONE, found, block=(1, 1, 1))
    assert len(dispatcher._kernels) == before


def test_constant_buffers_can_be_loaded_by_number(ctx: g.Context) -> None:
    text = """COMP
DCL SV[0], THREAD_ID
DCL CONSTBUF[3]
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {4, 0, 0, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
LOAD TEMP[1].x, CONSTBUF[3], TEMP[0].xxxx
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1]
END
"""
    found = buffer(ctx, np.full(16, 9, np.uint32))
    ctx.set_constant_buffer("COMPUTE", np.arange(20, 32, dtype=np.uint32), index=3)
    launch(ctx, text, found, block=(16, 1, 1))
    assert list(words(found)) == [*range(20, 32), 0, 0, 0, 0]


def test_images_can_be_named_by_handles(ctx: g.Context) -> None:
    text = """COMP
DCL IMAGE[5], 2D, PIPE_FORMAT_R32_UINT, WR
DCL TEMP[0..1]
IMM[0] UINT32 {1, 2, 77, 0}
IMG2HND TEMP[0].xy, IMAGE[5]
STORE TEMP[0].x, IMM[0].xyyy, IMM[0].zzzz, 2D, PIPE_FORMAT_R32_UINT
END
"""
    image = ctx.screen.resource_create(format="R32_UINT", width0=4, height0=4)
    ctx.set_shader_images("COMPUTE", [image], start=5)
    launch(ctx, text, block=(1, 1, 1))
    assert image.texels().sum() == image.texels()[0, 2, 1].sum() == 77


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_grids_run_on_threads_of_their_own_after_a_fork() -> None:
    with g.Screen(threads=2).context_create() as ctx:
        found = zeros(ctx, 64 * 1000)
        launch(ctx, ADD_ONE, found, block=(64, 1, 1), grid=(1000, 1, 1))
        child = os.fork()
        if not child:
            ctx.launch_grid(block=(64, 1, 1), grid=(1000, 1, 1))
            os._exit(0 if (words(found) == 2).all() else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert (words(found) == 1).all()
