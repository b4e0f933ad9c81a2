"""Results are equal bytes for every lane count and x86-64 level, in any floating-point environment of the caller."""

from __future__ import annotations

import numpy as np
import pytest

from backends.llvm.kernels.run import run
from tests.golden.vectors import Case, cases
from tests.unit import modes
from tests.unit.llvm.support import run_body, runnable_levels

FLAGS = 0x3F if modes.IS_X86 else 0
"""Bits of the mode that arithmetic sets."""
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


def test_flush_to_zero_and_rounding_of_the_caller_do_not_matter() -> None:
    x = np.full((4, 4), 1e-40, np.float32)
    body = "MUL OUT[0], IN[0], IMM[1].yyyy\nDIV OUT[1], IMM[1].yyyy, CONST[0]"
    constants = {0: np.full((1, 4), 3, np.float32)}
    want = run_body(body, x, constants=constants).outputs
    assert modes.read_mode() & ~FLAGS == modes.DEFAULT
    modes.set_mode(modes.HOSTILE)
    try:
        got = run_body(body, x, constants=constants).outputs
        after = modes.read_mode()
    finally:
        modes.set_mode(modes.DEFAULT)
    assert np.array_equal(got, want)
    assert after & ~FLAGS == modes.HOSTILE
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
