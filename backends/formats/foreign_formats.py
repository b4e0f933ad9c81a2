"""Formats by the names of OpenGL, Vulkan, DXGI, Metal and WebGPU, for hints about names that Gallium does not have.

Regular names are parsed into channels with bits and a kind of numbers; irregular ones are in a table.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches

_PREFIX = re.compile(r"^(PIPE_FORMAT|VK_FORMAT|DXGI_FORMAT|MTLPIXELFORMAT|GL_COMPRESSED|COMPRESSED|GL)_?")
_SUFFIX = re.compile(r"_(EXT|KHR|ARB|OES|BLOCK)$")
_PACK = re.compile(r"_PACK\d+$")

_NAMES = {
    "Z16_UNORM": "DEPTH16 DEPTH16UNORM DEPTH_COMPONENT16 D16 D16_UNORM",
    "Z24X8_UNORM": "DEPTH DEPTH24 DEPTH24PLUS DEPTH_COMPONENT DEPTH_COMPONENT24 D24 D24_UNORM X8_D24_UNORM D24X8",
    "Z32_UNORM": "DEPTH_COMPONENT32",
    "Z32_FLOAT": "DEPTH32 DEPTH32FLOAT DEPTH32F DEPTH_COMPONENT32F D32 D32F D32_FLOAT D32_SFLOAT",
    "Z24_UNORM_S8_UINT": "DEPTH_STENCIL DEPTH24_STENCIL8 DEPTH24PLUS_STENCIL8 DEPTH24UNORM_STENCIL8 D24S8 D24_S8 Z24S8 D24_UNORM_S8_UINT",
    "Z32_FLOAT_S8X24_UINT": "DEPTH32F_STENCIL8 DEPTH32FLOAT_STENCIL8 D32_SFLOAT_S8_UINT D32_FLOAT_S8X24_UINT D32S8 D32FS8 D32_S8",
    "S8_UINT": "STENCIL STENCIL8 STENCIL_INDEX8 S8",
    "R11G11B10_FLOAT": "R11F_G11F_B10F RG11B10F RG11B10FLOAT RG11B10UFLOAT RG11B10_UFLOAT B10G11R11_UFLOAT R11G11B10F",
    "R9G9B9E5_FLOAT": "RGB9_E5 RGB9E5 RGB9E5UFLOAT RGB9E5FLOAT E5B9G9R9_UFLOAT R9G9B9E5_SHAREDEXP R9G9B9E5",
    "R10G10B10A2_UNORM": "RGB10_A2 RGB10A2 RGB10A2UNORM",
    "R10G10B10A2_UINT": "RGB10_A2UI RGB10A2UINT",
    "B5G6R5_UNORM": "RGB565 B5G6R5UNORM",
    "B5G5R5A1_UNORM": "RGB5_A1 RGB5A1 BGR5A1UNORM",
    "B4G4R4A4_UNORM": "RGBA4 RGBA4444 ABGR4UNORM",
    "B2G3R3_UNORM": "R3_G3_B2",
    "R8G8B8_SRGB": "SRGB SRGB8",
    "R8G8B8A8_SRGB": "SRGB_ALPHA SRGB8_ALPHA8 SRGBA8 SRGBA",
    "R8G8B8A8_UNORM": "RGBA8888",
    "B8G8R8A8_UNORM": "ARGB8888 BGRA8888",
    "L8A8_UNORM": "LUMINANCE8_ALPHA8 LUMINANCE_ALPHA",
    "L8_SRGB": "SLUMINANCE SLUMINANCE8",
    "L8A8_SRGB": "SLUMINANCE_ALPHA SLUMINANCE8_ALPHA8",
    "DXT1_RGB": "BC1_RGB_UNORM RGB_S3TC_DXT1",
    "DXT1_SRGB": "BC1_RGB_SRGB SRGB_S3TC_DXT1",
    "DXT1_RGBA": "BC1 BC1_UNORM BC1_RGBA BC1_RGBA_UNORM DXT1 RGBA_S3TC_DXT1",
    "DXT1_SRGBA": "BC1_SRGB BC1_UNORM_SRGB BC1_RGBA_SRGB BC1_RGBA_UNORM_SRGB SRGB_ALPHA_S3TC_DXT1",
    "DXT3_RGBA": "BC2 BC2_UNORM BC2_RGBA BC2_RGBA_UNORM DXT3 RGBA_S3TC_DXT3",
    "DXT3_SRGBA": "BC2_SRGB BC2_UNORM_SRGB BC2_RGBA_SRGB BC2_RGBA_UNORM_SRGB SRGB_ALPHA_S3TC_DXT3",
    "DXT5_RGBA": "BC3 BC3_UNORM BC3_RGBA BC3_RGBA_UNORM DXT5 RGBA_S3TC_DXT5",
    "DXT5_SRGBA": "BC3_SRGB BC3_UNORM_SRGB BC3_RGBA_SRGB BC3_RGBA_UNORM_SRGB SRGB_ALPHA_S3TC_DXT5",
    "RGTC1_UNORM": "BC4 BC4_UNORM BC4_R_UNORM BC4_RUNORM RED_RGTC1 ATI1",
    "RGTC1_SNORM": "BC4_SNORM BC4_R_SNORM BC4_RSNORM SIGNED_RED_RGTC1",
    "RGTC2_UNORM": "BC5 BC5_UNORM BC5_RG_UNORM BC5_RGUNORM RG_RGTC2 ATI2",
    "RGTC2_SNORM": "BC5_SNORM BC5_RG_SNORM BC5_RGSNORM SIGNED_RG_RGTC2",
    "BPTC_RGB_UFLOAT": "BC6H BC6H_UF16 BC6H_UFLOAT BC6H_RGB_UFLOAT BC6H_RGBUFLOAT RGB_BPTC_UNSIGNED_FLOAT",
    "BPTC_RGB_FLOAT": "BC6H_SF16 BC6H_SFLOAT BC6H_RGB_FLOAT BC6H_RGBFLOAT RGB_BPTC_SIGNED_FLOAT",
    "BPTC_RGBA_UNORM": "BC7 BC7_UNORM BC7_RGBA_UNORM BC7_RGBAUNORM RGBA_BPTC_UNORM",
    "BPTC_SRGBA": "BC7_SRGB BC7_UNORM_SRGB BC7_RGBA_UNORM_SRGB BC7_RGBAUNORM_SRGB SRGB_ALPHA_BPTC_UNORM",
    "ETC1_RGB8": "ETC1 ETC1_RGB8_OES",
    "ETC2_RGB8": "ETC2 ETC2_R8G8B8_UNORM ETC2_RGB8UNORM ETC2_RGB8_UNORM RGB8_ETC2",
    "ETC2_SRGB8": "ETC2_R8G8B8_SRGB ETC2_RGB8UNORM_SRGB ETC2_RGB8_SRGB SRGB8_ETC2",
    "ETC2_RGB8A1": "ETC2_R8G8B8A1_UNORM ETC2_RGB8A1UNORM RGB8_PUNCHTHROUGH_ALPHA1_ETC2",
    "ETC2_SRGB8A1": "ETC2_R8G8B8A1_SRGB ETC2_RGB8A1UNORM_SRGB SRGB8_PUNCHTHROUGH_ALPHA1_ETC2",
    "ETC2_RGBA8": "ETC2_R8G8B8A8_UNORM ETC2_RGBA8UNORM EAC_RGBA8 RGBA8_ETC2_EAC",
    "ETC2_SRGBA8": "ETC2_R8G8B8A8_SRGB ETC2_RGBA8UNORM_SRGB EAC_RGBA8_SRGB SRGB8_ALPHA8_ETC2_EAC",
    "ETC2_R11_UNORM": "EAC_R11_UNORM EAC_R11UNORM R11_EAC",
    "ETC2_R11_SNORM": "EAC_R11_SNORM EAC_R11SNORM SIGNED_R11_EAC",
    "ETC2_RG11_UNORM": "EAC_R11G11_UNORM EAC_RG11UNORM EAC_RG11_UNORM RG11_EAC",
    "ETC2_RG11_SNORM": "EAC_R11G11_SNORM EAC_RG11SNORM EAC_RG11_SNORM SIGNED_RG11_EAC",
}
_IRREGULAR = {name: format for format, names in _NAMES.items() for name in names.split()}

_KIND_NAMES = {
    "UNORM": "UNORM TYPELESS",
    "FLOAT": "F FLOAT SFLOAT UFLOAT",
    "UINT": "UI UINT",
    "SINT": "I INT SINT",
    "SNORM": "SNORM",
    "SRGB": "SRGB UNORM_SRGB",
    "USCALED": "USCALED",
    "SSCALED": "SSCALED",
}
_KINDS = {name: kind for kind, names in _KIND_NAMES.items() for name in names.split()} | {"": "UNORM"}
_WORDS = {"LUMINANCE_ALPHA": "LA", "LUMINANCE": "L", "INTENSITY": "I", "ALPHA": "A", "RED": "R"}
_LETTERS = re.compile(r"(RGBA|BGRA|RGBX|BGRX|ARGB|ABGR|RGB|BGR|RG|R|LA|L|A|I)(8|16|32|)_?(\w*)")
_CHANNELS = re.compile(r"((?:[A-Z]\d+)+)(?:_(\w+))?")
_VERTEX = re.compile(r"(FLOAT|UINT|SINT|INT|UNORM|SNORM|VEC|IVEC|UVEC)(8|16|32|)X?([1-4]?)")
_ASTC = re.compile(r"(SRGB8_ALPHA8_|RGBA_|)ASTC_?(\d+)X(\d+)_?(UNORM_SRGB|SRGB|UNORM|SFLOAT|)")


def format_hint(name: str, formats: Collection[str]) -> str:
    """The end of a message about a name that is not in `formats`."""
    near = nearest_format(name, formats)
    return near and f"; did you mean {near}?"


def nearest_format(name: str, formats: Collection[str]) -> str:
    """The name in `formats` of another interface's format, or the one with the nearest spelling; "" if none is near."""
    upper = name.upper().replace("-", "_").replace(" ", "_")[:100]
    close = {item.upper(): item for item in formats}
    for meaning in (upper.removeprefix("PIPE_FORMAT_"), _meaning(upper)):
        if meaning in close:
            return close[meaning]
    return "".join(close[item] for item in get_close_matches(upper.removeprefix("PIPE_FORMAT_"), close, 1))


