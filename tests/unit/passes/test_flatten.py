"""flatten-branches keeps what every lane does, and in which order; blocks are nested less after it."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tgsi
from passes.optimise.flatten import FlattenBranches, nesting_of
from passes.pipeline import Pipeline
from passes.validate import validate
from tests.property.engines import result_differences
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

HEAD = (
    "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL BUFFER[0]\nDCL TEMP[0..5]\n"
    "IMM[0] UINT32 {0, 1, 2, 3}\nIMM[1] UINT32 {5, 7, 11, 4}\nMOV TEMP[0], IN[0]\n"
)
LANES = 24
DEEP = "UIF IN[0].xxxx\n" * 300


class Nest:
    """Random blocks: IFs above all, loops and switches that end, jumps, and work that shows in which order lanes came."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0
        self.inside = ""  # L, S: the loops and switches around

    def work(self) -> None:
        a, b = self.chance.choice("xyzw"), self.chance.choice("xyzw")
        kind = self.chance.randrange(4)
        if kind == 0:
            self.lines.append(f"ATOMUADD TEMP[1].{a}, BUFFER[0], IMM[0].{self.chance.choice('xw')}, IMM[0].{self.chance.choice('yz')}")
            self.lines.append(f"UADD TEMP[0].{b}, TEMP[0].{b}{b}{b}{b}, TEMP[1].{a}{a}{a}{a}")
        elif kind == 1:
            self.lines.append(f"UMUL TEMP[0].{a}, TEMP[0].{b}{b}{b}{b}, IMM[1].{b}{b}{b}{b}")
        else:
            self.lines.append(f"UADD TEMP[0].{a}, TEMP[0].{b}{b}{b}{b}, IMM[1].{a}{a}{a}{a}")

    def condition(self) -> None:
        channel = self.chance.choice("xyzw")
        self.lines.append(
            f"AND TEMP[2].x, TEMP[0].{channel}{channel}{channel}{channel}, IMM[0].{self.chance.choice(('yyyy', 'zzzz', 'wwww'))}"
        )

    def region(self, depth: int) -> None:
        for _ in range(self.chance.randrange(3)):
            kind = self.chance.randrange(10)
            if depth == 0 or kind < 3:
                self.work()
            elif kind < 7:
                self.branch(depth)
            elif kind == 7:
                self.loop(depth)
            elif kind == 8:
                self.switch(depth)
            elif self.inside and self.chance.random() < 0.5:
                self.lines.append(self.chance.choice(["BRK", "CONT"] if "L" in self.inside else ["BRK"]))
            elif self.chance.random() < 0.1:
                self.lines.append("RET")

    def branch(self, depth: int) -> None:
        self.condition()
        self.lines.append("UIF TEMP[2].xxxx")
        self.region(depth - 1)
        if self.chance.random() < 0.7:
            self.lines.append("ELSE")
            self.region(depth - 1)
        self.lines.append("ENDIF")

    def loop(self, depth: int) -> None:
        self.loops += 1
        counter = f"TEMP[{3 + self.loops // 4 % 3}].{'xyzw'[self.loops % 4]}"
        if self.loops > 12:
            return self.branch(depth)
        wide = counter[:-1] + counter[-1] * 4
        self.lines += [f"MOV {counter}, IMM[0].xxxx", "BGNLOOP", f"UADD {counter}, {wide}, IMM[0].yyyy"]
        self.lines += [f"USLT TEMP[2].x, IMM[0].{self.chance.choice('zw') * 4}, {wide}", "UIF TEMP[2].xxxx", "BRK", "ENDIF"]
        self.inside += "L"
        self.region(depth - 1)
        self.inside = self.inside[:-1]
        self.lines.append("ENDLOOP")
        return None

    def switch(self, depth: int) -> None:
        self.condition()
        self.lines.append("SWITCH TEMP[2].xxxx")
        self.inside += "S"
        for label in self.chance.sample(["CASE IMM[0].xxxx", "CASE IMM[0].yyyy", "CASE IMM[0].zzzz", "DEFAULT"], 3):
            self.lines.append(label)
            self.region(depth - 1)
            if self.chance.random() < 0.6:
                self.lines.append("BRK")
        self.inside = self.inside[:-1]
        self.lines.append("ENDSWITCH")


def nest(seed: int) -> str:
    """A program of random blocks."""
    made = Nest(seed)
    for _ in range(4):
        made.region(7)
        made.branch(7)
    return HEAD + "\n".join(made.lines) + "\nMOV OUT[0], TEMP[0]\nEND\n"


