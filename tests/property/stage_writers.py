"""Writers of programs of stages that have opcodes or memory of their own."""

from __future__ import annotations

from tests.property.pools import DIGEST, FIRST_GIVEN, FLOATS, PLACES, SCRATCH, SMALL, WORDS
from tests.property.resources import ResourceWriter
from tests.property.writer import DIGEST_OUT, FLOATS_OUT

THREAD = f"TEMP[{FIRST_GIVEN + 1}]"
"""Places of a thread's own words in the memory of its block."""

STORE_DIGEST = f"MOV OUT[{DIGEST_OUT}], {DIGEST}"


class GeometryWriter(ResourceWriter):
    """Writer that also emits vertices."""

    def special(self, name: str) -> None:
        if name not in ("EMIT", "ENDPRIM"):
            super().special(name)
            return
        stream = (
            f"{SMALL}.xxxx" if self._one_in(2) else f"{self.chance.choice((SMALL, *self.pools.small))}.{self.chance.choice('xyzw') * 4}"
        )
        self.lines += [STORE_DIGEST, f"MOV OUT[{FLOATS_OUT}], {self._written('floats', FLOATS)}", f"EMIT {stream}"]
        if name == "ENDPRIM" or self._one_in(4):
            self.lines.append(f"ENDPRIM {stream}")


class ControlWriter(ResourceWriter):
    """Writer that also reads outputs of other invocations of the patch, after a barrier."""

    def special(self, name: str) -> None:
        if name != "BARRIER":
            super().special(name)
        elif self.deep:
            self.deck.insert(0, name)
        else:
            row = self.chance.choice(("OUT[0][5]", "OUT[1][5]", "OUT[2][5]", "OUT[ADDR[0].x][5]"))
            register = self.chance.choice(WORDS)
            target = self.chance.choice(("OUT[5]", "OUT[ADDR[1].x][5]"))
            self.lines += [f"MOV {target}, {self._written('words', WORDS)}", "BARRIER", f"MOV {register}, {row}", "BARRIER"]
            self.recent["words"].append(register)
            self.digest(register)


class ComputeWriter(ResourceWriter):
    """Writer that also exchanges words of shared memory after a barrier, and has memory of every kind."""

    def special(self, name: str) -> None:
        if name != "BARRIER":
            super().special(name)
        elif self.deep:
            self.deck.insert(0, name)
        else:
            register = self.chance.choice(WORDS)
            other = f"UMIN {SCRATCH}.x, {self.chance.choice(self.pools.small)}.{self.chance.choice('xyzw') * 4}, IMM[5].xxxx"
            self.lines += [f"STORE MEMORY[0], {THREAD}.yyyy, {self._written('words', WORDS)}", "BARRIER"]
            self.lines += [
                other,
                f"UMUL {SCRATCH}.x, {SCRATCH}.xxxx, {PLACES}.yyyy",
                f"LOAD {register}, MEMORY[0], {SCRATCH}.xxxx",
                "BARRIER",
            ]
            self.recent["words"].append(register)
            self.digest(register)

    def _more_memory(self) -> list[str]:
        return [f"MEMORY[1], {self._own}.zzzz", f"MEMORY[1], {self._own}.wwww", f"MEMORY[2], {self._own}.yyyy"]


class TaskWriter(ComputeWriter):
    """Writer that also launches mesh workgroups, and has SHARED memory and a payload."""

    def special(self, name: str) -> None:
        if name == "EMIT_MESH_TASKS":
            self.lines.append(f"EMIT_MESH_TASKS {self.chance.choice(self.pools.small)}.{self._swizzle()}")
        else:
            super().special(name)

    def _more_memory(self) -> list[str]:
        return [f"MEMORY[1], {self._own}.yyyy"]


class MeshWriter(ComputeWriter):
    """Writer that also sets numbers of vertices and primitives, writes primitives, and reads a payload and rows of other threads."""

    def special(self, name: str) -> None:
        if name == "SET_MESH_OUTPUTS":
            self._primitive()
            if self._one_in(3):
                self.lines.append(f"SET_MESH_OUTPUTS {self.chance.choice(self.pools.small)}.{self._swizzle()}")
            else:
                self.lines.append("SET_MESH_OUTPUTS IMM[5].xzzz")
        elif name == "BARRIER" and not self.deep and self._one_in(2):
            self._exchange()
        elif name == "LOAD" and self._one_in(3):
            self.write(name, "words", self._mask(), [f"MEMORY[1].{self._swizzle()}, {self._read_place()}"])
        else:
            super().special(name)

    def target(self, kind: str) -> str:
        found = super().target(kind)
        return "OUT[0]" if found == "OUT[ADDR[0].y]" else found

    def _more_memory(self) -> list[str]:
        return []

    def _primitive(self) -> None:
        """Write registers of the thread's own primitive, and mostly sensible indices."""
        row = self.chance.choice(("", "[ADDR[1].x]"))
        register = self.chance.choice(("[7]", "[8]", f"[ADDR[0].{self.chance.choice('xyzw')}+7](1)"))
        self.lines.append(f"MOV OUT{row}{register}.{self._mask()}, {self._written('words', WORDS)}")
        if self._one_in(2):
            self.lines.append(f"MOV OUT{row}[6].xyz, {self.chance.choice(self.pools.small)}.{self._swizzle()}")

    def _exchange(self) -> None:
        """Read a register of another thread's vertex."""
        row = self.chance.choice(("OUT[0][5]", "OUT[3][5]", "OUT[6][5]", "OUT[ADDR[0].x][5]"))
        register = self.chance.choice(WORDS)
        target = self.chance.choice(("OUT[5]", "OUT[ADDR[1].x][5]"))
        self.lines += [f"MOV {target}, {self._written('words', WORDS)}", "BARRIER", f"MOV {register}, {row}", "BARRIER"]
        self.recent["words"].append(register)
        self.digest(register)
