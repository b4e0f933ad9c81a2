"""Port pressure: the balance of additions and multiplications in the loops of a program.

CPUs have separate execution ports for the two, and LLVM turns 2 * x into an addition. The bits are the same. In a loop with many
additions, minima and maxima (one kind of port on AMD's CPUs) and few products, a product is cheaper: alu_mandel64 gains 11%.
"""

from __future__ import annotations

from backends.llvm.program.tree import Region, controls, leaves
from tgsi.language.facts.traits import Mode


def sums_prevail(main: Region) -> bool:
    """True if loops have at least as many sums as products."""
    products = sums = 0
    for control in controls(main):
        if control.kind == "loop":
            for leaf in leaves(control.arms[0]):
                opcode = leaf.instruction.opcode
                is_counted = opcode.mode is Mode.COMPONENTWISE and opcode.products + opcode.sums > 0
                width = leaf.instruction.dst[0].write_mask.bit_count() if is_counted else 1
                products, sums = products + opcode.products * width, sums + opcode.sums * width
    return sums >= products > 0
