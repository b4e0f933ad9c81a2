"""The pass fold-constants."""

from __future__ import annotations

from collections.abc import Sequence

from passes.analysis.access import is_direct
from passes.edit import Immediates, with_opcode
from passes.form import NO_CELL, Form, Rewriter
from passes.optimise.evaluate import evaluate, is_known
from tgsi.language.facts.enums import ADDR, IMM
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Instruction
from tgsi.language.record import record


@record(slots=False)
class FoldConstants(Rewriter):
    """Compute instructions whose sources are immediates, and MOV the result.

    Transcendental functions are not folded but for exact results: the engine chooses their last places. Programs with MUL_ZERO_WINS keep
    their products. No immediate is added to a program that indexes its immediates by an address.
    """

    name = "fold-constants"

    def takes(self, opcode: OpcodeInfo) -> int:
        """See `Rewriter.takes`."""
        return NO_CELL if opcode.num_src and opcode.is_computed and is_known(opcode) else 0

    def visit(self, form: Form, place: int, item: Instruction, makers: int) -> bool:
        """See `Rewriter.visit`."""
        for operand in item.src:
            if operand.register.file is not IMM:
                return False
        if not item.src or (form.zero_wins and Trait.PRODUCT in item.opcode.traits):
            return False
        constant = folded(item, form.immediates)
        if constant is not item:
            form.values.put(place, constant)
        return constant is not item


def folded(item: Instruction, immediates: Immediates) -> Instruction:
    """Return a MOV of the result if all sources of an instruction are immediates, otherwise the instruction."""
    if item.opcode.is_copy and not (item.saturate or item.src[0].negate or item.src[0].absolute):
        return item
    if not item.src or not item.opcode.is_computed:
        return item
    words: list[Sequence[int]] = []
    for operand in item.src:
        register = operand.register
        if register.file is not IMM or not is_direct(register):
            return item
        own = immediates.items[register.index].words
        x, y, z, w = operand.swizzle
        words.append((own[x], own[y], own[z], own[w]))
    values = evaluate(item, words)
    if not values:
        return item
    source = immediates.source([values.get(channel) for channel in range(4)], item.opcode.dst_types[0])
    if source is None:
        return item
    opcode = OPCODES["UARL" if item.dst[0].register.file is ADDR else "MOV"]
    return with_opcode(item, opcode, (source,))
