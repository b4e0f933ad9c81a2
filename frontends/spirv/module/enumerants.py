"""Enumerations of SPIR-V: number, name, and the shape of the operands that some members have (letters: `grammar`).

Source of the facts: as for `grammar`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from frontends.spirv.module.grammar import entries

_TABLES = {
    "Capability": """
0 Matrix; 1 Shader; 2 Geometry; 3 Tessellation; 4 Addresses; 5 Linkage; 6 Kernel; 7 Vector16; 8 Float16Buffer; 9 Float16; 10 Float64
11 Int64; 12 Int64Atomics; 13 ImageBasic; 14 ImageReadWrite; 15 ImageMipmap; 17 Pipes; 18 Groups; 19 DeviceEnqueue; 20 LiteralSampler
21 AtomicStorage; 22 Int16; 23 TessellationPointSize; 24 GeometryPointSize; 25 ImageGatherExtended; 27 StorageImageMultisample
28 UniformBufferArrayDynamicIndexing; 29 SampledImageArrayDynamicIndexing; 30 StorageBufferArrayDynamicIndexing
31 StorageImageArrayDynamicIndexing; 32 ClipDistance; 33 CullDistance; 34 ImageCubeArray; 35 SampleRateShading; 36 ImageRect
37 SampledRect; 38 GenericPointer; 39 Int8; 40 InputAttachment; 41 SparseResidency; 42 MinLod; 43 Sampled1D; 44 Image1D
45 SampledCubeArray; 46 SampledBuffer; 47 ImageBuffer; 48 ImageMSArray; 49 StorageImageExtendedFormats; 50 ImageQuery
51 DerivativeControl; 52 InterpolationFunction; 53 TransformFeedback; 54 GeometryStreams; 55 StorageImageReadWithoutFormat
56 StorageImageWriteWithoutFormat; 57 MultiViewport; 58 SubgroupDispatch; 59 NamedBarrier; 60 PipeStorage; 61 GroupNonUniform
62 GroupNonUniformVote; 63 GroupNonUniformArithmetic; 64 GroupNonUniformBallot; 65 GroupNonUniformShuffle
66 GroupNonUniformShuffleRelative; 67 GroupNonUniformClustered; 68 GroupNonUniformQuad; 69 ShaderLayer; 70 ShaderViewportIndex
71 UniformDecoration; 4165 CoreBuiltinsARM; 4422 FragmentShadingRateKHR; 4423 SubgroupBallotKHR; 4427 DrawParameters
4428 WorkgroupMemoryExplicitLayoutKHR; 4429 WorkgroupMemoryExplicitLayout8BitAccessKHR; 4430 WorkgroupMemoryExplicitLayout16BitAccessKHR
4431 SubgroupVoteKHR; 4433 StorageBuffer16BitAccess; 4434 UniformAndStorageBuffer16BitAccess; 4435 StoragePushConstant16
4436 StorageInputOutput16; 4437 DeviceGroup; 4439 MultiView; 4441 VariablePointersStorageBuffer; 4442 VariablePointers
4445 AtomicStorageOps; 4447 SampleMaskPostDepthCoverage; 4448 StorageBuffer8BitAccess; 4449 UniformAndStorageBuffer8BitAccess
4450 StoragePushConstant8; 4464 DenormPreserve; 4465 DenormFlushToZero; 4466 SignedZeroInfNanPreserve; 4467 RoundingModeRTE
4468 RoundingModeRTZ; 4471 RayQueryProvisionalKHR; 4472 RayQueryKHR; 4478 RayTraversalPrimitiveCullingKHR; 4479 RayTracingKHR
5008 Float16ImageAMD; 5009 ImageGatherBiasLodAMD; 5010 FragmentMaskAMD; 5013 StencilExportEXT; 5015 ImageReadWriteLodAMD
5016 Int64ImageEXT; 5055 ShaderClockKHR; 5249 SampleMaskOverrideCoverageNV; 5251 GeometryShaderPassthroughNV
5254 ShaderViewportIndexLayerEXT; 5255 ShaderViewportMaskNV; 5259 ShaderStereoViewNV; 5260 PerViewAttributesNV
5265 FragmentFullyCoveredEXT; 5266 MeshShadingNV; 5282 ImageFootprintNV; 5283 MeshShadingEXT; 5284 FragmentBarycentricKHR
5288 ComputeDerivativeGroupQuadsNV; 5291 FragmentDensityEXT; 5297 GroupNonUniformPartitionedNV; 5301 ShaderNonUniform
5302 RuntimeDescriptorArray; 5303 InputAttachmentArrayDynamicIndexing; 5304 UniformTexelBufferArrayDynamicIndexing
5305 StorageTexelBufferArrayDynamicIndexing; 5306 UniformBufferArrayNonUniformIndexing; 5307 SampledImageArrayNonUniformIndexing
5308 StorageBufferArrayNonUniformIndexing; 5309 StorageImageArrayNonUniformIndexing; 5310 InputAttachmentArrayNonUniformIndexing
5311 UniformTexelBufferArrayNonUniformIndexing; 5312 StorageTexelBufferArrayNonUniformIndexing; 5340 RayTracingNV
5341 RayTracingMotionBlurNV; 5345 VulkanMemoryModel; 5346 VulkanMemoryModelDeviceScope; 5347 PhysicalStorageBufferAddresses
5350 ComputeDerivativeGroupLinearNV; 5353 RayTracingProvisionalKHR; 5357 CooperativeMatrixNV; 5363 FragmentShaderSampleInterlockEXT
5372 FragmentShaderShadingRateInterlockEXT; 5373 ShaderSMBuiltinsNV; 5378 FragmentShaderPixelInterlockEXT; 5379 DemoteToHelperInvocation
5381 RayTracingOpacityMicromapEXT; 5383 ShaderInvocationReorderNV; 5390 BindlessTextureNV; 5612 AtomicFloat32MinMaxEXT
5613 AtomicFloat64MinMaxEXT; 5616 AtomicFloat16MinMaxEXT; 5629 ExpectAssumeKHR; 6016 DotProductInputAll; 6017 DotProductInput4x8Bit
6018 DotProductInput4x8BitPacked; 6019 DotProduct; 6020 RayCullMaskKHR; 6025 BitInstructions; 6026 GroupNonUniformRotateKHR
6033 AtomicFloat32AddEXT; 6034 AtomicFloat64AddEXT; 6095 AtomicFloat16AddEXT; 6400 GroupUniformArithmeticKHR
""",
    "StorageClass": """
