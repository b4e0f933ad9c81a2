#version 450
layout(location = 0) in ivec4 a;
layout(location = 1) in ivec4 b;
layout(location = 0) flat out ivec4 r[14];
void main() {
    uvec4 u = uvec4(a), v = uvec4(b), carry, high, low; ivec4 ihigh, ilow;
    r[0] = ivec4(uaddCarry(u, v, carry)); r[1] = ivec4(carry); r[2] = ivec4(usubBorrow(u, v, carry)); r[3] = ivec4(carry);
    umulExtended(u, v, high, low); r[4] = ivec4(high); r[5] = ivec4(low); imulExtended(a, b, ihigh, ilow); r[6] = ihigh; r[7] = ilow;
    r[8] = ivec4(lessThan(a, b)) + ivec4(lessThan(u, v)) * 2; r[9] = ivec4(greaterThanEqual(a, b)) + ivec4(greaterThanEqual(u, v)) * 2;
    r[10] = ivec4(equal(a, b)) + ivec4(notEqual(a, b)) * 2; r[11] = floatBitsToInt(vec4(a)); r[12] = floatBitsToInt(vec4(u)); r[13] = floatBitsToInt(-intBitsToFloat(a));
}
