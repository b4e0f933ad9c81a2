"""One row of the table of rules, read."""

from __future__ import annotations

from passes.optimise.rules.terms import Result, Term, Variable, inner_terms, is_known, read_term
from tgsi.language.facts.traits import Trait
from tgsi.language.record import record


@record
class Rule:
    """A window of instructions and the one instruction that replaces its last one.

    Attributes:
        name: the rule in words.
        window, result: terms of equal words, for all values of their variables that are of their kinds.
        when: terms of constants that must not be 0.
        any_product: true if the rule also holds where 0 times anything is 0 (MUL_ZERO_WINS).
        bound: empty if an SMT solver proves the rule; otherwise what it is tested with instead.
    """

    name: str
    window: Result
    result: Term
    when: tuple[Term, ...]
    any_product: bool
    bound: str = ""

    def __str__(self) -> str:
        return self.name


def read_rule(name: str, window: str, result: str, *when: str, product: str = "", bound: str = "") -> Rule:
    """Read a row; `product="any"` says that the rule does not depend on how floats are multiplied.

    Raises:
        ValueError: a term cannot be read; the result needs more than one instruction; it has a variable that the window has not.
    """
    pattern, replacement = read_term(window), read_term(result)
    if not isinstance(pattern, Result):
        raise ValueError(f"rule `{name}`: the window is not an instruction")
    results = []
    known = set()
    for item in inner_terms(pattern):
        if isinstance(item, Variable):
            known.add(item.name)
        elif isinstance(item, Result):
            results.append(item)
    for item in inner_terms(replacement):
        if isinstance(item, Variable) and item.name not in known:
            raise ValueError(f"rule `{name}`: the window has no {item.name}")
        if isinstance(item, Result):
            if item is not replacement and not is_known(item):
                raise ValueError(f"rule `{name}`: the result is more than one instruction")
            results.append(item)
    multiplies = any(Trait.PRODUCT in item.opcode.traits for item in results)
    return Rule(name, pattern, replacement, tuple(map(read_term, when)), not multiplies or product == "any", bound)
