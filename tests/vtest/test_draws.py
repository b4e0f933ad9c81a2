"""Draws through the protocol give the requested pictures."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.vtest.encoder import (
    CONSTANT_FS,
    COVER,
    FRAGMENT,
    RGBA8,
    RGBA32F,
    SAMPLED,
    TARGET,
    TEXTURE_2D,
    VERTEX,
    Z32F,
    Commands,
    Runner,
    Stream,
    draw,
    floats,
    pipeline,
    read,
    target,
    vertices,
    word,
)

RED, GREEN, BLUE = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255)


def test_a_triangle_that_covers_all_makes_every_pixel_its_color(serve: Runner) -> None:
    stream = target().buffer(2, vertices(*COVER))
    stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw()))
    result = serve(read(stream))
    assert not result.lines
    assert (result.pixels(16, 16) == RED).all()


def test_a_clear_takes_floats_for_colors(serve: Runner) -> None:
    stream = target().submit(Commands().add("CLEAR", 4, *floats(0, 1, 0, 1), 0, 0x3FF00000, 0))
    assert (serve(read(stream)).pixels(16, 16) == GREEN).all()


def test_an_indexed_draw_begins_at_the_offset_of_the_index_buffer_whatever_its_start(serve: Runner) -> None:
    away = ((5, 5), (5, 6), (6, 5))
    stream = target().buffer(2, vertices(*away, *COVER)).buffer(3, struct.pack("<6H", 0, 1, 2, 3, 4, 5), bind=32)
    commands = Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("SET_INDEX_BUFFER", 3, 2, 6)
    result = serve(read(stream.submit(commands.add("DRAW_VBO", *draw(start=3, indexed=1)))))
    assert not result.lines
    assert (result.pixels(16, 16) == RED).all()


def test_the_bias_of_an_indexed_draw_may_be_negative(serve: Runner) -> None:
    stream = target().buffer(2, vertices(*COVER)).buffer(3, struct.pack("<3I", 7, 8, 9), bind=32)
    commands = Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("SET_INDEX_BUFFER", 3, 4, 0)
    result = serve(read(stream.submit(commands.add("DRAW_VBO", *draw(indexed=1, bias=-7)))))
    assert (result.pixels(16, 16) == RED).all()


def test_one_draw_with_two_index_sizes_reads_each_as_what_it_is(serve: Runner) -> None:
    stream = target().buffer(2, vertices(*COVER)).buffer(3, bytes((0, 1, 2, 0)) + struct.pack("<3H", 0, 1, 2), bind=32)
    commands = Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("SET_INDEX_BUFFER", 3, 1, 0).add("DRAW_VBO", *draw(indexed=1))
    commands.add("CLEAR", 4, 0, 0, 0, 0, 0, 0, 0).add("SET_INDEX_BUFFER", 3, 2, 4).add("DRAW_VBO", *draw(indexed=1))
    result = serve(read(stream.submit(commands)))
    assert not result.lines
    assert (result.pixels(16, 16) == RED).all()


def test_constants_reach_the_shader_and_change_between_draws(serve: Runner) -> None:
    stream = target().buffer(2, vertices(*COVER))
    commands = Commands().shader(22, FRAGMENT, CONSTANT_FS).add("BIND_SHADER", 22, FRAGMENT).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    commands.constants(FRAGMENT, 1, 0, 0, 1).add("DRAW_VBO", *draw()).constants(FRAGMENT, 0, 0, 1, 1)
    commands.add("SET_SCISSOR_STATE", 0, 0, 8 | 16 << 16)
    commands.create("RASTERIZER", 34, 1 << 29 | 1 << 1 | 1 << 14, word(1), 0, 0xFFFF, word(1), 0, 0, 0).bind("RASTERIZER", 34)
    result = serve(read(stream.submit(commands.add("DRAW_VBO", *draw()))))
    assert not result.lines
    assert (result.pixels(16, 16)[:, :8] == BLUE).all()
    assert (result.pixels(16, 16)[:, 8:] == RED).all()


def test_limits_of_a_number_and_a_nan_are_the_number_as_programs_of_opengl_expect(serve: Runner) -> None:
    text = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nDCL TEMP[0]\nIMM[0] FLT32 {1, 0, 0, 0}\nMOV OUT[0], IMM[0].yyyx\n"
    text += "MIN OUT[0].x, CONST[0][0].yyyy, CONST[0][0].xxxx\nMOV_SAT TEMP[0].x, CONST[0][0].xxxx\n"
    text += "ADD OUT[0].y, IMM[0].xxxx, -TEMP[0].xxxx\nEND\n"
    stream = target().buffer(2, vertices(*COVER))
    commands = Commands().shader(22, FRAGMENT, text).add("BIND_SHADER", 22, FRAGMENT).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    commands.constants(FRAGMENT, float("nan"), 1, 0, 0).add("DRAW_VBO", *draw())
    result = serve(read(stream.submit(commands)))
    assert not result.lines
    assert (result.pixels(16, 16) == (255, 255, 0, 255)).all()


def test_a_float_above_all_integers_becomes_the_largest_one_as_with_drivers_of_opengl(serve: Runner) -> None:
    text = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nDCL TEMP[0]\nIMM[0] FLT32 {1, 0, 0, 0}\nF2I TEMP[0], CONST[0][0].xxxx\n"
    text += "I2F TEMP[0], TEMP[0]\nMOV OUT[0], IMM[0].yyyx\nSGE OUT[0].x, TEMP[0], CONST[0][0].yyyy\nEND\n"
    stream = target().buffer(2, vertices(*COVER))
    commands = Commands().shader(22, FRAGMENT, text).add("BIND_SHADER", 22, FRAGMENT).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    commands.constants(FRAGMENT, 2.0**31, 2.0**30, 0, 0).add("DRAW_VBO", *draw())
    result = serve(read(stream.submit(commands)))
    assert not result.lines
    assert (result.pixels(16, 16) == RED).all()


@pytest.mark.parametrize(("bits", "is_seen"), [(1 << 7 | 1 << 24, True), (1 << 7, False), (1 << 24, False), (0, False)])
def test_a_point_beside_the_view_is_seen_where_it_may_be_one_of_opengl_es(serve: Runner, bits: int, is_seen: bool) -> None:
    vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], PSIZE\nIMM[0] FLT32 {4, 0, 0, 0}\nMOV OUT[0], IN[0]\n"
    commands = Commands().shader(21, VERTEX, vertex + "MOV OUT[1].x, IMM[0].xxxx\nEND\n").add("BIND_SHADER", 21, VERTEX)
    commands.shader(22, FRAGMENT, CONSTANT_FS).add("BIND_SHADER", 22, FRAGMENT).constants(FRAGMENT, 1, 0, 0, 1)
    commands.create("RASTERIZER", 34, 1 << 29 | 1 << 1 | bits, word(4), 0, 0xFFFF, word(1), 0, 0, 0).bind("RASTERIZER", 34)
    commands.add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw(1, mode=0))
    result = serve(read(target().buffer(2, vertices((1.01, 0))).submit(commands)))
    assert not result.lines
    assert (result.pixels(16, 16)[7:9, 15] == RED).all() == is_seen
    assert not result.pixels(16, 16)[:, :14].any()


@pytest.mark.parametrize("names", [("GENERIC[32]", "GENERIC[33]"), ("PATCH", "PATCH[1]")])
def test_a_varying_that_mesa_calls_a_patch_is_the_generic_one(serve: Runner, names: tuple[str, str]) -> None:
    vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[31]\nDCL OUT[2], PATCH\nDCL OUT[3], PATCH[1]\n"
    vertex += "IMM[0] FLT32 {0, 1, 0, 1}\nMOV OUT[0], IN[0]\nMOV OUT[1], IMM[0].xxxx\n"
    vertex += "MOV OUT[2], IMM[0].xyxy\nMOV OUT[3], IMM[0].xxyy\nEND\n"
    fragment = f"FRAG\nDCL IN[0], {names[0]}, CONSTANT\nDCL IN[1], {names[1]}, CONSTANT\nDCL OUT[0], COLOR\nADD OUT[0], IN[0], IN[1]\nEND\n"
    stream = target().buffer(2, vertices(*COVER))
    commands = Commands().shader(21, VERTEX, vertex).add("BIND_SHADER", 21, VERTEX).shader(22, FRAGMENT, fragment)
    commands.add("BIND_SHADER", 22, FRAGMENT).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    result = serve(read(stream.submit(commands.add("DRAW_VBO", *draw()))))
    assert not result.lines
    assert (result.pixels(16, 16) == (0, 255, 255, 255)).all()


@pytest.mark.parametrize("operation", ["DADD TEMP[0].zw", "DSLT TEMP[0].w"])
def test_an_operation_on_doubles_that_writes_a_second_pair_reads_the_first(serve: Runner, operation: str) -> None:
    text = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..2]\nIMM[0] UINT32 {0, 1072693248, 0, 1065353216}\nMOV OUT[0], IMM[0].wxxw\n"
    text += f"MOV TEMP[1].xy, IMM[0].xxxx\nMOV TEMP[2].xy, IMM[0].xyxy\n  0: {operation}, TEMP[1], TEMP[2]\n"
    text += "UIF TEMP[0].wwww\nMOV OUT[0].xy, IMM[0].xwxw\nENDIF\nEND\n"
    stream = target().buffer(2, vertices(*COVER))
    commands = Commands().shader(22, FRAGMENT, text).add("BIND_SHADER", 22, FRAGMENT).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    result = serve(read(stream.submit(commands.add("DRAW_VBO", *draw()))))
    assert not result.lines
    assert (result.pixels(16, 16) == GREEN).all()


def test_a_uniform_buffer_is_read_from_its_offset(serve: Runner) -> None:
    stream = target().buffer(2, vertices(*COVER)).buffer(4, bytes(256) + struct.pack("<4f", 0, 0, 1, 1), bind=64)
    commands = Commands().shader(22, FRAGMENT, CONSTANT_FS).add("BIND_SHADER", 22, FRAGMENT).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    commands.add("SET_UNIFORM_BUFFER", FRAGMENT, 0, 256, 16, 4).add("DRAW_VBO", *draw())
    result = serve(read(stream.submit(commands)))
    assert not result.lines
    assert (result.pixels(16, 16) == BLUE).all()


def test_the_depth_test_keeps_what_is_nearer(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, RGBA8, TARGET, 16, 16).resource(5, TEXTURE_2D, Z32F, 1, 16, 16)
    stream.submit(pipeline(16)).buffer(2, vertices(*COVER))
    commands = Commands().create("SURFACE", 11, 5, Z32F, 0, 0).add("SET_FRAMEBUFFER_STATE", 1, 11, 10)
    commands.create("DSA", 35, 1 | 1 << 1 | 1 << 2, 0, 0, 0).bind("DSA", 35)
    commands.add("CLEAR", 5, *floats(0, 1, 0, 1), 0, 0x3FD00000, 0)  # depth 0.25; the triangle lies at 0.5
    commands.add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())
    result = serve(read(stream.submit(commands)))
    assert not result.lines
    assert (result.pixels(16, 16) == GREEN).all()


def test_an_indirect_draw_takes_its_numbers_from_a_buffer(serve: Runner) -> None:
    stream = target().buffer(2, vertices((5, 5), *COVER)).buffer(3, bytes(8) + struct.pack("<4I", 3, 1, 1, 0), bind=256)
    words = (*draw(0), 3, 0, 3, 8, 0, 1, 0, 0)
    result = serve(read(stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *words))))
    assert not result.lines
    assert (result.pixels(16, 16) == RED).all()


TEXTURE_FS = (
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], {0}, FLOAT\n"
    "DCL TEMP[0]\nTEX TEMP[0], IN[0], SAMP[0], {0}\nMOV OUT[0], TEMP[0]\nEND\n"
)


def target_of_texture(
    made: Stream, number: int, texture_target: int = TEXTURE_2D, name: str = "2D", at: tuple[float, float] = (0.9, 0.6)
) -> Stream:
    """Draw that covers the target with one position of texture 6, which `made` has created."""
    made.resource(1, TEXTURE_2D, RGBA8, TARGET, 16, 16).submit(pipeline(16)).buffer(2, vertices(*COVER, color=(*at, 0, 1)))
    commands = Commands().shader(22, FRAGMENT, TEXTURE_FS.format(name)).add("BIND_SHADER", 22, FRAGMENT)
    commands.create("SAMPLER_STATE", 40, 2 | 2 << 3 | 2 << 6 | 2 << 11, 0, 0, 0, 0, 0, 0, 0)
    commands.create("SAMPLER_VIEW", 41, 6, number | texture_target << 24, 0, 0, 0 | 1 << 3 | 2 << 6 | 3 << 9)
    commands.add("BIND_SAMPLER_STATES", FRAGMENT, 0, 40).add("SET_SAMPLER_VIEWS", FRAGMENT, 0, 41)
    return read(made.submit(commands.add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())))


def _textured(texture_target: int, name: str, coordinates: tuple[float, float]) -> Stream:
    texels = np.zeros((4, 4, 4), np.uint8)
    texels[2, 3] = BLUE
    made = Stream().resource(6, texture_target, RGBA8, SAMPLED, 4, 4).put(6, 0, (0, 0, 0, 4, 4, 1), texels.tobytes())
    return target_of_texture(made, RGBA8, texture_target, name, coordinates)


def test_a_texture_is_sampled_with_normalized_coordinates(serve: Runner) -> None:
    result = serve(_textured(TEXTURE_2D, "2D", (0.9, 0.6)))
    assert not result.lines
    assert (result.pixels(16, 16) == BLUE).all()


def test_a_rectangle_texture_is_sampled_with_texel_coordinates(serve: Runner) -> None:
    result = serve(_textured(5, "RECT", (3.5, 2.5)))
    assert not result.lines
    assert (result.pixels(16, 16) == BLUE).all()


def test_a_stencil_reference_blend_color_clip_plane_and_stipple_are_taken(serve: Runner) -> None:
    commands = Commands().add("SET_STENCIL_REF", 0x1203).add("SET_BLEND_COLOR", *floats(0.5, 0, 0, 0)).add("SET_SAMPLE_MASK", 1)
    commands.add("SET_CLIP_STATE", *floats(*range(32))).add("SET_POLYGON_STIPPLE", *range(32)).add("SET_MIN_SAMPLES", 1)
    commands.add("SET_TESS_STATE", *floats(1, 1, 1, 1, 1, 1)).add("SET_FRAMEBUFFER_STATE_NO_ATTACH", 16 | 16 << 16, 1)
    assert not serve(target().submit(commands)).lines


def test_two_sub_contexts_have_objects_of_their_own_and_share_resources(serve: Runner) -> None:
    stream = target().buffer(2, vertices(*COVER)).submit(Commands().add("CREATE_SUB_CTX", 1).add("SET_SUB_CTX", 1))
    stream.submit(pipeline(16)).submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw()))
    stream.submit(Commands().add("SET_SUB_CTX", 0).add("DESTROY_SUB_CTX", 1))
    result = serve(read(stream))
    assert not result.lines
    assert (result.pixels(16, 16) == RED).all()


def test_a_shader_may_come_in_pieces(serve: Runner) -> None:
    data = CONSTANT_FS.encode() + b"\0"
    stream = target().buffer(2, vertices(*COVER))
    commands = Commands().piece(22, FRAGMENT, len(data), data[:20]).piece(22, FRAGMENT, 20 | 1 << 31, data[20:40])
    commands.piece(22, FRAGMENT, 40 | 1 << 31, data[40:]).add("BIND_SHADER", 22, FRAGMENT).constants(FRAGMENT, 0, 0, 1, 1)
    result = serve(read(stream.submit(commands.add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw()))))
    assert not result.lines
    assert (result.pixels(16, 16) == BLUE).all()


def test_linking_and_destroying_shaders_that_are_bound_is_fine(serve: Runner) -> None:
    commands = Commands().add("LINK_SHADER", 20, 21, 0, 0, 0, 0).add("DESTROY_OBJECT", 21, kind="SHADER")
    result = serve(target().submit(commands))
    assert not result.lines


def test_a_vertex_element_reads_at_its_offset_and_divisor(serve: Runner) -> None:
    data = vertices(*COVER) + struct.pack("<4f", 0, 0, 1, 1)
    stream = target().buffer(2, data)
    commands = Commands().create("VERTEX_ELEMENTS", 36, 0, 0, 0, RGBA32F, 0, 1, 1, RGBA32F).bind("VERTEX_ELEMENTS", 36)
    commands.add("SET_VERTEX_BUFFERS", 32, 0, 2, 16, 96, 2).add("DRAW_VBO", *draw())
    result = serve(read(stream.submit(commands)))
    assert not result.lines
    assert (result.pixels(16, 16) == BLUE).all()


def test_vertex_constants_are_their_own(serve: Runner) -> None:
    commands = Commands().constants(VERTEX, 1, 2, 3, 4).add("SET_CONSTANT_BUFFER", VERTEX, 0)
    assert not serve(target().submit(commands)).lines


def test_attributes_of_doubles_are_read_as_singles(serve: Runner) -> None:
    data = b"".join(struct.pack("<3d", x, y, 0) for x, y in COVER) + struct.pack("<4d", 0, 0, 1, 1)
    stream = target().buffer(2, bytes(4) + data)
    commands = Commands().create("VERTEX_ELEMENTS", 36, 0, 0, 0, 26, 0, 1, 1, 27).bind("VERTEX_ELEMENTS", 36)
    commands.add("SET_VERTEX_BUFFERS", 24, 4, 2, 32, 76, 2).add("DRAW_VBO", *draw())
    result = serve(read(stream.submit(commands)))
    assert not result.lines
    assert (result.pixels(16, 16) == BLUE).all()


def test_back_faces_take_the_front_reference_where_they_have_no_stencil_state(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, RGBA8, TARGET, 16, 16).resource(5, TEXTURE_2D, 23, 1, 16, 16).submit(pipeline(16))
    stream.buffer(2, vertices(*COVER) + vertices(*reversed(COVER)))
    commands = Commands().create("SURFACE", 11, 5, 23, 0, 0).add("SET_FRAMEBUFFER_STATE", 1, 11, 10).add("SET_STENCIL_REF", 7)
    replace = 1 | 7 << 1 | 2 << 4 | 2 << 7 | 2 << 10 | 255 << 13 | 255 << 21
    commands.create("DSA", 35, 0, replace, 0, 0).bind("DSA", 35).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    result = serve(stream.submit(commands.add("DRAW_VBO", *draw())).get(5, 0, (0, 0, 0, 16, 16, 1), 256))
    assert result.replies == bytes([7]) * 256
    again = Commands().add("CLEAR", 2, 0, 0, 0, 0, 0, 0, 0).add("DRAW_VBO", *draw(start=3))
    assert serve(stream.submit(again).get(5, 0, (0, 0, 0, 16, 16, 1), 256)).replies == bytes([7]) * 512


def test_a_border_color_is_integers_for_a_view_of_integers(serve: Runner) -> None:
    text = TEXTURE_FS.format("2D").replace("FLOAT", "UINT")
    text = text.replace("DCL TEMP[0]", "DCL TEMP[0]\nIMM[0] UINT32 {1065353216, 0, 0, 0}\nIMM[1] UINT32 {7, 8, 9, 10}").replace(
        "MOV OUT[0], TEMP[0]", "USEQ TEMP[0], TEMP[0], IMM[1]\nAND OUT[0], TEMP[0], IMM[0].xxxx"
    )
    stream = target().buffer(2, vertices(*COVER, color=(5, 5, 0, 1))).resource(6, TEXTURE_2D, 180, SAMPLED, 4, 4)
    commands = Commands().shader(22, FRAGMENT, text).add("BIND_SHADER", 22, FRAGMENT)
    commands.create("SAMPLER_STATE", 40, 3 | 3 << 3 | 3 << 6 | 2 << 11, 0, 0, 0, 7, 8, 9, 10)
    commands.create("SAMPLER_VIEW", 41, 6, 180 | TEXTURE_2D << 24, 0, 0, 0 | 1 << 3 | 2 << 6 | 3 << 9)
    commands.add("BIND_SAMPLER_STATES", FRAGMENT, 0, 40).add("SET_SAMPLER_VIEWS", FRAGMENT, 0, 41)
    result = serve(read(stream.submit(commands.add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw()))))
    assert not result.lines
    assert (result.pixels(16, 16) == 255).all()


def test_viewports_that_are_set_in_turns_hold_for_the_draws_behind_them(serve: Runner) -> None:
    whole, corner = floats(8, 8, 0.5, 8, 8, 0.5), floats(2, 2, 0.5, 2, 2, 0.5)
    stream = target().buffer(2, vertices(*COVER)).buffer(4, vertices(*COVER, color=(0, 1, 0, 1)))
    commands = Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2)
    for _ in range(3):
        commands.add("SET_VIEWPORT_STATE", 0, *corner).add("SET_VIEWPORT_STATE", 0, *whole)
    commands.add("DRAW_VBO", *draw()).add("SET_VERTEX_BUFFERS", 32, 0, 4).add("SET_VIEWPORT_STATE", 0, *corner).add("DRAW_VBO", *draw())
    result = serve(read(stream.submit(commands)))
    assert not result.lines
    pixels = result.pixels(16, 16)
    assert (pixels[:4, :4] == GREEN).all()
    assert (pixels[4:] == RED).all()
    assert (pixels[:, 4:] == RED).all()


def test_a_first_viewport_that_is_set_again_leaves_the_others(serve: Runner) -> None:
    whole, corner = floats(8, 8, 0.5, 8, 8, 0.5), floats(2, 2, 0.5, 2, 2, 0.5)
    stream = target().buffer(2, vertices(*COVER))
    commands = Commands().add("SET_VIEWPORT_STATE", 1, *corner).add("SET_VIEWPORT_STATE", 0, *whole).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    result = serve(read(stream.submit(commands.add("DRAW_VBO", *draw()))))
    assert not result.lines
    assert (result.pixels(16, 16) == RED).all()


def test_a_unit_of_polygon_offset_is_two_steps_of_depth(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, RGBA8, TARGET, 16, 16).resource(5, TEXTURE_2D, Z32F, 1, 16, 16)
    stream.submit(pipeline(16)).buffer(2, vertices(*COVER))
    commands = Commands().create("SURFACE", 11, 5, Z32F, 0, 0).add("SET_FRAMEBUFFER_STATE", 1, 11, 10)
    commands.create("DSA", 35, 1 | 1 << 1 | 7 << 2, 0, 0, 0).bind("DSA", 35)
    commands.create("RASTERIZER", 34, 1 << 29 | 1 << 20 | 1 << 1, word(1), 0, 0xFFFF, *(word(v) for v in (1, 3, 0, 0))).bind(
        "RASTERIZER", 34
    )
    commands.add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())
    result = serve(read(stream.submit(commands), handle=5))
    assert not result.lines
    depths = np.frombuffer(result.pixels(16, 16).tobytes(), np.uint32)
    assert np.unique(depths).tolist() == [0x3F000006]  # 0.5 and six times its last bit


@pytest.mark.parametrize("bits", [1 << 29 | 1 << 25 | 1 << 1, 1 << 29 | 1 << 1], ids=["multisample", "as Mesa 22 asks for it"])
def test_a_surface_with_samples_is_resolved_into_its_texture_and_ends_as_a_surface(serve: Runner, bits: int) -> None:
    stream = target().buffer(2, vertices((-1, -1), (1, -1), (-1, 1)))
    commands = Commands().add("CLEAR", 4, *floats(0, 0, 0, 1), 0, 0x3FF00000, 0)
    commands.create("MSAA_SURFACE", 11, 1, RGBA8, 0, 0, 4).add("SET_FRAMEBUFFER_STATE", 1, 0, 11)
    commands.create("RASTERIZER", 34, bits, word(1), 0, 0xFFFF, word(1), 0, 0, 0).bind("RASTERIZER", 34)
    commands.add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())
    result = serve(read(stream.submit(commands.add("SET_FRAMEBUFFER_STATE", 1, 0, 10).add("DESTROY_OBJECT", 11, kind="SURFACE"))))
    assert not result.lines
    reds = set(result.pixels(16, 16)[..., 0].ravel().tolist())
    assert {0, 255} < reds <= {0, 64, 128, 191, 255}, "the slope has covered pixels in parts"
