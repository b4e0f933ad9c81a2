"""Random programs for passes that combine channels: sums of products, reductions, MOVs and constants for parts of registers, branches.

Few registers, few opcodes and many write masks, so that most programs have what these passes look for. A seed determines a program.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.property.programs import GeneratedProgram

_HEAD = """FRAG
{properties}DCL IN[0..2], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL CONST[0..3]
DCL TEMP[0..5]
IMM[0] FLT32 {{0.0, 1.0, 0.5, -2.0}}
IMM[1] UINT32 {{0, 4294967295, 2147483648, 7}}
"""
_CHANNELS = "xyzw"
_INVOCATIONS = 16


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.lines: list[str] = []

    def _read(self, files: str = "TTTIC") -> str:
        chance = self._chance
        name = {"T": f"TEMP[{chance.randrange(6)}]", "I": f"IN[{chance.randrange(3)}]", "C": f"CONST[{chance.randrange(4)}]"}
        name |= {"M": f"IMM[{chance.randrange(2)}]"}
        swizzle = "".join(chance.choice(_CHANNELS) for _ in range(4)) if chance.random() < 0.7 else "xyzw"
        return f"{name[chance.choice(files)]}.{swizzle}"

    def _mask(self) -> str:
        return "".join(c for c in _CHANNELS if self._chance.random() < 0.45) or self._chance.choice(_CHANNELS)

    def _target(self) -> str:
        chance = self._chance
        return f"{f'OUT[{chance.randrange(2)}]' if chance.random() < 0.3 else f'TEMP[{chance.randrange(6)}]'}.{self._mask()}"

    def products(self) -> None:
        """A sum of products, of two registers for the most part."""
        chance = self._chance
        sum_, one, two = f"TEMP[{chance.randrange(3)}]", self._read("CIT")[:-5], self._read("CI")[:-5]
        to, sign = chance.choice(_CHANNELS), ["", "", "-"]
        modes = ["", "", "", "|"]
        for step in range(chance.randrange(2, 6)):
            mode = chance.choice(modes)
            a, b = (
                f"{chance.choice(sign)}{mode}{name}.{chance.choice(_CHANNELS) * 4}{mode}"
                for name in chance.choice([(one, two), (two, one)])
            )
            end = chance.choice(["", "", "_SAT"]) if chance.random() < 0.1 else ""
            before = f", {chance.choice(sign) if chance.random() < 0.2 else ''}{sum_}.{to * 4}" if step else ""
            to = chance.choice(_CHANNELS) if chance.random() < 0.2 else to
            self.lines.append(f"{'MAD' if step else 'MUL'}{end} {sum_}.{to}, {a}, {b}{before}")

    def reduction(self) -> None:
        """Comparisons of several registers and what reduces them to one flag."""
        chance = self._chance
        compare, combine = chance.choice([("SNE", "MAX"), ("SEQ", "MUL"), ("SLT", "MIN"), ("USEQ", "AND"), ("FSNE", "OR"), ("ADD", "UMAX")])
        registers = chance.sample(range(6), chance.randrange(1, 4))
        leaves = []
        for register in registers:
            self.lines.append(f"{compare} TEMP[{register}], {self._read('TIC')}, {self._read('TICM')}")
            leaves += [f"TEMP[{register}].{c * 4}" for c in chance.sample(_CHANNELS, chance.randrange(2, 5))]
        chance.shuffle(leaves)
        free = [register for register in range(6) if register not in registers] or [chance.randrange(6)]
        while len(leaves) > 1:
            a, b = leaves.pop(chance.randrange(len(leaves))), leaves.pop(chance.randrange(len(leaves)))
            register, channel = chance.choice(free), chance.choice(_CHANNELS)
            self.lines.append(f"{combine} TEMP[{register}].{channel}, {a}, {b}")
            leaves.append(f"TEMP[{register}].{channel * 4}")
        self.lines.append(f"MOV {self._target()}, {leaves[0]}")

    def parts(self) -> None:
        """Instructions for parts of one register."""
        chance = self._chance
        name = f"OUT[{chance.randrange(2)}]" if chance.random() < 0.5 else f"TEMP[{chance.randrange(6)}]"
        channels = [*_CHANNELS]
        chance.shuffle(channels)
        while channels:
            mask = "".join(c for c in _CHANNELS if c in channels[: chance.randrange(1, 4)])
            channels = [c for c in channels if c not in mask]
            opcode = chance.choice(["MOV", "MOV", "MOV", "MOV_SAT", "AND", "OR", "UMUL", "UMIN", "UCMP", "CMP"])
            count = {"MOV": 1, "MOV_SAT": 1, "UCMP": 3, "CMP": 3}.get(opcode, 2)
            signs = ["", "", "", "-"] if opcode.startswith("MOV") else [""]
            sources = [f"{chance.choice(signs)}{self._read('TICMMM')}" for _ in range(count)]
            self.lines.append(f"{opcode} {name}.{mask}, {', '.join(sources)}")
            if chance.random() < 0.2:
                self.plain()

    def plain(self) -> None:
        """One instruction."""
        opcode = self._chance.choice(["ADD", "MUL", "MOV", "AND", "DP3", "SLT", "MIN"])
        sources = [self._read("TTICM") for _ in range(1 if opcode == "MOV" else 2)]
        self.lines.append(f"{opcode} {self._target()}, {', '.join(sources)}")

    def branch(self, depth: int) -> None:
        """An IF, perhaps with an ELSE."""
        chance = self._chance
        self.lines.append(f"{chance.choice(['IF', 'UIF'])} {self._read('TC')[:-4]}{chance.choice(_CHANNELS) * 4}")
        self.body(depth + 1, chance.randrange(1, 3))
        if chance.random() < 0.6:
            self.lines.append("ELSE")
            self.body(depth + 1, chance.randrange(1, 3))
        self.lines.append("ENDIF")

    def body(self, depth: int, count: int) -> None:
        """Some statements."""
        kinds: list[Callable[[], None]] = [self.products, self.reduction, self.parts, self.plain, lambda: self.branch(depth)]
        for _ in range(count):
            self._chance.choices(kinds, [3, 3, 4, 3, 2 if depth < 2 else 0])[0]()


def generate_vectors(seed: int) -> GeneratedProgram:
    """Return the program of a seed with inputs that hold numbers, flags, denormals, infinities and NaNs."""
    chance = random.Random(f"vectors {seed}")
    writer = _Writer(chance)
    writer.body(0, chance.randrange(2, 6))
    for number in range(2):
        writer.lines.append(f"MOV OUT[{number}].{writer._mask()}, TEMP[{chance.randrange(6)}]")
    head = _HEAD.format(properties="PROPERTY MUL_ZERO_WINS 1\n" if chance.random() < 0.15 else "")
    numbers = np.random.default_rng(seed)
    return GeneratedProgram(seed, head + "\n".join([*writer.lines, "END", ""]), _arguments(numbers))


def _arguments(numbers: np.random.Generator) -> dict[str, Any]:
    special = np.array([0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0x7FC00000, 0xFFFFFFFF, 1, 0x7F800001, 0x3F000000], np.uint32)

    def words(shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.uint32]]:
        plain = numbers.uniform(-4, 4, shape).astype(np.float32).view(np.uint32)
        return np.where(numbers.random(shape) < 0.4, numbers.choice(special, shape), plain)

    return {"inputs": words((_INVOCATIONS, 3, 4)), "constants": {0: words((4, 4))}}
