"""Control flow, calls, arrays and memory, on both engines, against Python."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import tgsi
from tests.unit.spirv.modules import f32, module

pytestmark = pytest.mark.light
ENGINES = ["jit", "interp"]


def early(x: int) -> int:
    for i in range(10):
        case = x & 3
        if case == 1:
            x += 2
            continue
        if case == 0:
            if i == 3:
                return 100 + x
        else:
            if case == 2:
                for k in range(5):
                    if k * i > x:
                        return k * 1000 + i
            x -= 1
        if x < -3:
            return x
    return x * 7


def factorial(n: int) -> int:
    product = 1
    while n > 1:
        product, n = product * n, n - 1
    return product


def nested(x: int) -> int:
    t = 0
    for i in range(x):
        for j in range(4):
            if j == i:
                continue
            if i * j > 6:
                break
            t += i + j
        if t > 50:
            break
    return t


def switch(x: int) -> int:
    return {1: 1, 2: 29, 3: 29, 4: 20, 8: 7}.get(x, 6)


@pytest.mark.parametrize("name", ["flow.comp", "optimized_flow.comp"])
@pytest.mark.parametrize(("engine", "optimized"), [("jit", True), ("interp", False), ("interp", True)])
def test_loops_switches_and_early_returns(name: str, engine: str, optimized: bool) -> None:
    program = tgsi.read_spirv(module(name))
    program = tgsi.optimize(program) if optimized else program
    result = tgsi.run(program, buffers={0: bytes(10 * 64)}, engine=engine)
    r = np.frombuffer(result.buffers[0].tobytes(), np.int32).reshape(10, 16)
    for x in range(16):
        assert r[0, x] == early(x) + early(x + 1), x
        assert r[1, x] == factorial(x & 7)
        assert r[2, x] == (x * 100 + x * 2 if x > 7 else (x * 2 + 1) * 100 + x)
        assert r[3, x] == nested(x)
        t, k = nested(x), 0
        while True:
            k += 1
            if not k & 1:
                t += k
            if k >= x:
                break
        assert r[4, x] == t
        assert r[5, x] == (1 if (x & 1 and x > 3) or x == 0 else 2 if x < 10 else 3)
        assert r[6, x] == switch(x), x
        if x > 11:
            assert r[7, x] == -1
            continue
        s = switch(x)
        while s <= 12:
            s += 1
        assert r[7, x] == s + 1
        v = [x, x + 1, x + 2, x + 3]
        v[x & 3] = 50
        u = 0
        for item in v:
            u = u * 3 + item
        assert r[8, x] == u
    for x in range(4, 12):
        assert r[9, x] == r[8, 15 - x] + factorial(3)


@pytest.mark.parametrize("name", ["arrays.comp", "optimized_arrays.comp"])
@pytest.mark.parametrize("engine", ENGINES)
def test_structs_arrays_and_layouts(name: str, engine: str) -> None:
    """Offsets are those of std140 and std430 as spirv-dis shows them."""
    program = tgsi.read_spirv(module(name))
    random = np.random.default_rng(4)
    uniforms = random.random(432 // 4).astype(np.float32)
    uniforms.view(np.int32)[416 // 4] = 6
    before = random.random(320 // 4).astype(np.float32)
    before.view(np.uint32)[0] = 1
    result = tgsi.run(program, constants={1: uniforms.reshape(-1, 4)}, buffers={0: before.tobytes()}, engine=engine)
    after = np.frombuffer(result.buffers[0].tobytes(), np.float32)

    def u(offset: int) -> float:
        return float(uniforms[offset // 4])

    for i in range(8):
        other = (7 - i) % 3
        light = 256 + 48 * other
        power = np.float32(u(light + 12)) + np.float32(1)
        color = 9.0 if (other, i % 3) == (1, 1) else u(light + 4 * (i % 3))
        turn = u(light + 16 + 16 + 4 * (i & 1))
        m, n = u(16 * ((i + 1) % 3) + 4 * (i % 3)), u(48 + 64 * (i & 1) + 16 * (i & 3) + 4)
        expected = power * color + turn + i + m + n + 6 + u(400 + 4 * (i & 3))
        assert np.isclose(after[176 // 4 + i], expected, rtol=1e-5), i
        if i < 4:
            row, column = i % 3, i & 1
            assert after[4 + 4 * i : 7 + 4 * i].tolist() == [i, power, before[80 // 4 + 2 * row + column]]
    assert after.view(np.uint32)[0] == 1 + sum(range(8))
    assert after[80 // 4 : 104 // 4].tolist() == [1, 4, 2, 5, 3, 6]
    assert after[136 // 4 : 144 // 4].tolist() == [8, 9]
    last = uniforms[(256 + 96) // 4 :]
    assert after[144 // 4 : 176 // 4].tolist() == [*last[:4], last[4], last[8], last[5], last[9]]
    assert after[176 // 4 + 8] == (320 - 176) // 4


@pytest.mark.parametrize("engine", ENGINES)
def test_specialization_changes_sizes_and_choices(engine: str) -> None:
    a = f32([[[1, 2, 3, 4]]])
    plain = tgsi.run(tgsi.read_spirv(module("constants.vert")), a, engine=engine).floats[0, 1]
    assert plain.tolist() == [1 + 3 * 1.5, 2 + 7, 3, 4]
    program = tgsi.read_spirv(module("constants.vert"), specialization={1: 2.0, "COUNT": 4, "FLIP": True})
    assert tgsi.run(program, a, engine=engine).floats[0, 1].tolist() == [-1 + 4 * 2.0, -2 + 9, -3, -4]


def test_an_unknown_specialization_constant_is_refused() -> None:
    with pytest.raises(tgsi.ParseError, match=r"M009.*no specialization constant 'COUNTS'.*2 \(COUNT\)"):
        tgsi.read_spirv(module("constants.vert"), specialization={"COUNTS": 4})


def test_words_of_either_order_and_arrays_are_the_same_module() -> None:
    data = module("transform.vert")
    words = struct.unpack(f"<{len(data) // 4}I", data)
    program = tgsi.read_spirv(data)
    assert tgsi.read_spirv(struct.pack(f">{len(words)}I", *words)) == program
    assert tgsi.read_spirv(words) == program
    assert tgsi.read_spirv(np.frombuffer(data, np.uint32)) == program
