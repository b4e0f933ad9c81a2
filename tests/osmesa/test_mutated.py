"""Topics with wrong arguments end in errors of OpenGL, or in other pictures: nothing crashes, and nothing is raised."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest

from tests.osmesa.mesa import MODULES
from tests.osmesa.topics import SIZE, TOPICS
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.registry.table import command

RATE = 0.03
"""Share of arguments that are replaced."""
NUMBERS = (0.0, -1.0, 1e30, -1e-30, float("nan"), float("inf"), 255.5)
VALUES = [value for value in vars(GL).values() if type(value) is int]
assert MODULES


class Mutant(Binding):
    """A binding that replaces arguments at random. Commands with pointers keep enumerants and sizes, by which they read memory."""

    def __init__(self, seed: int) -> None:
        super().__init__("compatibility", size=(SIZE, SIZE))
        self._dice = random.Random(seed)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("gl"):
            raise AttributeError(name)
        call, row = super().__getattr__(name), command(name)
        assert row is not None
        kinds = [item.kind for item in row.parameters]

        def mutated(*values: Any) -> Any:
            return call(*(self._changed(value, kind, "p" in kinds) for value, kind in zip(values, kinds, strict=True)))

        self.__dict__[name] = mutated
        return mutated

    def _changed(self, value: Any, kind: str, has_pointer: bool) -> Any:
        if self._dice.random() > RATE:
            return value
        if kind in "fd":
            return self._dice.choice(NUMBERS)
        if has_pointer or kind not in "eiub":
            return value
        if kind == "e":
            return self._dice.choice(VALUES) & 0xFFFFFFFF
        return self._dice.choice((0, 1, 2, 7, 1000) if kind != "i" else (0, 1, 2, 7, -1, 65, 1000))


@needs_glslang
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(4))
def test_topics_with_wrong_arguments_end_in_errors(seed: int) -> None:
    for name, program in TOPICS.items():
        gl = Mutant(seed)
        with suppress(AssertionError):  # of a program of GLSL that did not link
            program(gl)
        assert Binding.__getattr__(gl, "glGetString")(GL.VENDOR), name
        gl.loader.release()
