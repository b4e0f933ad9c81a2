"""Draw a knot of 25,600 triangles with task and mesh shaders: the task shader drops meshlets that face away, each meshlet has a color.

    python examples/meshlets.py [-o DIR]

Writes meshlets.png. The same shaders, lowered for hardware and carried out by an emulator of its memory, must give the same picture.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tgsi
from tgsi import gallium as g
from tgsi import nvk

RINGS, SIDES, PATCH = 320, 40, 8
"""Rings along the knot, corners of each ring, and quads along each side of a meshlet."""
CORNERS, TRIANGLES = (PATCH + 1) ** 2, 2 * PATCH * PATCH
"""Vertices and triangles of a meshlet."""

# Each thread tests one meshlet. BUFFER[0] holds its sphere (center, radius) and the cone of its normals (axis, cutoff); CONST[0].xyz is the
# eye, CONST[0].w the number of meshlets. The numbers of visible meshlets go to the payload, and as many mesh workgroups are launched.
TASK_SHADER = """TASK
PROPERTY CS_FIXED_BLOCK_WIDTH 32
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
PROPERTY TS_PAYLOAD_BYTES 128
PROPERTY TS_SHARED_BYTES 4
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL CONST[0]
DCL BUFFER[0]
DCL MEMORY[0], SHARED
DCL MEMORY[1], PAYLOAD
DCL TEMP[0..5]
IMM[0] UINT32 {32, 16, 0, 1}
IMM[1] UINT32 {4, 0, 0, 0}
UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx
U2F TEMP[1].x, TEMP[0].xxxx
FSLT TEMP[1].x, TEMP[1].xxxx, CONST[0].wwww
UIF TEMP[1].xxxx
  UMUL TEMP[1].x, TEMP[0].xxxx, IMM[0].xxxx
  UADD TEMP[1].y, TEMP[1].xxxx, IMM[0].yyyy
  LOAD TEMP[2], BUFFER[0], TEMP[1].xxxx
  LOAD TEMP[3], BUFFER[0], TEMP[1].yyyy
  ADD TEMP[4].xyz, TEMP[2], -CONST[0]
  DP3 TEMP[5].x, TEMP[4], TEMP[3]
  DP3 TEMP[5].y, TEMP[4], TEMP[4]
  SQRT TEMP[5].y, TEMP[5].yyyy
  MAD TEMP[5].y, TEMP[5].yyyy, TEMP[3].wwww, TEMP[2].wwww
  FSLT TEMP[1].x, TEMP[5].xxxx, TEMP[5].yyyy
  UIF TEMP[1].xxxx
    ATOMUADD TEMP[1].x, MEMORY[0], IMM[0].zzzz, IMM[0].wwww
    UMUL TEMP[1].x, TEMP[1].xxxx, IMM[1].xxxx
    STORE MEMORY[1].x, TEMP[1].xxxx, TEMP[0].xxxx
  ENDIF
