"""A module that is being written: ids, types, constants, sections.

Instructions are written by name, with the numbers of the reader's grammar.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from frontends.spirv.module.enumerants import ENUMERANTS
from frontends.spirv.module.grammar import FUNCTIONS, MAGIC, ROWS
from tgsi.language.record import record

VERSIONS = {(1, 3): 0x00010300, (1, 4): 0x00010400}
_NUMBERS = {row.name: row for row in ROWS.values()}
_FUNCTIONS = {name: number for number, name in FUNCTIONS.items()}
_MEMBERS = {name: {known: number for number, (known, _) in table.items()} for name, table in ENUMERANTS.items()}

Operand: TypeAlias = int | str


def member(enumeration: str, name: str) -> int:
    """The number of a member of an enumeration."""
    return _MEMBERS[enumeration][name]


def encoded(name: str, type: int | None, result: int | None, operands: Sequence[Operand]) -> list[int]:
    """The words of an instruction."""
    row = _NUMBERS[name]
    words = [item for item in (type, result) if item is not None]
    for item in operands:
        if isinstance(item, str):
            data = item.encode() + b"\0"
            words += struct.unpack(f"<{(len(data) + 3) // 4}I", data.ljust((len(data) + 3) // 4 * 4, b"\0"))
        else:
            words.append(item & 0xFFFFFFFF)
    return [len(words) + 1 << 16 | row.number, *words]


@record(frozen=False, kw_only=True)
class Module:
    """The sections of a module in their order, and an id for each type and constant."""

    next: int = 1
    capabilities: dict[str, None] = field(default_factory=dict)
    extensions: dict[str, None] = field(default_factory=dict)
    modes: list[int] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    decorations: list[int] = field(default_factory=list)
    globals: list[int] = field(default_factory=list)
    code: list[int] = field(default_factory=list)
    variables: list[int] = field(default_factory=list)
    known: dict[tuple[object, ...], int] = field(default_factory=dict)
    library: int = 0

    def id(self) -> int:
        """A new id."""
        self.next += 1
        return self.next - 1

    # sections before the functions

    def need(self, *capabilities: str, extension: str = "") -> None:
        """State capabilities, and the extension that they are of."""
        for name in capabilities:
            self.capabilities[name] = None
        if extension:
            self.extensions[extension] = None

    def name(self, id: int, text: str) -> None:
        """Give an id a name, for people."""
        self.names += encoded("Name", None, None, [id, text])

    def member_name(self, id: int, number: int, text: str) -> None:
        """Give a member of a struct a name."""
        self.names += encoded("MemberName", None, None, [id, number, text])

    def decorate(self, id: int, name: str, *operands: int | str) -> None:
        """Decorate an id; an operand that is a string names a built-in variable."""
        words = [member("BuiltIn", item) if isinstance(item, str) else item for item in operands]
        self.decorations += encoded("Decorate", None, None, [id, member("Decoration", name), *words])

    def decorate_member(self, id: int, number: int, name: str, *operands: int) -> None:
        """Decorate a member of a struct."""
        self.decorations += encoded("MemberDecorate", None, None, [id, number, member("Decoration", name), *operands])

    def mode(self, entry: int, name: str, *operands: int) -> None:
        """State an execution mode."""
        self.modes += encoded("ExecutionMode", None, None, [entry, member("ExecutionMode", name), *operands])

    # types and constants

    def type(self, name: str, *operands: Operand, key: object = None) -> int:
        """The id of a type. Types that differ only in `key` are written separately, because they have their own decorations."""
        place = ("type", name, operands, key)
        if place not in self.known:
            self.known[place] = result = self.id()
            self.globals += encoded(f"Type{name}", None, result, operands)
        return self.known[place]

    def scalar(self, kind: str) -> int:
        """The id of a scalar type: void, bool, float, uint, int, double, uint64, int64."""
        match kind:
            case "void":
                return self.type("Void")
            case "bool":
                return self.type("Bool")
            case "float":
                return self.type("Float", 32)
            case "double":
                self.need("Float64")
                return self.type("Float", 64)
            case "uint" | "int":
                return self.type("Int", 32, int(kind == "int"))
        self.need("Int64")
        return self.type("Int", 64, int(kind == "int64"))

    def vector(self, kind: str, size: int) -> int:
        """The id of a vector type; of a scalar for size 1."""
        return self.scalar(kind) if size == 1 else self.type("Vector", self.scalar(kind), size)

    def pointer(self, storage: str, target: int) -> int:
        """The id of a pointer type."""
        return self.type("Pointer", member("StorageClass", storage), target)

    def array(self, element: int, size: int, key: object = None) -> int:
        """The id of an array type; size 0 means a runtime array, which ends with its buffer."""
        if not size:
            return self.type("RuntimeArray", element, key=key)
        return self.type("Array", element, self.uint(size), key=key)

    def constant(self, kind: str, *words: int) -> int:
        """The id of a constant of one scalar."""
        if kind == "bool":
            return self._constant("ConstantTrue" if words[0] else "ConstantFalse", self.scalar(kind), ())
        return self._constant("Constant", self.scalar(kind), tuple(word & 0xFFFFFFFF for word in words))

    def uint(self, value: int) -> int:
        """The id of an unsigned constant."""
        return self.constant("uint", value)

    def float(self, value: float) -> int:
        """The id of a float constant."""
        return self.constant("float", struct.unpack("<I", struct.pack("<f", value))[0])

    def composite(self, kind: str, words: Sequence[int]) -> int:
        """The id of a constant vector, of a scalar for one word."""
        ids = tuple(self.constant(kind, word) for word in words)
        return ids[0] if len(ids) == 1 else self._constant("ConstantComposite", self.vector(kind, len(ids)), ids)

    def parts(self, type: int, ids: Sequence[int]) -> int:
        """The id of a constant of a type and its parts."""
        return self._constant("ConstantComposite", type, tuple(ids))

    def null(self, type: int) -> int:
        """The id of the constant 0 of a type."""
        return self._constant("ConstantNull", type, ())

    def _constant(self, name: str, type: int, words: tuple[int, ...]) -> int:
        key = (name, type, words)
        if key not in self.known:
            self.known[key] = result = self.id()
            self.globals += encoded(name, type, result, words)
        return self.known[key]

    def variable(self, storage: str, target: int, name: str = "", initial: int | None = None) -> int:
        """A variable outside of functions."""
        pointer = self.pointer(storage, target)
        result = self.id()
        operands = [member("StorageClass", storage)] + ([initial] if initial is not None else [])
        self.globals += encoded("Variable", pointer, result, operands)
        if name:
            self.name(result, name)
        if storage in ("Input", "Output"):
            self.variables.append(result)
        return result

    # code

    def op(self, name: str, type: int, *operands: Operand) -> int:
        """Append an instruction with a result. The id of the result."""
        result = self.id()
        self.code += encoded(name, type, result, operands)
        return result

    def do(self, name: str, *operands: Operand) -> None:
        """Append an instruction without a result."""
        self.code += encoded(name, None, None, operands)

    def label(self, id: int) -> None:
        """Begin a block."""
        self.code += encoded("Label", None, id, ())

    def do_function(self, id: int, result: int, type: int) -> None:
        """Begin a function."""
        self.code += encoded("Function", result, id, [0, type])

    def call(self, function: str, type: int, *operands: int) -> int:
        """Append a function of GLSL.std.450."""
        if not self.library:
            self.library = self.id()
        return self.op("ExtInst", type, self.library, _FUNCTIONS[function], *operands)

    def words(self, model: str, entry: int, name: str) -> list[int]:
        """The whole module."""
        version = VERSIONS[1, 4] if model in ("TaskEXT", "MeshEXT") else VERSIONS[1, 3]
        head = [word for item in self.capabilities for word in encoded("Capability", None, None, [member("Capability", item)])]
        head += [word for item in self.extensions for word in encoded("Extension", None, None, [item])]
        if self.library:
            head += encoded("ExtInstImport", None, self.library, ["GLSL.std.450"])
        head += encoded("MemoryModel", None, None, [0, 1])
        head += encoded("EntryPoint", None, None, [member("ExecutionModel", model), entry, name, *self.variables])
        body = [*head, *self.modes, *self.names, *self.decorations, *self.globals, *self.code]
        return [MAGIC, version, 0, self.next, 0, *body]
