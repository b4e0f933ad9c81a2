"""Samples of fragment programs: their positions, and those that each lane covers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backends.run.result import Bits, Floats, Mask
from backends.run.shapes import Shape
from backends.run.textures import MAX_SAMPLES
from backends.run.words import floats, words
from tgsi.language.record import record


@record(eq=False)
class Samples:
    """Samples of the lanes of a run.

    Attributes:
        positions: (samples, 2), from 0 to 1 in the pixel.
        covered: (lanes,) bits of the covered samples.
        number: (lanes,) the sample that each lane shades.
    """

    positions: Floats
    covered: Bits
    number: NDArray[np.int64]

    @property
    def offset(self) -> Floats:
        """(lanes, 2), from the pixel's center to the lane's sample."""
        result: Floats = self.positions[self.number] - np.float32(0.5)
        return result

    @property
    def centroid_offset(self) -> Floats:
        """(lanes, 2), from the pixel's center to the first covered sample; 0 if all samples or none are covered."""
        bits: Mask = (self.covered[:, None] >> np.arange(len(self.positions), dtype=np.uint32) & np.uint32(1)).astype(np.bool_)
        partly = np.asarray(bits.any(axis=1) & ~bits.all(axis=1))
        result: Floats = np.where(partly[:, None], self.positions[bits.argmax(axis=1)] - np.float32(0.5), np.float32(0))
        return result

    @property
    def system_values(self) -> dict[str, Bits]:
        """SAMPLEMASK and SAMPLEPOS of the lanes."""
        return {
            "SAMPLEMASK": self.covered[:, None],
            "SAMPLEPOS": np.pad(self.positions, ((0, 0), (0, 2))).view(np.uint32)[self.number],
        }


def sample_positions(data: ArrayLike | None) -> Floats:
    """Positions of the samples, (samples, 2); one in the center by default."""
    if data is None:
        return np.full((1, 2), 0.5, np.float32)
    table = floats("sample_positions", data)
    if table.ndim != 2 or table.shape[1] != 2 or not 1 <= len(table) <= MAX_SAMPLES or not ((table >= 0) & (table <= 1)).all():
        raise ValueError(f"sample_positions must have shape (1 to {MAX_SAMPLES}, 2), from 0 to 1, not {table.shape}")
    return table


def coverage_bits(data: ArrayLike | None) -> Bits | None:
    """Bits of the covered samples, (invocations,)."""
    coverage = None if data is None else words("coverage", data)
    if coverage is not None and coverage.ndim != 1:
        raise ValueError(f"coverage must have shape (invocations,), not {coverage.shape}")
    return coverage


def samples_of(shape: Shape, positions: Floats, coverage: Bits | None, system: Mapping[str, Bits]) -> Samples:
    """Samples of a run. coverage: of its invocations, None for all samples; system: its system values, of which SAMPLEID counts here."""
    covered = np.full(shape.lanes, (1 << len(positions)) - 1, np.uint32)
    if coverage is not None:
        covered[shape.places] &= coverage
    number = np.zeros(shape.lanes, np.int64)
    if "SAMPLEID" in system:
        number[shape.places] = np.minimum(system["SAMPLEID"][:, 0], len(positions) - 1)
    return Samples(positions, covered, number)
