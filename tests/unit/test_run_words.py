"""Results of tgsi.run show numbers as they are meant, and inputs that are not an array get a message that says how they become one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from tests.unit.glsl.glslang import needs_glslang

pytestmark = pytest.mark.light

MOVE = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
COUNT = "VERT\nDCL IN[0]\nDCL SV[0], VERTEXID\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], SV[0]\nEND\n"


@pytest.mark.parametrize("engine", ["jit", "interp"])
def test_floats_are_shown_as_floats(engine: str) -> None:
    shown = repr(tgsi.run(MOVE, [[[0.5, 0.25, 0.0, 1.0]], [[-2.0, 1e30, 0.0, 0.0]]], engine=engine))
    assert shown.startswith("RunResult(OUT[0]=array([[ 5.0e-01,")
    assert "dtype=float32" in shown
    assert "uint32" not in shown


def test_whole_numbers_are_shown_as_whole_numbers_register_by_register() -> None:
    shown = repr(tgsi.run(COUNT, np.ones((3, 1, 4))))
    assert shown == (
        "RunResult(OUT[0]=array([[1., 1., 1., 1.],\n       [1., 1., 1., 1.],\n       [1., 1., 1., 1.]], dtype=float32), "
        "OUT[1]=array([[0, 0, 0, 0],\n       [1, 1, 1, 1],\n       [2, 2, 2, 2]], dtype=uint32), alive=array([ True,  True,  True]))"
    )


def test_negative_numbers_and_flags_are_no_floats() -> None:
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nFSEQ OUT[1], IN[0], IN[0]\nEND\n"
    assert "OUT[1]=array([[4294967295, 4294967295, 4294967295, 4294967295]], dtype=uint32)" in repr(tgsi.run(text, np.ones((1, 1, 4))))


def test_a_result_without_outputs_shows_its_memory() -> None:
    block = "PROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
    text = f"COMP\n{block}DCL BUFFER[0]\nIMM[0] UINT32 {{0, 7, 0, 0}}\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\nEND\n"
    assert "buffers={0: array([7, 0, 0, 0], dtype=uint8)}" in repr(tgsi.run(text, buffers={0: bytes(4)}))


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_floats_of_every_size_are_taken(kind: str) -> None:
    assert tgsi.run(MOVE, np.full((1, 1, 4), 0.5, kind)).floats.tolist() == [[[0.5] * 4]]


@pytest.mark.parametrize("engine", ["jit", "interp"])
def test_inputs_by_name_are_refused_with_the_registers(engine: str) -> None:
    wrong: Any = {"GENERIC[0]": np.ones((1, 4))}
    with pytest.raises(TypeError) as error:
        tgsi.run(MOVE, wrong, engine=engine)
    assert str(error.value) == (
        "inputs: expected an array of shape (invocations, registers, 4), not a mapping; "
        "numpy.stack makes one of the registers, in their order: IN[0] is GENERIC[0]"
    )


@needs_glslang
def test_inputs_by_name_of_glsl_are_refused_with_the_registers() -> None:
    wrong: Any = {"position": np.ones((1, 4))}
    text = "attribute vec4 position; attribute vec3 normal; void main() { gl_Position = position + vec4(normal, 0.0); }"
    with pytest.raises(TypeError, match=r"in their order: IN\[0\] is position, IN\[1\] is normal$"):
        tgsi.run(tgsi.compile(text), wrong)
