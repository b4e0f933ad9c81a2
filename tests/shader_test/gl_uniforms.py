"""Uniforms of shader_runner's commands through `tgsi.opengl`: default ones by location, members of blocks in their buffers."""

from __future__ import annotations

import ctypes
import re
from typing import Any, NamedTuple

import numpy as np

from tests.shader_test.values import number
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

_TYPE = re.compile(r"(?:(float|double|int|uint|int64_t|uint64_t|bool)|(d|i64|u64|i|u|b)?(vec|mat)([2-4])(?:x([2-4]))?)((?:\[\d*\])*)")
_LETTERS = {"float": "f", "double": "d", "int": "i", "uint": "I", "bool": "i", "int64_t": "q", "uint64_t": "Q"}
_PREFIXES = {None: "float", "d": "double", "i": "int", "u": "uint", "b": "bool", "i64": "int64_t", "u64": "uint64_t"}
_TAILS = {"float": "fv", "double": "dv", "int": "iv", "uint": "uiv", "bool": "iv", "int64_t": "i64vARB", "uint64_t": "ui64vARB"}
"""Ends of the commands of glUniform for vectors of a scalar."""


class Place(NamedTuple):
    """A place in a block: its index, the offset, bytes between elements and between columns, or rows of a row-major matrix."""

    block: int
    offset: int
    stride: int
    between: int
    is_row_major: bool


class Numbers(NamedTuple):
    """The values of a uniform: their scalar, [element, column, row]."""

    scalar: str
    values: Any


def _numbers(kind: str, words: list[str]) -> Numbers:
    """The numbers of a command; ValueError for an unknown type."""
    found = _TYPE.fullmatch(kind)
    if found is None:
        raise ValueError(f"type {kind}")
    scalar = found[1] or _PREFIXES[found[2]]
    columns = int(found[4]) if found[3] == "mat" else 1
    rows = (int(found[5] or found[4]) if found[3] == "mat" else int(found[4])) if found[3] else 1
    words = words if found[6] else words[: rows * columns]
    data = np.array([number(word, scalar) for word in words], np.dtype(_LETTERS[scalar]))
    data = np.concatenate([data, np.zeros(-len(data) % (rows * columns), data.dtype)])
    return Numbers(scalar, data.reshape(-1, columns, rows))


class Uniforms:
    """The uniforms of a program. `blocks` are the buffers of its uniform blocks by index, `element` is that of an array of blocks."""

    def __init__(self, gl: Binding, program: int, blocks: list[int], element: int) -> None:
        self.gl, self.program, self.blocks, self.element = gl, program, blocks, element

    def put(self, kind: str, name: str, words: list[str]) -> None:
        """Set a uniform by its name or location."""
        location = int(name) if name.isdigit() else self.gl.glGetUniformLocation(self.program, name.encode())
        if location >= 0:
            self._put(location, _numbers(kind, words))
            return
        index, step = self._index(name), 0
        array = re.fullmatch(r"(.*)\[(\d+)\]", name)
        if index == GL.INVALID_INDEX and array is not None:
            index, step = self._index(array[1]), int(array[2])
        if index == GL.INVALID_INDEX:
            return
        names = (GL.UNIFORM_BLOCK_INDEX, GL.UNIFORM_OFFSET, GL.UNIFORM_ARRAY_STRIDE, GL.UNIFORM_MATRIX_STRIDE, GL.UNIFORM_IS_ROW_MAJOR)
        block, offset, stride, between, is_row_major = (self._property(index, item) for item in names)
        self.at(kind, words, Place(block + self.element, offset + step * stride, stride, between, bool(is_row_major)))

    def at(self, kind: str, words: list[str], place: Place) -> None:
        """Write the values to a place of a block."""
        if not 0 <= place.block < len(self.blocks):
            return
        self.gl.glBindBuffer(GL.UNIFORM_BUFFER, self.blocks[place.block])
        for element, item in enumerate(_numbers(kind, words).values):
            for line, part in enumerate(item.T if place.is_row_major and len(item) > 1 else item):
                data = np.ascontiguousarray(part)
                self.gl.glBufferSubData(
                    GL.UNIFORM_BUFFER, place.offset + element * place.stride + line * place.between, data.nbytes, data
                )  # fmt: skip

    def _index(self, name: str) -> int:
        found = (ctypes.c_uint32 * 1)()
        self.gl.glGetUniformIndices(self.program, 1, ctypes.byref(ctypes.c_char_p(name.encode())), found)
        return int(found[0])

    def _property(self, index: int, name: int) -> int:
        value = (ctypes.c_int32 * 1)()
        self.gl.glGetActiveUniformsiv(self.program, 1, (ctypes.c_uint32 * 1)(index), name, value)
        return int(value[0])

    def _put(self, location: int, numbers: Numbers) -> None:
        count, columns, rows = numbers.values.shape
        data = np.ascontiguousarray(numbers.values)
        if columns > 1:
            shape = str(columns) if columns == rows else f"{columns}x{rows}"
            letter = "d" if numbers.scalar == "double" else "f"
            getattr(self.gl, f"glUniformMatrix{shape}{letter}v")(location, count, 0, data)
            return
        getattr(self.gl, f"glUniform{rows}{_TAILS[numbers.scalar]}")(location, count, data)
