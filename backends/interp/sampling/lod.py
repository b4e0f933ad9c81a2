"""Level of detail: computed from derivatives, and its use by mip filters."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from backends.pipe.enums import TexMipFilter
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData

F = NDArray[np.float32]
Details = NDArray[np.float64]
LodMode = Literal["implicit", "bias", "explicit", "zero", "gradient"]


def quad_derivatives(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """d/dx and d/dy of (lanes, n) values whose lanes 4q..4q+3 are (0,0) (1,0) (0,1) (1,1): lower row, left column."""
    quads = values.reshape(-1, 4, values.shape[1])
    dx = np.repeat(quads[:, 3] - quads[:, 2], 4, axis=0)
    dy = np.repeat(quads[:, 2] - quads[:, 0], 4, axis=0)
    return dx, dy


def raw_detail(
    texture: TextureData, sampler: SamplerState, mode: LodMode, lod: NDArray[Any] | None, gradients: tuple[F, F] | None, lanes: int
) -> Details:
    """Level of detail with the sampler's bias, before it is clamped; `gradients` in coordinates. Without gradients it starts at 0."""
    base = np.zeros(lanes)
    if gradients is not None and mode in ("implicit", "bias", "gradient"):
        axes = gradients[0].shape[1]
        scale = texture.sizes[0, :axes].astype(np.float32) if sampler.normalized_coords else np.ones(axes, np.float32)
        steps = [np.abs(g.astype(np.float32) * scale) for g in gradients]
        if sampler.lod_by_length:
            with np.errstate(over="ignore"):
                steps = [np.sqrt(np.add.accumulate(step * step, axis=1)[:, -1:]) for step in steps]
        each = np.concatenate(steps, axis=1)
        rho = np.max(np.where(np.isnan(each), 0, each), axis=1)
        with np.errstate(divide="ignore"):
            base = np.clip(np.log2(rho.astype(np.float64)), -64.0, 64.0)
    if mode in ("bias", "explicit") and lod is not None:
        base = base + lod.astype(np.float64)
    return base + sampler.lod_bias


def clamped_detail(sampler: SamplerState, detail: Details) -> Details:
    """Between the sampler's limits; NaN is the lower one."""
    limited = np.clip(np.where(np.isnan(detail), sampler.min_lod, detail), sampler.min_lod, sampler.max_lod)
    return np.asarray(np.clip(limited, -64.0, 64.0), np.float64)


def accessed_detail(texture: TextureData, sampler: SamplerState, detail: Details) -> F:
    """Apply the sampler's mip filter to a level of detail: 0, the nearest level, or the level itself; never beyond the last."""
    last = np.float32(len(texture.levels) - 1)
    within: F = np.clip(clamped_detail(sampler, detail).astype(np.float32), np.float32(0), last)
    match sampler.min_mip_filter:
        case TexMipFilter.NONE:
            return np.zeros_like(within)
        case TexMipFilter.NEAREST:
            return np.asarray(np.floor(within + np.float32(0.5)), np.float32)
        case _:
            return within
