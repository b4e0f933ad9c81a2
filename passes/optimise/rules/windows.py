"""Windows of rules, found by the opcode of their last instruction and by one of its sources: a constant, or the opcode that defines it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from passes.analysis.makers import bits_of
from passes.optimise.rules.kinds import makers_of
from passes.optimise.rules.rule import Rule
from passes.optimise.rules.table import RULES
from passes.optimise.rules.terms import Modified, Result, Term, Variable, Word, planned
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.ir import SrcOperand

Key = tuple[int, str | int | None]
"""A source, and what `_required` says of it."""


class Window:
    """A rule with the sources of its window in one order."""

    def __init__(self, rule: Rule, arguments: tuple[Term, ...]) -> None:
        self.rule = rule
        self.arguments = arguments
        self.plan = planned(arguments)
        self.saturate = rule.window.saturate

        names = [item.name if isinstance(item, Variable) else "" for item in arguments]
        self.alike = next(((k, names.index(name)) for k, name in enumerate(names) if name and names.index(name) < k), (0, 0))
        """Two sources that must be the same register; twice the same number if there are none."""

        self.modified = [(number, item) for number, item in enumerate(arguments) if isinstance(item, Modified)]
        self.constants = [(number, item) for number, item in enumerate(arguments) if is_constant(item)]
        key = self.key()
        defined = arguments[key[0]] if key is not None else None
        inner = defined.arguments if isinstance(defined, Result) else ()
        plain = [term.term if isinstance(term, Modified) else term for term in inner]
        inner_names = {item.name for item in plain if isinstance(item, Variable) and not item.is_constant}
        self.shared = next((number for number, name in enumerate(names) if name in inner_names), -1)
        """A source whose register the definition of the source that `key` names reads, too; -1 if there need be none."""

        self.wants_constant = any(map(is_constant, plain))
        """True if the definition that `key` names must read a constant."""

        self.kinds = [(number, makers_of(item.kind)) for number, item in enumerate(arguments) if isinstance(item, Variable) and item.kind]

    def may_fit(self, sources: Sequence[SrcOperand], words: Sequence[int | None], channel: int, makers: int) -> bool:
        """Return false if the registers, modifiers, constants or makers of sources alone refute the window.

        words: the constants in `channel`. makers: the bits of the opcodes that make the sources.
        """
        for number, bits in self.kinds:
            if words[number] is None and (not makers & bits or sources[number].negate or sources[number].absolute):
                return False
        for number, term in self.modified:
            if sources[number].negate is not term.negate or (term.absolute and not sources[number].absolute):
                return False
        for number, constant in self.constants:
            word = words[number]
            if word is None or (isinstance(constant, Word) and constant.value != word):
                return False
        first, second = self.alike
        if first == second:
            return True
        one, two = sources[first], sources[second]
        return one.swizzle[channel] == two.swizzle[channel] and one.register.index == two.register.index and one.register == two.register

    def key(self) -> Key | None:
        """Return a source with the opcode that must define it, the constant that it must be, or "" for any constant; the rarest first."""
        keys = [(number, name) for number, term in enumerate(self.arguments) if (name := _required(term)) is not None]
        return max(keys, key=lambda key: (2 if key[1] else 0) if isinstance(key[1], str) else 1, default=None)


def is_constant(term: Term) -> bool:
    """Return true if a term fits constants alone."""
    return isinstance(term, Word) or (isinstance(term, Variable) and term.is_constant)


def _required(term: Term) -> str | int | None:
    """Return the opcode whose result a source must be, its word, "" if it must be any constant, otherwise None."""
    if isinstance(term, Modified):
        inner = _required(term.term)
        return inner if isinstance(inner, str) and inner and not term.absolute else None
    if isinstance(term, Result):
        return term.opcode.name
    if isinstance(term, Word):
        return term.value
    return "" if term.is_constant else None


class Index:
    """The windows of one opcode.

    results: by source, those that want the result of an opcode there. constants: by source, those that want a word there, and at "" those
    that want any constant; empty if no window looks at constants there. others: those that want neither; plain: those of them that want no
    modifiers. bits: those of the opcodes of `results`.
    """

    def __init__(self, windows: Sequence[Window]) -> None:
        self.results: list[dict[OpcodeInfo, list[Window]]] = [{} for _ in range(4)]
        self.constants: list[dict[str | int, list[Window]]] = [{} for _ in range(4)]
        self.others: list[Window] = []
        self.plain: list[Window] = []
        for window in windows:
            for number, _ in window.constants:
                self.constants[number].setdefault("", [])
            number, required = window.key() or (0, None)
            if required is None:
                self.others.append(window)
                if not window.modified:
                    self.plain.append(window)
            elif isinstance(required, str) and required:
                self.results[number].setdefault(OPCODES[required], []).append(window)
            else:
                self.constants[number].setdefault(required, []).append(window)
        self.takes = [bool(constants) for constants in self.constants]
        """By source, whether some window looks at a constant there."""

        self.only_saturated = all(window.saturate for window in windows)
        self.bits = bits_of(opcode for results in self.results for opcode in results)


@cache
def opposites(branch: OpcodeInfo) -> Mapping[OpcodeInfo, OpcodeInfo]:
    """Return, for IF or UIF, the opcodes whose opposite is one opcode, too, by the rules of a result that is compared with 0."""
    equal = OPCODES["SEQ" if branch.src_types[0] == "float" else "USEQ"]
    pairs: dict[OpcodeInfo, OpcodeInfo] = {}
    for rule in RULES:
        first, result = rule.window.arguments[0], rule.result
        if rule.window.opcode is not equal or rule.when or rule.window.arguments[1:] != (Word(0),):
            continue
        if not (isinstance(first, Result) and isinstance(result, Result)) or first.arguments != result.arguments:
            continue
        is_open = all(isinstance(item, Variable) and not item.is_constant and not item.kind for item in first.arguments)
        if is_open and first.opcode.modifier_types == result.opcode.modifier_types and not (first.saturate or result.saturate):
            pairs[first.opcode] = result.opcode
    return pairs


@cache
def index_of(opcode: OpcodeInfo) -> Index | None:
    """Return the windows that end in an opcode, or None if there is none."""
    windows = [Window(rule, order) for rule in RULES if rule.window.opcode is opcode for order in rule.window.orders]
    return Index(windows) if windows else None
