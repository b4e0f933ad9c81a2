"""Textures that shader_runner's commands make, as arrays of texels, and their samplers."""

from __future__ import annotations

import re
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats.arrays import pack
from backends.formats.format import find_format
from tgsi import gallium as g
from tgsi.language.record import record

FORMATS = {
    "GL_RGBA8": "R8G8B8A8_UNORM", "GL_COMPRESSED_RGBA": "R8G8B8A8_UNORM",
    "GL_RGBA": "R8G8B8A8_UNORM", "GL_RGBA32F": "R32G32B32A32_FLOAT", "GL_RGBA16F": "R16G16B16A16_FLOAT",
    "GL_R32F": "R32_FLOAT", "GL_R32I": "R32_SINT", "GL_R32UI": "R32_UINT", "GL_RGBA32I": "R32G32B32A32_SINT", "GL_RG32F": "R32G32_FLOAT",
    "GL_RGBA32UI": "R32G32B32A32_UINT", "GL_RGBA8I": "R8G8B8A8_SINT", "GL_RGBA8UI": "R8G8B8A8_UINT", "GL_RGBA16": "R16G16B16A16_UNORM",
    "GL_RG8": "R8G8_UNORM", "GL_R8": "R8_UNORM", "GL_R11F_G11F_B10F": "R11G11B10_FLOAT", "GL_RGBA8_SNORM": "R8G8B8A8_SNORM",
    "GL_RGBA16I": "R16G16B16A16_SINT", "GL_RGBA16UI": "R16G16B16A16_UINT",
}  # fmt: skip
_TARGETS = {
    "1D": "1D",
    "2D": "2D",
    "3D": "3D",
    "Rect": "RECT",
    "1DArray": "1D_ARRAY",
    "2DArray": "2D_ARRAY",
    "Cube": "CUBE",
    "CubeArray": "CUBE_ARRAY",
}
_COMMAND = re.compile(r"texture (rgbw|shadow|checkerboard|quads|miptree|junk|storage|integer)\s*((?:[123]D|Rect|Cube)\w*)?\s+(\d+)\s*(.*)")
_QUADRANTS = np.array([[[1, 0, 0, 1], [0, 1, 0, 1]], [[0, 0, 1, 1], [1, 1, 1, 1]]], np.float32)
_LEVELS = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]], np.float32)
_DEPTH_MODES = {"luminance": "xxx1", "intensity": "xxxx", "alpha": "000x", "red": "x001"}
_SWIZZLES = {"red": "x", "green": "y", "blue": "z", "alpha": "w", "zero": "0", "one": "1"}


@record(frozen=False, kw_only=True)
class Texture:
    """A texture of a unit: its resource, the arguments of its sampler and of its view."""

    resource: Any
    sampler: dict[str, Any] = field(default_factory=dict)
    view: dict[str, Any] = field(default_factory=dict)


def _create(screen: g.Screen, target: str, format: str, size: list[int], last_level: int = 0, samples: int = 0) -> Any:
    width, height, depth = [*size, 1, 1][:3]
    given: dict[str, Any] = {}
    if target == "1D_ARRAY":
        height, given["array_size"] = 1, height
    elif target in ("2D_ARRAY", "CUBE_ARRAY"):
        given["array_size"], depth = depth, 1
    elif target == "CUBE":
        given["array_size"], depth = 6, 1
    return screen.resource_create(
        target=f"TEXTURE_{target}",
        format=format,
        width0=width,
        height0=height,
        depth0=depth,
        last_level=last_level,
        nr_samples=samples,
        **given,
    )


def _fill(ctx: g.Context, resource: Any, texels: NDArray[np.float32], level: int = 0) -> None:
    """Write texels, float numbers of four channels, in the format of a resource."""
    name = str(resource.format)
    if name == "R11G11B10_FLOAT":
        data = pack(find_format(name), texels).reshape(*texels.shape[:-1], 4)
        ctx.texture_subdata(resource, np.ascontiguousarray(data), level=level)
        return
    texels = np.broadcast_to(texels, (*texels.shape[:-1], 4)) if texels.shape[-1] == 1 else texels
    count = len(re.findall(r"[RGBAZ]\d+", name.split("_")[0]))
    texels = texels[..., :count]
    if name.endswith("8_UNORM"):
        data = np.rint(texels * 255).astype(np.uint8)
    elif name.endswith("16_UNORM"):
        data = np.rint(texels * 65535).astype(np.uint16)
    elif name.endswith("32_FLOAT"):
        data = texels.astype(np.float32)
    elif name.endswith("16_FLOAT"):
        data = texels.astype(np.float16)
    else:
        bits = int(re.findall(r"\d+", name)[0])
        data = np.rint(texels).astype(f"{'u' if name.endswith('UINT') else 'i'}{bits // 8}")
    ctx.texture_subdata(resource, np.ascontiguousarray(data), level=level)


