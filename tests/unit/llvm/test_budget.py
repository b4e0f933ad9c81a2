"""The budget of compilation: large modules are compiled in a linear way, with the same results; larger ones are refused before LLVM."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tgsi
from backends.abi.limits import MAX_COMPILE_MS
from backends.llvm.engine import budget, codegen, engine
from backends.llvm.engine.budget import PIECE, estimate_ms, in_pieces, is_large
from backends.llvm.engine.engine import compile_module
from backends.llvm.kernels.run import run
from backends.llvm.kernels.stages import build_run_kernel
from backends.llvm.program.plan import fitting_lanes
from backends.llvm.translate import flow
from tests.campaigns.bombs import MOST_MB, MOST_S, measure
from tests.fuzz.bombs import BOMBS
from tgsi.language.diagnostics import UnsupportedError

CPUS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
CONSTRUCTS = ("different sums", "nested IFs", "work in a loop", "cases", "doubles")


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_large_modules_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tgsi.parse(BOMBS[name](40))
    inputs = np.random.default_rng(3).normal(size=(24, 6, 4)).astype(np.float32)
    want = tgsi.run(program, inputs, engine="interp", fuel=9)
    module = build_run_kernel(program, 8, fuel=9)
    monkeypatch.setattr(budget, "PIECE", 50)
    monkeypatch.setattr(budget, "is_large", lambda text, cpu: True)
    found = run(program, inputs, lanes=8, library=compile_module(module), fuel=9)
    assert np.array_equal(found.outputs, want.outputs)


def test_blocks_are_cut_into_pieces() -> None:
    text = build_run_kernel(tgsi.parse(BOMBS["chain"](1000)), 8).text()
    blocks = re.split(r"^\w+:$", in_pieces(text), flags=re.MULTILINE)
    assert max(block.count("\n") for block in blocks) < PIECE + 20
    assert max(block.count("\n") for block in re.split(r"^\w+:$", text, flags=re.MULTILINE)) > 2 * PIECE
    assert re.sub(r"  br label %piece\d+\npiece\d+:\n", "", in_pieces(text)) == text


def test_a_module_beyond_the_budget_is_refused_before_llvm_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    module = build_run_kernel(tgsi.parse(BOMBS["indirect adds"](2500)), 64)
    monkeypatch.setattr(codegen, "parse_module", lambda *given: pytest.fail("LLVM read the text"))
    with pytest.raises(UnsupportedError, match=r"B042.*would take LLVM about [\d.]+ s") as caught:
        engine.compile_object(module)
    assert "fewer lanes" in str(caught.value)


def test_a_program_that_becomes_too_long_is_refused_at_its_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    program = tgsi.parse(BOMBS["chain"](100))
    monkeypatch.setattr(flow, "MAX_LINES", 200)
    with pytest.raises(UnsupportedError, match=r"B042.*more than 200 lines") as caught:
        build_run_kernel(program, 8)
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert span.source.text[span.start :].startswith("MUL TEMP")


@pytest.mark.parametrize("cpu", CPUS)
def test_the_estimate_grows_with_the_text(cpu: str) -> None:
    few, many = (estimate_ms(build_run_kernel(tgsi.parse(BOMBS["chain"](n)), 8, cpu=cpu).text(), cpu) for n in (1000, 2000))
    assert 0 < 1.9 * few < many < 2.1 * few


def test_texts_of_real_length_are_not_large() -> None:
    for name in ("chain", "indirect adds", "textures", "nested IFs", "COS"):
        text = build_run_kernel(tgsi.parse(BOMBS[name](60)), 32, cpu="x86-64-v3").text()
        assert not is_large(text, "x86-64-v3"), name


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("name", ["DADD", "DMUL", "DDIV", "DSQRT"])
def test_a_thousand_operations_of_doubles_are_compiled(name: str, cpu: str) -> None:
    program = tgsi.parse(BOMBS[name](1000))
    assert estimate_ms(build_run_kernel(program, fitting_lanes(program, 16), cpu=cpu).text(), cpu) < MAX_COMPILE_MS


@pytest.mark.parametrize(
    ("name", "cpu", "count"),
    [
        ("UMSB", "x86-64-v2", 900),  # 1.4 s for 400
        ("U642F", "x86-64-v3", 3500),  # 0.7 s for 750
        ("U64SGE", "x86-64-v2", 1500),  # 0.9 s for 800
        ("U64SLT", "x86-64-v4", 6000),  # 1.7 s for 3,000
        ("DADD", "aarch64-linux-gnu", 2000),  # 1.7 s for 1,000
    ],
)
def test_instructions_that_take_llvm_long_are_counted(name: str, cpu: str, count: int) -> None:
    with pytest.raises(UnsupportedError, match="B042"):
        is_large(build_run_kernel(tgsi.parse(BOMBS[name](count)), 8, cpu=cpu).text(), cpu)


def test_long_programs_run_with_fewer_lanes() -> None:
    assert [fitting_lanes(tgsi.parse(BOMBS["chain"](n)), 64) for n in (1000, 3000, 9000)] == [64, 32, 8]
    assert [fitting_lanes(tgsi.parse(BOMBS["indirect adds"](n)), 64) for n in (200, 1000)] == [64, 16]


@pytest.mark.slow
def test_five_thousand_additions_of_indexed_registers_are_compiled_or_refused_in_time() -> None:
    outcome, spent, peak = measure(BOMBS["indirect adds"](5000), "run")
    assert outcome in ("ran", "B042")
    assert spent < MOST_S
    assert peak < MOST_MB
