#version 450
layout(local_size_x = 8) in;
struct Light { vec3 color; float power; mat2 turn; };
struct Scene { Light lights[3]; vec4 ambient; int count; };
layout(std140, binding = 0, row_major) uniform U { mat3 m; mat2x4 n[2]; float f[5]; Scene scene; };
layout(std430, binding = 0) buffer B { uint total; vec3 data[4]; layout(row_major) mat2x3 rm; Light lights[2]; float rest[]; } io;
const float table[6] = float[](0.5, 1.5, 2.5, 3.5, 4.5, 5.5);
vec4 stack[4];
shared Light tile[8];
float power(Light l, int i) { return l.power * l.color[i % 3] + l.turn[i & 1][1]; }
void main() {
    int i = int(gl_LocalInvocationID.x);
    stack[i & 3] = vec4(i); stack[(i + 1) & 3].yz = vec2(f[i % 5], table[i % 6]);
    Scene copy = scene; copy.lights[i % 3].power += 1.0; copy.lights[1].color.y = 9.0;
    tile[i] = copy.lights[i % 3];
    barrier();
    Light other = tile[7 - i];
    io.rest[i] = power(other, i) + stack[i & 3].z + m[i % 3][(i + 1) % 3] + n[i & 1][1][i & 3] + float(scene.count) + copy.ambient[i & 3];
    atomicAdd(io.total, uint(i)); atomicMax(io.total, 3u);
    if (i < 4) io.data[i] = vec3(i, other.power, io.rm[i & 1][i % 3]);
    barrier();
    if (i == 0) { io.rm = mat2x3(1, 2, 3, 4, 5, 6); io.lights[1] = scene.lights[2]; io.lights[0].turn[1] = vec2(8, 9); io.rest[8] = io.rest.length(); }
}
