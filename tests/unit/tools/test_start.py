"""The command starts fast: each action loads its own modules and no others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GOOD = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n"
OURS = ("tgsi", "passes", "linkage", "frontends", "backends")
CODE = """
import sys
before = set(sys.modules)
sys.argv[1:] = sys.argv[1:]
from tgsi.tools.compile.cli import main
code = main(sys.argv[1:])
print(*sorted(set(sys.modules) - before), sep="\\n", file=sys.stderr)
sys.exit(code)
"""


def loaded(*arguments: str | Path) -> list[str]:
    """Modules that a command loads."""
    command = [sys.executable, "-c", CODE, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return done.stderr.split()


def below(names: list[str], *packages: str) -> list[str]:
    return [name for name in names if any(name == package or name.startswith(f"{package}.") for package in packages)]


def test_a_check_loads_the_parser_and_the_validator_alone(tmp_path: Path) -> None:
    (tmp_path / "one.tgsi").write_text(GOOD)
    names = loaded("--check", tmp_path / "one.tgsi")
    assert below(names, "passes.validate") != []
    assert below(names, "linkage", "frontends", "passes.lint", "passes.optimise", "tgsi.api", "backends.llvm", "numpy", "llvmlite") == []
    assert below(names, "tgsi.language.printer", "tgsi.language.listing", "tgsi.language.text.advice") == []
    assert below(names, "tgsi.tools.compile.batch.reports", "tgsi.tools.compile.run", "tgsi.tools.compile.draw.command") == []
    assert below(names, "json", "shutil", "difflib", "subprocess", "glob", "platformdirs") == []
    assert len([name for name in names if name.partition(".")[0] in OURS]) < 76


@pytest.mark.parametrize("words", [["--version"], ["--help"]])
def test_the_version_and_the_help_load_no_compiler(words: list[str]) -> None:
    names = loaded(*words)
    assert below(names, "passes", "linkage", "frontends", "tgsi.language.text", "tgsi.tools.compile.run", "tgsi.tools.compile.nvk") == []
    assert len([name for name in names if name.partition(".")[0] in OURS]) < 50


def test_the_profile_of_a_check_is_that_of_our_renderer() -> None:
    from linkage.profiles import PROFILES
    from passes.validate.semantics import SOFTWARE
    from tgsi.tools.compile.front import DEFAULT_PROFILE

    assert PROFILES[DEFAULT_PROFILE].semantic_limits is SOFTWARE
