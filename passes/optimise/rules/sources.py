"""Rules of single sources: a source that is a negation, an absolute value or a product with 1.0 reads through it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

from passes.analysis.cells import source_masks
from passes.analysis.makers import bits_of
from passes.edit import with_operands
from passes.form import EVERY
from passes.optimise.rules.matcher import Bindings, Matcher, Source, has_constants
from passes.optimise.rules.rule import Rule
from passes.optimise.rules.table import READ_THROUGH, SOURCES
from passes.optimise.rules.terms import Modified, Variable
from passes.optimise.rules.windows import index_of, is_constant
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.traits import Flow, Trait
from tgsi.language.ir import Instruction, SrcOperand

_OF_INTEGERS = "integer"
_BLIND = "blind"


THROUGH = bits_of(READ_THROUGH)


def takes(opcode: OpcodeInfo) -> int:
    """Return when there may be a rule for an instruction with this opcode, or for one of its sources: see `Rewriter.takes`."""
    index, through = index_of(opcode), THROUGH if source_kinds(opcode) is not None else 0
    return through if index is None else EVERY if index.others or any(index.takes) else index.bits | through


def read_through(item: Instruction, matcher: Matcher, applied: Counter[str] | None = None) -> Instruction:
    """Return the instruction with simpler sources; `applied` counts the rules."""
    kinds = source_kinds(item.opcode)
    if kinds is None:
        return item
    for number, maker in matcher.origins(READ_THROUGH):
        kind = kinds[number]
        rules = _rules(maker.opcode, kind, has_constants(maker)) if kind else ()
        if rules:
            simpler = _simpler(item, number, rules, matcher)
            if simpler is not None:
                if applied is not None:
                    applied[simpler[1].name] += 1
                item = with_operands(item, item.dst, (*item.src[:number], simpler[0], *item.src[number + 1 :]))
    return item


@cache
def source_kinds(opcode: OpcodeInfo) -> tuple[str, ...] | None:
    """Return for each source which rules it takes: "integer", "blind" (the bits of a NaN do not matter), or none; None if none does."""
    if not (opcode.is_computed or opcode.flow is Flow.IF or Trait.KILL in opcode.traits):
        return None
    kinds = []
    for number, (type_, modifier) in enumerate(zip(opcode.src_types, opcode.modifier_types)):
        picked = Trait.PICKS in opcode.traits and not (number == 0 and opcode.num_src == 3)  # the first of three decides
        if modifier in ("int", "uint"):
            kinds.append(_OF_INTEGERS)
        else:
            kinds.append(_BLIND if type_ == "float" and not picked else "")
    return tuple(kinds) if any(kinds) else None


def _simpler(item: Instruction, number: int, rules: Sequence[Rule], matcher: Matcher) -> tuple[SrcOperand, Rule] | None:
    """Return what a source may be instead, with the first of some rules that holds."""
    operand = item.src[number]
    positions = source_masks(item)[number]
    type_ = item.opcode.modifier_types[number]
    for rule in rules:
        matches: list[Bindings | None] = []
        for channel in range(4):
            if positions >> channel & 1:
                bound = matcher.window(rule, matcher.source(operand, channel, type_))
                if bound is None:
                    break
                matches.append(bound)
            else:
                matches.append(None)
        else:
            source = _joined(rule, operand, matches, type_)
            if source is not None:
                return source, rule
    return None


def _joined(rule: Rule, operand: SrcOperand, matches: list[Bindings | None], type_: str) -> SrcOperand | None:
    """Return the source that reads the variable of the rule in each channel (None: any)."""
    sources: list[Source] = []
    for bound in matches:
        if bound is not None:
            source = bound["x"]
            assert isinstance(source, tuple)
            sources.append(source)
    register, channel, negate, absolute, inner, _ = sources[0]
    if any(source[0] != register or source[2:5] != sources[0][2:5] for source in sources):
        return None
    is_integer = type_ in ("int", "uint")
    if (negate or absolute) and (inner in ("int", "uint")) is not is_integer:
        return None
    result = rule.result
    if isinstance(result, Modified):
        negate, absolute = (result.negate, True) if result.absolute else (negate is not result.negate, absolute)
    else:
        assert isinstance(result, Variable)
    if operand.absolute:
        negate, absolute = operand.negate, True
    else:
        negate = negate is not operand.negate
    channels = [bound["x"] if bound is not None else None for bound in matches]
    x, y, z, w = (source[1] if isinstance(source, tuple) else channel for source in channels)
    return SrcOperand(register, (x, y, z, w), negate, absolute)


@cache
def _rules(opcode: OpcodeInfo, kind: str, has_constants: bool) -> tuple[Rule, ...]:
    """Return the rules for sources that an opcode defines, which reads constants or does not."""
    integer = kind == _OF_INTEGERS
    return tuple(
        rule
        for rule in SOURCES
        if rule.window.opcode is opcode
        and (opcode.dst_types[0] == "int") is integer
        and (has_constants or not any(map(is_constant, rule.window.arguments)))
    )
