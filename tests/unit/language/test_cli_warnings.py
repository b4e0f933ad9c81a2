"""Exit codes of tgsi-compile --check for warnings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tgsi.tools.compile.cli import main

LIKELY_WRONG = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\nMOV OUT[0], IN[0]\nEND\n"
RIGHT = LIKELY_WRONG.replace("DCL TEMP[0]\nMOV TEMP[0], IN[0]\n", "")
WRONG = RIGHT.replace("MOV", "MOVE")


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        (RIGHT, [], 0),
        (RIGHT, ["--lint", "--werror"], 0),
        (LIKELY_WRONG, ["--lint"], 0),
        (LIKELY_WRONG, ["--lint", "--werror"], 1),
        (LIKELY_WRONG, ["--lint", "--werror", "--format", "json"], 1),
        (WRONG, [], 1),
        (WRONG, ["--werror"], 1),
    ],
)
def test_warnings_give_the_exit_code_1_only_with_werror(text: str, options: list[str], code: int, tmp_path: Path) -> None:
    path = tmp_path / "a.tgsi"
    path.write_text(text)
    assert main([str(path), "--check", *options]) == code


def test_warnings_are_counted_on_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.tgsi").write_text(LIKELY_WRONG)
    assert main([str(tmp_path / "a.tgsi"), "--check", "--lint"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("no errors, 1 warning")
