#version 450
// every kind of access
layout(location=0) in vec4 a;
layout(binding=0) uniform sampler2D t2;
layout(binding=1) uniform sampler2DShadow s2;
layout(binding=2) uniform texture2D tt; layout(binding=3) uniform sampler sa; layout(binding=4) uniform sampler sb;
layout(binding=5) uniform samplerCubeArray ca; layout(binding=6) uniform isampler2DArray ia;
layout(binding=7) uniform sampler2D arr[3];
layout(binding=0,rgba8) uniform image2D im;
layout(location=0) out vec4 o;
void main(){ o = texture(t2,a.xy) + vec4(texture(s2,a.xyz)) + texture(sampler2D(tt,sa),a.xy,1.0)+texture(sampler2D(tt,sb),a.zw)
 + textureLod(ca,a,2.0)+vec4(texelFetch(ia,ivec3(1,2,3),0))+textureGather(t2,a.xy,1)+textureGrad(t2,a.xy,a.xy,a.zw)+textureOffset(t2,a.xy,ivec2(1,-1))
 + textureProj(t2,a)+ vec4(textureSize(t2,0),textureQueryLevels(t2),textureQueryLod(t2,a.xy).x) + texture(arr[int(a.x)],a.xy)+ texture(arr[2],a.xy);
 imageStore(im, ivec2(a.xy), o); o += imageLoad(im, ivec2(1)); }
