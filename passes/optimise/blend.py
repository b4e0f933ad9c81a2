"""The pass blend-moves."""

from __future__ import annotations

from passes.analysis.makers import bits_of
from passes.edit import destination, source_of
from passes.form import Form, FormPass
from passes.optimise.join import Joiner
from tgsi.language.facts.enums import ADDR, TEMP
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import XYZW, Instruction, SrcOperand
from tgsi.language.record import record

_MOV, _CMP = OPCODES["MOV"], OPCODES["CMP"]
_ONE = 0x3F800000


@record(slots=False)
class BlendMoves(FormPass):
    """Write one CMP for two MOVs of different sources to different channels of one register.

    Its first source is a constant, -1.0 in the channels of the first MOV and 0.0 in those of the second. CMP keeps the bits that it picks.
    """

    name = "blend-moves"
    needs = (bits_of((_MOV,)),)

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        if form.values.opcodes.counts.get(_MOV, 0) < 2:
            return False
        items, region = form.values.items, form.values.layout.region
        waiting: dict[tuple[int, int, bool], int] = {}
        joiner: Joiner | None = None
        changed = False
        for place, item in enumerate(items):
            if item is None or item.opcode is not _MOV or item.dst[0].write_mask == XYZW:
                continue
            target = item.dst[0].register
            if target.cell < 0 or target.file is ADDR:
                continue
            key = region[place], target.cell, item.saturate
            first = waiting.pop(key, None)
            if first is not None:
                joiner = joiner or Joiner(form)
                if _blend(form, joiner, first, place):
                    changed = True
                    continue
            waiting[key] = place
        return changed


def _blend(form: Form, joiner: Joiner, first: int, later: int) -> bool:
    """Write a CMP in the place of one of two MOVs, and remove the other; return false if that changes a result."""
    values = form.values
    one, two = values.items[first], values.items[later]
    assert one is not None
    assert two is not None
    mine, other = one.dst[0].write_mask, two.dst[0].write_mask
    if mine & other or (one.src[0].register == two.src[0].register and one.src[0].register.file is TEMP):
        return False
    sinks = joiner.sinks(first, one, later)
    if not sinks and not joiner.rises(first, later, two):
        return False
    words = [_ONE if mine >> c & 1 else 0 if other >> c & 1 else None for c in range(4)]
    chooser = form.immediates.source(words, "float")
    if chooser is None:
        return False
    chooser = source_of(chooser.register, chooser.swizzle, True)
    sources = chooser, _only(one.src[0], mine), _only(two.src[0], other)
    choice = Instruction(_CMP, (destination(one.dst[0].register, mine | other),), sources, saturate=one.saturate, span=one.span)
    place, gone = (later, first) if sinks else (first, later)
    values.remove(gone)
    values.put(place, choice)
    return True


def _only(operand: SrcOperand, mask: int) -> SrcOperand:
    """Return a source that reads no channels but those that it reads for the channels of a mask."""
    spare = operand.swizzle[(mask & -mask).bit_length() - 1]
    x, y, z, w = (operand.swizzle[c] if mask >> c & 1 else spare for c in range(4))
    return source_of(operand.register, (x, y, z, w), operand.negate, operand.absolute)
