#version 450
layout(location = 0) in vec4 a;
layout(location = 3) in vec2 b;
layout(location = 5, component = 0) out vec2 xy;
layout(location = 5, component = 2) out float z;
layout(location = 6) out Block { vec4 first; vec3 second[2]; } block;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; float gl_CullDistance[2]; };
void main() {
    xy = b; z = a.w; block.first = a.wzyx; block.second[1] = a.xyz; block.second[int(b.x) & 1].z = 5.0;
    gl_Position = a + vec4(gl_VertexIndex, gl_InstanceIndex, 0, 0); gl_PointSize = 3.0;
    for (int i = 0; i < 3; i++) gl_ClipDistance[i] = a[i]; gl_CullDistance[0] = 7.0; gl_CullDistance[1] = 8.0;
}
