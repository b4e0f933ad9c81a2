"""Mistakes with vertices, indices, instances and positions."""

from __future__ import annotations

import numpy as np

import tgsi
from tests.unit.insight.mistakes.sketch import FS, FS_CONST, QUAD, RED, TRI, VS, VS_MATRIX, Array, Sketch, mistake


def projection(near: float, far: float) -> Array:
    """OpenGL's matrix of a camera that looks along -z."""
    ratio = (far + near) / (far - near), 2 * far * near / (far - near)
    return np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -ratio[0], -ratio[1]], [0, 0, -1, 0]], np.float32)


@mistake(warns="the depth test LESS", explains="1 < 1 (LESS) is false")
def near_plane_zero(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.less()
    n, f = (0.0, 100.0)
    m = projection(n, f)
    s.ctx.set_constant_buffer("VERTEX", np.ascontiguousarray(m.T))
    p = TRI.copy()
    p[:, 2] = -2
    s.triangle(p, vs=VS_MATRIX)


@mistake(warns="behind the camera", explains="behind the viewer")
def camera_looks_away(s: Sketch) -> None:
    s.frame()
    n, f = (0.1, 100.0)
    m = projection(n, f)
    s.ctx.set_constant_buffer("VERTEX", np.ascontiguousarray(m.T))
    p = TRI.copy()
    p[:, 2] = 2
    s.triangle(p, vs=VS_MATRIX)


@mistake(warns="looks transposed", explains="looks transposed")
def matrix_transposed(s: Sketch) -> None:
    s.frame()
    n, f = (0.1, 100.0)
    m = projection(n, f)
    view = np.eye(4, dtype=np.float32)
    view[2, 3] = -3
    s.ctx.set_constant_buffer("VERTEX", np.ascontiguousarray(m @ view))
    s.triangle(vs=VS_MATRIX)


@mistake(warns="vertices of 32 bytes", explains="vertices of 32 bytes")
def stride_too_large(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.ctx.bind_vertex_elements_state(s.ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (0, "R32G32B32A32_FLOAT", 1)]))
    s.ctx.set_vertex_buffers([{"buffer": s.screen.buffer_from(TRI), "stride": 32}, RED])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(warns="was an array of float16")
def halves_read_as_floats(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI.astype(np.float16), RED, formats=["R32G32B32A32_FLOAT", "R32G32B32A32_FLOAT"])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(warns="holds whole numbers", explains="holds whole numbers")
def integers_read_as_floats(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI.astype(np.int32), RED)
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(warns="viewport 0 is 0 x 0", explains="viewport 0 is 0 x 0")
def viewport_of_zero_size(s: Sketch) -> None:
    s.frame()
    s.viewport(scale=(0, 0, 0.5))
    s.triangle()


@mistake(warns="the viewport, scale (320", explains="away from the pixel")
def viewport_of_another_size(s: Sketch) -> None:
    s.frame()
    s.viewport(scale=(320, -240, 0.5), translate=(320, 240, 0.5))
    s.triangle(TRI * np.array([0.5, 0.5, 1, 1], np.float32))


@mistake(warns="index_size=4", explains="index_size=4")
def index_type_wrong(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI, RED[:3])
    buf = s.screen.buffer_from(np.array([0, 1, 2], np.uint32))
    s.ctx.set_index_buffer(buf, index_size=2)
    s.ctx.draw_vbo(mode="TRIANGLES", count=3, index_size=2)


@mistake(warns="an index names vertex 5", explains="an index names vertex 5")
def base_vertex_wrong(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI, RED[:3])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3, index=np.array([0, 1, 2], np.uint16), index_bias=3)


@mistake(warns="an index names vertex 3", explains="an index names vertex 3")
def indices_from_one(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI, RED[:3])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3, index=np.array([1, 2, 3], np.uint16))


@mistake(warns="instance_divisor", explains="instance_divisor")
def instance_divisor_forgotten(s: Sketch) -> None:
    s.frame()
    vs = VS.replace("DCL IN[1]", "DCL IN[1]\nDCL IN[2]").replace("MOV OUT[0], IN[0]", "ADD OUT[0], IN[0], IN[2]")
    s.shaders(vs=vs)
    off = np.array([[x, 0, 0, 0] for x in (-0.5, 0, 0.5, 0.7)], np.float32)
    s.vertices(TRI * np.array([0.2, 0.2, 1, 1], np.float32), RED[:3], off)
    s.ctx.draw_vbo(mode="TRIANGLES", count=3, instance_count=4)


