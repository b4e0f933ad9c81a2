"""Uniforms of shader_runner's commands through `tgsi.opengl`: default ones by location, members of blocks in their buffers."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np

from tests.shader_test.values import number
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

_TYPE = re.compile(r"(?:(float|double|int|uint|int64_t|uint64_t|bool)|(d|i64|u64|i|u|b)?(vec|mat)([2-4])(?:x([2-4]))?)((?:\[\d*\])*)")
_LETTERS = {"float": "f", "double": "d", "int": "i", "uint": "I", "bool": "i", "int64_t": "q", "uint64_t": "Q"}
_PREFIXES = {None: "float", "d": "double", "i": "int", "u": "uint", "b": "bool", "i64": "int64_t", "u64": "uint64_t"}


def put_uniform(
    gl: Binding, program: int, kind: str, name: str, words: list[str], blocks: list[int], element: int, place: tuple[int, int] | None
) -> None:
    """Set a uniform. ValueError for an unknown type."""
    words = [word for word in words if word not in ("row", "column", "major", "stride")]
    found = _TYPE.fullmatch(kind)
    if found is None:
        raise ValueError(f"type {kind}")
    scalar = found[1] or _PREFIXES[found[2]]
    columns = int(found[4]) if found[3] == "mat" else 1
    rows = (int(found[5] or found[4]) if found[3] == "mat" else int(found[4])) if found[3] else 1
    data = np.array([number(word, scalar) for word in words], np.dtype(_LETTERS[scalar]))
    size = rows * columns
    data = np.concatenate([data, np.zeros(-len(data) % size, data.dtype)])
    location = int(name) if name.isdigit() else gl.glGetUniformLocation(program, name.encode())
    if location >= 0 and place is None:
        _put(gl, program, location, scalar, columns, rows, data)
        return
    index = (ctypes.c_uint32 * 1)()
    text = ctypes.c_char_p(name.encode())
    gl.glGetUniformIndices(program, 1, ctypes.byref(text), index)
    array = re.fullmatch(r"(.*)\[(\d+)\]", name)
    step = 0
    if index[0] == GL.INVALID_INDEX and array is not None:
        text = ctypes.c_char_p(array[1].encode())
        gl.glGetUniformIndices(program, 1, ctypes.byref(text), index)
        step = int(array[2])
    if place is None and index[0] == GL.INVALID_INDEX:
        return
    block, offset, stride, between = 0, 0, 16, 16
    if place is not None:
        block, offset = place[0] + element, place[1]
    else:
        properties = [
            _property(gl, program, index, item)
            for item in (GL.UNIFORM_BLOCK_INDEX, GL.UNIFORM_OFFSET, GL.UNIFORM_ARRAY_STRIDE, GL.UNIFORM_MATRIX_STRIDE)
        ]
        block, offset, stride, between = properties
        block, offset = block + element, offset + step * stride
    if not 0 <= block < len(blocks):
        return
    _write(gl, blocks[block], data, size, rows, offset, stride, between)


def _property(gl: Binding, program: int, index: Any, name: int) -> int:
    value = (ctypes.c_int32 * 1)()
    gl.glGetActiveUniformsiv(program, 1, index, name, value)
    return int(value[0])


def _write(gl: Binding, buffer: int, data: Any, size: int, rows: int, offset: int, stride: int, between: int) -> None:
    gl.glBindBuffer(GL.UNIFORM_BUFFER, buffer)
    for item in range(0, len(data), size):
        for column in range(0, size, rows):
            part = np.ascontiguousarray(data[item + column : item + column + rows])
            gl.glBufferSubData(GL.UNIFORM_BUFFER, offset + item // size * stride + column // rows * between, part.nbytes, part)


def _put(gl: Binding, program: int, location: int, scalar: str, columns: int, rows: int, data: Any) -> None:
    count = len(data) // (rows * columns)
    if columns > 1:
        shape = str(columns) if columns == rows else f"{columns}x{rows}"
        getattr(gl, f"glUniformMatrix{shape}{'d' if scalar == 'double' else 'f'}v")(location, count, 0, data)
        return
    letter = {"float": "f", "double": "d", "int": "i", "uint": "ui", "bool": "i"}.get(scalar)
    if letter is None:
        return
    getattr(gl, f"glUniform{rows}{letter}v")(location, count, data)
