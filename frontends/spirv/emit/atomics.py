"""Atomic operations, barriers, emitted vertices, tasks and meshes."""

from __future__ import annotations

from frontends.spirv.emit import chain
from frontends.spirv.emit.arithmetic import integers, opposite
from frontends.spirv.emit.code import Ref, Refs, destination, immediate
from frontends.spirv.emit.images import image_operand, target_of, texel_coordinates
from frontends.spirv.emit.memory import address, resource, total
from frontends.spirv.emit.places import Memory, Texel, Unit, is_opaque
from frontends.spirv.emit.registry import emits
from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import is_wide
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.stages import GROUP_STAGES
from tgsi.language.ir import Dimension, IndirectRef, MemoryAccess, RegisterRef, SrcOperand

_READ_WRITE = {
    "AtomicExchange": "ATOMXCHG",
    "AtomicIAdd": "ATOMUADD",
    "AtomicSMin": "ATOMIMIN",
    "AtomicUMin": "ATOMUMIN",
    "AtomicSMax": "ATOMIMAX",
    "AtomicUMax": "ATOMUMAX",
    "AtomicAnd": "ATOMAND",
    "AtomicOr": "ATOMOR",
    "AtomicXor": "ATOMXOR",
    "AtomicFAddEXT": "ATOMFADD",
}


class _Target:
    """The word that an atomic operation changes."""

    def __init__(self, s: State, id: int, op: Op) -> None:
        self.s = s
        self.memory = MemoryAccess()
        texel = s.texels.get(id)
        if texel is not None:
            self._texel(texel)
            return
        place = chain.place_of(s, id, op)
        if isinstance(place, Unit) and not is_opaque(place.kind):
            self._counter(place)
        elif isinstance(place, Memory) and place.file in (File.BUFFER, File.MEMORY):
            self.register = resource(s, place)
            self.address = s.code.source([address(s, place, place.offset)])
            self.memory = MemoryAccess(place.qualifiers)
        else:
            s.fail("M021", "atomic operations act on buffers, shared memory, images and counters", op)

    def _texel(self, texel: Texel) -> None:
        s = self.s
        self.register = image_operand(s, texel.unit, texel.image)
        self.address = texel_coordinates(s, texel.image, texel.coordinates, texel.sample)
        self.memory = MemoryAccess(texel.unit.qualifiers, target_of(s, texel.image))

    def _counter(self, place: Unit) -> None:
        s = self.s
        buffer = s.tables.decoration(place.variable, "Binding") or 0
        indirect = None
        where = immediate(4 * place.number)[0]
        if place.terms:
            index = total(s, place.terms)
            number, channel = s.code.address(index)
            indirect = IndirectRef(File.ADDR, number, channel)
            where = s.code.lanes("UMAD", [index], immediate(4), [where])[0]
        self.register = RegisterRef(File.HWATOMIC, place.number, Dimension(buffer), indirect)
        self.address = s.code.source([where])

    def act(self, opcode: str, *values: Refs) -> list[Ref]:
        """Write the instruction; returns the word's previous value."""
        code = self.s.code
        result = code.new(1)
        operands = [code.source(code.plain(value)) for value in values]
        code.emit(opcode, destination(result), SrcOperand(self.register), self.address, *operands, memory=self.memory)
        return result


def _narrow(s: State, op: Op) -> None:
    if op.type and is_wide(s.result(op)):
        s.fail("M021", "atomic operations on 64 bits are not supported", op)


@emits(*_READ_WRITE)
def _atomic(s: State, op: Op) -> None:
    _narrow(s, op)
    s.bind(op, _Target(s, op.id(0), op).act(_READ_WRITE[op.name[2:]], s.value(op.id(3))))


@emits("AtomicISub")
def _atomic_subtract(s: State, op: Op) -> None:
    _narrow(s, op)
    s.bind(op, _Target(s, op.id(0), op).act("ATOMUADD", opposite(s, integers(s, op.id(3)))))


@emits("AtomicIIncrement", "AtomicIDecrement")
def _atomic_count(s: State, op: Op) -> None:
    _narrow(s, op)
    s.bind(op, _Target(s, op.id(0), op).act("ATOMUADD", immediate(1 if op.name == "OpAtomicIIncrement" else -1)))


@emits("AtomicCompareExchange", "AtomicCompareExchangeWeak")
def _atomic_compare(s: State, op: Op) -> None:
    _narrow(s, op)
    s.bind(op, _Target(s, op.id(0), op).act("ATOMCAS", s.value(op.id(5)), s.value(op.id(4))))


@emits("AtomicLoad")
def _atomic_load(s: State, op: Op) -> None:
    _narrow(s, op)
    target = _Target(s, op.id(0), op)
    result = s.code.new(1)
    s.code.emit("LOAD", destination(result), SrcOperand(target.register), target.address, memory=target.memory)
    s.bind(op, result)


@emits("AtomicStore")
def _atomic_store(s: State, op: Op) -> None:
    target = _Target(s, op.id(0), op)
    target.act("ATOMXCHG", s.value(op.id(3)))


_CLASSES = {0x40: 1, 0x400: 2, 0x800: 4, 0x100: 8}
"""Bits of memory semantics: uniform memory, counters, images, the workgroup's memory -> classes of MEMBAR."""
_WORKGROUP = 2


def _fence(s: State, scope: int, semantics: int) -> None:
    classes = sum(bit for mask, bit in _CLASSES.items() if (s.constant(semantics) or 0) & mask)
    if classes:
        s.code.emit("MEMBAR", (), s.code.source(immediate(classes | (16 if s.constant(scope) == _WORKGROUP else 0))))


@emits("ControlBarrier")
def _barrier(s: State, op: Op) -> None:
    _fence(s, op.id(1), op.id(2))
    if s.processor in GROUP_STAGES:
        if (s.constant(op.id(0)) or 0) < 3:  # all lanes of a subgroup execute each instruction together
            s.code.emit("BARRIER")
        return
    s.fail("M021", f"a {s.entry.model} shader has no barriers", op)


@emits("MemoryBarrier")
def _memory_barrier(s: State, op: Op) -> None:
    _fence(s, op.id(0), op.id(1))


@emits("EmitVertex", "EmitStreamVertex")
def _emit_vertex(s: State, op: Op) -> None:
    s.code.emit("EMIT", (), _stream(s, op))


@emits("EndPrimitive", "EndStreamPrimitive")
def _end_primitive(s: State, op: Op) -> None:
    s.code.emit("ENDPRIM", (), _stream(s, op))


def _stream(s: State, op: Op) -> SrcOperand:
    if s.processor is not Processor.GEOM:
        s.fail("M006", "only geometry shaders emit vertices", op)
    return s.code.source(s.value(op.id(0)) if op.operands else immediate(0), "int")


@emits("SetMeshOutputsEXT")
def _mesh_outputs(s: State, op: Op) -> None:
    s.code.emit("SET_MESH_OUTPUTS", (), s.code.packed([*integers(s, op.id(0)), *integers(s, op.id(1))]))


@emits("EmitMeshTasksEXT")
def _mesh_tasks(s: State, op: Op) -> None:
    s.code.emit("EMIT_MESH_TASKS", (), s.code.packed([ref for place in range(3) for ref in integers(s, op.id(place))]))
