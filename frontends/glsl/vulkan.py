"""GLSL for Vulkan, recognized by words that GLSL for OpenGL does not have. (GL_KHR_vulkan_glsl)"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from frontends.glsl.preprocess.scan import Token

EXTENSION = "GL_KHR_vulkan_glsl"
BUILT_INS = frozenset({"gl_VertexIndex", "gl_InstanceIndex"})
LAYOUTS = frozenset({"push_constant", "set", "input_attachment_index"})
"""Words in the parentheses of `layout`."""

_SHAPES = ["1D", "2D", "3D", "Cube", "2DRect", "1DArray", "2DArray", "CubeArray", "Buffer", "2DMS", "2DMSArray"]
TYPES = frozenset(
    {"sampler", "samplerShadow"}
    | {f"{kind}{word}" for kind in ("", "i", "u") for word in (*(f"texture{shape}" for shape in _SHAPES), "subpassInput", "subpassInputMS")}
)
"""Uniform types: textures without a sampler, samplers without a texture, input attachments."""
_PRECISIONS = frozenset({"highp", "mediump", "lowp"})


def speaks_vulkan(tokens: Sequence[Token], extensions: Collection[str] = ()) -> bool:
    """True if tokens of live code include a word that only GLSL for Vulkan has, or if the text requests its extension."""
    if EXTENSION in extensions:
        return True
    is_layout = is_uniform = False
    for text, *_ in tokens:
        if text in BUILT_INS or (is_layout and text in LAYOUTS) or (is_uniform and text in TYPES):
            return True
        is_layout = text == "layout" or (is_layout and text != ")")
        is_uniform = text == "uniform" or (is_uniform and text in _PRECISIONS)
    return False
