#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 a[];
layout(location = 0) out vec4 b[];
layout(location = 1) patch out vec4 centre;
void main() {
    b[gl_InvocationID] = a[gl_InvocationID] + a[(gl_InvocationID + 1) % gl_PatchVerticesIn];
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    barrier();
    if (gl_InvocationID == 0) {
        centre = (b[0] + b[1] + b[2]) / 3.0;
        gl_TessLevelOuter[0] = 2.0; gl_TessLevelOuter[1] = 3.0; gl_TessLevelOuter[2] = 4.0; gl_TessLevelInner[0] = 5.0;
    }
}
