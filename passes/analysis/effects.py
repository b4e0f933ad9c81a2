"""Effects of a program on memory that invocations share, and whether the order of invocations can be observed in its results.

Plain stores to one word race, and either may win. An atomic makes the order of invocations observable in three cases: the old word that it
returns is used; it does not commute with another atomic; the program loads or stores words of the same resource. All other atomics may run
in any order, and in parallel if they use the CPU's atomics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from passes.analysis import facts
from tgsi.language.facts.enums import File, MemoryType
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record

if TYPE_CHECKING:
    from passes.analysis.liveness import Liveness

_RESOURCES = frozenset({File.BUFFER, File.IMAGE, File.HWATOMIC, File.CONSTBUF, File.MEMORY})
_OWN = frozenset({MemoryType.SHARED, MemoryType.PRIVATE, MemoryType.PAYLOAD, None})  # memory declared without a type is SHARED


@record
class Effects:
    """The effects of a program on memory that all invocations share; SHARED, PRIVATE and PAYLOAD memory is left out.

    reads: true if there is a LOAD or RESQ, also of constant buffers; stores: true if there is a STORE; atomics: numbers of all atomics;
    free: numbers of the atomics whose order cannot be observed.
    """

    reads: bool
    stores: bool
    atomics: frozenset[int]
    free: frozenset[int]

    @property
    def writes(self) -> bool:
        """True if memory may change."""
        return self.stores or bool(self.atomics)

    @property
    def is_ordered(self) -> bool:
        """True if results depend on the order of invocations."""
        return self.atomics != self.free

    @property
    def touches(self) -> bool:
        """True if there is a memory instruction."""
        return self.reads or self.writes


NONE = Effects(False, False, frozenset(), frozenset())


def find_effects(program: Program) -> Effects:
    """Derive the effects from the instructions. Errors: as for the flow graph."""
    memory = [(k, i) for k, i in enumerate(program.instructions) if i.opcode.has_memory]
    if not memory:
        return NONE
    reads = any(i.opcode.traits & {Trait.LOAD, Trait.QUERY} for _, i in memory)
    stores = any(i.opcode.stores_to_dst and is_shared(program, i.dst[0].register) for _, i in memory)
    atomics = {k: i for k, i in memory if i.opcode.is_atomic and is_shared(program, i.src[0].register)}
    opcodes = {i.opcode for i in atomics.values()}
    free: frozenset[int] = frozenset()
    plain = [i.dst[0].register for _, i in memory if i.opcode.stores_to_dst]
    plain += [i.src[0].register for _, i in memory if Trait.LOAD in i.opcode.traits]
    plain = [register for register in plain if is_shared(program, register)]
    is_alone = not any(_may_be_one(i.src[0].register, other) for i in atomics.values() for other in plain)
    if is_alone and len(opcodes) == 1 and all(Trait.ANY_ORDER in opcode.traits for opcode in opcodes):
        from passes.analysis.liveness import Liveness  # most programs have no atomics

        live = Liveness(program, only_needed=False)
        free = frozenset(k for k, i in atomics.items() if not _is_needed(live, k, i))
    return Effects(reads, stores, frozenset(atomics), free)


def effects_of(program: Program) -> Effects:
    """Return the effects of a program, cached with it."""
    return facts.of(program, find_effects)


def is_shared(program: Program, register: RegisterRef) -> bool:
    """Return true unless the register is memory of a block or an invocation: SHARED, PRIVATE or PAYLOAD, which only a task writes."""
    if register.file is not File.MEMORY or register.indirect is not None:
        return True
    kinds = {d.memory for d in program.declared(File.MEMORY) if d.covers(register.index)}
    return not kinds <= _OWN


def _may_be_one(a: RegisterRef, b: RegisterRef) -> bool:
    """Return true unless the program shows that two operands name different resources."""
    if _kind(a) is not _kind(b):
        return False
    numbers = _number(a), _number(b)
    return None in numbers or numbers[0] == numbers[1]


def _kind(register: RegisterRef) -> File:
    """Return the file of the resource; a handle, in a value register, names an image."""
    return register.file if register.file in _RESOURCES else File.IMAGE


def _number(register: RegisterRef) -> int | None:
    """Return the number of the resource, or None if it is one of several."""
    if register.file is File.HWATOMIC:
        named = register.dimension
        return 0 if named is None else None if named.indirect is not None else named.index
    is_one = register.file in (File.BUFFER, File.IMAGE, File.CONSTBUF) and register.indirect is None
    return register.index if is_one else None


def _is_needed(live: Liveness, number: int, instruction: Instruction) -> bool:
    """Return true if the old word returned by an atomic may be read."""
    for operand in instruction.dst:
        register = operand.register
        if register.file is File.NULL:
            continue
        if register.indirect is not None or register.file is not File.TEMP:
            return True
        if any(operand.write_mask >> c & 1 and live.is_live_after(number, register.file, register.index, c) for c in range(4)):
            return True
    return False
