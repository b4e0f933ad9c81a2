#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 0) out vec4 r[31];
void main() {
    vec4 unit = fract(a);
    int n = 0;
    r[0] = round(a * 3.0 + 0.2); r[1] = roundEven(a * 2.0); r[2] = trunc(a); r[3] = abs(a); r[4] = sign(a); r[5] = floor(a); r[6] = ceil(a);
    r[7] = fract(a); r[8] = radians(a); r[9] = degrees(a); r[10] = sin(a); r[11] = cos(a); r[12] = tan(a); r[13] = asin(2.0 * unit - 1.0);
    r[14] = acos(2.0 * unit - 1.0); r[15] = atan(a); r[16] = atan(a, b); r[17] = sinh(a); r[18] = cosh(a); r[19] = tanh(a); r[20] = asinh(a);
    r[21] = acosh(1.0 + abs(a)); r[22] = atanh(0.9 * (2.0 * unit - 1.0)); r[23] = pow(abs(a), b); r[24] = exp(a); r[25] = log(abs(a));
    r[26] = exp2(a); r[27] = log2(abs(a)); r[28] = sqrt(abs(a)); r[29] = inversesqrt(abs(a)); r[30] = mod(a, b);
}