ENDIF
BARRIER
LOAD TEMP[1].x, MEMORY[0], IMM[0].zzzz
MOV TEMP[1].yz, IMM[0].wwww
EMIT_MESH_TASKS TEMP[1]
END
"""

# Each workgroup is a meshlet. Its 32 threads share the work: vertices from BUFFER[0] (position, normal) by the lists of BUFFER[1], then
# triangles from BUFFER[2], three bytes a word. The color is an output of triangles, made of the meshlet's number.
MESH_SHADER = f"""MESH
PROPERTY CS_FIXED_BLOCK_WIDTH 32
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
PROPERTY MS_OUTPUT_PRIMITIVE TRIANGLES
PROPERTY MS_MAX_OUTPUT_VERTICES {CORNERS}
PROPERTY MS_MAX_OUTPUT_PRIMITIVES {TRIANGLES}
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL CONST[0..3]
DCL BUFFER[0]
DCL BUFFER[1]
DCL BUFFER[2]
DCL MEMORY[0], PAYLOAD
DCL OUT[][0], POSITION
DCL OUT[][1], GENERIC[0]
DCL OUT[][2], PRIMITIVE_INDICES, PRIMITIVE
DCL OUT[][3], GENERIC[1], PRIMITIVE
DCL ADDR[0]
DCL TEMP[0..5]
IMM[0] UINT32 {{{CORNERS}, {TRIANGLES}, 4, 32}}
IMM[1] UINT32 {{16, 8, 255, 0}}
IMM[2] FLT32 {{0.618034, 0.754878, 0.569840, 1.0}}
IMM[3] FLT32 {{0.7, 0.3, 0.0, 1.0}}
SET_MESH_OUTPUTS IMM[0]
UMUL TEMP[0].x, SV[1].xxxx, IMM[0].zzzz
LOAD TEMP[0].x, MEMORY[0], TEMP[0].xxxx
MOV TEMP[1].x, SV[0].xxxx
BGNLOOP
  USGE TEMP[1].y, TEMP[1].xxxx, IMM[0].xxxx
  UIF TEMP[1].yyyy
    BRK
  ENDIF
  UMAD TEMP[2].x, TEMP[0].xxxx, IMM[0].xxxx, TEMP[1].xxxx
  UMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].zzzz
  LOAD TEMP[2].x, BUFFER[1], TEMP[2].xxxx
  UMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].wwww
  UADD TEMP[2].y, TEMP[2].xxxx, IMM[1].xxxx
  LOAD TEMP[3], BUFFER[0], TEMP[2].xxxx
  LOAD TEMP[4], BUFFER[0], TEMP[2].yyyy
  DP4 TEMP[5].x, TEMP[3], CONST[0]
  DP4 TEMP[5].y, TEMP[3], CONST[1]
  DP4 TEMP[5].z, TEMP[3], CONST[2]
  DP4 TEMP[5].w, TEMP[3], CONST[3]
  UARL ADDR[0].x, TEMP[1].xxxx
  MOV OUT[ADDR[0].x][0], TEMP[5]
  MOV OUT[ADDR[0].x][1], TEMP[4]
  UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].wwww
ENDLOOP
U2F TEMP[3].x, TEMP[0].xxxx
MUL TEMP[3].xyz, TEMP[3].xxxx, IMM[2]
FRC TEMP[3].xyz, TEMP[3]
MAD TEMP[3].xyz, TEMP[3], IMM[3].xxxx, IMM[3].yyyy
MOV TEMP[3].w, IMM[3].wwww
MOV TEMP[1].x, SV[0].xxxx
BGNLOOP
  USGE TEMP[1].y, TEMP[1].xxxx, IMM[0].yyyy
  UIF TEMP[1].yyyy
    BRK
  ENDIF
  UMAD TEMP[2].x, TEMP[0].xxxx, IMM[0].yyyy, TEMP[1].xxxx
  UMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].zzzz
  LOAD TEMP[2].x, BUFFER[2], TEMP[2].xxxx
  USHR TEMP[2].y, TEMP[2].xxxx, IMM[1].yyyy
  USHR TEMP[2].z, TEMP[2].xxxx, IMM[1].xxxx
  AND TEMP[2].xyz, TEMP[2], IMM[1].zzzz
  UARL ADDR[0].x, TEMP[1].xxxx
  MOV OUT[ADDR[0].x][2].xyz, TEMP[2]
  MOV OUT[ADDR[0].x][3], TEMP[3]
  UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].wwww
ENDLOOP
END
"""

# The color of the meshlet, lit from the upper left.
FRAGMENT_SHADER = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {-0.48, 0.36, 0.8, 0.2}
IMM[1] FLT32 {0.9, 1.0, 0.0, 0.0}
DP3 TEMP[0].x, IN[0], IN[0]
RSQ TEMP[0].x, TEMP[0].xxxx
DP3 TEMP[0].y, IN[0], IMM[0]
MUL_SAT TEMP[0].x, TEMP[0].xxxx, TEMP[0].yyyy
MAD TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx, IMM[0].wwww
MUL OUT[0].xyz, IN[1], TEMP[0].xxxx
MOV OUT[0].w, IMM[1].yyyy
END
"""


# Triangles that are in memory already, corner by corner.
VERTEX_SHADER = """VERT
DCL IN[0]
DCL IN[1]
DCL IN[2]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[2]
END
"""


def rounded(values: NDArray[Any], step: float) -> NDArray[np.float32]:
    """Values as multiples of `step`, so that differences between math libraries cannot change the picture."""
    return np.asarray(np.round(values / step) * step, np.float32)


