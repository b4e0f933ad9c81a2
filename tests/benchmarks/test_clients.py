"""OpenGL clients on both sides: rows of the table, wrong options, and a client that needs no package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.clients import __main__ as clients


def _row(ours: float, theirs: float, difference: float = 0.0) -> dict[str, Any]:
    figures = [{"wall": seconds, "cpu": 2 * seconds} for seconds in (ours, theirs)]
    return {"ours": [figures[0]] * 3, "peer": [figures[1]] * 3, "difference": difference, "note": ""}


def test_a_row_has_the_ratio_of_wall_and_of_processor_time() -> None:
    text, figures = clients.line("immediate", _row(0.002, 0.003))
    assert text.split() == ["immediate", "2.00", "3.00", "1.50x", "1.50..1.50", "1.50x", "0.000"]
    assert figures["check_ok"]


def test_pictures_that_differ_are_named() -> None:
    text, figures = clients.line("immediate", _row(0.002, 0.003, difference=1.5))
    assert text.endswith("1.500 DIFFERS")
    assert not figures["check_ok"]


def test_an_unknown_workload_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        clients.main(["--only", "imediate"])
    assert ended.value.code == 2
    assert "imediate: the workloads are moderngl_draws, immediate" in capsys.readouterr().err


def test_a_process_that_fails_is_a_note_of_its_row(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"tgsi: exit code 1: KeyError: 'nothing'"):
        clients.run("tgsi", "nothing", 0.1, tmp_path)


@pytest.mark.nightly
def test_immediate_mode_draws_thousands_of_triangles(tmp_path: Path) -> None:
    figures, picture = clients.run("tgsi", "immediate", 0.1, tmp_path)
    assert figures["wall"] > 0
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 5000
