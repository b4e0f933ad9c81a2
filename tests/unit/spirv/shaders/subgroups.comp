// -V --target-env vulkan1.1
#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer R { uvec4 r[]; };
void main() {
    uint i = gl_SubgroupInvocationID, n = gl_LocalInvocationIndex;
    r[n * 3] = uvec4(gl_SubgroupSize, i, gl_SubgroupID, gl_NumSubgroups);
    r[n * 3 + 1] = uvec4(subgroupBallot(i > 1).x, subgroupBroadcastFirst(n * 5u), subgroupBroadcast(n + 7u, 2u), subgroupBallotBitCount(subgroupBallot(i != 2)));
    r[n * 3 + 2] = uvec4(subgroupAny(n == 5), subgroupAll(n < 4), subgroupAllEqual(n / 4), subgroupElect() ? 1 : 0) + uvec4(gl_SubgroupLtMask.x * 16);
}
