"""Threads of a row that access neighbors do it at once, in images and in buffers; the bytes are those of a thread at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.llvm.translate.emit.images import SHARED_FROM

WIDTH, HEIGHT = 45, 21
FORMATS = {"R8_UINT": "u1", "R16_UINT": "u2", "R32_UINT": "u4", "R32G32_UINT": "2u4", "R32G32B32A32_UINT": "4u4"}
BLOCKS = [(16, 4), (8, 8), (48, 1), (12, 3), (3, 5)]
SHIFTS = [(0, 0), (1, 0), (3, 0), (-2, 1), (5, -3), (-60, 0)]

HEAD = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH {block[0]}
PROPERTY CS_FIXED_BLOCK_HEIGHT {block[1]}
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], BLOCK_SIZE
DCL CONST[0]
DCL TEMP[0..2]
UMAD TEMP[0].xy, SV[1], SV[2], SV[0]
UADD TEMP[1].xy, TEMP[0], CONST[0]
"""
OF_IMAGES = (
    HEAD
    + """DCL IMAGE[0], 2D, PIPE_FORMAT_{format}
DCL IMAGE[1], 2D, PIPE_FORMAT_{format}, WR
LOAD TEMP[2], IMAGE[0], TEMP[1], 2D, PIPE_FORMAT_{format}
STORE IMAGE[1], TEMP[0], TEMP[2], 2D, PIPE_FORMAT_{format}
END
"""
)
OF_BUFFERS = (
    HEAD
    + """DCL BUFFER[0..1]
IMM[0] UINT32 {{45, 4, 0, 0}}
UMAD TEMP[0].x, TEMP[0].yyyy, IMM[0].xxxx, TEMP[0].xxxx
UMAD TEMP[1].x, TEMP[1].yyyy, IMM[0].xxxx, TEMP[1].xxxx
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
UMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
LOAD TEMP[2].x, BUFFER[0], TEMP[1].xxxx
STORE BUFFER[1].x, TEMP[0].xxxx, TEMP[2].xxxx
END
"""
)


@pytest.fixture(scope="module")
def ctx() -> Iterator[Any]:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as context:
        yield context


def _launch(ctx: Any, text: str, block: tuple[int, int], shift: tuple[int, int], width: int = WIDTH) -> None:
    ctx.bind_compute_state(ctx.create_compute_state(text))
    ctx.set_constant_buffer("COMPUTE", np.array([*shift, 0, 0], np.int32))
    ctx.launch_grid(grid=(-(-width // block[0]), -(-HEIGHT // block[1]), 1))


@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("width", [WIDTH, 64], ids=["rows with padding", "rows without padding"])
def test_rows_of_images_are_what_each_thread_reads_and_writes(ctx: Any, width: int, name: str, block: tuple[int, int]) -> None:
    _check_images(ctx, OF_IMAGES.format(block=block, format=name), name, block, width)


@pytest.mark.parametrize("name", FORMATS)
def test_programs_with_many_accesses_share_the_code_of_equal_ones(ctx: Any, name: str) -> None:
    text = OF_IMAGES.format(block=BLOCKS[0], format=name)
    load = next(line for line in text.splitlines(keepends=True) if line.startswith("LOAD"))
    _check_images(ctx, text.replace(load, load * SHARED_FROM), name, BLOCKS[0], WIDTH)


def _check_images(ctx: Any, text: str, name: str, block: tuple[int, int], width: int) -> None:
    """Copy an image by a program at several shifts, and compare the copies with numpy's."""
    kind = np.dtype(FORMATS[name])
    source = np.random.default_rng(5).integers(1, 250, (HEIGHT, width, *kind.shape)).astype(kind.base)
    images = [ctx.screen.resource_create(format=name, width0=width, height0=HEIGHT, bind="SHADER_IMAGE") for _ in range(2)]
    ctx.texture_subdata(images[0], source)
    ctx.set_shader_images("COMPUTE", images)
    for shift in SHIFTS:
        ctx.texture_subdata(images[1], np.full_like(source, 255))
        _launch(ctx, text, block, shift, width)
        y, x = np.mgrid[0:HEIGHT, 0:width] + np.array(shift)[::-1, None, None]
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < HEIGHT)
        wanted = np.where(inside.reshape(HEIGHT, width, *[1] * len(kind.shape)), source[y % HEIGHT, x % width], 0)
        with ctx.transfer_map(images[1], usage="READ") as mapped:
            found = np.array(mapped.data).reshape(source.shape)
        assert (found == wanted).all(), shift


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_rows_of_buffers_are_what_each_thread_reads_and_writes(ctx: Any, block: tuple[int, int]) -> None:
    words = np.random.default_rng(6).integers(1, 1 << 31, WIDTH * HEIGHT, np.uint32)
    buffers = [ctx.screen.resource_create(target="BUFFER", width0=words.nbytes) for _ in range(2)]
    ctx.buffer_subdata(buffers[0], words)
    ctx.set_shader_buffers("COMPUTE", buffers)
    columns, rows = (-(-extent // size) * size for extent, size in zip((WIDTH, HEIGHT), block, strict=True))
    y, x = (v.ravel() for v in np.mgrid[0:rows, 0:columns])
    for shift in SHIFTS:
        ctx.buffer_subdata(buffers[1], np.zeros_like(words))
        _launch(ctx, OF_BUFFERS.format(block=block), block, shift)
        places, read = y * WIDTH + x, (y + shift[1]) * WIDTH + x + shift[0]
        there = (read >= 0) & (read < len(words))
        values = np.where(there, words[np.clip(read, 0, len(words) - 1)], 0)
        wanted = np.zeros_like(words)
        # threads that write one place must write one value, so their sources are as far apart as their places
        wanted[places[places < len(words)]] = values[places < len(words)]
        with ctx.transfer_map(buffers[1], usage="READ") as mapped:
            found = np.array(mapped.data).view(np.uint32)
        assert (found == wanted).all(), shift
