"""Programs that contain the window of a rule: one text for each rule and seed, with its constants, masks and swizzles."""

from __future__ import annotations

import random

from passes.optimise.evaluate import value_of
from passes.optimise.rules.rule import Rule
from passes.optimise.rules.table import SOURCES
from passes.optimise.rules.terms import Modified, Result, Term, Variable, Word, inner_terms
from tgsi.language.facts.traits import Flow, Mode

SPECIAL = (
    0, 1, 2, 3, 4, 8, 16, 24, 31, 32, 33, 63, 255, 256, 65535, 0x00FFFFFF, 0x01000000, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE,
    0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x3F000000, 0x40000000, 0x40400000, 0x3F7FFFFF, 0x3F800001, 0x4B000000, 0x4B800000, 0x4F000000,
    0x00800000, 0x007FFFFF, 0x80000001, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7FA12345,
)  # fmt: skip
"""Words at the edges of integers and floats."""

_MAKERS = {
    "flag": ("FSLT {t}, {a}, {b}", "USNE {t}, {a}, {b}", "ISGE {t}, {a}, {b}"),
    "unit": ("SLT {t}, {a}, {b}", "SGE {t}, {a}, {b}", "SNE {t}, {a}, {b}"),
    "number": ("ADD {t}, {a}, {b}", "RCP {t}, {a}", "FLR {t}, {a}"),
    "whole": ("I2F {t}, {a}", "U2F {t}, {a}", "SSG {t}, {a}"),
    "integral": ("FLR {t}, {a}", "TRUNC {t}, {a}", "I2F {t}, {a}"),
    "unsigned": ("FRC {t}, {a}", "U2F {t}, {a}", "SGT {t}, {a}, {b}"),
    "saturated": ("MUL_SAT {t}, {a}, {b}", "MAX_SAT {t}, {a}, {b}", "SEQ {t}, {a}, {b}"),
    "small": ("POPC {t}, {a}", "AND {t}, {a}, IMM[0].xxxx", "AND {t}, IMM[0], {a}"),
}
"""Instructions that make a value of a kind. IMM[0] is (0xFFFFFF, 255, 1, 0)."""

_LETTERS = "xyzw"


class _Writer:
    def __init__(self, rule: Rule, seed: int) -> None:
        self.rule = rule
        self.random = random.Random(f"{rule.name} {seed}")
        self.lines: list[str] = []
        self.immediates = [(0xFFFFFF, 255, 1, 0)]
        self.temporaries = 0
        self.scalar = self.random.random() < 0.3 or any(
            isinstance(item, Result) and item.opcode.mode is not Mode.COMPONENTWISE
            for term in (rule.window, rule.result)
            for item in inner_terms(term)
        )
        self.swizzle = "xyzw" if not self.scalar else self.random.choice(_LETTERS) * 4
        self.sources: dict[str, str] = {}
        self.constants = self._constants()

    def _constants(self) -> dict[str, int]:
        """Words for which the conditions hold."""
        terms = (self.rule.window, *self.rule.when)
        names = sorted({item.name for term in terms for item in inner_terms(term) if isinstance(item, Variable) and item.is_constant})
        for _ in range(100_000):
            found = {name: self._word() for name in names}
            if all(_value(term, found) for term in self.rule.when):
                return found
        raise AssertionError(f"{self.rule}: no constants")

    def _word(self) -> int:
        kind = self.random.randrange(4)
        if kind == 0:
            return 1 << self.random.randrange(32)
        if kind == 1:
            return self.random.getrandbits(32)
        return self.random.choice(SPECIAL) if kind == 2 else self.random.randrange(64)

    def temporary(self) -> str:
        self.temporaries += 1
        return f"TEMP[{self.temporaries - 1}]"

    def variable(self, item: Variable) -> str:
        """A source that holds a variable, the same one each time; some have modifiers."""
        if item.name not in self.sources:
            number = len(self.sources)
            source = f"IN[{number % 4}]"
            if item.kind:
                target = self.temporary()
                maker = self.random.choice(_MAKERS[item.kind])
                self.lines.append(maker.format(t=target, a=source, b=f"IN[{(number + 1) % 4}]"))
                source = target
            elif number < 2 and self.random.random() < 0.1:
                source = f"CONST[ADDR[0].y+{number}]"
            elif self.random.random() < 0.3:
                target = self.temporary()
                self.lines.append(f"MOV {target}, {source}")
                source = target
            self.sources[item.name] = f"{source}.{self.swizzle}"
        return self.sources[item.name]

    def source(self, term: Term) -> str:
        if isinstance(term, Word):
            return self.immediate(term.value)
        if isinstance(term, Variable):
            return self.immediate(self.constants[term.name]) if term.is_constant else self.variable(term)
        if isinstance(term, Modified):
            inner = self.source(term.term)
            inner = f"|{inner}|" if term.absolute else inner
            return f"-{inner}" if term.negate else inner
        target = self.temporary()
        mask = "" if not self.scalar else "." + self.random.choice(_LETTERS)
        self.lines.append(self.instruction(term, f"{target}{mask}"))
        return f"{target}.{mask[1] * 4}" if mask else target

    def immediate(self, word: int) -> str:
        words = [self.random.choice(SPECIAL) for _ in range(4)]
        if self.scalar and self.random.random() < 0.5:
            channel = self.random.randrange(4)
            words[channel] = word
            letters = _LETTERS[channel] * 4
        else:
            words, letters = [word] * 4, "xyzw"
        self.immediates.append((words[0], words[1], words[2], words[3]))
        return f"IMM[{len(self.immediates) - 1}].{letters}"

    def instruction(self, term: Result, target: str) -> str:
        sources = [self.source(argument) for argument in term.arguments]
        if len(sources) > 1 and self.random.random() < 0.5 and "COMMUTATIVE" in {trait.name for trait in term.opcode.traits}:
            sources[:2] = sources[1::-1]
        name = term.opcode.name + ("_SAT" if term.saturate else "")
        return f"{name} {target}, {', '.join(sources)}"


