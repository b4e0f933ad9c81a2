#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 2) in vec4 c;
layout(location = 3) in vec4 d;
layout(location = 0) out vec4 r[20];
void main() {
    mat4 m = mat4(a, b, c, d);
    mat4 t = transpose(m), i = inverse(m), p = m * t, o = outerProduct(a, b);
    r[0] = m * d; r[1] = d * m;
    for (int k = 0; k < 4; k++) { r[2 + k] = t[k]; r[6 + k] = i[k]; r[10 + k] = p[k]; r[14 + k] = o[k]; }
    mat3x2 s = mat3x2(a.xy, b.xy, c.xy);
    r[18] = vec4(s * a.xyz, determinant(m), determinant(mat3(m)));
    mat2 q = matrixCompMult(mat2(a), mat2(b)) + 2.0 * mat2(c); q[1][0] = 7.0; q *= mat2(d); q = -q;
    r[19] = vec4(q[0], q[1]) + vec4(inverse(mat2(a))[0], inverse(mat3(m))[1].xy);
}
