"""Fragment programs that log their inputs and outputs: the draw's program plus stores to one more buffer.

Each fragment claims the next log entry when it begins, so entries are in fragment order. When the buffer is full, stores are dropped and
the counter in its first word goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from passes.custom import Rewriter
from tgsi.language.facts.enums import File, Interpolation, Location, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import FIRST_OF_VIEWPORT, LOWER_ORIGINS
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.traits import Flow, Trait
from tgsi.language.ir import Declaration, DstOperand, Instruction, MemoryAccess, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.validation.declared import registers, semantics

HEADER = 32
"""Bytes before the first entry; the first word counts fragments. At PLACE are four floats: column and row of the logged pixel, as the
program counts them, and the steps along x and y to the other pixels of its quad. They are data, so all pixels share one kernel."""
PLACE = 16
FIXED = 16
"""Words of an entry that precede the inputs."""
KILL_WORD, END_WORD = 12, 13
"""Word with the number (from 1) of the discarding instruction, and word that is 1 once the program has ended."""
_X = (0, 0, 0, 0)
QUAD = ((1, 0), (0, 1), (1, 1))
"""Offsets of a quad's other pixels, as multiples of the steps along x and y."""


@record
class LogLayout:
    """The layout of an entry: words FIXED + 4 * k hold register k of `inputs`, then those of `outputs`.

    quads: the inputs of the quad's three other pixels follow.
    """

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    quads: bool = False

    @property
    def words(self) -> int:
        """Number of words in an entry."""
        return FIXED + 4 * (len(self.inputs) * (4 if self.quads else 1) + len(self.outputs))


_ROUTES = ("LAYER", "VIEWPORT_INDEX")


@record(kw_only=True)
class _Registers:
    """Registers of one run of the pass. subs: number of the first subroutine instruction."""

    system: dict[str, RegisterRef]
    routes: tuple[RegisterRef, ...]
    at: RegisterRef
    address: RegisterRef
    value: RegisterRef
    is_there: RegisterRef
    place: RegisterRef
    subs: int


