"""Access by name to the fields of a `ctypes.Structure` in memory, from generated code."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from backends.llvm.builder.function import F32, F64, I8, I16, I32, I64, PTR, Function, Type, Val

_TYPES: dict[type, Type] = {
    ctypes.c_int8: I8,
    ctypes.c_uint8: I8,
    ctypes.c_int16: I16,
    ctypes.c_uint16: I16,
    ctypes.c_int32: I32,
    ctypes.c_uint32: I32,
    ctypes.c_int64: I64,
    ctypes.c_uint64: I64,
    ctypes.c_void_p: PTR,
    ctypes.c_float: F32,
    ctypes.c_double: F64,
}


class Record:
    """A record that Python and generated code share.

    `layout` is its `ctypes.Structure`; at run time the record lies `base` bytes after `pointer`. Fields are scalars, arrays of
    scalars, or structures whose fields have dotted names ("view.scale"). Integers of less than 32 bits are loaded without extension.
    """

    def __init__(self, f: Function, pointer: Val, layout: type[ctypes.Structure], base: int = 0) -> None:
        self.f, self.pointer, self.layout, self.base = f, pointer, layout, base

    def _find(self, name: str) -> tuple[Any, int]:
        """ctypes type and byte offset. KeyError for an unknown field."""
        return _find(self.layout, name, self.base)

    def _locate(self, name: str, index: int) -> tuple[Type, int]:
        """Type and byte offset. KeyError for an unknown field, IndexError outside an array."""
        t, offset = self._find(name)
        if issubclass(t, ctypes.Array):
            if not 0 <= index < t._length_:
                raise IndexError(f"{name}[{index}] of {self.layout.__name__}")
            t, offset = t._type_, offset + index * ctypes.sizeof(t._type_)
        return _TYPES[t], offset

    def part(self, name: str) -> Record:
        """A nested structure as a record. KeyError if no field has this name."""
        t, offset = self._find(name)
        if not issubclass(t, ctypes.Structure):
            raise KeyError(name)
        return Record(self.f, self.pointer, t, offset)

    def get(self, name: str, index: int = 0) -> Val:
        """Load a field (element `index` of an array)."""
        t, offset = self._locate(name, index)
        return self.f.load(t, self.pointer, offset, align=min(4, max(t.bits // 8, 1)))

    def fixed(self, name: str, index: int = 0) -> Val:
        """Load a field that nothing writes while the function runs. The load is written at most once, like a pure value."""
        t, offset = self._locate(name, index)
        place = self.f.at(self.pointer, offset) if offset else self.pointer
        return self.f.pure(t, f"load {t}, {place}, align {min(4, max(t.bits // 8, 1))}")

    def set(self, name: str, value: Val | float, index: int = 0) -> None:
        """Store a field (element `index` of an array)."""
        t, offset = self._locate(name, index)
        self.f.store(self.f.const(t, value), self.pointer, offset, align=min(4, max(t.bits // 8, 1)))

    def address(self, name: str, index: int = 0) -> Val:
        """Pointer to a field (element `index` of an array)."""
        t, offset = self._find(name)
        step = ctypes.sizeof(t._type_) * index if issubclass(t, ctypes.Array) else 0
        return self.f.at(self.pointer, offset + step)


@functools.cache
def _find(layout: type[ctypes.Structure], name: str, base: int) -> tuple[Any, int]:
    """ctypes type and byte offset of a field by its dotted name."""
    first, _, rest = name.partition(".")
    types: dict[str, Any] = {field[0]: field[1] for field in layout._fields_}
    t, offset = types[first], base + int(getattr(layout, first).offset)
    return _find(t, rest, offset) if rest else (t, offset)
