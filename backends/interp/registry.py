"""The implementation of each opcode, by name. Families register their functions when their module is imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from backends.interp.state import State
from backends.run.result import Mask
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import Instruction
from tgsi.language.record import record

Function = TypeVar("Function", bound=Callable[..., Any])


@record
class Operation:
    """A function of source values. `takes_product`: its first argument is how floats are multiplied (MUL_ZERO_WINS)."""

    function: Callable[..., Any]
    takes_product: bool = False


OPERATIONS: dict[str, Operation] = {}
"""Opcodes that are functions of their sources' values.

Component-wise ones work on arrays of any shape; replicated and channel-dependent ones take (lanes, 4) arrays and give (lanes,)
and (lanes, 4); 64-bit ones take and give (lanes,) arrays, one pair of channels at a time.
"""

ACTIONS: dict[str, Callable[[State, Instruction, Mask], None]] = {}
"""Opcodes that need more than values: active lanes, resources, other results than registers."""

CHECKS: dict[str, Callable[[Instruction], str]] = {}
"""Checks before a run: an action returns a description of the missing part of an instruction, or an empty string."""


def implements(*names: str, product: bool = False) -> Callable[[Function], Function]:
    """Register a function as the meaning of some opcodes; `product` hands it the multiplication to use."""

    def register(function: Function) -> Function:
        for name in names:
            _check(name)
            OPERATIONS[name] = Operation(function, product)
        return function

    return register


def implement_each(*tables: Mapping[str, Callable[..., Any]], product: bool = False) -> None:
    """Register the expressions of tables: the names of a row, apart by spaces, are its opcodes. product: see `implements`."""
    for table in tables:
        for names, function in table.items():
            implements(*names.split(), product=product)(function)


def performs(*names: str, check: Callable[[Instruction], str] | None = None) -> Callable[[Function], Function]:
    """Register a function of (state, instruction, active lanes) for some opcodes, and a check before a run."""

    def register(function: Function) -> Function:
        for name in names:
            _check(name)
            ACTIONS[name] = function
            if check is not None:
                CHECKS[name] = check
        return function

    return register


def _check(name: str) -> None:
    if name not in OPCODES:
        raise ValueError(f"there is no opcode {name}")
    if name in OPERATIONS or name in ACTIONS:
        raise ValueError(f"opcode {name} is implemented twice")
