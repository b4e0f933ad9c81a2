"""Random valid programs with inputs, for tests that compare two ways to run one program.

A seed makes a program: tests walk over the seeds from 0, so what one run finds the next finds too, and programs of successive
seeds take their opcodes from one shuffled deck, so that every opcode comes up. Loops count, so all programs end.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.property.pools import (
    ADDRESSES,
    DERIVATIVES,
    DIGEST,
    EXACT,
    FIXED_IMMEDIATES,
    GIVEN,
    GROUPS,
    INEXACT,
    INEXACT_CHANNELS,
    LOOSE,
    LOOSE_PAIRS,
    PLAIN,
    TEMPORARIES,
    WIDE,
    Pools,
    Words,
    given_values,
    words,
)
from tests.property.writer import ANY_OUT, DIGEST_OUT, LOOSE_OUT, NEAR_OUT, PLAIN_OUT, Writer

__all__ = ["LOOSE_OUTPUTS", "NEAR_OUTPUTS", "STAGES", "GeneratedProgram", "generate", "seeds", "words"]

INVOCATIONS = 8
OUTPUTS = (LOOSE_OUT, ANY_OUT, PLAIN_OUT, NEAR_OUT, DIGEST_OUT)
LOOSE_OUTPUTS = (LOOSE_OUT, ANY_OUT)
"""May hold any NaN where another engine has one."""
NEAR_OUTPUTS = (NEAR_OUT,)
"""May differ in the last places."""

OPCODES_EACH = 7
"""Opcodes that a program takes from the deck."""

CONSTANTS = 10
MORE_CONSTANTS = 4


@dataclass(frozen=True)
class GeneratedProgram:
    """A text with the arguments of `tgsi.run`."""

    seed: int
    text: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Stage:
    """What is special about the programs of a stage.

    declare: lines before the TEMPs. arguments: of `tgsi.run`, from a seed. prologue, epilogue: around the body; the latter brings
    the digest to where it can be seen. leave: ends the program in the middle of it.
    """

    name: str
    declare: tuple[str, ...]
    pools: Pools
    arguments: Callable[[int], dict[str, Any]]
    prologue: tuple[str, ...] = ()
    epilogue: tuple[str, ...] = (f"MOV OUT[{DIGEST_OUT}], {DIGEST}",)
    leave: tuple[str, ...] = (f"MOV OUT[{DIGEST_OUT}], {DIGEST}", "RET")
    opcodes: tuple[str, ...] = ()
    outputs: bool = True
    kills: bool = False
    writer: type[Writer] = field(default=Writer)

    @property
    def deck(self) -> tuple[str, ...]:
        """Every opcode of this stage, in one order for all seeds."""
        names = sorted({*EXACT, *WIDE, *GROUPS, *ADDRESSES, *self.opcodes, *(INEXACT | INEXACT_CHANNELS.keys() if self.outputs else ())})
        random.Random(self.name).shuffle(names)
        return tuple(names)


def _pools(spell: Callable[[int], Sequence[str]], indirect: tuple[str, ...]) -> Pools:
    """Pools whose kinds lie in the order of GIVEN; `spell` writes a register of that number."""
    kinds = {name: tuple(spell(number)) for number, name in enumerate(GIVEN)}
    kinds["words"] += ("CONST[0]", "CONST[3]", "CONST[1][2]", "CONST[9]", "IMM[0]", "IMM[1]")
    kinds["floats"] += ("CONST[4]", "IMM[2]")
    kinds["near"] += ("CONST[5]",)
    kinds["flags"] += ("CONST[6]",)
    return Pools(**kinds, indirect=indirect)


def _constants(seed: int) -> dict[int, Words]:
    first = words(seed, (CONSTANTS - 1, 4))
    first[4:6] = given_values(seed, 1)[0, :2]
    first[6] = np.random.default_rng(seed).integers(0, 2, 4)
    return {0: first, 1: words(seed + 1, (MORE_CONSTANTS, 4))}


def _inputs(seed: int) -> dict[str, Any]:
    return {"inputs": given_values(seed + 2, INVOCATIONS), "constants": _constants(seed)}


_INPUT_POOLS = _pools(lambda number: [f"IN[{number}]"], ("IN[ADDR[0].x+1]", "IN[ADDR[0].z]"))
_COLORS = tuple(f"DCL OUT[{i}], COLOR[{i}]" for i in OUTPUTS)
_VARYINGS = ("DCL OUT[0], POSITION", *(f"DCL OUT[{i}], GENERIC[{i}]" for i in OUTPUTS[1:]))

STAGES: dict[str, Stage] = {
    stage.name: stage
    for stage in (
        Stage("VERT", (*(f"DCL IN[{i}]" for i in range(len(GIVEN))), *_VARYINGS), _INPUT_POOLS, _inputs),
        Stage(
            "FRAG",
            (*(f"DCL IN[{i}], GENERIC[{i}], PERSPECTIVE" for i in range(len(GIVEN))), *_COLORS),
            _INPUT_POOLS,
            _inputs,
            opcodes=tuple(DERIVATIVES),
            kills=True,
        ),
    )
}

_FREE = 8
"""One program of so many addresses TEMPs and OUTs without arrays; it computes no doubles, whose halves may be any NaN's."""


