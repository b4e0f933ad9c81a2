"""Names of a program's interface: uniforms, blocks, samplers, images, inputs and outputs, with their types and places.

Programs read from GLSL, HLSL and SPIR-V have one (`Program.interface`). Places are constant buffers, units and registers, numbered as in
the program's text.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import product
from types import MappingProxyType
from typing import Any

from tgsi.language.messages import did_you_mean
from tgsi.language.record import record

_LETTERS = {"float": "f", "int": "i", "uint": "I", "bool": "I", "double": "d", "int64_t": "q", "uint64_t": "Q"}
_PREFIXES = {"float": "", "int": "i", "uint": "u", "bool": "b", "double": "d", "int64_t": "i64", "uint64_t": "u64"}


@record(kw_only=True)
class Variable:
    """A value in memory: a scalar, vector or matrix, or an array of them.

    `scalar` is float, int, uint, bool, double, int64_t or uint64_t; `rows` and `columns` are 1 for a scalar, and a vector has one column.
    `sizes`: sizes of arrays, the outer one first, 0 for an array without a fixed size; `strides` are their bytes. `offset` is the first
    byte in the buffer, `matrix_stride` the bytes between columns, or between rows where `row_major` is set.
    """

    name: str
    scalar: str
    rows: int = 1
    columns: int = 1
    offset: int = 0
    sizes: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    matrix_stride: int = 16
    row_major: bool = False

    @property
    def type(self) -> str:
        """The type as GLSL writes it, without sizes of arrays: ``float``, ``ivec3``, ``mat4``, ``mat4x3``."""
        if self.columns > 1:
            shape = str(self.columns) if self.columns == self.rows else f"{self.columns}x{self.rows}"
            return f"{_PREFIXES[self.scalar]}mat{shape}"
        return self.scalar if self.rows == 1 else f"{_PREFIXES[self.scalar]}vec{self.rows}"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a value: arrays, then the rows of a matrix and its columns, or the components of a vector."""
        own = (self.rows, self.columns) if self.columns > 1 else (self.rows,) if self.rows > 1 else ()
        return (*self.sizes, *own)

    def element(self, *indices: int) -> Variable:
        """One element of an array, or an array of an array of arrays. ValueError where it does not exist."""
        if len(indices) > len(self.sizes) or any(
            not 0 <= index < (size or index + 1) for index, size in zip(indices, self.sizes, strict=False)
        ):
            raise ValueError(f"{self} has no element {''.join(f'[{index}]' for index in indices)}")
        offset = self.offset + sum(index * stride for index, stride in zip(indices, self.strides, strict=False))
        title = self.name + "".join(f"[{index}]" for index in indices)
        return replace(self, name=title, offset=offset, sizes=self.sizes[len(indices) :], strides=self.strides[len(indices) :])

    def __str__(self) -> str:
        return f"{self.type} {self.name}{''.join(f'[{size or str()}]' for size in self.sizes)}"

    def pack(self, buffer: bytearray, value: Any, call: str = "pack") -> None:
        """Write a value to its place in the bytes of its buffer.

        value: numbers, nested as `shape` is, or an array of this shape; a matrix has its rows outside, as numpy's have. An array may be
        shorter than declared. The elements of a matrix of one array may be flat, too.

        Raises:
            TypeError, ValueError: the value does not fit; the message names the variable, its shape and the value.
        """
        value = _plain(value)
        if 0 in self.sizes[1:]:
            raise ValueError(f"{call}: {self}: an array without an end has no place for a value")
        self._put(buffer, value, self.sizes, self.strides, self.offset, call)

    def _put(self, buffer: bytearray, value: Any, sizes: tuple[int, ...], strides: tuple[int, ...], at: int, call: str) -> None:
        if sizes:
            items = self._items(value, call)
            if len(items) > sizes[0] > 0:
                raise ValueError(f"{call}: {self} has {sizes[0]} elements, and {len(items)} came")
            for number, item in enumerate(items):
                self._put(buffer, item, sizes[1:], strides[1:], at + number * strides[0], call)
            return
        for place, number in zip(self._places(at), self._numbers(value, call), strict=True):
            try:
                struct.pack_into(f"<{_LETTERS[self.scalar]}", buffer, place, self._number(number, call))
            except struct.error:
                if place + 4 > len(buffer):
                    raise ValueError(f"{call}: {self}: its buffer has {len(buffer)} bytes") from None
                raise ValueError(f"{call}: {self}: {number!r} is not a value of type {self.scalar}") from None
            except OverflowError:
                raise ValueError(f"{call}: {self}: {number!r} is beyond the range of {self.scalar}") from None

    def _places(self, at: int) -> Iterator[int]:
        size = struct.calcsize(_LETTERS[self.scalar])
        for row, column in product(range(self.rows), range(self.columns)):
            outer, inner = (row, column) if self.row_major else (column, row)
            yield at + (outer * self.matrix_stride if self.columns > 1 else 0) + inner * size

    def _numbers(self, value: Any, call: str) -> list[Any]:
        """The numbers of one element, row by row."""
        if self.rows == self.columns == 1:
            items = self._items(value, call) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else [value]
            if len(items) != 1:
                raise ValueError(f"{call}: {self}: expected one number, not {len(items)}")
            return list(items)
        rows = self._items(value, call)
        if self.columns == 1:
            if len(rows) != self.rows or any(isinstance(item, Sequence) for item in rows):
                raise ValueError(f"{call}: {self}: expected {self.rows} numbers, not {_described(value)}")
            return list(rows)
        numbers = [item for row in rows for item in (row if isinstance(row, Sequence) else [None])]
        if len(rows) != self.rows or any(not isinstance(row, Sequence) or len(row) != self.columns for row in rows):
            raise ValueError(f"{call}: {self}: expected {self.rows} rows of {self.columns} numbers, not {_described(value)}")
        return numbers

    def _items(self, value: Any, call: str) -> Sequence[Any]:
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            raise ValueError(f"{call}: {self}: expected values of shape {self.shape}, not {_described(value)}")
        return value

    def _number(self, number: Any, call: str) -> int | float:
        if isinstance(number, str | bytes | Sequence) or not hasattr(number, "__float__"):
            raise TypeError(f"{call}: {self}: expected a number, not {_described(number)}")
        if self.scalar in ("float", "double"):
            return float(number)
        if self.scalar == "bool":
            return 0xFFFFFFFF if number else 0
        if number != int(number):
            raise TypeError(f"{call}: {self}: expected a whole number, not {number!r}")
        return int(number)


