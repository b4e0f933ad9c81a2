"""Limits that GLSL texts see, against those of the software device."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from backends.gallium.screen.caps import CAPS
from backends.pipe import limits
from frontends.glsl.limits import LIMITS
from tests.unit.glsl.glslang import needs_glslang

SAME = {
    "MaxDrawBuffers": limits.MAX_COLOR_BUFFERS,
    "MaxVaryingVectors": CAPS["MAX_VARYINGS"],
    "MaxTextureImageUnits": limits.MAX_SAMPLERS,
    "MaxImageUnits": limits.MAX_SHADER_IMAGES,
    "MaxAtomicCounterBindings": limits.MAX_SHADER_BUFFERS,
    "MaxPatchVertices": limits.MAX_PATCH_VERTICES,
    "MaxViewports": limits.MAX_VIEWPORTS,
    "MaxSamples": limits.MAX_TARGET_SAMPLES,
    "MaxTransformFeedbackBuffers": limits.MAX_STREAM_OUTPUT_TARGETS,
    "MaxTransformFeedbackInterleavedComponents": CAPS["MAX_STREAM_OUTPUT_INTERLEAVED_COMPONENTS"],
    "MaxGeometryOutputVertices": CAPS["MAX_GEOMETRY_OUTPUT_VERTICES"],
    "MaxGeometryTotalOutputComponents": CAPS["MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS"],
    "MaxTessPatchComponents": 4 * CAPS["MAX_SHADER_PATCH_VARYINGS"],
    "MinProgramTexelOffset": CAPS["MIN_TEXEL_OFFSET"],
    "MaxProgramTexelOffset": CAPS["MAX_TEXEL_OFFSET"],
    "MaxComputeWorkGroupCountX": limits.MAX_GRID,
    "MaxComputeWorkGroupSizeZ": limits.MAX_BLOCK,
    "MaxMeshOutputVerticesEXT": limits.MAX_MESH_VERTICES,
}
CONSTANTS = [
    *("MaxVertexAttribs", "MaxDrawBuffers", "MaxClipDistances", "MaxCullDistances", "MaxCombinedClipAndCullDistances", "MaxVaryingVectors"),
    *("MaxVaryingComponents", "MaxGeometryOutputVertices", "MaxPatchVertices", "MaxTessGenLevel", "MaxViewports", "MaxSamples"),
    *("MaxTransformFeedbackBuffers", "MaxVertexUniformVectors", "MaxComputeUniformComponents", "MaxTextureImageUnits", "MaxImageUnits"),
    *("MaxCombinedTextureImageUnits", "MinProgramTexelOffset", "MaxProgramTexelOffset", "MaxAtomicCounterBindings", "MaxImageSamples"),
    *("MaxComputeAtomicCounterBuffers", "MaxVertexImageUniforms", "MaxFragmentAtomicCounters", "MaxAtomicCounterBufferSize"),
]


def test_limits_are_those_of_the_device() -> None:
    assert {name: LIMITS[name] for name in SAME} == SAME


@needs_glslang
def test_constants_say_the_limits() -> None:
    stores = "".join(f"o[{place}] = gl_{name};" for place, name in enumerate(CONSTANTS))
    vectors = "".join(f"o[{len(CONSTANTS) + k}] = gl_MaxComputeWorkGroupSize[{k}];" for k in range(3))
    text = f"#version 450\nlayout(local_size_x = 1) in; layout(std430) buffer B {{ int o[]; }}; void main() {{ {stores}{vectors} }}"
    words = np.zeros(len(CONSTANTS) + 3, np.uint32)
    result = tgsi.run(tgsi.compile(text, stage="comp"), grid=(1, 1, 1), buffers={0: words})
    values = result.buffers[0].view(np.int32).tolist()
    assert dict(zip(CONSTANTS, values)) == {name: LIMITS[name] for name in CONSTANTS}
    assert values[len(CONSTANTS) :] == [limits.MAX_BLOCK] * 3


@needs_glslang
@pytest.mark.parametrize("binding", [0, 1, 31])
def test_counters_have_every_binding_that_the_device_has(binding: int) -> None:
    text = f"layout(binding = {binding}, offset = 8) uniform atomic_uint n;\nout uint c; void main() {{ c = atomicCounterIncrement(n); }}"
    program = tgsi.compile(f"#version 430\n{text}", stage="frag")
    assert f"HWATOMIC[{binding}]" in str(program)


@needs_glslang
def test_a_binding_beyond_the_last_is_an_error_that_names_the_limit() -> None:
    text = "#version 430\nlayout(binding = 32) uniform atomic_uint n;\nout uint c; void main() { c = atomicCounterIncrement(n); }"
    with pytest.raises(tgsi.ParseError, match="gl_MaxAtomicCounterBindings"):
        tgsi.compile(text, stage="frag")


@needs_glslang
def test_a_vertex_shader_hands_a_geometry_shader_as_many_floats_as_the_limits_say() -> None:
    block = "blk { float f[min(gl_MaxGeometryInputComponents, gl_MaxVertexOutputComponents)]; }"
    head = "#version 450\n"
    vertex = f"{head}out {block} o; void main() {{ for (int i = 0; i < o.f.length(); i++) o.f[i] = float(i); gl_Position = vec4(0); }}"
    geometry = (
        f"{head}layout(points) in; layout(points, max_vertices = 1) out; in {block} ins[]; out float c;"
        "void main() { c = ins[0].f[ins[0].f.length() - 1]; EmitVertex(); }"
    )
    programs = [tgsi.compile(vertex, stage="vert"), tgsi.compile(geometry, stage="geom")]
    assert tgsi.link_chain(*programs) is not None
