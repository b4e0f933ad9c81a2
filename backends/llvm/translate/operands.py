"""Reading sources and writing destinations of TGSI instructions."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter

from backends.abi.limits import MAX_ARRAY_BYTES
from backends.llvm.builder.function import F32, I32, Function, Val, Var
from backends.llvm.library.math import canonical
from backends.llvm.program.access import Key, is_indirect
from backends.llvm.program.nan_bits import NanBits
from backends.llvm.program.plan import Plan, array_range
from backends.llvm.program.tree import Control
from backends.llvm.translate.arrays import ConstantFile, ImmediateTable, RegisterArray
from backends.llvm.translate.barriers import Barriers
from backends.llvm.translate.interface import Interface, Interpolated, Partial, Rows
from backends.llvm.translate.rows import Index, RegisterRows
from backends.pipe.limits import MAX_CONSTANT_BUFFERS
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, ImmediateType
from tgsi.language.facts.traits import OTHER_LANES
from tgsi.language.ir import IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program

Place = tuple[Index | None, Index]

_WRITTEN = frozenset({File.TEMP, File.ADDR, File.OUT})
_INTEGERS = frozenset({"int", "uint"})
_FIRST = attrgetter("first")


class Operands:
    """Registers of a program during translation. Values are f32 or i32 lanes; uniform ones are scalars."""

    def __init__(
        self, f: Function, program: Program, plan: Plan, interface: Interface, bits: NanBits, barriers: Barriers | None = None
    ) -> None:
        self.f, self.program, self.plan, self.interface = f, program, plan, interface
        self.exact_inputs = bits.inputs
        self.exact_sources = {id(plan.instructions[number]): masks for number, masks in bits.sources.items()}
        self.lanes = interface.lane_map.lanes
        self.variables: dict[Key, Var] = {}
        self.straight: dict[Key, Val] = {}  # values of channels without a variable
        self.twins: dict[Key, Var] = {}  # variables of uniform channels, of the current loop
        self.heads: dict[str, Key] = {}  # values read in the current loop before any write, by LLVM name
        self._written: set[Key] = set()
        self.arrays: dict[File, list[RegisterArray]] = {}
        self.rows: dict[File, RegisterRows] = self._row_files()
        self.inputs: dict[tuple[int, int], Val] = {}
        self.system_values: dict[tuple[int, int], Val] = {}
        self.constants = ConstantFile(f, interface.env)
        self._immediates: ImmediateTable | None = None
        self.present = interface.present() if isinstance(interface, Partial) else None
        self.known: dict[Key, Val] = {}  # values of variables at the end of the text, maintained by `FlowBuilder`
        self._make_arrays(barriers)
        self._make_variables()
        self._fetch_inputs()
        declared = {b: program.file_size(File.CONST, b) for b in range(MAX_CONSTANT_BUFFERS)} if plan.constants else {}
        self.constants.preload(plan.constants, declared)

    # -- storage ----------------------------------------------------------------------------------------------------
    def _row_files(self) -> dict[File, RegisterRows]:
        if not self.plan.rows:
            return {}
        if not isinstance(self.interface, Rows):
            raise UnsupportedError.at("B006", f"{self.program.processor.name} programs are not supported in this kind of kernel")
        return {file: self.interface.row_file(file) for file in self.plan.rows}

    def _make_arrays(self, barriers: Barriers | None) -> None:
        size = 0
        for file, ranges in self.plan.arrays.items():
            for first, count in ranges:
                size += count * 16 * self.lanes
                place = barriers.reserve(count * 16 * self.lanes) if barriers is not None else None
                if size > MAX_ARRAY_BYTES:
                    text = f"indirectly addressed registers take more than {MAX_ARRAY_BYTES} bytes at {self.lanes} lanes"
                    raise UnsupportedError.at("B005", text)
                array = RegisterArray(self.f, first, count, self.lanes, place)
                if file in (File.IN, File.SV):
                    fetch = self._input if file is File.IN else self.interface.system_value
                    for register in range(first, first + count):
                        for channel in range(4):
                            array.store(register, channel, fetch(register, channel).as_int(), None)
                elif barriers is not None:
                    with self.f.if_(barriers.is_first):
                        array.clear()
                else:
                    array.clear()
                self.arrays.setdefault(file, []).append(array)

    def _make_variables(self) -> None:
        flow = self.plan.flow
        for key, home in flow.homes.items():
            if key in flow.straight or key[0] in self.rows or self._array(key[0], key[1]) is not None:
                continue
            lanes = self.lanes if key in flow.divergent else 1
            variable = Var(self.f, (I32 if key in flow.integer else F32).wide(lanes), crosses=key in flow.crossing)
            if home is None or home is self.plan.main:
                variable.set(0)
            self.variables[key] = variable

    def _fetch_inputs(self) -> None:
        for file, register, channel in sorted(self.plan.reads):
            if file in self.rows or self._array(file, register) is not None:
                continue
            if file is File.IN:
                self.inputs[register, channel] = self._input(register, channel)
            elif file is File.SV:
                self.system_values[register, channel] = self.interface.system_value(register, channel)

    def _input(self, register: int, channel: int) -> Val:
        value, interface = self.interface.input(register, channel), self.interface
        if (register, channel) in self.exact_inputs and isinstance(interface, Interpolated) and interface.is_interpolated(register):
            return canonical(self.f, value.as_float())
        return value

    def _array(self, file: File, register: int) -> RegisterArray | None:
        arrays = self.arrays.get(file)
        if arrays is None:
            return None
        array = arrays[bisect_right(arrays, register, key=_FIRST) - 1]  # -1, the last range, for a register before all ranges
        return array if array.covers(register) else None

    # -- sources ----------------------------------------------------------------------------------------------------
    def fetch(self, instruction: Instruction, operand: SrcOperand, channel: int, type_name: str) -> Val:
        """Channel `channel` of a source, after its swizzle and modifiers, as a value of the opcode table's type `type_name`."""
        value = self.read(instruction, operand.register, operand.swizzle[channel])
        exact = self.exact_sources.get(id(instruction))
        if exact is not None and exact.get(operand, 0) >> operand.swizzle[channel] & 1:
            value = canonical(self.f, value.as_float())
        if self.present is not None and not OTHER_LANES.isdisjoint(instruction.opcode.traits) and operand.register.file in _WRITTEN:
            value = self.f.select(self.present, value, 0)  # lanes without an invocation have not written the register
        if type_name in _INTEGERS:
            value = value.as_int()
            if operand.absolute:
                value = self.f.select(value < 0, -value, value)
            return -value if operand.negate else value
        if type_name != "untyped" or operand.absolute or operand.negate:
            value = value.as_float()
        if operand.absolute:
            value = self.f.abs(value)
        return self.f.neg_bits(value) if operand.negate else value

    def read(self, instruction: Instruction, register: RegisterRef, channel: int) -> Val:
        """Register channel without modifiers, in the type in which it is stored."""
        if register.file in self.rows:
            row, index = self.find(instruction, register)
            return self.rows[register.file].load(row, index, channel, self._reach(register))
        if is_indirect(register):
            return self._read_indirect(instruction, register, channel)
        if register.file is File.CONST:
            return self.constants.get(register.dimension.index if register.dimension is not None else 0, register.index, channel)
        return self._read_direct(instruction, register.file, register.index, channel)

    def _read_direct(self, instruction: Instruction, file: File, register: int, channel: int) -> Val:
        array = self._array(file, register)
        if array is not None:
            return array.load(register, channel)
        if file in (File.TEMP, File.ADDR, File.OUT):
            key = (file, register, channel)
            value = self.straight.get(key)
            if value is None:
                value = self.known.get(key)
            if value is None:
                variable = self.twins.get(key) or self.variables.get(key)
                value = self.known[key] = variable.get() if variable is not None else self.f.const(F32, 0)
                if key not in self._written:
                    self.heads[value.name] = key
            return value
        if file is File.IN:
            return self.inputs[register, channel]
        if file is File.SV:
            return self.system_values[register, channel]
        if file is File.IMM:
            return self._immediate(register, channel)
        if file is File.CONST:
            return self.constants.get(0, register, channel)
        raise self._unsupported(instruction, f"{file.name} as a source")

    def _immediate(self, register: int, channel: int) -> Val:
        if register >= len(self.program.immediates):
            return self.f.const(F32, 0)
        immediate = self.program.immediates[register]
        word = immediate.words[channel]
        as_float = immediate.type is ImmediateType.FLT32 and word & 0x7F800000 != 0x7F800000
        if not as_float:
            return self.f.const(I32, word)
        sign = -1.0 if word >> 31 else 1.0
        exponent, fraction = word >> 23 & 0xFF, word & 0x7FFFFF
        size = (fraction | 0x800000) * 2.0 ** (exponent - 150) if exponent else fraction * 2.0**-149
        return self.f.const(F32, sign * size)

    def address(self, instruction: Instruction, reference: IndirectRef, offset: int) -> Val:
        """Value of an address register plus a constant, i32."""
        return self._read_direct(instruction, reference.file, reference.index, reference.component).as_int() + offset

    def _read_indirect(self, instruction: Instruction, register: RegisterRef, channel: int) -> Val:
        dimension = register.dimension
        index = self.f.const(I32, register.index)
        if register.indirect is not None:
            index = self.address(instruction, register.indirect, register.index)
        if register.file is File.CONST:
            if dimension is None or dimension.indirect is None:
                return self.constants.load_at(dimension.index if dimension is not None else 0, index, channel)
            buffer = self.address(instruction, dimension.indirect, dimension.index)
            lanes = max(buffer.lanes, index.lanes)
            return self.constants.load_at(self.f.splat(buffer, lanes), index, channel)
        if register.file is File.IMM:
            if self._immediates is None:
                self._immediates = ImmediateTable(self.f, [immediate.words for immediate in self.program.immediates] or [(0, 0, 0, 0)])
            return self._immediates.load_at(index, channel)
        target = self._indirect_array(instruction, register)
        if target is None:
            return self.f.const(I32.wide(self.lanes), 0)
        array, reach = target
        return array.load_at(index, channel, reach)

    def _indirect_array(self, instruction: Instruction, register: RegisterRef) -> tuple[RegisterArray, tuple[int, int]] | None:
        """Array that a reference reaches, and the reference's range in it; None if no register is declared there."""
        if register.file not in (File.TEMP, File.IN, File.OUT, File.SV, File.ADDR):
            raise self._unsupported(instruction, f"indirect {register.file.name}")
        reach = array_range(self.program, register)
        array = self._array(register.file, reach[0]) if reach[1] else None
        return None if array is None else (array, reach)

    def find(self, instruction: Instruction, register: RegisterRef) -> Place:
        """Vertex (or None) and number of a register, from the current values of its address registers."""
        dimension, index = register.dimension, register.index
        row: Index | None = None
        if dimension is not None:
            row = dimension.index if dimension.indirect is None else self.address(instruction, dimension.indirect, dimension.index)
        if register.indirect is None:
            return row, index
        return row, self.address(instruction, register.indirect, index)

    def _reach(self, register: RegisterRef) -> tuple[int, int]:
        """First and count of the registers that an operand may refer to."""
        return array_range(self.program, register) if register.indirect is not None else (0, self.program.file_size(register.file))

    # -- destinations -----------------------------------------------------------------------------------------------
    def write(
        self, instruction: Instruction, register: RegisterRef, place: Place, channel: int, value: Val, mask: Val | None, masked: bool
    ) -> None:
        """Store one channel.

        place: the result of `find` before the first channel was stored, because a store may change an address. mask: the executing lanes
        (None: all). masked: other lanes must keep their value, according to the analysis.
        """
        if register.file is File.NULL:
            return
        _, number = place
        if register.indirect is not None:
            target = self._indirect_array(instruction, register)
            if target is not None:
                assert isinstance(number, Val)
                target[0].store_at(number, channel, value.as_int(), mask, target[1])
            return
        array = self._array(register.file, register.index)
        if array is not None:
            array.store(register.index, channel, value.as_int(), mask)
            return
        if register.file not in (File.TEMP, File.ADDR, File.OUT):
            raise self._unsupported(instruction, f"{register.file.name} as a destination")
        key = (register.file, register.index, channel)
        if key in self.plan.flow.straight:
            lanes = self.lanes if key in self.plan.flow.divergent else 1
            self.straight[key] = self.f.splat(value, lanes) if value.truth is None else value
            return
        variable = self.variables[key]
        self._written.add(key)
        twin = self.twins.get(key)
        if twin is not None:
            one = value.as_int() if twin.type.kind == "i" else value.as_float()
            twin.set(one)
        if masked and mask is not None:
            value = value.as_int() if variable.type.kind == "i" else value.as_float()
            value = self.f.select(mask, value, variable.get())
        variable.set(value.as_int() if variable.type.kind == "i" else value.as_float())
        if twin is not None:
            self.known[key] = one
        else:
            self.known[key] = self.f.splat(value, variable.type.lanes) if value.truth is None else value

    def write_row(self, register: RegisterRef, place: Place, values: dict[int, Val], mask: Val | None) -> None:
        """Store channels of a register of a file with rows. place, mask: as of `write`."""
        self.rows[register.file].store(*place, values, mask, self._reach(register))

    def begin_round(self) -> None:
        """Begin at the head of a loop, where all values of variables are unknown and none was written in the round."""
        self.known.clear()
        self.heads.clear()
        self._written.clear()

    def enter_loop(self, loop: Control) -> None:
        """Begin an outermost loop. Until `leave_loop`, its twins and shadows are read instead of the variables."""
        for key, owner in (*self.plan.flow.twins.items(), *self.plan.flow.shadows.items()):
            if owner is loop:
                value = self.variables[key].get()
                one = value[0] if key in self.plan.flow.twins else value
                self.twins[key] = self.f.var(one.type, one)

    def leave_loop(self) -> None:
        """End an outermost loop: from here on the variables are read, which have each lane's values at its exit."""
        self.twins.clear()

    def _unsupported(self, instruction: Instruction, what: str) -> UnsupportedError:
        return UnsupportedError.at("B004", f"{what} is not supported by the code generator", instruction.span)


class SourceVector:
    """A source operand of an instruction. Indexing fetches a channel on first use."""

    def __init__(self, operands: Operands, instruction: Instruction, number: int) -> None:
        self._operands, self._instruction = operands, instruction
        self._operand = instruction.src[number]
        self._type = instruction.opcode.src_types[number]
        self._values: dict[int, Val] = {}

    def __getitem__(self, channel: int) -> Val:
        place = self._operand.swizzle[channel]
        if place not in self._values:
            self._values[place] = self._operands.fetch(self._instruction, self._operand, channel, self._type)
        return self._values[place]
