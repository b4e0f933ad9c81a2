"""Values of uniforms. (OpenGL 4.6 core, 7.6.1)"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import command
from tgsi.opengl.commands.program_queries import linked_of, note_bindings
from tgsi.opengl.commands.shaders import program_named
from tgsi.opengl.errors import bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, read, write
from tgsi.opengl.native_calls import note_uniforms
from tgsi.opengl.objects.linked import Linked, Uniform
from tgsi.opengl.objects.packing import SCALARS, SIZES, is_plain
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.language.interface import Variable
    from tgsi.opengl.context import Context


def put(
    gl: Context, linked: Linked, location: int, letter: str, shape: tuple[int, int], count: int, data: bytes, transposed: bool = False
) -> None:
    """Set `count` elements of a uniform from packed numbers of a struct letter; `shape` is columns and rows of each.

    Raises:
        GLError: GL_INVALID_OPERATION if the location is unknown or the uniform has another type.
    """
    key = location, letter, shape, count, transposed
    slices = linked.slices.get(key)
    if slices is not None:
        for constants, first, last, stage in slices:
            constants[first:last] = data
            linked.stale.add(stage)
        note_uniforms(gl, linked)
        return
    if location == -1:
        return
    target = linked.locations.get(location)
    if target is None:
        raise bad_operation(f"location: {location} does not belong to a uniform")
    uniform, element = target
    if count > 1 and not uniform.is_array:
        raise bad_operation(f"count: {uniform.name} is not an array")
    if uniform.units:
        _put_units(gl, linked, uniform, element, letter, data)
        return
    note_uniforms(gl, linked)
    count = min(count, uniform.size - element)
    for stage, variable in uniform.places:
        _check(uniform, variable, letter, shape)
        _pack(linked.constants[stage], variable, (element, count), letter, data, transposed)
        linked.stale.add(stage)
    if count == key[3] and count and not transposed and all(is_plain(variable, letter, count) for _, variable in uniform.places):
        linked.slices[key] = []
        for stage, variable in uniform.places:
            first = variable.offset + element * (variable.strides[0] if variable.strides else 0)
            linked.slices[key].append((linked.constants[stage], first, first + len(data), stage))


def _check(uniform: Uniform, variable: Variable, letter: str, shape: tuple[int, int]) -> None:
    wanted = SCALARS[variable.scalar]
    if (variable.columns, variable.rows) != shape or (letter != wanted and not (variable.scalar == "bool" and letter in "fiI")):
        raise bad_operation(f"location: {uniform.name} is of type {variable.type}")


def _pack(buffer: bytearray, variable: Variable, part: tuple[int, int], letter: str, data: bytes, transposed: bool) -> None:
    """Write elements to a constant buffer."""
    element, count = part
    size, columns, rows = SIZES[letter], variable.columns, variable.rows
    if variable.scalar == "bool":
        values = struct.unpack(f"={len(data) // 4}{letter}", data)
        data = b"".join(b"\xff\xff\xff\xff" if value else bytes(4) for value in values)
    stride = variable.strides[0] if variable.strides else 0
    row, whole = rows * size, rows * columns * size
    if transposed and columns > 1:
        pieces = [data[k : k + size] for k in range(0, whole * count, size)]
        order = [e * columns * rows + r * columns + c for e in range(count) for c in range(columns) for r in range(rows)]
        data = b"".join(pieces[k] for k in order)
    for index in range(count):
        at = variable.offset + (element + index) * stride
        for column in range(columns):
            start = index * whole + column * row
            place = at + column * variable.matrix_stride
            buffer[place : place + row] = data[start : start + row]


def _put_units(gl: Context, linked: Linked, uniform: Uniform, element: int, letter: str, data: bytes) -> None:
    if letter != "i":
        raise bad_operation(f"location: {uniform.name} is a sampler or an image, which takes an integer")
    values = struct.unpack(f"={len(data) // 4}i", data)[: uniform.size - element]
    top = len(gl.image_units) if uniform.is_image else len(gl.units)
    if any(not 0 <= value < top for value in values):
        raise bad_value(f"value: {values} is not a unit below {top}")
    for stage, unit in uniform.units:
        for index, value in enumerate(values):
            slot = unit.binding + element + index
            if uniform.is_image:
                linked.image_units[stage][slot] = value
            else:
                linked.texture_units[stage][slot] = value, unit.type
    gl.dirty |= dirty.TEXTURES | dirty.IMAGES
    note_bindings(gl, linked)


def _current(gl: Context) -> Linked:
    program = gl.uniform_program()
    if program is None or program.linked is None:
        raise bad_operation("no program is in use")
    return program.linked


def _of(gl: Context, program: int) -> Linked:
    return linked_of(program_named(gl, program))


def _values(letter: str, count: int) -> tuple[Callable[..., None], Callable[..., None]]:
    """glUniform and glProgramUniform with `count` arguments."""
    form = f"={count}{letter}"

    def uniform(gl: Context, location: int, *values: Any) -> None:
        put(gl, _current(gl), location, letter, (1, count), 1, struct.pack(form, *values))

    def program_uniform(gl: Context, program: int, location: int, *values: Any) -> None:
        put(gl, _of(gl, program), location, letter, (1, count), 1, struct.pack(form, *values))

    return uniform, program_uniform


def _vectors(letter: str, rows: int) -> tuple[Callable[..., None], Callable[..., None]]:
    """glUniform and glProgramUniform of arrays of vectors."""
    size = SIZES[letter] * rows

    def uniform(gl: Context, location: int, count: int, value: Pointer) -> None:
        not_negative("count", count)
        put(gl, _current(gl), location, letter, (1, rows), count, read(value, size * count))

    def program_uniform(gl: Context, program: int, location: int, count: int, value: Pointer) -> None:
        not_negative("count", count)
        put(gl, _of(gl, program), location, letter, (1, rows), count, read(value, size * count))

    return uniform, program_uniform


def _matrices(letter: str, columns: int, rows: int) -> tuple[Callable[..., None], Callable[..., None]]:
    """glUniformMatrix and glProgramUniformMatrix."""
    size = SIZES[letter] * columns * rows

    def uniform(gl: Context, location: int, count: int, transpose: int, value: Pointer) -> None:
        not_negative("count", count)
        put(gl, _current(gl), location, letter, (columns, rows), count, read(value, size * count), bool(transpose))

    def program_uniform(gl: Context, program: int, location: int, count: int, transpose: int, value: Pointer) -> None:
        not_negative("count", count)
        put(gl, _of(gl, program), location, letter, (columns, rows), count, read(value, size * count), bool(transpose))

    return uniform, program_uniform


def _offer(name: str, functions: tuple[Callable[..., None], Callable[..., None]]) -> None:
    command(f"glUniform{name}")(functions[0])
    command(f"glProgramUniform{name}")(functions[1])


_LETTERS = {"f": "f", "i": "i", "ui": "I", "d": "d", "i64": "q", "ui64": "Q"}
"""The struct letter of a command's type. Those of 64-bit integers are of GL_ARB_gpu_shader_int64."""

