"""The class that every pass derives from: a pass makes a program from a program.

A pass is a frozen dataclass. Its class variable `name` is a verb-first kebab name, its fields are the options that a pipeline's text
may set: ``"remove-dead-code,if-to-select{instructions=4}"``. Unless its name says otherwise a pass keeps what the interpreter
computes: outputs, survivors and memory, bit for bit, for runs of whole quads (the bits of a computed NaN are promised by nobody).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from tgsi.language.program import Program


@dataclass(frozen=True)
class Pass(ABC):
    """One transformation. It takes validated programs and gives such; spans of what stays stay."""

    name: ClassVar[str]

    @abstractmethod
    def run(self, program: Program) -> Program:
        """The new program; the same object where nothing changes."""

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    @classmethod
    def options(cls) -> dict[str, Any]:
        """Options and their defaults."""
        return {item.name: item.default for item in fields(cls)}

    def __str__(self) -> str:
        given = [f"{name}={_written(getattr(self, name))}" for name, default in self.options().items() if getattr(self, name) != default]
        return f"{self.name}{{{','.join(given)}}}" if given else self.name


def _written(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
