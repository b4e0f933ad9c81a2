"""`tgsi`: the commands as subcommands of one name."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import tgsi
from tgsi.tools.command import COMMANDS, SHELLS, main

SHADER = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n"


def test_help_names_every_command_and_the_older_name(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--help"], ["help"]):
        assert main(words) == 0
        out = capsys.readouterr().out
        for name, command in COMMANDS.items():
            assert f"  {name:12}{command.help}" in out
            assert command.synonym in out


def test_a_wrong_name_gets_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compil"]) == 2
    assert capsys.readouterr().err == "tgsi: there is no command `compil`; did you mean `compile`?\n"
    assert main(["quux"]) == 2
    assert "the commands are compile, check, explain" in capsys.readouterr().err


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tgsi {tgsi.__version__}\n"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "explain"])
def test_help_of_a_command_shows_its_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = 0
    try:
        code = main(["help", name])
    except SystemExit as end:  # argparse's way to end after --help
        code = int(end.code or 0)
    assert code == 0
    assert capsys.readouterr().out.startswith(("usage: tgsi", "usage: python -m tgsi.opengl"))


def test_check_and_compile_do_what_tgsi_compile_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.tgsi", tmp_path / "bad.tgsi"
    good.write_text(SHADER)
    bad.write_text(SHADER.replace("MOV", "MOVE"))
    assert main(["check", str(good)]) == 0
    assert main(["check", str(bad)]) == 1
    assert "error[" in capsys.readouterr().out
    assert main(["compile", str(good), "--emit", "text"]) == 0
    assert capsys.readouterr().out.startswith("FRAG\n")
    assert main(["explain", "MAD"]) == 0
    assert capsys.readouterr().out.startswith("MAD: opcode")


@pytest.mark.parametrize("shell", SHELLS)
def test_completions_name_the_commands_and_their_options(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    for word in ("compile", "replay", "--emit", "--screenshot", "--digest"):
        assert word in out


def test_bash_completes_options_of_a_subcommand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", "bash"]) == 0
    (tmp_path / "tgsi.bash").write_text(capsys.readouterr().out)
    script = "source tgsi.bash; COMP_WORDS=(tgsi replay --dig); COMP_CWORD=2; _shtab_tgsi; echo ${COMPREPLY[@]}"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["--digest"]


def test_a_missing_shtab_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import builtins

    imported: Callable[..., object] = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "shtab":
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["completion", "bash"]) == 2
    assert "pip install 'tgsi[completion]'" in capsys.readouterr().err
