"""Proofs of rules: z3 looks for words for which the two sides of a rule differ, and finds none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import z3

from passes.optimise.rules.rule import Rule
from passes.optimise.rules.table import SOURCES
from passes.optimise.rules.terms import Term, Variable, inner_terms
from tests.proof.model import IEEE, SIGNED, UNKNOWN, ZERO_WINS, Arithmetic, contains, meaning, without_payload


@dataclass(frozen=True)
class Verdict:
    """`proved`: no words differ. `example`: words for which the sides differ. Neither: the solver ran out of time."""

    proved: bool
    example: dict[str, int]

    def __str__(self) -> str:
        words = ", ".join(f"{name} = {value:#010x}" for name, value in sorted(self.example.items()))
        return "proved" if self.proved else f"refuted by {words}" if self.example else "out of time"


def variables_of(*terms: Term) -> dict[str, str]:
    """The variables of terms with their kinds."""
    found: dict[str, str] = {}
    for term in terms:
        for item in inner_terms(term):
            if isinstance(item, Variable):
                found[item.name] = item.kind or found.get(item.name, "")
    return found


def solver_of(*claims: Any, milliseconds: int) -> Any:
    """A solver of claims in a context of their own.

    The order in which z3 tries things follows from the numbers of its terms. Between the terms of other proofs, a proof of one second
    takes a minute now and then.
    """
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", milliseconds)
    solver.add(*[claim.translate(solver.ctx) for claim in claims])
    return solver


def _check(rule: Rule, arithmetic: Arithmetic, milliseconds: int, given: Mapping[str, int]) -> Verdict:
    kinds = variables_of(rule.window, rule.result, *rule.when)
    words: dict[str, Any] = {name: z3.BitVec(name, 32) for name in kinds}
    is_source = rule in SOURCES
    type_ = rule.window.opcode.dst_types[0] if is_source else "untyped"
    left, right = meaning(rule.window, words, arithmetic), meaning(rule.result, words, arithmetic, type_)
    if is_source and type_ == "float":
        left, right = without_payload(left), without_payload(right)
    claims = [contains(kind, words[name]) for name, kind in kinds.items() if kind]
    claims += [meaning(term, words, arithmetic) != 0 for term in rule.when]
    claims += [words[name] == value for name, value in given.items()]
    solver = solver_of(*claims, left != right, milliseconds=milliseconds)
    found = solver.check()
    if found == z3.sat:
        model = solver.model()
        here = {name: item.translate(solver.ctx) for name, item in words.items()}
        return Verdict(False, {name: model.eval(item, model_completion=True).as_long() for name, item in here.items()})
    return Verdict(found == z3.unsat, {})


def prove(rule: Rule, *, seconds: float = 20, given: Mapping[str, int] | None = None) -> Verdict:
    """Prove or refute a rule, for both ways to multiply if it is said to hold for both. `given`: words for some variables.

    First for all sums and products that commute, then for products in which signs are apart, then for all sums, then for those of IEEE.
    Only the last one can refute a rule. KeyError: an opcode is not modelled.
    """
    limit, known = int(seconds * 1000), given or {}
    if _check(rule, UNKNOWN, limit, known).proved:
        return Verdict(True, {})
    if not rule.any_product and _check(rule, SIGNED, limit, known).proved:
        return Verdict(True, {})
    verdict = Verdict(True, {})
    for exact in (IEEE, ZERO_WINS) if rule.any_product else (IEEE,):
        verdict = _check(rule, Arithmetic(exact.product, UNKNOWN.total), min(limit, 2000), known)
        if not verdict.proved:
            verdict = _check(rule, exact, limit, known)
        if not verdict.proved:
            break
    return verdict