0 UniformConstant; 1 Input; 2 Uniform; 3 Output; 4 Workgroup; 5 CrossWorkgroup; 6 Private; 7 Function; 8 Generic; 9 PushConstant
10 AtomicCounter; 11 Image; 12 StorageBuffer; 5328 CallableDataNV; 5329 IncomingCallableDataNV; 5338 RayPayloadNV; 5339 HitAttributeNV
5342 IncomingRayPayloadNV; 5343 ShaderRecordBufferNV; 5349 PhysicalStorageBuffer; 5385 HitObjectAttributeNV
5402 TaskPayloadWorkgroupEXT
""",
    "BuiltIn": """
0 Position; 1 PointSize; 3 ClipDistance; 4 CullDistance; 5 VertexId; 6 InstanceId; 7 PrimitiveId; 8 InvocationId; 9 Layer
10 ViewportIndex; 11 TessLevelOuter; 12 TessLevelInner; 13 TessCoord; 14 PatchVertices; 15 FragCoord; 16 PointCoord; 17 FrontFacing
18 SampleId; 19 SamplePosition; 20 SampleMask; 22 FragDepth; 23 HelperInvocation; 24 NumWorkgroups; 25 WorkgroupSize; 26 WorkgroupId
27 LocalInvocationId; 28 GlobalInvocationId; 29 LocalInvocationIndex; 30 WorkDim; 31 GlobalSize; 32 EnqueuedWorkgroupSize
33 GlobalOffset; 34 GlobalLinearId; 36 SubgroupSize; 37 SubgroupMaxSize; 38 NumSubgroups; 39 NumEnqueuedSubgroups; 40 SubgroupId
41 SubgroupLocalInvocationId; 42 VertexIndex; 43 InstanceIndex; 4160 CoreIDARM; 4161 CoreCountARM; 4162 CoreMaxIDARM; 4163 WarpIDARM
4164 WarpMaxIDARM; 4416 SubgroupEqMask; 4417 SubgroupGeMask; 4418 SubgroupGtMask; 4419 SubgroupLeMask; 4420 SubgroupLtMask
4424 BaseVertex; 4425 BaseInstance; 4426 DrawIndex; 4432 PrimitiveShadingRateKHR; 4438 DeviceIndex; 4440 ViewIndex; 4444 ShadingRateKHR
4992 BaryCoordNoPerspAMD; 4993 BaryCoordNoPerspCentroidAMD; 4994 BaryCoordNoPerspSampleAMD; 4995 BaryCoordSmoothAMD
4996 BaryCoordSmoothCentroidAMD; 4997 BaryCoordSmoothSampleAMD; 4998 BaryCoordPullModelAMD; 5014 FragStencilRefEXT; 5253 ViewportMaskNV
5257 SecondaryPositionNV; 5258 SecondaryViewportMaskNV; 5261 PositionPerViewNV; 5262 ViewportMaskPerViewNV; 5264 FullyCoveredEXT
5274 TaskCountNV; 5275 PrimitiveCountNV; 5276 PrimitiveIndicesNV; 5277 ClipDistancePerViewNV; 5278 CullDistancePerViewNV
5279 LayerPerViewNV; 5280 MeshViewCountNV; 5281 MeshViewIndicesNV; 5286 BaryCoordKHR; 5287 BaryCoordNoPerspKHR; 5292 FragSizeEXT
5293 FragInvocationCountEXT; 5294 PrimitivePointIndicesEXT; 5295 PrimitiveLineIndicesEXT; 5296 PrimitiveTriangleIndicesEXT
5299 CullPrimitiveEXT; 5319 LaunchIdNV; 5320 LaunchSizeNV; 5321 WorldRayOriginNV; 5322 WorldRayDirectionNV; 5323 ObjectRayOriginNV
5324 ObjectRayDirectionNV; 5325 RayTminNV; 5326 RayTmaxNV; 5327 InstanceCustomIndexNV; 5330 ObjectToWorldNV; 5331 WorldToObjectNV
5332 HitTNV; 5333 HitKindNV; 5334 CurrentRayTimeNV; 5351 IncomingRayFlagsNV; 5352 RayGeometryIndexKHR; 5374 WarpsPerSMNV; 5375 SMCountNV
5376 WarpIDNV; 5377 SMIDNV; 6021 CullMaskKHR
""",
    "Decoration": """
