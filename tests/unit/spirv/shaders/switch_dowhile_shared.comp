#version 450
layout(local_size_x=4) in;
layout(std430,binding=0) buffer B { vec3 a; float x[]; } b;
layout(push_constant) uniform P { float k; ivec2 n; };
shared float sh[4];
layout(constant_id=3) const int N = 2;
void main(){ uint i = gl_GlobalInvocationID.x; sh[gl_LocalInvocationIndex]=b.x[i]; barrier(); 
 float t=0; switch(int(i)) { case 0: t=1; case 1: t+=2; break; case 5: t=7; break; default: t=9; }
 int j=0; do { t+= sh[j]; j++; if (j==3) continue; t+=1; } while(j<4);
 vec4 v=vec4(t); v[i&3]=k; b.x[i]=t*k + v[j&3] + float(N) + float(b.x.length()); b.a.xy = vec2(n); }
