"""Generator of backends/pipe/keywords.py: the keyword arguments of calls that take the fields of a state template, for type checkers.

``python -m tests.promises.keywords`` rewrites the module; a test compares it.
"""

from __future__ import annotations

import re
import sys
import types
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import IntEnum, IntFlag
from pathlib import Path
from typing import Any

from backends.device.calls.table import CALLS
from backends.formats import AnyFormat
from backends.gallium.context.grid_info import GridInfo
from backends.gallium.resource.layout import Template
from backends.pipe.checks import hints_of
from backends.pipe.enums import Prim
from backends.pipe.state import StencilState

MODULE = Path(__file__).parents[2] / "backends" / "pipe" / "keywords.py"

_OF_ROWS = [argument.kinds for row in CALLS.values() for argument in row.arguments.values() if argument.kinds]
KINDS: dict[type, tuple[type, ...]] = {
    **{kind: () for kinds in _OF_ROWS for kind in reversed(kinds)},
    **{kinds[0]: kinds[1:] for kinds in _OF_ROWS},
    GridInfo: (),
    Template: (),
}
"""Each template whose fields a call takes by keyword, with those whose fields the same call takes as well."""

_PLAIN = {Any: "Any", bool: "bool | int", int: "SupportsIndex", float: "SupportsFloat"}
"""Numbers of numpy are taken as well as Python's."""

_ONE_OR_TWO = {StencilState}
"""Templates of which a single one is accepted in place of a pair."""


def accepted(hint: Any) -> str:
    """The type of the values that a caller may give for a field of type `hint`, as it is written in the module."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint == AnyFormat:
        return "AnyFormat | str"
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys("None" if part is type(None) else accepted(part) for part in parts))
    if origin is tuple:
        (item,) = set(parts) - {Ellipsis}
        if not is_dataclass(item):
            return f"Sequence[{accepted(item)}]"
        single = f"{accepted(item)} | " if item in _ONE_OR_TWO else ""
        return f"{single}Sequence[{accepted(item)}]"
    if hint in _PLAIN:
        return _PLAIN[hint]
    if is_dataclass(hint):
        return f"{hint.__name__} | Mapping[str, Any]"  # type: ignore[union-attr]
    if issubclass(hint, IntFlag):
        return f"{hint.__name__} | int | str | Sequence[str]"
    assert issubclass(hint, IntEnum), hint
    return f"{'Prim' if hint is Prim else hint.__name__} | int | str"


def _classes() -> Iterator[str]:
    for kind, more in KINDS.items():
        bases = [f"{base.__name__}Fields" for base in more] or ["TypedDict"]
        yield ""
        yield ""
        yield f"class {kind.__name__}Fields({', '.join(bases)}, total=False):"
        also = f", and those of {' and '.join(base.__name__ for base in more)}" if more else ""
        yield f'    """Fields of {kind.__name__}{also}."""'
        yield ""
        hints = hints_of(kind)
        for item in fields(kind):
            yield f"    {item.name}: {accepted(hints[item.name])}"


def module() -> str:
    """The text of the module."""
    body = "\n".join(_classes())
    words = {word for hint in re.findall(r"^    \w+: (.+)$", body, re.M) for word in re.findall(r"\w+", hint)} - {"Any"}
    names: dict[str, set[str]] = {}
    for home in ("backends.formats", "backends.pipe.enums", "backends.pipe.state"):
        names[home] = words & {name for name, value in vars(sys.modules[home]).items() if isinstance(value, type) or name == "AnyFormat"}
        words -= names[home]
    lines = [
        '"""Keyword arguments of calls that take the fields of a state template, as type checkers see them.',
        "",
        "Written by `python -m tests.promises.keywords` from the templates; edit those.",
        "Only type checkers read it.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping, Sequence",
        "from typing import Any, SupportsFloat, SupportsIndex, TypedDict",
        "",
    ]
    for home, known in names.items():
        one = f"from {home} import {', '.join(sorted(known, key=str.casefold))}"
        lines.extend(
            [one] if len(one) <= 140 else [f"from {home} import (", *(f"    {name}," for name in sorted(known, key=str.casefold)), ")"]
        )
    return "\n".join(lines) + "\n" + body + "\n"


def main() -> None:
    """Write the module."""
    MODULE.write_text(module(), encoding="utf-8")


if __name__ == "__main__":
    main()
