"""Short loops: those whose counters are constants have no fuel, and end as the interpreter's do."""

import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.llvm.program.plan import plan_of
from backends.llvm.program.rounds import MOST, short_loops
from backends.llvm.program.tree import controls

INPUTS = np.float32(np.arange(8).reshape(8, 1, 1) + np.zeros((8, 1, 4)))


def looping(body: str, immediate: str, begin: str = "MOV TEMP[0].x, IMM[0].xxxx") -> tgsi.Program:
    """A program that counts in TEMP[1] how often its loop begins again. IMM[0] is {first, limit, step, 1}."""
    lines = [
        "FRAG",
        "DCL IN[0], GENERIC[0], LINEAR",
        "DCL OUT[0], COLOR",
        "DCL TEMP[0..5]",
        "DCL ADDR[0]",
        f"IMM[0] {immediate}",
        "IMM[1] UINT32 {1, 3, 7, 0}",
        "IMM[2] FLT32 {3.0, 0.0, 0.0, 0.0}",
        begin,
        "BGNLOOP",
        *body.strip().split("\n"),
        "  UADD TEMP[1].x, TEMP[1].xxxx, IMM[1].xxxx",
        "ENDLOOP",
        "MOV OUT[0], TEMP[1].xxxx",
        "END",
    ]
    return tgsi.parse("\n".join(lines))


def bound_of(program: tgsi.Program) -> int | None:
    plan = plan_of(program)
    (loop, *_) = (control for control in controls(plan.main) if control.kind == "loop")
    return plan.short.get(loop)


def counted(program: tgsi.Program, **options: Any) -> np.ndarray:
    """Rounds of each lane, the same in both engines."""
    jit, interp = (tgsi.run(program, INPUTS, engine=engine, **options) for engine in ("jit", "interp"))
    assert (jit.outputs == interp.outputs).all()
    assert (jit.exhausted == interp.exhausted).all()
    return jit.outputs.view("u4").reshape(-1, 4)[:, 0]


EXIT = "{test}\nUIF TEMP[2].xxxx\n  BRK\nENDIF\n{step}"
UP = "UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz"
AT_LEAST = "ISGE TEMP[2].x, TEMP[0].xxxx, IMM[0].yyyy"


@pytest.mark.parametrize(
    ("test", "step", "immediate", "rounds"),
    [
        (AT_LEAST, UP, "INT32 {0, 4, 1, 0}", 4),
        (AT_LEAST, UP, "INT32 {-5, 6, 3, 0}", 4),
        (AT_LEAST, UP, "INT32 {9, 4, 1, 0}", 0),
        (AT_LEAST, UP, f"INT32 {{0, {MOST}, 1, 0}}", MOST),
        (AT_LEAST, UP, f"INT32 {{0, {MOST + 1}, 1, 0}}", None),
        (AT_LEAST, UP, "INT32 {0, 4, -1, 0}", None),
        (AT_LEAST, UP, "INT32 {0, 4, 0, 0}", None),
        ("USLT TEMP[2].x, TEMP[0].xxxx, IMM[0].yyyy", UP, "INT32 {10, 3, -1, 0}", 8),
        ("USEQ TEMP[2].x, IMM[0].yyyy, TEMP[0].xxxx", UP, "INT32 {0, 12, 2, 0}", 6),
        ("USEQ TEMP[2].x, IMM[0].yyyy, TEMP[0].xxxx", UP, "INT32 {1, 12, 2, 0}", None),
        ("FSGE TEMP[2].x, TEMP[0].xxxx, IMM[0].yyyy", "ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz", "FLT32 {0.0, 1.0, 0.1, 0.0}", 10),
        ("FSGE TEMP[2].x, TEMP[0].xxxx, IMM[0].yyyy", "ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz", "FLT32 {1e9, 2e9, 1.0, 0}", None),
        ("ISGE TEMP[2].x, TEMP[0].xxxx, IMM[0].yyyy", "SHL TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz", "INT32 {1, 64, 1, 0}", 6),
    ],
)
def test_the_bound_of_a_counted_loop_is_the_rounds_that_it_makes(test: str, step: str, immediate: str, rounds: int | None) -> None:
    program = looping(EXIT.format(test=test, step=step), immediate)
    assert bound_of(program) == rounds
    if rounds is not None:
        assert (counted(program) == rounds).all()


def test_a_counter_that_steps_before_its_test_makes_one_round_less() -> None:
    program = looping(f"{UP}\n{AT_LEAST}\nUIF TEMP[2].xxxx\nBRK\nENDIF", "INT32 {0, 4, 1, 0}")
    assert bound_of(program) == 3
    assert (counted(program) == 3).all()


