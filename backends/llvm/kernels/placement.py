"""Placement of a run's lanes in vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backends.run.result import Bits
from backends.run.shapes import Index, Shape
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import GROUP_STAGES
from tgsi.language.record import record


@record(eq=False)
class Placement:
    """Places of a run's lanes.

    order: (vectors, lanes), the number of the lane at each place, -1 for an empty place. groups: (vectors, lanes), the number of
    the lane's group within its unit. unit: vectors of a unit, which is one group, or one vector with `shared_by` groups.
    """

    order: Index
    groups: Index
    unit: int
    shared_by: int

    @property
    def present(self) -> NDArray[np.bool_]:
        """True for places that hold a lane, (vectors, lanes)."""
        here: NDArray[np.bool_] = self.order >= 0
        return here

    def stage(self, words: Bits, start: int, stop: int) -> Bits:
        """Rearrange (registers, all lanes, 4) words as (vectors, registers, 4, lanes) for vectors `start` to `stop`; empty places are 0."""
        order = self.order[start:stop]
        staged = words[:, np.maximum(order, 0)]  # registers, vectors, lanes, channels
        staged[:, order < 0] = 0
        return np.ascontiguousarray(staged.transpose(1, 0, 3, 2))

    def stage_numbers(self, numbers: Index, start: int, stop: int) -> NDArray[np.int32]:
        """Rearrange numbers of all lanes as (vectors, lanes), for vectors `start` to `stop`; empty places are 0."""
        order = self.order[start:stop]
        return np.where(order < 0, 0, numbers[np.maximum(order, 0)]).astype(np.int32)


def place(shape: Shape, stage: Processor, lanes: int) -> Placement:
    """Place the lanes of a run in vectors of `lanes`. A vector that holds a part of a group holds no lane of another group."""
    if stage not in GROUP_STAGES:
        return _rows(np.arange(shape.lanes)[None], lanes, 1, 1)
    order = np.arange(shape.lanes).reshape(shape.groups, shape.group)
    if shape.group > lanes // 2:
        return _rows(order, lanes, -(-shape.group // lanes), 1)
    shared_by = lanes // shape.group
    missing = -shape.groups % shared_by
    order = np.concatenate([order, np.full((missing, shape.group), -1)]).reshape(-1, shared_by * shape.group)
    return _rows(order, lanes, 1, shared_by, np.arange(shared_by * shape.group) // shape.group)


def _rows(order: Index, lanes: int, unit: int, shared_by: int, groups: Index | None = None) -> Placement:
    """Placement of rows of lanes, each padded to whole vectors. groups: (lanes of a row,)."""
    missing = -order.shape[1] % lanes
    if groups is None:
        groups = np.zeros(order.shape[1], np.int64)
    order = np.pad(order, ((0, 0), (0, missing)), constant_values=-1).reshape(-1, lanes)
    row = np.pad(groups, (0, missing)).reshape(-1, lanes)
    return Placement(order, np.tile(row, (len(order) // max(1, len(row)), 1)), unit, shared_by)
