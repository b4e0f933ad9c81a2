"""OpenGL 4.3 in one program: prints one line about each part. It runs where moderngl and numpy are, beside none of our modules."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np

SIZE = 64
QUAD = "#version 430\nin vec2 at; out vec2 place; void main() { place = at; gl_Position = vec4(at, 0, 1); }"
TRIANGLE = """#version 430
out vec3 color;
void main() {
    float angle = 2.0944 * gl_VertexID + 1.5708;
    color = vec3(gl_VertexID == 0, gl_VertexID == 1, gl_VertexID == 2);
    gl_Position = vec4(0.8 * cos(angle), 0.8 * sin(angle), 0, 1);
}"""
COLORS = "#version 430\nin vec3 color; out vec4 pixel; void main() { pixel = vec4(sqrt(color), 1); }"
CUBE = """#version 430
in vec2 place;
uniform samplerCube faces;
out vec4 pixel;
void main() { pixel = textureLod(faces, vec3(place, 0.5), 2); }"""
WHITE = "#version 430\nout vec4 pixel; void main() { pixel = vec4(1); }"
POINTS = "#version 430\nvoid main() { gl_Position = vec4(gl_VertexID * 0.1 - 0.5, 0, 0, 1); }"
QUADS = """#version 430
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
void main() {
    for (int i = 0; i < 4; i++) {
        gl_Position = gl_in[0].gl_Position + vec4((i & 1) * 0.09, (i >> 1) * 0.5, 0, 0);
        EmitVertex();
    }
}"""
TRIPLES = """#version 430
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Numbers { uint numbers[]; };
void main() { numbers[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * 3u; }"""


def main() -> None:
    options: dict[str, Any] = {"standalone": True, "backend": "egl", "require": 430}
    gl = moderngl.create_context(**options)
    print("renderer", gl.info["GL_RENDERER"])
    print("version", gl.version_code)
    print("cube", gl.info["GL_MAX_CUBE_MAP_TEXTURE_SIZE"])
    target, several = gl.simple_framebuffer((SIZE, SIZE)), gl.simple_framebuffer((SIZE, SIZE), samples=4)

    def pixels() -> np.ndarray:
        return np.frombuffer(target.read(components=4), "u1").astype(int).reshape(SIZE, SIZE, 4)

    triangle = gl.vertex_array(gl.program(vertex_shader=TRIANGLE, fragment_shader=COLORS), [])
    for place in (target, several):
        place.use()
        place.clear(0, 0, 0, 1)
        triangle.render(vertices=3)
    print("triangle", int(pixels()[..., :3].sum()), *pixels()[20, 32])
    gl.copy_framebuffer(target, several)
    print("samples", int(pixels()[..., :3].sum()))
    buffer = gl.buffer(reserve=4 * 64)
    buffer.bind_to_storage_buffer(0)
    gl.compute_shader(TRIPLES).run(8)
    gl.memory_barrier()
    print("compute", int(np.frombuffer(buffer.read(), "u4").sum()))
    faces = gl.texture_cube((256, 256), 4, np.repeat(np.arange(6) * 40, 256 * 256 * 4).astype("u1").tobytes())
    faces.build_mipmaps()
    faces.use(0)
    target.use()
    corners = gl.buffer(np.array([-1, -1, 3, -1, -1, 3], "f4").tobytes())
    gl.vertex_array(gl.program(vertex_shader=QUAD, fragment_shader=CUBE), [(corners, "2f", "at")]).render()
    print("faces", *[int(pixels()[y, x, 0]) for y, x in ((32, 2), (32, 61), (2, 32), (61, 32), (32, 32))])
    query = gl.query(samples=True, primitives=True)
    shape = gl.program(vertex_shader=POINTS, geometry_shader=QUADS, fragment_shader=WHITE)
    with query:
        gl.vertex_array(shape, []).render(moderngl.POINTS, vertices=9)
    print("geometry", query.samples, query.primitives)
    print("error", gl.error)


if __name__ == "__main__":
    main()
