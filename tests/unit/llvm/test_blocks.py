"""Values that the builder computes once: pure values, constants, products over the back edge of a loop."""

from __future__ import annotations

import numpy as np
import pytest

from backends.llvm.builder.function import F32, I32, PTR, Function, Module, Val
from backends.llvm.engine.codegen import optimized_text
from backends.llvm.engine.engine import compile_module
from backends.llvm.kernels.stages import build_run_kernel
from backends.llvm.library import math
from tests.unit.llvm.support import VERT_HEADER, entry
from tgsi.language.text.parser import parse


def _function() -> Function:
    return Function(Module("m"), "k", [PTR, PTR])


def _vector(f: Function) -> Val:
    return f.load(F32.wide(8), f.args[0])


def test_a_value_is_computed_once_where_the_first_place_dominates() -> None:
    f = _function()
    x = _vector(f)
    first = x * x
    assert (x * x) is first
    assert (x + x) is not first
    with f.if_(f.any(x > 1.0)):
        assert (x * x) is first
        inside = x - 1.0
    assert (x - 1.0) is not inside
    with f.else_of(f.any(x > 2.0)) as otherwise:
        then = x * 3.0
        otherwise()
        assert (x * 3.0) is not then
        assert (x * x) is first
    assert (x * x) is first


def test_a_loop_begins_with_nothing_computed() -> None:
    f = _function()
    x = _vector(f)
    first = x * x
    with f.range(0, 4):
        inside = x * x
        assert inside is not first
    assert (x * x) is not inside


def test_loads_and_calls_are_never_shared() -> None:
    f = _function()
    assert _vector(f) is not _vector(f)
    assert f.call(I32, "sched_yield") is not f.call(I32, "sched_yield")


def test_constants_stay_constants_in_vectors_and_as_other_types() -> None:
    f = _function()
    one = f.const(I32, 0x3F800000)
    assert str(f.splat(one, 8).as_float()) == "<8 x float> splat (float 0x3FF0000000000000)"
    assert f.const(F32, -2.0).as_int().number == 0xC0000000
    assert f.body == []
    signalling = f.const(I32, 0x7F800001).as_float()
    assert signalling.number is None
    assert "bitcast i32 2139095041" in f.body[-1]


def test_a_rare_branch_keeps_long_operations_in_front_of_it() -> None:
    f = _function()
    x = _vector(f)
    root = f.sqrt(x)
    with f.if_(f.any(x > 1.0), unlikely=True):
        f.store(x, f.args[1])
    f.store(root, f.args[1])
    f.ret()
    text = optimized_text(f.module)
    assert text.index("llvm.sqrt.v8f32(<8 x float> %") < text.index("br i1")
    assert "store volatile" in text


def test_a_hidden_constant_is_no_constant_for_llvm() -> None:
    f = _function()
    f.store(_vector(f) * f.hidden(2.0), f.args[1])
    assert f.hidden(2.0) is f.hidden(2.0)
    f.ret()
    assert "fmul <8 x float>" in optimized_text(f.module)
    data, result = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    entry(compile_module(f.module), "k", 2)(data, result)
    assert np.array_equal(result, 2 * data)


LOOP = """MOV TEMP[0], IN[0]
MOV TEMP[1].x, IMM[0].xxxx
BGNLOOP
USGE TEMP[2].x, TEMP[1], CONST[0]
UIF TEMP[2].xxxx
BRK
ENDIF
MUL TEMP[3].xy, TEMP[0], TEMP[0]
ADD TEMP[0].xy, TEMP[3], IN[0]
DP2 TEMP[4].x, TEMP[0], TEMP[0]
ADD TEMP[5].x, TEMP[5], TEMP[4]
UADD TEMP[1].x, TEMP[1], IMM[0].yyyy
ENDLOOP
MOV OUT[0], TEMP[5].xxxx"""


def test_squares_of_the_end_of_a_round_serve_the_next_one() -> None:
    program = parse(f"{VERT_HEADER}{LOOP}\nEND\n")
    text = optimized_text(build_run_kernel(program, 8))
    assert text.count("fmul <8 x float>") == 4  # two before the loop, two inside


@pytest.mark.parametrize("cosine", [False, True])
def test_angles_together_are_what_they_are_alone(cosine: bool) -> None:
    random = np.random.default_rng(9)
    x = np.concatenate([random.uniform(-40, 40, 6), [1e9, np.inf]]).astype(np.float32)
    results = []
    for together in (True, False):
        f = _function()
        v = _vector(f)
        others = [v * 0.5, v + 1.0] if together else []
        angles = math.trigonometry(f, [v, *others], [cosine, not cosine, cosine][: 1 + len(others)])
        f.store(angles[0], f.args[1])
        f.ret()
        result = np.zeros(8, np.float32)
        entry(compile_module(f.module), "k", 2)(x, result)
        results.append(result.view(np.uint32))
    assert np.array_equal(results[0], results[1])
