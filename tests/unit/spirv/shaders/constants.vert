#version 450
layout(constant_id = 1) const float SCALE = 1.5;
layout(constant_id = 2) const int COUNT = 3;
layout(constant_id = 7) const bool FLIP = false;
const int TWICE = COUNT * 2 + 1;
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 r;
void main() { float v[TWICE]; for (int i = 0; i < TWICE; i++) v[i] = float(i) * SCALE; r = FLIP ? -a : a; r.x += v[COUNT]; r.y += float(v.length()); gl_Position = a; }
