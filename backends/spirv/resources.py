"""Constant buffers, storage buffers, shared and private memory, counters: variables and pointers to words."""

from __future__ import annotations

from backends.spirv.state import WORDS, State
from tgsi.language.facts.enums import File, MemoryType
from tgsi.language.ir import RegisterRef

BLOCKS, TEXTURES, IMAGES, BUFFERS = range(4)
"""Descriptor sets of uniform blocks, textures, images and storage buffers, after the first one."""

PUSHED = 8
"""Registers of CONST[0] that every device takes as push constants: 128 bytes."""

CONST0_BINDING = 15
"""Binding of the uniform block that holds a longer CONST[0]; CONST[n] has n - 1."""


def decorated(s: State, variable: int, group: int, place: tuple[str, int], binding: int) -> None:
    """Give a variable its set and binding: from the key for a file and a register number, or the given ones."""
    numbers = s.options.layout.group(*place, s.options.first_set + group)
    number = s.options.layout.binding(*place, binding, numbers)
    assert number is not None
    s.module.decorate(variable, "DescriptorSet", numbers)
    s.module.decorate(variable, "Binding", number)


class Constants:
    """CONST registers: uniform blocks, and push constants for a short CONST[0]."""

    def __init__(self, s: State) -> None:
        self.s = s
        self.found: dict[int, tuple[int, str, int]] = {}

    def block(self, number: int) -> tuple[int, str] | None:
        """Variable and storage class of a buffer; None where it is not declared."""
        s, m = self.s, self.s.module
        size = s.program.file_size(File.CONST, number)
        if number not in self.found and not size:
            return None
        if number not in self.found:
            four = m.vector("float", WORDS)
            array = m.array(four, size, key="constants")
            if ("decorated", array, "ArrayStride") not in m.known:
                m.known["decorated", array, "ArrayStride"] = 1
                m.decorate(array, "ArrayStride", 4 * WORDS)
            block = m.type("Struct", array, key=("constants", number))
            m.decorate(block, "Block")
            m.decorate_member(block, 0, "Offset", 0)
            m.name(block, s.named(f"Constants{number}", f"CONST[{number}]"))
            m.member_name(block, 0, "c")
            pushed = number == 0 and size <= PUSHED and not s.options.layout.is_bound("CONST[0]")
            storage = "PushConstant" if pushed else "Uniform"
            variable = m.variable(storage, block, s.named(f"const{number}"))
            if not pushed:
                decorated(s, variable, BLOCKS, ("CONST", number), number - 1 if number else CONST0_BINDING)
            self.found[number] = variable, storage, size
        return self.found[number][:2]

    def read(self, register: RegisterRef) -> int:
        """The words of a constant."""
        s, m = self.s, self.s.module
        index = m.uint(register.index) if register.indirect is None else s.registers.address(register.indirect, register.index)
        if register.dimension is None or register.dimension.indirect is None:
            number = register.dimension.index if register.dimension is not None else 0
            size = s.program.file_size(File.CONST, number)
            if register.indirect is None and not 0 <= register.index < size:
                return m.null(m.vector("uint", WORDS))
            return self._load(number, index)
        row = s.registers.row(register)
        assert row is not None
        words = m.null(m.vector("uint", WORDS))
        for number in sorted({item.dimension or 0 for item in s.program.declared(File.CONST)}):
            test = s.splat(s.test("IEqual", row, m.uint(number)), "bool", WORDS)
            words = s.choose(test, self._load(number, index), words, "uint", WORDS)
        return words

    def _load(self, number: int, index: int) -> int:
        s, m = self.s, self.s.module
        known = self.block(number)
        if known is None:
            return m.null(m.vector("uint", WORDS))
        variable, storage = known
        pointer = s.chain(storage, m.vector("float", WORDS), variable, m.uint(0), index)
        return s.cast(s.load(pointer, m.vector("float", WORDS)), "float", "uint", WORDS)


class Words:
    """Pointers to the words of buffers and memory."""

    def __init__(self, s: State) -> None:
        self.s = s
        self.known: dict[tuple[File, int], tuple[int, str, int]] = {}

    def variable(self, register: RegisterRef, qualifiers: int = 0) -> tuple[int, str, int]:
        """Variable, storage class and number of words (0: as many as are bound) of a buffer or memory."""
        s, m = self.s, self.s.module
        number = register.index
        if register.file is File.MEMORY:
            kind = next((item.memory for item in s.program.declared(File.MEMORY) if item.covers(number)), None) or MemoryType.SHARED
            if kind not in (MemoryType.SHARED, MemoryType.PRIVATE):
                s.fail("M031", f"memory of kind {kind.name} has no place in a shader of SPIR-V")
            number = -1 - kind  # all registers of a kind are the same words
        key = register.file, number
        if key not in self.known:
            self.known[key] = self._memory(MemoryType(-1 - number)) if register.file is File.MEMORY else self._buffer(number)
        variable = self.known[key]
        if register.file is File.BUFFER:
            for bit, name in ((1, "Coherent"), (4, "Volatile")):
                if qualifiers & bit and ("decorated", variable[0], name) not in m.known:
                    m.known["decorated", variable[0], name] = 1
                    m.decorate(variable[0], name)
        return variable

    def _memory(self, kind: MemoryType) -> tuple[int, str, int]:
        s, m = self.s, self.s.module
        size = s.options.shared_memory // 4
        array = m.array(m.scalar("uint"), size + 1)
        if kind is MemoryType.SHARED:
            return m.variable("Workgroup", array, "shared_memory"), "Workgroup", size
        return m.variable("Private", array, "private_memory", m.null(array)), "Private", size

    def _buffer(self, number: int) -> tuple[int, str, int]:
        s, m = self.s, self.s.module
        array = m.array(m.scalar("uint"), 0, key="words")
        if ("decorated", array, "ArrayStride") not in m.known:
            m.known["decorated", array, "ArrayStride"] = 1
            m.decorate(array, "ArrayStride", 4)
        block = m.type("Struct", array, key=("buffer", number))
        m.decorate(block, "Block")
        m.decorate_member(block, 0, "Offset", 0)
        m.name(block, s.named(f"Buffer{number}", f"BUFFER[{number}]"))
        m.member_name(block, 0, "words")
        variable = m.variable("StorageBuffer", block, s.named(f"buffer{number}"))
        decorated(s, variable, BUFFERS, ("BUFFER", number), number)
        return variable, "StorageBuffer", 0

    def number(self, address: int, place: int) -> int:
        """The number of a word: an address in bytes, and words after it."""
        m = self.s.module
        number = m.op("ShiftRightLogical", m.scalar("uint"), address, m.uint(2))
        return m.op("IAdd", m.scalar("uint"), number, m.uint(place)) if place else number

    def pointer(self, resource: tuple[int, str, int], number: int) -> tuple[int, int | None]:
        """A pointer to a word and, for memory of a known size, a bool: the word exists."""
        s, m = self.s, self.s.module
        variable, storage, size = resource
        uint = m.scalar("uint")
        if not size:
            return s.chain(storage, uint, variable, m.uint(0), number), None
        inside = s.test("ULessThan", number, m.uint(size))
        return s.chain(storage, uint, variable, s.choose(inside, number, m.uint(size), "uint", 1)), inside
