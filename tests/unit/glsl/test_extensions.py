"""Extensions that Mesa offers: texts of the oldest version that may ask for one, and of today."""

from __future__ import annotations

import pytest

import tgsi
from tests.nights import sampled
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.glsl.mesa import Judge, needs_mesa

ROWS = [
    # extension, oldest version by Mesa 22, newest one, stage, text
    (
        "GL_ARB_shading_language_packing",
        130,
        450,
        "frag",
        "flat in uint b; out vec4 c; void "
        "main(){c=vec4(unpackHalf2x16(b),unpackSnorm2x16(b))+unpackUnorm4x8(b)+unpackSnorm4x8(b)+vec4(unpackUnorm2x16(b),0,0)+float(packHalf2x16(vec2(1))+packUnorm2x16(vec2(1))+packSnorm2x16(vec2(1))+packUnorm4x8(vec4(1))+packSnorm4x8(vec4(1)));}",
    ),
    (
        "GL_ARB_shader_bit_encoding",
        130,
        450,
        "frag",
        "in float f; out vec4 c; void main(){c=vec4(intBitsToFloat(floatBitsToInt(f)),uintBitsToFloat(floatBitsToUint(f)),0,0);}",
    ),
    (
        "GL_EXT_shader_integer_mix",
        130,
        450,
        "frag",
        "flat in ivec2 a; flat in uint u; out vec4 c; void main(){c=vec4(mix(a,a.yx,bvec2(true,false)),mix(u,1u,true),0);}",
    ),
    (
        "GL_ARB_texture_gather",
        130,
        450,
        "frag",
        "uniform sampler2D s; in vec2 v; out vec4 c; void main(){c=textureGather(s,v)+textureGatherOffset(s,v,ivec2(1));}",
    ),
    (
        "GL_ARB_gpu_shader5",
        130,
        450,
        "frag",
        "uniform sampler2D s[3]; uniform int k; uniform sampler2DShadow sh; in vec2 v; flat in int n; out vec4 c; void "
        "main(){c=texture(s[k],v)*fma(v.x,v.y,1.0);c+=float(bitfieldExtract(n,1,2)+bitfieldInsert(n,n,1,2)+bitfieldReverse(n)+bitCount(n)+findLSB(n)+findMSB(n));"
        " uint ca,m,l; c+=float(uaddCarry(1u,2u,ca)+usubBorrow(1u,2u,ca)); umulExtended(1u,2u,m,l); int e; "
        "c+=frexp(v.x,e)+ldexp(v.x,e); "
        "c+=textureGather(s[0],v,1)+textureGatherOffsets(s[0],v,ivec2[4](ivec2(0),ivec2(1),ivec2(0),ivec2(1)))+textureGather(sh,v,0.5)+textureGatherOffset(s[0],v,ivec2(n));"
        " "
        "c+=interpolateAtCentroid(v).x+interpolateAtSample(v,1).x+interpolateAtOffset(v,vec2(.1)).x+unpackUnorm4x8(packUnorm4x8(c))+intBitsToFloat(floatBitsToInt(v.x));"
        " precise float q=v.x; c.x+=q; }",
    ),
    (
        "GL_ARB_gpu_shader5",
        150,
        450,
        "geom",
        "layout(triangles, invocations=2) in; layout(points,max_vertices=3) out; layout(stream=1) out vec4 o; void "
        "main(){o=vec4(gl_InvocationID);EmitStreamVertex(1);EndStreamPrimitive(1);}",
    ),
    (
        "GL_ARB_gpu_shader5",
        130,
        450,
        "vert",
        "sample out vec2 q; void main(){q=vec2(1);gl_Position=vec4(1);}",
    ),
    (
        "GL_ARB_gpu_shader5",
        150,
        450,
        "frag",
        "uniform B{float x;} b[2]; uniform int k; out vec4 c; void main(){c=vec4(b[k].x);}",
    ),
    (
        "GL_ARB_shader_draw_parameters",
        130,
        450,
        "vert",
        "void main(){gl_Position=vec4(gl_BaseVertexARB,gl_BaseInstanceARB,gl_DrawIDARB,1);}",
    ),
    (
        "GL_ARB_draw_instanced",
        130,
        450,
        "vert",
        "void main(){gl_Position=vec4(gl_InstanceIDARB);}",
    ),
    (
        "GL_ARB_texture_query_lod",
        130,
        450,
        "frag",
        "uniform sampler2D s; in vec2 v; out vec4 c; void main(){c=vec4(textureQueryLOD(s,v),0,0);}",
    ),
    (
        "GL_ARB_texture_query_levels",
        130,
        450,
        "frag",
        "uniform sampler2D s; in vec2 v; out vec4 c; void main(){c=vec4(textureQueryLevels(s));}",
    ),
    (
        "GL_ARB_shader_texture_lod",
        130,
        400,
        "frag",
        "uniform sampler2D s; in vec2 v; out vec4 c; void "
        "main(){c=texture2DLod(s,v,1.0)+texture2DGradARB(s,v,v,v)+texture2DProjLod(s,v.xyx,1.);}",
    ),
    (
        "GL_ARB_texture_cube_map_array",
        130,
        450,
        "frag",
        "uniform samplerCubeArray s; uniform samplerCubeArrayShadow h; in vec4 v; out vec4 c; void "
        "main(){c=texture(s,v)+texture(h,v,.5)+vec4(textureSize(s,0),0);}",
    ),
    (
        "GL_ARB_texture_multisample",
        130,
        450,
        "frag",
        "uniform sampler2DMS s; uniform sampler2DMSArray a; out vec4 c; void "
        "main(){c=texelFetch(s,ivec2(1),1)+texelFetch(a,ivec3(1),1)+vec4(textureSize(s),0,0);}",
    ),
    (
        "GL_ARB_sample_shading",
        130,
        450,
        "frag",
        "out vec4 c; void main(){c=vec4(gl_SampleID,gl_SamplePosition,1); gl_SampleMask[0]=1;}",
    ),
    (
        "GL_ARB_sample_shading",
        130,
        450,
        "frag",
        "out vec4 c; void main(){c=vec4(gl_NumSamples);}",
    ),
    (
        "GL_ARB_conservative_depth",
        130,
        450,
        "frag",
        "layout(depth_greater) out float gl_FragDepth; out vec4 c; void main(){c=vec4(1);gl_FragDepth=.5;}",
    ),
    (
        "GL_AMD_conservative_depth",
        130,
        450,
        "frag",
        "layout(depth_less) out float gl_FragDepth; out vec4 c; void main(){c=vec4(1);gl_FragDepth=.5;}",
    ),
    (
        "GL_ARB_shader_stencil_export",
        130,
        450,
        "frag",
        "out vec4 c; void main(){c=vec4(1);gl_FragStencilRefARB=1;}",
    ),
    (
        "GL_AMD_shader_stencil_export",
        130,
        450,
        "frag",
        "out vec4 c; void main(){c=vec4(1);gl_FragStencilRefAMD=1;}",
    ),
    (
        "GL_ARB_derivative_control",
        130,
        450,
        "frag",
        "in vec2 v; out vec4 c; void main(){c=vec4(dFdxFine(v),dFdyCoarse(v))+fwidthFine(v.x)+fwidthCoarse(v.x);}",
    ),
    (
        "GL_ARB_shading_language_420pack",
        130,
        450,
        "frag",
        "layout(binding=2) uniform sampler2D s; in vec2 v; out vec4 c; void main(){ const float q=v.x; vec4 "
        "a={1,2,3,4}; c=texture(s,v)*q*a.xyzw*float(v.x.x)*float(v.length());}",
    ),
    (
        "GL_ARB_explicit_attrib_location",
        130,
        450,
        "vert",
        "layout(location=3) in vec4 p; void main(){gl_Position=p;}",
    ),
    (
        "GL_ARB_explicit_uniform_location",
        330,
        450,
        "frag",
        "layout(location=3) uniform vec4 p; out vec4 c; void main(){c=p;}",
    ),
    (
        "GL_ARB_separate_shader_objects",
        150,
        450,
        "vert",
        "layout(location=3) out vec4 p; out gl_PerVertex{vec4 gl_Position;}; void main(){p=gl_Position=vec4(1);}",
    ),
    (
        "GL_ARB_uniform_buffer_object",
        130,
        450,
        "frag",
        "layout(std140) uniform B{vec4 x;}; out vec4 c; void main(){c=x;}",
    ),
    (
        "GL_ARB_enhanced_layouts",
        420,
        450,
        "frag",
        "layout(location=1,component=2) in vec2 p; out vec4 c; layout(std140) uniform B{layout(offset=32) vec4 x;}; "
        "const int n=2; layout(location=n-1,component=0) in vec2 q; void main(){c=vec4(p,q)+x;}",
    ),
    (
        "GL_ARB_arrays_of_arrays",
        130,
        450,
        "frag",
        "uniform vec4 a[2][3]; uniform int k; out vec4 c; void main(){vec4[2][3] b=a; c=b[k][2]+float(a.length()+a[0].length());}",
    ),
    (
        "GL_ARB_shader_image_load_store",
        140,
        450,
        "frag",
        "layout(rgba8) uniform image2D im; layout(r32ui) uniform uimage2D iu; out vec4 c; void "
        "main(){c=imageLoad(im,ivec2(1)); imageStore(im,ivec2(1),c); c+=float(imageAtomicAdd(iu,ivec2(1),1u)); "
        "memoryBarrier();}",
    ),
    (
        "GL_ARB_shader_image_load_store",
        140,
        450,
        "frag",
        "layout(early_fragment_tests) in; out vec4 c; void main(){c=vec4(1);}",
    ),
    (
        "GL_ARB_shader_image_size",
        420,
        450,
        "frag",
        "layout(rgba8) uniform image2D im; out vec4 c; void main(){c=vec4(imageSize(im),0,0);}",
    ),
    (
        "GL_ARB_shader_atomic_counters",
        140,
        450,
        "frag",
        "layout(binding=0,offset=4) uniform atomic_uint n; out vec4 c; void "
        "main(){c=vec4(atomicCounterIncrement(n)+atomicCounter(n)+atomicCounterDecrement(n));}",
    ),
    (
        "GL_ARB_shader_atomic_counter_ops",
        420,
        450,
        "frag",
        "layout(binding=0) uniform atomic_uint n; out vec4 c; void "
        "main(){c=vec4(atomicCounterAddARB(n,2u)+atomicCounterMaxARB(n,3u)+atomicCounterExchangeARB(n,1u));}",
    ),
    (
        "GL_ARB_shader_storage_buffer_object",
        140,
        450,
        "frag",
        "layout(std430,binding=1) buffer B{uint a[];}; out vec4 c; void main(){c=vec4(atomicAdd(a[0],1u)+uint(a.length()));}",
    ),
    (
        "GL_ARB_compute_shader",
        420,
        450,
        "comp",
        "layout(local_size_x=4) in; shared uint q[4]; layout(r32ui) uniform uimage2D im; void "
        "main(){q[gl_LocalInvocationIndex]=gl_GlobalInvocationID.x; barrier(); memoryBarrierShared(); "
        "imageStore(im,ivec2(0),uvec4(q[0]));}",
    ),
    (
        "GL_ARB_tessellation_shader",
        130,
        450,
        "tesc",
        "layout(vertices=3) out; void "
        "main(){gl_out[gl_InvocationID].gl_Position=gl_in[gl_InvocationID].gl_Position;gl_TessLevelOuter[0]=1.;}",
    ),
    (
        "GL_ARB_tessellation_shader",
        130,
        450,
        "tese",
        "layout(triangles) in; void main(){gl_Position=gl_in[0].gl_Position*gl_TessCoord.x;}",
    ),
    (
        "GL_ARB_gpu_shader_fp64",
        130,
        450,
        "frag",
        "uniform double d; out vec4 c; void main(){dvec2 e=dvec2(d,1.0lf); c=vec4(float(sqrt(e.x)+fma(d,d,d)),0,0,1);}",
    ),
    (
        "GL_ARB_vertex_attrib_64bit",
        400,
        450,
        "vert",
        "in dvec3 p; void main(){gl_Position=vec4(p,1);}",
    ),
    (
        "GL_ARB_gpu_shader_int64",
        130,
        450,
        "frag",
        "flat in uvec2 u; out vec4 c; void main(){uint64_t q=packUint2x32(u); int64_t r=int64_t(q); "
        "c=vec4(unpackUint2x32(q+1ul),float(r),1);}",
    ),
    (
        "GL_ARB_cull_distance",
        130,
        450,
        "vert",
        "out float gl_CullDistance[2]; void "
        "main(){gl_Position=vec4(1);gl_CullDistance[0]=1.;gl_CullDistance[1]=float(gl_MaxCullDistances);}",
    ),
    (
        "GL_ARB_viewport_array",
        150,
        450,
        "geom",
        "layout(triangles) in; layout(points,max_vertices=1) out; void main(){gl_ViewportIndex=1; gl_Position=vec4(1); EmitVertex();}",
    ),
    (
        "GL_ARB_shader_viewport_layer_array",
        130,
        450,
        "vert",
        "void main(){gl_Position=vec4(1);gl_Layer=1;gl_ViewportIndex=1;}",
    ),
    (
        "GL_AMD_vertex_shader_layer",
        130,
        450,
        "vert",
        "void main(){gl_Position=vec4(1);gl_Layer=1;}",
    ),
    (
        "GL_AMD_vertex_shader_viewport_index",
        130,
        450,
        "vert",
        "void main(){gl_Position=vec4(1);gl_ViewportIndex=1;}",
    ),
    (
        "GL_ARB_fragment_layer_viewport",
        130,
        450,
        "frag",
        "out vec4 c; void main(){c=vec4(gl_Layer,gl_ViewportIndex,0,1);}",
    ),
    (
        "GL_ARB_fragment_coord_conventions",
        130,
        450,
        "frag",
        "layout(origin_upper_left,pixel_center_integer) in vec4 gl_FragCoord; out vec4 c; void main(){c=gl_FragCoord;}",
    ),
    (
        "GL_ARB_shader_group_vote",
        130,
        450,
        "frag",
        "in vec2 v; out vec4 c; void "
        "main(){c=vec4(anyInvocationARB(v.x>0.)?1:0,allInvocationsARB(v.x>0.)?1:0,allInvocationsEqualARB(v.x>0.)?1:0,1);}",
    ),
    (
        "GL_ARB_shader_ballot",
        130,
        450,
        "frag",
        "in vec2 v; out vec4 c; void main(){c=vec4(readFirstInvocationARB(v.x),gl_SubGroupInvocationARB,gl_SubGroupSizeARB,1);}",
    ),
    (
        "GL_ARB_shader_clock",
        130,
        450,
        "frag",
        "out vec4 c; void main(){c=vec4(clock2x32ARB(),0,0);}",
    ),
    (
        "GL_ARB_shader_texture_image_samples",
        150,
        450,
        "frag",
        "uniform sampler2DMS s; out vec4 c; void main(){c=vec4(textureSamples(s));}",
    ),
    (
        "GL_ARB_texture_rectangle",
        130,
        450,
        "frag",
        "uniform sampler2DRect s; in vec2 v; out vec4 c; void main(){c=texture(s,v);}",
    ),
    (
        "GL_ARB_shader_precision",
        130,
        450,
        "frag",
        "out vec4 c; void main(){c=vec4(1);}",
    ),
    (
        "GL_ARB_post_depth_coverage",
        400,
        450,
        "frag",
        "layout(post_depth_coverage) in; out vec4 c; void main(){c=vec4(gl_SampleMaskIn[0]);}",
    ),
    (
        "GL_KHR_blend_equation_advanced",
        130,
        450,
        "frag",
        "layout(blend_support_all_equations) out; out vec4 c; void main(){c=vec4(1);}",
    ),
    (
        "GL_NV_shader_atomic_float",
        430,
        450,
        "comp",
        "layout(local_size_x=1) in; buffer B{float f;}; void main(){atomicAdd(f,1.);}",
    ),
    (
        "GL_MESA_shader_integer_functions",
        130,
        450,
        "frag",
        "flat in int n; out vec4 c; void main(){c=vec4(bitCount(n)+findMSB(n)+bitfieldExtract(n,1,2)); uint h,l; umulExtended(1u,2u,h,l);}",
    ),
    (
        "GL_ARB_shading_language_include",
        130,
        450,
        "frag",
        "out vec4 c; void main(){c=vec4(1);}",
    ),
    (
        "GL_ARB_draw_buffers",
        130,
        450,
        "frag",
        "out vec4 c; void main(){c=vec4(1);}",
    ),
]
ROWS_OF_ES = [
    (
        "GL_EXT_clip_cull_distance", 300, 320, "vert",
        "void main() { gl_Position = vec4(1); gl_ClipDistance[0] = 1.0; gl_CullDistance[0] = 1.0; }",
    ),
    (
        "GL_EXT_shader_integer_mix", 300, 320, "frag",
        "flat in ivec2 a; out vec4 c; void main() { c = vec4(mix(a, a.yx, bvec2(true, false)), 0, 1); }",
    ),
    (
        "GL_EXT_shader_group_vote", 300, 320, "frag",
        "in vec2 v; out vec4 c; void main() { c = vec4(anyInvocationEXT(v.x > 0.0) ? 1 : 0); }",
    ),
    (
        "GL_EXT_texture_query_lod", 300, 320, "frag",
        "uniform sampler2D s; in vec2 v; out vec4 c; void main() { c = vec4(textureQueryLOD(s, v), 0, 0); }",
    ),
    (
        "GL_NV_shader_noperspective_interpolation", 300, 320, "frag",
        "noperspective in vec2 v; out vec4 c; void main() { c = vec4(v, 0, 1); }",
    ),
    (
        "GL_OES_sample_variables", 300, 320, "frag",
        "out vec4 c; void main() { c = vec4(gl_SampleID, gl_SamplePosition, 1); gl_SampleMask[0] = 1; }",
    ),
    (
        "GL_OES_shader_multisample_interpolation", 300, 320, "frag",
        "sample in vec2 v; out vec4 c; void main() { c = vec4(interpolateAtOffset(v, vec2(0)), 0, 1); }",
    ),
    (
        "GL_EXT_gpu_shader5", 310, 320, "frag",
        "uniform sampler2D s[2]; uniform int k; in vec2 v; out vec4 c; void main() { precise float q = fma(v.x, v.y, "
        "1.0); c = texture(s[k], v) * q; }",
    ),
    (
        "GL_OES_texture_cube_map_array", 310, 320, "frag",
        "uniform highp samplerCubeArray s; in vec4 v; out vec4 c; void main() { c = texture(s, v); }",
    ),
    (
        "GL_OES_texture_buffer", 310, 320, "frag",
        "uniform highp samplerBuffer s; out vec4 c; void main() { c = texelFetch(s, 1); }",
    ),
    (
        "GL_OES_viewport_array", 320, 320, "geom",
        "layout(triangles) in; layout(points, max_vertices = 1) out; void main() { gl_ViewportIndex = 1; gl_Position = "
        "vec4(1); EmitVertex(); }",
    ),
    (
        "GL_EXT_geometry_shader", 310, 320, "geom",
        "layout(triangles) in; layout(points, max_vertices = 1) out; void main() { gl_Position = "
        "vec4(gl_PrimitiveIDIn); EmitVertex(); }",
    ),
    (
        "GL_EXT_separate_shader_objects", 300, 320, "vert",
        "layout(location = 3) out vec4 p; void main() { p = gl_Position = vec4(1); }",
    ),
]  # fmt: skip


