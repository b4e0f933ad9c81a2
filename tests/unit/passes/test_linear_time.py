"""Passes take linear time where one register is written in every loop of a long program."""

from __future__ import annotations

import time

from passes.form import Form
from passes.optimise.hoist import HoistInvariants
from passes.optimise.split import SplitRegisters
from tgsi.language.text.parser import parse

_HEAD = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..1]
"""
_LOOP = """BGNLOOP
ADD TEMP[0].x, TEMP[0], IN[0]
SGE TEMP[1].x, TEMP[0], IN[0].yyyy
IF TEMP[1].xxxx
BRK
ENDIF
ENDLOOP
"""


def seconds(loops: int) -> float:
    """Processor time of hoist-invariants for a program of many loops, tables excluded."""
    form = Form(parse(_HEAD + _LOOP * loops + "MOV OUT[0], TEMP[0].xxxx\nEND\n"))
    SplitRegisters().rewrite(form)
    assert len(form.values.layout.loops) == loops
    start = time.process_time()
    HoistInvariants().rewrite(form)
    return time.process_time() - start


def test_hoisting_from_many_loops_takes_time_that_grows_with_their_number() -> None:
    few = min(seconds(100) for _ in range(5))
    assert min(seconds(3200) for _ in range(2)) < 100 * few  # 32 times as many loops: quadratic time would be 1000 times as long