def _plain(value: Any) -> Any:
    """Nested lists of numbers for arrays, tuples and matrices of other packages; other values unchanged.

    A matrix that shows its memory, such as PyGLM's, has its rows outside there, and its columns outside as a sequence.
    """
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, str | bytes | int | float):
        return value
    if not isinstance(value, list | tuple):
        try:
            return memoryview(value).tolist()
        except (TypeError, NotImplementedError):
            pass
    if hasattr(value, "__iter__"):
        return [_plain(item) for item in value]
    return value


def _described(value: Any) -> str:
    shape = []
    while isinstance(value, Sequence) and not isinstance(value, str | bytes):
        shape.append(len(value))
        if not value:
            break
        value = value[0]
    return f"values of shape {tuple(shape)}" if shape else f"{value!r}"


@record(kw_only=True)
class Block:
    """A uniform block, the default uniforms together, or a buffer of a shader.

    `binding` is the number of the constant buffer (CONST[binding]) or of the BUFFER. `size`: bytes, without an array at its end that has
    no fixed size. Members are by their path: ``lights[1].color`` of arrays of structs, the name alone otherwise. `initial` are the bytes
    of default uniforms with the values that their text gives them; empty where it gives none.
    """

    name: str
    binding: int
    size: int
    members: Mapping[str, Variable] = field(default_factory=lambda: MappingProxyType({}))
    initial: bytes = b""

    def pack(self, values: Mapping[str, Any], into: bytearray | None = None) -> bytearray:
        """The bytes of the block with values by name. All other bytes keep their initial value or 0, or, if `into` is given, which is
        changed in place, its bytes.

        Raises:
            TypeError, ValueError: a name is unknown, or a value does not fit.
        """
        made = bytearray(self.initial or bytes(self.size)) if into is None else into
        for name, value in values.items():
            member = self.members.get(name)
            if member is None:
                hint = nearest(name, self.members)
                raise ValueError(f"pack: {self.name} has no member {name!r}{hint}")
            if into is None and member.sizes[:1] == (0,):
                made.extend(bytes(member.offset + len(value) * member.strides[0] - len(made)))
            member.pack(made, value)
        return made


@record(kw_only=True)
class Unit:
    """A texture with its sampler, or an image: its type in GLSL, its unit, and the number of array elements (1 without an array).

    `sizes` are those of an array of arrays, outermost first; their product is `size`.
    """

    name: str
    type: str
    binding: int
    size: int = 1
    is_array: bool = False
    sizes: tuple[int, ...] = ()


@record(kw_only=True)
class Port:
    """An input or output: its type, its location, the registers it takes, and the semantic that other stages find it by.

    `location` is -1 where the text states none and other stages find the value by its name. `variable` is the name of the variable, which
    differs from that of a member of a block, and from the semantic of HLSL, which is the name. `index` is 1 for a fragment output that is
    the second source of a blend, at the location of the first.
    """

    name: str
    variable: str = ""
    type: str
    location: int
    index: int = 0
    registers: int = 1
    semantic: str = ""