@record(slots=False, kw_only=True)
class Logged(Rewriter):
    """The pass. Users never name it, so it is not registered.

    slot: number of the BUFFER. stride: bytes of an entry. per_sample: the program runs once per sample. names_views: the previous stage
    writes layers or viewports.

    The program itself selects the pixel: a scissor would move the origin of the primitive's plane equations, which changes last bits.
    """

    slot: int = 0
    stride: int = 0
    layout: LogLayout = LogLayout((), ())
    per_sample: bool = False
    names_views: bool = False

    name = "log-fragments"
    _r: ClassVar[_Registers]

    def begin(self) -> None:
        """Declare the buffer and the registers."""
        self._work.declarations.append(Declaration(File.BUFFER, self.slot, self.slot))
        wanted = ["PRIM_ID", "FACE", "POSITION", "SAMPLEMASK"] + ["SAMPLEID"] * self.per_sample
        registers = _Registers(
            system={name: self._register(File.SV, name) for name in wanted},
            routes=tuple(self._register(File.IN, name) for name in _ROUTES) if self.names_views else (),
            at=self.temporary(),
            address=self.temporary(),
            value=self.temporary(),
            is_there=self.temporary(),
            place=self.temporary(),
            subs=next((k for k, i in enumerate(self.program.instructions) if i.opcode.flow is Flow.SUBROUTINE), 1 << 30),
        )
        object.__setattr__(self, "_r", registers)  # passes are frozen; this copy belongs to one run

    def _register(self, file: File, name: str) -> RegisterRef:
        for d in self.program.declared(file):
            if d.semantic is not None and d.semantic.name == name and d.dimension is None:
                return RegisterRef(file, d.first)
        interpolation = Interpolation.CONSTANT if file is File.IN else None
        return self.declare(Declaration(file, 0, 0, semantic=Semantic(name, 0), interpolation=interpolation))

    # -- instructions ----------------------------------------------------------------------------------------------------
    def instruction(self, item: Instruction) -> Sequence[Instruction]:
        """See `Rewriter.instruction`."""
        before = self._prologue() if self.place == 0 else []
        if Trait.KILL in item.opcode.traits:
            before += self._note_kill(item)
        ends = item.opcode.flow is Flow.END or (item.opcode.flow is Flow.RETURN and self.place < self._r.subs)
        if ends:
            before += self._epilogue()
        return [*before, item]

    def _op(self, name: str, dst: RegisterRef, mask: int, *src: SrcOperand) -> Instruction:
        memory = MemoryAccess() if name in ("LOAD", "STORE", "ATOMUADD") else None
        return Instruction(OPCODES[name], (DstOperand(dst, mask),), src, memory=memory)

    def _words(self, *values: int) -> SrcOperand:
        return self.immediate(*values, type="UINT32")

    def _store(self, word: int, value: SrcOperand, mask: int = 15) -> list[Instruction]:
        """Store channels at a word of the entry."""
        place = self._op("UADD", self._r.address, 1, SrcOperand(self._r.at, _X), self._words(4 * word))
        return [place, self._op("STORE", RegisterRef(File.BUFFER, self.slot), mask, SrcOperand(self._r.address, _X), value)]

    def _where_there(self, *body: Instruction) -> list[Instruction]:
        """Instructions that run only in the pixel's lanes."""
        head = Instruction(OPCODES["UIF"], (), (SrcOperand(self._r.is_there, _X),))
        return [head, *body, Instruction(OPCODES["ENDIF"])]

    def _find_pixel(self) -> list[Instruction]:
        """Instructions that set all bits of `_is_there` in the pixel's lanes."""
        value, is_there = self._r.value, self._r.is_there
        position = SrcOperand(self._r.system["POSITION"])
        buffer = SrcOperand(RegisterRef(File.BUFFER, self.slot))
        load = self._op("LOAD", self._r.place, 15, buffer, self._words(PLACE))
        moves = [self._op("MOV", value, 3, position)]
        if self.program.property("FS_COORD_PIXEL_CENTER") == 1:
            moves = [self._op("ADD", value, 3, position, self.immediate(0.5))]
        return [
            load,
            *moves,
            self._op("FLR", value, 3, SrcOperand(value)),
            self._op("FSEQ", value, 3, SrcOperand(value), SrcOperand(self._r.place)),
            self._op("AND", is_there, 1, SrcOperand(value, _X), SrcOperand(value, (1, 1, 1, 1))),
        ]

    def _prologue(self) -> list[Instruction]:
        return self._find_pixel() + self._where_there(*self._begin_entry())

    def _begin_entry(self) -> list[Instruction]:
        buffer, system = RegisterRef(File.BUFFER, self.slot), self._r.system
        code = [
            self._op("ATOMUADD", self._r.at, 1, SrcOperand(buffer), self._words(0), self._words(1)),
            self._op("UMAD", self._r.at, 1, SrcOperand(self._r.at, _X), self._words(self.stride), self._words(HEADER)),
        ]
        value, moved = self._r.value, [(1, system["PRIM_ID"]), (2, system["FACE"])]
        moved += [(4 << k, register) for k, register in enumerate(self._r.routes)]
        if not self._r.routes:
            code.append(self._op("MOV", value, 12, self._words(0)))
        code += [self._op("MOV", value, mask, SrcOperand(register, _X)) for mask, register in moved]
        code += self._store(0, SrcOperand(value))
        code += self._store(4, SrcOperand(system["POSITION"]))
        code.append(self._op("MOV", value, 1, SrcOperand(system["SAMPLEMASK"], _X)))
        sample = SrcOperand(system["SAMPLEID"], _X) if self.per_sample else self._words(0)
        code.append(self._op("MOV", value, 2, sample))
        code += self._store(8, SrcOperand(value), 3)
        at = FIXED
        for register in self.layout.inputs:
            code += self._store(at, SrcOperand(RegisterRef(File.IN, register)))
            at += 4
        for step in QUAD if self.layout.quads else ():
            steps = SrcOperand(self._r.place, (2, 3, 3, 3))
            for register in self.layout.inputs:
                code.append(self._op("MUL", self._r.address, 3, steps, self.immediate(*map(float, step), 0.0, 0.0)))
                offset = SrcOperand(self._r.address)
                code.append(self._op("INTERP_OFFSET", value, 15, SrcOperand(RegisterRef(File.IN, register)), offset))
                code += self._store(at, SrcOperand(value))
                at += 4
        return code

    def _note_kill(self, item: Instruction) -> list[Instruction]:
        """Store the number of an instruction that is about to discard the fragment, and the outputs so far."""
        number = self._words(self.place + 1)
        if not item.src:
            return self._where_there(*self._store(KILL_WORD, number, 1), *self._outputs())
        value = self._r.value
        code = [self._op("FSLT", value, 15, item.src[0], self.immediate(0.0))]
        for channel in (1, 2, 3):
            code.append(self._op("OR", value, 1, SrcOperand(value, _X), SrcOperand(value, (channel,) * 4)))
        code.append(self._op("AND", value, 1, SrcOperand(value, _X), number))
        return self._where_there(*code, *self._store(KILL_WORD, SrcOperand(value, _X), 1), *self._outputs())

    def _outputs(self) -> list[Instruction]:
        code = []
        at = FIXED + 4 * len(self.layout.inputs) * (4 if self.layout.quads else 1)
        for k, register in enumerate(self.layout.outputs):
            code += self._store(at + 4 * k, SrcOperand(RegisterRef(File.OUT, register)))
        return code

    def _epilogue(self) -> list[Instruction]:
        return self._where_there(*self._outputs(), *self._store(END_WORD, self._words(1), 1))


