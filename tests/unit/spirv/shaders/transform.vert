// -G --aml --amb
#version 330 core
uniform mat4 mvp;
uniform vec3 light[2];
uniform float scale;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
out vec3 shade;
void main() {
    shade = light[1] * max(dot(normal, light[0]), 0.0) * scale;
    gl_Position = mvp * vec4(position, 1.0);
}
