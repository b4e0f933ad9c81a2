"""GLSL of the workloads. Mesa made the TGSI in shaders/ from these texts, so both sides run the same programs."""

from __future__ import annotations

from benchmarks.geometry import compile_constants

_QUAD = """#version 330
in vec2 p; out vec2 q;
void main(){ q = p; gl_Position = vec4(p, 0.0, 1.0); }"""

_MANDEL64 = """#version 330
in vec2 q; out vec4 o; void main(){ vec2 c = q*vec2(1.6,1.2)-vec2(.6,0); vec2 z = vec2(0); float n = 0.;
 for (int i = 0; i < 64; i++) { z = vec2(z.x*z.x - z.y*z.y, 2.*z.x*z.y) + c;
   z = clamp(z, -4., 4.); n += dot(z,z) < 4. ? 1. : 0.; }
 o = vec4(n/64., fract(n*.17), fract(n*.05), 1); }"""

_DIVERGENT = """#version 330
in vec2 q; out vec4 o; void main(){ vec2 c = q*vec2(1.6,1.2)-vec2(.6,0); vec2 z = vec2(0); int n = 0;
 for (; n < 256; n++) { if (dot(z,z) > 4.) break; z = vec2(z.x*z.x - z.y*z.y, 2.*z.x*z.y) + c; }
 float f = float(n)/256.; o = vec4(f, fract(f*7.), fract(f*31.), 1); }"""

_RAYMARCH = """#version 330
in vec2 q; out vec4 o;
float sd(vec3 p){ return length(p) - 1. + .08*sin(6.*p.x)*sin(6.*p.y)*sin(6.*p.z); }
void main(){ vec3 ro = vec3(0,0,-3), rd = normalize(vec3(q*vec2(1.6,.9), 1.6)); float t = 1.;
 for (int i = 0; i < 48; i++) { float d = sd(ro+rd*t); if (d < .001 || t > 6.) break; t += d*.7; }
 vec3 c = vec3(.1,.2,.3);
 if (t < 6.) { vec3 p = ro+rd*t; vec2 h = vec2(.001,0);
   vec3 n = normalize(vec3(sd(p+h.xyy)-sd(p-h.xyy), sd(p+h.yxy)-sd(p-h.yxy), sd(p+h.yyx)-sd(p-h.yyx)));
   vec3 l = normalize(vec3(1,1,-1)); float s = max(dot(reflect(-l,n),-rd),0.);
   c = vec3(.8,.5,.3)*max(dot(n,l),.1) + pow(s, 24.)*.5; }
 o = vec4(mix(vec3(.6,.7,.8), c, exp(-.1*t)), 1); }"""

_COPY_COLOR = """#version 330
in vec4 v; out vec4 o; void main(){ o = v; }"""

_COPY_RGB = """#version 330
in vec3 v; out vec4 o; void main(){ o = vec4(v, 1); }"""

_COLORED = """#version 330
in vec2 p; in vec3 c; out vec3 v; void main(){ v = c; gl_Position = vec4(p, 0, 1); }"""

_SAMPLE = """#version 330
in vec2 uv; uniform sampler2D s; out vec4 o; void main(){ o = texture(s, uv); }"""