@record(kw_only=True)
class SubroutineUniform:
    """A uniform that chooses a function: its location (-1 where the text states none), and the numbers of the functions that it can choose.

    The uniform of that name in the default uniforms holds the number. Other numbers choose the first of `compatible`.
    """

    name: str
    location: int = -1
    compatible: tuple[int, ...] = ()


@record(kw_only=True)
class Interface:
    """Everything of a program that has a name, by name. Contains only names that the program uses.

    `stream_output` is what the text streams out (``layout(xfb_offset = n)``), as `create_vs_state` and its kin take it; None where it is
    nothing. `is_upward`: the program is written for OpenGL's window, in which y grows toward the upper edge of the picture.
    `patches` are the values of a patch that the text declares, used or not: both stages of a tessellation number them together.
    `subroutines` are the functions that uniforms may choose, with their numbers, and `subroutine_uniforms` those uniforms.
    """

    uniforms: Block | None = None
    blocks: Mapping[str, Block] = field(default_factory=lambda: MappingProxyType({}))
    buffers: Mapping[str, Block] = field(default_factory=lambda: MappingProxyType({}))
    samplers: Mapping[str, Unit] = field(default_factory=lambda: MappingProxyType({}))
    images: Mapping[str, Unit] = field(default_factory=lambda: MappingProxyType({}))
    inputs: Mapping[str, Port] = field(default_factory=lambda: MappingProxyType({}))
    outputs: Mapping[str, Port] = field(default_factory=lambda: MappingProxyType({}))
    stream_output: Mapping[str, Any] | None = None
    is_upward: bool = False
    patches: Mapping[str, Port] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    subroutines: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    subroutine_uniforms: Mapping[str, SubroutineUniform] = field(default_factory=lambda: MappingProxyType({}), repr=False)

    def __str__(self) -> str:
        """A line for each name, as GLSL would declare it, in the order of their places."""
        lines = [f"uniform {variable}" for variable in _placed(self.uniforms.members if self.uniforms else {}, "offset")]
        for word, blocks in (("uniform", self.blocks), ("buffer", self.buffers)):
            for block in _placed(blocks, "binding"):
                lines.append(f"{word} {block.name} (binding {block.binding}): {', '.join(map(str, _placed(block.members, 'offset')))}")
        for word, units in (("uniform", self.samplers), ("image", self.images)):
            for item in _placed(units, "binding"):
                lines.append(f"{word} {item.type} {item.name}{f'[{item.size}]' * (item.size > 1)} (unit {item.binding})")
        for word, ports in (("in", self.inputs), ("out", self.outputs)):
            for port in _placed(ports, "location"):
                place = f" (location {port.location})" if port.location >= 0 else ""
                lines.append(f"{word} {port.type} {port.name}{place}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from tgsi.language import notebook

        rows: list[tuple[object, ...]] = []
        for variable in _placed(self.uniforms.members if self.uniforms else {}, "offset"):
            rows.append(("uniform", variable.type, variable.name, _sizes(variable.sizes), f"byte {variable.offset}"))
        for word, blocks in (("uniform", self.blocks), ("buffer", self.buffers)):
            for block in _placed(blocks, "binding"):
                for variable in _placed(block.members, "offset"):
                    place = f"binding {block.binding}, byte {variable.offset}"
                    rows.append((f"{word} {block.name}", variable.type, variable.name, _sizes(variable.sizes), place))
        for word, units in (("uniform", self.samplers), ("image", self.images)):
            for item in _placed(units, "binding"):
                rows.append((word, item.type, item.name, _sizes((item.size,) * (item.size > 1)), f"unit {item.binding}"))
        for word, ports in (("in", self.inputs), ("out", self.outputs)):
            for port in _placed(ports, "location"):
                rows.append((word, port.type, port.name, "", f"location {port.location}" if port.location >= 0 else port.semantic))
        title = notebook.heading("interface", "" if rows else "without names")
        return title + (notebook.table(("kind", "type", "name", "size", "place"), rows) if rows else "")


def _sizes(sizes: tuple[int, ...]) -> str:
    return "".join(f"[{size or ''}]" for size in sizes)


def _placed(items: Mapping[str, Any], place: str) -> list[Any]:
    """Named items, sorted by place, then by name."""
    return sorted(items.values(), key=lambda item: (getattr(item, place), item.name))


def nearest(name: str, names: Mapping[str, Any]) -> str:
    """End of a message about an unknown name: the nearest name, or all names if they are few."""
    by_upper = {item.upper(): item for item in names}
    hint = did_you_mean(name, by_upper)
    if hint:
        word = hint[len("did you mean `") : -2]
        return f"; did you mean {by_upper[word]!r}?"
    return f"; it has {', '.join(map(repr, names))}" if 0 < len(names) <= 8 else ""
