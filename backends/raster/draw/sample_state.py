"""Places of samples in a pixel, and multisample state of a draw."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from backends.abi.records import ShaderEnv
from backends.raster.draw_record import Fragments
from backends.raster.samples import GRID, HALF, Pattern
from backends.run.textures import STANDARD_POSITIONS
from tgsi.language.record import record

_CENTER = HALF | HALF << 4  # byte of set_sample_locations

if TYPE_CHECKING:
    from backends.raster.draw.facts import TileRules
    from backends.raster.tile.fragment import FragmentInfo


@functools.cache
def positions(count: int) -> NDArray[np.float32]:
    """x and y of each sample, from 0 to 1; shape (count, 2)."""
    return np.array(STANDARD_POSITIONS[count], np.float32) / np.float32(GRID)


def placed(locations: tuple[int, ...], count: int) -> NDArray[np.float32]:
    """The positions from set_sample_locations, in the form of `positions`; samples beyond the last one lie at the center.

    locations: one byte a sample, x in the low and y in the high four bits, in sixteenths of a pixel (p_context.h).
    """
    filled = (*locations, *[_CENTER] * count)[:count]
    return np.array([(b & 15, b >> 4) for b in filled], np.float32) / np.float32(GRID)


def write_sample_positions(environment: int, count: int, locations: tuple[int, ...] | None) -> NDArray[np.float32]:
    """Write the number and the positions of samples into the ShaderEnv at the address `environment`.

    locations: of set_sample_locations, or None. Returns memory that must live as long as the environment.
    """
    env = ShaderEnv.from_address(environment)
    table = positions(count) if locations is None else placed(locations, count)
    env.samples, env.sample_positions = count, table.ctypes.data
    return table


def box_margin(pattern: Pattern) -> tuple[int, int]:
    """Margins in 1/256 pixel, added to the low and the high ends of a triangle's box to include the outermost samples."""
    places = (-HALF, HALF - 1) if pattern.is_programmed else [v for o in pattern.offsets for v in o]
    return -max(places) * 256 // GRID, -min(places) * 256 // GRID


def write_samples(fragments: Fragments, pattern: Pattern | None, sample_mask: int, locations: tuple[int, ...] | None) -> None:
    """Write mask and places of samples in the group `Draw.fragments`. locations: of set_sample_locations, or None."""
    if pattern is None:
        return
    fragments.sample_mask = sample_mask & pattern.every
    if pattern.is_programmed and locations is not None:
        places = placed(locations, pattern.count) - np.float32(0.5)
        fragments.location_x[: pattern.count], fragments.location_y[: pattern.count] = places.T.tolist()


@record
class SampleKey:
    """Multisample state that changes shading code."""

    pattern: Pattern | None = None
    per_sample: bool = False
    at_samples: bool = False
    to_coverage: bool = False
    ignores_mask: bool = False


def sample_key(rules: TileRules, to_coverage: bool, min_samples: int, info: FragmentInfo) -> SampleKey:
    """The normalized key. Where multisample rules are off, only fetched colors can differ from sample to sample."""
    pattern, is_forced = rules.pattern, rules.is_per_sample
    ignores_mask = info.sample_mask is not None and not rules.has_masks
    if pattern is None or pattern.is_centered:
        return SampleKey(pattern, pattern is not None and bool(info.fetches), ignores_mask=ignores_mask)
    wanted = (min_samples > 1 or is_forced) and not info.is_constant
    per_sample = wanted or info.needs_samples or bool(info.fetches)
    return SampleKey(pattern, per_sample, per_sample and is_forced, to_coverage)
