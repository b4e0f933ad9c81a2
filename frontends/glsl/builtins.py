"""Built-in functions, variables and constants of GLSL, with their versions and extensions.

Source: the specifications of GLSL 1.10 to 4.60, of OpenGL ES GLSL 1.00 to 3.20, and of the extensions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.record import record

NEVER = 9999
"""The version of a name that no version of a language has."""


@record
class BuiltIn:
    """A built-in name: the first version of the desktop and of OpenGL ES that has it, and extensions that add it to older ones."""

    name: str
    desktop: int
    es: int
    extensions: tuple[str, ...] = ()

    def is_in(self, version: int, is_es: bool) -> bool:
        """True if a version has the name without an extension."""
        return (self.es if is_es else self.desktop) <= version

    def __str__(self) -> str:
        """Its versions and extensions, worded for a message."""
        versions = [str(self.desktop)] * (self.desktop != NEVER) + [f"{self.es} es" if self.es > 100 else "100"] * (self.es != NEVER)
        places = [f"#version {' and '.join(versions)}"] * bool(versions) + list(self.extensions)
        return ", ".join(places[:-1]) + (" and " if places[1:] else "") + places[-1]


_FUNCTIONS = """
110 100 : radians degrees sin cos tan asin acos atan pow exp log exp2 log2 sqrt inversesqrt abs sign floor ceil fract mod min max clamp mix
110 100 : step smoothstep length distance dot cross normalize faceforward reflect refract matrixCompMult lessThan lessThanEqual greaterThan
110 100 : greaterThanEqual equal notEqual any all not
110 300 GL_OES_standard_derivatives : dFdx dFdy fwidth
120 300 : outerProduct transpose
130 300 : sinh cosh tanh asinh acosh atanh trunc round roundEven modf isnan isinf
130 300 : texture textureProj textureLod textureOffset texelFetch texelFetchOffset textureProjOffset textureLodOffset textureProjLod
130 300 : textureProjLodOffset textureGrad textureGradOffset textureProjGrad textureProjGradOffset textureSize
140 300 : inverse
150 300 : determinant
150 320 GL_EXT_geometry_shader GL_OES_geometry_shader : EmitVertex EndPrimitive
330 300 GL_ARB_shader_bit_encoding GL_ARB_gpu_shader5 : floatBitsToInt floatBitsToUint intBitsToFloat uintBitsToFloat
400 320 GL_ARB_gpu_shader5 GL_EXT_gpu_shader5 GL_OES_gpu_shader5 : fma
400 310 GL_ARB_gpu_shader5 : frexp ldexp bitfieldExtract bitfieldInsert bitfieldReverse bitCount findLSB findMSB
400 310 GL_ARB_gpu_shader5 : uaddCarry usubBorrow umulExtended imulExtended
400 300 GL_ARB_shading_language_packing GL_ARB_gpu_shader5 : packUnorm2x16 unpackUnorm2x16
400 310 GL_ARB_shading_language_packing GL_ARB_gpu_shader5 : packUnorm4x8 packSnorm4x8 unpackUnorm4x8 unpackSnorm4x8
420 300 GL_ARB_shading_language_packing : packSnorm2x16 unpackSnorm2x16 packHalf2x16 unpackHalf2x16
400 9999 GL_ARB_gpu_shader_fp64 : packDouble2x32 unpackDouble2x32
400 9999 GL_ARB_gpu_shader5 : EmitStreamVertex EndStreamPrimitive
400 9999 GL_ARB_texture_query_lod : textureQueryLod
430 9999 GL_ARB_texture_query_levels : textureQueryLevels
450 9999 GL_ARB_shader_texture_image_samples : textureSamples imageSamples
400 310 GL_ARB_texture_gather GL_ARB_gpu_shader5 : textureGather textureGatherOffset
400 320 GL_ARB_gpu_shader5 GL_EXT_gpu_shader5 GL_OES_gpu_shader5 : textureGatherOffsets
400 320 GL_ARB_gpu_shader5 GL_OES_shader_multisample_interpolation : interpolateAtCentroid interpolateAtSample interpolateAtOffset
420 310 GL_ARB_shader_atomic_counters : atomicCounter atomicCounterIncrement atomicCounterDecrement
460 9999 : atomicCounterAdd atomicCounterSubtract atomicCounterMin atomicCounterMax atomicCounterAnd atomicCounterOr atomicCounterXor
460 9999 : atomicCounterExchange atomicCounterCompSwap
430 310 GL_ARB_shader_storage_buffer_object : atomicAdd atomicMin atomicMax atomicAnd atomicOr atomicXor
430 310 GL_ARB_shader_storage_buffer_object : atomicExchange atomicCompSwap
430 310 GL_ARB_shader_image_size : imageSize
420 310 GL_ARB_shader_image_load_store : imageLoad imageStore
420 320 GL_ARB_shader_image_load_store GL_OES_shader_image_atomic : imageAtomicAdd imageAtomicMin imageAtomicMax imageAtomicAnd
420 320 GL_ARB_shader_image_load_store GL_OES_shader_image_atomic : imageAtomicOr imageAtomicXor imageAtomicExchange imageAtomicCompSwap
420 310 GL_ARB_shader_image_load_store : memoryBarrier
430 310 GL_ARB_compute_shader : memoryBarrierAtomicCounter memoryBarrierBuffer memoryBarrierImage memoryBarrierShared groupMemoryBarrier
400 310 GL_ARB_tessellation_shader : barrier
450 9999 GL_ARB_derivative_control : dFdxFine dFdyFine dFdxCoarse dFdyCoarse fwidthFine fwidthCoarse
460 9999 : anyInvocation allInvocations allInvocationsEqual
9999 9999 GL_ARB_shader_group_vote : anyInvocationARB allInvocationsARB allInvocationsEqualARB
9999 9999 GL_ARB_shader_ballot : ballotARB readInvocationARB readFirstInvocationARB
9999 9999 GL_ARB_shader_atomic_counter_ops : atomicCounterAddARB atomicCounterSubtractARB atomicCounterMinARB atomicCounterMaxARB
9999 9999 GL_ARB_shader_atomic_counter_ops : atomicCounterAndARB atomicCounterOrARB atomicCounterXorARB atomicCounterExchangeARB
9999 9999 GL_ARB_shader_atomic_counter_ops : atomicCounterCompSwapARB
9999 9999 GL_ARB_gpu_shader_int64 : packInt2x32 packUint2x32 unpackInt2x32 unpackUint2x32 doubleBitsToInt64 doubleBitsToUint64
9999 9999 GL_ARB_gpu_shader_int64 : int64BitsToDouble uint64BitsToDouble
9999 9999 GL_ARB_texture_query_lod : textureQueryLOD
"""
_VARIABLES = """
110 100 : gl_Position gl_PointSize gl_FragCoord gl_FrontFacing
110 300 GL_EXT_frag_depth : gl_FragDepth
110 100 : gl_DepthRange
120 100 : gl_PointCoord
130 300 : gl_VertexID
140 300 GL_ARB_draw_instanced : gl_InstanceID
130 9999 GL_EXT_clip_cull_distance : gl_ClipDistance
450 9999 GL_ARB_cull_distance GL_EXT_clip_cull_distance : gl_CullDistance
150 320 GL_EXT_geometry_shader GL_OES_geometry_shader : gl_PrimitiveID gl_PrimitiveIDIn gl_Layer
400 320 GL_ARB_gpu_shader5 GL_ARB_tessellation_shader GL_EXT_geometry_shader : gl_InvocationID
400 320 GL_ARB_tessellation_shader GL_EXT_tessellation_shader : gl_PatchVerticesIn gl_TessLevelOuter gl_TessLevelInner gl_TessCoord
400 320 GL_ARB_sample_shading GL_OES_sample_variables : gl_SampleID gl_SamplePosition gl_SampleMask
400 320 GL_ARB_gpu_shader5 GL_OES_sample_variables : gl_SampleMaskIn
420 320 GL_ARB_sample_shading GL_OES_sample_variables : gl_NumSamples
410 9999 GL_ARB_viewport_array : gl_ViewportIndex
450 310 : gl_HelperInvocation
430 310 GL_ARB_compute_shader : gl_NumWorkGroups gl_WorkGroupSize gl_WorkGroupID gl_LocalInvocationID gl_GlobalInvocationID
430 310 GL_ARB_compute_shader : gl_LocalInvocationIndex
460 9999 : gl_BaseVertex gl_BaseInstance gl_DrawID
9999 9999 GL_ARB_shader_draw_parameters : gl_BaseVertexARB gl_BaseInstanceARB gl_DrawIDARB
9999 9999 GL_ARB_shader_stencil_export : gl_FragStencilRefARB
"""
_CONSTANTS = """
110 100 : gl_MaxVertexAttribs gl_MaxVertexTextureImageUnits gl_MaxCombinedTextureImageUnits gl_MaxTextureImageUnits gl_MaxDrawBuffers
410 100 : gl_MaxVertexUniformVectors gl_MaxVaryingVectors gl_MaxFragmentUniformVectors
9999 300 : gl_MaxVertexOutputVectors gl_MaxFragmentInputVectors
110 9999 : gl_MaxVertexUniformComponents gl_MaxFragmentUniformComponents
420 300 : gl_MinProgramTexelOffset gl_MaxProgramTexelOffset
130 9999 : gl_MaxClipDistances gl_MaxVaryingComponents
150 320 : gl_MaxGeometryInputComponents gl_MaxGeometryOutputComponents gl_MaxGeometryTextureImageUnits gl_MaxGeometryOutputVertices
150 320 : gl_MaxGeometryTotalOutputComponents gl_MaxGeometryUniformComponents
150 9999 : gl_MaxVertexOutputComponents gl_MaxFragmentInputComponents gl_MaxGeometryVaryingComponents
400 320 GL_ARB_tessellation_shader : gl_MaxPatchVertices gl_MaxTessGenLevel gl_MaxTessPatchComponents gl_MaxTessControlInputComponents
400 320 GL_ARB_tessellation_shader : gl_MaxTessControlOutputComponents gl_MaxTessControlTextureImageUnits gl_MaxTessControlUniformComponents
400 320 GL_ARB_tessellation_shader : gl_MaxTessControlTotalOutputComponents gl_MaxTessEvaluationInputComponents
400 320 GL_ARB_tessellation_shader : gl_MaxTessEvaluationOutputComponents gl_MaxTessEvaluationTextureImageUnits
400 320 GL_ARB_tessellation_shader : gl_MaxTessEvaluationUniformComponents
410 9999 GL_ARB_viewport_array : gl_MaxViewports
420 310 GL_ARB_shader_atomic_counters : gl_MaxVertexAtomicCounters gl_MaxFragmentAtomicCounters gl_MaxCombinedAtomicCounters
420 310 GL_ARB_shader_atomic_counters : gl_MaxAtomicCounterBindings
420 310 GL_ARB_shader_atomic_counters : gl_MaxAtomicCounterBufferSize gl_MaxVertexAtomicCounterBuffers
420 310 GL_ARB_shader_atomic_counters : gl_MaxFragmentAtomicCounterBuffers
420 310 GL_ARB_shader_image_load_store : gl_MaxImageUnits gl_MaxVertexImageUniforms gl_MaxFragmentImageUniforms gl_MaxCombinedImageUniforms
420 9999 GL_ARB_shader_image_load_store : gl_MaxImageSamples
430 310 GL_ARB_compute_shader : gl_MaxComputeWorkGroupCount gl_MaxComputeWorkGroupSize gl_MaxComputeUniformComponents
430 310 GL_ARB_compute_shader : gl_MaxComputeTextureImageUnits gl_MaxComputeImageUniforms gl_MaxComputeAtomicCounters
430 310 GL_ARB_compute_shader : gl_MaxComputeAtomicCounterBuffers
440 9999 GL_ARB_enhanced_layouts : gl_MaxTransformFeedbackBuffers gl_MaxTransformFeedbackInterleavedComponents
450 9999 GL_ARB_cull_distance : gl_MaxCullDistances gl_MaxCombinedClipAndCullDistances
450 320 GL_OES_sample_variables : gl_MaxSamples
"""


def _read(table: str) -> Mapping[str, BuiltIn]:
    """Rows of the first version of the desktop, the first one of OpenGL ES, extensions, and names after a colon."""
    made = {}
    for line in table.strip().split("\n"):
        places, _, names = line.partition(" : ")
        desktop, es, *extensions = places.split()
        for name in names.split():
            made[name] = BuiltIn(name, int(desktop), int(es), tuple(extensions))
    return MappingProxyType(made)


FUNCTIONS = _read(_FUNCTIONS)
VARIABLES = _read(_VARIABLES)
CONSTANTS = _read(_CONSTANTS)
BUILT_INS: Mapping[str, BuiltIn] = MappingProxyType({**FUNCTIONS, **VARIABLES, **CONSTANTS})
"""Every built-in name of these tables."""