0 RelaxedPrecision; 1 SpecId L; 2 Block; 3 BufferBlock; 4 RowMajor; 5 ColMajor; 6 ArrayStride L; 7 MatrixStride L; 8 GLSLShared
9 GLSLPacked; 10 CPacked; 11 BuiltIn E; 13 NoPerspective; 14 Flat; 15 Patch; 16 Centroid; 17 Sample; 18 Invariant; 19 Restrict
20 Aliased; 21 Volatile; 22 Constant; 23 Coherent; 24 NonWritable; 25 NonReadable; 26 Uniform; 27 UniformId I; 28 SaturatedConversion
29 Stream L; 30 Location L; 31 Component L; 32 Index L; 33 Binding L; 34 DescriptorSet L; 35 Offset L; 36 XfbBuffer L; 37 XfbStride L
38 FuncParamAttr E; 39 FPRoundingMode E; 40 FPFastMathMode E; 41 LinkageAttributes SE; 42 NoContraction; 43 InputAttachmentIndex L
44 Alignment L; 45 MaxByteOffset L; 46 AlignmentId I; 47 MaxByteOffsetId I; 4469 NoSignedWrap; 4470 NoUnsignedWrap
4999 ExplicitInterpAMD; 5248 OverrideCoverageNV; 5250 PassthroughNV; 5252 ViewportRelativeNV; 5256 SecondaryViewportRelativeNV L
5271 PerPrimitiveNV; 5272 PerViewNV; 5273 PerTaskNV; 5285 PerVertexKHR; 5300 NonUniform; 5355 RestrictPointer; 5356 AliasedPointer
5386 HitObjectShaderRecordBufferNV; 5398 BindlessSamplerNV; 5399 BindlessImageNV; 5400 BoundSamplerNV; 5401 BoundImageNV
5634 CounterBuffer I; 5635 UserSemantic S; 5636 UserTypeGOOGLE S
""",
    "ExecutionMode": """
