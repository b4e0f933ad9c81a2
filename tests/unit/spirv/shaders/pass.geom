#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in V { vec4 color; flat int id[2]; } v[];
layout(location = 0) out vec4 color;
layout(location = 1) flat out int id;
void main() {
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position * float(gl_InvocationID + 1);
        color = v[2 - i].color + v[i].id[1];
        id = gl_PrimitiveIDIn * 10 + v[i].id[gl_InvocationID];
        EmitVertex();
    }
    EndPrimitive();
}
