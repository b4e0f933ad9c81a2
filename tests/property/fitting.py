"""Arguments of `tgsi.run` for any program: registers, primitives, textures and memory, as the program declares them."""

from __future__ import annotations

from typing import Any

import numpy as np

from backends.formats import Format
from backends.pipe.enums import CompareFunc, TexCompare, TexFilter, TexMipFilter, TexWrap
from backends.pipe.state import SamplerState
from backends.run.shapes import input_vertices
from backends.run.textures import TextureData, check_textures, texture_targets
from tests.property.pools import words
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program

PRIMITIVES = 3
FRAGMENTS = 8
BUFFERS = 3
BUFFER_WORDS = 24
IMAGES = 3

_LAYERS = {"3D": 4, "CUBE": 6, "1D_ARRAY": 3, "2D_ARRAY": 3, "CUBEARRAY": 12, "2D_ARRAY_MSAA": 8, "2D_MSAA": 4}
_FORMATS = (
    Format.R8G8B8A8_UNORM,
    Format.R32G32B32A32_FLOAT,
    Format.R32G32B32A32_UINT,
    Format.R16G16_SNORM,
    Format.R32_FLOAT,
    Format.B5G6R5_UNORM,
)
_IMAGE_FORMATS = (Format.R32_UINT, Format.R32_SINT, Format.R32_FLOAT, Format.R8G8B8A8_UNORM, Format.R32G32B32A32_UINT)
NEAREST = SamplerState(
    wrap_s=TexWrap.REPEAT,
    wrap_t=TexWrap.CLAMP_TO_EDGE,
    wrap_r=TexWrap.MIRROR_REPEAT,
    min_img_filter=TexFilter.NEAREST,
    mag_img_filter=TexFilter.NEAREST,
    min_mip_filter=TexMipFilter.NEAREST,
    normalized_coords=True,
    min_lod=0.0,
    max_lod=8.0,
)


def texels(format: Format, shape: tuple[int, ...], chance: np.random.Generator) -> Any:
    """Texels of random bits; those of 32-bit floats are numbers."""
    if format.channels[0].size == 32 and not format.is_integer:
        values = chance.uniform(-2, 2, (*shape, len(format.channels))).astype(np.float32)
        return values.view(np.uint8).reshape(*shape, format.block_bytes)
    return chance.integers(0, 256, (*shape, format.block_bytes), dtype=np.uint8)


def texture(targets: frozenset[str], chance: np.random.Generator) -> TextureData:
    """Small texture that can be read as the first of those targets."""
    target = min(targets, default="2D")
    format = _FORMATS[chance.integers(len(_FORMATS))]
    samples = 4 if "MSAA" in target else 1
    layers, height = _LAYERS.get(target, 1), 1 if target in ("1D", "1D_ARRAY", "BUFFER") else 8
    count = 1 if target in ("RECT", "BUFFER") or samples > 1 else 3
    shapes = [(max(1, layers >> k) if target == "3D" else layers, max(1, height >> k), max(1, 8 >> k)) for k in range(count)]
    return TextureData(format, tuple(texels(format, shape, chance) for shape in shapes), samples=samples)


def sampler(targets: frozenset[str], chance: np.random.Generator, filters: bool) -> SamplerState:
    """Random sampler. Without `filters` its results are unfiltered texels."""
    image = [TexFilter.NEAREST, TexFilter.LINEAR] if filters else [TexFilter.NEAREST]
    mips = [TexMipFilter.NEAREST, TexMipFilter.NONE, *([TexMipFilter.LINEAR] if filters else [])]
    wraps = list(TexWrap) if targets.isdisjoint({"RECT"}) else [TexWrap.CLAMP_TO_EDGE, TexWrap.CLAMP_TO_BORDER]
    pick = chance.integers
    return SamplerState(
        wrap_s=wraps[pick(len(wraps))],
        wrap_t=wraps[pick(len(wraps))],
        wrap_r=wraps[pick(len(wraps))],
        min_img_filter=image[pick(len(image))],
        mag_img_filter=image[pick(len(image))],
        min_mip_filter=mips[pick(len(mips))],
        compare_mode=TexCompare.NONE if pick(2) else TexCompare.R_TO_TEXTURE,
        compare_func=CompareFunc(int(pick(8))),
        normalized_coords="RECT" not in targets,
        min_lod=0.0,
        max_lod=float(pick(1, 5)),
        lod_bias=float(pick(-1, 2)),
        border_color=(0.25, -1.0, 2.0, 1.0),
    )


def fitting_arguments(program: Program, seed: int, *, filters: bool = True, floats: bool = False) -> dict[str, Any]:
    """Arguments for a run of a program. `floats`: inputs and constants are ordinary floats, otherwise any words."""
    chance = np.random.default_rng(seed)
    registers = program.file_size(File.IN)

    def values(shape: tuple[int, ...], number: int) -> Any:
        return chance.uniform(-2, 2, shape).astype(np.float32) if floats else words(seed + number, shape)

    given: dict[str, Any] = {
        "constants": {buffer: values((32 if buffer == 0 else 4, 4), buffer) for buffer in range(3)},
        "buffers": {number: words(seed + 10 + number, (BUFFER_WORDS,)) for number in range(BUFFERS)},
        "counters": {number: words(seed + 20 + number, (4,)) for number in range(2)},
        "images": {number: _image(chance, number) for number in range(IMAGES)},
    }
    targets = texture_targets(program)
    used = {unit: targets.get(unit, frozenset({"2D"})) for unit in {0, 1, *targets} if unit < 32}
    bound = {unit: texture(kinds, chance) for unit, kinds in used.items()}
    samplers = {unit: sampler(kinds, chance, filters) for unit, kinds in used.items()}
    for unit in list(bound):
        try:
            check_textures(program, {unit: bound[unit]})
        except ValueError:  # read with two targets that no texture has at once
            del bound[unit]
    given |= {"textures": bound, "samplers": samplers}
    match program.processor:
        case Processor.GEOM:
            given["inputs"] = values((PRIMITIVES, input_vertices(program), registers, 4), 30)
        case Processor.TESS_CTRL:
            given["inputs"] = values((2, 3, registers, 4), 30)
        case Processor.TESS_EVAL:
            given["inputs"] = values((2, 3, registers, 4), 30)
            given["system_values"] = {"TESSCOORD": chance.uniform(0, 1, (FRAGMENTS, 4)).astype(np.float32)}
        case Processor.COMP:
            fixed = [program.property(f"CS_FIXED_BLOCK_{axis}") for axis in ("WIDTH", "HEIGHT", "DEPTH")]
            if all(fixed) and np.prod(fixed) <= 256:
                given["grid"] = (2, 1, 1)
            else:
                given |= {"grid": (2, 1, 1), "block": tuple(size or default for size, default in zip(fixed, (6, 2, 1)))}
            given |= {"memory": {"GLOBAL": words(seed + 40, (16,)), "INPUT": words(seed + 41, (8,))}, "shared_memory": 256}
        case Processor.TASK:
            given["grid"] = (2, 1, 1)
        case Processor.MESH:
            given |= {"grid": (2, 1, 1), "payload": words(seed + 42, (16,))}
        case _:
            given["inputs"] = values((FRAGMENTS, registers, 4), 30)
    return given


def _image(chance: np.random.Generator, number: int) -> TextureData:
    format = _IMAGE_FORMATS[chance.integers(len(_IMAGE_FORMATS))]
    return TextureData(format, (texels(format, (1, 4, 8) if number else (6, 4, 4), chance),))
