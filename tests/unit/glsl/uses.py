"""A use of each built-in name: the smallest text that needs it."""

# ruff: noqa: SIM905 (tables of words)

from __future__ import annotations

from collections.abc import Iterable

from frontends.glsl.builtins import CONSTANTS

ONE, TWO, THREE = "v.x", "v.x, v.y", "v.x, v.y, v.z"
_SAMPLERS = "uniform sampler2D s; "
_FULL = {
    # name -> stage, declarations, a number
    **{name: ("frag", "", f"{name}({ONE})") for name in (
        "radians degrees sin cos tan asin acos atan exp log exp2 log2 sqrt inversesqrt abs sign floor ceil fract length normalize "
        "sinh cosh tanh asinh acosh atanh trunc round roundEven dFdx dFdy fwidth dFdxFine dFdyFine dFdxCoarse dFdyCoarse fwidthFine "
        "fwidthCoarse").split()},
    **{name: ("frag", "", f"{name}({TWO})") for name in "pow mod min max step distance dot reflect".split()},
    **{name: ("frag", "", f"{name}({THREE})") for name in "clamp mix smoothstep faceforward refract fma".split()},
    **{name: ("frag", "", f"{name}({ONE}) ? 1.0 : 0.0") for name in ("isnan", "isinf")},
    **{name: ("frag", "", f"{name}(v.xy, v.yx).x ? 1.0 : 0.0") for name in (
        "lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual").split()},
    **{name: ("frag", "", f"{name}(equal(v.xy, v.yx)) ? 1.0 : 0.0") for name in ("any", "all")},
    "not": ("frag", "", "not(equal(v.xy, v.yx)).x ? 1.0 : 0.0"),
    "cross": ("frag", "", "cross(v.xyz, v.zyx).x"),
    "matrixCompMult": ("frag", "", "matrixCompMult(mat2(v.x), mat2(v.y))[0].x"),
    "outerProduct": ("frag", "", "outerProduct(v.xy, v.zy)[0].x"),
    "transpose": ("frag", "", "transpose(mat2(v.x))[0].x"),
    "inverse": ("frag", "", "inverse(mat2(v.x))[0].x"),
    "determinant": ("frag", "", "determinant(mat2(v.x))"),
    "modf": ("frag", "float whole;", "modf(v.x, whole)"),
    "texture": ("frag", _SAMPLERS, "texture(s, v.xy).x"),
    "textureProj": ("frag", _SAMPLERS, "textureProj(s, v.xyz).x"),
    "textureLod": ("frag", _SAMPLERS, "textureLod(s, v.xy, 1.0).x"),
    "textureOffset": ("frag", _SAMPLERS, "textureOffset(s, v.xy, ivec2(1)).x"),
    "texelFetch": ("frag", _SAMPLERS, "texelFetch(s, ivec2(1), 0).x"),
    "texelFetchOffset": ("frag", _SAMPLERS, "texelFetchOffset(s, ivec2(1), 0, ivec2(1)).x"),
    "textureProjOffset": ("frag", _SAMPLERS, "textureProjOffset(s, v.xyz, ivec2(1)).x"),
    "textureLodOffset": ("frag", _SAMPLERS, "textureLodOffset(s, v.xy, 1.0, ivec2(1)).x"),
    "textureProjLod": ("frag", _SAMPLERS, "textureProjLod(s, v.xyz, 1.0).x"),
    "textureProjLodOffset": ("frag", _SAMPLERS, "textureProjLodOffset(s, v.xyz, 1.0, ivec2(1)).x"),
    "textureGrad": ("frag", _SAMPLERS, "textureGrad(s, v.xy, v.xy, v.xy).x"),
    "textureGradOffset": ("frag", _SAMPLERS, "textureGradOffset(s, v.xy, v.xy, v.xy, ivec2(1)).x"),
    "textureProjGrad": ("frag", _SAMPLERS, "textureProjGrad(s, v.xyz, v.xy, v.xy).x"),
    "textureProjGradOffset": ("frag", _SAMPLERS, "textureProjGradOffset(s, v.xyz, v.xy, v.xy, ivec2(1)).x"),
    "textureSize": ("frag", _SAMPLERS, "float(textureSize(s, 0).x)"),
    "textureQueryLod": ("frag", _SAMPLERS, "textureQueryLod(s, v.xy).x"),
    "textureQueryLOD": ("frag", _SAMPLERS, "textureQueryLOD(s, v.xy).x"),
    "textureQueryLevels": ("frag", _SAMPLERS, "float(textureQueryLevels(s))"),
    "textureSamples": ("frag", "uniform sampler2DMS many; ", "float(textureSamples(many))"),
    "textureGather": ("frag", _SAMPLERS, "textureGather(s, v.xy).x"),
    "textureGatherOffset": ("frag", _SAMPLERS, "textureGatherOffset(s, v.xy, ivec2(1)).x"),
    "textureGatherOffsets": ("frag", _SAMPLERS + "\n" "const ivec2 o[4] = ivec2[4](ivec2(0), ivec2(1), ivec2(2), ivec2(3));",
                             "textureGatherOffsets(s, v.xy, o).x"),
    "floatBitsToInt": ("frag", "", "float(floatBitsToInt(v.x))"),
    "floatBitsToUint": ("frag", "", "float(floatBitsToUint(v.x))"),
    "intBitsToFloat": ("frag", "", "intBitsToFloat(int(v.x))"),
    "uintBitsToFloat": ("frag", "", "uintBitsToFloat(uint(v.x))"),
    "frexp": ("frag", "int power;", "frexp(v.x, power)"),
    "ldexp": ("frag", "", "ldexp(v.x, 3)"),
    "bitfieldExtract": ("frag", "", "float(bitfieldExtract(int(v.x), 1, 2))"),
    "bitfieldInsert": ("frag", "", "float(bitfieldInsert(int(v.x), 5, 1, 2))"),
    **{name: ("frag", "", f"float({name}(int(v.x)))") for name in "bitfieldReverse bitCount findLSB findMSB".split()},
    **{name: ("frag", "uint rest;", f"float({name}(uint(v.x), 3u, rest))") for name in ("uaddCarry", "usubBorrow")},
    "umulExtended": ("frag", "uint high; uint low; float product() { umulExtended(3u, 4u, high, low); return float(low); }", "product()"),
    "imulExtended": ("frag", "int above; int below; float signed_product() { imulExtended(3, 4, above, below); return float(below); }",
                     "signed_product()"),
    **{name: ("frag", "", f"float({name}(v.xy))") for name in ("packUnorm2x16", "packSnorm2x16", "packHalf2x16")},
    **{name: ("frag", "", f"float({name}(v))") for name in ("packUnorm4x8", "packSnorm4x8")},
    **{name: ("frag", "", f"{name}(uint(v.x)).x") for name in (
        "unpackUnorm2x16 unpackSnorm2x16 unpackHalf2x16 unpackUnorm4x8 unpackSnorm4x8").split()},
    "packDouble2x32": ("frag", "", "float(packDouble2x32(uvec2(v.xy)))"),
    "unpackDouble2x32": ("frag", "", "float(unpackDouble2x32(packDouble2x32(uvec2(v.xy))).x)"),
    "interpolateAtCentroid": ("frag", "", "interpolateAtCentroid(v).x"),
    "interpolateAtSample": ("frag", "", "interpolateAtSample(v, 1).x"),
    "interpolateAtOffset": ("frag", "", "interpolateAtOffset(v, vec2(0.1)).x"),
    **{name: ("frag", "layout(binding = 0) uniform atomic_uint n; ", f"float({name}(n))") for name in (
        "atomicCounter atomicCounterIncrement atomicCounterDecrement").split()},
    **{name: ("frag", "layout(binding = 0) uniform atomic_uint n; ", f"float({name}(n, 2u))") for name in (
        "atomicCounterAdd atomicCounterSubtract atomicCounterMin atomicCounterMax atomicCounterAnd atomicCounterOr atomicCounterXor "
        "atomicCounterExchange").split()},
    "atomicCounterCompSwap": ("frag", "layout(binding = 0) uniform atomic_uint n; ", "float(atomicCounterCompSwap(n, 2u, 3u))"),
    **{name: ("frag", "layout(std430) buffer B { uint w; }; ", f"float({name}(w, 2u))") for name in (
        "atomicAdd atomicMin atomicMax atomicAnd atomicOr atomicXor atomicExchange").split()},
    "atomicCompSwap": ("frag", "layout(std430) buffer B { uint w; }; ", "float(atomicCompSwap(w, 2u, 3u))"),
    "imageSize": ("frag", "layout(rgba8) readonly uniform highp image2D ir; ", "float(imageSize(ir).x)"),
    "imageLoad": ("frag", "layout(rgba8) readonly uniform highp image2D ir; ", "imageLoad(ir, ivec2(1)).x"),
    "imageStore": ("frag", "layout(rgba8) writeonly uniform highp image2D iw; "
                   "float stored() { imageStore(iw, ivec2(1), vec4(1)); return 1.0; }", "stored()"),
    **{name: ("frag", "layout(r32ui) uniform highp uimage2D iu; ", f"float({name}(iu, ivec2(1), 2u))") for name in (
        "imageAtomicAdd imageAtomicMin imageAtomicMax imageAtomicAnd imageAtomicOr imageAtomicXor imageAtomicExchange").split()},
    "imageAtomicCompSwap": ("frag", "layout(r32ui) uniform highp uimage2D iu; ",
                            "float(imageAtomicCompSwap(iu, ivec2(1), 2u, 3u))"),
    "memoryBarrier": ("frag", "float ordered() { memoryBarrier(); return 1.0; }", "ordered()"),
    **{name: ("comp", "", f"({name}(), 1.0)") for name in (
        "memoryBarrierAtomicCounter memoryBarrierBuffer memoryBarrierImage memoryBarrierShared groupMemoryBarrier").split()},
    "barrier": ("tesc", "", "(barrier(), 1.0)"),
    **{name: ("frag", "", f"{name}(v.x > 0.0) ? 1.0 : 0.0") for name in (
        "anyInvocation allInvocations allInvocationsEqual anyInvocationARB allInvocationsARB allInvocationsEqualARB").split()},
    "readFirstInvocationARB": ("frag", "", "readFirstInvocationARB(v.x)"),
    **{name: ("vert", "", name) for name in ("gl_VertexID", "gl_InstanceID", "gl_BaseVertex", "gl_BaseInstance", "gl_DrawID",
                                             "gl_BaseVertexARB", "gl_BaseInstanceARB", "gl_DrawIDARB")},
    **{name: ("frag", "", f"{name}.x") for name in ("gl_FragCoord", "gl_PointCoord", "gl_SamplePosition")},
    "gl_FrontFacing": ("frag", "", "gl_FrontFacing ? 1.0 : 0.0"),
    "gl_HelperInvocation": ("frag", "", "gl_HelperInvocation ? 1.0 : 0.0"),
    "gl_DepthRange": ("frag", "", "gl_DepthRange.diff + gl_DepthRange.near + gl_DepthRange.far"),
    "gl_FragDepth": ("frag", "", "(gl_FragDepth = 0.5)"),
    "gl_SampleMask": ("frag", "", "(gl_SampleMask[0] = 1)"),
    "gl_SampleMaskIn": ("frag", "", "gl_SampleMaskIn[0]"),
    **{name: ("frag", "", name) for name in ("gl_SampleID", "gl_NumSamples")},
    "gl_FragStencilRefARB": ("frag", "", "(gl_FragStencilRefARB = 1)"),
    **{name: ("comp", "", f"{name}.x") for name in (
        "gl_NumWorkGroups gl_WorkGroupSize gl_WorkGroupID gl_LocalInvocationID gl_GlobalInvocationID").split()},
    "gl_LocalInvocationIndex": ("comp", "", "gl_LocalInvocationIndex"),
    "imageSamples": ("frag", "layout(rgba8) readonly uniform image2DMS ms; ", "float(imageSamples(ms))"),
    "ballotARB": ("frag", "", "float(unpackUint2x32(ballotARB(v.x > 0.0)).x)"),
    "readInvocationARB": ("frag", "", "readInvocationARB(v.x, 1u)"),
    "packInt2x32": ("frag", "", "float(packInt2x32(ivec2(v.xy)))"),
    "packUint2x32": ("frag", "", "float(packUint2x32(uvec2(v.xy)))"),
    "unpackInt2x32": ("frag", "", "float(unpackInt2x32(int64_t(v.x)).x)"),
    "unpackUint2x32": ("frag", "", "float(unpackUint2x32(uint64_t(v.x)).x)"),
    "doubleBitsToInt64": ("frag", "", "float(doubleBitsToInt64(double(v.x)))"),
    "doubleBitsToUint64": ("frag", "", "float(doubleBitsToUint64(double(v.x)))"),
    "int64BitsToDouble": ("frag", "", "float(int64BitsToDouble(int64_t(v.x)))"),
    "uint64BitsToDouble": ("frag", "", "float(uint64BitsToDouble(uint64_t(v.x)))"),
    **{f"{name}ARB": ("frag", "layout(binding = 0) uniform atomic_uint n; ", f"float({name}ARB(n, 2u))") for name in (
        "atomicCounterAdd atomicCounterSubtract atomicCounterMin atomicCounterMax atomicCounterAnd atomicCounterOr atomicCounterXor "
        "atomicCounterExchange").split()},
    "atomicCounterCompSwapARB": ("frag", "layout(binding = 0) uniform atomic_uint n; ", "float(atomicCounterCompSwapARB(n, 2u, 3u))"),
    "gl_Position": ("vert", "", "(gl_Position = vec4(1)).x"),
    "gl_PointSize": ("vert", "", "(gl_PointSize = 2.0)"),
    "gl_ClipDistance": ("vert", "", "(gl_ClipDistance[0] = 1.0)"),
    "gl_CullDistance": ("vert", "", "(gl_CullDistance[0] = 1.0)"),
    "gl_PrimitiveID": ("frag", "", "gl_PrimitiveID"),
    "gl_PrimitiveIDIn": ("geom", "", "gl_PrimitiveIDIn"),
    "gl_Layer": ("geom", "", "(gl_Layer = 1)"),
    "gl_ViewportIndex": ("geom", "", "(gl_ViewportIndex = 1)"),
    "gl_InvocationID": ("tesc", "", "gl_InvocationID"),
    "gl_PatchVerticesIn": ("tesc", "", "gl_PatchVerticesIn"),
    "gl_TessLevelOuter": ("tesc", "", "(gl_TessLevelOuter[0] = 1.0)"),
    "gl_TessLevelInner": ("tesc", "", "(gl_TessLevelInner[0] = 1.0)"),
    "gl_TessCoord": ("tese", "", "gl_TessCoord.x"),
    "EmitVertex": ("geom", "", "(EmitVertex(), 1.0)"),
    "EndPrimitive": ("geom", "", "(EndPrimitive(), 1.0)"),
    "EmitStreamVertex": ("geom", "", "(EmitStreamVertex(0), 1.0)"),
    "EndStreamPrimitive": ("geom", "", "(EndStreamPrimitive(0), 1.0)"),
}  # fmt: skip
_VECTORS = ("gl_MaxComputeWorkGroupCount", "gl_MaxComputeWorkGroupSize")
USES: dict[str, tuple[str, str, str]] = {
    **_FULL,
    **{name: ("comp" if name in _VECTORS else "frag", "", f"{name}.x" if name in _VECTORS else name) for name in CONSTANTS},
}
"""Name -> stage, declarations, and an expression that becomes a float."""


