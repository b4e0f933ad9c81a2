#version 450
layout(location = 0) in ivec4 a;
layout(location = 1) in ivec4 b;
layout(location = 0) flat out ivec4 r[30];
void main() {
    uvec4 u = uvec4(a), v = uvec4(b); ivec4 d = b | 1; uvec4 w = v | 1u;
    r[0] = a + b; r[1] = a - b; r[2] = a * b; r[3] = a / d; r[4] = a % d; r[5] = ivec4(u / w); r[6] = ivec4(u % w); r[7] = a & b; r[8] = a | b;
    r[9] = a ^ b; r[10] = ~a; r[11] = -a; r[12] = a << (b & 31); r[13] = a >> (b & 31); r[14] = ivec4(u >> (v & 31u)); r[15] = abs(a);
    r[16] = sign(a); r[17] = min(a, b); r[18] = max(a, b); r[19] = ivec4(min(u, v)); r[20] = ivec4(max(u, v)); r[21] = clamp(a, ivec4(-5), ivec4(5));
    r[22] = bitCount(a); r[23] = bitfieldReverse(a); r[24] = findLSB(a); r[25] = findMSB(a); r[26] = findMSB(u);
    r[27] = bitfieldExtract(a, 3, 7); r[28] = ivec4(bitfieldExtract(u, 3, 7)); r[29] = bitfieldInsert(a, b, 5, 9);
}
