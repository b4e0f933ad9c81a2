"""Table of commands: one row each, with the names of its words, filled by the modules of the families.

A row checks the number of words before its function receives the sub-context and the words.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import KW_ONLY

from backends.device.commands.client import ANY_DETAIL, CommandRow, Kind
from tgsi.language.record import record
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.protocol.errors import CommandError
from tgsi.tools.vtest.protocol.numbers import COMMAND_NAMES, OBJECT_NAMES

Words = memoryview
"""The 32-bit words of a command after its header, as a memoryview of format "I"."""

_SMALL = 1 << 20
"""Words below this value are displayed as integers, because floats this small do not occur."""

Handler = Callable[[SubContext, Words], None]


@record
class Effect:
    """Everything that a command sets, so that generated code can repeat it.

    places: words of the bound state. tags: objects that the command names; when one of them ends, Python has to carry out the command
    again. unless: Hindrance bits with which Python has to do so, too.
    """

    places: Iterable[int] = ()
    tags: tuple[Hashable, ...] = ()
    unless: int = 0


Effects = Callable[[SubContext, Words], Effect | None]
"""Function that returns the effect of a command after it was carried out, or None if it cannot be repeated."""


@record
class Row:
    """Row of a command, or of the creation of one kind of object.

    fields: names of its words, in order; the first `least` of them are mandatory. group: names of words that may follow any number of
    times. kind, effect: the way in which generated code carries the command out, and for Kind.REPEATED its effect.
    """

    name: str
    fields: tuple[str, ...]
    least: int
    group: tuple[str, ...]
    run: Handler
    _: KW_ONLY
    kind: Kind = Kind.PYTHON
    effect: Effects | None = None

    def shown(self, words: Words) -> str:
        """All words of a command as text, by the names of their fields, in hexadecimal where they may be floats."""
        texts = [str(word) if word < _SMALL else f"0x{word:x}" for word in words]
        parts = [f"{name}={text}" for name, text in zip(self.fields, texts)]
        rest = texts[len(self.fields) :]
        if rest and len(self.group) == 1:
            parts.append(f"{self.group[0]}=[{' '.join(rest)}]")
        elif rest:
            parts += [f"{self.group[at % len(self.group)]}={text}" for at, text in enumerate(rest)]
        return " ".join(parts)

    def native(self) -> CommandRow:
        """The row for generated code."""
        return CommandRow(self.kind, self.least, len(self.fields), len(self.group), ANY_DETAIL)

    def check(self, count: int) -> None:
        """Raise CommandError if the command cannot have `count` words."""
        if count < self.least:
            raise CommandError(self.fields[count], f"it is missing: there are {count} words, {self.least} are needed")
        if self.group:
            over = (count - len(self.fields)) % len(self.group)
            if count > len(self.fields) and over:
                raise CommandError(self.group[over], f"it is missing: {count} words end inside a group of {len(self.group)}")
        elif count > len(self.fields):
            raise CommandError("length", f"{count} words are too many; the command has at most {len(self.fields)}")


COMMANDS: dict[int, Row] = {}
"""Rows by number of the command. For CREATE_OBJECT see OBJECTS."""

OBJECTS: dict[int, Row] = {}
"""Rows of CREATE_OBJECT by number of the object's kind. The first word is always the handle."""

CREATE_OBJECT = COMMAND_NAMES.index("CREATE_OBJECT")


def command(
    name: str, fields: str = "", group: str = "", *, least: int | None = None, kind: Kind = Kind.PYTHON, effect: Effects | None = None
) -> Callable[[Handler], Handler]:
    """Register the function of a command under its name in the protocol. With `effect`, its kind is REPEATED."""
    number = COMMAND_NAMES.index(name)
    return _register(COMMANDS, number, name, fields, group, least, kind=kind if effect is None else Kind.REPEATED, effect=effect)


def creates(kind: str, fields: str = "", group: str = "", *, least: int | None = None) -> Callable[[Handler], Handler]:
    """Register the function that creates one kind of object; its words begin with the handle."""
    return _register(OBJECTS, OBJECT_NAMES.index(kind), f"CREATE_OBJECT {kind}", f"handle {fields}", group, least)


def _register(
    rows: dict[int, Row],
    number: int,
    name: str,
    fields: str,
    group: str,
    least: int | None,
    *,
    kind: Kind = Kind.PYTHON,
    effect: Effects | None = None,
) -> Callable[[Handler], Handler]:
    names = tuple(fields.split())

    def add(run: Handler) -> Handler:
        rows[number] = Row(name, names, len(names) if least is None else least, tuple(group.split()), run, kind=kind, effect=effect)
        return run

    return add


def native_rows() -> list[tuple[int, CommandRow]]:
    """The rows that generated code takes, by number of the command."""
    return [(number, row.native()) for number, row in COMMANDS.items() if row.kind is not Kind.PYTHON]
