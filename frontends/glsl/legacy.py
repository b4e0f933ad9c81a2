"""Facts of old GLSL: versions, names that were replaced, names that are gone.

glslang makes SPIR-V of desktop GLSL from 3.30 on. Older texts, and those of OpenGL ES, are read as a version that has all they need.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DESKTOP, ES = "desktop", "es"
OLDEST = 330
"""The oldest version of desktop GLSL that is compiled as it is."""
ASSUMED = 450
"""The version of a text that names none and uses nothing old."""

TARGETS: Mapping[tuple[str, int], int] = MappingProxyType(
    {
        **{(DESKTOP, version): 330 for version in (100, 110, 120, 130, 140, 150)},
        (ES, 100): 330,
        (ES, 300): 330,
        (ES, 310): 450,
        (ES, 320): 460,
    }
)
"""Profile and version -> the version of desktop GLSL that the text is compiled as."""

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
    return made


LOOKUPS: Mapping[str, str] = MappingProxyType(_lookups())
"""Functions that read textures -> the one of today."""

COMPARISONS: Mapping[str, str] = MappingProxyType(
    {
        f"shadow{shape}{projected}{tail}": f"texture{projected}{tail.removesuffix('EXT').removesuffix('ARB')}"
        for shape in ("1D", "2D", "Cube", "2DRect", "1DArray", "2DArray")
        for projected in ("", "Proj")
        for tail in _TAILS
    }
)
"""Functions that compare with textures. They gave a vec4 (r, r, r, 1); those of today give r."""

RESERVED = frozenset(["common", "partition", "active", "filter", "superp", "image1D", "image2D", "image3D", "imageCube"])
"""Names that are reserved since 1.30."""

FUNCTIONS = frozenset((*LOOKUPS.values(), *COMPARISONS.values()))
"""Names of the functions that read textures since 1.30."""

_INCLUDED_EXTENSIONS = """
GL_OES_standard_derivatives GL_EXT_shader_texture_lod GL_ARB_shader_texture_lod GL_EXT_frag_depth GL_EXT_draw_buffers
GL_ARB_draw_buffers GL_ARB_texture_rectangle GL_EXT_gpu_shader4 GL_OES_texture_3D GL_ARB_fragment_coord_conventions
GL_ARB_uniform_buffer_object GL_ARB_explicit_attrib_location GL_EXT_texture_array GL_ARB_draw_instanced
GL_ARB_texture_query_lod GL_ARB_shader_bit_encoding GL_OES_shader_io_blocks GL_EXT_shader_io_blocks GL_OES_geometry_shader
GL_EXT_geometry_shader GL_OES_tessellation_shader GL_EXT_tessellation_shader GL_OES_texture_storage_multisample_2d_array
GL_OES_sample_variables GL_OES_shader_image_atomic GL_OES_shader_multisample_interpolation GL_EXT_gpu_shader5
GL_OES_gpu_shader5 GL_EXT_texture_buffer GL_OES_texture_buffer GL_EXT_texture_cube_map_array GL_OES_texture_cube_map_array
GL_EXT_primitive_bounding_box GL_ANDROID_extension_pack_es31a GL_KHR_blend_equation_advanced
"""
INCLUDED_EXTENSIONS = frozenset(_INCLUDED_EXTENSIONS.split())
"""Extensions that old texts ask for and that later versions have: the directive is left out."""

_GONE = """
ftransform noise1 noise2 noise3 noise4 gl_Vertex gl_Normal gl_Color gl_SecondaryColor gl_FogCoord gl_FrontColor gl_BackColor
gl_FrontSecondaryColor gl_BackSecondaryColor gl_TexCoord gl_FogFragCoord gl_ClipVertex gl_ModelViewMatrix gl_ProjectionMatrix
gl_ModelViewProjectionMatrix gl_TextureMatrix gl_NormalMatrix gl_NormalScale gl_DepthRange gl_ClipPlane gl_Point
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
"""Names of the fixed functions, which no shader of today has."""

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
"""Ways out; for other names it is a uniform or an attribute of the program's own."""
