"""Places of samples in a pixel, and multisample state of a draw."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from backends.abi.records import ShaderEnv
from backends.raster.samples import GRID, Pattern
from backends.run.textures import STANDARD_POSITIONS
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.device.bound import DrawState
    from backends.raster.tile.fragment import FragmentInfo


@functools.cache
def positions(count: int) -> NDArray[np.float32]:
    """x and y of each sample, from 0 to 1; shape (count, 2)."""
    return np.array(STANDARD_POSITIONS[count], np.float32) / np.float32(GRID)


def tell_samples(environment: int, count: int) -> None:
    """Write the number and the positions of samples into the ShaderEnv at the address `environment`."""
    env = ShaderEnv.from_address(environment)
    env.samples, env.sample_positions = count, positions(count).ctypes.data


def box_margin(pattern: Pattern) -> tuple[int, int]:
    """Margins of a triangle's box, in 1/256 pixel: added to its low and its high ends, they make room for the outermost samples."""
    places = [v for o in pattern.offsets for v in o]
    return -max(places) * 256 // GRID, -min(places) * 256 // GRID


@record
class SampleKey:
    """Multisample state that changes shading code."""

    pattern: Pattern | None = None
    per_sample: bool = False
    at_samples: bool = False
    to_coverage: bool = False


NO_SAMPLES = SampleKey()


def sample_key(count: int, state: DrawState, info: FragmentInfo) -> SampleKey:
    """The normalized key. Where multisample rules are off, only fetched colors can differ from sample to sample."""
    r = state.rasterizer
    pattern = Pattern.of(count, r)
    if pattern is None or pattern.is_centered:
        return SampleKey(pattern, bool(info.fetches))
    wanted = (state.min_samples > 1 or r.force_persample_interp) and not info.is_constant
    per_sample = wanted or info.needs_samples or bool(info.fetches)
    return SampleKey(pattern, per_sample, per_sample and r.force_persample_interp, state.blend.alpha_to_coverage)
