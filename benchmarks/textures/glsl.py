"""GLSL of the texture workloads. Mesa made the TGSI in shaders/ from these texts, so both sides run the same programs."""

from __future__ import annotations

from benchmarks.textures.texels import ARRAY_LAYERS, SHADOW_SIZE

_PLACE = """#version 330
in vec2 p; out vec2 q;
void main(){ q = p; gl_Position = vec4(p, 0.0, 1.0); }"""

_PLANE = """#version 330
in vec4 p; in vec2 t; out vec2 uv; void main(){ uv = t; gl_Position = p; }"""

TEXTURES: dict[str, tuple[str, str]] = {
    "tex_array": (
        """#version 330
in vec2 p; out vec2 q, uv;
void main(){ q = p; uv = p*vec2(1920,1080)*(.75/256.); gl_Position = vec4(p, 0.0, 1.0); }""",
        f"""#version 330
in vec2 q, uv; uniform sampler2DArray s; out vec4 o;
void main(){{ float h = (.5 + .5*sin(q.x*5.)*cos(q.y*4.))*{ARRAY_LAYERS - 1}., k = floor(h);
 o = mix(texture(s, vec3(uv, k)), texture(s, vec3(uv, k + 1.)), h - k); }}""",
    ),
    "tex_cube": (
        _PLACE,
        """#version 330
in vec2 q; uniform samplerCube s; out vec4 o;
void main(){ vec3 n = normalize(vec3(sin(q.x*9.), sin(q.y*7.), .4 + cos(q.x*3. + q.y*2.)));
 o = texture(s, reflect(vec3(q.x*1.6, q.y*.9, -1.5), n)); }""",
    ),
    "tex_shadow": (
        _PLACE,
        f"""#version 330
in vec2 q; uniform sampler2DShadow s; out vec4 o;
void main(){{ vec3 c = vec3(q*.5 + .5, .5 + .3*sin(q.x*11.)*cos(q.y*9.)); float lit = 0.;
 for (int k = 0; k < 4; k++) lit += texture(s, c + vec3(vec2(k & 1, k >> 1)*1.5 - .75, 0)/vec3({SHADOW_SIZE}, {SHADOW_SIZE}, 1));
 o = vec4(lit*.25*vec3(1, .9, .8), 1); }}""",
    ),
    "tex_anisotropic": (
        _PLANE,
        """#version 330
in vec2 uv; uniform sampler2D s; out vec4 o; void main(){ o = texture(s, uv); }""",
    ),
}
