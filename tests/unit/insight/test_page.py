"""The program of docs/explain.md prints the explanation that the page shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "explain.md"


@pytest.mark.nightly
def test_the_program_of_the_page_prints_its_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    program, shown = (re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE) for kind in ("python", "text"))
    session: dict[str, Any] = {}
    exec(program[0], session)
    assert capsys.readouterr().out.strip() == shown[0].strip()
