"""Rules that are bounded, with a million words instead of a proof."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from passes.optimise.rules.rule import Rule
from passes.optimise.rules.table import RULES, SOURCES
from passes.optimise.rules.terms import Modified, Result, Term, Variable, Word
from tests.property.rule_programs import SPECIAL

BOUNDED = tuple(rule for rule in (*RULES, *SOURCES) if rule.bound)
BOUNDS = {"10^6 words in both engines": ("interp", "jit"), "10^6 pairs in the interpreter": ("interp",)}
COUNT = 1_000_000


def _written(term: Term) -> str:
    """A source of an instruction."""
    if isinstance(term, Word):
        return {0: "IMM[0].xxxx", 0x3F800000: "IMM[0].yyyy"}[term.value]
    if isinstance(term, Modified):
        return f"-{_written(term.term)}"
    assert isinstance(term, Variable)
    return f"IN[{'xy'.index(term.name)}]"


def _instruction(term: Term) -> str:
    sources = [*map(_written, term.arguments)] if isinstance(term, Result) else [_written(term)]
    return f"{term.opcode.name if isinstance(term, Result) else 'MOV'} OUT[0].x, {', '.join(sources)}"


def _words(seed: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
    random = np.random.default_rng(seed)
    words = random.integers(0, 2**32, (COUNT, 2), np.uint32)
    words[::4] = random.choice(np.array(SPECIAL, np.uint32), (len(words[::4]), 2))
    words[1::4] = random.uniform(-9, 9, (len(words[1::4]), 2)).astype(np.float32).view(np.uint32)
    return words


def test_every_bound_is_one_of_those_that_are_tested() -> None:
    assert {rule.bound for rule in BOUNDED} == set(BOUNDS)


@pytest.mark.nightly
@pytest.mark.parametrize("rule", BOUNDED, ids=str)
def test_bounded_rule_holds_for_a_million_words(rule: Rule) -> None:
    words = np.zeros((COUNT, 2, 4), np.uint32)
    words[:, :, 0] = _words(11)
    head = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nIMM[0] UINT32 {0, 1065353216, 0, 0}\n"
    for engine in BOUNDS[rule.bound]:
        window = tgsi.run(tgsi.parse(f"{head}{_instruction(rule.window)}\nEND"), words, engine=engine)
        result = tgsi.run(tgsi.parse(f"{head}{_instruction(rule.result)}\nEND"), words, engine=engine)
        assert np.array_equal(window.outputs.view(np.uint32)[:, 0, 0], result.outputs.view(np.uint32)[:, 0, 0])