def unit(vectors: Any) -> NDArray[np.float64]:
    """Vectors of length 1."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True), np.float64)


def vertices() -> NDArray[np.float32]:
    """Position and normal, of shape (RINGS * SIDES, 2, 4), of a tube around a trefoil knot."""

    def knot(t: Any) -> Any:
        radius = 1 + 0.4 * np.cos(3 * t)
        return np.stack([radius * np.cos(2 * t), radius * np.sin(2 * t), 0.5 * np.sin(3 * t)], axis=-1)

    t = np.arange(RINGS) * (2 * np.pi / RINGS)
    center, ahead = knot(t), unit(knot(t + 1e-3) - knot(t - 1e-3))
    side = unit(np.cross(ahead, center + knot(t + 0.4) - 2 * knot(t)))
    up = np.cross(ahead, side)
    angle = np.arange(SIDES) * (2 * np.pi / SIDES)
    normal = side[:, None] * np.cos(angle)[None, :, None] + up[:, None] * np.sin(angle)[None, :, None]
    position = center[:, None] + 0.24 * normal
    result = np.zeros((RINGS * SIDES, 2, 4), np.float32)
    result[:, 0, :3], result[:, 1, :3] = rounded(position, 2**-16).reshape(-1, 3), rounded(normal, 2**-12).reshape(-1, 3)
    result[:, 0, 3] = 1
    return result


def meshlets() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Vertices of each meshlet, (meshlets, CORNERS), and its triangles as numbers of these, (TRIANGLES, 3)."""
    line = np.arange(PATCH + 1)
    u, v = np.arange(0, RINGS, PATCH), np.arange(0, SIDES, PATCH)
    ring = (u[None, :, None, None] + line[None, None, None, :]) % RINGS
    corner = (v[:, None, None, None] + line[None, None, :, None]) % SIDES
    lists = (ring * SIDES + corner).reshape(len(u) * len(v), CORNERS)
    a = (line[:-1, None] * (PATCH + 1) + line[None, :-1]).reshape(-1)
    b, c, d = a + 1, a + PATCH + 1, a + PATCH + 2
    triangles = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
    return lists.astype(np.uint32), triangles.astype(np.uint32)


