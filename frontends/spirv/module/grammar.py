"""Instructions of SPIR-V: number, name and shape of the operands, one row each. The decoder reads modules by this table alone.

Letters of a shape: T id of the result's type, R id of the result, I id, L word, S string, E one word of an enumeration, V words of a
value, whose number the type gives. Masks and enumerations with additional operands: G image operands, M memory access, D decoration, X
execution mode, O loop control. `?` may be left out, `*` repeats.

Source of the facts: Khronos' grammar of SPIR-V 1.6 (the package spirv-headers of Debian), without the extensions of one vendor's
compiler for other hardware (INTEL), but with its integer functions for shaders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.record import record

MAGIC = 0x07230203
"""First word of a module."""

_ROWS = """
0 Nop -; 1 Undef TR; 2 SourceContinued S; 3 Source ELI?S?; 4 SourceExtension S; 5 Name IS; 6 MemberName ILS; 7 String RS; 8 Line ILL
10 Extension S; 11 ExtInstImport RS; 12 ExtInst TRILI*; 14 MemoryModel EE; 15 EntryPoint EISI*; 16 ExecutionMode IX; 17 Capability E
19 TypeVoid R; 20 TypeBool R; 21 TypeInt RLL; 22 TypeFloat RL; 23 TypeVector RIL; 24 TypeMatrix RIL; 25 TypeImage RIELLLLEE?
26 TypeSampler R; 27 TypeSampledImage RI; 28 TypeArray RII; 29 TypeRuntimeArray RI; 30 TypeStruct RI*; 31 TypeOpaque RS
32 TypePointer REI; 33 TypeFunction RII*; 34 TypeEvent R; 35 TypeDeviceEvent R; 36 TypeReserveId R; 37 TypeQueue R; 38 TypePipe RE
39 TypeForwardPointer IE; 41 ConstantTrue TR; 42 ConstantFalse TR; 43 Constant TRV; 44 ConstantComposite TRI*; 45 ConstantSampler TRELE
46 ConstantNull TR; 48 SpecConstantTrue TR; 49 SpecConstantFalse TR; 50 SpecConstant TRV; 51 SpecConstantComposite TRI*
52 SpecConstantOp TRL; 54 Function TREI; 55 FunctionParameter TR; 56 FunctionEnd -; 57 FunctionCall TRII*; 59 Variable TREI?
60 ImageTexelPointer TRIII; 61 Load TRIM?; 62 Store IIM?; 63 CopyMemory IIM?M?; 64 CopyMemorySized IIIM?M?; 65 AccessChain TRII*
66 InBoundsAccessChain TRII*; 67 PtrAccessChain TRIII*; 68 ArrayLength TRIL; 69 GenericPtrMemSemantics TRI
70 InBoundsPtrAccessChain TRIII*; 71 Decorate ID; 72 MemberDecorate ILD; 73 DecorationGroup R; 74 GroupDecorate II*
75 GroupMemberDecorate I(IL)*; 77 VectorExtractDynamic TRII; 78 VectorInsertDynamic TRIII; 79 VectorShuffle TRIIL*
80 CompositeConstruct TRI*; 81 CompositeExtract TRIL*; 82 CompositeInsert TRIIL*; 83 CopyObject TRI; 84 Transpose TRI
86 SampledImage TRII; 87 ImageSampleImplicitLod TRIIG?; 88 ImageSampleExplicitLod TRIIG; 89 ImageSampleDrefImplicitLod TRIIIG?
90 ImageSampleDrefExplicitLod TRIIIG; 91 ImageSampleProjImplicitLod TRIIG?; 92 ImageSampleProjExplicitLod TRIIG
93 ImageSampleProjDrefImplicitLod TRIIIG?; 94 ImageSampleProjDrefExplicitLod TRIIIG; 95 ImageFetch TRIIG?; 96 ImageGather TRIIIG?
97 ImageDrefGather TRIIIG?; 98 ImageRead TRIIG?; 99 ImageWrite IIIG?; 100 Image TRI; 101 ImageQueryFormat TRI; 102 ImageQueryOrder TRI
103 ImageQuerySizeLod TRII; 104 ImageQuerySize TRI; 105 ImageQueryLod TRII; 106 ImageQueryLevels TRI; 107 ImageQuerySamples TRI
109 ConvertFToU TRI; 110 ConvertFToS TRI; 111 ConvertSToF TRI; 112 ConvertUToF TRI; 113 UConvert TRI; 114 SConvert TRI; 115 FConvert TRI
116 QuantizeToF16 TRI; 117 ConvertPtrToU TRI; 118 SatConvertSToU TRI; 119 SatConvertUToS TRI; 120 ConvertUToPtr TRI
121 PtrCastToGeneric TRI; 122 GenericCastToPtr TRI; 123 GenericCastToPtrExplicit TRIE; 124 Bitcast TRI; 126 SNegate TRI; 127 FNegate TRI
128 IAdd TRII; 129 FAdd TRII; 130 ISub TRII; 131 FSub TRII; 132 IMul TRII; 133 FMul TRII; 134 UDiv TRII; 135 SDiv TRII; 136 FDiv TRII
137 UMod TRII; 138 SRem TRII; 139 SMod TRII; 140 FRem TRII; 141 FMod TRII; 142 VectorTimesScalar TRII; 143 MatrixTimesScalar TRII
144 VectorTimesMatrix TRII; 145 MatrixTimesVector TRII; 146 MatrixTimesMatrix TRII; 147 OuterProduct TRII; 148 Dot TRII
149 IAddCarry TRII; 150 ISubBorrow TRII; 151 UMulExtended TRII; 152 SMulExtended TRII; 154 Any TRI; 155 All TRI; 156 IsNan TRI
157 IsInf TRI; 158 IsFinite TRI; 159 IsNormal TRI; 160 SignBitSet TRI; 161 LessOrGreater TRII; 162 Ordered TRII; 163 Unordered TRII
164 LogicalEqual TRII; 165 LogicalNotEqual TRII; 166 LogicalOr TRII; 167 LogicalAnd TRII; 168 LogicalNot TRI; 169 Select TRIII
170 IEqual TRII; 171 INotEqual TRII; 172 UGreaterThan TRII; 173 SGreaterThan TRII; 174 UGreaterThanEqual TRII
175 SGreaterThanEqual TRII; 176 ULessThan TRII; 177 SLessThan TRII; 178 ULessThanEqual TRII; 179 SLessThanEqual TRII; 180 FOrdEqual TRII
181 FUnordEqual TRII; 182 FOrdNotEqual TRII; 183 FUnordNotEqual TRII; 184 FOrdLessThan TRII; 185 FUnordLessThan TRII
186 FOrdGreaterThan TRII; 187 FUnordGreaterThan TRII; 188 FOrdLessThanEqual TRII; 189 FUnordLessThanEqual TRII
190 FOrdGreaterThanEqual TRII; 191 FUnordGreaterThanEqual TRII; 194 ShiftRightLogical TRII; 195 ShiftRightArithmetic TRII
196 ShiftLeftLogical TRII; 197 BitwiseOr TRII; 198 BitwiseXor TRII; 199 BitwiseAnd TRII; 200 Not TRI; 201 BitFieldInsert TRIIII
202 BitFieldSExtract TRIII; 203 BitFieldUExtract TRIII; 204 BitReverse TRI; 205 BitCount TRI; 207 DPdx TRI; 208 DPdy TRI; 209 Fwidth TRI
210 DPdxFine TRI; 211 DPdyFine TRI; 212 FwidthFine TRI; 213 DPdxCoarse TRI; 214 DPdyCoarse TRI; 215 FwidthCoarse TRI; 218 EmitVertex -
219 EndPrimitive -; 220 EmitStreamVertex I; 221 EndStreamPrimitive I; 224 ControlBarrier III; 225 MemoryBarrier II; 227 AtomicLoad TRIII
228 AtomicStore IIII; 229 AtomicExchange TRIIII; 230 AtomicCompareExchange TRIIIIII; 231 AtomicCompareExchangeWeak TRIIIIII
232 AtomicIIncrement TRIII; 233 AtomicIDecrement TRIII; 234 AtomicIAdd TRIIII; 235 AtomicISub TRIIII; 236 AtomicSMin TRIIII
237 AtomicUMin TRIIII; 238 AtomicSMax TRIIII; 239 AtomicUMax TRIIII; 240 AtomicAnd TRIIII; 241 AtomicOr TRIIII; 242 AtomicXor TRIIII
245 Phi TR(II)*; 246 LoopMerge IIO; 247 SelectionMerge IE; 248 Label R; 249 Branch I; 250 BranchConditional IIIL*; 251 Switch II(VI)*
252 Kill -; 253 Return -; 254 ReturnValue I; 255 Unreachable -; 256 LifetimeStart IL; 257 LifetimeStop IL; 259 GroupAsyncCopy TRIIIIII
260 GroupWaitEvents III; 261 GroupAll TRII; 262 GroupAny TRII; 263 GroupBroadcast TRIII; 264 GroupIAdd TRIEI; 265 GroupFAdd TRIEI
266 GroupFMin TRIEI; 267 GroupUMin TRIEI; 268 GroupSMin TRIEI; 269 GroupFMax TRIEI; 270 GroupUMax TRIEI; 271 GroupSMax TRIEI
274 ReadPipe TRIIII; 275 WritePipe TRIIII; 276 ReservedReadPipe TRIIIIII; 277 ReservedWritePipe TRIIIIII
278 ReserveReadPipePackets TRIIII; 279 ReserveWritePipePackets TRIIII; 280 CommitReadPipe IIII; 281 CommitWritePipe IIII
282 IsValidReserveId TRI; 283 GetNumPipePackets TRIII; 284 GetMaxPipePackets TRIII; 285 GroupReserveReadPipePackets TRIIIII
286 GroupReserveWritePipePackets TRIIIII; 287 GroupCommitReadPipe IIIII; 288 GroupCommitWritePipe IIIII; 291 EnqueueMarker TRIIII
292 EnqueueKernel TRIIIIIIIIIII*; 293 GetKernelNDrangeSubGroupCount TRIIIII; 294 GetKernelNDrangeMaxSubGroupSize TRIIIII
295 GetKernelWorkGroupSize TRIIII; 296 GetKernelPreferredWorkGroupSizeMultiple TRIIII; 297 RetainEvent I; 298 ReleaseEvent I
299 CreateUserEvent TR; 300 IsValidEvent TRI; 301 SetUserEventStatus II; 302 CaptureEventProfilingInfo III; 303 GetDefaultQueue TR
304 BuildNDRange TRIII; 305 ImageSparseSampleImplicitLod TRIIG?; 306 ImageSparseSampleExplicitLod TRIIG
307 ImageSparseSampleDrefImplicitLod TRIIIG?; 308 ImageSparseSampleDrefExplicitLod TRIIIG; 309 ImageSparseSampleProjImplicitLod TRIIG?
310 ImageSparseSampleProjExplicitLod TRIIG; 311 ImageSparseSampleProjDrefImplicitLod TRIIIG?
312 ImageSparseSampleProjDrefExplicitLod TRIIIG; 313 ImageSparseFetch TRIIG?; 314 ImageSparseGather TRIIIG?
315 ImageSparseDrefGather TRIIIG?; 316 ImageSparseTexelsResident TRI; 317 NoLine -; 318 AtomicFlagTestAndSet TRIII
319 AtomicFlagClear III; 320 ImageSparseRead TRIIG?; 321 SizeOf TRI; 322 TypePipeStorage R; 323 ConstantPipeStorage TRLLL
324 CreatePipeFromPipeStorage TRI; 325 GetKernelLocalSizeForSubgroupCount TRIIIII; 326 GetKernelMaxNumSubgroups TRIIII
327 TypeNamedBarrier R; 328 NamedBarrierInitialize TRI; 329 MemoryNamedBarrier III; 330 ModuleProcessed S; 331 ExecutionModeId IX
332 DecorateId ID; 333 GroupNonUniformElect TRI; 334 GroupNonUniformAll TRII; 335 GroupNonUniformAny TRII
336 GroupNonUniformAllEqual TRII; 337 GroupNonUniformBroadcast TRIII; 338 GroupNonUniformBroadcastFirst TRII
339 GroupNonUniformBallot TRII; 340 GroupNonUniformInverseBallot TRII; 341 GroupNonUniformBallotBitExtract TRIII
342 GroupNonUniformBallotBitCount TRIEI; 343 GroupNonUniformBallotFindLSB TRII; 344 GroupNonUniformBallotFindMSB TRII
345 GroupNonUniformShuffle TRIII; 346 GroupNonUniformShuffleXor TRIII; 347 GroupNonUniformShuffleUp TRIII
348 GroupNonUniformShuffleDown TRIII; 349 GroupNonUniformIAdd TRIEII?; 350 GroupNonUniformFAdd TRIEII?; 351 GroupNonUniformIMul TRIEII?
352 GroupNonUniformFMul TRIEII?; 353 GroupNonUniformSMin TRIEII?; 354 GroupNonUniformUMin TRIEII?; 355 GroupNonUniformFMin TRIEII?
356 GroupNonUniformSMax TRIEII?; 357 GroupNonUniformUMax TRIEII?; 358 GroupNonUniformFMax TRIEII?; 359 GroupNonUniformBitwiseAnd TRIEII?
360 GroupNonUniformBitwiseOr TRIEII?; 361 GroupNonUniformBitwiseXor TRIEII?; 362 GroupNonUniformLogicalAnd TRIEII?
363 GroupNonUniformLogicalOr TRIEII?; 364 GroupNonUniformLogicalXor TRIEII?; 365 GroupNonUniformQuadBroadcast TRIII
366 GroupNonUniformQuadSwap TRIII; 400 CopyLogical TRI; 401 PtrEqual TRII; 402 PtrNotEqual TRII; 403 PtrDiff TRII
4416 TerminateInvocation -; 4421 SubgroupBallotKHR TRI; 4422 SubgroupFirstInvocationKHR TRI; 4428 SubgroupAllKHR TRI
4429 SubgroupAnyKHR TRI; 4430 SubgroupAllEqualKHR TRI; 4431 GroupNonUniformRotateKHR TRIIII?; 4432 SubgroupReadInvocationKHR TRII
4445 TraceRayKHR IIIIIIIIIII; 4446 ExecuteCallableKHR II; 4447 ConvertUToAccelerationStructureKHR TRI; 4448 IgnoreIntersectionKHR -
4449 TerminateRayKHR -; 4450 SDot TRIIE?; 4451 UDot TRIIE?; 4452 SUDot TRIIE?; 4453 SDotAccSat TRIIIE?; 4454 UDotAccSat TRIIIE?
4455 SUDotAccSat TRIIIE?; 4472 TypeRayQueryKHR R; 4473 RayQueryInitializeKHR IIIIIIII; 4474 RayQueryTerminateKHR I
4475 RayQueryGenerateIntersectionKHR II; 4476 RayQueryConfirmIntersectionKHR I; 4477 RayQueryProceedKHR TRI
4479 RayQueryGetIntersectionTypeKHR TRII; 5000 GroupIAddNonUniformAMD TRIEI; 5001 GroupFAddNonUniformAMD TRIEI
5002 GroupFMinNonUniformAMD TRIEI; 5003 GroupUMinNonUniformAMD TRIEI; 5004 GroupSMinNonUniformAMD TRIEI
5005 GroupFMaxNonUniformAMD TRIEI; 5006 GroupUMaxNonUniformAMD TRIEI; 5007 GroupSMaxNonUniformAMD TRIEI; 5011 FragmentMaskFetchAMD TRII
5012 FragmentFetchAMD TRIII; 5056 ReadClockKHR TRI; 5249 HitObjectRecordHitMotionNV IIIIIIIIIIIIII
5250 HitObjectRecordHitWithIndexMotionNV IIIIIIIIIIIII; 5251 HitObjectRecordMissMotionNV IIIIIII; 5252 HitObjectGetWorldToObjectNV TRI
5253 HitObjectGetObjectToWorldNV TRI; 5254 HitObjectGetObjectRayDirectionNV TRI; 5255 HitObjectGetObjectRayOriginNV TRI
5256 HitObjectTraceRayMotionNV IIIIIIIIIIIII; 5257 HitObjectGetShaderRecordBufferHandleNV TRI
5258 HitObjectGetShaderBindingTableRecordIndexNV TRI; 5259 HitObjectRecordEmptyNV I; 5260 HitObjectTraceRayNV IIIIIIIIIIII
5261 HitObjectRecordHitNV IIIIIIIIIIIII; 5262 HitObjectRecordHitWithIndexNV IIIIIIIIIIII; 5263 HitObjectRecordMissNV IIIIII
5264 HitObjectExecuteShaderNV II; 5265 HitObjectGetCurrentTimeNV TRI; 5266 HitObjectGetAttributesNV II; 5267 HitObjectGetHitKindNV TRI
5268 HitObjectGetPrimitiveIndexNV TRI; 5269 HitObjectGetGeometryIndexNV TRI; 5270 HitObjectGetInstanceIdNV TRI
5271 HitObjectGetInstanceCustomIndexNV TRI; 5272 HitObjectGetWorldRayDirectionNV TRI; 5273 HitObjectGetWorldRayOriginNV TRI
5274 HitObjectGetRayTMaxNV TRI; 5275 HitObjectGetRayTMinNV TRI; 5276 HitObjectIsEmptyNV TRI; 5277 HitObjectIsHitNV TRI
5278 HitObjectIsMissNV TRI; 5279 ReorderThreadWithHitObjectNV II?I?; 5280 ReorderThreadWithHintNV II; 5281 TypeHitObjectNV R
5283 ImageSampleFootprintNV TRIIIIG?; 5294 EmitMeshTasksEXT IIII?; 5295 SetMeshOutputsEXT II; 5296 GroupNonUniformPartitionNV TRI
5299 WritePackedPrimitiveIndices4x8NV II; 5334 ReportIntersectionNV TRII; 5335 IgnoreIntersectionNV -; 5336 TerminateRayNV -
5337 TraceNV IIIIIIIIIII; 5338 TraceMotionNV IIIIIIIIIIII; 5339 TraceRayMotionNV IIIIIIIIIIII; 5341 TypeAccelerationStructureNV R
5344 ExecuteCallableNV II; 5358 TypeCooperativeMatrixNV RIIII; 5359 CooperativeMatrixLoadNV TRIIIM?
5360 CooperativeMatrixStoreNV IIIIM?; 5361 CooperativeMatrixMulAddNV TRIII; 5362 CooperativeMatrixLengthNV TRI
5364 BeginInvocationInterlockEXT -; 5365 EndInvocationInterlockEXT -; 5380 DemoteToHelperInvocation -; 5381 IsHelperInvocationEXT TR
5391 ConvertUToImageNV TRI; 5392 ConvertUToSamplerNV TRI; 5393 ConvertImageToUNV TRI; 5394 ConvertSamplerToUNV TRI
5395 ConvertUToSampledImageNV TRI; 5396 ConvertSampledImageToUNV TRI; 5397 SamplerImageAddressingModeNV L; 5585 UCountLeadingZerosINTEL TRI
5586 UCountTrailingZerosINTEL TRI; 5587 AbsISubINTEL TRII; 5588 AbsUSubINTEL TRII; 5589 IAddSatINTEL TRII; 5590 UAddSatINTEL TRII
5591 IAverageINTEL TRII; 5592 UAverageINTEL TRII; 5593 IAverageRoundedINTEL TRII; 5594 UAverageRoundedINTEL TRII; 5595 ISubSatINTEL TRII
5596 USubSatINTEL TRII; 5597 IMul32x16INTEL TRII; 5598 UMul32x16INTEL TRII; 5614 AtomicFMinEXT TRIIII
5615 AtomicFMaxEXT TRIIII; 5630 AssumeTrueKHR I; 5631 ExpectKHR TRII; 5632 DecorateString ID; 5633 MemberDecorateString ILD
6016 RayQueryGetRayTMinKHR TRI; 6017 RayQueryGetRayFlagsKHR TRI; 6018 RayQueryGetIntersectionTKHR TRII
6019 RayQueryGetIntersectionInstanceCustomIndexKHR TRII; 6020 RayQueryGetIntersectionInstanceIdKHR TRII
6021 RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR TRII; 6022 RayQueryGetIntersectionGeometryIndexKHR TRII
6023 RayQueryGetIntersectionPrimitiveIndexKHR TRII; 6024 RayQueryGetIntersectionBarycentricsKHR TRII
6025 RayQueryGetIntersectionFrontFaceKHR TRII; 6026 RayQueryGetIntersectionCandidateAABBOpaqueKHR TRI
6027 RayQueryGetIntersectionObjectRayDirectionKHR TRII; 6028 RayQueryGetIntersectionObjectRayOriginKHR TRII
6029 RayQueryGetWorldRayDirectionKHR TRI; 6030 RayQueryGetWorldRayOriginKHR TRI; 6031 RayQueryGetIntersectionObjectToWorldKHR TRII
6032 RayQueryGetIntersectionWorldToObjectKHR TRII; 6035 AtomicFAddEXT TRIIII; 6401 GroupIMulKHR TRIEI; 6402 GroupFMulKHR TRIEI
6403 GroupBitwiseAndKHR TRIEI; 6404 GroupBitwiseOrKHR TRIEI; 6405 GroupBitwiseXorKHR TRIEI; 6406 GroupLogicalAndKHR TRIEI
6407 GroupLogicalOrKHR TRIEI; 6408 GroupLogicalXorKHR TRIEI
"""

EXTENDED = """
1 Round; 2 RoundEven; 3 Trunc; 4 FAbs; 5 SAbs; 6 FSign; 7 SSign; 8 Floor; 9 Ceil; 10 Fract; 11 Radians; 12 Degrees; 13 Sin; 14 Cos
15 Tan; 16 Asin; 17 Acos; 18 Atan; 19 Sinh; 20 Cosh; 21 Tanh; 22 Asinh; 23 Acosh; 24 Atanh; 25 Atan2; 26 Pow; 27 Exp; 28 Log; 29 Exp2
30 Log2; 31 Sqrt; 32 InverseSqrt; 33 Determinant; 34 MatrixInverse; 35 Modf; 36 ModfStruct; 37 FMin; 38 UMin; 39 SMin; 40 FMax; 41 UMax
42 SMax; 43 FClamp; 44 UClamp; 45 SClamp; 46 FMix; 47 IMix; 48 Step; 49 SmoothStep; 50 Fma; 51 Frexp; 52 FrexpStruct; 53 Ldexp
54 PackSnorm4x8; 55 PackUnorm4x8; 56 PackSnorm2x16; 57 PackUnorm2x16; 58 PackHalf2x16; 59 PackDouble2x32; 60 UnpackSnorm2x16
61 UnpackUnorm2x16; 62 UnpackHalf2x16; 63 UnpackSnorm4x8; 64 UnpackUnorm4x8; 65 UnpackDouble2x32; 66 Length; 67 Distance; 68 Cross
69 Normalize; 70 FaceForward; 71 Reflect; 72 Refract; 73 FindILsb; 74 FindSMsb; 75 FindUMsb; 76 InterpolateAtCentroid
77 InterpolateAtSample; 78 InterpolateAtOffset; 79 NMin; 80 NMax; 81 NClamp
"""
"""Numbers and names of the instructions of GLSL.std.450."""

TRINARY = "1 FMin3; 2 UMin3; 3 SMin3; 4 FMax3; 5 UMax3; 6 SMax3; 7 FMid3; 8 UMid3; 9 SMid3"
"""Numbers and names of the instructions of SPV_AMD_shader_trinary_minmax, without the ending AMD."""

_PART = re.compile(r"(\([A-Z]+\)|[A-Z])([*?]?)")


@record
class Row:
    """One instruction. `parts` are the letters of its operands after type and result, each with its quantifier."""

    number: int
    name: str
    has_type: bool
    has_result: bool
    parts: tuple[tuple[str, str], ...]


def _row(text: str) -> Row:
    number, name, shape = text.split()
    operands = shape.strip("-").removeprefix("T").removeprefix("R")
    head = shape[: len(shape) - len(operands)]
    parts = tuple((letters.strip("()"), quantifier) for letters, quantifier in _PART.findall(operands))
    return Row(int(number), name, "T" in head, "R" in head, parts)


def entries(table: str) -> list[str]:
    """The entries of a table: separated by semicolons and ends of lines."""
    return [part for line in table.strip().splitlines() for part in line.split("; ")]


ROWS: Mapping[int, Row] = MappingProxyType({row.number: row for row in map(_row, entries(_ROWS))})
"""Instructions by number."""

LIBRARY = "GLSL.std.450"
LIBRARIES: Mapping[str, Mapping[int, str]] = MappingProxyType(
    {
        library: MappingProxyType({int(text.split()[0]): text.split()[1] for text in entries(table)})
        for library, table in ((LIBRARY, EXTENDED), ("SPV_AMD_shader_trinary_minmax", TRINARY))
    }
)
"""Names of the functions of each set of extended instructions by number."""

FUNCTIONS = LIBRARIES[LIBRARY]
