"""Fragments that run one texture or image instruction in the interpreter, and again as generated code, which must agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import tgsi
from backends.formats import Format
from backends.pipe.enums import TexFilter, TexWrap
from backends.pipe.state import SamplerState
from backends.run.result import RunResult
from backends.run.textures import TextureData
from tests.unit.sampling.support import LANES

HEADER = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1], GENERIC[1], CONSTANT
DCL IN[2], GENERIC[2], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..3]
DCL ADDR[0]
IMM[0] INT32 {0, 1, 2, 3}
IMM[1] INT32 {-1, -2, 4, 7}
"""

EDGE = SamplerState(wrap_s=TexWrap.CLAMP_TO_EDGE, wrap_t=TexWrap.CLAMP_TO_EDGE, wrap_r=TexWrap.CLAMP_TO_EDGE)
LINEAR = SamplerState(
    wrap_s=TexWrap.CLAMP_TO_EDGE,
    wrap_t=TexWrap.CLAMP_TO_EDGE,
    wrap_r=TexWrap.CLAMP_TO_EDGE,
    min_img_filter=TexFilter.LINEAR,
    mag_img_filter=TexFilter.LINEAR,
)


def numbered(layers: int, height: int, width: int, *, first: int = 0, **extra: Any) -> TextureData:
    """Integer texels: red counts them from `first`, green is the row, blue the plane, alpha 77."""
    texels = np.zeros((layers, height, width, 4), np.uint32)
    texels[..., 0] = first + np.arange(layers * height * width).reshape(layers, height, width)
    texels[..., 1] = np.arange(height)[:, None]
    texels[..., 2] = np.arange(layers)[:, None, None]
    texels[..., 3] = 77
    return TextureData(Format.R32G32B32A32_UINT, (texels.view(np.uint8).reshape(layers, height, width, 16),), **extra)


def floats(values: ArrayLike, **extra: Any) -> TextureData:
    """R32_FLOAT texels of values of shape (height, width) or (layers, height, width)."""
    texels = np.asarray(values, np.float32)
    texels = texels.reshape(1, *texels.shape) if texels.ndim == 2 else texels
    return TextureData(Format.R32_FLOAT, (texels[..., None].view(np.uint8).reshape(*texels.shape, 4),), **extra)


def run(declarations: str, body: str, *inputs: ArrayLike, **options: Any) -> RunResult:
    """Run a fragment body. `inputs`: for each IN register (invocations, up to 4), float32 or words; missing channels are 0."""
    count = len(np.asarray(inputs[0]))
    words = np.zeros((count, 3, 4), np.uint32)
    for number, values in enumerate(inputs):
        given = np.asarray(values)
        given = given.astype(np.float32).view(np.uint32) if given.dtype.kind == "f" else given.astype(np.int64).astype(np.uint32)
        words[:, number, : given.shape[1]] = given
    program = tgsi.parse(f"{HEADER}{declarations}\n{body}\nEND\n")
    result = tgsi.run(program, words, engine="interp", **options)
    compiled = tgsi.run(program, words, engine="jit", lanes=LANES, **options)
    same = (result.outputs == compiled.outputs) | np.isclose(result.floats, compiled.floats, rtol=0, atol=1e-6, equal_nan=True)
    assert same.all(), (result.outputs, compiled.outputs)
    assert {k: v.tobytes() for k, v in result.images.items()} == {k: v.tobytes() for k, v in compiled.images.items()}
    return result


def words(
    declarations: str,
    body: str,
    *inputs: ArrayLike,
    textures: Mapping[int, TextureData] | TextureData | None = None,
    samplers: Mapping[int, SamplerState] | SamplerState = EDGE,
    **options: Any,
) -> NDArray[np.uint32]:
    """Words of OUT[0], of shape (invocations, 4). A single texture or sampler is bound to unit 0."""
    bound = {0: textures} if isinstance(textures, TextureData) else dict(textures or {})
    states = samplers if isinstance(samplers, Mapping) else dict.fromkeys(bound, samplers)
    return run(declarations, body, *inputs, textures=bound, samplers=states, **options).outputs[:, 0]


def rows(words: NDArray[np.uint32]) -> list[list[int]]:
    """Words as signed integers."""
    return [[int(x) for x in row] for row in words.view(np.int32)]


def values(words: NDArray[np.uint32]) -> list[list[float]]:
    """Words as floats."""
    return [[float(x) for x in row] for row in words.view(np.float32)]


def repeated(row: Sequence[float], count: int = 4) -> NDArray[np.float32]:
    """Equal coordinates for a whole quad."""
    return np.tile(np.asarray(row, np.float32), (count, 1))