def layout_of(program: Program, *, quads: bool = False) -> LogLayout:
    """The layout for the registers that a program declares."""
    return LogLayout(tuple(registers(program, File.IN)), tuple(registers(program, File.OUT)), quads)


def logged(program: Program, slot: int, layout: LogLayout, *, per_sample: bool, names_views: bool) -> Program:
    """The program with a log in BUFFER `slot`; see `Logged`."""
    pass_ = Logged(slot=slot, stride=4 * layout.words, layout=layout, per_sample=per_sample, names_views=names_views)
    return pass_.run(program)


def row_of(program: Program, y: int, height: int, first_scale: float) -> int:
    """The row of a pixel as the program counts it. first_scale: y scale of the first viewport."""
    origin = program.property("FS_COORD_ORIGIN")
    is_lower = origin in LOWER_ORIGINS
    if origin >= FIRST_OF_VIEWPORT:
        is_upward = first_scale >= 0
        is_turned = not is_upward if is_lower else is_upward
        return height - 1 - y if is_turned else y
    return height - 1 - y if is_lower else y


def looks_at_samples(program: Program) -> bool:
    """True if a program reads values that differ between samples and therefore runs once per sample."""
    fetches = any(Trait.FRAMEBUFFER in i.opcode.traits for i in program.instructions)
    located = any(d.location is Location.SAMPLE for d in program.declared(File.IN))
    return bool(semantics(program, File.SV) & {"SAMPLEID", "SAMPLEPOS"}) or fetches or located


def depth_program() -> Program:
    """An empty fragment program, for draws without one and for logging depth only."""
    return Program(processor=Processor.FRAG, instructions=(Instruction(OPCODES["END"]),))


def free_slot(program: Program, bound: Sequence[object]) -> int | None:
    """The number of a BUFFER that neither the program nor the context uses; None if all are taken."""
    used = {*registers(program, File.BUFFER)}
    used |= {i.src[0].register.index for i in program.instructions if i.src and i.src[0].register.file is File.BUFFER}
    return next((k for k in reversed(range(len(bound))) if k not in used and bound[k] is None), None)
