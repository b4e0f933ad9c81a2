"""Complete messages for typical mistakes; the corrected text is accepted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.language.mistakes import MISTAKES, text_of
from tgsi.language.diagnostics import ParseError
from tgsi.language.text.parser import parse


def test_mistakes_are_explained_as_written_down(golden: Callable[[Path, str], None]) -> None:
    shown = []
    for wrong, right in MISTAKES:
        with pytest.raises(ParseError) as caught:
            parse(text_of(wrong), name="x.tgsi")
        shown.append("\n".join(item.render() for item in caught.value.diagnostics) + f"\nright: {right}\n")
    golden(Path(__file__).with_name("mistakes.txt"), "\n".join(shown))


@pytest.mark.parametrize(("wrong", "right"), MISTAKES, ids=[wrong for wrong, _ in MISTAKES])
def test_one_mistake_is_one_finding_with_its_place_and_what_was_meant_is_right(wrong: str, right: str) -> None:
    parse(text_of(right))
    with pytest.raises(ParseError) as caught:
        parse(text_of(wrong))
    (found,) = caught.value.diagnostics
    assert found.span is not None
    assert found.hint or "expected" in found.message or "takes" in found.message


def test_there_are_at_least_sixty() -> None:
    assert len(set(MISTAKES)) >= 60