def bounds(points: NDArray[np.float32], lists: NDArray[np.uint32], triangles: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Center and radius, axis and cutoff of each meshlet, (meshlets, 2, 4): it faces away if (center - eye) . axis reaches
    cutoff * |center - eye| + radius."""
    corners = points[lists, 0, :3].astype(np.float64)
    center = corners.mean(axis=1)
    radius = np.linalg.norm(corners - center[:, None], axis=-1).max(axis=1)
    a, b, c = (corners[:, triangles[:, k]] for k in range(3))
    normal = unit(np.cross(b - a, c - a))
    normal *= np.sign(np.sum(normal * points[lists[:, triangles[:, 0]], 1, :3], axis=-1, keepdims=True))
    axis = unit(normal.mean(axis=1))
    least = np.sum(normal * axis[:, None], axis=-1).min(axis=1)
    cutoff = np.where(least > 0, np.sqrt(np.maximum(1 - least * least, 0)), 2.0)  # 2: never culled
    return np.concatenate(
        [rounded(center, 2**-16), rounded(radius[:, None] + 1e-3, 2**-16), rounded(axis, 2**-12), rounded(cutoff[:, None] + 1e-3, 2**-12)],
        axis=1,
    )


EYE = np.array([0.6, -1.2, 3.6])


def camera() -> NDArray[np.float32]:
    """Matrix from world to clip space, by rows: from EYE to the origin, with y down the picture."""
    ahead = unit(-EYE)
    right = unit(np.cross(ahead, [0.0, 1.0, 0.0]))
    view = np.eye(4)
    view[:3, :3] = [right, np.cross(ahead, right), ahead]
    view[:3, 3] = -view[:3, :3] @ EYE
    focus, near, far = 2.0, 1.0, 8.0
    depth = [0, 0, (far + near) / (far - near), -2 * far * near / (far - near)]
    return rounded(np.array([[focus, 0, 0, 0], [0, focus, 0, 0], depth, [0, 0, 1, 0]]) @ view, 2**-16)


class Model:
    """The buffers that both shaders read."""

    def __init__(self) -> None:
        self.vertices = vertices()
        self.lists, self.triangles = meshlets()
        self.bounds = bounds(self.vertices, self.lists, self.triangles)
        packed = (self.triangles << np.array([0, 8, 16], np.uint32)).sum(axis=1, dtype=np.uint32)
        self.packed = np.tile(packed, len(self.lists))
        self.eye = np.array([[*EYE, len(self.lists)]], np.float32)

    @property
    def groups(self) -> int:
        """Task workgroups, of 32 meshlets each."""
        return -(-len(self.lists) // 32)


def scene(context: g.Context, screen: g.Screen, size: int) -> g.Resource:
    """Bind a target of `size` x `size` pixels with a depth buffer, and the fragment shader; clear them. Returns the target."""
    target = screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size)
    depth = screen.resource_create(format="Z32_FLOAT", width0=size, height0=size, bind="DEPTH_STENCIL")
    context.set_framebuffer_state(cbufs=[target], zsbuf=depth)
    half = size / 2
    context.set_viewport_states([{"scale": (half, half, 0.5), "translate": (half, half, 0.5)}])
    context.bind_depth_stencil_alpha_state(
        context.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": True, "func": "LESS"})
    )
    context.bind_fs_state(context.create_fs_state(FRAGMENT_SHADER))
    context.clear("COLOR", color=(0.06, 0.07, 0.09, 1.0))
    context.clear("DEPTH", depth=1.0)
    return target


def buffers(screen: g.Screen, *arrays: NDArray[Any]) -> list[g.Resource]:
    """Buffers with the bytes of arrays."""
    return [screen.buffer_from(data, bind="SHADER_BUFFER") for data in arrays]


def render(size: int = 768, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture of task and mesh shaders, as bytes of shape (size, size, 4)."""
    model = Model()
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as context:
        target = scene(context, screen, size)
        context.bind_ts_state(context.create_ts_state(TASK_SHADER))
        context.bind_ms_state(context.create_ms_state(MESH_SHADER))
        context.set_constant_buffer("TASK", model.eye)
        context.set_constant_buffer("MESH", camera())
        context.set_shader_buffers("TASK", buffers(screen, model.bounds))
        context.set_shader_buffers("MESH", buffers(screen, model.vertices, model.lists, model.packed))
        context.draw_mesh_tasks(grid=(model.groups, 1, 1))
        return target.pixels()


def lowered_triangles(model: Model) -> NDArray[np.float32]:
    """Triangles that the lowered shaders leave in the emulated memory: (triangles, 3 corners, position normal color, 4)."""
    task, mesh = tgsi.parse(TASK_SHADER), tgsi.parse(MESH_SHADER)
    bound = nvk.Resources(tgsi.run, {"constants": {0: model.eye}, "buffers": {0: model.bounds}})
    tasks = nvk.run_tasks(nvk.lower_task(task), (model.groups, 1, 1), bound)
    bound = nvk.Resources(tgsi.run, {"constants": {0: camera()}, "buffers": {0: model.vertices, 1: model.lists, 2: model.packed}})
    lowered = nvk.lower_mesh(mesh, task)
    parts = []
    for found in nvk.run_meshes_of_tasks(lowered, tasks, bound):
        vertices, primitives = np.zeros((CORNERS, 2, 4), np.uint32), np.zeros((TRIANGLES, 1, 4), np.uint32)
        for word in lowered.vertex_words:
            vertices[:, word.register, word.component] = found.vertices[:, lowered.output.vertex.offset(word.attribute) // 4]
        for word in lowered.primitive_words:
            primitives[:, 0, word.component] = found.primitives[:, lowered.output.primitive.offset(word.attribute) // 4]
        colors = np.broadcast_to(primitives[:, None], (TRIANGLES, 3, 1, 4))
        parts.append(np.concatenate([vertices[found.indices], colors], axis=2))
    return np.concatenate(parts).view(np.float32)


def render_lowered(size: int = 768, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture of the triangles of `lowered_triangles`, as bytes of shape (size, size, 4)."""
    triangles = lowered_triangles(Model())
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as context:
        target = scene(context, screen, size)
        elements = [(16 * k, "R32G32B32A32_FLOAT") for k in range(3)]
        context.bind_vertex_elements_state(context.create_vertex_elements_state(elements))
        context.set_vertex_buffers([triangles.reshape(-1, 12)])
        context.bind_vs_state(context.create_vs_state(VERTEX_SHADER))
        context.draw_vbo(mode="TRIANGLES", count=3 * len(triangles))
        return target.pixels()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for meshlets.png (default: out)")
    directory = parser.parse_args().output
    directory.mkdir(parents=True, exist_ok=True)
    picture = render()
    Image.fromarray(picture).save(directory / "meshlets.png")
    print(directory / "meshlets.png")
    different = int((picture != render_lowered()).any(axis=-1).sum())
    if different:
        raise SystemExit(f"{different} pixels of the lowered shaders differ")
    print("the lowered shaders give the same picture")


if __name__ == "__main__":
    main()