_STAGES = {
    "comp": ("layout(local_size_x = 4) in; layout(std430) buffer Out { float r; };", "r = {};"),
    "vert": ("", "gl_Position = vec4({});"),
    "geom": ("layout(triangles) in; layout(points, max_vertices = 3) out;", "gl_Position = vec4({});"),
    "tesc": ("layout(vertices = 3) out;", "gl_out[gl_InvocationID].gl_Position = vec4({});"),
    "tese": ("layout(triangles) in;", "gl_Position = vec4({});"),
    "old frag": ("varying vec4 v;", "gl_FragColor = vec4({});"),
    "frag": ("in vec4 v; out vec4 color;", "color = vec4({});"),
}
"""Declarations of a stage, and the statement that uses a number."""


def text_of(name: str, version: int, is_es: bool = False, extension: str = "") -> tuple[str, str]:
    """Text and stage of a use of a name."""
    stage, declarations, expression = USES[name]
    head = f"#version {version}{' es' * (is_es and version >= 300)}\n" + (f"#extension {extension} : require\n" if extension else "")
    head += "precision highp float; precision highp int;\n" * is_es
    is_old = stage == "frag" and version < (300 if is_es else 130)
    own, result = _STAGES["old frag" if is_old else stage]
    call, _, tail = expression.partition("(), ")
    body = f"{call[1:]}(); {result.format('1.0')}" if tail else result.format(f"float({expression})")
    return f"{head}{own}\n{declarations}\nvoid main() {{ {body} }}\n", stage


def joined(names: Iterable[str], version: int, is_es: bool) -> str:
    """One text of a stage with the uses of several names."""
    chosen = [USES[name] for name in names]
    stage = chosen[0][0]
    head = f"#version {version}{' es' * (is_es and version >= 300)}\n" + "precision highp float; precision highp int;\n" * is_es
    is_old = stage == "frag" and version < (300 if is_es else 130)
    own, result = _STAGES["old frag" if is_old else stage]
    declarations = "\n".join(dict.fromkeys(line.strip() for item in chosen for line in item[1].split("\n") if line))
    statements = []
    for _, _, expression in chosen:
        call, _, tail = expression.partition("(), ")
        statements.append(f"{call[1:]}();" if tail else f"sum += float({expression});")
    body = "\n".join(statements)
    return f"{head}{own}\n{declarations}\nvoid main() {{ float sum = 0.0;\n{body}\n{result.format('sum')} }}\n"