@mistake(warns="w is 0", explains="w of 0")
def w_zero(s: Sketch) -> None:
    s.frame()
    p = TRI.copy()
    p[:, 3] = 0
    s.triangle(p)


@mistake(warns="w is 0", explains="w of 0")
def position_without_w(s: Sketch) -> None:
    s.frame()
    s.triangle(vs=VS.replace("MOV OUT[0], IN[0]", "MOV OUT[0].xyz, IN[0]"))


@mistake(explains="of the last vertex (flatshade_first")
def provoking_vertex(s: Sketch) -> None:
    s.frame()
    c = np.array([[1, 0, 0, 1], [1, 0, 0, 1], [0, 0, 0, 1]], np.float32)
    s.triangle(colors=c, fs=FS.replace("PERSPECTIVE", "CONSTANT"))


@mistake(warns="count is 0", explains="count is 0")
def count_forgotten(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI, RED[:3])
    s.ctx.draw_vbo(mode="TRIANGLES")


@mistake(warns="primitive_restart", explains="primitive_restart")
def primitive_restart_forgotten(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(QUAD, RED)
    s.ctx.draw_vbo(mode="TRIANGLE_STRIP", count=7, index=np.array([0, 1, 2, 65535, 1, 2, 3], np.uint16))


@mistake(explains="fill_front or fill_back")
def wireframe_left_on(s: Sketch) -> None:
    s.frame()
    s.raster(fill_front="LINE", fill_back="LINE")
    s.triangle()


@mistake(warns="TRIANGLE_STRIP meant", explains="TRIANGLE_STRIP meant")
def strip_drawn_as_triangles(s: Sketch) -> None:
    s.frame()
    s.texture()
    s.quad(mode="TRIANGLES")
    s.at = (60, 4)


@mistake(warns="right of the view", explains="may be in pixels")
def positions_in_pixels(s: Sketch) -> None:
    s.frame()
    s.triangle(np.array([[100, 100, 0, 1], [500, 100, 0, 1], [300, 400, 0, 1]], np.float32))


@mistake(warns="vertex buffer 0, which is not bound", explains="vertex buffer 0, which is not bound")
def vertex_buffer_in_slot_1(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.ctx.bind_vertex_elements_state(s.ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (0, "R32G32B32A32_FLOAT", 1)]))
    s.ctx.set_vertex_buffers([TRI], start=1)
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(warns="src_offset counts bytes", explains="src_offset counts bytes")
def offset_in_floats(s: Sketch) -> None:
    s.frame()
    s.shaders()
    v = np.concatenate([TRI, RED[:3]], 1)
    s.ctx.bind_vertex_elements_state(s.ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (4, "R32G32B32A32_FLOAT")]))
    s.ctx.set_vertex_buffers([v])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(warns="degenerate", explains="no area")
def aspect_of_zero(s: Sketch) -> None:
    s.frame()
    m = np.eye(4, dtype=np.float32)
    m[0, 0] = 0
    s.ctx.set_constant_buffer("VERTEX", m)
    s.triangle(vs=VS_MATRIX)


@mistake(warns="near or the far plane: z is outside of 0 to w", explains="near plane")
def direct3d_depth_range(s: Sketch) -> None:
    s.frame()
    s.raster(clip_halfz=True)
    p = TRI.copy()
    p[:, 2] = -0.5
    s.triangle(p)


@mistake(warns="vertex buffer 0 holds 0 vertices", explains="vertex buffer 0 holds 0 vertices")
def buffer_offset_wrong(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.ctx.bind_vertex_elements_state(s.ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (0, "R32G32B32A32_FLOAT", 1)]))
    s.ctx.set_vertex_buffers([{"buffer": TRI, "buffer_offset": 48}, RED])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(warns="smaller than a pixel", explains="away from the pixel")