def _meaning(upper: str) -> str:
    """Gallium's name of a format, in upper case, or ""."""
    while (shorter := _SUFFIX.sub("", _PREFIX.sub("", upper))) != upper:
        upper = shorter
    plain = _PACK.sub("", upper)
    if plain in _IRREGULAR:
        return _IRREGULAR[plain]
    if match := _ASTC.fullmatch(plain):
        before, width, height, kind = match.groups()
        return f"ASTC_{width}X{height}" + ("_SRGB" if "SRGB" in before + kind else "")
    if match := _CHANNELS.fullmatch(plain):
        channels, kind = match.groups()
        parts = re.findall(r"[A-Z]\d+", channels)
        if plain != upper:  # Vulkan names packed words from the most significant bits, Gallium from the least
            parts.reverse()
        return _named("".join(parts), kind or "")
    for word, letters in _WORDS.items():
        plain = plain.replace(word, letters)
    if match := _LETTERS.fullmatch(plain):
        letters, bits, kind = match.groups()
        return _named("".join(f"{letter}{bits or 8}" for letter in letters), kind)
    if match := _VERTEX.fullmatch(plain):
        kind, bits, count = match.groups()
        kind = {"VEC": "FLOAT", "IVEC": "SINT", "UVEC": "UINT"}.get(kind, kind)
        return _named("".join(f"{letter}{bits or 32}" for letter in "RGBA"[: int(count or 1)]), kind)
    return ""


def _named(channels: str, kind: str) -> str:
    return f"{channels}_{_KINDS[kind]}" if kind in _KINDS else ""
