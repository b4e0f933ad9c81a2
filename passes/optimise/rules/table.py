"""The table of rules, all families together; docs/passes.md lists it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from passes.optimise.rules.choices import CHOICES
from passes.optimise.rules.floats import FLOATS, OPERANDS
from passes.optimise.rules.integers import INTEGERS
from passes.optimise.rules.rule import Rule

FAMILIES: Mapping[str, tuple[Rule, ...]] = MappingProxyType(
    {"Integers": INTEGERS, "Comparisons, choices, branches": CHOICES, "Floats": FLOATS}
)
"""Rules by family."""

RULES: tuple[Rule, ...] = tuple(rule for family in FAMILIES.values() for rule in family)
"""Rules of whole instructions, the first that holds wins."""

SOURCES: tuple[Rule, ...] = OPERANDS
"""Rules of single sources."""

READ_THROUGH = frozenset(rule.window.opcode for rule in SOURCES)
"""The opcodes that a source may read through."""
