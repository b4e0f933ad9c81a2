"""Opcodes that act on the invocation or its group: kills, vertices, barriers, votes, interpolation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from backends.spirv.arithmetic import store, written
from backends.spirv.state import WORDS, State
from tgsi.language.facts.enums import File
from tgsi.language.facts.stages import BLOCK_STAGES
from tgsi.language.ir import Instruction

WORKGROUP, DEVICE, SUBGROUP, INVOCATION = 2, 1, 3, 4
"""Scopes."""

_ACQUIRE_RELEASE = 8
_CLASSES = {1: 0x40, 2: 0x400, 4: 0x800, 8: 0x100}
"""Classes of MEMBAR -> memory semantics."""


def _demote(s: State, item: Instruction) -> None:
    s.module.need("DemoteToHelperInvocation", extension="SPV_EXT_demote_to_helper_invocation")
    s.module.do("DemoteToHelperInvocation")


def _kill_if(s: State, item: Instruction) -> None:
    m = s.module
    operand = item.src[0]
    places = sorted(set(operand.swizzle))
    channels = [operand.swizzle.index(place) for place in places]
    size = len(channels)
    below = s.test("FOrdLessThan", s.registers.source(operand, "float", channels), s.number(0, size), size)
    test = m.op("Any", m.scalar("bool"), below) if size > 1 else below
    s.guarded(test, lambda: _demote(s, item))


def _stream(s: State, item: Instruction) -> int:
    operand = item.src[0]
    if operand.register.file is not File.IMM:
        s.fail("M030", "the stream of a vertex is a constant in SPIR-V")
    return s.program.immediates[operand.register.index].words[operand.swizzle[0]]


def _has_streams(s: State) -> bool:
    return any(any(item.streams) for item in s.program.declared(File.OUT))


def _emit(s: State, item: Instruction) -> None:
    m = s.module
    stream = _stream(s, item)
    s.registers.flush()
    if stream or _has_streams(s):
        m.need("GeometryStreams")
        m.do("EmitStreamVertex", m.uint(stream))
    else:
        m.do("EmitVertex")


def _end_primitive(s: State, item: Instruction) -> None:
    m = s.module
    stream = _stream(s, item)
    if stream or _has_streams(s):
        m.need("GeometryStreams")
        m.do("EndStreamPrimitive", m.uint(stream))
    else:
        m.do("EndPrimitive")


def _barrier(s: State, item: Instruction) -> None:
    m = s.module
    if s.program.processor not in BLOCK_STAGES:
        m.do("ControlBarrier", m.uint(WORKGROUP), m.uint(INVOCATION), m.uint(0))
    else:
        m.do("ControlBarrier", m.uint(WORKGROUP), m.uint(WORKGROUP), m.uint(_ACQUIRE_RELEASE | 0x100))


def _fence(s: State, item: Instruction) -> None:
    m = s.module
    operand = item.src[0]
    classes = 15
    if operand.register.file is File.IMM:
        classes = s.program.immediates[operand.register.index].words[operand.swizzle[0]]
    semantics = sum(mask for bit, mask in _CLASSES.items() if classes & bit)
    if semantics:
        m.do("MemoryBarrier", m.uint(WORKGROUP if classes & 16 else DEVICE), m.uint(_ACQUIRE_RELEASE | semantics))


def _truth(s: State, item: Instruction) -> int:
    return s.test("FUnordNotEqual", s.registers.source(item.src[0], "float", [0]), s.number(0))


def _vote(name: str) -> Callable[[State, Instruction], None]:
    def write(s: State, item: Instruction) -> None:
        m = s.module
        m.need("GroupNonUniform", "GroupNonUniformVote")
        value = s.registers.source(item.src[0], "uint", [0], "float") if name == "AllEqual" else _truth(s, item)
        vote = m.op(f"GroupNonUniform{name}", m.scalar("bool"), m.uint(SUBGROUP), value)
        channels = written(item.dst[0])
        if channels:
            store(s, item, s.splat(s.flags(vote, 1), "uint", len(channels)), "uint")

    return write


def _ballot(s: State, item: Instruction) -> None:
    m = s.module
    m.need("GroupNonUniform", "GroupNonUniformBallot")
    ballot = m.op("GroupNonUniformBallot", m.vector("uint", WORDS), m.uint(SUBGROUP), _truth(s, item))
    words = [*s.parts(ballot, "uint", WORDS)[:2], m.uint(0), m.uint(0)]
    channels = written(item.dst[0])
    if channels:
        store(s, item, s.vector("uint", [words[channel] for channel in channels]), "uint")


def _read_first(s: State, item: Instruction) -> None:
    m = s.module
    channels = written(item.dst[0])
    m.need("GroupNonUniform", "GroupNonUniformBallot")
    if channels:
        value = s.registers.source(item.src[0], "uint", channels, "float")
        words = m.op("GroupNonUniformBroadcastFirst", m.vector("uint", len(channels)), m.uint(SUBGROUP), value)
        store(s, item, words, "uint")


def _read_invocation(s: State, item: Instruction) -> None:
    m = s.module
    channels = written(item.dst[0])
    m.need("SubgroupBallotKHR", extension="SPV_KHR_shader_ballot")
    lane = s.registers.source(item.src[1], "uint", [0])
    words = [s.registers.source(item.src[0], "uint", [channel], "float") for channel in channels]
    if words:
        results = [m.op("SubgroupReadInvocationKHR", m.scalar("uint"), word, lane) for word in words]
        store(s, item, s.vector("uint", results), "uint")


def _read_helper(s: State, item: Instruction) -> None:
    m = s.module
    m.need("DemoteToHelperInvocation", extension="SPV_EXT_demote_to_helper_invocation")
    is_helper = m.op("IsHelperInvocationEXT", m.scalar("bool"))
    channels = written(item.dst[0])
    if channels:
        store(s, item, s.splat(s.flags(is_helper, 1), "uint", len(channels)), "uint")


def _interpolate(function: str) -> Callable[[State, Instruction], None]:
    def write(s: State, item: Instruction) -> None:
        m = s.module
        operand = item.src[0]
        variable = s.registers.located(operand.register.index) if operand.register.file is File.IN else None
        if variable is None or operand.register.indirect is not None:
            s.fail("M030", f"{item.opcode.name} takes an input with a location that is not indexed")
        m.need("InterpolationFunction")
        extra = []
        if function == "InterpolateAtSample":
            extra.append(s.registers.source(item.src[1], "int", [0]))
        elif function == "InterpolateAtOffset":
            extra.append(s.registers.source(item.src[1], "float", [0, 1]))
        value = m.call(function, m.vector("float", WORDS), variable, *extra)
        channels = written(item.dst[0])
        if not channels:
            return
        words = s.select(value, "float", [operand.swizzle[channel] for channel in channels])
        type = m.vector("float", len(channels))
        if operand.absolute:
            words = m.call("FAbs", type, words)
        if operand.negate:
            words = m.op("FNegate", type, words)
        store(s, item, words, "float")

    return write


EMITTERS: Mapping[str, Callable[[State, Instruction], None]] = MappingProxyType(
    {
        "KILL": _demote,
        "DEMOTE": _demote,
        "KILL_IF": _kill_if,
        "EMIT": _emit,
        "ENDPRIM": _end_primitive,
        "BARRIER": _barrier,
        "MEMBAR": _fence,
        "VOTE_ANY": _vote("Any"),
        "VOTE_ALL": _vote("All"),
        "VOTE_EQ": _vote("AllEqual"),
        "BALLOT": _ballot,
        "READ_FIRST": _read_first,
        "READ_INVOC": _read_invocation,
        "READ_HELPER": _read_helper,
        "INTERP_CENTROID": _interpolate("InterpolateAtCentroid"),
        "INTERP_SAMPLE": _interpolate("InterpolateAtSample"),
        "INTERP_OFFSET": _interpolate("InterpolateAtOffset"),
    }
)
"""Emitters by opcode."""
