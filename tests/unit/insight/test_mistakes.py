"""Mistakes of beginners: a warning, or the first sentence about the pixel that they would ask for, names the cause."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.nights import sampled
from tests.unit.insight.mistakes import colors, fragments, programs, second_list, stages, targets, textures, third_list, vertices
from tests.unit.insight.mistakes.sketch import TABLE, sketch
from tgsi.gallium import ValidationWarning

pytestmark = pytest.mark.light
MODULES = (colors, fragments, programs, second_list, stages, targets, textures, third_list, vertices)


@contextmanager
def recorded() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings of a block."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


@pytest.mark.parametrize("name", sampled(list(TABLE), 3))
def test_a_mistake_is_named_by_a_warning_or_in_the_first_sentence(name: str) -> None:
    mistake, sentence = TABLE[name], ""
    with recorded() as found, sketch(validate=True, history=True) as s:
        mistake.program(s)
        s.ctx.flush()
        sentence = s.explained() if s.at is not None and mistake.explains else ""
    texts = [str(item.message) for item in found]
    assert not mistake.warns or any(mistake.warns in text for text in texts), (texts, sentence)
    assert mistake.explains in sentence
    assert {item.category for item in found} <= {ValidationWarning}
    assert {Path(item.filename).parent for item in found} <= {Path(colors.__file__).parent}


def test_there_are_150_mistakes_and_each_module_has_some() -> None:
    assert len(TABLE) >= 150
    files = {item.program.__code__.co_filename for item in TABLE.values()}
    assert files == {module.__file__ for module in MODULES}
