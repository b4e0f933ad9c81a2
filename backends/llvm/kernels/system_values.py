"""System values of kernels. Each kind of kernel has a table from the name of a value to the function that computes one of its channels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Protocol

from backends.llvm.builder.function import I32, Function, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.kernels.subgroups import SUBGROUP_VALUES, subgroup_value
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.program import Program

Channel = Callable[[Any, int], Val]
"""Function of an interface (of the class that has the table) and a channel, which returns i32 or f32 lanes."""


class _Lanes(Protocol):
    """The part of an Interface required by values of the subgroup."""

    @property
    def f(self) -> Function:
        """The function under construction."""

    @property
    def lane_map(self) -> LaneMap:
        """Order of the lanes in a vector."""


def _of_subgroup(name: str, interface: _Lanes, channel: int) -> Val:
    return subgroup_value(interface.f, interface.lane_map, name, channel)


OF_SUBGROUP: Mapping[str, Channel] = {name: partial(_of_subgroup, name) for name in SUBGROUP_VALUES}
"""System values that every kind of kernel has."""


class SystemValues:
    """The part of an Interface that computes system values from the declarations of a program and a table.

    A subclass sets both class variables:
        SYSTEM_VALUES: name of a system value -> its channels.
        KERNELS: the kind of kernel, for the message about a value missing from the table; "" if such values are 0.
    """

    __slots__ = ()
    SYSTEM_VALUES: ClassVar[Mapping[str, Channel]] = OF_SUBGROUP
    KERNELS: ClassVar[str] = ""

    f: Function
    lane_map: LaneMap
    program: Program

    def system_value(self, register: int, channel: int) -> Val:
        """Channel of a system value; 0 if the register is not declared. UnsupportedError (B004) for a value that the table lacks."""
        for declaration in self.program.declared(File.SV):
            if declaration.covers(register) and declaration.semantic is not None:
                name = declaration.semantic.name
                if name in self.SYSTEM_VALUES:
                    return self.SYSTEM_VALUES[name](self, channel)
                if self.KERNELS:
                    text = f"the system value {name} is not supported by {self.KERNELS} kernels"
                    raise UnsupportedError.at("B004", text, declaration.span)
                break
        return self.f.const(I32.wide(self.lane_map.lanes), 0)
