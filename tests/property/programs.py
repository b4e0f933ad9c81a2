"""Random valid programs with inputs, for tests that compare two ways to run one program.

A seed determines a program. Tests use the seeds from 0 on, so a finding of one run recurs in the next. Programs of successive seeds take
their opcodes from one shuffled deck, so every opcode is used. Loops have counters, so all programs end.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.property.pools import FIXED_IMMEDIATES, FLOATS, PAIRS, TEMPORARIES, WORDS, Words, words
from tests.property.resources import Resources
from tests.property.stages import CONSTANTS, MORE_CONSTANTS, STAGES, Stage
from tests.property.writer import NEAR_OUT

__all__ = ["NEAR_OUTPUTS", "STAGES", "GeneratedProgram", "generate", "seeds", "words"]

NEAR_OUTPUTS = (NEAR_OUT,)
"""OUT registers that may differ in the last places."""

FUEL = 300
"""Fuel of runs: more than a whole program needs, but little, because loops of shortened programs may not end."""

OPCODES_EACH = 8
"""Number of opcodes that a program takes from the deck."""

_FREE = 8
"""One program of this many addresses TEMPs and OUTs indirectly without arrays."""


@dataclass(frozen=True)
class GeneratedProgram:
    """Text and arguments for `tgsi.run`."""

    seed: int
    text: str
    arguments: Mapping[str, Any]


def generate(seed: int, stages: Sequence[str] = tuple(STAGES), size: int = 7, each: int = OPCODES_EACH) -> GeneratedProgram:
    """Valid program of a seed with up to `size` statements at its top level, and more if its share of the deck is not used up."""
    stage = STAGES[stages[seed % len(stages)]]
    chance = random.Random(f"{stage.name} {seed}")
    free = chance.randrange(_FREE) == 0
    deck = stage.deck
    start = seed // len(stages) * each % len(deck)
    share = list((deck + deck)[start : start + each])
    chance.shuffle(share)
    resources = Resources.drawn(chance)
    subs = chance.choice([0, 0, 1, 2])
    main = stage.writer(chance, stage.pools, share, resources, subs, outputs=stage.outputs, kills=stage.kills, free=free, leave=stage.leave)
    for registers, source in ((WORDS[:3], "integers"), (FLOATS[:3], "floats"), (PAIRS[:1], "doubles")):
        for register in registers:  # the last register of each file stays 0 until it is written
            main.lines.append(f"MOV {register}, {chance.choice(getattr(stage.pools, source))}")
    main.lines.append(f"UARL ADDR[0], {chance.choice(stage.pools.small)}")
    main.body(0, "", size)
    bodies = []
    for index in range(subs):  # a subroutine calls only later subroutines
        sub = stage.writer(chance, stage.pools, [], resources, 0, outputs=stage.outputs, free=free, near=[])
        sub.body(1, "", 2)
        if index + 1 < subs and chance.randrange(2):
            sub.lines.append(f"CAL :@{index + 1}")
        bodies.append(sub.lines)
    lines = [*stage.prologue, *main.lines, *stage.epilogue, "END"]
    chosen = [line for line in map(chance.choice, stage.choices) if line]
    text = _assemble(stage, [*chosen, *resources.declarations()], words(seed, (3, 4)), lines, bodies)
    arguments = resources.arguments() | {"fuel": FUEL}
    for name, value in stage.arguments(1000 * seed).items():
        arguments[name] = {**arguments[name], **value} if name in arguments else value
    return GeneratedProgram(seed, text, arguments)


def seeds(examples: int, **options: Any) -> list[GeneratedProgram]:
    """Programs of the first seeds."""
    return [generate(seed, **options) for seed in range(examples)]


def _assemble(stage: Stage, resources: Sequence[str], immediates: Words, main: list[str], subs: list[list[str]]) -> str:
    lines, starts = list(main), []
    for body in subs:
        starts.append(len(lines))
        lines += ["BGNSUB", *body, "ENDSUB"]
    for number, start in enumerate(starts):
        lines = [line.replace(f":@{number}", f":{start}") for line in lines]
    constants = (f"DCL CONST[0][0..{CONSTANTS - 1}]", f"DCL CONST[1][0..{MORE_CONSTANTS - 1}]")
    declared = [*stage.declare, *resources, *constants, *TEMPORARIES, "DCL ADDR[0]"]
    values = [*immediates.tolist(), *FIXED_IMMEDIATES]
    rows = [f"IMM[{i}] UINT32 {{{', '.join(map(str, row))}}}" for i, row in enumerate(values)]
    return "\n".join([stage.processor or stage.name, *declared, *rows, *lines, ""])
