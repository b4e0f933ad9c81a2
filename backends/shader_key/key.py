"""Everything but the program that emitted code depends on: state, conventions, bindings and names, as one typed record and as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from backends.shader_key.registers import check_name, read_names, read_numbers, read_qualifiers
from passes.lower.options import ROWS, LoweringOptions
from tgsi.language.record import record

ORIGINS = ("UPPER_LEFT", "LOWER_LEFT")
"""Words of the property FS_COORD_ORIGIN."""

CENTERS = ("HALF_INTEGER", "INTEGER")
"""Words of the property FS_COORD_PIXEL_CENTER."""

MOST_TARGETS = 8
"""Color targets of a fragment program."""

UNITS = 32
"""Units of textures."""

_NONE: Mapping[str, Any] = MappingProxyType({})


@record(kw_only=True)
class ShaderKey:
    """State, conventions, bindings and names for `write_glsl` and `write_spirv`. Without fields the output is that of the program alone.

    One key serves all programs of a pipeline: fields about stages, units and registers that a program does not have are ignored.
    Keys are values: equal ones have equal hashes and texts, so they may be the keys of a cache of compiled shaders.

    lowering: state that becomes instructions, as a `LoweringOptions` or its text: ``"alpha-test=GREATER:0.5,two-side"``.
    origin, pixel_center: qualifiers of gl_FragCoord that replace those of the program, "UPPER_LEFT" or "LOWER_LEFT" and
    "HALF_INTEGER" or "INTEGER": for targets whose rows are in reverse order. The numbers that a program reads change with them; to keep the
    numbers and change only the convention is a lowering.
    shadow_samplers: bit n makes the texture of unit n compare, as for programs of Direct3D 9, whose TEX does not specify it: a target such
    as 2D becomes SHADOW2D, whose reference is the channel after the coordinates.
    color_targets: the number of color targets, which get one color where the property FS_COLOR0_WRITES_ALL_CBUFS is 1.
    bindings: by register, as ``{"SAMP[2]": 11}``, or by file, as ``{"SAMP": 8}``: the binding of its first register, from which the others
    count. The first of CONST is CONST[1]; a binding for CONST[0] makes it a uniform block. None leaves the qualifier out (GLSL).
    sets: descriptor sets (SPIR-V) by register or file, in place of those that docs/spirv.md names.
    qualifiers: by semantic, the words in GLSL before an input of the fragment program, which the output of the stage before repeats, as
    ``{"GENERIC[3]": "flat"}``; see `tgsi.matching_key`. OpenGL ES wants them to be equal, and so do versions and drivers of OpenGL.
    names: names of variables and blocks by register or semantic, as ``{"CONST[0]": "parameters", "GENERIC[3]": "normal"}``.
    prefix: begins the names of resources that neither `names` nor the program states, so that two stages do not share them.

    Raises:
        TypeError, ValueError: a field is wrong; the message names it.
    """

    lowering: LoweringOptions | str | None = None
    origin: str | None = None
    pixel_center: str | None = None
    shadow_samplers: int = 0
    color_targets: int = 1
    bindings: Mapping[str, int | None] = field(default_factory=lambda: _NONE)
    sets: Mapping[str, int] = field(default_factory=lambda: _NONE)
    qualifiers: Mapping[str, str] = field(default_factory=lambda: _NONE)
    names: Mapping[str, str] = field(default_factory=lambda: _NONE)
    prefix: str = ""

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            object.__setattr__(self, name, check(getattr(self, name)))

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        """The text that `parse` reads."""
        parts = []
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name == "lowering":
                parts.append(str(value))
            elif value != _DEFAULTS[item.name]:
                parts.append(f"{item.name.replace('_', '-')}{_written(value)}")
        return ",".join(filter(None, parts))

    @classmethod
    def parse(cls, text: str) -> ShaderKey:
        """Read ``"alpha-test=GREATER:0.5,origin=LOWER_LEFT,bindings=SAMP:8+CONST[1]:3,names=SAMP[0]:albedo"``.

        Fields of `LoweringOptions` and of this record may come in any order; blanks are ignored.

        Raises:
            TypeError, ValueError: a word is unknown or comes twice, or a value is wrong; the message names it and the way out.
        """
        values: dict[str, Any] = {}
        lowering = []
        for item in filter(None, (part.strip() for part in text.split(","))):
            word, equals, value = (part.strip() for part in item.partition("="))
            name = word.lower().replace("-", "_")
            if name not in _READ:
                lowering.append(_known(item, word))
                continue
            if name in values:
                raise ValueError(f"{word} is given twice")
            values[name] = _READ[name](word, value if equals else None)
        return cls(lowering=LoweringOptions.parse(",".join(lowering)), **values)


def _known(item: str, word: str) -> str:
    """An item of the lowerings; raise for a word that neither they nor the key have."""
    lowerings = [name for row in ROWS for name in (row.word, row.lowering)]
    plain = word.lower().replace("_", "-")
    if plain in lowerings:
        return item
    own = [name.replace("_", "-") for name in _READ]
    close = get_close_matches(plain, [*own, *lowerings], 1)
    hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join([*own, *(row.word for row in ROWS)])}"
    raise ValueError(f"there is no state `{word}`; {hint}")


# Checks of fields: the value as the record keeps it.


def _lowering(value: object) -> LoweringOptions:
    if value is None:
        return LoweringOptions()
    if isinstance(value, str):
        try:
            return LoweringOptions.parse(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"lowering: {error}") from None
    if not isinstance(value, LoweringOptions):
        raise TypeError(f"lowering: expected a LoweringOptions or its text, not {value!r}")
    return value


def _choice(field: str, words: tuple[str, ...]) -> Callable[[object], str | None]:
    def check(value: object) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str):
            raise TypeError(f"{field}: expected a word, not {value!r}; it is one of {', '.join(words)}")
        word = value.upper().replace("-", "_")
        if word not in words:
            raise ValueError(f"{field}: `{value}` is not one of {', '.join(words)}")
        return word

    return check


def _integer(field: str, first: int, last: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{field}: expected an integer, not {value!r}")
        if not first <= value <= last:
            raise ValueError(f"{field}: {value} is not from {first} to {last}")
        return value

    return check


_CHECKS: Mapping[str, Callable[[Any], object]] = MappingProxyType(
    {
        "lowering": _lowering,
        "origin": _choice("origin", ORIGINS),
        "pixel_center": _choice("pixel_center", CENTERS),
        "shadow_samplers": _integer("shadow_samplers", 0, (1 << UNITS) - 1),
        "color_targets": _integer("color_targets", 1, MOST_TARGETS),
        "bindings": lambda value: read_numbers(value, "bindings", may_lack=True),
        "sets": lambda value: read_numbers(value, "sets"),
        "qualifiers": lambda value: read_qualifiers(value, "qualifiers"),
        "names": lambda value: read_names(value, "names"),
        "prefix": lambda value: check_name(value, "prefix") if value != "" else "",
    }
)


# Values in texts.


def _needed(word: str, value: str | None, example: str) -> str:
    if not value:
        raise ValueError(f"{word}: a value is missing, as in `{word}={example}`")
    return value


def _read_text(example: str) -> Callable[[str, str | None], str]:
    return lambda word, value: _needed(word, value, example)


def _read_integer(example: str) -> Callable[[str, str | None], int]:
    def read(word: str, value: str | None) -> int:
        text = _needed(word, value, example)
        try:
            return int(text, 0)
        except ValueError:
            raise ValueError(f"{word}: `{text}` is not an integer; it is written as in `{word}={example}`") from None

    return read


def _read_table(example: str, part: Callable[[str], object]) -> Callable[[str, str | None], dict[str, object]]:
    """A reader of rows joined by +, each a register, a colon and its value."""

    def read(word: str, value: str | None) -> dict[str, object]:
        table: dict[str, object] = {}
        for row in _needed(word, value, example).split("+"):
            register, colon, text = (item.strip() for item in row.partition(":"))
            if not colon or not text:
                raise ValueError(f"{word}: `{row.strip()}` is not a pair; it is written as in `{word}={example}`")
            if register in table:
                raise ValueError(f"{word}: {register} is given twice")
            try:
                table[register] = part(text)
            except ValueError:
                raise ValueError(f"{word}: {register}: `{text}` is not a number; it is written as in `{word}={example}`") from None
        return table

    return read


def _number(text: str) -> int | None:
    return None if text.lower() == "none" else int(text, 0)


_READ: Mapping[str, Callable[[str, str | None], Any]] = MappingProxyType(
    {
        "origin": _read_text("LOWER_LEFT"),
        "pixel_center": _read_text("INTEGER"),
        "shadow_samplers": _read_integer("0x5"),
        "color_targets": _read_integer("4"),
        "bindings": _read_table("SAMP:8+CONST[1]:3", _number),
        "sets": _read_table("SAMP:1+CONST[1]:0", _number),
        "qualifiers": _read_table("GENERIC[3]:flat+COLOR[0]:sample noperspective", str),
        "names": _read_table("SAMP[0]:albedo+GENERIC[3]:normal", str),
        "prefix": _read_text("fs_"),
    }
)
"""Readers of the values in a text, by field."""

NO_STATE = ShaderKey()
"""The key of output that depends on the program alone."""

_DEFAULTS = {name: getattr(NO_STATE, name) for name in _CHECKS}


def _written(value: object) -> str:
    if isinstance(value, Mapping):
        return "=" + "+".join(f"{register}:{'none' if item is None else item}" for register, item in value.items())
    return f"={value}"
