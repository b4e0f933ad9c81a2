"""Reading into the caller's own memory."""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.device.copy_job import Copy
from backends.pipe.limits import LARGE_COPY
from backends.raster.control.at_once import TRIALS
from tests.calls import calls_in
from tests.unit.gallium.recording_device import Recorder
from tgsi import gallium as g

WIDTH, HEIGHT = 637, 411  # one megabyte; rows of neither whole cache lines nor whole words of 64 bits


def random(*shape: int) -> NDArray[np.uint8]:
    return np.random.default_rng(7).integers(1, 256, shape, "u1")


def texture(screen: g.Screen, ctx: g.Context, **template: Any) -> tuple[g.Resource, NDArray[np.uint8]]:
    """A texture of WIDTH x HEIGHT and its texels."""
    made = screen.resource_create(width0=WIDTH, height0=HEIGHT, **template)
    texels = random(made.levels[0].layers, HEIGHT, WIDTH, 4)
    ctx.texture_subdata(made, texels)
    return made, texels


def job(source: NDArray[np.uint8], target: NDArray[np.uint8]) -> Copy:
    """The copy of an array of shape (rows, bytes) to another one."""
    rows, size = source.shape
    return Copy(source.ctypes.data, source.strides[0], target.ctypes.data, target.strides[0], size, rows)


@pytest.mark.parametrize("threads", [0, 3])
@pytest.mark.parametrize("bind", ["SAMPLER_VIEW", "RENDER_TARGET"])
def test_a_large_picture_is_copied_whole_by_any_number_of_threads(threads: int, bind: str) -> None:
    with g.Screen(threads=threads) as screen, screen.context_create() as ctx:
        made, texels = texture(screen, ctx, bind=bind)
        into = np.zeros((HEIGHT, WIDTH, 4), "u1")
        for _ in range(5):
            into[:] = 0
            ctx.texture_read(made, into)
            assert (into == texels[0]).all()


@pytest.mark.parametrize("size", [1, 3, 16, 63, 64, 65, 127, 128, 200])
@pytest.mark.parametrize("rows", [1, 3, 4, 5, 63, 64, 65, 131])
def test_the_device_copies_rows_of_every_length_and_nothing_beside_them(ctx: g.Context, size: int, rows: int) -> None:
    source = random(rows + 2, size + 9)
    target = np.zeros((rows + 2, size + 30), "u1")
    ctx.device.copy(job(source[1:-1, 4 : 4 + size], target[1:-1, 7 : 7 + size]))
    wanted = np.zeros_like(target)
    wanted[1:-1, 7 : 7 + size] = source[1:-1, 4 : 4 + size]
    assert (target == wanted).all()


@pytest.mark.parametrize("size", [0, 1, 4159, 4160, 4161, 300_000])
def test_the_device_copies_bytes_without_gaps(ctx: g.Context, size: int) -> None:
    source, target = random(size), np.zeros(size + 2, "u1")
    ctx.device.copy(job(source[None], target[None, 1:-1]))
    assert (target[1:-1] == source).all()
    assert not target[[0, -1]].any()


def test_a_copy_is_made_alone_while_that_is_faster_and_with_all_threads_otherwise() -> None:
    ways: list[bool] = []
    seconds = {False: 1, True: 2}  # of a copy by all threads, and by the caller alone
    clock, latest = [0], [0]

    def clock_gettime(_: int, time: Any) -> int:
        if pool.scene.asked.num_resolves and copier.copies != latest[0]:  # a flush begins
            latest[0] = copier.copies
            ways.append(bool(pool.scene.asked.alone))
            clock[0] += seconds[ways[-1]]
        time.contents[:] = clock[0], 0
        return 0

    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int64 * 2))(clock_gettime)
    with g.Screen(threads=1) as screen, screen.context_create() as ctx:
        pool, copier = ctx.device._pool, ctx.device._copier.record  # type: ignore[attr-defined]
        source, target = random(64, 65), np.zeros((64, 70), "u1")
        ctx.device.copy(job(source, target[:, :65]))  # with the threads, which begin here
        pool.watch.record.clock, real = ctypes.cast(callback, ctypes.c_void_p).value, pool.watch.record.clock
        for cost, usual in ((2, False), (0, True), (2, False)):
            seconds[True] = cost
            ways.clear()
            for _ in range(40 * TRIALS):
                ctx.device.copy(job(source, target[:, :65]))
            late = ways[-10 * TRIALS :]
            assert late.count(usual) == 10 * (TRIALS - 1)
        pool.watch.record.clock = real


