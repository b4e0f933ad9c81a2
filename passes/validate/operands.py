"""Rules of operands: their number, the files that they may name, and the declaration of every register."""

from __future__ import annotations

from functools import cache
from operator import mul
from typing import TypeAlias

from passes.validate.context import Context
from passes.validate.declarations import MAX_INDEX
from passes.validate.roles import FILES, Role, destination_role, source_roles
from tgsi.language.diagnostics import Fix
from tgsi.language.facts.enums import IMM, File, Processor
from tgsi.language.facts.limits import MAX_ARRAY
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.stages import STAGES
from tgsi.language.ir import CHOSEN, IndirectRef, Instruction, RegisterRef
from tgsi.language.mesh import MeshLayout
from tgsi.language.source import Span

_UNDECLARED = frozenset({File.NULL, File.CONSTBUF, File.MEMORY})
"""Files without declarations of single registers: NULL, bytes of a constant buffer, the one shared memory."""

_TWO_INDICES = frozenset({File.CONST, File.HWATOMIC})
_INDEX_FILES = FILES[Role.VALUE]
"""Files whose registers may be an index (PIPE_CAP_TGSI_ANY_REG_AS_ADDRESS): all that are read as values."""


def check(context: Context) -> None:
    """Check V030 to V041."""
    _Operands(context).check()


_PLAIN = frozenset({File.TEMP, File.ADDR, File.SAMP, File.CONST})
"""Files whose registers are declared without attributes."""

_WRITABLE = "instructions write OUT, TEMP and ADDR"
_READ_ONLY = {
    File.IN: "inputs are read only: write a TEMP, or an OUT for the next stage",
    File.CONST: "constants are read only: write a TEMP",
    File.IMM: "immediates are read only: write a TEMP, or change the values of the IMM",
    File.SV: "system values are read only: write a TEMP",
    File.SAMP: "a sampler is not a value: a texture instruction names it after its coordinates",
    File.BUFFER: "memory is written by STORE, as `STORE BUFFER[0].x, address, value`",
    File.IMAGE: "images are written by STORE, as `STORE IMAGE[0], coordinates, value, 2D, PIPE_FORMAT_R8G8B8A8_UNORM`",
    File.MEMORY: "memory is written by STORE, as `STORE MEMORY[0].x, address, value`",
}
"""The way out where an instruction writes a file that it cannot write."""

_AS = {
    Role.SAMPLER: "the sampler after the coordinates, as `SAMP[0]`",
    Role.VIEW: "the view, as `SVIEW[0]`",
    Role.RESOURCE: "the resource, as `BUFFER[0]`, `IMAGE[0]` or `MEMORY[0]`",
    Role.IMAGE: "the image, as `IMAGE[0]`",
    Role.VARYING: "the fragment input itself, as `IN[0]`",
    Role.STORE: "the resource first, as `STORE BUFFER[0].x, address, value`",
}
"""Operands in roles other than values."""

_TAILS = {
    File.IN: ", GENERIC[0], PERSPECTIVE",
    File.OUT: ", GENERIC[0]",
    File.SV: ", VERTEXID",
    File.SVIEW: ", 2D, FLOAT",
    File.IMAGE: ", 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR",
}


def _declared_as(file: File, numbers: str, dimension: int | None = None) -> str:
    """A declaration of registers, with attributes where the file has some."""
    return f"DCL {file.name}{f'[{dimension}]' if dimension is not None else ''}[{numbers}]{_TAILS.get(file, '')}"


def _no_value(item: Instruction, file: File) -> str:
    """The way out where a register is read that holds no value."""
    if item.opcode.is_texture and file is File.SAMP:
        return "the sampler is the last register, after the coordinates: `TEX OUT[0], IN[0], SAMP[0], 2D`"
    if file in (File.SAMP, File.SVIEW):
        return "textures are read by texture instructions, as `TEX TEMP[0], IN[0], SAMP[0], 2D`"
    if file in (File.BUFFER, File.IMAGE, File.MEMORY, File.CONSTBUF, File.HWATOMIC):
        return f"memory is read by LOAD, as `LOAD TEMP[0], {file.name}[0], address`"
    return "values are read from CONST, IN, OUT, TEMP, ADDR, IMM and SV"


Counts: TypeAlias = list[int]
"""By file, a number below which plain registers are right in one role."""

_FILE_COUNT = len(File)
_SERVES = {role: [file in files for file in File] for role, files in FILES.items()}
"""By role and file, whether registers of the file may serve in the role."""


_VALUE = Role.VALUE


