#version 450
layout(location=0) in vec4 a;
layout(location=1) in vec2 uv;
layout(binding=1) uniform U { mat4 m; float k[4]; };
layout(location=0) out vec4 o;
vec4 f(vec4 x) { if (x.x > 0.5) return x*2.0; return x + vec4(k[1]); }
void main(){ vec4 s = vec4(0.0); for (int i=0;i<4;i++) { s += f(a*k[i]); if (s.w > 10.0) break; } o = m * s * vec4(uv,uv); }
