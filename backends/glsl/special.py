"""Opcodes that are statements, or choose between values of any type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from backends.glsl import memory
from backends.glsl.code import Code
from backends.glsl.expressions import BOOL, EQUALITY, FLOAT, INT, UINT, Expr, call, chosen, convert, infix, literal, swizzled, widen
from backends.glsl.places import refuse
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction

_ZERO = literal((0,), FLOAT)


def _select(code: Code, item: Instruction) -> None:
    """Emit UCMP: any bit of the first source chooses the second."""
    kind = code.target_type(item)
    operand = item.src[0]
    channels = [c for c in range(4) if item.dst[0].write_mask >> c & 1]
    if operand.negate or operand.absolute:
        selector = code.source(item, 0, UINT)
    else:
        picked = [operand.swizzle[c] for c in channels]
        selector = code.read(operand.register, picked[:1] if len(set(picked)) == 1 else picked, UINT)
    condition = selector if selector.type == BOOL else convert(selector, BOOL)
    if condition.words:
        condition = Expr(condition.text, BOOL, condition.size)
    if kind == BOOL:
        kind = UINT
    yes, no = code.source(item, 1, kind), code.source(item, 2, kind)
    if condition.size > 1 and kind != FLOAT and not code.version.mixes_integers:
        code.extensions.add("GL_EXT_shader_integer_mix")
    code.store(item, chosen(condition, yes, no))


def _kill(code: Code, item: Instruction) -> None:
    code.flush()
    code.line("discard;")


def _kill_if(code: Code, item: Instruction) -> None:
    value = code.source(item, 0, FLOAT)
    if value.size == 1:
        condition = f"{value.within(6)} < 0.0"
    else:
        condition = f"any(lessThan({value}, {widen(_ZERO, value.size)}))"
    code.flush()
    code.line(f"if ({condition}) discard;")


def _stream(code: Code, item: Instruction) -> str:
    number = code.source(item, 0, INT)
    if not number.words:
        refuse("a vertex stream that is not an immediate", item.span)
    return "" if number.words[0] == 0 else number.text


def _emit(code: Code, item: Instruction) -> None:
    stream = _stream(code, item)
    code.emit_vertex(f"EmitStreamVertex({stream});" if stream else "EmitVertex();")


def _end_primitive(code: Code, item: Instruction) -> None:
    stream = _stream(code, item)
    code.flush()
    code.line(f"EndStreamPrimitive({stream});" if stream else "EndPrimitive();")


def _interpolated(function: str) -> Callable[[Code, Instruction], None]:
    def emit(code: Code, item: Instruction) -> None:
        operand = item.src[0]
        if operand.register.file is not File.IN or operand.register.indirect is not None or operand.negate or operand.absolute:
            refuse("an interpolation of what is not a plain input", item.span)
        name = code.ports.inputs[operand.register.index].name
        further = ""
        if len(item.src) > 1:
            is_sample = function == "interpolateAtSample"
            second = code.operand(item.src[1], (0,) if is_sample else (0, 1), INT if is_sample else FLOAT)
            further = f", {second if is_sample else widen(second, 2)}"
        channels = tuple(operand.swizzle[c] for c in range(4) if item.dst[0].write_mask >> c & 1)
        value = Expr(f"{function}({name}{further})", FLOAT, 4)
        code.store(item, swizzled(value, channels), keep=True)

    return emit


def _vote(function: str) -> Callable[[Code, Instruction], None]:
    def emit(code: Code, item: Instruction) -> None:
        code.extensions.add("GL_KHR_shader_subgroup_vote")
        value = code.operand(item.src[0], (0,), UINT if function == "subgroupAllEqual" else FLOAT)
        inner = value if function == "subgroupAllEqual" else infix("!=", EQUALITY, value, _ZERO, BOOL)
        code.store(item, call(function, inner, kind=BOOL), keep=True)

    return emit


def _ballot(code: Code, item: Instruction) -> None:
    code.extensions.add("GL_KHR_shader_subgroup_ballot")
    value = code.operand(item.src[0], (0,), FLOAT)
    test = infix("!=", EQUALITY, value, _ZERO, BOOL)
    mask = [c for c in range(4) if item.dst[0].write_mask >> c & 1]
    if any(c > 1 for c in mask):
        refuse("more than 64 lanes in a BALLOT", item.span)
    code.store(item, swizzled(Expr(f"subgroupBallot({test})", UINT, 4), mask), keep=True)


def _read_first(code: Code, item: Instruction) -> None:
    code.extensions.add("GL_KHR_shader_subgroup_ballot")
    code.store(item, call("subgroupBroadcastFirst", code.source(item, 0, _plain(code.target_type(item)))), keep=True)


def _read_lane(code: Code, item: Instruction) -> None:
    code.extensions.add("GL_KHR_shader_subgroup_shuffle")
    value = code.source(item, 0, _plain(code.target_type(item)))
    lane = code.operand(item.src[1], (0,), UINT)
    code.store(item, call("subgroupShuffle", value, lane, size=value.size), keep=True)


def _plain(kind: str) -> str:
    return UINT if kind == BOOL else kind


def _clock(code: Code, item: Instruction) -> None:
    code.extensions.add("GL_ARB_shader_clock")
    mask = [c for c in range(4) if item.dst[0].write_mask >> c & 1]
    if any(c > 1 for c in mask):
        refuse("a CLOCK of more than 64 bits", item.span)
    code.store(item, swizzled(Expr("clock2x32ARB()", UINT, 2), mask), keep=True)


def _demote(code: Code, item: Instruction) -> None:
    code.extensions.add("GL_EXT_demote_to_helper_invocation")
    code.flush()
    code.line("demote;")


def _helper(code: Code, item: Instruction) -> None:
    code.extensions.add("GL_EXT_demote_to_helper_invocation")
    code.store(item, Expr("helperInvocationEXT()", BOOL), keep=True)


EMITTERS: Mapping[str, Callable[[Code, Instruction], None]] = MappingProxyType(
    {
        "UCMP": _select,
        "MEMBAR": memory.barrier,
        "KILL": _kill,
        "KILL_IF": _kill_if,
        "EMIT": _emit,
        "ENDPRIM": _end_primitive,
        "INTERP_CENTROID": _interpolated("interpolateAtCentroid"),
        "INTERP_SAMPLE": _interpolated("interpolateAtSample"),
        "INTERP_OFFSET": _interpolated("interpolateAtOffset"),
        "VOTE_ANY": _vote("subgroupAny"),
        "VOTE_ALL": _vote("subgroupAll"),
        "VOTE_EQ": _vote("subgroupAllEqual"),
        "BALLOT": _ballot,
        "READ_FIRST": _read_first,
        "READ_INVOC": _read_lane,
        "CLOCK": _clock,
        "DEMOTE": _demote,
        "READ_HELPER": _helper,
    }
)
"""Emitters by opcode."""
