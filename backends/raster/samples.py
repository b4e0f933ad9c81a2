"""Where samples lie in a pixel, and what a draw on multisampled targets says to the kernels that all draws share."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from backends.gallium.state import RasterizerState
from backends.llvm.abi import ShaderEnv
from backends.llvm.builder import F32, PTR, Function, Val
from backends.raster.records import Draw
from backends.textures import STANDARD_POSITIONS

if TYPE_CHECKING:
    from backends.raster.fragment import FragmentInfo
    from backends.raster.packet import DrawState

GRID = 16  # positions count sixteenths of a pixel,
HALF = GRID // 2  # ... its center lies at this
FINER = 4  # bits of the grid
MAX_SAMPLES = 16
MOST_LANES = 32  # of kernels that know samples: a mask is one word


@dataclass(frozen=True, slots=True)
class Pattern:
    """The samples of a pixel: the standard positions, or all of them at the center where multisample rules are off."""

    count: int
    is_centered: bool = False

    @staticmethod
    def of(count: int, rasterizer: RasterizerState) -> Pattern | None:
        """None for one sample, whose kernels know nothing of samples."""
        return Pattern(count, not rasterizer.multisample) if count > 1 else None

    @property
    def offsets(self) -> tuple[tuple[int, int], ...]:
        """From the pixel's center, in sixteenths of a pixel, y as rows go."""
        if self.is_centered:
            return ((0, 0),) * self.count
        return tuple((x - HALF, y - HALF) for x, y in STANDARD_POSITIONS[self.count])

    @property
    def every(self) -> int:
        """The mask of all samples."""
        return (1 << self.count) - 1

    def table(self, f: Function, axis: int) -> Val:
        """Pointer to the offsets along an axis, f32 pixels."""
        name = f"{'center' if self.is_centered else 'sample'}_offsets_{'xy'[axis]}"
        return Val(f, PTR, f.module.constant(name, F32, [o[axis] / GRID for o in self.offsets]))


@functools.cache
def positions(count: int) -> NDArray[np.float32]:
    """x and y of each sample, from 0 to 1."""
    return np.array(STANDARD_POSITIONS[count], np.float32) / np.float32(GRID)


def tell_samples(environment: int, count: int) -> None:
    """Write into the ShaderEnv at an address what programs may ask of the targets."""
    env = ShaderEnv.from_address(environment)
    env.samples, env.sample_positions = count, positions(count).ctypes.data


def write_samples(d: Draw, pattern: Pattern, sample_mask: int, rasterizer: RasterizerState) -> None:
    """The fields of a draw that are 0 where targets have one sample."""
    d.finer, d.sample_mask = FINER, sample_mask & pattern.every
    if not pattern.is_centered:
        places = [v for o in pattern.offsets for v in o]
        d.outset, d.spread[:] = 1, (-max(places) * 256 // GRID, -min(places) * 256 // GRID)


@dataclass(frozen=True, slots=True)
class SampleKey:
    """What of samples changes shading code."""

    pattern: Pattern | None = None
    per_sample: bool = False
    at_samples: bool = False
    to_coverage: bool = False


NO_SAMPLES = SampleKey()


def sample_key(count: int, state: DrawState, info: FragmentInfo) -> SampleKey:
    """Normalized: where multisample rules are off, only what is fetched differs from sample to sample."""
    r = state.rasterizer
    pattern = Pattern.of(count, r)
    if pattern is None or pattern.is_centered:
        return SampleKey(pattern, bool(info.fetches))
    wanted = (state.min_samples > 1 or r.force_persample_interp) and not info.is_constant
    per_sample = wanted or info.needs_samples or bool(info.fetches)
    return SampleKey(pattern, per_sample, per_sample and r.force_persample_interp, state.blend.alpha_to_coverage)