class _Tables(dict[Role, Counts]):
    """The counts of each role; made when they are first needed."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.all: Counts = [0] * _FILE_COUNT
        self.all[IMM] = min(len(context.program.immediates), MAX_INDEX + 1)
        rows = STAGES[context.program.processor].vertex_rows
        for (file, dimension), registers in context.registers.items():
            if not dimension and file not in _UNDECLARED and file not in rows:
                self.all[file] = registers.count(MAX_INDEX + 1)

    def __missing__(self, role: Role) -> Counts:
        costs = self[role] = list(map(mul, self.all, _SERVES[role]))
        return costs


@cache
def _roles(info: OpcodeInfo) -> tuple[Role, tuple[Role, ...], bool]:
    """Return the roles of destinations and of the sources, and whether all sources are read as values."""
    read = source_roles(info.name)
    return destination_role(info.name), read, all(role is Role.VALUE for role in read)


@cache
def _usual(info: OpcodeInfo) -> tuple[int, int] | None:
    """Number of destinations and of sources of an opcode, if the ones are results and the others are values."""
    return (info.num_dst, info.num_src) if not info.stores_to_dst and _roles(info)[2] else None


_MASKS = range(1, 16)


class _Operands:
    """Check of operands: most of them are plain registers, which a table accepts. Other valid operands are cached."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._tables = _Tables(context)
        self._good: set[tuple[int, Role]] = set()  # identities: the program keeps its registers, and their hash is slow

    def check(self) -> None:
        """Check all instructions. The loop is for instructions with plain registers that the tables accept: nearly all."""
        results, values = self._tables.all, self._tables[_VALUE]
        for item in self.context.program.instructions:
            targets, sources = item.dst, item.src
            if _usual(item.opcode) != (len(targets), len(sources)) or item.texture is not None or item.memory is not None or item.offsets:
                self._instruction(item)
                self.context.unusual.append(item)
                continue
            for src in sources:
                register = src.register
                if register.cell == CHOSEN or not 0 <= register.index < values[register.file]:
                    self._instruction(item)
                    break
            else:
                for dst in targets:
                    register = dst.register
                    if register.cell < 0 or dst.write_mask not in _MASKS or not 0 <= register.index < results[register.file]:
                        self._instruction(item)
                        break

    def _instruction(self, item: Instruction) -> None:
        info, targets, sources = item.opcode, item.dst, item.src
        if len(targets) != info.num_dst or len(sources) != info.num_src:
            counts = f"{len(targets)} and {len(sources)} given"
            self.context.error("V040", f"{info.name} takes {info.num_dst} destinations and {info.num_src} sources, {counts}", item)
            return
        written, read, _ = _roles(info)
        for number, dst in enumerate(targets):
            self._operand(item, number, dst.register, written)
            if not 0 < dst.write_mask <= 15:
                self.context.error("V041", "a write mask is empty, or names a channel that does not exist", item, number)
        for number, src in enumerate(sources):
            self._operand(item, len(targets) + number, src.register, read[number])
        if item.offsets:
            extra = len(targets) + len(sources) + (item.texture is not None)
            for number, offset in enumerate(item.offsets, extra):
                self._operand(item, number, offset.register, Role.VALUE)

    def _operand(self, item: Instruction, operand: int, register: RegisterRef, role: Role) -> None:
        if register.indirect is None and register.dimension is None and 0 <= register.index < self._tables[role][register.file]:
            return
        key = id(register), role
        if key in self._good:
            return
        before = len(self.context.found)
        self._file(item, operand, register, role)
        self._index(item, operand, register)
        if len(self.context.found) == before:
            self._good.add(key)

    def _file(self, item: Instruction, operand: int, register: RegisterRef, role: Role) -> None:
        file = register.file
        if file in FILES[role]:
            return
        name = item.opcode.name
        if role is Role.RESULT:
            self.context.error("V032", f"{file.name} registers cannot be written by {name}", item, operand, _READ_ONLY.get(file, _WRITABLE))
        elif role is Role.VALUE:
            self.context.error("V033", f"{file.name} registers cannot be read as values", item, operand, _no_value(item, file))
        else:
            allowed = ", ".join(sorted(f.name for f in FILES[role]))
            message = f"{name} wants {role.value} here ({allowed}), not {file.name}"
            self.context.error("V038", message, item, operand, f"write {_AS.get(role, 'such a register')}")

    def _index(self, item: Instruction, operand: int, register: RegisterRef) -> None:
        context, file = self.context, register.file
        self._dimension(item, operand, register)
        if register.indirect is not None:
            self._address(item, operand, register.indirect)
            self._array(item, operand, file, register.array_id)
            if file not in context.files and file not in _UNDECLARED:
                context.error(
                    "V030", f"no {file.name} register is declared", item, operand, f"declare them, as `{_declared_as(file, '0..3')}`"
                )
            if not -MAX_INDEX - 1 <= register.index <= MAX_INDEX:
                context.error("V022", f"an offset is beyond {MAX_INDEX}", item, operand)
            return
        if not 0 <= register.index <= MAX_INDEX:
            context.error("V022", f"a register number is beyond {MAX_INDEX}", item, operand, "use a lower number")
        elif file is IMM:
            count = len(context.program.immediates)
            if register.index >= count:
                context.error(
                    "V035",
                    f"IMM[{register.index}] does not exist: the program has {count or 'no'} immediate{'s' * (count != 1)}",
                    item,
                    operand,
                    f"declare it, as `IMM[{count}] FLT32 {{1.0, 0.0, 0.0, 0.0}}`" + f", or use IMM[0..{count - 1}]" * (count > 0),
                )
        elif file not in _UNDECLARED and not self._declared(register):
            self._undeclared(item, operand, register)

    def _declared(self, register: RegisterRef) -> bool:
        """Return true if the register's number is declared in a dimension that the operand may refer to."""
        table, file = self.context.registers, register.file
        dimension = register.dimension
        if dimension is None or file not in _TWO_INDICES:
            known = table.get((file, 0))
        elif dimension.indirect is not None:
            return any(kind is file and registers.has(register.index) for (kind, _), registers in table.items())
        else:
            known = table.get((file, dimension.index))
        return known is not None and known.has(register.index)

    def _undeclared(self, item: Instruction, operand: int, register: RegisterRef) -> None:
        file = register.file
        dimension = register.dimension.index if register.dimension is not None and file in _TWO_INDICES else 0
        known = self.context.registers.get((file, dimension))
        text = _declared_as(file, str(register.index), dimension if register.dimension is not None else None)
        hint = f"declared are {file.name}[{known}]; " * (known is not None) + f"write `{text}` before the first instruction"
        first = next((other.span for other in self.context.program.instructions if other.span is not None), None)
        fixes = (Fix(Span(first.source, first.start, first.start), f"{text}\n"),) if first is not None and file in _PLAIN else ()
        self.context.error("V030", f"{_written(register)} is not declared", item, operand, hint, fixes=fixes)

    def _dimension(self, item: Instruction, operand: int, register: RegisterRef) -> None:
        context, file, dimension = self.context, register.file, register.dimension
        vertex = context.is_per_vertex(file)
        if dimension is None:
            if vertex and context.program.processor is Processor.GEOM and not self._is_flat(register):
                context.error(
                    "V036",
                    f"{_written(register)} needs a vertex in its first bracket",
                    item,
                    operand,
                    f"write `{file.name}[0]{_written(register).removeprefix(file.name)}` for vertex 0",
                )
            return
        if not vertex and file not in _TWO_INDICES:
            # Mesa writes this for arrays of arrays, and its interpreter ignores the first index
            report = context.warning if file is File.TEMP else context.error
            report(
                "V036",
                f"{file.name} registers have one index in this stage",
                item,
                operand,
                "the first index is ignored" if file is File.TEMP else f"write `{file.name}[n]`; CONST has a buffer in its first bracket",
            )
        if dimension.indirect is not None:
            self._address(item, operand, dimension.indirect)
            self._array(item, operand, file, dimension.array_id)
        elif not 0 <= dimension.index <= MAX_INDEX:
            context.error("V022", f"a register number is beyond {MAX_INDEX}", item, operand)
        elif vertex and context.layout is not None:
            self._row(item, operand, register, dimension.index, context.layout)
        elif vertex and context.vertices and dimension.index >= context.vertices:
            context.error("V037", f"the primitive has {context.vertices} vertices, there is no vertex {dimension.index}", item, operand)

    def _row(self, item: Instruction, operand: int, register: RegisterRef, row: int, layout: MeshLayout) -> None:
        """Check the vertex or primitive of a mesh program's output."""
        is_primitive = layout.is_per_primitive(register)
        most, what = layout.rows(is_primitive), "primitive" if is_primitive else "vertex"
        if most and row >= most:
            many = "primitives" if is_primitive else "vertices"
            self.context.error("V037", f"the program outputs at most {most} {many}, there is no {what} {row}", item, operand)

    def _is_flat(self, register: RegisterRef) -> bool:
        """Return true for the primitive number, which belongs to no vertex."""
        known = self.context.registers.get((register.file, 0))
        ranges = known.ranges if known is not None else []
        return any(d.covers(register.index) and d.semantic is not None and d.semantic.name == "PRIM_ID" for d in ranges)

    def _address(self, item: Instruction, operand: int, indirect: IndirectRef) -> None:
        file, context = indirect.file, self.context
        if file not in _INDEX_FILES:
            context.error("V034", f"an index is a register that is read as a value, such as ADDR or TEMP, not {file.name}", item, operand)
            return
        if context.is_per_vertex(file):
            context.error("V034", f"an index has one bracket, and {file.name} registers have two in this stage", item, operand)
            return
        if file is File.IMM:
            if indirect.index >= len(context.program.immediates):
                context.error("V034", f"the index IMM[{indirect.index}] does not exist", item, operand)
            return
        known = context.registers.get((file, 0))
        if known is None or not known.has(indirect.index):
            context.error("V034", f"the index register {file.name}[{indirect.index}] is not declared", item, operand)

    def _array(self, item: Instruction, operand: int, file: File, array_id: int) -> None:
        if array_id and ((file, array_id) not in self.context.arrays or array_id > MAX_ARRAY):
            hint = f"declare it, as `DCL {file.name}[0..3], ARRAY({array_id})`"
            self.context.error("V039", f"{file.name} has no array {array_id}", item, operand, hint)


def _written(register: RegisterRef) -> str:
    """The text of a register, by the printer, which right programs never need."""
    from tgsi.language.printer import print_register

    return print_register(register)
