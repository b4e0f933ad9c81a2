#version 450
layout(set = 0, binding = 0) uniform A { vec4 a; };
layout(set = 1, binding = 0) uniform B { vec4 b; };
layout(set = 1, binding = 2) uniform sampler2D second;
layout(set = 0, binding = 2) uniform sampler2D first;
layout(location = 0) out vec4 color;
void main() { color = a - b + texture(first, a.xy) - texture(second, b.xy); }