def results(program: Program, engine: str = "interp") -> tgsi.RunResult:
    words = np.random.default_rng(5).integers(0, 64, (LANES, 1, 4), np.uint32)
    return tgsi.run(program, words, buffers={0: np.zeros(16, np.uint32)}, engine=engine, lanes=32)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize(("begin", "end"), [(0, 40), pytest.param(40, 2000, marks=pytest.mark.nightly)])
def test_lanes_do_the_same_in_the_same_order(depth: int, begin: int, end: int) -> None:
    changed = 0
    for seed in range(begin, end):
        program = parse(nest(seed))
        flat = FlattenBranches(depth=depth).run(program)
        validate(flat)
        assert parse(str(flat)) == flat
        changed += flat is not program
        assert result_differences(results(program), results(flat), exact=True, survivors=True) == [], (seed, str(program))
    assert changed > (end - begin) // 4


def chain(cases: int, arm: str = "MOV OUT[0], TEMP[0].xxxx") -> str:
    """A chain of `else if` with an arm for each whole number."""
    lines = [HEAD.replace("MOV TEMP[0], IN[0]\n", ""), "MOV TEMP[1], IN[0].xxxx"]
    for _ in range(cases):
        lines += ["UIF TEMP[1].xxxx", "UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy", "UADD TEMP[1].x, TEMP[1].xxxx, -IMM[0].yyyy", "ELSE"]
    return "\n".join([*lines, "NOP", *["ENDIF"] * cases, arm, "END", ""])


def test_the_deepest_chain_is_nested_no_deeper_than_asked() -> None:
    for cases, depth in ((5, 4), (101, 100), (1000, 100), (1000, 2), (30_000, 100)):
        program = parse(chain(cases))
        flat = FlattenBranches(depth=depth).run(program)
        assert nesting_of(program) == cases
        assert nesting_of(flat) <= depth
        assert len(flat.instructions) < 3 * len(program.instructions)


def test_programs_that_are_not_so_deep_stay_the_same_object() -> None:
    program = parse(chain(100))
    assert FlattenBranches().run(program) is program


def test_loops_stay_nested_and_leave_one_branch_open_around_each() -> None:
    deep = "UIF IN[0].xxxx\n" * 50 + ("BGNLOOP\n" + "UIF IN[0].xxxx\n" * 30) * 4
    text = f"{HEAD}{deep}BRK\n" + ("ENDIF\n" * 30 + "BRK\nENDLOOP\n") * 4 + "ENDIF\n" * 50 + "MOV OUT[0], TEMP[0]\nEND\n"
    flat = FlattenBranches().run(parse(text))
    assert nesting_of(flat) <= 100
    assert sum(item.opcode.name == "BGNLOOP" for item in flat.instructions) == 4


def test_calls_still_name_their_subroutine() -> None:
    body = "UIF IN[0].xxxx\n" * 3 + "UADD TEMP[0], TEMP[0], IMM[1]\n" + "ENDIF\n" * 3
    text = f"{HEAD}{body}CAL :{1 + 7 + 1 + 2}\nMOV OUT[0], TEMP[0]\nEND\nBGNSUB\n{body}RET\nENDSUB\n"
    program = parse(text)
    flat = FlattenBranches(depth=1).run(program)
    assert flat != program
    assert result_differences(results(program), results(flat), exact=True, survivors=True) == []


def test_a_program_that_can_observe_its_number_of_registers_is_refused_with_the_way_out() -> None:
    text = chain(200, "UARL ADDR[0].x, IN[0].xxxx\nMOV OUT[0], TEMP[ADDR[0].x]").replace("DCL TEMP", "DCL ADDR[0]\nDCL TEMP")
    with pytest.raises(UnsupportedError, match=r"B040(.|\n)*ARRAY\(1\)"):
        Pipeline.parse("flatten-branches").run(parse(text), is_valid=True)


@pytest.mark.parametrize("ends", ["ENDLOOP\n" * 300, "ENDIF\n" * 299, "ENDIF\n" * 301, "ENDLOOP\nELSE\n"])
def test_programs_whose_blocks_do_not_nest_stay_as_they_are(ends: str) -> None:
    program = parse(f"{HEAD}{DEEP}{ends}END\n")
    assert FlattenBranches().run(program) is program


def test_a_second_else_does_no_harm() -> None:
    assert FlattenBranches().run(parse(HEAD + DEEP + "ELSE\n" * 2 + "ENDIF\n" * 300 + "END\n"))
