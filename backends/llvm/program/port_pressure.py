"""Do additions or multiplications weigh more in the loops of a program? They have units of their own in the CPU, and some may be either.

LLVM makes 2 * x an addition. The bits are the same; where a loop is full of additions, minima and maxima (one kind of unit on AMD's
CPUs) and short of products, a product is cheaper: alu_mandel64 gains 11%.
"""

from __future__ import annotations

from backends.llvm.program.access import channels
from backends.llvm.program.tree import Region, controls, leaves
from tgsi.language.facts.opcodes import Mode

#: Products (comparisons count as such) and sums of an instruction, for each channel where it is component-wise.
_WEIGHTS: dict[str, tuple[int, int]] = {
    "MUL": (1, 0),
    "MAD": (1, 1),
    "FMA": (1, 0),
    "LRP": (1, 2),
    "DP2": (2, 1),
    "DP3": (3, 2),
    "DP4": (4, 3),
    "ADD": (0, 1),
    "MIN": (0, 1),
    "MAX": (0, 1),
    "FRC": (1, 1),
    "RCP": (3, 0),
    "RSQ": (5, 0),
    "DIV": (2, 0),
    "SQRT": (3, 0),
    "SIN": (9, 7),
    "COS": (14, 10),
    "EX2": (8, 9),
    "LG2": (11, 12),
    "POW": (40, 30),
    **dict.fromkeys(("SLT", "SGE", "SEQ", "SGT", "SLE", "SNE", "FSLT", "FSGE", "FSEQ", "FSNE", "CMP"), (1, 0)),
}


def sums_prevail(main: Region) -> bool:
    """Whether loops have at least as many sums as products."""
    products = sums = 0
    for control in controls(main):
        if control.kind == "loop":
            for leaf in leaves(control.arms[0]):
                opcode = leaf.instruction.opcode
                product, total = _WEIGHTS.get(opcode.name, (0, 0))
                width = len(channels(leaf.instruction.dst[0].write_mask)) if opcode.mode is Mode.COMPONENTWISE and product + total else 1
                products, sums = products + product * width, sums + total * width
    return sums >= products > 0