def make(screen: g.Screen, ctx: g.Context, line: str) -> tuple[int, Texture] | None:
    """Unit and texture of a command that begins with ``texture``; None for one that is unknown."""
    found = _COMMAND.fullmatch(line)
    if found is None:
        return None
    word, kind, unit, rest = found[1], found[2] or "2D", int(found[3]), found[4]
    format = next((FORMATS[item] for item in re.findall(r"GL_\w+", rest) if item in FORMATS), "R8G8B8A8_UNORM")
    if set(re.findall(r"GL_\w+", rest)) - set(FORMATS):
        return None
    lists = [[float(item) for item in re.split(r"[\s,]+", text.strip())] for text in re.findall(r"\(([^)]*)\)", rest)]
    if kind not in _TARGETS:
        return None
    target = _TARGETS[kind]
    if word == "quads":  # four colors in turn, each of so many columns and rows
        (width, height), (column, row) = ([int(item) for item in items] for items in lists[:2])
        resource = _create(screen, target, format, [width, height])
        y, x = np.mgrid[:height, :width]
        _fill(ctx, resource, np.array(lists[2:6], np.float32)[2 * (y // row % 2) + x // column % 2])
        return unit, Texture(resource=resource)
    if word == "checkerboard":
        width, height = map(int, lists[0])
        level = int(rest.split("(")[0])
        if level:
            return None
        resource = _create(screen, target, format, [width, height])
        y, x = np.mgrid[:height, :width]
        odd = (x // (width // 2) ^ y // (height // 2)) & 1
        _fill(ctx, resource, np.array(lists[1:3], np.float32)[odd])
        border = {"wrap_s": "CLAMP_TO_BORDER", "wrap_t": "CLAMP_TO_BORDER", "border_color": (1.0, 0.0, 0.0, 1.0)}
        return unit, Texture(resource=resource, sampler=border)
    if word == "integer":
        (width, height), (step, first) = ([int(item) for item in items] for items in lists[:2])
        resource = _create(screen, target, format, [width, height])
        y, x = np.mgrid[:height, :width]
        _fill(ctx, resource, (y * step + x + first)[..., None].astype(np.float32))
        return unit, Texture(resource=resource)
    if word == "miptree":
        resource = _create(screen, target, format, [8, 8], 3)
        for level in range(4):
            _fill(ctx, resource, np.broadcast_to(_LEVELS[level], (8 >> level, 8 >> level, 4)), level)
        return unit, Texture(resource=resource, sampler={"min_mip_filter": "NEAREST"})
    size = [int(item) for item in lists[0]] if lists else [8] * 2
    if word == "shadow":
        resource = _create(screen, target, "Z32_FLOAT", size)
        ramp = (np.arange(size[0], dtype=np.float32) / np.float32(max(size[0] - 1, 1)))[:, None]
        shape = (*size[1:][::-1], size[0], 1)
        data = np.broadcast_to(ramp, shape).astype(np.float32)[..., 0]
        if target == "1D_ARRAY":
            data = data[:, None]
        ctx.texture_subdata(resource, np.ascontiguousarray(data))
        return unit, Texture(
            resource=resource, sampler={"compare_mode": "R_TO_TEXTURE", "compare_func": "GREATER"}, view={"swizzle": "xxxx"}
        )
    resource = _create(screen, target, format, size)
    if word == "rgbw":
        width, height = [*size, 1][:2]
        if target == "1D":
            height = 1
        y, x = np.mgrid[:height, :width]
        flat = _QUADRANTS[(2 * y >= height).astype(int) * (height > 1), (2 * x >= width).astype(int)]
        if target == "2D_ARRAY":  # a color for each layer
            layers = np.arange(size[2]) % 4
            flat = np.broadcast_to(_LEVELS[layers][:, None, None], (size[2], *flat.shape))
        elif target == "1D":
            flat = flat[0]
        elif target == "1D_ARRAY":
            flat = flat[:, None]
        _fill(ctx, resource, flat)
    return unit, Texture(resource=resource)


_FILTERS = {"nearest": ("NEAREST", "NONE"), "linear": ("LINEAR", "NONE")} | {
    f"{image}_mipmap_{mip}": (image.upper(), mip.upper()) for image in ("nearest", "linear") for mip in ("nearest", "linear")
}


def parameter(texture: Texture, name: str, values: list[str]) -> bool:
    """Set a parameter of a texture. False where it is unknown."""
    value = values[0].lower()
    if name == "min":
        texture.sampler["min_img_filter"], texture.sampler["min_mip_filter"] = _FILTERS[value]
    elif name == "mag":
        texture.sampler["mag_img_filter"] = value.upper()
    elif name == "compare_func":
        texture.sampler["compare_func"] = value.upper().replace("GEQUAL", "GEQUAL")
    elif name == "depth_mode":
        texture.view["swizzle"] = _DEPTH_MODES[value]
    elif name in ("wrap_s", "wrap_t", "wrap_r"):
        texture.sampler[name] = value.upper()
    elif name.startswith("swizzle_"):
        old = list(texture.view.get("swizzle", "xyzw"))
        old["rgba".index(name[-1])] = _SWIZZLES[value]
        texture.view["swizzle"] = "".join(old)
    elif name == "base_level":
        texture.view["first_level"] = int(value)
    elif name == "max_level":
        texture.view["last_level"] = int(value)
    elif name == "lod_bias":
        texture.sampler["lod_bias"] = float(value)
    elif name == "border_color":
        texture.sampler["border_color"] = tuple(map(float, values))
    else:
        return False
    return True
