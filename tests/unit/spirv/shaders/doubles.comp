#version 450
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer A { dvec4 a[8]; };
layout(std430, binding = 1) buffer B { dvec4 b[8]; };
layout(std430, binding = 2) buffer R { dvec4 r[]; };
layout(std430, binding = 3) buffer L { i64vec4 l[]; };
void main() {
    uint i = gl_LocalInvocationIndex, n = i * 24;
    dvec4 x = a[i], y = b[i];
    r[n] = x + y; r[n + 1] = x - y; r[n + 2] = x * y; r[n + 3] = x / y; r[n + 4] = sqrt(abs(x)); r[n + 5] = floor(x); r[n + 6] = min(x, y);
    r[n + 7] = max(x, y); r[n + 8] = abs(x); r[n + 9] = -x; r[n + 10] = fract(x); r[n + 11] = sign(x); r[n + 12] = mix(x, y, 0.25LF); r[n + 13] = fma(x, y, x);
    r[n + 14] = dvec4(dot(x, y), length(x), x.x < y.x ? x.z : y.w, determinant(dmat2(x.xy, y.xy))); r[n + 15] = dvec4(vec4(x)); r[n + 16] = dvec4(ivec4(x * 10.0LF));
    r[n + 17] = dmat4(x, y, x * y, dvec4(1.0LF)) * y; r[n + 18] = x.wzyx; r[n + 18].y = y.w; r[n + 19] = dvec4(uvec4(abs(x) * 3.0LF)); r[n + 20] = trunc(x);
    int e0; r[n + 21] = dvec4(frexp(x.x, e0), double(e0), ldexp(x.y, 3), step(x.x, y.x)); r[n + 22] = mod(x, y); r[n + 23] = dvec4(lessThan(x, y));
    i64vec4 p = i64vec4(x * 1e15LF), q = i64vec4(y * 1e9LF) | 1L; uint m = i * 12;
    l[m] = p + q; l[m + 1] = p - q; l[m + 2] = p * q; l[m + 3] = p / q; l[m + 4] = p % q; l[m + 5] = p << 5; l[m + 6] = p >> 7; l[m + 7] = i64vec4(u64vec4(p) >> 9);
    l[m + 8] = min(p, q); l[m + 9] = abs(p); l[m + 10] = (p & q) ^ ~(p | q); l[m + 11] = i64vec4(ivec4(p)) + i64vec4(lessThan(p, q));
}
