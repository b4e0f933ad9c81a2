"""Fixtures of the tests of the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.language.command import Run
from tgsi.tools.compile import cli


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command tgsi-compile, called in this process."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        code = cli.main([str(argument) for argument in arguments])
        done = capsys.readouterr()
        return code, done.out, done.err

    return call


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working directory, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    return tmp_path
