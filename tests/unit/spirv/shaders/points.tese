#version 450
layout(triangles, fractional_odd_spacing, cw) in;
layout(location = 0) in vec4 b[];
layout(location = 1) patch in vec4 centre;
layout(location = 0) out vec4 c;
void main() {
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
    c = b[1] + centre + vec4(gl_TessLevelOuter[1], gl_TessLevelInner[0], gl_PrimitiveID, 0.0);
}
