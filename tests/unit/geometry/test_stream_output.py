"""Stream output, draws that take their vertex count from it, and its queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from tests.texts import VS_POSITION
from tests.unit.geometry.programs import WHOLE, geometry, passthrough, streamed, words
from tests.unit.picture import GENERIC, PASS, STRIP, Picture
from tgsi import gallium as g

pytestmark = pytest.mark.light

Array = np.ndarray[Any, Any]
FILL = 0xCDCDCDCD

TRANSFORM = """VERT
DCL IN[0]
DCL IN[1]
DCL SV[0], VERTEXID
DCL SV[1], INSTANCEID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0]
MAD OUT[0], IN[0], CONST[0].xxxx, IN[1]
RCP OUT[1].x, IN[1].xxxx
MOV OUT[1].y, SV[0].xxxx
MOV OUT[1].z, SV[1].xxxx
MOV OUT[1].w, IN[0].yyyy
END
"""

# Primitives of each type, as numbers of vertices: for the last and for the first provoking vertex.
LISTS: dict[str, tuple[int, list[list[int]], list[list[int]]]] = {
    "POINTS": (3, [[0], [1], [2]], [[0], [1], [2]]),
    "LINES": (5, [[0, 1], [2, 3]], [[0, 1], [2, 3]]),
    "LINE_STRIP": (4, [[0, 1], [1, 2], [2, 3]], [[0, 1], [1, 2], [2, 3]]),
    "LINE_LOOP": (3, [[0, 1], [1, 2], [2, 0]], [[0, 1], [1, 2], [2, 0]]),
    "TRIANGLES": (8, [[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [3, 4, 5]]),
    "TRIANGLE_STRIP": (5, [[0, 1, 2], [2, 1, 3], [2, 3, 4]], [[0, 1, 2], [1, 3, 2], [2, 3, 4]]),
    "TRIANGLE_FAN": (5, [[0, 1, 2], [0, 2, 3], [0, 3, 4]], [[1, 2, 0], [2, 3, 0], [3, 4, 0]]),
    "QUADS": (8, [[0, 1, 3], [1, 2, 3], [4, 5, 7], [5, 6, 7]], [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]),
    "QUAD_STRIP": (6, [[0, 1, 3], [2, 0, 3], [2, 3, 5], [4, 2, 5]], [[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]]),
    "POLYGON": (5, [[1, 2, 0], [2, 3, 0], [3, 4, 0]], [[0, 1, 2], [0, 2, 3], [0, 3, 4]]),
    "LINES_ADJACENCY": (8, [[1, 2], [5, 6]], [[1, 2], [5, 6]]),
    "LINE_STRIP_ADJACENCY": (5, [[1, 2], [2, 3]], [[1, 2], [2, 3]]),
    "TRIANGLES_ADJACENCY": (12, [[0, 2, 4], [6, 8, 10]], [[0, 2, 4], [6, 8, 10]]),
    "TRIANGLE_STRIP_ADJACENCY": (10, [[0, 2, 4], [4, 2, 6], [4, 6, 8]], [[0, 2, 4], [2, 6, 4], [4, 6, 8]]),
}


def vertices(count: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(11)
    return rng.uniform(-1, 1, (count, 4)).astype(np.float32), rng.uniform(0.2, 1, (count, 4)).astype(np.float32)


def draw(picture: Picture, info: g.StreamOutputInfo | None, number: int = 3, text: str = PASS, **options: Any) -> Picture:
    """Draw `number` vertices with a vertex program that has stream output."""
    return picture.draw(GENERIC, text, *vertices(number), stream_output=info, **options)


@pytest.mark.parametrize("mode", ["QUADS", "QUAD_STRIP"])
def test_quads_that_provoke_last_are_taken_apart_as_without_flatshade_first(mode: str) -> None:
    picture = Picture()
    (buffer,) = streamed(picture, 4096)
    draw(picture, WHOLE, 6, mode=mode, rasterizer={"flatshade_first": True, "quads_provoke_last": True, "rasterizer_discard": True})
    expected = np.array(LISTS[mode][1]).ravel()[: 6 if mode == "QUADS" else 12]
    np.testing.assert_array_equal(words(buffer)[: 8 * len(expected)].view(np.float32).reshape(-1, 8), np.hstack(vertices(6))[expected])


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("mode", LISTS)
def test_every_primitive_type_is_taken_apart_in_the_order_of_its_vertices(mode: str, first: bool) -> None:
    count, last_provokes, first_provokes = LISTS[mode]
    expected = np.array(first_provokes if first else last_provokes)
    picture = Picture()
    (buffer,) = streamed(picture, 4096)
    draw(picture, WHOLE, count, mode=mode, rasterizer={"flatshade_first": first, "rasterizer_discard": True})
    found = words(buffer)[: 8 * expected.size].view(np.float32).reshape(-1, 8)
    np.testing.assert_array_equal(found, np.hstack(vertices(count))[expected.ravel()])
    assert (words(buffer)[8 * expected.size :] == FILL).all()
    assert not picture.pixels().any()


def test_what_a_vertex_program_streams_out_is_what_a_run_of_it_gives() -> None:
    points, values = vertices(50)
    indices = np.random.default_rng(2).integers(0, 45, 60).astype(np.uint16)
    constants = np.array([[3.5, 0, 0, 0]], np.float32)
    picture = Picture()
    (buffer,) = streamed(picture, 1 << 16)
    picture.ctx.set_constant_buffer("VERTEX", constants)
    draw(picture, WHOLE, 50, TRANSFORM, mode="TRIANGLES", index=indices, count=60, index_bias=5, instance_count=2)
    number = np.tile(indices.astype(np.uint32) + 5, 2)
    system = {"VERTEXID": number, "INSTANCEID": np.repeat(np.arange(2, dtype=np.uint32), 60)}
    inputs = np.stack([points, values], axis=1)[number]
    made = tgsi.run(tgsi.parse(TRANSFORM), inputs, constants={0: constants}, system_values=system)
    np.testing.assert_array_equal(words(buffer)[: made.outputs.size], made.outputs.ravel())
    assert (words(buffer)[made.outputs.size :] == FILL).all()


def test_components_offsets_strides_and_gaps() -> None:
    info = g.StreamOutputInfo((5, 3), (g.StreamOutput(0, 1, 2, 0, 3), g.StreamOutput(1, 3, 1, 0, 0), g.StreamOutput(1, 0, 3, 1, 0)))
    picture = Picture()
    a, b = streamed(picture, 64, buffers=2, offsets=[4, 0])
    draw(picture, info, 2, mode="POINTS")
    points, values = (v.view(np.uint32) for v in vertices(2))
    expected = np.full(16, FILL, np.uint32)
    for k in range(2):
        expected[1 + 5 * k], expected[4 + 5 * k : 6 + 5 * k] = values[k, 3], points[k, 1:3]
    np.testing.assert_array_equal(words(a), expected)
    np.testing.assert_array_equal(words(b)[:6], values[:, :3].ravel())


def test_offsets_set_the_place_and_minus_one_goes_on() -> None:
    picture = Picture()
    ctx = picture.ctx
    buffer = picture.buffer(np.full(256, FILL, np.uint32))
    target = ctx.create_stream_output_target(buffer, buffer_offset=32, buffer_size=512)
    ctx.set_stream_output_targets([target], offsets=[64])
    for _ in range(2):
        draw(picture, WHOLE, 1, mode="POINTS")
    ctx.set_stream_output_targets([])
    draw(picture, WHOLE, 1, mode="POINTS")
    ctx.set_stream_output_targets([target], offsets=[-1])
    draw(picture, WHOLE, 1, mode="POINTS")
    found = words(buffer) != FILL
    assert np.flatnonzero(found).tolist() == list(range(24, 48))
    assert target.offset == 64 + 3 * 32
    ctx.set_stream_output_targets([target], offsets=[0])
    assert target.offset == 0


def test_primitives_are_written_whole_or_not_at_all_and_queries_say_how_many() -> None:
    picture = Picture()
    ctx = picture.ctx
    (buffer,) = streamed(picture, 32 * 8)  # room for two triangles and two thirds
    kinds = ["PRIMITIVES_GENERATED", "PRIMITIVES_EMITTED", "SO_STATISTICS", "SO_OVERFLOW_PREDICATE", "SO_OVERFLOW_ANY_PREDICATE"]
    queries = [ctx.create_query(kind) for kind in kinds]
    for query in queries:
        ctx.begin_query(query)
    draw(picture, WHOLE, 12, mode="TRIANGLES")
    for query in queries:
        ctx.end_query(query)
    assert [ctx.get_query_result(query) for query in queries] == [4, 2, (2, 4), True, True]
    assert (words(buffer)[48:] == FILL).all()
    ctx.render_condition(queries[3], condition=True)
    before = picture.pixels()
    draw(picture, None, 12, mode="TRIANGLES", rasterizer={"flatshade_first": True})
    np.testing.assert_array_equal(picture.pixels(), before)


def test_a_vertex_may_end_where_its_target_ends_before_its_stride_does() -> None:
    info = g.StreamOutputInfo((8,), (g.StreamOutput(0),))
    picture = Picture()
    (buffer,) = streamed(picture, 32 + 16)
    assert picture.counted("PRIMITIVES_EMITTED", lambda: draw(picture, info, 3, mode="POINTS")) == 2
    assert (words(buffer)[[3, 8, 11]] != FILL).all()
    assert (words(buffer)[4:8] == FILL).all()


def test_a_missing_target_takes_nothing_and_keeps_others_from_being_written() -> None:
    info = g.StreamOutputInfo((4, 4), (g.StreamOutput(0), g.StreamOutput(1, output_buffer=1)))
    picture = Picture()
    (buffer,) = streamed(picture, 256)
    assert picture.counted("SO_STATISTICS", lambda: draw(picture, info, 3, mode="POINTS")) == (0, 3)
    assert (words(buffer) == FILL).all()


def test_nothing_is_streamed_without_targets_or_without_a_declaration() -> None:
    picture = Picture()
    assert picture.counted("SO_STATISTICS", lambda: draw(picture, WHOLE, 3, mode="POINTS")) == (0, 0)
    (buffer,) = streamed(picture, 256)
    assert picture.counted("SO_STATISTICS", lambda: draw(picture, None, 3, mode="POINTS")) == (0, 0)
    assert (words(buffer) == FILL).all()


def test_a_draw_without_a_framebuffer_streams_out_and_counts() -> None:
    picture = Picture()
    picture.ctx.set_framebuffer_state()
    (buffer,) = streamed(picture, 96)
    assert picture.counted("PRIMITIVES_GENERATED", lambda: draw(picture, WHOLE, 3, mode="TRIANGLES")) == 1
    np.testing.assert_array_equal(words(buffer).view(np.float32).reshape(3, 8), np.hstack(vertices(3)))


def test_the_picture_is_the_one_without_stream_output() -> None:
    plain = draw(Picture(), None, 30, mode="TRIANGLES").pixels()
    picture = Picture()
    streamed(picture, 64)
    np.testing.assert_array_equal(draw(picture, WHOLE, 30, mode="TRIANGLES").pixels(), plain)


def test_a_draw_takes_its_count_from_a_target_and_reads_what_was_written() -> None:
    picture = Picture()
    ctx = picture.ctx
    (buffer,) = streamed(picture, 4096)
    target = ctx.state.stream_targets[0]
    draw(picture, WHOLE, 6, mode="TRIANGLES", rasterizer={"rasterizer_discard": True})
    ctx.set_stream_output_targets([])
    ctx.bind_rasterizer_state(None)
    ctx.set_vertex_buffers([{"buffer": buffer, "stride": 32}])
    statistics = picture.counted("PIPELINE_STATISTICS", lambda: ctx.draw_vbo(mode="TRIANGLES", count_from_stream_output=target))
    assert statistics[:2] == (6, 2)
    expected = draw(Picture(), None, 6, mode="TRIANGLES").pixels()
    np.testing.assert_array_equal(picture.pixels(), expected)


def test_pending_draws_read_a_buffer_before_stream_output_changes_it() -> None:
    expected = draw(Picture(), None, 6, mode="TRIANGLES").pixels()
    picture = Picture()
    ctx = picture.ctx
    buffer = picture.buffer(np.hstack(vertices(6)))
    shader = ctx.create_vs_state(PASS, stream_output=WHOLE)
    ctx.bind_fs_state(ctx.create_fs_state(GENERIC))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))
    ctx.bind_vs_state(shader)
    ctx.set_vertex_buffers([{"buffer": buffer, "stride": 32}])
    ctx.draw_vbo(mode="TRIANGLES", count=6)
    ctx.set_vertex_buffers([np.zeros((6, 8), np.float32)])
    ctx.set_stream_output_targets([ctx.create_stream_output_target(buffer)])
    ctx.draw_vbo(mode="TRIANGLES", count=6)
    assert not words(buffer)[:48].any()
    np.testing.assert_array_equal(picture.pixels(), expected)


STREAMS = """GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 6
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] UINT32 {0, 1, 2, 3}
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
EMIT IMM[0].xxxx
EMIT IMM[0].zzzz
EMIT IMM[0].wwww
MOV OUT[0], IN[0][1]
EMIT IMM[0].zzzz
EMIT IMM[0].yyyy
EMIT IMM[0].zzzz
END
"""


def test_every_stream_goes_to_its_buffer_and_is_counted_for_itself() -> None:
    info = g.StreamOutputInfo((4, 4), (g.StreamOutput(0, output_buffer=1, stream=2), g.StreamOutput(1, output_buffer=0, stream=1)))
    picture = Picture()
    ctx = picture.ctx
    geometry(picture, STREAMS, info)
    one, two = streamed(picture, 16 * 7, buffers=2)
    kinds = ("PRIMITIVES_GENERATED", "SO_STATISTICS", "SO_OVERFLOW_PREDICATE")
    queries = {(kind, index): ctx.create_query(kind, index=index) for kind in kinds for index in range(4)}
    every = ctx.create_query("PIPELINE_STATISTICS")
    for query in (*queries.values(), every):
        ctx.begin_query(query)
    picture.draw(GENERIC, PASS, *vertices(3), mode="POINTS")
    for query in (*queries.values(), every):
        ctx.end_query(query)
    points, values = (v.view(np.uint32) for v in vertices(3))
    np.testing.assert_array_equal(words(one)[:12].reshape(3, 4), values)
    expected = np.stack([points, values, values], axis=1).reshape(9, 4)
    np.testing.assert_array_equal(words(two).reshape(7, 4), expected[:7])
    assert [ctx.get_query_result(queries["PRIMITIVES_GENERATED", k]) for k in range(4)] == [3, 3, 9, 3]
    assert [ctx.get_query_result(queries["SO_STATISTICS", k]) for k in range(4)] == [(0, 0), (3, 3), (7, 9), (0, 0)]
    assert [ctx.get_query_result(queries["SO_OVERFLOW_PREDICATE", k]) for k in range(4)] == [False, False, True, False]
    result = ctx.get_query_result(every)
    assert isinstance(result, tuple)
    assert result[:6] == (3, 3, 3, 3, 18, 3)


def test_a_geometry_program_streams_out_instead_of_the_vertex_program() -> None:
    picture = Picture()
    geometry(picture, passthrough().replace("MOV OUT[1], IN[1][1]", "MOV OUT[1], IN[1][0]"), WHOLE)
    (buffer,) = streamed(picture, 96)
    draw(picture, g.StreamOutputInfo((4,), (g.StreamOutput(0),)), 3, mode="TRIANGLES")
    point = vertices(3)[0][1].view(np.uint32)
    np.testing.assert_array_equal(words(buffer).reshape(3, 8)[1], np.hstack([point, point]))


def test_user_memory_gets_what_was_streamed() -> None:
    memory = np.zeros(24, np.uint32)
    picture = Picture()
    ctx = picture.ctx
    buffer = ctx.screen.resource_from_user_memory(memory, target="BUFFER", width0=96)
    ctx.set_stream_output_targets([ctx.create_stream_output_target(buffer)])
    draw(picture, WHOLE, 3, mode="TRIANGLES")
    np.testing.assert_array_equal(memory.view(np.float32).reshape(3, 8), np.hstack(vertices(3)))


@pytest.mark.parametrize(
    ("info", "message"),
    [
        (g.StreamOutputInfo((4,), (g.StreamOutput(2),)), "register_index: 2 is not in 0 .. 1"),
        (g.StreamOutputInfo((4,), (g.StreamOutput(0, 2, 3),)), "components 2 to 4"),
        (g.StreamOutputInfo((4,), (g.StreamOutput(0, output_buffer=4),)), "output_buffer: 4"),
        (g.StreamOutputInfo((4,) * 5), "to 4 buffers"),
        (g.StreamOutputInfo((4000,)), "stride\\[0\\]: 4000"),
        (g.StreamOutputInfo((4,), (g.StreamOutput(0, stream=4),)), "stream: 4"),
    ],
)
def test_wrong_declarations_are_named(info: g.StreamOutputInfo, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Picture().ctx.create_vs_state(PASS, stream_output=info)


def test_wrong_targets_are_named() -> None:
    picture = Picture()
    ctx = picture.ctx
    buffer = picture.buffer(np.zeros(16, np.uint32))
    with pytest.raises(ValueError, match=r"buffer_size: 65 is not in 0 \.\. 60"):
        ctx.create_stream_output_target(buffer, buffer_offset=4, buffer_size=65)
    with pytest.raises(ValueError, match="not a multiple of 4"):
        ctx.create_stream_output_target(buffer, buffer_offset=2)
    with pytest.raises(ValueError, match="a texture"):
        ctx.create_stream_output_target(picture.targets[0])
    target = ctx.create_stream_output_target(buffer)
    with pytest.raises(ValueError, match="5 are too many"):
        ctx.set_stream_output_targets([target] * 5)
    with pytest.raises(ValueError, match=r"offsets\[0\]: 6"):
        ctx.set_stream_output_targets([target], offsets=[6])
    with pytest.raises(TypeError, match="expected an object from create_stream_output_target"):
        ctx.set_stream_output_targets([buffer])  # type: ignore[list-item]
    ctx.stream_output_target_destroy(target)
    with pytest.raises(ValueError, match="destroyed"):
        ctx.set_stream_output_targets([target])


def test_only_geometry_programs_have_more_streams_than_one() -> None:
    info = g.StreamOutputInfo((4, 4), (g.StreamOutput(0, output_buffer=1), g.StreamOutput(1, stream=2)))
    picture = Picture()
    first, second = streamed(picture, 64, buffers=2)
    picture.draw(GENERIC, mode="POINTS", stream_output=info)
    assert (words(first) == 0xCDCDCDCD).all()
    np.testing.assert_array_equal(words(second).view(np.float32).reshape(4, 4), STRIP)


def test_what_is_rasterized_with_stream_output_is_a_known_draw() -> None:
    vertex = VS_POSITION
    info = g.StreamOutputInfo((4,), (g.StreamOutput(register_index=0, num_components=4),))
    found = []
    for streams in (None, info):
        with tgsi.Screen(threads=0) as screen:
            ctx, target = screen.context_create(), screen.resource_create(width0=32, height0=32)
            ctx.set_framebuffer_state(cbufs=[target])
            ctx.set_viewport_states([{"scale": (16, 16, 0.5), "translate": (16, 16, 0.5)}])
            ctx.bind_vs_state(ctx.create_vs_state(vertex, stream_output=streams))
            ctx.bind_fs_state(ctx.create_fs_state("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.1, 0.2, 0.3, 0.4}\nMOV OUT[0], IMM[0]\nEND\n"))
            ctx.bind_rasterizer_state(ctx.create_rasterizer_state())
            ctx.bind_blend_state(ctx.create_blend_state(blend_enable=True, rgb_dst_factor="ONE"))
            ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", 0)]))
            corners = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [0, 1, 0, 1]], "f4")
            ctx.set_vertex_buffers([corners])
            if streams is not None:
                written = screen.resource_create(target="BUFFER", width0=4 * corners.nbytes)
                ctx.set_stream_output_targets([ctx.create_stream_output_target(written)])
            query = ctx.create_query("KNOWN_DRAWS")
            ctx.begin_query(query)
            for _ in range(4):
                ctx.draw_vbo(mode="TRIANGLES", count=3)
            ctx.end_query(query)
            assert ctx.get_query_result(query) == 4
            pixels = np.zeros((32, 32, 4), "u1")
            ctx.texture_read(target, pixels)
            found.append(pixels)
            if streams is not None:
                assert bytes(written.blocks()) == 4 * corners.tobytes()
    assert found[0].any()
    assert (found[0] == found[1]).all()