def test_a_large_picture_that_is_read_again_runs_no_python(screen: g.Screen, ctx: g.Context) -> None:
    made, texels = texture(screen, ctx, bind="RENDER_TARGET")
    into = np.zeros_like(texels[0])
    for _ in range(2):
        ctx.texture_read(made, into)
    into[:] = 0
    assert calls_in(lambda: ctx.texture_read(made, into)) == []
    assert (into == texels[0]).all()


def test_a_texture_that_is_destroyed_while_it_is_read_keeps_its_memory_until_the_copy_is_made(screen: g.Screen, ctx: g.Context) -> None:
    made, texels = texture(screen, ctx, bind="RENDER_TARGET")
    into = np.zeros_like(texels[0])
    for _ in range(2):
        ctx.texture_read(made, into)
    before = sys.getrefcount(made.storage)
    for _ in range(100):
        ctx.texture_read(made, into)
    after = sys.getrefcount(made.storage)
    assert before == after  # each read has released it
    errors = []

    def read() -> None:
        try:
            while True:
                ctx.texture_read(made, into)
        except ValueError as error:
            errors.append(str(error))

    reader = threading.Thread(target=read)
    reader.start()
    reader.join(0.02)
    made.destroy()
    reader.join()
    assert (into == texels[0]).all()
    assert "destroyed" in errors[0]


@pytest.mark.parametrize("threads", [0, 2])
def test_a_picture_is_read_while_another_thread_forks(threads: int) -> None:
    with g.Screen(threads=threads) as screen, screen.context_create() as ctx:
        made, texels = texture(screen, ctx, bind="RENDER_TARGET")
        into = np.zeros_like(texels[0])
        for _ in range(3):
            ctx.texture_read(made, into)
        ctx.device._pool.hold()  # type: ignore[attr-defined]
        into[:] = 0
        ctx.texture_read(made, into)
        ctx.device._pool.let_go()  # type: ignore[attr-defined]
        assert (into == texels[0]).all()


def test_a_box_goes_to_rows_and_layers_that_are_strides_apart(screen: g.Screen, ctx: g.Context) -> None:
    made, texels = texture(screen, ctx, target="TEXTURE_2D_ARRAY", array_size=3)
    into = bytearray(b"\7" * 3_000_000)
    ctx.texture_read(made, into, box=(5, 3, 1, 600, 400, 2), stride=2500, layer_stride=1_200_000)
    wanted = np.full(3_000_000, 7, "u1")
    np.ndarray((2, 400, 600, 4), np.uint8, wanted.data, 0, (1_200_000, 2500, 4, 1))[...] = texels[1:3, 3:403, 5:605]
    assert (np.frombuffer(into, np.uint8) == wanted).all()


def test_a_small_picture_is_read_at_its_level(screen: g.Screen, ctx: g.Context) -> None:
    made = screen.resource_create(width0=8, height0=8, last_level=2)
    texels = random(2, 2, 4)
    ctx.texture_subdata(made, texels, level=2)
    into = np.zeros_like(texels)
    ctx.texture_read(made, into, level=2)
    assert (into == texels).all()


def test_samples_are_resolved(screen: g.Screen, ctx: g.Context) -> None:
    made, texels = texture(screen, ctx, bind="RENDER_TARGET", nr_samples=4)
    into = np.zeros((HEIGHT - 1, WIDTH, 4), "u1")
    ctx.texture_read(made, into, box=(0, 1, 0, WIDTH, HEIGHT - 1, 1))
    assert (into == texels[0, 1:]).all()


def test_reading_finishes_what_was_drawn(screen: g.Screen, ctx: g.Context) -> None:
    made, _ = texture(screen, ctx, bind="RENDER_TARGET")
    ctx.set_framebuffer_state(cbufs=[made])
    ctx.clear("COLOR", color=(0, 1, 0, 1))
    into = np.zeros((HEIGHT, WIDTH, 4), "u1")
    ctx.texture_read(made, into)
    assert (into == (0, 255, 0, 255)).all()


