#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 0) out vec4 r[31];
void main() {
    vec4 c = a.wzyx;
    r[0] = min(a, b); r[1] = max(a, b); r[2] = clamp(a, -abs(b), abs(b)); r[3] = mix(a, b, c); r[4] = step(a, b); r[5] = smoothstep(-2.0, 2.0, a);
    r[6] = fma(a, b, c); vec4 whole; r[7] = modf(a, whole); r[8] = whole; ivec4 e; r[9] = frexp(a, e); r[10] = vec4(e);
    r[11] = ldexp(a, ivec4(1, -2, 3, 4)) + ldexp(vec4(0.75), ivec4(128, -100, 60, 0)) * 1e-38; r[12] = vec4(length(a), distance(a, b), dot(a, b), length(a.x));
    r[13] = vec4(cross(a.xyz, b.xyz), 0.0); r[14] = normalize(a); r[15] = faceforward(a, b, c); r[16] = reflect(a, normalize(b));
    r[17] = refract(normalize(a), normalize(b), 0.7); r[18] = vec4(mix(a, b, lessThan(a, b))); r[19] = vec4(isnan(a / 0.0 - a / 0.0)) + vec4(isinf(a / 0.0)) * 2.0;
    r[20] = -a * 2.0 - abs(-b); r[21] = vec4(any(lessThan(a, b)), all(greaterThan(a, b)), a == b, a != b);
    r[22] = vec4(lessThanEqual(a, b)) + vec4(greaterThanEqual(a, b)) * 2.0 + vec4(equal(a, b)) * 4.0 + vec4(notEqual(a, b)) * 8.0;
    r[23] = vec4(a.x > b.x ? a.yz : b.zy, a.xy); r[24] = a; r[24].yx = b.zw; r[25] = vec4(ivec4(a * 10.0)) + vec4(uvec4(abs(b) * 7.0));
    int i = int(abs(a.x) * 10.0) & 3; r[26] = vec4(a[i], b[3 - i], 0.0, 0.0); r[26][i ^ 1] += 5.0;
    r[27] = unpackUnorm4x8(packUnorm4x8(a)); r[28] = unpackSnorm4x8(packSnorm4x8(a)); r[29] = vec4(unpackHalf2x16(packHalf2x16(a.xy)), unpackSnorm2x16(packSnorm2x16(b.xy)));
    r[30] = vec4(unpackUnorm2x16(packUnorm2x16(a.xy)), mix(1.0, 2.0, a.x > 0.0), float(!(a.x > 0.0)));
}
