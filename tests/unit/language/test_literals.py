"""Numbers of immediates are exact in both directions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgsi.language.facts.enums import ImmediateType
from tgsi.language.literals import LITERALS, WRITERS, float_bits, write_double, write_float


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        (0x00000000, "0.0"),
        (0x80000000, "-0.0"),
        (0x3F800000, "1.0"),
        (0x3DCCCCCD, "0.1"),
        (0x4B800000, "16777216.0"),
        (0x7F7FFFFF, "3.4028235e+38"),
        (0x00000001, "1e-45"),
        (0x7F800000, "0x7f800000"),
        (0xFFC12345, "0xffc12345"),
    ],
)
def test_float_is_the_shortest_text_that_reads_back(bits: int, text: str) -> None:
    assert write_float(bits) == text


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        (0x3FB999999999999A, "0.1"),
        (1 << 63, "-0.0"),
        (0x7FF0000000000000, "inf"),
        (0xFFF8000000000000, "-nan"),
        (0x7FF8000000000001, "nan_7ff8000000000001"),
    ],
)
def test_double_is_the_shortest_text_that_reads_back(bits: int, text: str) -> None:
    assert write_double(bits) == text


def test_float_out_of_range_becomes_infinity() -> None:
    assert float_bits(1e300) == 0x7F800000
    assert float_bits(-1e300) == 0xFF800000


@settings(deadline=None, max_examples=300, derandomize=True)
@given(st.sampled_from(ImmediateType), st.tuples(*[st.integers(0, 0xFFFFFFFF)] * 4))
def test_any_four_words_survive_in_any_type(kind: ImmediateType, words: tuple[int, int, int, int]) -> None:
    literal = LITERALS[kind]
    texts = WRITERS[kind](words)
    assert len(texts) == literal.count
    assert all(literal.good(text) for text in texts)
    assert tuple(word for text in texts for word in literal.read(text)) == words
