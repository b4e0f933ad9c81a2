"""Names of the fixed functions as variables of a shader: attributes, varyings, and uniforms that follow from state of OpenGL.

Source: GLSL 1.20, chapter 7, and GLSL 4.60, compatibility profile. The declarations are made for names that a text uses; {0} is the prefix
of names. `tgsi.opengl` feeds them by their names, which `Program.interface` keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from frontends.glsl.limits import LIMITS
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.semantics import Semantic

ARRAYS = "GL_ARB_arrays_of_arrays"
"""The extension that texture coordinates of the vertices of a primitive need."""
LAST_PLAIN = 140
"""The last version that has these names without the word ``compatibility``; 1.40 has them by GL_ARB_compatibility."""

_UNITS, _LIGHTS, _PLANES = LIMITS["MaxTextureUnits"], LIMITS["MaxLights"], LIMITS["MaxClipPlanes"]

ATTRIBUTES: Mapping[str, str] = MappingProxyType(
    {
        "gl_Vertex": "vec4",
        "gl_Normal": "vec3",
        "gl_Color": "vec4",
        "gl_SecondaryColor": "vec4",
        "gl_FogCoord": "float",
        **{f"gl_MultiTexCoord{unit}": "vec4" for unit in range(_UNITS)},
    }
)
"""Inputs of a vertex shader with their types."""

_COLORS = {"gl_FrontColor": "vec4", "gl_BackColor": "vec4", "gl_FrontSecondaryColor": "vec4", "gl_BackSecondaryColor": "vec4"}
OUTPUTS: Mapping[str, str] = MappingProxyType({**_COLORS, "gl_TexCoord": "vec4", "gl_FogFragCoord": "float", "gl_ClipVertex": "vec4"})
"""Outputs of the stages before the rasterizer."""
INPUTS: Mapping[str, str] = MappingProxyType(
    {"gl_Color": "vec4", "gl_SecondaryColor": "vec4", "gl_TexCoord": "vec4", "gl_FogFragCoord": "float"}
)
"""Inputs of a fragment shader."""

OF_OUTPUTS: Mapping[str, Semantic] = MappingProxyType(
    {
        "gl_FrontColor": Semantic("COLOR", 0),
        "gl_FrontSecondaryColor": Semantic("COLOR", 1),
        "gl_BackColor": Semantic("BCOLOR", 0),
        "gl_BackSecondaryColor": Semantic("BCOLOR", 1),
        "gl_TexCoord": Semantic("TEXCOORD", 0),
        "gl_FogFragCoord": Semantic("FOG", 0),
        "gl_ClipVertex": Semantic("CLIPVERTEX", 0),
    }
)
"""Semantics of outputs, equal to those of the fixed-function programs."""
OF_INPUTS: Mapping[str, Semantic] = MappingProxyType(
    {
        "gl_Color": Semantic("COLOR", 0),
        "gl_SecondaryColor": Semantic("COLOR", 1),
        "gl_TexCoord": Semantic("TEXCOORD", 0),
        "gl_FogFragCoord": Semantic("FOG", 0),
        **{f"{name}In": semantic for name, semantic in OF_OUTPUTS.items()},
    }
)
"""Semantics of inputs: of a fragment shader, and of members of ``gl_in`` in other stages, which have the names of ARB_geometry_shader4."""

STRUCTS: Mapping[str, str] = MappingProxyType(
    {
        "gl_MaterialParameters": "vec4 emission; vec4 ambient; vec4 diffuse; vec4 specular; float shininess;",
        "gl_LightSourceParameters": "vec4 ambient; vec4 diffuse; vec4 specular; vec4 position; vec4 halfVector; vec3 spotDirection; "
        "float spotExponent; float spotCutoff; float spotCosCutoff; float constantAttenuation; float linearAttenuation; "
        "float quadraticAttenuation;",
        "gl_LightModelParameters": "vec4 ambient;",
        "gl_LightModelProducts": "vec4 sceneColor;",
        "gl_LightProducts": "vec4 ambient; vec4 diffuse; vec4 specular;",
        "gl_FogParameters": "vec4 color; float density; float start; float end; float scale;",
        "gl_PointParameters": "float size; float sizeMin; float sizeMax; float fadeThresholdSize; float distanceConstantAttenuation; "
        "float distanceLinearAttenuation; float distanceQuadraticAttenuation;",
    }
)
"""Structures of state, with their members."""

_MATRICES = ("ModelView", "Projection", "ModelViewProjection", "Texture")
UNIFORMS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        **{
            f"gl_{name}Matrix{tail}": ("mat4", _UNITS if name == "Texture" else 0)
            for name in _MATRICES
            for tail in ("", "Inverse", "Transpose", "InverseTranspose")
        },
        "gl_NormalMatrix": ("mat3", 0),
        "gl_NormalScale": ("float", 0),
        "gl_ClipPlane": ("vec4", _PLANES),
        "gl_Point": ("gl_PointParameters", 0),
        "gl_FrontMaterial": ("gl_MaterialParameters", 0),
        "gl_BackMaterial": ("gl_MaterialParameters", 0),
        "gl_LightSource": ("gl_LightSourceParameters", _LIGHTS),
        "gl_LightModel": ("gl_LightModelParameters", 0),
        "gl_FrontLightModelProduct": ("gl_LightModelProducts", 0),
        "gl_BackLightModelProduct": ("gl_LightModelProducts", 0),
        "gl_FrontLightProduct": ("gl_LightProducts", _LIGHTS),
        "gl_BackLightProduct": ("gl_LightProducts", _LIGHTS),
        "gl_TextureEnvColor": ("vec4", _UNITS),
        **{f"gl_{kind}Plane{letter}": ("vec4", _UNITS) for kind in ("Eye", "Object") for letter in "STRQ"},
        "gl_Fog": ("gl_FogParameters", 0),
    }
)
"""State as uniforms: type, and elements of an array or 0."""

_TRANSFORM = ("gl_ModelViewProjectionMatrixTranspose", "gl_Vertex")
"""Names that ``ftransform`` reads. Its products are those of the fixed functions, so that both give the same bits."""

_FRONTS = (Processor.VERT, Processor.GEOM, Processor.TESS_EVAL)


def names_of(stage: Processor) -> frozenset[str]:
    """The names of the fixed functions that a stage has."""
    made = {*UNIFORMS, *STRUCTS}
    if stage is Processor.VERT:
        made |= {*ATTRIBUTES, *OUTPUTS, "ftransform"}
    elif stage is Processor.FRAG:
        made |= {*INPUTS}
    elif stage in _FRONTS:
        made |= {*OUTPUTS}
    return frozenset(made)


def declarations(
    used: Collection[str],
    own: Collection[str],
    stage: Processor,
    texts: Sequence[str],
    members: Collection[str],
    renamed: Callable[[str], str],
) -> list[str]:
    """Lines that declare the names of a text.

    `own`: names that the text redeclares; `members`: names read as members of ``gl_in``; `renamed` returns the variable that replaces a
    name.
    """
    names = {*used}
    if "ftransform" in names:
        names |= {*_TRANSFORM}
    structs = {UNIFORMS[name][0] for name in names & UNIFORMS.keys()} | names
    made = [f"struct {renamed(name)} {{ {fields} }};" for name, fields in STRUCTS.items() if name in structs]
    for name, (type, count) in UNIFORMS.items():
        if name in names:
            kind = renamed(type) if type in STRUCTS else type
            made.append(f"uniform {kind} {renamed(name)}{f'[{count}]' if count else ''};")
    ports = {Processor.VERT: ATTRIBUTES, Processor.FRAG: INPUTS}.get(stage, {})
    made += [f"in {_port(name, type, renamed, texts)};" for name, type in ports.items() if name in names and name not in own]
    if stage in _FRONTS:
        made += [f"out {_port(name, type, renamed, texts)};" for name, type in OUTPUTS.items() if name in names and name not in own]
    for name in sorted(members):
        size = f"[{elements(name, texts, _UNITS)}]" if name == "gl_TexCoord" else ""
        made.append(f"in {OUTPUTS[name]} {renamed(name + 'In')}[]{size};")
    if "ftransform" in names:
        matrix, vertex = map(renamed, _TRANSFORM)
        rows = ", ".join(f"dot({matrix}[{row}], {vertex})" for row in range(4))
        made.append(f"vec4 {renamed('ftransform')}() {{ return vec4({rows}); }}")
    return made


def _port(name: str, type: str, renamed: Callable[[str], str], texts: Sequence[str]) -> str:
    size = f"[{elements(name, texts, _UNITS)}]" if name == "gl_TexCoord" else ""
    return f"{type} {renamed(name)}{size}"


def elements(name: str, texts: Sequence[str], most: int) -> int:
    """Number of elements of an unsized array that a text uses: all if an index is not a number."""
    size = 1
    for index, text in enumerate(texts):
        if text == name:
            bracket, number, end = (*texts[index + 1 : index + 4], "", "", "")[:3]
            is_number = bracket == "[" and number.isdecimal() and len(number) < 3 and end == "]"
            size = max(size, int(number) + 1 if is_number else most)
    return size


def member_inputs(texts: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Uses of ``gl_in[n].name``: token number of gl_in -> the name, and the token number of the dot."""
    made: dict[int, tuple[str, int]] = {}
    for index, text in enumerate(texts):
        if text != "gl_in" or texts[index + 1 : index + 2] != ["["]:
            continue
        depth = 0
        for place in range(index + 1, len(texts)):
            depth += (texts[place] == "[") - (texts[place] == "]")
            if depth == 0:
                name = (*texts[place + 1 : place + 3], "", "")[1]
                if name in OUTPUTS and name != "gl_ClipVertex":
                    made[index] = name, place + 1
                break
    return made
