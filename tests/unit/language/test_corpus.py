"""Real shaders, made by Mesa from piglit and glmark2 programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from passes.validate import check
from tgsi.language.diagnostics import Severity
from tgsi.language.text.parser import parse


@pytest.mark.peers
def test_every_corpus_shader_is_valid_and_reads_back_equal(shared: Path) -> None:
    paths = sorted((shared / "corpus").glob("*.tgsi"))
    assert len(paths) == 1001
    for path in paths:
        program = parse(path.read_text(), name=path.name)
        text = str(program)
        again = parse(text)
        assert again == program, path.name
        assert str(again) == text, path.name
        assert [item.code for item in check(program) if item.severity is Severity.ERROR] == [], path.name


@pytest.mark.peers
def test_both_readers_agree_on_the_corpus(shared: Path) -> None:
    for path in sorted((shared / "corpus").glob("*.tgsi"))[::40]:
        text = path.read_text()
        assert parse(text) == parse(text, engine="lark"), path.name
