"""System values of the subgroup: the quad, in the order (0,0) (1,0) (0,1) (1,1), independent of the lane map."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from backends.llvm.builder.function import I32, Function, Val
from backends.llvm.builder.lanes import LaneMap

SIZE = 4

_MASKS: Mapping[str, Callable[[int, int], bool]] = {
    "SUBGROUP_EQ_MASK": lambda lane, own: lane == own,
    "SUBGROUP_GE_MASK": lambda lane, own: lane >= own,
    "SUBGROUP_GT_MASK": lambda lane, own: lane > own,
    "SUBGROUP_LE_MASK": lambda lane, own: lane <= own,
    "SUBGROUP_LT_MASK": lambda lane, own: lane < own,
}


SUBGROUP_VALUES = ("SUBGROUP_SIZE", "SUBGROUP_INVOCATION", *_MASKS)
"""Names of the system values of the subgroup."""


def subgroup_value(f: Function, lane_map: LaneMap, name: str, channel: int) -> Val:
    """Channel of the system value `name`, i32 lanes. Masks have 64 bits, in x and y; numbers are the same in all channels.

    KeyError for a name that is not a system value of the subgroup.
    """
    own = [bool(lane & lane_map.x_bit) + 2 * bool(lane & lane_map.y_bit) for lane in range(lane_map.lanes)]
    match name:
        case "SUBGROUP_SIZE":
            values = [SIZE] * lane_map.lanes
        case "SUBGROUP_INVOCATION":
            values = own
        case _:
            is_in = _MASKS[name]
            values = [sum(1 << lane for lane in range(SIZE) if is_in(lane, number)) if channel == 0 else 0 for number in own]
    return f.lanes_const(I32.wide(lane_map.lanes), values)