def test_reading_other_memory_leaves_pending_work_as_it_was(screen: g.Screen, ctx: g.Context) -> None:
    made, texels = texture(screen, ctx)
    target = screen.resource_create(width0=200, height0=100, bind="RENDER_TARGET")
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear("COLOR", color=(0, 0, 1, 1))
    into = np.zeros((HEIGHT, WIDTH, 4), "u1")
    ctx.texture_read(made, into)
    assert (into == texels[0]).all()
    assert ctx.is_resource_referenced(target)
    seen = np.zeros((100, 200, 4), "u1")
    ctx.texture_read(target, seen)
    assert (seen == (0, 0, 255, 255)).all()


@pytest.mark.parametrize("size", [20, LARGE_COPY + 77])
def test_bytes_of_a_buffer_are_read_from_an_offset_on(screen: g.Screen, ctx: g.Context, size: int) -> None:
    made, data = screen.resource_create(target="BUFFER", width0=size), random(size)
    ctx.buffer_subdata(made, data)
    into = bytearray(size - 8)
    ctx.buffer_read(made, into, offset=5)
    assert into == data[5:-3].tobytes()
    ctx.texture_read(made, into, box=(1, 0, 0, 4, 1, 1))
    assert into == (data[1:5].tobytes() + data[9:-3].tobytes())


def test_a_picture_is_read_into_its_own_memory(screen: g.Screen, ctx: g.Context) -> None:
    made, texels = texture(screen, ctx)
    ctx.texture_read(made, made.storage[: WIDTH * HEIGHT * 4])
    assert (made.storage[: WIDTH * HEIGHT * 4].reshape(HEIGHT, WIDTH, 4) == texels[0]).all()


def test_large_copies_are_jobs_of_the_device() -> None:
    recorder = Recorder()
    screen = g.Screen(0, device=recorder, cache_dir="")
    ctx = screen.context_create()
    made = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=256, height0=256, array_size=2)
    recorder.take()
    ctx.texture_read(made, np.zeros((2, 256, 256, 4), "u1"))
    assert recorder.take() == ["copy", "copy"]


READ_ONLY = np.zeros((4, 4, 4), "u1")
READ_ONLY.setflags(write=False)


@pytest.mark.parametrize(
    ("into", "given", "message"),
    [
        (np.zeros((4, 4, 3), "u1"), {}, "texture_read: into: 64 bytes are needed, 48 are there"),
        (np.zeros(100, "u1"), {"stride": 32}, "texture_read: into: 112 bytes are needed, 100 are there"),
        (np.zeros(64, "u1"), {"stride": 15}, "texture_read: stride: 15"),
        (np.zeros(64, "u1"), {"layer_stride": 63}, "texture_read: layer_stride: 63"),
        (np.zeros((4, 8, 4), "u1")[:, ::2], {}, "texture_read: into: the array has gaps"),
        (READ_ONLY, {}, "texture_read: into: it is read-only"),
        (bytes(64), {}, "texture_read: into: it is read-only"),
        (64, {}, "texture_read: into: .* not int"),
        (np.zeros(8, object), {}, "texture_read: into: .* not of object"),
        (np.zeros(64, "u1"), {"level": 1}, "texture_read: level"),
        (np.zeros(64, "u1"), {"box": (0, 0, 0, 5, 1, 1)}, "texture_read: box"),
    ],
)
def test_wrong_arguments_are_named_and_nothing_is_copied(
    screen: g.Screen, ctx: g.Context, into: Any, given: dict[str, Any], message: str
) -> None:
    made = screen.resource_create(width0=4, height0=4)
    ctx.texture_subdata(made, random(4, 4, 4))
    with pytest.raises((TypeError, ValueError), match=message):
        ctx.texture_read(made, into, **given)
    if isinstance(into, np.ndarray):
        assert not into.any()


def test_wrong_arguments_of_a_buffer_are_named(screen: g.Screen, ctx: g.Context) -> None:
    made = screen.resource_create(target="BUFFER", width0=16)
    for into, given, message in (
        (bytearray(17), {}, "it takes 17 bytes; from 0 on the buffer has 16"),
        (bytearray(4), {"offset": 13}, "it takes 4 bytes; from 13 on the buffer has 3"),
        (bytearray(4), {"offset": 17}, "offset: 17"),
    ):
        with pytest.raises(ValueError, match=message):
            ctx.buffer_read(made, into, **given)
    with pytest.raises(ValueError, match="into: 16 bytes are needed, 3 are there"):
        ctx.texture_read(made, bytearray(3))
    with pytest.raises(ValueError, match="use texture_read"):
        ctx.buffer_read(screen.resource_create(width0=4, height0=4), bytearray(64))
