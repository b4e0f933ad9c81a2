"""Results are equal bytes for every lane count and x86-64 level, in any floating-point environment of the caller."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from backends.llvm.builder.function import PTR, Function, Module
from backends.llvm.engine.engine import compile_module
from backends.llvm.kernels.run import run
from tests.golden.vectors import Case, cases
from tests.unit.llvm.support import run_body, runnable_levels

CHOSEN = [case for name in ("opcodes", "random") for case in cases(name)[5::60]] + list(cases("flow")[::5])


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: case.name)
def test_results_depend_on_neither_lanes_nor_level(case: Case) -> None:
    reference = case.run(run, lanes=16)
    levels = runnable_levels()
    choices = [("host", 4), ("host", 32), ("host", 64), (levels[0], 8), (levels[-1], 16)]
    for cpu, lanes in choices:
        result = case.run(run, lanes=lanes, cpu=cpu)
        assert np.array_equal(result.outputs, reference.outputs), (cpu, lanes)
        assert np.array_equal(result.alive, reference.alive)


def _mxcsr(name: str) -> Any:
    module = Module("csr")
    f = Function(module, name, [PTR])
    f.call(None, f"llvm.x86.sse.{name}", f.args[0])
    f.ret()
    library = compile_module(module)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.address[name])
    function.__dict__["library"] = library
    return function


def test_flush_to_zero_and_rounding_of_the_caller_do_not_matter() -> None:
    store, load = _mxcsr("stmxcsr"), _mxcsr("ldmxcsr")
    before, hostile, after = (np.zeros(1, np.uint32) for _ in range(3))
    x = np.full((4, 4), 1e-40, np.float32)
    body = "MUL OUT[0], IN[0], IMM[1].yyyy\nDIV OUT[1], IMM[1].yyyy, CONST[0]"
    constants = {0: np.full((1, 4), 3, np.float32)}
    want = run_body(body, x, constants=constants).outputs
    store(before.ctypes.data)
    hostile[0] = 0x1F80 | 0x8000 | 0x40 | 0x6000  # flush to zero, denormals are zero, round toward zero
    load(hostile.ctypes.data)
    try:
        got = run_body(body, x, constants=constants).outputs
        store(after.ctypes.data)
    finally:
        load(before.ctypes.data)
    assert np.array_equal(got, want)
    assert after[0] & 0xE040 == hostile[0] & 0xE040
    assert want[0, 0, 0] == np.float32(1e-40).view(np.uint32)


def test_no_fast_math_flag_or_undefined_value_is_written() -> None:
    from backends.llvm.kernels.stages import build_run_kernel

    forbidden = [
        "fast ",
        "contract",
        "reassoc",
        "nnan",
        "ninf",
        "nsz",
        "arcp",
        "afn",
        " nsw",
        " nuw",
        " exact",
        "inbounds",
        "undef",
        "poison",
        "fmuladd",
        "fptoui",
        "llvm.pow",
        "llvm.exp",
        "llvm.log",
        "llvm.sin",
        "llvm.cos",
        "frem",
    ]
    for case in cases("random")[:20] + cases("flow"):
        text = build_run_kernel(case.program, 8).text()
        assert [word for word in forbidden if word in text] == [], case.name
