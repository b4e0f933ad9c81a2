"""Immediate mode without Python: the same pixels and current values as with the handlers in Python."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from tests.unit.opengl.binding import Binding
from tgsi import native
from tgsi.opengl.registry import enums as GL

pytestmark = pytest.mark.skipif(not native.is_possible(), reason="this interpreter has no native functions")

SIZE = 32
MODES = (GL.POINTS, GL.LINES, GL.LINE_STRIP, GL.TRIANGLES, GL.TRIANGLE_STRIP, GL.TRIANGLE_FAN, GL.QUADS, GL.QUAD_STRIP, GL.POLYGON)
TYPES: dict[str, Any] = {"f": np.float32, "d": np.float64, "ub": np.uint8, "s": np.int16, "i": np.int32}
FORMS = [
    *((f"glVertex{count}", letter) for count in (2, 3, 4) for letter in "fds"),
    *(("glColor3", letter) for letter in ("f", "d", "ub", "i")),
    *(("glColor4", letter) for letter in ("f", "d", "ub")),
    *(("glNormal3", letter) for letter in "fd"),
    *((f"glTexCoord{count}", "f") for count in (1, 2, 3, 4)),
]


def _context(*, is_native: bool) -> tuple[Binding, Any]:
    """A context, and what must live as long."""
    gl = Binding("compatibility", size=(SIZE, SIZE))
    context = gl.loader.context
    state = context.native
    if not is_native:
        context.native = None
    return gl, state


def _numbers(random: np.random.Generator, name: str, letter: str) -> np.ndarray[Any, Any]:
    count = int(name[-1])
    if letter in ("s", "i"):
        return random.integers(-1, 2, count).astype(TYPES[letter])
    if letter == "ub":
        return random.integers(0, 256, count).astype(np.uint8)
    values = random.uniform(-1, 1, count).astype(TYPES[letter])
    if name == "glVertex4":
        values[3] = abs(values[3]) + 0.5
    return values


def _draw(gl: Binding, seed: int) -> None:
    """Random primitives, some of them with attributes that begin in the middle."""
    random = np.random.default_rng(seed)
    for _ in range(6):
        gl.glBegin(int(random.choice(MODES)))
        for _ in range(int(random.integers(3, 40))):
            name, letter = FORMS[random.integers(len(FORMS)) if random.random() < 0.6 else random.integers(9)]
            values = _numbers(random, name, letter)
            if random.random() < 0.5:
                getattr(gl, f"{name}{letter}v")(values)
            else:
                getattr(gl, f"{name}{letter}")(*values.tolist())
            if random.random() < 0.03:
                gl.glClear(GL.COLOR_BUFFER_BIT)  # an error that changes nothing
        gl.glEnd()


def _result(gl: Binding) -> tuple[bytes, list[float], list[float], list[int]]:
    current = [gl.get(name, 4, ctypes.c_float) for name in (GL.CURRENT_COLOR, GL.CURRENT_TEXTURE_COORDS)]
    return gl.pixels(SIZE, SIZE).tobytes(), current[0], current[1], list(gl.loader.context.errors)


@pytest.mark.parametrize("seed", range(12))
def test_native_vertices_give_the_pixels_and_values_of_python(seed: int) -> None:
    results = []
    for is_native in (True, False):
        gl, _keep = _context(is_native=is_native)
        gl.glClear(GL.COLOR_BUFFER_BIT)
        _draw(gl, seed)
        results.append(_result(gl))
    assert results[0] == results[1]


def test_more_vertices_than_the_room_of_a_context_are_all_drawn() -> None:
    gl, _keep = _context(is_native=True)
    gl.glBegin(GL.POINTS)
    gl.glColor3f(1.0, 0.0, 0.0)
    for number in range(20 * SIZE * SIZE):
        gl.glVertex2f((number % SIZE + 0.5) / SIZE * 2 - 1, (number // SIZE % SIZE + 0.5) / SIZE * 2 - 1)
    batch: Any = gl.loader.context.batch
    assert len(batch.chunks) > 1
    gl.glEnd()
    assert (gl.pixels(SIZE, SIZE) == (255, 0, 0, 255)).all()


def test_vertices_and_known_attributes_need_no_python() -> None:
    gl, _keep = _context(is_native=True)
    gl.glBegin(GL.TRIANGLES)
    gl.glColor3ub(255, 0, 0)
    gl.glVertex2f(-1.0, -1.0)
    gl.glColor4d(0.0, 1.0, 0.0, 1.0)
    gl.glVertex3dv(np.array([3.0, -1.0, 0.0]))
    gl.glColor3fv(np.array([0, 0, 1], np.float32))
    gl.glVertex2f(-1.0, 3.0)
    batch: Any = gl.loader.context.batch
    assert not batch.rows
    assert not batch.chunks
    batch.absorb()
    assert batch.chunks[0][:, 1].tolist() == [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]
    assert batch.chunks[0][:, 0].tolist() == [[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]]
    gl.glEnd()


def test_a_null_pointer_inside_of_a_primitive_reads_as_zeros() -> None:
    gl, _keep = _context(is_native=True)
    gl.glBegin(GL.POINTS)
    gl.glColor3f(1.0, 1.0, 1.0)
    gl.glColor3fv(None)
    gl.glVertex2f(0.0, 0.0)
    gl.glEnd()
    assert gl.get(GL.CURRENT_COLOR, 4, ctypes.c_float) == [0.0, 0.0, 0.0, 1.0]