for _word, _letter in _LETTERS.items():
    _tail = "ARB" if _letter in "qQ" else ""
    for _count in (1, 2, 3, 4):
        _offer(f"{_count}{_word}{_tail}", _values(_letter, _count))
        _offer(f"{_count}{_word}v{_tail}", _vectors(_letter, _count))
for _word in "fd":
    for _columns in (2, 3, 4):
        for _rows in (2, 3, 4):
            _shape = str(_columns) if _columns == _rows else f"{_columns}x{_rows}"
            _offer(f"Matrix{_shape}{_word}v", _matrices(_word, _columns, _rows))


def values_of(linked: Linked, location: int) -> tuple[str, tuple[Any, ...]]:
    """The struct letter and the numbers of a uniform, a matrix column by column."""
    target = linked.locations.get(location)
    if target is None:
        raise bad_operation(f"location: {location} does not belong to a uniform")
    uniform, element = target
    if uniform.units:
        stage, unit = uniform.units[0]
        slot = unit.binding + element
        value = linked.image_units[stage][slot] if uniform.is_image else linked.texture_units[stage][slot][0]
        return "i", (value,)
    stage, variable = uniform.places[0]
    letter = SCALARS[variable.scalar]
    at = variable.offset + element * (variable.strides[0] if variable.strides else 0)
    numbers: list[Any] = []
    for column in range(variable.columns):
        numbers += struct.unpack_from(f"={variable.rows}{letter}", linked.constants[stage], at + column * variable.matrix_stride)
    return letter, tuple(bool(number) for number in numbers) if variable.scalar == "bool" else tuple(numbers)


def _getter(letter: str) -> Callable[..., None]:
    def get(gl: Context, program: int, location: int, params: Pointer) -> None:
        values = values_of(_of(gl, program), location)[1]
        write(letter, params, values if letter in "fd" else [int(value) for value in values])

    return get


def _bounded_getter(letter: str) -> Callable[..., None]:
    def get(gl: Context, program: int, location: int, size: int, params: Pointer) -> None:
        values = values_of(_of(gl, program), location)[1]
        if size < len(values) * SIZES[letter]:
            raise bad_operation(f"bufSize: {size} bytes do not hold {len(values)} numbers")
        write(letter, params, values if letter in "fd" else [int(value) for value in values])

    return get


for _word, _letter in _LETTERS.items():
    _tail = "ARB" if _letter in "qQ" else ""
    command(f"glGetUniform{_word}v{_tail}")(_getter(_letter))
    command(f"glGetnUniform{_word}v{_tail}")(_bounded_getter(_letter))
