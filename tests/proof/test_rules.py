"""Every rule of the table is proved for all words, or bounded by name; wrong rules are refuted."""

from __future__ import annotations

import pytest

from passes.optimise.rules.rule import Rule
from passes.optimise.rules.table import RULES, SOURCES
from passes.optimise.rules.terms import Result, Word
from tests.proof.refuted import REFUTED, WORDS
from tgsi.language.facts.opcodes import OPCODES

z3 = pytest.importorskip("z3", reason="z3-solver is not installed: no proofs")

from tests.proof.prover import prove  # noqa: E402

SLOW = frozenset({"float quotient by a power of two"})
"""Rules whose proofs take seconds."""

_ROWS = [pytest.param(rule, marks=pytest.mark.nightly if rule.name in SLOW else ()) for rule in (*RULES, *SOURCES) if not rule.bound]


@pytest.mark.parametrize("rule", _ROWS, ids=str)
def test_rule_holds_for_all_words(rule: Rule) -> None:
    assert str(prove(rule, seconds=60)) == "proved"


@pytest.mark.parametrize("rule", REFUTED, ids=str)
def test_rule_that_does_not_hold_is_refuted(rule: Rule) -> None:
    verdict = prove(rule, given=WORDS.get(rule.name))
    assert not verdict.proved
    assert verdict.example


@pytest.mark.parametrize("rule", [rule for rule in RULES[::12] if not rule.bound and rule.name not in SLOW], ids=str)
def test_a_rule_with_a_bit_of_its_result_inverted_is_refuted(rule: Rule) -> None:
    planted = Rule(f"planted: {rule}", rule.window, Result(OPCODES["XOR"], (rule.result, Word(1))), rule.when, rule.any_product)
    assert prove(planted).example
