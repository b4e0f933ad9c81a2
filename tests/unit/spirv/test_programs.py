"""Modules read and run on both engines give the values that numpy works out."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.unit.spirv.modules import module, modules

ENGINES = ["jit", "interp"]


@pytest.mark.parametrize("name", sorted(modules()))
def test_every_module_becomes_a_program_without_findings(name: str) -> None:
    program = tgsi.read_spirv(module(name), name=name)
    assert tgsi.check(program) == ()
    assert tgsi.parse(program.text) == program


@pytest.mark.parametrize("engine", ENGINES)
def test_default_uniforms_lie_in_the_first_buffer_by_location(engine: str) -> None:
    program = tgsi.read_spirv(module("transform.vert"))
    random = np.random.default_rng(1)
    constants = random.random((7, 4), np.float32)
    inputs = random.random((8, 2, 4), np.float32)
    result = tgsi.run(program, inputs, constants={0: constants}, engine=engine)
    mvp, light, scale = constants[:4].T, constants[4:6, :3], constants[6, 0]
    position = np.c_[inputs[:, 0, :3], np.ones(8, np.float32)] @ mvp.T
    shade = light[1] * np.maximum(inputs[:, 1, :3] @ light[0], 0)[:, None] * scale
    assert program.declared(tgsi.File.OUT)[0].semantic == tgsi.Semantic("POSITION")
    assert np.allclose(result.floats[:, 0], position, rtol=1e-6)
    assert np.allclose(result.floats[:, 1, :3], shade, rtol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_that_returns_early_runs_in_a_loop_that_breaks(engine: str) -> None:
    program = tgsi.read_spirv(module("loop_call_break.frag"))
    random = np.random.default_rng(2)
    inputs = random.random((16, 2, 4), np.float32) * 4
    constants = random.random((8, 4), np.float32)
    result = tgsi.run(program, inputs, constants={2: constants}, engine=engine)
    k = constants[4:, 0]
    expected = []
    for a, uv in inputs:
        total = np.zeros(4, np.float32)
        for i in range(4):
            x = a * k[i]
            total += x * 2 if x[0] > 0.5 else x + k[1]
            if total[3] > 10:
                break
        expected.append((constants[:4].T @ total) * uv[[0, 1, 0, 1]])
    assert np.allclose(result.floats[:, 0], expected, rtol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
def test_switches_fall_through_and_loops_test_at_their_end(engine: str) -> None:
    program = tgsi.read_spirv(module("switch_dowhile_shared.comp"), specialization={"N": 5})
    random = np.random.default_rng(3)
    data = random.random(16, np.float32)
    constants = np.zeros((1, 4), np.float32)
    constants[0, 0] = 1.5
    constants.view(np.int32)[0, 2:] = 7, 9
    result = tgsi.run(program, constants={0: constants}, buffers={0: data.tobytes()}, grid=(2, 1, 1), engine=engine)
    found = np.frombuffer(result.buffers[0].tobytes(), np.float32)
    x = data[3:11]
    for i in range(8):
        block = x[i // 4 * 4 :][:4]
        t = {0: 3.0, 1: 2.0, 5: 7.0}.get(i, 9.0)
        j = 0
        while True:
            t += block[j]
            j += 1
            if j != 3:
                t += 1
            if j >= 4:
                break
        v = np.full(4, t)
        v[i & 3] = 1.5
        assert np.isclose(found[3 + i], t * 1.5 + v[j & 3] + 5 + 13, rtol=1e-6)
    assert found[0] == 7
    assert found[1] == 9


def test_bindings_of_two_sets_do_not_meet() -> None:
    program = tgsi.read_spirv(module("sets.frag"))
    assert "CONST[1][0], -CONST[2][0]" in program.text
    assert [item.first for item in program.declared(tgsi.File.SAMP)] == [2, 3]
    named = tgsi.read_spirv(module("sets.frag"), bindings={"B": 7, "second": 9})
    assert "CONST[1][0], -CONST[8][0]" in named.text
    assert [item.first for item in named.declared(tgsi.File.SAMP)] == [2, 9]
