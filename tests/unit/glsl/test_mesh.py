"""Mesh shading and subgroups in GLSL. (GL_EXT_mesh_shader, GL_KHR_shader_subgroup)"""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.unit.glsl.glslang import needs_glslang

pytestmark = [needs_glslang, pytest.mark.light]

HEAD = """#version 450
#extension GL_EXT_mesh_shader : require
struct Load { float size; };
taskPayloadSharedEXT Load load;
"""
TASK = HEAD + "void main() { load.size = 2; EmitMeshTasksEXT(2, 1, 1); }"
MESH = (
    HEAD
    + """layout(local_size_x = 3) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
layout(location = 0) out vec4 color[];
void main() {
    SetMeshOutputsEXT(3, 1);
    uint i = gl_LocalInvocationIndex;
    vec2 corner = vec2(i & 1u, i >> 1) * load.size - 1;
    gl_MeshVerticesEXT[i].gl_Position = vec4(gl_WorkGroupID.x == 0u ? corner : -corner, 0, 1);
    color[i] = vec4(gl_WorkGroupID.x + 1u);
    if (i == 0u) gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);
}
"""
)
FRAGMENT = "#version 450\nlayout(location = 0) in vec4 color; layout(location = 0) out vec4 c; void main() { c = color; }"


def test_task_and_mesh_shaders_in_glsl_draw() -> None:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R32_FLOAT", width0=4, height0=4)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (2, 2, 1), "translate": (2, 2, 0)}])
        ctx.bind_ts_state(ctx.create_ts_state(TASK))
        ctx.bind_ms_state(ctx.create_ms_state(MESH))
        ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
        ctx.draw_mesh_tasks(grid=(1, 1, 1))
        drawn = np.asarray(target).reshape(4, 4)
    first = np.add.outer(range(4), range(4)) < 3  # corners (-1, -1), (1, -1), (-1, 1)
    assert np.array_equal(drawn == 1, first)
    assert np.array_equal(drawn == 2, ~first)


def test_subgroups_in_glsl_run() -> None:
    text = """#version 450
    #extension GL_KHR_shader_subgroup_basic : require
    #extension GL_KHR_shader_subgroup_vote : require
    layout(local_size_x = 8) in;
    layout(std430, binding = 0) buffer B { uint v[]; };
    void main() { uint i = gl_LocalInvocationIndex; v[i] = uint(subgroupAll(v[i] < 100u)) + 2u * uint(subgroupElect()); }
    """
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        values = screen.buffer_from(np.arange(8, dtype=np.uint32))
        ctx.bind_compute_state(ctx.create_compute_state(text))
        ctx.set_shader_buffers("COMPUTE", [{"buffer": values}])
        ctx.launch_grid(block=(8, 1, 1), grid=(1, 1, 1))
        result = np.asarray(values).view(np.uint32)
    assert set(result & 1) == {1}
    assert (result & 2).any()
