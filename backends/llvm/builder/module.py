"""A module of LLVM text: functions that are compiled together, with their declarations and constants."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Protocol

from backends.llvm.builder.types import Type, element_text
from backends.llvm.targets.machines import cpu_features, stack_space


def returned(returns: Type | Sequence[Type] | None) -> str:
    """LLVM's text of a function's return type."""
    if returns is None:
        return "void"
    return str(returns) if isinstance(returns, Type) else f"{{ {', '.join(map(str, returns))} }}"


class Definition(Protocol):
    """A function of a module. `internal`: it is called from its own module only."""

    name: str
    internal: bool

    def text(self) -> str:
        """The whole function as LLVM text."""


class Module:
    """Functions that are compiled together."""

    def __init__(self, name: str, cpu: str = "host") -> None:
        """`cpu`: see `targets.machines`; ValueError for an unknown name.

        The text depends on it only through `has` and through the address space of stack memory.
        """
        self.name, self.cpu = name, cpu
        self._features = cpu_features(cpu)
        self.stack_space = stack_space(cpu)
        self.used_features: set[str] = set()
        self.functions: list[Definition] = []
        self._declared: dict[str, str] = {}

    def has(self, feature: str) -> bool:
        """True if the text may rely on `feature` (a name in `targets.machines.LEVELS`).

        Compilation checks that the machine has all queried features.
        """
        if feature not in self._features:
            return False
        self.used_features.add(feature)
        return True

    @functools.cached_property
    def has_word_masks(self) -> bool:
        """True if lane masks are computed as words; see `values.mask_of`.

        Queried at the first mask, because `has` records the features that code uses.
        """
        return self.has("avx2") and not self.has("avx512f")

    def defines(self, name: str) -> bool:
        """True if a function of this name exists or is under construction."""
        return any(f.name == name for f in self.functions)

    def declare(self, returns: Type | Sequence[Type] | None, name: str, types: str) -> None:
        """Declare a function that is defined elsewhere, or later in this module."""
        self._declared[name] = f"declare {returned(returns)} @{name}({types})"

    def constant(self, name: str, type: Type, values: Sequence[float]) -> str:
        """Add a read-only table of elements of `type`.

        Returns its LLVM name, a pointer. Calls with the same `name` must have the same values.
        """
        items = ", ".join(f"{type} {element_text(type, v)}" for v in values)
        self._declared[name] = f"@{name} = private unnamed_addr constant [{len(values)} x {type}] [{items}], align 64"
        return f"@{name}"

    def text(self) -> str:
        """The module as LLVM text."""
        own = {f.name for f in self.functions}
        declared = [d for n, d in self._declared.items() if n not in own]
        attributes = 'attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }'
        weights = '!0 = !{!"branch_weights", i32 1, i32 2000}\n!1 = !{i32 1}'  # !1: stores that bypass the caches
        return "\n".join([*declared, *(f.text() for f in self.functions), attributes, weights, ""])
