#version 450
layout(location = 0) flat in int n;
layout(location = 1) noperspective centroid in vec4 a;
layout(location = 0) out vec4 color;
layout(location = 2) out ivec4 whole;
void main() {
    if (n == 3) discard;
    color = vec4(gl_FragCoord.xy, gl_FrontFacing ? 1.0 : -1.0, dFdx(a.x) + fwidth(a.y));
    whole = ivec4(n, gl_SampleMaskIn[0], gl_PrimitiveID, 0);
    gl_FragDepth = a.z * 0.5; gl_SampleMask[0] = 5;
}
