"""The table of commands, read from commands.txt: the source of entry points, argument types and docs/opengl.md."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

CTYPES: dict[str, Any] = {
    "e": ctypes.c_uint32,
    "b": ctypes.c_uint32,
    "u": ctypes.c_uint32,
    "i": ctypes.c_int32,
    "o": ctypes.c_uint8,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
    "1": ctypes.c_int8,
    "2": ctypes.c_uint8,
    "3": ctypes.c_int16,
    "4": ctypes.c_uint16,
    "n": ctypes.c_ssize_t,
    "q": ctypes.c_int64,
    "Q": ctypes.c_uint64,
    "p": ctypes.c_void_p,
    "v": None,
}
"""The C type of each kind of parameter; e is an enumerant, b a bit field, p any pointer, v no result."""


class Parameter(NamedTuple):
    """A parameter: the letter of its type, its name, its group of enumerants, and the length of the array that it points to."""

    kind: str
    name: str
    group: str = ""
    length: str = ""


class Command(NamedTuple):
    """A command. `versions` are OpenGL versions ("1.5"), OpenGL ES versions ("ES3.0") and extensions; `alias` is its main name, if any."""

    name: str
    result: str
    parameters: tuple[Parameter, ...]
    versions: tuple[str, ...]
    alias: str

    def prototype(self) -> Any:
        """The ctypes prototype of the command's C function."""
        return _prototype(self.result, "".join(parameter.kind for parameter in self.parameters))


@cache
def _prototype(result: str, kinds: str) -> Any:
    return ctypes.CFUNCTYPE(CTYPES[result], *(CTYPES[kind] for kind in kinds))


@cache
def rows() -> dict[str, str]:
    """The line of each command by name; lines are parsed on first use."""
    text = resources.files(__package__ or "tgsi.opengl.registry").joinpath("commands.txt").read_text(encoding="utf-8")
    return {line[: line.index("\t")]: line for line in text.split("\n") if line and line[0] != "#"}


@cache
def command(name: str) -> Command | None:
    """The command of a name, or None if the registry has no such command."""
    line = rows().get(name)
    if line is None:
        return None
    _, result, parameters, versions, alias = (line + "\t\t\t").split("\t")[:5]
    parsed = tuple(Parameter(*item.split(":")) for item in parameters.split(",") if item)
    return Command(name, result, parsed, tuple(versions.split()), alias)


@cache
def enum_names() -> dict[int, list[str]]:
    """Names of each value of an enumerant, for messages."""
    from tgsi.opengl.registry import enums

    names: dict[int, list[str]] = {}
    for name, value in vars(enums).items():
        if type(value) is int:
            names.setdefault(value, []).append(f"GL_{name.lstrip('_')}")
    return names


def enum_name(value: int) -> str:
    """A name of an enumerant for a message: the shortest one without a vendor's suffix, or the number."""
    names = enum_names().get(value)
    if not names or value <= 1:
        return f"{value:#06x}"
    return min(names, key=lambda name: (name.endswith(("_ARB", "_EXT", "_OES", "_NV", "_KHR", "_BIT")), len(name)))