def _value(term: Term, constants: dict[str, int]) -> int | None:
    if isinstance(term, Word):
        return term.value
    if isinstance(term, Variable):
        return constants[term.name]
    assert isinstance(term, Result)
    words = [_value(argument, constants) for argument in term.arguments]
    return value_of(term.opcode.name, [word for word in words if word is not None])


def rule_program(rule: Rule, seed: int, *, zero_wins: bool = False) -> str:
    """The text of a program in which the rule applies: four inputs, two outputs."""
    writer = _Writer(rule, seed)
    window = rule.window
    if rule in SOURCES:
        source = writer.source(window)
        other = "IN[3]" if not writer.scalar else "IN[3].xxxx"
        name = writer.random.choice(["UADD", "XOR", "IMAX"] if window.opcode.dst_types[0] == "int" else ["ADD", "MUL", "FSLT", "SGE"])
        writer.lines.append(f"{name} OUT[0], {writer.random.choice(['', '-'])}{source}, {other}")
    elif window.opcode.flow is Flow.IF:
        source = writer.source(window.arguments[0])
        writer.lines += [f"{window.opcode.name} {source}", "MOV OUT[0], IN[0]", "ELSE", "MOV OUT[0], IN[1]", "ENDIF"]
    else:
        target = "ADDR[0].x" if window.opcode.dst_types == ("int",) and window.opcode.name.startswith("AR") else "OUT[0]"
        mask = writer.random.choice(["", "", ".x", ".yz", ".w", ".xzw"]) if target == "OUT[0]" else ""
        writer.lines.append(writer.instruction(window, target + mask))
        if target != "OUT[0]":
            writer.lines.append("UADD OUT[0], ADDR[0].xxxx, IMM[0].wwww")
    lines = ["VERT", *(["PROPERTY MUL_ZERO_WINS 1"] if zero_wins else []), *(f"DCL IN[{k}]" for k in range(4))]
    lines += ["DCL OUT[0], POSITION", "DCL OUT[1], GENERIC[0]", "DCL ADDR[0]", "DCL CONST[0..3]"]
    lines += [f"DCL TEMP[0..{writer.temporaries - 1}]"] if writer.temporaries else []
    lines += [f"IMM[{k}] UINT32 {{{', '.join(map(str, words))}}}" for k, words in enumerate(writer.immediates)]
    return "\n".join([*lines, *writer.lines, "MOV OUT[1], IN[2]", "END"]) + "\n"
