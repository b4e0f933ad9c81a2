"""Facts of old GLSL: versions, names that were replaced, names that are gone.

glslang makes SPIR-V of desktop GLSL from 3.30 on. Older texts, and those of OpenGL ES, are compiled as a version with everything that they
need.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

OLD = 110
"""The version of a text that names none and uses something old."""
OLDEST = 330
"""The oldest version of desktop GLSL that is compiled unchanged."""
ASSUMED = 450
"""The version of a text that names none and uses nothing old."""
LAST_LOOKUPS = 410
"""The last version of the desktop that has the old functions of textures."""

DESKTOP_VERSIONS = frozenset((110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460))
ES_TARGETS: Mapping[int, int] = MappingProxyType({100: 330, 300: 330, 310: 450, 320: 460})
"""A version of OpenGL ES -> the version of desktop GLSL that its texts are compiled as."""

_SHAPES = ["1D", "2D", "3D", "Cube", "2DRect", "1DArray", "2DArray", "CubeArray", "2DRectArray"]
_TAILS = ["", "Lod", "Grad", "Offset", "LodOffset", "GradOffset", "LodEXT", "GradEXT", "GradARB"]


def _lookups() -> dict[str, str]:
    made = {}
    for shape in _SHAPES:
        for projected in ("", "Proj"):
            for tail in _TAILS:
                made[f"texture{shape}{projected}{tail}"] = f"texture{projected}{tail.removesuffix('EXT').removesuffix('ARB')}"
    for shape in ("1D", "2D", "3D", "2DRect", "1DArray", "2DArray", "Buffer"):
        made[f"texelFetch{shape}"] = "texelFetch"
        made[f"texelFetch{shape}Offset"] = "texelFetchOffset"
        made[f"textureSize{shape}"] = "textureSize"
    return {**made, "shadow2DEXT": "texture", "shadow2DProjEXT": "textureProj"}


LOOKUPS: Mapping[str, str] = MappingProxyType(_lookups())
"""Functions that read textures -> their modern replacement."""

CORE_LOOKUPS: Mapping[bool, frozenset[str]] = MappingProxyType(
    {
        is_es: frozenset(f"texture{shape}{tail}" for shape in shapes.split() for tail in ("", "Proj", "Lod", "ProjLod"))
        for is_es, shapes in ((False, "1D 2D 3D Cube 2DRect"), (True, "2D Cube"))
    }
)
"""Lookups that versions before 1.30, and OpenGL ES 1.00, have without an extension.

A function of the program with such a name is an overload; functions with other names are unchanged.
"""

COMPARISONS: Mapping[str, str] = MappingProxyType(
    {
        f"shadow{shape}{projected}{tail}": f"texture{projected}{tail.removesuffix('EXT').removesuffix('ARB')}"
        for shape in ("1D", "2D", "Cube", "2DRect", "1DArray", "2DArray")
        for projected in ("", "Proj")
        for tail in _TAILS
    }
)
"""Functions that compare with textures. They returned a vec4 (r, r, r, 1); modern ones return r."""

FUNCTIONS = frozenset((*LOOKUPS.values(), *COMPARISONS.values()))
"""Names of the functions that read textures since 1.30."""

NOISE = frozenset(f"noise{size}" for size in (1, 2, 3, 4))
"""Functions of noise, which give 0 since 4.40, and in Mesa in every version."""

_COUNTERS = "Add Subtract Min Max And Or Xor Exchange CompSwap"
BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "gl_FragDepthEXT": "gl_FragDepth",
        "gl_InstanceIDARB": "gl_InstanceID",
        "gl_FragStencilRefAMD": "gl_FragStencilRefARB",
        "textureQueryLOD": "textureQueryLod",
        "anyInvocationEXT": "anyInvocation",
        "allInvocationsEXT": "allInvocations",
        "allInvocationsEqualEXT": "allInvocationsEqual",
        **{f"atomicCounter{name}ARB": f"atomicCounter{name}" for name in _COUNTERS.split()},
    }
)
"""Variables and functions of extensions -> their modern replacement."""

LAST_COLOR = 410
"""The last version of desktop GLSL in which glslang has gl_FragColor."""

STATE: Mapping[str, str] = MappingProxyType(
    {
        "gl_DepthRange": "struct {0}gl_DepthRangeParameters {{ float near; float far; float diff; }}; "
        "uniform {0}gl_DepthRangeParameters {0}gl_DepthRange = {0}gl_DepthRangeParameters(0.0, 1.0, 1.0);",
        "gl_NumSamples": "uniform int {0}gl_NumSamples = 1;",
    }
)
"""State of OpenGL that programs read -> the uniform that takes its place, with its first value. {0} is the prefix of names."""

_GONE = """
ftransform gl_Vertex gl_Normal gl_Color gl_SecondaryColor gl_FogCoord gl_FrontColor gl_BackColor
gl_FrontSecondaryColor gl_BackSecondaryColor gl_TexCoord gl_FogFragCoord gl_ClipVertex gl_ModelViewMatrix gl_ProjectionMatrix
gl_ModelViewProjectionMatrix gl_TextureMatrix gl_NormalMatrix gl_NormalScale gl_ClipPlane gl_Point
gl_FrontMaterial gl_BackMaterial gl_LightSource gl_LightModel gl_FrontLightModelProduct gl_BackLightModelProduct
gl_FrontLightProduct gl_BackLightProduct gl_TextureEnvColor gl_EyePlaneS gl_EyePlaneT gl_EyePlaneR gl_EyePlaneQ
gl_ObjectPlaneS gl_ObjectPlaneT gl_ObjectPlaneR gl_ObjectPlaneQ gl_Fog gl_LastFragData gl_LastFragColorARM
"""
GONE = frozenset(
    _GONE.split()
    + [f"gl_MultiTexCoord{number}" for number in range(8)]
    + [f"gl_{name}Matrix{tail}" for name in ("ModelView", "Projection", "ModelViewProjection", "Texture")
       for tail in ("Inverse", "Transpose", "InverseTranspose")]
)  # fmt: skip
"""Fixed-function names, which current versions of GLSL lack."""

INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        "ftransform": "multiply an attribute by a uniform matrix",
        "gl_Vertex": "declare `attribute vec4 position;`",
        "gl_Normal": "declare `attribute vec3 normal;`",
        "gl_Color": "declare an attribute, or in a fragment shader a varying",
        "gl_FrontColor": "declare a varying",
        "gl_TexCoord": "declare `varying vec2 uv;`",
        "gl_ClipVertex": "write gl_ClipDistance",
        "gl_FogFragCoord": "declare a varying",
    }
)
"""Hints for missing names; the hint for all other names is to declare a uniform or an attribute."""

OLD_WORDS = frozenset({"attribute", "varying", "gl_FragColor", "gl_FragData", *LOOKUPS, *COMPARISONS, *GONE})
"""Words that a text without a version has if it is old."""
