"""Whatever a valid program holds: the code generator builds it or refuses it by name, and what it builds ends and stays in its memory."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backends.llvm.run import run
from backends.llvm.stages import build_run_kernel
from passes.validate import validate
from tests.property.programs import GeneratedProgram, programs
from tgsi.diagnostics import TgsiError, UnsupportedError
from tgsi.ir import Program
from tgsi.parser import parse

_LINES = [
    "UIF IN[3].xxxx",
    "ELSE",
    "ENDIF",
    "BGNLOOP",
    "ENDLOOP",
    "BRK",
    "CONT",
    "RET",
    "SWITCH IN[3].xxxx",
    "CASE IN[2].yyyy",
    "DEFAULT",
    "ENDSWITCH",
    "KILL",
    "END",
    "BGNSUB",
    "ENDSUB",
    "CAL :9",
    "UARL ADDR[0], IN[2]",
    "MOV OUT[ADDR[0].x+7], IN[ADDR[0].y-3]",
    "MOV TEMP[30000], CONST[31][30000]",
    "DMAD TEMP[3], IN[0], IN[1], IN[2]",
    "U64DIV TEMP[2], IN[2], TEMP[2]",
    "LOAD TEMP[0], CONSTBUF[0], IN[0]",
    "TEX TEMP[0], IN[0], SAMP[0], 2D",
    "ATOMUADD TEMP[0], BUFFER[0], IN[0], IN[1]",
]

_CHANGES = st.lists(
    st.tuples(st.sampled_from(["insert", "delete", "swap"]), st.integers(0, 200), st.sampled_from(_LINES)), min_size=1, max_size=5
)


def _changed(text: str, changes: list[tuple[str, int, str]]) -> str:
    lines = text.splitlines()
    for kind, place, line in changes:
        at = 1 + place % (len(lines) - 2)
        if kind == "insert":
            lines.insert(at, line)
        elif kind == "delete":
            del lines[at]
        else:
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return "\n".join(lines) + "\n"


def _valid(text: str) -> Program | None:
    try:
        program = parse(text)
        validate(program)
    except TgsiError:
        return None
    return program


@settings(max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(programs(), _CHANGES, st.booleans())
def test_a_valid_program_is_built_or_refused(generated: GeneratedProgram, changes: list[tuple[str, int, str]], execute: bool) -> None:
    program = _valid(_changed(generated.text, changes))
    if program is None:
        return
    refused = "B"
    try:
        if execute:
            result = run(program, np.resize(generated.inputs, (8, 4, 4)), constants=generated.constants, lanes=8)
            assert result.alive.shape == (8,)
        else:
            build_run_kernel(program, 8).text()
    except UnsupportedError as error:
        refused = error.diagnostics[0].code
    assert refused.startswith("B")
