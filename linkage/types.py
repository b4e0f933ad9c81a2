"""Types of named values on both sides of a link: `flat in ivec3 tint` of one program does not match `out vec3 tint` of the other."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tgsi.language.diagnostics import Diagnostic, LinkError, Severity
from tgsi.language.interface import Port
from tgsi.language.program import Program

_TYPE = re.compile(r"(?:([a-z]+\d*)?(?:vec|mat)\d(?:x\d)?|(float|u?int(?:64_t)?|double))(?:\[\d*\])*")
_WORDS = {None: "float", "i": "int", "u": "uint", "d": "double", "i64": "int64_t", "u64": "uint64_t"}


def check_types(producer: Program, consumer: Program) -> None:
    """Compare the types of values that two programs with interfaces share. Values without a name are untyped words and always fit.

    Raises:
        LinkError: an input and its output differ in type (K008). Values matched by name must have equal types; values matched by location,
            or by semantic in HLSL, must have components of one kind, and the input may have fewer. Values of a patch must have the same
            place on both sides.
    """
    if producer.interface is None or consumer.interface is None:
        return
    outputs = producer.interface.outputs
    by_semantic = {port.semantic: port for port in outputs.values()}
    stages = f"in the {producer.processor.name} program", f"in the {consumer.processor.name} program"
    errors = []
    for name, port in consumer.interface.inputs.items():
        other = _partner(name, port, outputs, by_semantic)
        if other is None or fits(other, port):
            continue
        if (_type(other), other.registers) != (_type(port), port.registers):
            text = f"`{other.type} {other.name}` {stages[0]} does not fit `{port.type} {port.name}` {stages[1]}"
            hint = "declare it alike in both"
        else:
            text = f"`{port.name}` lies at {other.semantic} {stages[0]} and at {port.semantic} {stages[1]}"
            hint = "declare the same values of a patch in both, or give them locations"
        errors.append(Diagnostic("K008", Severity.ERROR, text, (), hint))
    if errors:
        raise LinkError(tuple(errors))


def _partner(name: str, port: Port, outputs: Mapping[str, Port], by_semantic: Mapping[str, Port]) -> Port | None:
    """The output that feeds an input, or would feed it by its name."""
    named = outputs.get(name)
    if named is not None and named.location < 0 and port.location < 0:
        return named
    return by_semantic.get(port.semantic)


def fits(output: Port, input: Port) -> bool:
    """True if an input may be fed by an output."""
    if _is_by_name(output) and _is_by_name(input):
        return _type(output) == _type(input) and (output.registers, output.semantic) == (input.registers, input.semantic)
    kinds = _kind(output.type), _kind(input.type)
    return None in kinds or kinds[0] == kinds[1]


def _is_by_name(port: Port) -> bool:
    """True for a variable of GLSL or a member of a block without a location.

    In HLSL the name is a semantic, and the variable's name differs.
    """
    return port.location < 0 and (port.variable == port.name or "." in port.name)


def _type(port: Port) -> str:
    """The type without the size of an unsized array."""
    return port.type.replace("[0]", "[]")


def _kind(type: str) -> str | None:
    """The word for a scalar of a type; None for structs."""
    match = _TYPE.fullmatch(type)
    return None if match is None else match[2] or _WORDS.get(match[1])