GLSL: dict[str, tuple[str, str]] = {
    "fill_flat": (
        _QUAD,
        """#version 330
uniform vec4 c = vec4(.2,.4,.6,1); out vec4 o; void main(){ o = c; }""",
    ),
    "gouraud": (
        """#version 330
in vec4 p; in vec4 c; out vec4 v; void main(){ v = c; gl_Position = p; }""",
        _COPY_COLOR,
    ),
    "tex_bilinear": (
        """#version 330
in vec2 p; out vec2 uv; void main(){ vec2 s = (p*.5+.5)*vec2(1920,1080)*(0.9/256.0);
  uv = mat2(.8660254,.5,-.5,.8660254)*s; gl_Position = vec4(p,0,1); }""",
        _SAMPLE,
    ),
    "tex_trilinear_min": (
        """#version 330
in vec4 p; in vec2 t; out vec2 uv; void main(){ uv = t; gl_Position = p; }""",
        _SAMPLE,
    ),
    "layers": (
        """#version 330
in vec2 p; flat out vec4 v; uniform float dir;
void main(){ float i = float(gl_InstanceID);
  v = vec4(fract(i*.37+.3), fract(i*.61+.4), fract(i*.83+.5), .25);
  gl_Position = vec4(p, dir*(i - 7.5)/10.0, 1.0); }""",
        """#version 330
flat in vec4 v; in vec4 gl_FragCoord; out vec4 o;
void main(){ o = vec4(v.rgb * fract(gl_FragCoord.x*(1.0/64.0)), v.a); }""",
    ),
    "alu_mandel64": (_QUAD, _MANDEL64),
    "divergent_loop": (_QUAD, _DIVERGENT),
    "raymarch": (_QUAD, _RAYMARCH),
    "small_tris": (
        """#version 330
in vec3 p; in vec3 c; out vec3 v; void main(){ v = c; gl_Position = vec4(p, 1); }""",
        _COPY_RGB,
    ),
    "mesh_torus": (
        """#version 330
uniform mat4 mv, pr; in vec3 p; in vec3 n; out vec3 vn, vp;
void main(){ vec4 q = mv*vec4(p,1); vp = q.xyz; vn = mat3(mv)*n; gl_Position = pr*q; }""",
        """#version 330
in vec3 vn, vp; out vec4 o;
void main(){ vec3 n = normalize(vn), l = normalize(vec3(1,2,3)-vp), h = normalize(l-normalize(vp));
 o = vec4(vec3(.7,.3,.2)*max(dot(n,l),.1) + pow(max(dot(n,h),0.),32.)*.6, 1); }""",
    ),
    "vertex_bound": (
        """#version 330
uniform mat4 m; in vec4 p; out vec4 v;
void main(){ vec4 q = p; for (int i = 0; i < 16; i++) q = normalize(m*q + p);
 v = q; gl_Position = vec4(2.5+.1*q.x, q.y, 0, 1); }""",
        _COPY_COLOR,
    ),
    "mrt4_rgba16f": (
        _QUAD,
        """#version 330
in vec2 q; layout(location=0) out vec4 a; layout(location=1) out vec4 b;
layout(location=2) out vec4 c; layout(location=3) out vec4 d;
void main(){ vec4 v = vec4(q,q)*.5+.5; a = v; b = v*2.; c = v*3.; d = v*4.; }""",
    ),
    "draw_calls": (
        """#version 330
in vec2 p; uniform vec4 u; flat out float c;
void main(){ c = u.z; gl_Position = vec4(p*(4./256.)+u.xy,0,1); }""",
        """#version 330
flat in float c; out vec4 o; void main(){ o = vec4(c,1.-c,.5,1); }""",
    ),
    "draw_constants": (
        """#version 330
in vec2 p; uniform vec4 u; void main(){ gl_Position = vec4(p*(4./256.)+u.xy,0,1); }""",
        """#version 330
uniform vec4 c; out vec4 o; void main(){ o = c; }""",
    ),
    "draw_first": (_COLORED, _COPY_RGB),
    "draw_restart": (_COLORED, _COPY_RGB),
    "draw_states_plain": (
        """#version 330
in vec2 p; uniform vec4 u; flat out float c;
void main(){ c = u.z; gl_Position = vec4(p*(8./256.)+u.xy,u.w,1); }""",
        """#version 330
flat in float c; out vec4 o; void main(){ o = vec4(c,1.-c,.5,.5); }""",
    ),
    "draw_states_textured": (
        """#version 330
in vec2 p; uniform vec4 u; flat out float c; out vec2 q;
void main(){ c = u.z; q = p; gl_Position = vec4(p*(8./256.)+u.xy,u.w,1); }""",
        """#version 330
flat in float c; in vec2 q; uniform sampler2D s; out vec4 o; void main(){ o = texture(s, q)*vec4(c,1.-c,1,.5); }""",
    ),
    "draw_meshes": (
        """#version 330
in vec3 p; uniform vec4 u; out vec3 v;
void main(){ v = vec3(p.z*50., u.w, 1.-u.w); gl_Position = vec4(p+u.xyz,1); }""",
        _COPY_RGB,
    ),
}

GEOMETRY = {
    "geometry_mesh": {
        "vertex_shader": GLSL["mesh_torus"][0]
        .replace("out vec3 vn, vp", "out vec3 an, ap")
        .replace("vp =", "ap =")
        .replace("vn =", "an ="),
        "geometry_shader": """#version 330
layout(triangles) in; layout(triangle_strip, max_vertices=3) out; in vec3 an[], ap[]; out vec3 vn, vp;
void main(){ for (int k = 0; k < 3; k++) { vn = an[k]; vp = ap[k]; gl_Position = gl_in[k].gl_Position; EmitVertex(); } }""",
        "fragment_shader": GLSL["mesh_torus"][1],
    },
    "geometry_quads": {
        "vertex_shader": """#version 330
in vec3 p; in vec3 c; out vec3 a; void main(){ a = c; gl_Position = vec4(p, 1); }""",
        "geometry_shader": """#version 330
layout(points) in; layout(triangle_strip, max_vertices=4) out; in vec3 a[]; out vec3 v;
void main(){ vec4 q = gl_in[0].gl_Position; vec2 s = vec2(4./1920., 4./1080.);
 for (int k = 0; k < 4; k++) { v = a[0]*(1. - .15*float(k)); gl_Position = q + vec4(s*vec2(k & 1, k >> 1), 0, 0); EmitVertex(); } }""",
        "fragment_shader": _COPY_RGB,
    },
    "draw_geometry": {
        "vertex_shader": """#version 330
in vec2 p; uniform vec4 u; out vec3 a; void main(){ a = vec3(u.z,1.-u.z,.5); gl_Position = vec4(p*(4./256.)+u.xy,0,1); }""",
        "geometry_shader": """#version 330
layout(points) in; layout(triangle_strip, max_vertices=4) out; in vec3 a[]; out vec3 v;
void main(){ for (int k = 0; k < 4; k++) { v = a[0]*(1. - .15*float(k));
 gl_Position = gl_in[0].gl_Position + vec4(vec2(k & 1, k >> 1)*(2./256.), 0, 0); EmitVertex(); } }""",
        "fragment_shader": _COPY_RGB,
    },
}

