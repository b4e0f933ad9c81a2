"""The pass absorb-constants."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from passes.analysis.makers import bits_of
from passes.edit import destination, source_of, with_operands
from passes.form import Form, FormPass
from passes.optimise.join import Joiner
from passes.optimise.rules.table import RULES
from passes.optimise.rules.terms import Variable, Word
from tgsi.language.facts.enums import ADDR, IMM
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.ir import STILL, XYZW, Instruction, SrcOperand
from tgsi.language.record import record

_ABSORBING: Mapping[OpcodeInfo, int] = MappingProxyType(
    {
        rule.window.opcode: rule.result.value
        for rule in RULES
        if isinstance(rule.result, Word) and rule.window.arguments == (Variable("x"), rule.result) and len(rule.window.orders) > 1
    }
)
"""The word that is the result if one source is that word, whatever the other is: 0 for AND. By the rules of simplify-instructions."""
_CHOICES = frozenset(rule.window.opcode for rule in RULES if rule.window.arguments == (Variable("x"), Variable("y"), Variable("y")))
"""Opcodes that give either their second or their third source."""
_MOV = OPCODES["MOV"]


@record(slots=False)
class AbsorbConstants(FormPass):
    """Let an instruction write the constants that a MOV carries to other channels of its register.

    AND gives 0 if one source is 0, OR gives ones if one source is ones, and so do others by the rules of simplify-instructions. A choice
    gives a constant if both of its sources are that constant.
    """

    name = "absorb-constants"
    needs = (bits_of((_MOV,)), bits_of(_ABSORBING) | bits_of(_CHOICES))

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        items, region = form.values.items, form.values.layout.region
        moves: dict[tuple[int, int], int] = {}
        others: dict[tuple[int, int], int] = {}
        joiner: Joiner | None = None
        changed = False
        for place, item in enumerate(items):
            if item is None or len(item.dst) != 1 or item.saturate or item.dst[0].write_mask == XYZW:
                continue
            register = item.dst[0].register
            if register.cell < 0 or register.file is ADDR:
                continue
            is_move = item.opcode is _MOV
            if is_move and not _is_constant(item.src[0]):
                continue
            if not is_move and item.opcode not in _ABSORBING and item.opcode not in _CHOICES:
                continue
            key = region[place], register.cell
            first = (others if is_move else moves).get(key)
            if first is not None and items[first] is not None:
                joiner = joiner or Joiner(form)
                merged = _absorb(form, joiner, first, place, is_move)
                if merged is not None:
                    changed = True
                    others[key] = merged
                    continue
            (moves if is_move else others)[key] = place
        return changed


def _is_constant(operand: SrcOperand) -> bool:
    return operand.register.file is IMM and operand.register.cell == STILL and not (operand.negate or operand.absolute)


def _absorb(form: Form, joiner: Joiner, first: int, later: int, is_move: bool) -> int | None:
    """Write one instruction in the place of one of two; return that place, or None if that changes a result or no source can do it."""
    values = form.values
    one, two = values.items[first], values.items[later]
    assert one is not None
    assert two is not None
    if one.dst[0].write_mask & two.dst[0].write_mask:
        return None
    sinks = joiner.sinks(first, one, later)
    if not sinks and not joiner.rises(first, later, two):
        return None
    absorbed = _absorbed(form, one, two) if is_move else _absorbed(form, two, one)
    if absorbed is None:
        return None
    place, gone = (later, first) if sinks else (first, later)
    values.remove(gone)
    values.put(place, absorbed)
    return place


def _absorbed(form: Form, item: Instruction, move: Instruction) -> Instruction | None:
    """Return an instruction that also writes the constants of a MOV, or None if its opcode or its sources cannot give these."""
    items = form.immediates.items
    source, mask = move.src[0], move.dst[0].write_mask
    constant = items[source.register.index].words
    words = [constant[source.swizzle[c]] if mask >> c & 1 else None for c in range(4)]
    if item.opcode in _CHOICES:
        wanted = [number for number in (1, 2) if _is_constant(item.src[number])]
        if len(wanted) < 2:
            return None
    else:
        wanted = [number for number in (0, 1) if _is_constant(item.src[number])]
        if not wanted or {word for word in words if word is not None} != {_ABSORBING[item.opcode]}:
            return None
    own = item.dst[0].write_mask
    sources = []
    for number, operand in enumerate(item.src):
        if number in wanted:
            have = items[operand.register.index].words
            both = [have[operand.swizzle[c]] if own >> c & 1 else words[c] for c in range(4)]
            merged = form.immediates.source(both, item.opcode.src_types[number])
            if merged is None:
                return None
            sources.append(merged)
        else:
            spare = operand.swizzle[(own & -own).bit_length() - 1]
            x, y, z, w = (operand.swizzle[c] if own >> c & 1 else spare for c in range(4))
            sources.append(source_of(operand.register, (x, y, z, w), operand.negate, operand.absolute))
    return with_operands(item, (destination(item.dst[0].register, own | mask),), tuple(sources))
