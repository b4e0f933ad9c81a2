"""The base class of passes: a pass makes a program from a program.

A pass is a frozen record (`tgsi.language.record`). Its class variable `name` is a kebab-case name that begins with a verb; its fields are
the options that the text of a pipeline may set: ``"remove-dead-code,if-to-select{instructions=4}"``. Unless its name says otherwise, a
pass keeps what the interpreter computes: survivors and their outputs, memory and emitted vertices, bit for bit, for runs of whole quads.
Which invocations run out of fuel stays, too, if they have enough for the 32 rounds of a short loop.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar

from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class Pass(ABC):
    """One transformation from a validated program to a validated program. Statements that it keeps also keep their spans."""

    name: ClassVar[str]

    @abstractmethod
    def run(self, program: Program) -> Program:
        """Return the new program, or the same object if nothing changes."""

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the docstring."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    @classmethod
    def options(cls) -> dict[str, Any]:
        """Return the options with their defaults."""
        return {item.name: item.default for item in fields(cls)}

    def __str__(self) -> str:
        options = [f"{name}={_written(getattr(self, name))}" for name, default in self.options().items() if getattr(self, name) != default]
        return f"{self.name}{{{','.join(options)}}}" if options else self.name


def _written(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