SMALL_PATCHES = {
    "vertex_shader": """#version 400
in vec2 p; uniform vec4 u; out vec3 a; void main(){ a = vec3(u.z,1.-u.z,.5+p.x); gl_Position = vec4(p*(4./256.)+u.xy,0,1); }""",
    "tess_control_shader": """#version 400
layout(vertices=4) out; in vec3 a[]; out vec3 b[];
void main(){ gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; b[gl_InvocationID] = a[gl_InvocationID];
 gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 3.;
 gl_TessLevelInner[0] = gl_TessLevelInner[1] = 2.; }""",
    "tess_evaluation_shader": """#version 400
layout(quads, equal_spacing, ccw) in; in vec3 b[]; out vec3 v;
void main(){ vec2 t = gl_TessCoord.xy; v = mix(mix(b[0], b[1], t.x), mix(b[2], b[3], t.x), t.y);
 gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x), mix(gl_in[2].gl_Position, gl_in[3].gl_Position, t.x), t.y); }""",
    "fragment_shader": _COPY_RGB,
}

TESSELLATION = {
    "vertex_shader": """#version 400
in vec3 p; void main(){ gl_Position = vec4(p, 1); }""",
    "tess_control_shader": """#version 400
layout(vertices=16) out;
void main(){ gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
 if (gl_InvocationID == 0) {
  float a = gl_in[0].gl_Position.x, b = gl_in[3].gl_Position.x, c = gl_in[12].gl_Position.x, d = gl_in[15].gl_Position.x;
  vec4 l = vec4(a+c, a+b, b+d, c+d)*5. + 14.;
  gl_TessLevelOuter[0] = l.x; gl_TessLevelOuter[1] = l.y; gl_TessLevelOuter[2] = l.z; gl_TessLevelOuter[3] = l.w;
  gl_TessLevelInner[0] = (l.y+l.w)*.5; gl_TessLevelInner[1] = (l.x+l.z)*.5; } }""",
    "tess_evaluation_shader": """#version 400
layout(quads, fractional_odd_spacing, ccw) in; uniform mat4 mv, pr; out vec3 vn, vp;
void weights(float u, out vec4 b, out vec4 d){ float s = 1.-u;
 b = vec4(s*s*s, 3.*s*s*u, 3.*s*u*u, u*u*u); d = vec4(-3.*s*s, 3.*s*s-6.*s*u, 6.*s*u-3.*u*u, 3.*u*u); }
void main(){ vec4 b, d, e, g; weights(gl_TessCoord.x, b, d); weights(gl_TessCoord.y, e, g);
 vec3 p = vec3(0), t = vec3(0), q = vec3(0);
 for (int j = 0; j < 4; j++) {
  vec3 r = gl_in[4*j].gl_Position.xyz*b.x + gl_in[4*j+1].gl_Position.xyz*b.y + gl_in[4*j+2].gl_Position.xyz*b.z
   + gl_in[4*j+3].gl_Position.xyz*b.w;
  vec3 s = gl_in[4*j].gl_Position.xyz*d.x + gl_in[4*j+1].gl_Position.xyz*d.y + gl_in[4*j+2].gl_Position.xyz*d.z
   + gl_in[4*j+3].gl_Position.xyz*d.w;
  p += r*e[j]; t += s*e[j]; q += r*g[j]; }
 vec4 o = mv*vec4(p,1); vp = o.xyz; vn = mat3(mv)*cross(t, q); gl_Position = pr*o; }""",
    "fragment_shader": GLSL["mesh_torus"][1],
}

_COMPILE_VERTEX = """#version 330
in vec2 p; out vec2 q; out vec3 n; uniform mat4 m = mat4(1);
void main(){ q = p*.5+.5; vec4 r = m*vec4(p,%s,1); n = r.xyz; gl_Position = r; }"""

_COMPILE_FRAGMENT = """#version 330
in vec2 q; in vec3 n; uniform sampler2D s; uniform vec4 k; out vec4 o;
void main(){ vec4 a = texture(s, q*%s), b = texture(s, q.yx+k.xy); vec3 d = normalize(n+a.xyz);
 float t = 0.; for (int i = 0; i < 4; i++) { t += max(dot(d, b.xyz*float(i)+%s), 0.)*sin(t+%s); d = d.yzx*a.w+b.xyz; }
 if (t > k.z) o = mix(a, b, clamp(t, 0., 1.)); else o = vec4(pow(abs(d), vec3(%s)), exp2(t)); }"""


def compile_sources(serial: int) -> tuple[str, str]:
    """GLSL of one shader pair of shader_compile."""
    vertex, fragment = compile_constants(serial)
    return _COMPILE_VERTEX % vertex, _COMPILE_FRAGMENT % fragment
