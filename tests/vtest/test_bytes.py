"""Resources, transfers, copies, queries and grids."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from backends.gallium.context.context import Context
from backends.pipe.enums import QueryType
from tests.vtest.encoder import (
    BUFFER,
    COMPUTE,
    COVER,
    RGBA8,
    SAMPLED,
    TARGET,
    TEXTURE_2D,
    Commands,
    Runner,
    Stream,
    draw,
    read,
    target,
    vertices,
)
from tgsi.gallium import Screen
from tgsi.tools.vtest.protocol.numbers import QUERIES

RED, BLUE = (255, 0, 0, 255), (0, 0, 255, 255)


def test_a_box_comes_back_as_it_was_put(serve: Runner) -> None:
    data = bytes(range(64))
    stream = Stream().resource(1, TEXTURE_2D, RGBA8, SAMPLED, 8, 8).put(1, 0, (2, 3, 0, 4, 4, 1), data)
    assert serve(stream.get(1, 0, (2, 3, 0, 4, 4, 1), 64)).replies == data


def test_rows_of_a_stride_are_put_and_read_without_what_lies_between(serve: Runner) -> None:
    data = b"".join(bytes([row]) * 8 + b"?" * 8 for row in range(4))
    stream = Stream().resource(1, TEXTURE_2D, RGBA8, SAMPLED, 2, 4).put(1, 0, (0, 0, 0, 2, 4, 1), data, stride=16)
    result = serve(stream.get(1, 0, (0, 0, 0, 2, 4, 1), 64, stride=16))
    assert result.replies == data.replace(b"?", b"\0")


def test_levels_and_slices_are_found(serve: Runner) -> None:
    stream = Stream().resource(1, 3, RGBA8, SAMPLED, 4, 4, 4, last_level=1)
    stream.put(1, 1, (0, 0, 1, 2, 2, 1), bytes(range(16))).get(1, 1, (0, 0, 0, 2, 2, 2), 32)
    assert serve(stream).replies == bytes(16) + bytes(range(16))


def test_an_inline_write_lands_in_a_buffer(serve: Runner) -> None:
    words = struct.unpack("<2I", b"abcdefgh")
    stream = Stream().buffer(1, bytes(16)).submit(Commands().add("RESOURCE_INLINE_WRITE", 1, 0, 0, 0, 0, 4, 0, 0, 8, 1, 1, *words))
    assert serve(stream.get(1, 0, (0, 0, 0, 16, 1, 1), 16)).replies == b"\0\0\0\0abcdefgh\0\0\0\0"


def test_a_region_is_copied(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, RGBA8, SAMPLED, 4, 4).resource(2, TEXTURE_2D, RGBA8, SAMPLED, 4, 4)
    stream.put(1, 0, (0, 0, 0, 4, 4, 1), bytes(range(64)))
    stream.submit(Commands().add("RESOURCE_COPY_REGION", 2, 0, 1, 1, 0, 1, 0, 0, 0, 0, 2, 1, 1))
    assert serve(stream.get(2, 0, (1, 1, 0, 2, 1, 1), 8)).replies == bytes(range(8))


def test_a_blit_scales_and_mirrors(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, RGBA8, SAMPLED, 2, 1).resource(2, TEXTURE_2D, RGBA8, TARGET, 4, 1)
    stream.put(1, 0, (0, 0, 0, 2, 1, 1), bytes((*RED, *BLUE)))
    box = (2, 0, RGBA8, 4, 0, 0, -4 & 0xFFFFFFFF, 1, 1), (1, 0, RGBA8, 0, 0, 0, 2, 1, 1)
    stream.submit(Commands().add("BLIT", 15, 0, 0, *box[0], *box[1]))
    result = serve(stream.get(2, 0, (0, 0, 0, 4, 1, 1), 16))
    assert not result.lines
    assert result.replies == bytes((*BLUE, *BLUE, *RED, *RED))


def test_a_texture_is_cleared_with_the_bytes_of_a_texel(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, RGBA8, SAMPLED, 4, 4)
    stream.submit(Commands().add("CLEAR_TEXTURE", 1, 0, 1, 1, 0, 2, 2, 1, 0x04030201, 0, 0, 0))
    pixels = serve(read(stream, 4)).pixels(4, 4)
    assert (pixels[1:3, 1:3] == (1, 2, 3, 4)).all()
    assert not pixels[0].any()


def test_an_occlusion_query_leaves_its_count_in_the_buffer(serve: Runner) -> None:
    stream = target().buffer(2, vertices(*COVER)).resource(3, 0, 64, 1 << 17, 16)
    commands = Commands().create("QUERY", 50, 0, 0, 3).add("SET_VERTEX_BUFFERS", 32, 0, 2).add("BEGIN_QUERY", 50)
    commands.add("DRAW_VBO", *draw()).add("END_QUERY", 50).add("GET_QUERY_RESULT", 50, 1)
    result = serve(stream.submit(commands).get(3, 0, (0, 0, 0, 16, 1, 1), 16))
    assert not result.lines
    assert struct.unpack("<2IQ", result.replies) == (1, 4, 256)


WIDE = (5 << 32) + 7


@pytest.mark.parametrize("kind", range(len(QUERIES)))
def test_a_result_has_all_64_bits_and_the_width_that_its_kind_has_in_opengl(
    serve: Runner, kind: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    result_of: Any = {QueryType.SO_STATISTICS: (WIDE, 1), QueryType.PIPELINE_STATISTICS: (WIDE, *range(10))}
    monkeypatch.setattr(Context, "get_query_result", lambda context, query: result_of.get(query.kind, WIDE))
    commands = Commands().create("QUERY", 50, kind, 8, 3)
    commands.add("BEGIN_QUERY", 50).add("END_QUERY", 50).add("GET_QUERY_RESULT", 50, 1)
    result = serve(Stream().resource(3, BUFFER, 64, 1 << 17, 24).submit(commands).get(3, 0, (0, 0, 0, 24, 1, 1), 24))
    assert not result.lines
    width = 8 if QUERIES[kind] in (QueryType.TIMESTAMP, QueryType.TIME_ELAPSED) else 4
    assert struct.unpack("<Q2IQ", result.replies) == (0, 1, width, WIDE)


def test_a_result_goes_into_a_query_buffer(serve: Runner) -> None:
    stream = target().buffer(2, vertices(*COVER)).resource(3, 0, 64, 1 << 17, 16).resource(4, 0, 64, 1 << 15, 16)
    commands = Commands().create("QUERY", 50, 0, 0, 3).add("SET_VERTEX_BUFFERS", 32, 0, 2).add("BEGIN_QUERY", 50)
    commands.add("DRAW_VBO", *draw()).add("END_QUERY", 50).add("GET_QUERY_RESULT_QBO", 50, 4, 1, 3, 8, 0)
    result = serve(stream.submit(commands).get(4, 0, (0, 0, 0, 16, 1, 1), 16))
    assert not result.lines
    assert struct.unpack("<2Q", result.replies) == (0, 256)


def test_a_render_condition_that_fails_skips_a_draw(serve: Runner) -> None:
    stream = target().buffer(2, vertices(*COVER)).resource(3, 0, 64, 1 << 17, 16)
    commands = Commands().create("QUERY", 50, 1, 0, 3).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    commands.add("BEGIN_QUERY", 50).add("END_QUERY", 50).add("SET_RENDER_CONDITION", 50, 0, 0).add("DRAW_VBO", *draw())
    result = serve(read(stream.submit(commands.add("SET_RENDER_CONDITION", 0, 0, 0))))
    assert not result.lines
    assert not result.pixels(16, 16).any()


GRID = (
    "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 4\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
    "DCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {4, 100, 0, 0}\n"
    "UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx\nUMUL TEMP[0].y, TEMP[0].xxxx, IMM[0].xxxx\n"
    "UADD TEMP[0].z, TEMP[0].xxxx, IMM[0].yyyy\nSTORE BUFFER[0].x, TEMP[0].yyyy, TEMP[0].zzzz\nEND\n"
)


def test_a_grid_writes_a_shader_buffer(serve: Runner) -> None:
    stream = Stream().resource(1, 0, 64, 1 << 14, 32)
    commands = Commands().shader(20, COMPUTE, GRID).add("BIND_SHADER", 20, COMPUTE)
    commands.add("SET_SHADER_BUFFERS", COMPUTE, 0, 0, 32, 1).add("SET_ATOMIC_BUFFERS", 0, 0, 0, 0)
    commands.add("SET_SHADER_IMAGES", COMPUTE, 0, 0, 0, 0, 0, 0)
    commands.add("LAUNCH_GRID", 4, 1, 1, 2, 1, 1, 0, 0).add("MEMORY_BARRIER", 0xFFF).add("TEXTURE_BARRIER", 1)
    result = serve(stream.submit(commands).get(1, 0, (0, 0, 0, 32, 1, 1), 32))
    assert not result.lines
    assert list(np.frombuffer(result.replies, np.uint32)) == [100 + k for k in range(8)]


def test_hints_and_markers_do_nothing(serve: Runner) -> None:
    commands = Commands().add("NOP").add("SET_TWEAKS", 1, 2).add("SET_DEBUG_FLAGS", 0x616161).add("END_TRANSFERS", 0)
    assert not serve(Stream().submit(commands.add("SEND_STRING_MARKER", 3, 0x00636261))).lines


def test_memory_is_told_in_kib(serve: Runner, screen: Screen) -> None:
    stream = Stream().resource(3, BUFFER, 64, 1 << 17, 24).submit(Commands().add("GET_MEMORY_INFO", 3))
    result = serve(stream.get(3, 0, (0, 0, 0, 24, 1, 1), 24))
    assert not result.lines
    total, free, staging, _, evicted, evictions = struct.unpack("<6I", result.replies)
    assert total == staging == screen.query_memory_info()["total_device_memory"]
    assert 0 < free <= total
    assert (evicted, evictions) == (0, 0)


def test_memory_is_not_told_to_a_buffer_without_room(serve: Runner) -> None:
    result = serve(Stream().resource(3, BUFFER, 64, 1 << 17, 20).submit(Commands().add("GET_MEMORY_INFO", 3)))
    assert "24 bytes do not fit the resource" in result.lines[0]
