"""Typical mistakes: the message points to the right place, names the way out, and its correction is right."""

from __future__ import annotations

import pytest

import tgsi
from tests.unit.language.typical import HEAD, MARK, STATEMENTS, TEXTS, Row, text_of
from tgsi.language.diagnostics import Diagnostic, DiagnosticError, Severity, apply_fixes

_ROWS = [pytest.param(Row(text_of(row.wrong), *row[1:3], row.right and text_of(row.right)), id=row.wrong) for row in STATEMENTS]
_ROWS += [pytest.param(row, id=row.wrong.partition("\n")[0]) for row in TEXTS]
_ROUNDS = 6


def _findings(text: str, dialect: str = "default") -> tuple[Diagnostic, ...]:
    try:
        return tgsi.check(tgsi.parse(text, dialect=dialect))
    except DiagnosticError as error:
        return error.diagnostics


def _corrected(text: str) -> str:
    for _ in range(_ROUNDS):
        text, before = apply_fixes(text, _findings(text)), text
        if text == before:
            break
    return text


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.replace("~", "\n").split("\n")]


@pytest.mark.parametrize("row", _ROWS)
def test_a_mistake_is_one_finding_at_its_place_with_the_way_out(row: Row) -> None:
    (found,) = _findings(row.wrong.replace(MARK, ""))
    assert found.span is not None
    before = row.wrong[: row.wrong.index(MARK)]
    assert (found.span.line, found.span.column) == (before.count("\n") + 1, len(before) - before.rfind("\n"))
    assert found.code == row.code
    assert row.hint in found.hint


@pytest.mark.parametrize("row", [row for row in _ROWS if row.values[0].right])  # type: ignore[union-attr]
def test_the_corrections_of_the_messages_make_the_text_that_was_meant(row: Row) -> None:
    made = _corrected(row.wrong.replace(MARK, ""))
    assert _lines(made) == _lines(row.right)
    assert [item.message for item in _findings(made) if item.severity is Severity.ERROR] == []


@pytest.mark.parametrize("row", _ROWS)
def test_the_strict_dialect_advises_no_comment_and_no_extension(row: Row) -> None:
    hints = [(item.hint, item.span) for item in _findings(row.wrong.replace(MARK, ""), "strict")]
    assert not any("begins with `#`" in hint for hint, _ in hints)
    assert all(span is not None for _, span in hints)


def test_there_are_more_than_two_hundred_and_right_texts_have_no_finding() -> None:
    assert len(set(STATEMENTS) | set(TEXTS)) > 200
    assert _findings(f"{HEAD}MOV OUT[0], IN[0]\nEND\n") == ()


def test_corrections_that_meet_are_left_for_another_round() -> None:
    text = text_of("MUL OUT[0], IN[0], 0.5\nMUL OUT[0], IN[0], 0.25")
    once = apply_fixes(text, _findings(text))
    assert once.count("IMM[2]") == 2
    assert "IN[0], 0.25" in once
    assert _findings(_corrected(text)) == ()


def test_corrections_are_part_of_the_findings_as_json() -> None:
    (found,) = _findings(text_of("MOV OUT[0], IN[0].rgba"))
    data = found.as_json()
    assert data["fixes"] == [{"start": len(HEAD) + 18, "end": len(HEAD) + 22, "text": "xyzw"}]
