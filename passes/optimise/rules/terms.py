"""Terms: how a row of the table writes a small window of instructions.

A term is about one channel, a word of 32 bits. It is read from text:

* ``UADD(x, 0)`` is the result of an opcode. ``ADD_SAT(x, y)`` is saturated.
* ``x``, ``y``, ``z`` are any values; ``x:flag`` is a value of a kind (`passes.optimise.rules.kinds`).
* ``k``, ``m``, ``n`` are constants of the program.
* ``0``, ``~0``, ``0x7F`` are words, ``1.0`` and ``-0.0`` the words of floats.
* ``-x``, ``|x|`` and ``-|x|`` are modifiers of a source, of the type that the opcode gives them there.
"""

from __future__ import annotations

import re
import struct

from tgsi.language._forks import cached_property
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import Trait
from tgsi.language.record import record

CONSTANTS = frozenset("kmn")
"""Names of constants."""


@record
class Variable:
    """Any value, or a constant of the program; `kind` is the kind that it must have, or empty."""

    name: str
    kind: str = ""

    @property
    def is_constant(self) -> bool:
        """True for constants of the program."""
        return self.name in CONSTANTS


@record
class Word:
    """One word."""

    value: int


@record
class Modified:
    """A source with modifiers: absolute value, then negation."""

    term: Term
    negate: bool
    absolute: bool


@record(slots=False)
class Result:
    """The result of an opcode."""

    opcode: OpcodeInfo
    arguments: tuple[Term, ...]
    saturate: bool = False

    @cached_property
    def orders(self) -> tuple[tuple[Term, ...], ...]:
        """The orders of the arguments that give the same result."""
        arguments = self.arguments
        if Trait.COMMUTATIVE not in self.opcode.traits:
            return (arguments,)
        swapped = (arguments[1], arguments[0], *arguments[2:])
        return (arguments,) if swapped == arguments else (arguments, swapped)

    @cached_property
    def plans(self) -> tuple[Plan, ...]:
        """A plan for each order of the arguments."""
        return tuple(map(planned, self.orders))


Term = Variable | Word | Modified | Result

Plan = tuple[tuple[int, Term], ...]
"""Arguments with their numbers in the order in which they are compared: variables, which fit nearly everything, last."""


def planned(arguments: tuple[Term, ...]) -> Plan:
    """Return a plan for arguments."""
    return tuple(sorted(enumerate(arguments), key=lambda part: isinstance(part[1], Variable) and not part[1].is_constant))


_TOKEN = re.compile(r"\s*(?:(-?\d+\.\d+)|(~?0x[0-9A-Fa-f]+|~?\d+)|([A-Z][A-Z0-9_]*)\(|([a-z]\w*)(?::(\w+))?|([-|(),]))")


def read_term(text: str) -> Term:
    """Read a term.

    Raises:
        ValueError: the text is not a term, or a result has not as many arguments as the opcode has sources.
    """
    reader = _Reader(text)
    term = reader.term()
    if reader.rest():
        raise ValueError(f"`{text}`: `{reader.rest()}` is left over")
    return term


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def rest(self) -> str:
        """Return the rest of the text, which is not read yet."""
        return self._text[self._place :].strip()

    def term(self) -> Term:
        """Read one term."""
        match = _TOKEN.match(self._text, self._place)
        if match is None:
            raise ValueError(f"`{self._text}`: no term at `{self.rest()}`")
        self._place = match.end()
        number, word, name, variable, kind, sign = match.groups()
        if number:
            return Word(struct.unpack("<I", struct.pack("<f", float(number)))[0])
        if word:
            value = int(word.removeprefix("~"), 0)
            return Word(value ^ 0xFFFFFFFF if word.startswith("~") else value)
        if variable:
            return Variable(variable, kind or "")
        if name:
            return self._result(name)
        if sign == "-":
            inner = self.term()
            return Modified(inner.term, True, True) if isinstance(inner, Modified) else Modified(inner, True, False)
        if sign == "|":
            inner = self.term()
            self._expect("|")
            return Modified(inner, False, True)
        raise ValueError(f"`{self._text}`: no term at `{self.rest()}`")

    def _result(self, name: str) -> Result:
        saturate = name.endswith("_SAT")
        opcode = OPCODES[name.removesuffix("_SAT")]
        arguments = [self.term()]
        while self._sees(","):
            self._expect(",")
            arguments.append(self.term())
        self._expect(")")
        if len(arguments) != opcode.num_src:
            raise ValueError(f"`{self._text}`: {opcode.name} has {opcode.num_src} sources")
        return Result(opcode, tuple(arguments), saturate)

    def _expect(self, sign: str) -> None:
        if not self._sees(sign):
            raise ValueError(f"`{self._text}`: `{sign}` is missing at `{self.rest()}`")
        self._place += 1

    def _sees(self, sign: str) -> bool:
        """Pass over blanks, and return true if a sign follows."""
        while self._text.startswith(" ", self._place):
            self._place += 1
        return self._text.startswith(sign, self._place)


def inner_terms(term: Term) -> list[Term]:
    """Return a term and all terms in it, outer ones first."""
    terms = [term]
    for item in terms:  # which grows
        if isinstance(item, Modified):
            terms.append(item.term)
        elif isinstance(item, Result):
            terms += item.arguments
    return terms


def is_known(term: Term) -> bool:
    """Return true if the term has the same word in every run of the program: it holds no variable but constants."""
    if isinstance(term, Result):
        return all(map(is_known, term.arguments))
    if isinstance(term, Modified):
        return is_known(term.term)
    return isinstance(term, Word) or term.is_constant