def generate(seed: int, stages: Sequence[str] = tuple(STAGES), size: int = 8, each: int = OPCODES_EACH) -> GeneratedProgram:
    """The valid program of a seed, with up to `size` statements at its top level and more while the deck's share lasts."""
    stage = STAGES[stages[seed % len(stages)]]
    number = seed // len(stages)
    chance = random.Random(f"{stage.name} {seed}")
    free = chance.randrange(_FREE) == 0
    start = number * each % len(stage.deck)
    deck = [*stage.deck, *stage.deck][start : start + each]
    if free:
        deck = [name for name in deck if name not in WIDE]
    chance.shuffle(deck)
    subs = chance.choice([0, 0, 1, 2])
    main = stage.writer(chance, stage.pools, deck, subs, outputs=stage.outputs, kills=stage.kills, free=free, leave=stage.leave)
    for registers, source in ((PLAIN[:3], "integers"), (LOOSE[:3], "floats"), (LOOSE_PAIRS[:1], "doubles")):
        for register in registers:  # the last one of each stays 0 until something is written
            main.lines.append(f"MOV {register}, {chance.choice(getattr(stage.pools, source))}")
    main.lines.append(f"UARL ADDR[0], {chance.choice(stage.pools.small)}")
    main.body(0, "", size)
    bodies = []
    for index in range(subs):  # a subroutine calls only later ones
        sub = stage.writer(chance, stage.pools, [], 0, outputs=stage.outputs, free=free, near=[])
        sub.body(1, "", 2)
        if index + 1 < subs and chance.randrange(2):
            sub.lines.append(f"CAL :@{index + 1}")
        bodies.append(sub.lines)
    lines = [*stage.prologue, *main.lines, *stage.epilogue, "END"]
    text = _assemble(stage, words(seed, (3, 4)), lines, bodies)
    return GeneratedProgram(seed, text, stage.arguments(1000 * seed))


def seeds(examples: int, **options: Any) -> list[GeneratedProgram]:
    """The programs of the first seeds."""
    return [generate(seed, **options) for seed in range(examples)]


def _assemble(stage: Stage, immediates: Words, main: list[str], subs: list[list[str]]) -> str:
    lines, starts = list(main), []
    for body in subs:
        starts.append(len(lines))
        lines += ["BGNSUB", *body, "ENDSUB"]
    for number, start in enumerate(starts):
        lines = [line.replace(f":@{number}", f":{start}") for line in lines]
    declared = [
        *stage.declare,
        f"DCL CONST[0][0..{CONSTANTS - 1}]",
        f"DCL CONST[1][0..{MORE_CONSTANTS - 1}]",
        TEMPORARIES.strip(),
        "DCL ADDR[0]",
    ]
    values = [*immediates.tolist(), *FIXED_IMMEDIATES]
    rows = [f"IMM[{i}] UINT32 {{{', '.join(map(str, row))}}}" for i, row in enumerate(values)]
    return "\n".join([stage.name, *declared, *rows, *lines, ""])
