"""Table of commands: one row each, with the names of its words, filled by the modules of the families.

A row checks the number of words before its function receives the sub-context and the words.
"""

from __future__ import annotations

from collections.abc import Callable

from tgsi.language.record import record
from tgsi.tools.vtest.errors import CommandError
from tgsi.tools.vtest.numbers import COMMAND_NAMES, OBJECT_NAMES
from tgsi.tools.vtest.subcontext import SubContext

Words = memoryview
"""The 32-bit words of a command after its header, as a memoryview of format "I"."""

Handler = Callable[[SubContext, Words], None]


@record
class Row:
    """Row of a command, or of the creation of one kind of object.

    fields: names of its words, in order; the first `least` of them are mandatory. group: names of words that may then repeat any number
    of times.
    """

    name: str
    fields: tuple[str, ...]
    least: int
    group: tuple[str, ...]
    run: Handler

    def check(self, count: int) -> None:
        """Raise CommandError if the command cannot have `count` words."""
        if count < self.least:
            raise CommandError(self.fields[count], f"it is missing: there are {count} words, {self.least} are needed")
        if self.group:
            over = (count - len(self.fields)) % len(self.group)
            if count > len(self.fields) and over:
                raise CommandError(self.group[over], f"it is missing: {count} words end inside of a group of {len(self.group)}")
        elif count > len(self.fields):
            raise CommandError("length", f"{count} words are too many; there are at most {len(self.fields)}")


COMMANDS: dict[int, Row] = {}
"""Rows by number of the command. For CREATE_OBJECT see OBJECTS."""

OBJECTS: dict[int, Row] = {}
"""Rows of CREATE_OBJECT by number of the object's kind. The first word is always the handle."""

CREATE_OBJECT = COMMAND_NAMES.index("CREATE_OBJECT")


def command(name: str, fields: str = "", group: str = "", *, least: int | None = None) -> Callable[[Handler], Handler]:
    """Register the function of a command under its name in the protocol."""
    return _register(COMMANDS, COMMAND_NAMES.index(name), name, fields, group, least)


def creates(kind: str, fields: str = "", group: str = "", *, least: int | None = None) -> Callable[[Handler], Handler]:
    """Register the function that creates one kind of object; its words begin with the handle."""
    return _register(OBJECTS, OBJECT_NAMES.index(kind), f"CREATE_OBJECT {kind}", f"handle {fields}", group, least)


def _register(rows: dict[int, Row], number: int, name: str, fields: str, group: str, least: int | None) -> Callable[[Handler], Handler]:
    names = tuple(fields.split())

    def add(run: Handler) -> Handler:
        rows[number] = Row(name, names, len(names) if least is None else least, tuple(group.split()), run)
        return run

    return add
