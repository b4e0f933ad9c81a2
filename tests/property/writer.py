"""Statements of generated programs. Every result enters a running digest at once, so that no mistake gets lost."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.property.pools import (
    ADDRESSES,
    COUNTERS,
    DERIVATIVES,
    DIGEST,
    EXACT,
    EXACT_CHANNELS,
    FLOAT_RESULTS,
    FLOATS,
    FRESH,
    GROUPS,
    INEXACT,
    INEXACT_CHANNELS,
    LIMIT,
    MAX_DEPTH,
    ODD,
    PAIRS,
    SMALL,
    WIDE,
    WORDS,
    Pools,
)
from tgsi.language.facts.opcodes import OPCODES

FLOATS_OUT, ANY_OUT, WORDS_OUT, NEAR_OUT, DIGEST_OUT = range(5)
"""OUT registers: those that the body writes, those with inexact last places, and the digest."""

_PAIRS = ("xyzw", "xyzw", "zwxy", "xyxy", "zwzw")
_PAIR_MASKS = ("xyzw", "xyzw", "xy", "zw")


@dataclass
class Writer:
    """Collector of the lines of one body.

    deck: opcodes that the program shall use, taken from the end. subs: number of subroutines that calls may name. outputs: True if the
    stage's OUT registers may be written at any time. returned: True once lanes may have left the program, after which the values that they
    hold are not specified.
    """

    chance: random.Random
    pools: Pools
    deck: list[str]
    resources: Any = None
    subs: int = 0
    deep: bool = False
    outputs: bool = True
    kills: bool = False
    free: bool = False
    returned: bool = False
    lines: list[str] = field(default_factory=list)
    recent: dict[str, list[str]] = field(default_factory=lambda: {"words": [], "floats": [], "pairs": []})
    near: list[str] = field(default_factory=lambda: list("xyzw"))
    leave: Sequence[str] = ("RET",)

    # registers and operands

    def _one_in(self, count: int) -> bool:
        return self.chance.randrange(count) == 0

    def _swizzle(self) -> str:
        if self._one_in(2):
            return "xyzw"
        return "".join(self.chance.choice("xyzw") for _ in range(4)) if self._one_in(2) else self.chance.choice("xyzw") * 4

    def _mask(self) -> str:
        number = 15 if self._one_in(2) else self.chance.randint(1, 15)
        return "".join(c for i, c in enumerate("xyzw") if number >> i & 1)

    def _modified(self, operand: str) -> str:
        return self.chance.choice(("{}", "{}", "{}", "{}", "-{}", "|{}|", "-|{}|")).format(operand)

    def _written(self, kind: str, registers: Sequence[str]) -> str:
        """Register of the program's own, preferably one that was written recently."""
        fresh = self.recent[kind][-3:]
        return self.chance.choice(fresh if fresh and not self._one_in(4) else registers)

    def source(self, kind: str) -> str:
        """Operand of a type."""
        if kind == "double":
            return self._double()
        draw = self.chance.randrange(20)
        if draw < 9:
            likely_floats = self._one_in(4) != (kind == "float")
            register = self._written("floats", FLOATS) if likely_floats else self._written("words", WORDS)
        elif draw < 11:
            register = self._indirect()
        else:
            register = self.pools.of_type(kind, self.chance)
        order = self.chance.choice(_PAIRS) if kind.endswith("64") else self._swizzle()
        return self._modified(f"{register}.{order}")

    def _indirect(self) -> str:
        component, offset = self.chance.choice("xyzw"), self.chance.choice(("", "+1", "+2", "-1"))
        choices = [*self.pools.indirect, f"TEMP[ADDR[0].{component}{offset}](1)", "CONST[ADDR[0].x]", "CONST[1][ADDR[0].z]"]
        choices += ["CONST[ADDR[0].w][1]", "IMM[ADDR[0].y]", "CONST[ADDR[0].y+2]", f"CONST[{COUNTERS[0]}.x+1]"]
        choices += [f"TEMP[ADDR[0].{component}+4](2)"] * 2
        if self.free:
            choices += [f"TEMP[ADDR[0].{component}{offset}]"] * 3
        return self.chance.choice(choices)

    def _double(self) -> str:
        draw = self.chance.randrange(8)
        if draw < 3:
            register = self._written("pairs", PAIRS)
        elif draw < 7:
            register = self.pools.of_type("double", self.chance)
        else:
            register = self.pools.of_type("int64", self.chance)
        return self._modified(f"{register}.{self.chance.choice(_PAIRS)}")

    def target(self, kind: str) -> str:
        """Register to write: of words, floats or pairs (doubles)."""
        if kind == "pairs":
            register = self.chance.choice(PAIRS)
        elif kind == "floats":
            register = self.chance.choice(FRESH if self._one_in(3) else FLOATS)
            if self._one_in(12):
                return f"TEMP[ADDR[0].{self.chance.choice('xyzw')}+4](2)"
            if self.outputs and self._one_in(12):
                return f"OUT[{self.chance.choice((FLOATS_OUT, ANY_OUT))}]"
        else:
            register = self.chance.choice(WORDS)
            if self._one_in(12):
                return f"TEMP[ADDR[0].{self.chance.choice('xyzw')}](1)"
            if self.outputs and self._one_in(12):
                return self.chance.choice((f"OUT[{ANY_OUT}]", f"OUT[{WORDS_OUT}]", "OUT[ADDR[0].y]" if self.free else "OUT[0]"))
        self.recent[kind].append(register)
        return register

    def digest(self, register: str) -> None:
        """Mix a register into the digest."""
        self.lines.append(f"UMAD {DIGEST}, {DIGEST}, {ODD}, {register}")

    def write(self, name: str, kind: str, mask: str, sources: Sequence[str]) -> None:
        """Write an instruction and the digest of its result."""
        register = self.target(kind)
        suffix = ("_SAT" if self._one_in(10) else "") + ("_PRECISE" if self._one_in(20) else "")
        self.lines.append(f"{name}{suffix} {', '.join([f'{register}.{mask}', *sources])}")
        if not register.startswith("OUT[ADDR"):
            self.digest(register)

    # instructions by the opcode's class

    def instruction(self) -> None:
        """Write an instruction with the next opcode of the deck, or with a random one."""
        self.of_opcode(self.deck.pop() if self.deck else self.chance.choice(sorted(EXACT)))

    def of_opcode(self, name: str) -> None:
        """Write an instruction with the opcode and suitable operands."""
        if name in EXACT:
            self._arithmetic(name)
        elif name in WIDE:
            self._wide(name)
        elif name in INEXACT:
            self._inexact(name)
        elif self.returned and (name in DERIVATIVES or name == "READ_INVOC"):
            return
        elif name in DERIVATIVES:
            self.write(name, "floats", self._mask(), [self.source("float")])
        elif name in ADDRESSES:
            self._address(name)
        elif name in GROUPS:
            self._group(name)
        else:
            self.special(name)

    def special(self, name: str) -> None:
        """Write an instruction with an opcode that depends on the stage or on resources. Subclasses override this method."""
        raise KeyError(name)

    def _arithmetic(self, name: str) -> None:
        info = EXACT[name]
        mask = self._mask()
        if name in EXACT_CHANNELS:
            mask = "".join(c for c in mask if c in EXACT_CHANNELS[name]) or "w"
        sources = [self.source(kind) for kind in info.src_types]
        self.write(name, "floats" if name in FLOAT_RESULTS else "words", mask, sources)

    def _wide(self, name: str) -> None:
        info = WIDE[name]
        sources = [self.source(kind) for kind in info.src_types]
        kinds = {"double": "pairs", "float": "floats"}
        mask = self._mask() if self._one_in(4) else self.chance.choice(_PAIR_MASKS)
        if info.num_dst == 1:
            self.write(name, kinds.get(info.dst_types[0], "words"), mask, sources)
            return
        targets = [(self.target(kinds.get(kind, "words")), kinds.get(kind, "words")) for kind in info.dst_types]
        second = self._mask()
        self.lines.append(f"{name} {targets[0][0]}.{mask}, {targets[1][0]}.{second}, {', '.join(sources)}")
        for register, _ in targets:
            if not register.startswith("OUT"):
                self.digest(register)

    def _inexact(self, name: str) -> None:
        """Write an inexact result to an output that no statement reads, each channel once."""
        if not self.near or not self.outputs:
            return
        sources = [self.source(kind) for kind in OPCODES[name].src_types]
        channel = INEXACT_CHANNELS.get(name) or self.near[-1]
        if channel in self.near:
            self.near.remove(channel)
            self.lines.append(f"{name} OUT[{NEAR_OUT}].{channel}, {', '.join(sources)}")

    def _address(self, name: str) -> None:
        source = self.source("uint" if name == "UARL" else "float")
        if not self._one_in(3):
            source = f"{self.chance.choice(self.pools.small)}.{self._swizzle()}"
        self.lines.append(f"{name} ADDR[0].{self._mask()}, {source}")
        self.digest("ADDR[0]")

    def _group(self, name: str) -> None:
        own = self._written("floats", FLOATS) if self._one_in(2) else self._written("words", WORDS)
        sources = [f"{self.chance.choice([own, self.chance.choice(self.pools.small)])}.{self.chance.choice('xyzw') * 4}"]
        if name == "READ_INVOC":
            sources.append(f"{SMALL}.{self.chance.choice('xyzw') * 4}")
        self.write(name, "words", self._mask(), sources)

    # control flow

    def condition(self) -> None:
        """Write a condition that usually divides the lanes."""
        draw = self.chance.randrange(8)
        channel = self.chance.choice("xyzw") * 4
        if draw < 4:
            self.lines.append(f"{self.chance.choice(('IF', 'UIF'))} {self.chance.choice(self.pools.flags)}.{channel}")
        elif draw < 6:
            self.lines.append(f"IF {self._written('floats', FLOATS)}.{channel}")
        else:
            self.lines.append(f"UIF {self._written('words', WORDS)}.{channel}")

    def branch(self, depth: int, inside: str) -> None:
        self.condition()
        self.body(depth + 1, inside)
        if self._one_in(2):
            self.lines.append("ELSE")
            self.body(depth + 1, inside)
        self.lines.append("ENDIF")

    def loop(self, depth: int) -> None:
        """Write a loop with a bounded counter, which is incremented first, so that CONT cannot skip it."""
        counter = COUNTERS[depth]
        small = self.chance.choice(self.pools.small)
        bound = self.chance.choice((f"{SMALL}.zzzz", f"{SMALL}.wwww", f"{small}.xxxx", f"{small}.yyyy"))
        self.lines += [f"MOV {counter}.x, {SMALL}.xxxx", "BGNLOOP", f"UADD {counter}.x, {counter}.xxxx, {SMALL}.yyyy"]
        self.lines += [f"UMIN {counter}.y, {bound}, {LIMIT}.xxxx", f"USLT {counter}.z, {counter}.yyyy, {counter}.xxxx"]
        self.lines += [f"UIF {counter}.zzzz", "BRK", "ENDIF"]
        self.body(depth + 1, "loop")
        self.lines.append("ENDLOOP")

    def _selector(self) -> str:
        return f"{self.chance.choice([SMALL, SMALL, *self.pools.small, *self.pools.flags])}.{self.chance.choice('xyzw') * 4}"

    def switch(self, depth: int, inside: str) -> None:
        self.lines.append(f"SWITCH {self.chance.choice(self.pools.small)}.{self.chance.choice('xyzw') * 4}")
        seen_default = False
        for _ in range(self.chance.randint(1, 4)):
            default = self._one_in(3) and not seen_default
            seen_default = seen_default or default
            self.lines.append("DEFAULT" if default else f"CASE {self._selector()}")
            self.body(depth + 1, "switch in loop" if "loop" in inside else "switch")
            if self._one_in(2):
                self.lines.append("BRK")
        self.lines.append("ENDSWITCH")

    def jump(self, inside: str) -> None:
        """Write a jump. Rarely it leaves the program; the digest is then stored first."""
        kinds = ["BRK"] * 4 if inside else []
        if "loop" in inside:
            kinds += ["CONT"] * 4
        self.condition()
        leaves = not kinds or self._one_in(9)
        self.returned = self.returned or leaves
        self.lines += self.leave if leaves else [self.chance.choice(kinds)]
        self.lines.append("ENDIF")

    def body(self, depth: int, inside: str, size: int = 3) -> None:
        """Write statements. At depth 0 the opcodes left in the deck come last."""
        self.deep = depth > 0
        for _ in range(self.chance.randint(1 if depth else 3, size)):
            kind = self.chance.randrange(20)
            if kind < 2 and depth < MAX_DEPTH:
                self.branch(depth, inside)
            elif kind == 2 and depth < MAX_DEPTH:
                self.loop(depth)
            elif kind == 3 and depth < MAX_DEPTH:
                self.switch(depth, inside)
            elif kind == 4 and (inside or self._one_in(6)):
                self.jump(inside)
            elif kind == 5:
                self._address(self.chance.choice(sorted(ADDRESSES)))
            elif kind == 6 and self.subs:
                self.lines.append(f"CAL :@{self.chance.randrange(self.subs)}")
            elif kind == 7 and self.kills:
                self.lines.append(f"KILL_IF {self.source('float')}")
            else:
                self.instruction()
            self.deep = depth > 0
        while not depth and self.deck:
            self.instruction()
