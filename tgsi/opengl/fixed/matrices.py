"""Matrix stacks. (OpenGL 2.1, 2.11.2)"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.errors import GLError, bad_enum, bad_value
from tgsi.opengl.lists import listed
from tgsi.opengl.memory import Pointer, numbers
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import MAX_UNITS, Matrix, identity, matrix_of, product

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

DEPTHS = {GL.MODELVIEW: 32, GL.PROJECTION: 32, GL.TEXTURE: 10}


def _changes(gl: Context) -> int:
    """The group of state of the current stack's matrix; texture matrices affect programs."""
    return dirty.FIXED if gl.fixed.matrix_mode == GL.TEXTURE else dirty.MATRIX


def _stack(gl: Context) -> list[Matrix]:
    return gl.fixed.stack(min(gl.active_unit, MAX_UNITS - 1))


@listed
def _load(gl: Context, matrix: Matrix) -> None:
    _stack(gl)[-1] = matrix
    gl.dirty |= _changes(gl)


@listed
def _multiply(gl: Context, matrix: Matrix) -> None:
    stack = _stack(gl)
    stack[-1] = product(stack[-1], matrix)
    gl.dirty |= _changes(gl)


def _read(letter: str, address: Pointer, *, transposed: bool = False) -> Matrix:
    matrix = matrix_of(numbers(letter, address, 16))
    return matrix if transposed else np.ascontiguousarray(matrix.T)


@command("glMatrixMode")
def matrix_mode(gl: Context, mode: int) -> None:
    """Select a matrix stack."""
    if mode not in DEPTHS:
        raise bad_enum("mode", mode)
    gl.fixed.matrix_mode = mode


@command("glPushMatrix")
def push_matrix(gl: Context) -> None:
    """Push a copy of the current matrix."""
    stack = _stack(gl)
    if len(stack) >= DEPTHS[gl.fixed.matrix_mode]:
        raise GLError(GL.STACK_OVERFLOW, f"{len(stack)} matrices are on the stack")
    stack.append(stack[-1])


@command("glPopMatrix")
def pop_matrix(gl: Context) -> None:
    """Pop a matrix."""
    stack = _stack(gl)
    if len(stack) == 1:
        raise GLError(GL.STACK_UNDERFLOW, "one matrix is on the stack")
    stack.pop()
    gl.dirty |= _changes(gl)


@command("glLoadIdentity")
@lists_itself
def load_identity(gl: Context) -> None:
    """The identity."""
    _load(gl, identity())


@command("glLoadMatrixf")
def load_matrix(gl: Context, m: Pointer) -> None:
    """A matrix, column by column."""
    _load(gl, _read("f", m))


@command("glLoadMatrixd")
def load_matrix_doubles(gl: Context, m: Pointer) -> None:
    """A matrix, column by column."""
    _load(gl, _read("d", m))


@command("glMultMatrixf")
def mult_matrix(gl: Context, m: Pointer) -> None:
    """Multiply by a matrix, column by column."""
    _multiply(gl, _read("f", m))


@command("glMultMatrixd")
def mult_matrix_doubles(gl: Context, m: Pointer) -> None:
    """Multiply by a matrix, column by column."""
    _multiply(gl, _read("d", m))


@command("glLoadTransposeMatrixf")
def load_transpose_matrix(gl: Context, m: Pointer) -> None:
    """A matrix, row by row."""
    _load(gl, _read("f", m, transposed=True))


@command("glLoadTransposeMatrixd")
def load_transpose_matrix_doubles(gl: Context, m: Pointer) -> None:
    """A matrix, row by row."""
    _load(gl, _read("d", m, transposed=True))


@command("glMultTransposeMatrixf")
def mult_transpose_matrix(gl: Context, m: Pointer) -> None:
    """Multiply by a matrix, row by row."""
    _multiply(gl, _read("f", m, transposed=True))


@command("glMultTransposeMatrixd")
def mult_transpose_matrix_doubles(gl: Context, m: Pointer) -> None:
    """Multiply by a matrix, row by row."""
    _multiply(gl, _read("d", m, transposed=True))


@command("glTranslatef", "glTranslated")
@lists_itself
def translate(gl: Context, x: float, y: float, z: float) -> None:
    """Multiply by a translation."""
    _multiply(gl, matrix_of((1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, z, 0.0, 0.0, 0.0, 1.0)))


@command("glScalef", "glScaled")
@lists_itself
def scale(gl: Context, x: float, y: float, z: float) -> None:
    """Multiply by a scaling."""
    _multiply(gl, matrix_of((x, 0.0, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, 0.0, z, 0.0, 0.0, 0.0, 0.0, 1.0)))


@command("glRotatef", "glRotated")
@lists_itself
def rotate(gl: Context, angle: float, x: float, y: float, z: float) -> None:
    """Multiply by a rotation of `angle` degrees about an axis."""
    length = math.sqrt(x * x + y * y + z * z)
    if not length or not math.isfinite(length) or not math.isfinite(angle):
        return
    axis = np.array([x, y, z]) / length
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    matrix = identity()
    matrix[:3, :3] = np.outer(axis, axis) * (1 - c) + np.eye(3) * c + cross * s
    _multiply(gl, matrix)


@command("glFrustum")
@lists_itself
def frustum(gl: Context, left: float, right: float, bottom: float, top: float, near: float, far: float) -> None:
    """Multiply by a perspective projection."""
    if near <= 0 or far <= 0 or left == right or bottom == top or near == far:
        raise bad_value("the volume is empty, or a plane lies behind the eye")
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = 2 * near / (right - left), 2 * near / (top - bottom)
    matrix[0, 2], matrix[1, 2] = (right + left) / (right - left), (top + bottom) / (top - bottom)
    matrix[2, 2], matrix[2, 3], matrix[3, 2] = -(far + near) / (far - near), -2 * far * near / (far - near), -1
    _multiply(gl, matrix.astype(np.float32))


@command("glOrtho")
@lists_itself
def ortho(gl: Context, left: float, right: float, bottom: float, top: float, near: float, far: float) -> None:
    """Multiply by a parallel projection."""
    if left == right or bottom == top or near == far:
        raise bad_value("the volume is empty")
    matrix = np.eye(4)
    matrix[0, 0], matrix[1, 1], matrix[2, 2] = 2 / (right - left), 2 / (top - bottom), -2 / (far - near)
    matrix[:3, 3] = -(right + left) / (right - left), -(top + bottom) / (top - bottom), -(far + near) / (far - near)
    _multiply(gl, matrix.astype(np.float32))
