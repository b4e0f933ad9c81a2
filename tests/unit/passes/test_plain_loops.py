"""replace-jumps leaves plain loops alone without reading their regions: it would not change them anyway."""

from __future__ import annotations

from itertools import product

import pytest

from passes.optimise import structure
from passes.pipeline import Pipeline
from tgsi.language.text.parser import parse

HEAD = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\n"
WORK = "ADD TEMP[0], TEMP[0], IN[0]\n"
IF = "IF IN[0].xxxx\n"
PARTS = (
    WORK,
    "BRK\n",
    "CONT\n",
    f"{IF}BRK\nENDIF\n",
    f"{IF}BRK\nELSE\nBRK\nENDIF\n",
    f"{IF}BRK\nELSE\n{WORK}ENDIF\n",
    f"{IF}{WORK}ELSE\nRET\nENDIF\n",
    f"{IF}{IF}BRK\nELSE\nRET\nENDIF\nENDIF\n",
    f"BGNLOOP\n{IF}BRK\nENDIF\n{WORK}ENDLOOP\n",
)


def test_loops_that_look_plain_would_not_change(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = Pipeline.parse("replace-jumps")
    plain = 0
    for parts in product(PARTS, repeat=3):
        program = parse(f"{HEAD}BGNLOOP\n{''.join(parts)}ENDLOOP\nMOV OUT[0], TEMP[0]\nEND\n")
        quick = pipeline.run(program)
        plain += quick is program
        with monkeypatch.context() as patch:
            patch.setattr(structure, "_has_plain_loops", lambda _: False)
            assert pipeline.run(program) == quick
    assert plain > 20
