"""GLSL of the compute workloads. Mesa made the TGSI in shaders/ from these texts, so both sides run the same programs."""

from __future__ import annotations

from benchmarks.catalog import MATRIX, PIXELS, SAXPY
from benchmarks.compute.inputs import BINS, HISTOGRAM_GROUP, HISTOGRAM_STEPS, SAXPY_GROUP, TILE, WEIGHTS

COMPUTE: dict[str, str] = {
    "compute_saxpy": f"""#version 430
layout(local_size_x={SAXPY_GROUP}) in;
layout(std430, binding=0) readonly buffer X {{ float x[]; }};
layout(std430, binding=1) readonly buffer Y {{ float y[]; }};
layout(std430, binding=2) writeonly buffer Z {{ float z[]; }};
uniform float a;
void main(){{ uint i = gl_GlobalInvocationID.x; if (i < {SAXPY}u) z[i] = a*x[i] + y[i]; }}""",
    "compute_matmul": f"""#version 430
layout(local_size_x={TILE}, local_size_y={TILE}) in;
layout(std430, binding=0) readonly buffer A {{ float a[]; }};
layout(std430, binding=1) readonly buffer B {{ float b[]; }};
layout(std430, binding=2) writeonly buffer C {{ float c[]; }};
shared float s[{TILE}][{TILE}], t[{TILE}][{TILE}];
void main(){{ uvec2 l = gl_LocalInvocationID.xy, g = gl_GlobalInvocationID.xy; float sum = 0.;
 for (uint k = 0u; k < {MATRIX}u; k += {TILE}u) {{
  s[l.y][l.x] = a[g.y*{MATRIX}u + k + l.x]; t[l.y][l.x] = b[(k + l.y)*{MATRIX}u + g.x];
  barrier();
  for (uint i = 0u; i < {TILE}u; i++) sum += s[l.y][i]*t[i][l.x];
  barrier(); }}
 c[g.y*{MATRIX}u + g.x] = sum; }}""",
    "compute_blur": f"""#version 430
layout(local_size_x={TILE}, local_size_y={TILE}) in;
layout(rgba8, binding=0) readonly uniform image2D src;
layout(rgba8, binding=1) writeonly uniform image2D dst;
uniform ivec2 way;
void main(){{ ivec2 p = ivec2(gl_GlobalInvocationID.xy), last = imageSize(src) - 1;
 if (p.x > last.x || p.y > last.y) return;
 const float w[5] = float[]({", ".join(map(str, WEIGHTS))});
 vec4 sum = imageLoad(src, p)*w[0];
 for (int i = 1; i < 5; i++)
  sum += (imageLoad(src, max(p - i*way, ivec2(0))) + imageLoad(src, min(p + i*way, last)))*w[i];
 imageStore(dst, p, sum); }}""",
    "compute_histogram": f"""#version 430
layout(local_size_x={HISTOGRAM_GROUP}) in;
layout(std430, binding=0) readonly buffer T {{ uint texel[]; }};
layout(std430, binding=1) buffer H {{ uint total[]; }};
shared uint bins[{BINS}];
void main(){{ uint l = gl_LocalInvocationIndex; bins[l] = 0u;
 barrier();
 uint first = gl_WorkGroupID.x*{HISTOGRAM_GROUP * HISTOGRAM_STEPS}u + l;
 for (uint k = 0u; k < {HISTOGRAM_STEPS}u; k++) {{ uint i = first + k*{HISTOGRAM_GROUP}u;
  if (i < {PIXELS}u) {{ uint v = texel[i];
   atomicAdd(bins[(77u*(v & 255u) + 150u*(v >> 8 & 255u) + 29u*(v >> 16 & 255u)) >> 8], 1u); }} }}
 barrier();
 atomicAdd(total[l], bins[l]); }}""",
}