def test_an_exit_in_the_second_arm_counts() -> None:
    program = looping(f"ISLT TEMP[2].x, TEMP[0].xxxx, IMM[0].yyyy\nUIF TEMP[2].xxxx\nELSE\nBRK\nENDIF\n{UP}", "INT32 {0, 4, 1, 0}")
    assert bound_of(program) == 4
    assert (counted(program) == 4).all()


def test_other_exits_only_shorten_a_loop() -> None:
    early = "FSLT TEMP[3].x, IN[0].xxxx, IMM[2].xxxx\nUIF TEMP[3].xxxx\nBRK\nENDIF\n"
    program = looping(early + EXIT.format(test=AT_LEAST, step=UP), "INT32 {0, 4, 1, 0}")
    assert bound_of(program) == 4
    assert counted(program).tolist() == [0, 0, 0, 4, 4, 4, 4, 4]


def test_a_nest_is_as_long_as_the_product_of_its_loops() -> None:
    inner = f"MOV TEMP[4].x, IMM[0].xxxx\nBGNLOOP\n{EXIT.format(test=AT_LEAST, step=UP)}\nENDLOOP\n".replace("TEMP[0]", "TEMP[4]")
    for limit, bound in ((4, 20), (15, 240), (16, None)):
        program = looping(inner + EXIT.format(test=AT_LEAST, step=UP), f"INT32 {{0, {limit}, 1, 0}}")
        assert bound_of(program) == bound
        assert (counted(program) == limit).all()


@pytest.mark.parametrize(
    "body",
    [
        "FSLT TEMP[3].x, IN[0].xxxx, IMM[2].xxxx\nUIF TEMP[3].xxxx\nCONT\nENDIF",  # lanes that begin again without a step
        "FSLT TEMP[3].x, IN[0].xxxx, IMM[2].xxxx\nUIF TEMP[3].xxxx\nMOV TEMP[0].x, IMM[0].xxxx\nENDIF",  # another write
        "MOV TEMP[2].x, IN[0].xxxx",  # another condition than the test's
        "UARL ADDR[0].x, IMM[1].wwww\nMOV TEMP[ADDR[0].x].x, IMM[0].xxxx",  # a write at run time
        "BGNLOOP\nFSLT TEMP[3].x, IN[0].xxxx, TEMP[5].xxxx\nUIF TEMP[3].xxxx\nBRK\nENDIF\nMOV TEMP[5].x, IN[0].xxxx\nENDLOOP",
    ],
)
def test_a_loop_with_anything_unknown_keeps_its_fuel(body: str) -> None:
    test, rest = EXIT.format(test=AT_LEAST, step=UP).split("\n", 1)
    program = looping(f"{test}\n{body}\n{rest}", "INT32 {0, 4, 1, 0}")
    assert bound_of(program) is None
    counted(program, fuel=20)


@pytest.mark.parametrize("begin", ["MOV TEMP[0].x, IN[0].xxxx", "UIF IMM[0].zzzz\nMOV TEMP[0].x, IMM[0].xxxx\nENDIF"])
def test_a_counter_must_begin_as_a_constant(begin: str) -> None:
    assert bound_of(looping(EXIT.format(test=AT_LEAST, step=UP), "INT32 {0, 4, 1, 0}", begin)) is None


@pytest.mark.parametrize("fuel", [1, 3, 4, 5])
def test_a_short_loop_runs_out_of_less_fuel_than_its_rounds(fuel: int) -> None:
    program = looping(EXIT.format(test=AT_LEAST, step=UP), "INT32 {0, 4, 1, 0}")
    assert (counted(program, fuel=fuel) == min(fuel, 4)).all()


def test_the_search_takes_a_time_that_grows_with_the_text() -> None:
    loop = f"MOV TEMP[0].x, IMM[0].xxxx\nBGNLOOP\n{AT_LEAST}\nUIF TEMP[2].xxxx\nBRK\nENDIF\n{UP}\nENDLOOP\n"

    def looks(loops: int) -> int:
        program = looping(loop * loops + "BRK", "INT32 {0, 4, 1, 0}", begin=loop * loops + "NOP")
        main, seen = plan_of(program).main, 0

        def watch(frame: FrameType, event: str, argument: object) -> None:
            nonlocal seen
            seen += event == "call"

        sys.setprofile(watch)
        try:
            short_loops(program, main, ())
        finally:
            sys.setprofile(None)
        return seen

    assert looks(400) < 2.2 * looks(200)