def triangle_below_a_pixel(s: Sketch) -> None:
    s.frame()
    s.triangle(TRI * np.array([0.001, 0.001, 1, 1], np.float32) + np.array([0.003, 0.003, 0, 0], np.float32))
    s.at = (32, 31)


@mistake(warns="viewport", explains="no viewport is set")
def no_viewport(s: Sketch) -> None:
    s.bind(s.color())
    s.triangle()


@mistake(warns="viewport 0 is 2 x 2")
def viewport_of_one(s: Sketch) -> None:
    s.frame()
    s.viewport(scale=(1, 1, 1), translate=(0, 0, 0))
    s.triangle()


@mistake(warns="no vertex elements are bound", explains="no vertex elements are bound")
def no_elements(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.ctx.set_vertex_buffers([TRI, RED])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(warns="vertex buffer 0, which is not bound", explains="vertex buffer 0, which is not bound")
def no_vertex_buffer(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.elements((0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT"))
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(warns="count is 2", explains="count is 2, and the first primitive of TRIANGLES has 3 vertices")
def two_vertices(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI, RED)
    s.ctx.draw_vbo(mode="TRIANGLES", count=2)


@mistake(warns="instance_count is 0", explains="instance_count is 0")
def no_instances(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI, RED)
    s.ctx.draw_vbo(mode="TRIANGLES", count=3, instance_count=0)


@mistake(warns="NaN", explains="a position that is NaN")
def nan_positions(s: Sketch) -> None:
    s.frame()
    s.triangle(TRI * np.array([np.nan, 1, 1, 1], np.float32))


@mistake(warns="degenerate", explains="no area")
def one_point_three_times(s: Sketch) -> None:
    s.frame()
    s.triangle(np.repeat(TRI[:1], 3, axis=0))


@mistake(warns="near or the far plane", explains="far plane")
def beyond_the_far_plane(s: Sketch) -> None:
    s.frame()
    s.triangle(TRI + np.array([0, 0, 5, 0], np.float32))


@mistake(warns="CONST[0], which nothing has set", explains="the vertex shader reads CONST[0], which nothing has set")
def matrix_never_set(s: Sketch) -> None:
    s.frame()
    s.triangle(vs=VS_MATRIX)


@mistake(warns="every position is (0, 0, 0, 0)", explains="a matrix is all zeros")
def matrix_of_zeros(s: Sketch) -> None:
    s.frame()
    s.ctx.set_constant_buffer("VERTEX", bytes(64))
    s.triangle(vs=VS_MATRIX)


@mistake(warns="looks transposed")
def translation_in_the_last_row(s: Sketch) -> None:
    s.frame()
    moved = np.array([[1, 0, 0, -10], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], np.float32)
    s.ctx.set_constant_buffer("VERTEX", moved)  # columns are wanted
    s.triangle(TRI + np.array([10, 0, 0, 0], np.float32), vs=VS_MATRIX)


@mistake(warns="is the stride wrong")
def stride_of_positions_only(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.elements((0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT"))
    s.ctx.set_vertex_buffers([{"buffer": s.screen.buffer_from(np.concatenate([TRI, RED[:3]], 1)), "stride": 16}])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(warns="those beyond read as 0")
def too_few_vertices(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI, RED)
    s.ctx.draw_vbo(mode="TRIANGLES", count=6)


@mistake(warns="are the indices of 16 bits", explains="are the indices of 16 bits")
def indices_of_16_bits_read_as_32(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(QUAD, RED)
    s.ctx.set_index_buffer(s.screen.buffer_from(np.array([0, 1, 2, 2, 1, 3], np.uint16)), index_size=4)
    s.ctx.draw_vbo(mode="TRIANGLES", count=3, index_size=4)


@mistake(warns="SINT")
def integers_for_an_input_of_floats(s: Sketch) -> None:
    s.frame()
    s.shaders(tgsi.compile("#version 330\nin vec3 place; void main() { gl_Position = vec4(place, 1.0); }", stage="vert"), FS_CONST)
    s.ctx.set_constant_buffer("FRAGMENT", np.ones(4, np.float32))
    s.vertices(TRI[:, :3].astype(np.int32), formats=["R32G32B32_SINT"])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)
