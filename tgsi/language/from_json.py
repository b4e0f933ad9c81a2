"""Programs from plain data: reads the output of `listing.program_as_json` and of ``tgsi-compile --emit json``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from tgsi.language.diagnostics import Diagnostic, Label, ParseError, Severity
from tgsi.language.facts.enums import (
    CHANNELS,
    QUALIFIERS,
    TARGETS,
    File,
    ImmediateType,
    Interpolation,
    Location,
    MemoryType,
    Processor,
    ReturnType,
)
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS, Semantic
from tgsi.language.ir import (
    Declaration,
    Dimension,
    DstOperand,
    ImageInfo,
    Immediate,
    IndirectRef,
    Instruction,
    MemoryAccess,
    Property,
    RegisterRef,
    SrcOperand,
    Statement,
    TexOffset,
    ViewInfo,
)
from tgsi.language.messages import choices, did_you_mean, shorten
from tgsi.language.printer import statement_lines
from tgsi.language.program import Program
from tgsi.language.source import Source, Span

T = TypeVar("T")
_CODE = "P045"
_KINDS = ("properties", "declarations", "immediates", "instructions")
_FILES = {file.name: file for file in File}
_ABSENT: Any = object()


def program_from_json(data: object, *, name: str = "<json>") -> Program:
    """The program of data in the shape of ``tgsi-compile --emit json``, or of its text.

    Equal to the program from which the data were made, with statements in the same order. Its source is its own text, a statement a line,
    so that findings show TGSI; the lines and columns in the data are not used.

    Args:
        data: an object as `tgsi.program_as_json` returns it, or JSON text of one. `tgsi.programs_from_json` takes an array, too.
        name: name of the text in messages.

    Raises:
        ParseError: code P045; the message says at which entry the data are wrong.
    """
    made = programs_from_json(data, name=name)
    if len(made) != 1:
        _fail("", f"expected one program, the array has {len(made)}", "tgsi.programs_from_json reads all of them" if made else "")
    return made[0]


def programs_from_json(data: object, *, name: str = "<json>") -> list[Program]:
    """The programs of an array, or the one of an object; see `program_from_json`."""
    if isinstance(data, str):
        try:
            data = json.loads(data.lstrip("\ufeff"))
        except json.JSONDecodeError as error:
            place = Label(Span(Source(str(data), name), error.pos, error.pos + 1))
            raise ParseError((Diagnostic(_CODE, Severity.ERROR, f"this is not JSON: {error.msg}", (place,)),)) from None
        except (RecursionError, ValueError) as error:
            _fail("", f"this is not the JSON of a program: {error}")
    if not isinstance(data, list):
        return [_program(_Entry(data, ""), name)]
    return [_program(_Entry(item, f"[{number}]"), f"{name}[{number}]") for number, item in enumerate(data)]


def _fail(path: str, message: str, hint: str = "") -> NoReturn:
    raise ParseError((Diagnostic(_CODE, Severity.ERROR, f"{path}: {message}" if path else message, (), hint),))


class _Entry:
    """An object of the data, with its path for messages. Each key is taken once; `close` rejects fields that were not read."""

    def __init__(self, data: object, path: str) -> None:
        if not isinstance(data, Mapping):
            _fail(path, f"expected an object, not {_shown(data)}")
        self.path, self._data, self._taken = path, data, {"line", "column"}

    def at(self, key: str) -> str:
        """The path of a key."""
        return f"{self.path}.{key}" if self.path else key

    def take(self, key: str, default: Any = _ABSENT) -> Any:
        """The value of a key, or the default where it is absent."""
        self._taken.add(key)
        value = self._data.get(key, default)
        if value is _ABSENT:
            _fail(self.path, f"`{key}` is missing", "" if self.path else "tgsi-compile --emit json writes a program as this JSON")
        return value

    def close(self) -> None:
        """Refuse keys that nothing took."""
        for key in self._data:
            if key not in self._taken:
                _fail(self.at(str(key)), "there is no such field", did_you_mean_key(str(key), self._taken))

    def number(self, key: str, default: Any = _ABSENT, *, low: int = 0, high: int = 0xFFFFFFFF) -> Any:
        """An integer from `low` to `high`."""
        value = self.take(key, default)
        return value if value is default else _number(value, self.at(key), low, high)

    def flag(self, key: str) -> bool:
        """True or false, which is also the default."""
        value = self.take(key, False)
        if not isinstance(value, bool):
            _fail(self.at(key), f"expected true or false, not {_shown(value)}")
        return value

    def word(self, key: str, table: Mapping[str, T], what: str, default: Any = _ABSENT) -> T:
        """The value that a table has for a name."""
        value = self.take(key, default)
        return value if value is default else _named(value, table, what, self.at(key))

    def letters(self, key: str, default: Any) -> Any:
        """Channels of a mask as bits."""
        value = self.take(key, default)
        if value is default:
            return default
        if not isinstance(value, str) or [c for c in CHANNELS if c in value] != list(value):
            _fail(self.at(key), f"expected channels in the order xyzw, not {_shown(value)}")
        return sum(1 << CHANNELS.index(letter) for letter in value)

    def swizzle(self, count: int, default: Any) -> Any:
        """Channel numbers of a swizzle."""
        value = self.take("swizzle", default)
        if value is default:
            return default
        if not isinstance(value, str) or len(value) != count or not set(value) <= set(CHANNELS):
            _fail(self.at("swizzle"), f"expected {count} letters of xyzw, not {_shown(value)}")
        return tuple([CHANNELS.index(letter) for letter in value])

    def entries(self, key: str) -> list[_Entry]:
        """The objects of an array, which may be absent."""
        return [_Entry(item, f"{self.at(key)}[{number}]") for number, item in enumerate(self.array(key))]

    def array(self, key: str, length: int | None = None) -> list[Any]:
        """An array, empty if it is absent."""
        value = self.take(key, [])
        if not isinstance(value, (list, tuple)) or (length is not None and len(value) != length):
            _fail(self.at(key), f"expected an array{'' if length is None else f' of {length}'}, not {_shown(value)}")
        return list(value)

    def part(self, key: str, read: Callable[[_Entry], T]) -> T | None:
        """The object of a key, read, or None if it is absent."""
        value = self.take(key, None)
        return None if value is None else read(_Entry(value, self.at(key)))


def did_you_mean_key(key: str, keys: set[str]) -> str:
    """A hint with the key that is nearest."""
    return did_you_mean(key, {name.upper() for name in keys}).lower()


def _shown(value: object) -> str:
    return f"`{shorten(json.dumps(value, default=str))}`"


def _number(value: object, path: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        _fail(path, f"expected a number from {low} to {high}, not {_shown(value)}")
    return value


def _named(value: object, table: Mapping[str, T], what: str, path: str) -> T:
    if not isinstance(value, str) or value not in table:
        hint = (did_you_mean(value, table) if isinstance(value, str) else "") or choices(table)
        _fail(path, f"there is no {what} {_shown(value)}", hint)
    return table[value]


def _program(data: _Entry, name: str) -> Program:
    stage = data.word("stage", {stage.name: stage for stage in Processor}, "stage")
    read: dict[str, Callable[[_Entry], Statement]] = dict(zip(_KINDS, (_property, _declaration, _immediate, _instruction)))
    statements: dict[str, list[Statement]] = {kind: [read[kind](item) for item in data.entries(kind)] for kind in _KINDS}
    parts: Any = {kind: tuple(items) for kind, items in statements.items()}
    program = Program(stage, **parts)
    ordered = _ordered(data, statements)
    data.take("file", None)  # the input that the command read
    data.close()
    return _placed(program, ordered, name)


def _ordered(data: _Entry, found: dict[str, list[Statement]]) -> list[tuple[str, Statement]]:
    """All statements in the order that the data state, each with its kind."""
    runs = data.array("order") or [[kind, len(found[kind])] for kind in _KINDS]
    left = {kind: iter(items) for kind, items in found.items()}
    taken = dict.fromkeys(_KINDS, 0)
    ordered: list[tuple[str, Statement]] = []
    for number, run in enumerate(runs):
        path = f"{data.at('order')}[{number}]"
        if not isinstance(run, (list, tuple)) or len(run) != 2:
            _fail(path, f'expected a pair such as ["immediates", 2], not {_shown(run)}')
        kind = _named(run[0], {kind: kind for kind in _KINDS}, "kind of statement", path)
        count = _number(run[1], path, 0, len(found[kind]))
        taken[kind] += count
        ordered += [(kind, item) for _, item in zip(range(count), left[kind])]
    for kind, items in found.items():
        if taken[kind] != len(items):
            _fail(data.at("order"), f"it has {taken[kind]} {kind}, the program has {len(items)}")
    return ordered


def _placed(program: Program, ordered: list[tuple[str, Statement]], name: str) -> Program:
    """The program with its own text as source, and a line of that as the place of each statement."""
    lines = [program.processor.name, *statement_lines(program, [item for _, item in ordered])]
    source = Source("\n".join(lines) + "\n", f"{name} as text")
    placed: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
    start = len(lines[0]) + 1
    for (kind, item), line in zip(ordered, lines[1:]):
        indent = len(line) - len(line.lstrip())
        placed[kind].append(replace(item, span=Span(source, start + indent, start + len(line))))
        start += len(line) + 1
    parts: Any = {kind: tuple(items) for kind, items in placed.items()}
    return replace(program, **parts, source=source)


def _property(data: _Entry) -> Property:
    name = data.word("name", {name: name for name in PROPERTIES}, "property")
    made = Property(name, data.number("value"))
    data.close()
    return made


def _immediate(data: _Entry) -> Immediate:
    """An immediate; its `words` count, its `values` are for readers."""
    kind = data.word("type", {kind.name: kind for kind in ImmediateType}, "immediate type")
    words = []
    for number, text in enumerate(data.array("words", 4)):
        if not isinstance(text, str) or len(text) != 8 or not set(text) <= set("0123456789abcdefABCDEF"):
            _fail(f"{data.at('words')}[{number}]", f"expected eight hexadecimal digits, not {_shown(text)}")
        words.append(int(text, 16))
    data.take("values", None)
    data.close()
    return Immediate(kind, (words[0], words[1], words[2], words[3]))


def _semantic(data: _Entry) -> Semantic:
    made = Semantic(data.word("name", {name: name for name in SEMANTICS}, "semantic"), data.number("index", 0))
    data.close()
    return made


def _target(data: _Entry, default: Any = _ABSENT) -> str:
    return data.word("target", {name: name for name in TARGETS}, "texture target", default)


def _format(data: _Entry) -> str:
    text = data.take("format", None) or ""
    if not isinstance(text, str) or (text and not text.startswith("PIPE_FORMAT_")):
        _fail(data.at("format"), f"expected a name such as PIPE_FORMAT_R32_FLOAT, not {_shown(text)}")
    return text


def _image(data: _Entry) -> ImageInfo:
    made = ImageInfo(_target(data), _format(data), data.flag("writable"), data.flag("raw"))
    data.close()
    return made


_RETURN_TYPES = {kind.name: kind for kind in ReturnType if kind is not ReturnType.UNKNOWN}


def _view(data: _Entry) -> ViewInfo:
    names = data.array("types", 4)
    x, y, z, w = (_named(name, _RETURN_TYPES, "return type", f"{data.at('types')}[{i}]") for i, name in enumerate(names))
    made = ViewInfo(_target(data), (x, y, z, w))
    data.close()
    return made


def _declaration(data: _Entry) -> Declaration:
    streams = data.array("streams", 4) if data.take("streams", None) is not None else [0] * 4
    a, b, c, d = (_number(value, f"{data.at('streams')}[{i}]", 0, 3) for i, value in enumerate(streams))
    made = Declaration(
        data.word("file", _FILES, "register file"),
        data.number("first"),
        data.number("last"),
        dimension=data.number("dimension", None),
        semantic=data.part("semantic", _semantic),
        interpolation=data.word("interpolation", {mode.name: mode for mode in Interpolation}, "mode", None),
        location=data.word("location", {place.name: place for place in Location}, "location", Location.CENTER),
        usage_mask=data.letters("mask", 15),
        array_id=data.number("array", 0),
        invariant=data.flag("invariant"),
        local=data.flag("local"),
        streams=(a, b, c, d),
        per_primitive=data.flag("per_primitive"),
        image=data.part("image", _image),
        view=data.part("view", _view),
        memory=data.word("memory", {kind.name: kind for kind in MemoryType}, "kind of memory", None),
        atomic=data.flag("atomic"),
        cylindrical_wrap=data.letters("cylindrical_wrap", 0),
    )
    data.close()
    return made


def _indirect(data: _Entry) -> IndirectRef:
    channels = {letter: number for number, letter in enumerate(CHANNELS)}
    made = IndirectRef(data.word("file", _FILES, "register file"), data.number("index"), data.word("component", channels, "channel", 0))
    data.close()
    return made


def _dimension(data: _Entry) -> Dimension:
    made = Dimension(data.number("index", low=-(1 << 31)), data.part("indirect", _indirect), data.number("array", 0))
    data.close()
    return made


def _register(data: _Entry) -> RegisterRef:
    file, index = data.word("file", _FILES, "register file"), data.number("index", low=-(1 << 31))
    return RegisterRef(file, index, data.part("dimension", _dimension), data.part("indirect", _indirect), data.number("array", 0))


def _destination(data: _Entry) -> DstOperand:
    made = DstOperand(_register(data), data.letters("mask", 15))
    data.close()
    return made


def _source(data: _Entry) -> SrcOperand:
    made = SrcOperand(_register(data), data.swizzle(4, (0, 1, 2, 3)), data.flag("negate"), data.flag("absolute"))
    data.close()
    return made


def _offset(data: _Entry) -> TexOffset:
    made = TexOffset(_register(data), data.swizzle(3, (0, 1, 2)))
    data.close()
    return made


def _memory(data: _Entry) -> MemoryAccess:
    names = [_named(name, QUALIFIERS, "qualifier", data.at("qualifiers")) for name in data.array("qualifiers")]
    made = MemoryAccess(sum(set(map(int, names))), _target(data, "BUFFER"), _format(data))
    data.close()
    return made


def _instruction(data: _Entry) -> Instruction:
    made = Instruction(
        data.word("opcode", OPCODES, "opcode"),
        tuple([_destination(item) for item in data.entries("dst")]),
        tuple([_source(item) for item in data.entries("src")]),
        saturate=data.flag("saturate"),
        precise=data.flag("precise"),
        texture=data.word("texture", {name: name for name in TARGETS}, "texture target", None),
        returns=data.word("returns", _RETURN_TYPES, "return type", None),
        offsets=tuple([_offset(item) for item in data.entries("offsets")]),
        memory=data.part("memory", _memory),
        label=data.number("label", None),
    )
    data.close()
    return made
