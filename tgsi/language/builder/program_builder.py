"""Programs without text: a builder with one method for each opcode.

    b = ProgramBuilder("FRAG")
    color = b.input("COLOR", interpolation="LINEAR")
    out = b.output("COLOR")
    scale = b.constant(0)
    t = b.temporary()
    b.MUL(t, color, scale)
    with b.if_(t.x):
        b.MAD(out, t, 2.0, color.wzyx)
    with b.else_():
        b.MOV(out.xyz, -abs(t))
    program = b.build()

The methods come from the opcode table; `python -m tgsi.tools.reference` writes their types (tgsi/language/builder/opcode_methods.pyi).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import IntEnum
from typing import TypeVar

from tgsi.language.builder.opcode_methods import OpcodeMethods
from tgsi.language.builder.pool import ImmediatePool, Kind
from tgsi.language.builder.registers import Array, Buffers, Operand, Register, Source
from tgsi.language.facts.enums import TARGETS, File, ImmediateType, Interpolation, Location, MemoryType, Processor, ReturnType
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS, Semantic
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import (
    Declaration,
    DstOperand,
    ImageInfo,
    Instruction,
    MemoryAccess,
    Property,
    RegisterRef,
    SrcOperand,
    TexOffset,
    ViewInfo,
)
from tgsi.language.program import Program

__all__ = ["Array", "Buffers", "Operand", "ProgramBuilder", "Register", "Source"]

E = TypeVar("E", bound=IntEnum)


class ProgramBuilder(OpcodeMethods):
    """Builder of a program. Every opcode is a method in capitals; its destinations and sources are `Register`s.

    A source may also be a number (a pooled immediate of the type that the opcode reads) or a sequence of up to four numbers. The channels
    that a destination names are its write mask: ``out.xy``. Registers come from `input`, `output`, `temporary`, `array`, `constant`, ...
    """

    def __init__(self, stage: Processor | str) -> None:
        """Start an empty program. ValueError for an unknown stage."""
        self.stage = _member(Processor, stage, "stage")
        self._declarations: list[Declaration] = []
        self._constants: dict[int, int] = {}
        self._immediates = ImmediatePool()
        self._properties: dict[str, int] = {}
        self._instructions: list[Instruction] = []
        self._counts: dict[File, int] = {}
        self._temporaries: dict[int, bool] = {}
        self._free: list[int] = []
        self._arrays = 0
        self._open: list[str] = []
        self._calls: dict[int, str] = {}
        self._subroutines: dict[str, int] = {}
        self._closed_if = -1

    # registers

    def input(
        self,
        semantic: str | Semantic | None = None,
        index: int = 0,
        *,
        interpolation: str | Interpolation | None = None,
        location: str | Location = Location.CENTER,
    ) -> Register:
        """Declare the next input.

        FRAG inputs are PERSPECTIVE by default. In stages that read whole primitives, index the input by its vertex.
        """
        mode = _member(Interpolation, interpolation, "interpolation") if interpolation is not None else None
        if mode is None and self.stage is Processor.FRAG:
            mode = Interpolation.PERSPECTIVE
        where = _member(Location, location, "location")
        return self._register(File.IN, semantic=_semantic(semantic, index), interpolation=mode, location=where)

    def output(self, semantic: str | Semantic, index: int = 0, *, usage_mask: int = 15, per_primitive: bool = False) -> Register:
        """Declare the next output. In mesh programs, index it by its vertex, or by its primitive if it is `per_primitive`."""
        return self._register(File.OUT, semantic=_semantic(semantic, index), usage_mask=usage_mask, per_primitive=per_primitive)

    def system_value(self, semantic: str, index: int = 0) -> Register:
        """Declare the next system value."""
        return self._register(File.SV, semantic=_semantic(semantic, index))

    def temporary(self) -> Register:
        """Return a temporary: a released one if there is any, otherwise a new one."""
        number = self._free.pop() if self._free else self._take(File.TEMP)
        self._temporaries[number] = True
        return Register(File.TEMP, number)

    def release(self, *registers: Register) -> None:
        """Give temporaries back for reuse by `temporary`. ValueError for a register that is not a temporary in use."""
        for register in registers:
            if register.file is not File.TEMP or not self._temporaries.get(register.index, False):
                raise ValueError(f"{register} is not a temporary in use")
            self._temporaries[register.index] = False
            self._free.append(register.index)

    def array(self, size: int, file: File = File.TEMP) -> Array:
        """Declare `size` temporaries with an array number, to be indexed by numbers or address channels: ``a[2]``, ``a[address.x + 1]``."""
        if size < 1:
            raise ValueError(f"an array has at least one register, not {size}")
        first = self._counts.get(file, 0)
        self._counts[file] = first + size
        self._arrays += 1
        self._declarations.append(Declaration(file, first, first + size - 1, array_id=self._arrays))
        return Array(file, first, size, self._arrays)

    def address(self) -> Register:
        """Declare the next address register."""
        return self._register(File.ADDR)

    def constant(self, index: int, buffer: int = 0) -> Register:
        """One vec4 of a constant buffer. Buffers are declared up to the highest requested index."""
        self._constants[buffer] = max(self._constants.get(buffer, 0), index)
        return Register(File.CONST, index, buffer)

    def constants(self, size: int, buffer: int = 0) -> Buffers:
        """A whole constant buffer, to be indexed by numbers or address channels."""
        self._constants[buffer] = max(self._constants.get(buffer, 0), size - 1)
        return Buffers(buffer, size)

    def immediate(self, *values: float, kind: Kind = "float") -> Register:
        """An immediate. Equal ones are one, and up to four different values share a register. A single value is replicated."""
        return self._immediates.of_values(values, kind)

    def immediate_words(self, type: ImmediateType, words: tuple[int, int, int, int]) -> Register:
        """An immediate by its raw 32-bit words: doubles, NaN payloads. Equal ones are one."""
        return self._immediates.of_words(type, words)

    def sampler(self, index: int | None = None) -> Register:
        """Declare a sampler: the next one unless an index is given."""
        return self._numbered(File.SAMP, index)

    def view(self, target: str, kind: str | ReturnType = ReturnType.FLOAT, index: int | None = None) -> Register:
        """A sampler view of a texture target."""
        kind = _member(ReturnType, kind, "return type")
        return self._numbered(File.SVIEW, index, view=ViewInfo(_target(target), (kind, kind, kind, kind)))

    def image(self, target: str, format: str = "", *, writable: bool = False, raw: bool = False, index: int | None = None) -> Register:
        """A storage image."""
        return self._numbered(File.IMAGE, index, image=ImageInfo(_target(target), format, writable, raw))

    def buffer(self, index: int | None = None, *, atomic: bool = False) -> Register:
        """A storage buffer."""
        return self._numbered(File.BUFFER, index, atomic=atomic)

    def memory(self, kind: str | MemoryType = MemoryType.SHARED) -> Register:
        """Memory of a compute, task or mesh program."""
        return self._numbered(File.MEMORY, None, memory=_member(MemoryType, kind, "memory type"))

    def property(self, name: str, value: int | str) -> None:
        """Set a property; `value` is a number or one of the words that text uses. ValueError for an unknown name or word."""
        info = PROPERTIES.get(name)
        if info is None:
            raise ValueError(f"property: there is none called {name!r}")
        if isinstance(value, str):
            if value not in (info.words or {}):
                raise ValueError(f"property: {name} has no value {value!r}")
            value = (info.words or {})[value]
        self._properties[name] = value & 0xFFFFFFFF

    # control flow

    @contextmanager
    def if_(self, condition: Operand, *, bits: bool = False) -> Iterator[None]:
        """Open an IF: the lanes whose condition (first channel) is not 0.0. `bits` tests for any set bit instead (UIF)."""
        with self._region("UIF" if bits else "IF", "ENDIF", (condition,)):
            yield
        self._closed_if = len(self._instructions)

    @contextmanager
    def else_(self) -> Iterator[None]:
        """Open the ELSE of the `if_` that was just closed. RuntimeError anywhere else."""
        if self._closed_if != len(self._instructions) or not self._instructions:
            raise RuntimeError("else_ must directly follow an if_")
        self._instructions.pop()
        with self._region("ELSE", "ENDIF", ()):
            yield

    @contextmanager
    def loop(self) -> Iterator[None]:
        """Open an endless loop; `BRK` and `RET` leave it."""
        with self._region("BGNLOOP", "ENDLOOP", ()):
            yield

    @contextmanager
    def switch(self, selector: Operand) -> Iterator[None]:
        """Open a SWITCH; its arms begin with `CASE` and `DEFAULT`."""
        with self._region("SWITCH", "ENDSWITCH", (selector,)):
            yield

    def call(self, name: str) -> None:
        """Call the subroutine `name`, which may be defined later."""
        self._calls[len(self._instructions)] = name
        self.emit("CAL", label=0)

    @contextmanager
    def subroutine(self, name: str) -> Iterator[None]:
        """Define the subroutine that `call` of this name runs. It stands after the main program, so call `END` first. RET is added."""
        if name in self._subroutines:
            raise ValueError(f"subroutine: {name!r} is defined already")
        self._subroutines[name] = len(self._instructions)
        with self._region("BGNSUB", "ENDSUB", ()):
            yield
            if self._instructions[-1].opcode.flow is not Flow.RETURN:
                self.emit("RET")

    @contextmanager
    def _region(self, opening: str, closing: str, sources: tuple[Operand, ...]) -> Iterator[None]:
        self.emit(opening, (), sources)
        self._open.append(opening)
        yield
        self._open.pop()
        self.emit(closing)

    # instructions

    def emit(
        self,
        name: str,
        dst: Sequence[Register] = (),
        src: Sequence[Operand] = (),
        *,
        target: str | None = None,
        offsets: Sequence[Register] = (),
        memory: MemoryAccess | None = None,
        label: int | None = None,
        saturate: bool = False,
        precise: bool = False,
    ) -> Instruction:
        """Append an instruction by its opcode name. Every opcode's method calls this one.

        Raises:
            ValueError: no such opcode or target, or the wrong number of operands.
            TypeError: an operand is not a register, number or sequence of numbers.
        """
        info = OPCODES.get(name)
        if info is None:
            raise ValueError(f"there is no opcode {name!r}")
        if (len(dst), len(src)) != (info.num_dst, info.num_src):
            raise ValueError(f"{name} takes {info.num_dst} destinations and {info.num_src} sources, not {len(dst)} and {len(src)}")
        if (target is not None) != info.is_texture:
            raise ValueError(f"{name} {'needs a' if info.is_texture else 'has no'} texture target")
        item = Instruction(
            info,
            tuple(_destination(operand) for operand in dst),
            tuple(self._source(operand, kind) for operand, kind in zip(src, info.src_types, strict=True)),
            saturate=saturate,
            precise=precise,
            texture=_target(target) if target is not None else None,
            offsets=tuple(_offset(operand) for operand in offsets),
            memory=(memory or MemoryAccess()) if info.has_memory else None,
            label=label,
        )
        self._instructions.append(item)
        return item

    def build(self) -> Program:
        """Return the program so far; a missing END is added.

        RuntimeError inside an open region, or where a called subroutine is not defined.
        """
        if self._open:
            raise RuntimeError(f"{self._open[-1]} is still open")
        code = list(self._instructions)
        for place, name in self._calls.items():
            if name not in self._subroutines:
                raise RuntimeError(f"subroutine {name!r} is called and not defined")
            code[place] = replace(code[place], label=self._subroutines[name])
        if not any(item.opcode.flow is Flow.END for item in code):
            code.append(Instruction(OPCODES["END"]))
        declarations = [*self._declarations, *_temporaries(self._declarations, self._counts.get(File.TEMP, 0))]
        for buffer, last in sorted(self._constants.items()):
            declarations.append(Declaration(File.CONST, 0, last, dimension=buffer))
        return Program(
            self.stage,
            tuple(declarations),
            self._immediates.immediates(),
            tuple(Property(name, value) for name, value in self._properties.items()),
            tuple(code),
        )

    def _take(self, file: File) -> int:
        number = self._counts.get(file, 0)
        self._counts[file] = number + 1
        return number

    def _register(self, file: File, **fields: object) -> Register:
        number = self._take(file)
        self._declarations.append(Declaration(file, number, number, **fields))  # type: ignore[arg-type]
        return Register(file, number)

    def _numbered(self, file: File, index: int | None, **fields: object) -> Register:
        number = self._counts.get(file, 0) if index is None else index
        self._counts[file] = max(self._counts.get(file, 0), number + 1)
        if not any(item.file is file and item.first == number for item in self._declarations):
            self._declarations.append(Declaration(file, number, number, **fields))  # type: ignore[arg-type]
        return Register(file, number)

    def _source(self, operand: Operand, kind: str) -> SrcOperand:
        if isinstance(operand, Source):
            return operand.source()
        values = tuple(operand) if isinstance(operand, (tuple, list)) else (operand,)
        if not all(isinstance(value, (int, float)) for value in values):
            raise TypeError(f"an operand is a register or numbers, not {type(operand).__name__}")
        whole = kind in ("int", "uint")
        return self.immediate(*values, kind=kind if whole else "float").source()  # type: ignore[arg-type]


def _temporaries(declared: Sequence[Declaration], count: int) -> Iterator[Declaration]:
    """Declarations of the temporaries outside arrays, as ranges."""
    free = set(range(count))
    for item in declared:
        if item.file is File.TEMP:
            free -= set(range(item.first, item.last + 1))
    start = None
    for number in range(count + 1):
        if number in free and start is None:
            start = number
        elif number not in free and start is not None:
            yield Declaration(File.TEMP, start, number - 1)
            start = None


def _destination(operand: Register) -> DstOperand:
    if not isinstance(operand, Register):
        raise TypeError(f"a destination is a register, not {type(operand).__name__}")
    return operand.destination()


def _offset(operand: Register) -> TexOffset:
    order = operand.swizzle
    return TexOffset(RegisterRef(operand.file, operand.index), (order[0], order[1], order[2]))


def _member(kind: type[E], value: E | str, what: str) -> E:
    if isinstance(value, kind):
        return value
    if str(value) not in kind.__members__:
        raise ValueError(f"there is no {what} {value!r}: it is one of {', '.join(kind.__members__)}")
    return kind[str(value)]


def _target(name: str) -> str:
    if name not in TARGETS:
        raise ValueError(f"there is no texture target {name!r}")
    return name


def _semantic(semantic: str | Semantic | None, index: int) -> Semantic | None:
    if semantic is None or isinstance(semantic, Semantic):
        return semantic
    if semantic not in SEMANTICS:
        raise ValueError(f"there is no semantic {semantic!r}")
    return Semantic(semantic, index)