0 Invocations L; 1 SpacingEqual; 2 SpacingFractionalEven; 3 SpacingFractionalOdd; 4 VertexOrderCw; 5 VertexOrderCcw
6 PixelCenterInteger; 7 OriginUpperLeft; 8 OriginLowerLeft; 9 EarlyFragmentTests; 10 PointMode; 11 Xfb; 12 DepthReplacing
14 DepthGreater; 15 DepthLess; 16 DepthUnchanged; 17 LocalSize LLL; 18 LocalSizeHint LLL; 19 InputPoints; 20 InputLines
21 InputLinesAdjacency; 22 Triangles; 23 InputTrianglesAdjacency; 24 Quads; 25 Isolines; 26 OutputVertices L; 27 OutputPoints
28 OutputLineStrip; 29 OutputTriangleStrip; 30 VecTypeHint L; 31 ContractionOff; 33 Initializer; 34 Finalizer; 35 SubgroupSize L
36 SubgroupsPerWorkgroup L; 37 SubgroupsPerWorkgroupId I; 38 LocalSizeId III; 39 LocalSizeHintId III; 4421 SubgroupUniformControlFlowKHR
4446 PostDepthCoverage; 4459 DenormPreserve L; 4460 DenormFlushToZero L; 4461 SignedZeroInfNanPreserve L; 4462 RoundingModeRTE L
4463 RoundingModeRTZ L; 5017 EarlyAndLateFragmentTestsAMD; 5027 StencilRefReplacingEXT; 5079 StencilRefUnchangedFrontAMD
5080 StencilRefGreaterFrontAMD; 5081 StencilRefLessFrontAMD; 5082 StencilRefUnchangedBackAMD; 5083 StencilRefGreaterBackAMD
5084 StencilRefLessBackAMD; 5269 OutputLinesNV; 5270 OutputPrimitivesNV L; 5289 DerivativeGroupQuadsNV; 5290 DerivativeGroupLinearNV
5298 OutputTrianglesNV; 5366 PixelInterlockOrderedEXT; 5367 PixelInterlockUnorderedEXT; 5368 SampleInterlockOrderedEXT
5369 SampleInterlockUnorderedEXT; 5370 ShadingRateInterlockOrderedEXT; 5371 ShadingRateInterlockUnorderedEXT
""",
    "Dim": """
0 1D; 1 2D; 2 3D; 3 Cube; 4 Rect; 5 Buffer; 6 SubpassData
""",
    "ExecutionModel": """
0 Vertex; 1 TessellationControl; 2 TessellationEvaluation; 3 Geometry; 4 Fragment; 5 GLCompute; 6 Kernel; 5267 TaskNV; 5268 MeshNV
5313 RayGenerationNV; 5314 IntersectionNV; 5315 AnyHitNV; 5316 ClosestHitNV; 5317 MissNV; 5318 CallableNV; 5364 TaskEXT; 5365 MeshEXT
""",
    "ImageOperands": """
0 None; 1 Bias I; 2 Lod I; 4 Grad II; 8 ConstOffset I; 16 Offset I; 32 ConstOffsets I; 64 Sample I; 128 MinLod I
256 MakeTexelAvailable I; 512 MakeTexelVisible I; 1024 NonPrivateTexel; 2048 VolatileTexel; 4096 SignExtend; 8192 ZeroExtend
16384 Nontemporal; 65536 Offsets I
""",
    "MemoryAccess": """
0 None; 1 Volatile; 2 Aligned L; 4 Nontemporal; 8 MakePointerAvailable I; 16 MakePointerVisible I; 32 NonPrivatePointer
""",
    "GroupOperation": """
0 Reduce; 1 InclusiveScan; 2 ExclusiveScan; 3 ClusteredReduce; 6 PartitionedReduceNV; 7 PartitionedInclusiveScanNV
8 PartitionedExclusiveScanNV
""",
    "ImageFormat": """
0 Unknown; 1 Rgba32f; 2 Rgba16f; 3 R32f; 4 Rgba8; 5 Rgba8Snorm; 6 Rg32f; 7 Rg16f; 8 R11fG11fB10f; 9 R16f; 10 Rgba16; 11 Rgb10A2; 12 Rg16
13 Rg8; 14 R16; 15 R8; 16 Rgba16Snorm; 17 Rg16Snorm; 18 Rg8Snorm; 19 R16Snorm; 20 R8Snorm; 21 Rgba32i; 22 Rgba16i; 23 Rgba8i; 24 R32i
25 Rg32i; 26 Rg16i; 27 Rg8i; 28 R16i; 29 R8i; 30 Rgba32ui; 31 Rgba16ui; 32 Rgba8ui; 33 R32ui; 34 Rgb10a2ui; 35 Rg32ui; 36 Rg16ui
37 Rg8ui; 38 R16ui; 39 R8ui; 40 R64ui; 41 R64i
""",
}


def _read(table: str) -> dict[int, tuple[str, str]]:
    rows = (entry.split() for entry in entries(table))
    return {int(row[0]): (row[1], row[2] if len(row) > 2 else "") for row in rows}


ENUMERANTS: Mapping[str, Mapping[int, tuple[str, str]]] = MappingProxyType({name: _read(table) for name, table in _TABLES.items()})
"""Name of an enumeration -> number -> name and shape."""


def name_of(enumeration: str, number: int) -> str:
    """The name of a member, or its number if the table has no name."""
    row = ENUMERANTS[enumeration].get(number)
    return row[0] if row is not None else str(number)
