"""The placement of lanes in vectors."""

from __future__ import annotations

import numpy as np
import pytest

from backends.llvm.kernels.placement import place
from backends.run.shapes import Shape, flat_shape, patch_shape
from tgsi.language.facts.enums import Processor

pytestmark = pytest.mark.light


def _blocks(groups: int, members: int) -> Shape:
    return patch_shape(groups, members)


def test_one_group_fills_vector_after_vector() -> None:
    placed = place(flat_shape(10, 10), Processor.VERT, 8)
    assert placed.order.tolist() == [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, -1, -1, -1, -1]]
    assert (placed.unit, placed.shared_by) == (1, 1)


def test_small_groups_share_a_vector() -> None:
    placed = place(_blocks(3, 4), Processor.COMP, 8)
    assert placed.order.tolist() == [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, -1, -1, -1, -1]]
    assert placed.groups.tolist() == [[0, 0, 0, 0, 1, 1, 1, 1]] * 2
    assert (placed.unit, placed.shared_by) == (1, 2)


@pytest.mark.parametrize("lanes", [4, 8, 16, 32, 64])
@pytest.mark.parametrize(("groups", "members"), [(1, 1), (5, 3), (2, 12), (3, 20), (2, 64), (1, 100)])
def test_every_lane_has_one_place_and_no_group_is_cut(groups: int, members: int, lanes: int) -> None:
    shape = _blocks(groups, members)
    placed = place(shape, Processor.COMP, lanes)
    here = placed.order[placed.order >= 0]
    assert here.tolist() == list(range(shape.lanes))
    assert len(placed.order) % placed.unit == 0
    unit = np.arange(len(placed.order))[:, None] // placed.unit
    number = (unit * placed.shared_by + placed.groups)[placed.order >= 0]
    assert np.array_equal(number, here // shape.group)
    words = np.arange(shape.lanes * 8, dtype=np.uint32).reshape(2, shape.lanes, 4)
    staged = placed.stage(words, 0, len(placed.order)).transpose(0, 3, 1, 2)
    assert np.array_equal(staged[placed.order >= 0].transpose(1, 0, 2), words)
    assert not staged[placed.order < 0].any()
