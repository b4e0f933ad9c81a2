"""Limits of GLSL programs: values of the constants gl_Max..., and limits that glslang checks. They equal those of the software device.

This package must not import the device; `tests/unit/glsl/test_limits.py` compares both.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.facts.limits import (
    MAX_ATOMIC_COUNTERS,
    MAX_BLOCK,
    MAX_GEOMETRY_VERTICES,
    MAX_GRID,
    MAX_MESH_VERTICES,
    PROMISED_CONSTANTS,
    SOFTWARE,
)

_COMPONENTS = 4
_VARYINGS = 32
_STAGES = 6
_GRAPHICS = ("Vertex", "TessControl", "TessEvaluation", "Geometry", "Fragment")

_VALUES: Mapping[str, int] = {
    # fixed functions: the smallest values that OpenGL 2 allows
    "MaxLights": 8,
    "MaxClipPlanes": 8,
    "MaxTextureUnits": 8,
    "MaxTextureCoords": 8,
    # inputs and outputs
    "MaxVertexAttribs": 16,
    "MaxDrawBuffers": 8,
    "MaxDualSourceDrawBuffersEXT": 1,
    "MaxClipDistances": 8,
    "MaxCullDistances": 8,
    "MaxCombinedClipAndCullDistances": 8,
    "MaxVaryingFloats": _COMPONENTS * _VARYINGS,
    "MaxVaryingComponents": _COMPONENTS * _VARYINGS,
    "MaxVaryingVectors": _VARYINGS,
    "MaxVertexOutputComponents": 64,  # the smallest value that OpenGL allows: each element of an array of floats occupies a register
    "MaxVertexOutputVectors": _VARYINGS,
    "MaxFragmentInputComponents": _COMPONENTS * _VARYINGS,
    "MaxFragmentInputVectors": _VARYINGS,
    "MaxGeometryInputComponents": 64,
    "MaxGeometryOutputComponents": _COMPONENTS * _VARYINGS,
    "MaxGeometryVaryingComponents": _COMPONENTS * _VARYINGS,
    "MaxGeometryOutputVertices": MAX_GEOMETRY_VERTICES,
    "MaxGeometryTotalOutputComponents": MAX_GEOMETRY_VERTICES * _COMPONENTS * _VARYINGS,
    "MaxTessControlInputComponents": _COMPONENTS * _VARYINGS,
    "MaxTessControlOutputComponents": _COMPONENTS * _VARYINGS,
    "MaxTessControlTotalOutputComponents": 32 * _COMPONENTS * _VARYINGS,
    "MaxTessEvaluationInputComponents": _COMPONENTS * _VARYINGS,
    "MaxTessEvaluationOutputComponents": _COMPONENTS * _VARYINGS,
    "MaxTessPatchComponents": _COMPONENTS * 32,
    "MaxPatchVertices": 32,
    "MaxTessGenLevel": 64,
    "MaxViewports": 16,
    "MaxSamples": 16,
    "MaxTransformFeedbackBuffers": 4,
    "MaxTransformFeedbackInterleavedComponents": 256,
    # uniforms
    "MaxVertexUniformVectors": PROMISED_CONSTANTS,
    "MaxFragmentUniformVectors": PROMISED_CONSTANTS,
    **{f"Max{stage}UniformComponents": _COMPONENTS * PROMISED_CONSTANTS for stage in (*_GRAPHICS, "Compute")},
    # textures
    "MaxTextureImageUnits": SOFTWARE.samplers,
    **{f"Max{stage}TextureImageUnits": SOFTWARE.samplers for stage in ("Vertex", "TessControl", "TessEvaluation", "Geometry", "Compute")},
    "MaxCombinedTextureImageUnits": _STAGES * SOFTWARE.samplers,
    "MinProgramTexelOffset": -8,
    "MaxProgramTexelOffset": 7,
    # images
    "MaxImageUnits": SOFTWARE.images,
    "MaxImageSamples": 16,
    **{f"Max{stage}ImageUniforms": SOFTWARE.images for stage in (*_GRAPHICS, "Compute")},
    "MaxCombinedImageUniforms": _STAGES * SOFTWARE.images,
    "MaxCombinedImageUnitsAndFragmentOutputs": SOFTWARE.images + 8,
    "MaxCombinedShaderOutputResources": SOFTWARE.images + SOFTWARE.buffers + 8,
    # atomic counters
    "MaxAtomicCounterBindings": SOFTWARE.buffers,
    "MaxAtomicCounterBufferSize": 4 * MAX_ATOMIC_COUNTERS,
    **{f"Max{stage}AtomicCounterBuffers": SOFTWARE.buffers for stage in (*_GRAPHICS, "Compute", "Combined")},
    **{f"Max{stage}AtomicCounters": MAX_ATOMIC_COUNTERS for stage in (*_GRAPHICS, "Compute", "Combined")},
    # grids
    **{f"MaxComputeWorkGroupCount{axis}": MAX_GRID for axis in "XYZ"},
    **{f"MaxComputeWorkGroupSize{axis}": MAX_BLOCK for axis in "XYZ"},
    # meshes, by both extensions
    "MaxMeshOutputVerticesNV": MAX_MESH_VERTICES,
    "MaxMeshOutputPrimitivesNV": MAX_MESH_VERTICES,
    "MaxMeshOutputVerticesEXT": MAX_MESH_VERTICES,
    "MaxMeshOutputPrimitivesEXT": MAX_MESH_VERTICES,
    **{f"Max{stage}WorkGroupSize{axis}_{owner}": MAX_BLOCK for stage in ("Mesh", "Task") for axis in "XYZ" for owner in ("NV", "EXT")},
    "MaxMeshViewCountNV": 1,
    "MaxMeshViewCountEXT": 1,
}  # fmt: skip
LIMITS: Mapping[str, int] = MappingProxyType(dict(_VALUES))
"""Limits by glslang's names: the constants without ``gl_``; a vector of three numbers becomes three limits."""

_ALLOWED = """
nonInductiveForLoops whileLoops doWhileLoops generalUniformIndexing generalAttributeMatrixVectorIndexing generalVaryingIndexing
generalSamplerIndexing generalVariableIndexing generalConstantMatrixVectorIndexing
"""


def resource_file() -> str:
    """The limits in the form that ``glslang -c`` prints, for its command line."""
    lines = [f"{name} {value}" for name, value in LIMITS.items()] + [f"{name} 1" for name in _ALLOWED.split()]
    return "\n".join(lines) + "\n"
