"""Registers as users name them: `SAMP`, `SAMP[2]`, `HWATOMIC[0][1]`, `GENERIC[3]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from backends.shader_key.qualifiers import WORDS
from tgsi.language.facts.semantics import SEMANTICS

BOUND = ("CONST", "SAMP", "SVIEW", "IMAGE", "BUFFER", "HWATOMIC")
"""Files whose registers have bindings."""

NAMED = ("CONST", "SAMP", "SVIEW", "IMAGE", "BUFFER", "HWATOMIC", "IN", "OUT", *SEMANTICS)
"""Files and semantics whose registers have names."""

MOST_BINDINGS = 1 << 16
"""Bindings and sets are below this number."""

_TEXT = re.compile(r"\s*(\w+)((?:\s*\[\s*\d{1,9}\s*\]){0,2})\s*", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def read_register(text: object, field: str, known: tuple[str, ...], *, wants_number: bool = False) -> str:
    """Return the canonical text of a register or file.

    Args:
        text: the text, as ``samp[ 2 ]``.
        field: the field of the key that has it, for messages.
        known: files and semantics that are allowed.
        wants_number: a semantic without a number has number 0; a file needs a number.

    Raises:
        TypeError, ValueError: it is not a register.
    """
    if not isinstance(text, str):
        raise TypeError(f"{field}: expected a register such as `SAMP[0]`, not {text!r}")
    match = _TEXT.fullmatch(text)
    name = match[1].upper() if match is not None else ""
    if match is None or name not in known:
        close = get_close_matches(text.split("[")[0].strip().upper(), known, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(name for name in known if name not in SEMANTICS)}"
        raise ValueError(f"{field}: `{text}` is not a register that has one; {hint}")
    numbers = [int(word) for word in re.findall(r"\d+", match[2])]
    if len(numbers) > (2 if name == "HWATOMIC" and wants_number else 1):
        raise ValueError(f"{field}: `{text}` has an index too many; write `{name}[{numbers[0]}]`")
    if wants_number and not numbers:
        if name not in SEMANTICS:
            raise ValueError(f"{field}: `{text}` names no register of the file; write `{name}[0]`")
        numbers = [0]
    if name == "HWATOMIC" and wants_number and len(numbers) == 1:
        numbers = [0, *numbers]
    return name + "".join(f"[{number}]" for number in numbers)


def read_numbers(values: object, field: str, *, may_lack: bool = False) -> Mapping[str, int | None]:
    """Return bindings or sets by the canonical text of their registers. None is allowed as a number if `may_lack`.

    Raises:
        TypeError, ValueError: the table or one of its rows is wrong; the message names the row.
    """
    numbers: dict[str, int | None] = {}
    for text, value in _rows(values, field, "SAMP", "8"):
        register = read_register(text, field, BOUND)
        numbers[_once(register, numbers, field)] = None if value is None and may_lack else _number(value, f"{field}: {register}", may_lack)
    return MappingProxyType(dict(sorted(numbers.items())))


def _number(value: object, place: str, may_lack: bool) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{place}: expected a number from 0 to {MOST_BINDINGS - 1}{' or None' * may_lack}, not {value!r}")
    if not 0 <= value < MOST_BINDINGS:
        raise ValueError(f"{place}: {value} is not a number from 0 to {MOST_BINDINGS - 1}")
    return value


def read_names(values: object, field: str) -> Mapping[str, str]:
    """Return names by the canonical text of their registers.

    Raises:
        TypeError, ValueError: the table or one of its rows is wrong; the message names the row.
    """
    names: dict[str, str] = {}
    for text, name in _rows(values, field, "SAMP[0]", "'albedo'"):
        register = read_register(text, field, NAMED, wants_number=True)
        names[_once(register, names, field)] = check_name(name, f"{field}: {register}")
    return MappingProxyType(dict(sorted(names.items())))


def read_qualifiers(values: object, field: str) -> Mapping[str, str]:
    """Return qualifiers of GLSL by the canonical text of a semantic: words with a space between them, in the order of GLSL.

    Raises:
        TypeError, ValueError: the table or one of its rows is wrong; the message names the row.
    """
    qualifiers: dict[str, str] = {}
    for text, value in _rows(values, field, "GENERIC[3]", "'flat'"):
        register = read_register(text, field, tuple(SEMANTICS), wants_number=True)
        if not isinstance(value, str):
            raise TypeError(f"{field}: {register}: expected words, not {value!r}")
        words = value.split()
        wrong = next((word for word in words if word not in WORDS), None)
        if wrong is not None:
            raise ValueError(f"{field}: {register}: `{wrong}` is not one of {', '.join(WORDS)}")
        qualifiers[_once(register, qualifiers, field)] = " ".join(word for word in WORDS if word in words)
    return MappingProxyType(dict(sorted(qualifiers.items())))


def check_name(name: object, place: str) -> str:
    """Return `name` if it has the form of a name in GLSL; raise otherwise. `place` begins the message."""
    if not isinstance(name, str):
        raise TypeError(f"{place}: expected a name, not {name!r}")
    if not _WORD.fullmatch(name):
        raise ValueError(f"{place}: `{name}` is not a name; names have letters, digits and _, and begin with no digit")
    if name.startswith("gl_") or "__" in name:
        raise ValueError(f"{place}: `{name}` is reserved, as are all names that begin with `gl_` or have `__` in them; choose another name")
    return name


def _rows(values: object, field: str, register: str, value: str) -> list[tuple[object, object]]:
    if not isinstance(values, Mapping):
        raise TypeError(f"{field}: expected a mapping such as {{'{register}': {value}}}, not {values!r}")
    return list(values.items())


def _once(register: str, taken: Mapping[str, object], field: str) -> str:
    if register in taken:
        raise ValueError(f"{field}: {register} is given twice")
    return register
