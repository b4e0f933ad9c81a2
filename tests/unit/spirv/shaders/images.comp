#version 450
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0, r32ui) uniform uimage2D counts;
layout(binding = 1, rgba32f) uniform image2D pictures[2];
layout(binding = 3) uniform sampler2D tex;
layout(binding = 4) uniform usampler2DArray layers;
layout(std430, binding = 0) buffer R { ivec4 r[]; };
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    uint old = imageAtomicAdd(counts, p / 2, 3u);
    vec4 v = imageLoad(pictures[0], p.yx) + texelFetch(tex, p, 0);
    imageStore(pictures[1], p, v * 2.0);
    r[p.y * 4 + p.x] = ivec4(imageSize(counts), textureSize(tex, 0).x, texelFetch(layers, ivec3(p, 1), 0).y);
    if (p == ivec2(0)) r[16] = ivec4(textureSize(layers, 0), textureQueryLevels(tex));
}
