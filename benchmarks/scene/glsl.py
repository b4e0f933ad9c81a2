"""GLSL of the scenes. Mesa made the TGSI in shaders/ from these texts, so both sides run the same programs."""

from __future__ import annotations

from benchmarks.scene.world import LIGHT, SHADOW_SIZE

_LIGHT = f"vec3({', '.join(f'{x:.6f}' for x in LIGHT)})"

_LIT = """#version 330
uniform mat4 m, l; in vec3 p, n; in vec2 t; out vec3 w, vn; out vec2 uv; out vec3 at;
void main(){ w = p; vn = n; uv = t; at = (l*vec4(p,1)).xyz*.5 + .5; gl_Position = m*vec4(p,1); }"""

_SHADE = f"""
float shaded(vec3 c){{ const float s = .75/{SHADOW_SIZE}.; c.z -= .004;
 return .25*(texture(depths, c + vec3(-s,-s,0)) + texture(depths, c + vec3(s,-s,0))
  + texture(depths, c + vec3(-s,s,0)) + texture(depths, c + vec3(s,s,0))); }}
vec3 fogged(vec3 c, float d){{ return mix(vec3(.62,.7,.8), c, exp(-.08*d)); }}"""

SCENE: dict[str, tuple[str, str]] = {
    "scene_depth": (
        """#version 330
uniform mat4 m; in vec3 p; void main(){ gl_Position = m*vec4(p,1); }""",
        """#version 330
void main(){ }""",
    ),
    "scene_ground": (
        _LIT,
        f"""#version 330
uniform sampler2D grass, rock; uniform sampler2DShadow depths; uniform vec3 eye;
in vec3 w, vn; in vec2 uv; in vec3 at; out vec4 o;{_SHADE}
void main(){{ vec3 n = normalize(vn);
 vec3 c = mix(texture(rock, uv*3.).rgb, texture(grass, uv*8.).rgb, smoothstep(.75, .92, n.z));
 o = vec4(fogged(c*(.3 + .7*shaded(at)*max(dot(n, {_LIGHT}), 0.)), distance(eye, w)), 1); }}""",
    ),
    "scene_stone": (
        _LIT,
        f"""#version 330
uniform sampler2D moss; uniform sampler2DShadow depths; uniform vec3 eye;
in vec3 w, vn; in vec2 uv; in vec3 at; out vec4 o;{_SHADE}
void main(){{ vec3 n = normalize(vn), h = normalize({_LIGHT} + normalize(eye - w)); float lit = shaded(at);
 vec3 c = texture(moss, uv*2.).rgb*(.3 + .7*lit*max(dot(n, {_LIGHT}), 0.)) + lit*.4*pow(max(dot(n, h), 0.), 24.);
 o = vec4(fogged(c, distance(eye, w)), 1); }}""",
    ),
    "scene_smoke": (
        """#version 330
uniform mat4 m; in vec3 p, n; in vec2 t; out vec3 v; out vec2 uv;
void main(){ v = n; uv = t; gl_Position = m*vec4(p,1); }""",
        """#version 330
uniform sampler2D smoke; in vec3 v; in vec2 uv; out vec4 o;
void main(){ vec4 c = texture(smoke, uv); o = vec4(c.rgb*v, c.a*.5); }""",
    ),
    "stencil_ground": (
        """#version 330
uniform mat4 m; in vec3 p, n; out vec3 v; void main(){ v = n; gl_Position = m*vec4(p,1); }""",
        f"""#version 330
in vec3 v; out vec4 o; void main(){{ o = vec4(vec3(.8,.7,.5)*max(dot(v, {_LIGHT}), .1), 1); }}""",
    ),
    "stencil_volume": (
        """#version 330
uniform mat4 m; in vec3 p; void main(){ gl_Position = m*vec4(p,1); }""",
        """#version 330
out vec4 o; void main(){ o = vec4(0); }""",
    ),
    "stencil_dark": (
        """#version 330
in vec2 p; void main(){ gl_Position = vec4(p, 0, 1); }""",
        """#version 330
out vec4 o; void main(){ o = vec4(.05,.05,.1,.6); }""",
    ),
}
