"""Hooks for pre-commit: their commands run on files as pre-commit passes them."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from tests.unit.language.command import Run

ROOT = Path(__file__).parents[3]
GOOD = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n"
KEYS = {"id", "name", "description", "entry", "language", "files", "types", "additional_dependencies"}


def hooks() -> dict[str, dict[str, str]]:
    """The hooks of the file by id, whose values are all on one line."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    rows = [dict(re.findall(r"^[- ] (\w+): (.+)$", part, re.MULTILINE)) for part in re.split(r"^(?=- )", text, flags=re.MULTILINE) if part]
    return {row["id"]: row for row in rows}


def test_there_is_a_hook_that_checks_and_one_that_corrects() -> None:
    assert set(hooks()) == {"tgsi-check", "tgsi-fix", "tgsi-check-glsl"}
    for row in hooks().values():
        assert set(row) <= KEYS
        assert row["language"] == "python"


@pytest.mark.parametrize("name", sorted(hooks()))
def test_the_entry_of_a_hook_runs(run: Run, folder: Path, name: str) -> None:
    command, *words = shlex.split(hooks()[name]["entry"])
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert scripts[command] == "tgsi.tools.compile.cli:main"
    Path("a b.tgsi").write_text(GOOD)
    Path("b.tgsi").write_text(GOOD.replace("MOV", "MOVE"))
    assert run(*words, "a b.tgsi") == (0, "", "")
    code, out, _ = run(*words, "a b.tgsi", "b.tgsi")
    assert (code, "MOVE" in out) == (0 if name == "tgsi-fix" else 1, True)
    assert (Path("b.tgsi").read_text() == GOOD) == (name == "tgsi-fix")


@pytest.mark.parametrize(
    ("name", "file", "wanted"),
    [
        ("tgsi-check", "src/a.tgsi", True),
        ("tgsi-check", "a.spv", True),
        ("tgsi-check", "a.tgsi.orig", False),
        ("tgsi-fix", "a.tgsi", True),
        ("tgsi-fix", "a.spv", False),
        ("tgsi-check-glsl", "a.frag", True),
        ("tgsi-check-glsl", "a.frag.hlsl", True),
        ("tgsi-check-glsl", "a.glsl", False),
    ],
)
def test_a_hook_takes_the_files_of_its_languages(name: str, file: str, wanted: bool) -> None:
    assert bool(re.search(hooks()[name]["files"], file)) == wanted
