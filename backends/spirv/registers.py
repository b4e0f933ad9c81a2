"""Registers as variables of four words.

Registers that are indexed while the program runs are arrays with one element more, which takes lost writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from backends.spirv.interface import Inputs, Outputs, output_file
from backends.spirv.resources import Constants
from backends.spirv.state import WORDS, State
from backends.spirv.system_values import SystemValues
from passes.analysis.operands import registers_of
from tgsi.language.facts.enums import File, Processor
from tgsi.language.ir import DstOperand, IndirectRef, RegisterRef, SrcOperand

_LOCAL = (File.TEMP, File.ADDR)


class _Array:
    """Consecutive registers of a file in one variable."""

    def __init__(self, s: State, file: File, first: int, last: int, name: str) -> None:
        self.s, self.first, self.size = s, first, last - first + 1
        m = s.module
        kind = m.array(m.vector("uint", WORDS), self.size + 1)
        self.variable = m.variable("Private", kind, name, m.null(kind))

    def pointer(self, index: int) -> int:
        """The element of an index computed at run time."""
        return self.s.chain("Private", self.s.module.vector("uint", WORDS), self.variable, index)

    def place(self, index: int, first: int, size: int) -> tuple[int, int]:
        """The number of the element for one of `size` registers, or, outside of these, of the element for lost writes; and a bool: the
        index is inside."""
        s, m = self.s, self.s.module
        number = m.op("ISub", m.scalar("uint"), index, m.uint(self.first)) if self.first else index
        offset = m.op("ISub", m.scalar("uint"), index, m.uint(first)) if first != self.first else number
        inside = s.test("ULessThan", offset, m.uint(size))
        return s.choose(inside, number, m.uint(self.size), "uint", 1), inside


class Registers:
    """Reads and writes of operands."""

    def __init__(self, s: State) -> None:
        self.s = s
        self.single: dict[tuple[File, int], int] = {}
        self.arrays: dict[tuple[File, int], _Array] = {}
        self.member: dict[tuple[File, int], tuple[_Array, int]] = {}
        self.inputs = Inputs(s)
        self.outputs = Outputs(s)
        self.system = SystemValues(s)
        self.constants = Constants(s)
        self.files = (*_LOCAL, *output_file(s))
        for file in self.files:
            self._declare(file)

    @property
    def flushes(self) -> bool:
        """True if outputs wait in registers for the end of the program."""
        return File.OUT in self.files and self.s.program.processor is not Processor.GEOM

    def _declare(self, file: File) -> None:
        s = self.s
        indexed = self._indexed(file)
        declared = s.program.declared(file)
        if None in indexed:  # an index without an array reaches the whole file
            size = s.program.file_size(file)
            if size:
                self._array(file, 0, 0, size - 1)
        else:
            for item in declared:
                if item.array_id in indexed and item.array_id:
                    self._array(file, item.array_id, item.first, item.last)
        for item in declared:
            for number in range(item.first, item.last + 1):
                if (file, number) not in self.member and (file, number) not in self.single:
                    kind = s.module.vector("uint", WORDS)
                    self.single[file, number] = s.module.variable("Private", kind, f"{file.name}_{number}", s.module.null(kind))

    def _array(self, file: File, array_id: int, first: int, last: int) -> None:
        array = _Array(self.s, file, first, last, f"{file.name}_{first}_{last}")
        self.arrays[file, array_id] = array
        for number in range(first, last + 1):
            self.member[file, number] = array, number - first

    def _indexed(self, file: File) -> set[int | None]:
        """Numbers of the arrays that are indexed; None where an index names no array, or arrays overlap."""
        program = self.s.program
        arrays: set[int | None] = set()
        for instruction in program.instructions:
            for register in (*registers_of(instruction), *(offset.register for offset in instruction.offsets)):
                if register.file is file and register.indirect is not None:
                    known = any(item.array_id == register.array_id for item in program.declared(file))
                    arrays.add(register.array_id if register.array_id and known else None)
        ranges = sorted((item.first, item.last) for item in program.declared(file) if item.array_id)
        if arrays and any(b[0] <= a[1] for a, b in pairwise(ranges)):
            arrays.add(None)
        return arrays

    # functions for inputs, outputs and constants

    def word(self, name: str) -> int:
        """A built-in integer."""
        return self.system.word(name)

    def fragment(self, name: str) -> int | None:
        """The words of a fragment input that is built in; None for other semantics."""
        return self.system.fragment(name)

    def built_in(self, name: str, kind: int) -> int:
        """A built-in input."""
        return self.inputs.built_in(name, kind)

    def block(self, number: int) -> tuple[int, str] | None:
        """Variable and storage class of a constant buffer; None where it is not declared."""
        return self.constants.block(number)

    def located(self, index: int) -> int | None:
        """The variable of an input with a location; None for others."""
        port = self.inputs.find(index)
        return None if port is None or port.scalars or port.parts is not None else port.variable

    def flush(self) -> None:
        """Hand on the outputs that wait in registers."""
        self.outputs.flush()

    # indices

    def address(self, indirect: IndirectRef, offset: int) -> int:
        """The sum of an address and an offset."""
        m = self.s.module
        value = self.words(RegisterRef(indirect.file, indirect.index))
        word = m.op("CompositeExtract", m.scalar("uint"), value, indirect.component)
        return m.op("IAdd", m.scalar("uint"), word, m.uint(offset)) if offset else word

    def row(self, register: RegisterRef) -> int | None:
        """The outer index of a register; None without one."""
        if register.dimension is None:
            return None
        if register.dimension.indirect is None:
            return self.s.module.uint(register.dimension.index)
        return self.address(register.dimension.indirect, register.dimension.index)

    # reads

    def words(self, register: RegisterRef) -> int:
        """The four words of a register."""
        s, m = self.s, self.s.module
        four = m.vector("uint", WORDS)
        file = register.file
        if file is File.IMM:
            if register.indirect is not None:
                s.fail("M031", "an immediate that is indexed has no place in SPIR-V", hint="copy immediates to an array of TEMP registers")
            immediates = s.program.immediates
            words = immediates[register.index].words if 0 <= register.index < len(immediates) else (0, 0, 0, 0)
            return m.composite("uint", words)
        if file in self.files:
            return self._local(register)
        if file is File.IN:
            return self.inputs.read(register)
        if file is File.OUT:
            return self.outputs.read(register)
        if file is File.SV:
            return self.system.read(register)
        if file is File.CONST:
            return self.constants.read(register)
        if file is File.NULL:
            return m.null(four)
        s.fail("M031", f"a register of file {file.name} is not a value in SPIR-V")

    def _local(self, register: RegisterRef) -> int:
        s, m = self.s, self.s.module
        four = m.vector("uint", WORDS)
        if register.indirect is not None:
            array, first, size = self._array_of(register)
            number, inside = array.place(self.address(register.indirect, register.index), first, size)
            value = s.load(array.pointer(number), four)
            return s.choose(s.splat(inside, "bool", WORDS), value, m.null(four), "uint", WORDS)
        pointer = self._pointer(register)
        return m.null(four) if pointer is None else s.load(pointer, four)

    def _array_of(self, register: RegisterRef) -> tuple[_Array, int, int]:
        """The variable of registers that are indexed, the first of them, and their number."""
        file = register.file
        array = self.arrays.get((file, register.array_id)) or self.arrays.get((file, 0))
        if array is None:
            self.s.fail("M031", f"no register of file {file.name} is declared that could be indexed")
        for item in self.s.program.declared(file):
            if register.array_id and item.array_id == register.array_id:
                return array, item.first, item.last - item.first + 1
        return array, array.first, array.size

    def _pointer(self, register: RegisterRef) -> int | None:
        key = register.file, register.index
        if key in self.member:
            array, place = self.member[key]
            return array.pointer(self.s.module.uint(place))
        return self.single.get(key)

    def source(self, operand: SrcOperand, kind: str, channels: Sequence[int], modifiers: str = "") -> int:
        """Channels of a source, after its swizzle, as scalars of 32 bits. `modifiers`: the type that signs act on, if not `kind`."""
        s = self.s
        size = len(channels)
        register = operand.register
        places = [operand.swizzle[channel] for channel in channels]
        signs = "int" if (modifiers or kind) in ("int", "uint") else "float"
        signed = operand.negate or operand.absolute
        if register.file is File.IMM and register.indirect is None and register.index < len(s.program.immediates):
            words = [s.program.immediates[register.index].words[place] for place in places]
            value, own = s.module.composite(signs if signed else kind, words), signs if signed else kind
        else:
            value, own = s.select(self.words(register), "uint", places), "uint"
        if not signed:
            return s.cast(value, own, kind, size)
        value = s.cast(value, own, signs, size)
        type = s.module.vector(signs, size)
        if operand.absolute:
            value = s.module.call("FAbs" if signs == "float" else "SAbs", type, value)
        if operand.negate:
            value = s.module.op("FNegate" if signs == "float" else "SNegate", type, value)
        return s.cast(value, signs, kind, size)

    # writes

    def write(self, destination: DstOperand, value: int, kind: str, channels: Sequence[int] | None = None) -> None:
        """Store a vector to the channels of a destination: the given ones, or those of its write mask, in order."""
        s, m = self.s, self.s.module
        register = destination.register
        channels = [c for c in range(WORDS) if destination.write_mask >> c & 1] if channels is None else channels
        if not channels or register.file is File.NULL:
            return
        value = s.cast(value, kind, "uint", len(channels))
        if register.file is File.OUT and File.OUT not in self.files:
            self.outputs.write(register, value, channels)
            return
        if register.file not in self.files:
            s.fail("M031", f"a register of file {register.file.name} is not a destination in SPIR-V")
        if register.indirect is not None:
            array, first, size = self._array_of(register)
            number, _ = array.place(self.address(register.indirect, register.index), first, size)
            pointer: int | None = array.pointer(number)
        else:
            pointer = self._pointer(register)
        if pointer is None:
            return
        four = m.vector("uint", WORDS)
        if len(channels) < WORDS:
            old = s.load(pointer, four)
            if len(channels) == 1:
                value = m.op("CompositeInsert", four, value, old, channels[0])
            else:
                order = [WORDS + list(channels).index(c) if c in channels else c for c in range(WORDS)]
                value = m.op("VectorShuffle", four, old, value, *order)
        m.do("Store", pointer, value)