def texts(row: tuple[str, int, int, str, str], is_es: bool) -> list[str]:
    extension, oldest, newest, _, body = row
    head = "precision highp float;\n" * is_es
    return [f"#version {version}{' es' * is_es}\n#extension {extension} : require\n{head}{body}\n" for version in sorted({oldest, newest})]


@needs_glslang
@pytest.mark.parametrize("number", sampled(range(len(ROWS)), 3), ids=lambda number: f"{number}-{ROWS[number][0]}")
def test_an_extension_of_the_desktop_is_offered(number: int) -> None:
    for text in texts(ROWS[number], is_es=False):
        tgsi.compile(text, stage=ROWS[number][3])


@needs_glslang
@pytest.mark.parametrize("number", sampled(range(len(ROWS_OF_ES)), 3), ids=lambda number: f"{number}-{ROWS_OF_ES[number][0]}")
def test_an_extension_of_es_is_offered(number: int) -> None:
    for text in texts(ROWS_OF_ES[number], is_es=True):
        tgsi.compile(text, stage=ROWS_OF_ES[number][3])


@pytest.mark.peers
@needs_mesa
@pytest.mark.parametrize("is_es", [False, True])
def test_mesa_takes_these_texts(is_es: bool) -> None:
    judge = Judge(is_es)
    rows = ROWS_OF_ES if is_es else ROWS
    assert [row[0] for row in rows if not all(judge.takes(text, row[3]) for text in texts(row, is_es))] == []
