"""The attribute of the mesh that feeds each input of a vertex program.

An input gets the attribute given by ``--attribute``; otherwise the one that matches its name, or its semantic in TGSI; otherwise the first
free one: position, then, by the number of components that are read, a texture coordinate (2), normal (3) or color (4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.language.channels import source_channels, swizzled
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.record import record
from tgsi.tools.compile.draw.known import attribute_of
from tgsi.tools.compile.draw.mesh import ATTRIBUTES, Mesh
from tgsi.tools.compile.errors import UsageError
from tgsi.tools.nearest import nearest

if TYPE_CHECKING:
    from tgsi.language.facts.semantics import Semantic
    from tgsi.language.program import Program

ZERO = "zero"
_BY_WIDTH: Mapping[int, Sequence[str]] = {
    1: ("texcoord", "color", "normal"),
    2: ("texcoord", "color", "normal"),
    3: ("normal", "color", "texcoord"),
    4: ("color", "normal", "texcoord", "tangent"),
}


@record(kw_only=True)
class Input:
    """An input of a vertex program.

    Attributes:
        name: as messages name it: ``vec3 aPos``, ``IN[1]``.
        key: as ``--attribute`` names it.
        location: its first register. registers: how many it has.
        width: components that are read.
        letter: of the type: f, i, u or d.
        attribute: that feeds it; `ZERO` for none.
        reason: why, for the report.
    """

    name: str
    key: str
    location: int
    registers: int = 1
    width: int = 4
    letter: str = "f"
    attribute: str = ZERO
    reason: str = ""


def match_inputs(vertex: Program, following: Program | None, mesh: Mesh, entries: Sequence[str]) -> tuple[Input, ...]:
    """The inputs of a program with their attributes. UsageError: --attribute names no input or no attribute."""
    inputs = _inputs(vertex, following)
    chosen = _given(entries, inputs, mesh)
    taken: dict[str, Input] = {}
    matches: dict[int, tuple[str, str]] = {}
    for item in inputs:
        if item.key in chosen:
            matches[item.location] = chosen[item.key], "--attribute"
        elif item.registers > 1 or item.letter != "f":
            matches[item.location] = ZERO, "a matrix" if item.registers > 1 else "integers" if item.letter in "iu" else "doubles"
        elif (attribute := _of_name(vertex, item)) and (attribute in mesh.attributes or attribute != "position"):
            matches[item.location] = attribute, "by name" if vertex.interface is not None else "by semantic"
        if item.location in matches:
            taken.setdefault(matches[item.location][0], item)
    for item in inputs:
        if item.location in matches:
            continue
        order = ("position", *_BY_WIDTH[item.width])
        attribute = next((name for name in order if name not in taken and name in mesh.attributes), ZERO)
        matches[item.location] = attribute, f"the first that is free for {item.width} component{'s' * (item.width > 1)}"
        taken[attribute] = item
    return tuple(_with(item, *matches[item.location], mesh) for item in inputs)


def _with(item: Input, attribute: str, reason: str, mesh: Mesh) -> Input:
    if attribute != ZERO and attribute not in mesh.attributes:
        return replace(item, reason=f"{mesh.name} has no {attribute}")
    return replace(item, attribute=attribute, reason=reason)


def _inputs(vertex: Program, following: Program | None) -> list[Input]:
    """The inputs that a program reads, by location."""
    if vertex.interface is not None:
        ports = []
        for port in vertex.interface.inputs.values():
            digits = [int(letter) for letter in port.type if letter.isdigit()]
            letter = port.type[0] if port.type[0] in "iud" else "f"
            width = min(max(digits[-1] if digits else 1, 1), 4)
            place = f"{port.type} {port.name}"
            ports.append(Input(name=place, key=port.name, location=port.location, registers=port.registers, width=width, letter=letter))
        return sorted(ports, key=lambda item: item.location)
    masks = _masks(vertex, following)
    return [
        Input(name=f"IN[{register}]", key=f"IN[{register}]", location=register, width=max(mask.bit_length(), 1))
        for register, mask in sorted(masks.items())
        if mask
    ]


def _masks(vertex: Program, following: Program | None) -> dict[int, int]:
    """Channels of each input that are of use. A copy to an output counts as the channels that the next stage reads there."""
    after: dict[Semantic | None, int] = {}
    if following is not None:
        for item in following.info.inputs:
            after[item.semantic] = after.get(item.semantic, 0) | item.usage_mask
    outputs = dict(enumerate(vertex.info.outputs))
    masks: dict[int, int] = {}
    for instruction in vertex.instructions:
        for k, operand in enumerate(instruction.src):
            register = operand.register
            if register.file is not File.IN or register.indirect is not None:
                continue
            mask = source_channels(instruction, k)
            target = instruction.dst[0].register if instruction.dst else None
            if instruction.opcode is OPCODES["MOV"] and target is not None and target.file is File.OUT:
                semantic = outputs[target.index].semantic if target.index in outputs else None
                mask &= after.get(semantic, mask) if following is not None else mask
            masks[register.index] = masks.get(register.index, 0) | swizzled(operand.swizzle, mask)
    return masks


def _of_name(vertex: Program, item: Input) -> str | None:
    if vertex.interface is not None:
        return attribute_of(item.key)
    for declaration in vertex.declarations:
        semantic = declaration.semantic
        if declaration.file is File.IN and semantic is not None and declaration.first <= item.location <= declaration.last:
            return {"BCOLOR": "color", "GENERIC": None}.get(semantic.name, attribute_of(semantic.name))
    return None


def _given(entries: Sequence[str], inputs: Sequence[Input], mesh: Mesh) -> dict[str, str]:
    """The entries of --attribute."""
    known = {item.key: item for item in inputs}
    chosen: dict[str, str] = {}
    for text in (part.strip() for entry in entries for part in entry.split(",")):
        name, equals, attribute = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise UsageError(f"--attribute {text[:60]}: expected INPUT=ATTRIBUTE, as {next(iter(known), 'aPos')}=position")
        if name not in known:
            has = f"it reads {', '.join(known)}" if known else "it reads none"
            raise UsageError(f"--attribute {text[:60]}: the vertex program has no input {name!r}; {nearest(name, list(known)) or has}")
        if attribute not in (*ATTRIBUTES, ZERO):
            hint = nearest(attribute, list(ATTRIBUTES)) or f"it is one of {', '.join(ATTRIBUTES)}, {ZERO}"
            raise UsageError(f"--attribute {text[:60]}: no attribute {attribute!r}; {hint}")
        if attribute not in mesh.attributes and attribute != ZERO:
            raise UsageError(f"--attribute {text[:60]}: {mesh.name} has no {attribute}; it has {', '.join(mesh.attributes)}")
        chosen[name] = attribute
    return chosen


def bind_inputs(context: Any, inputs: Sequence[Input], mesh: Mesh) -> None:
    """Bind vertex buffers and elements. Inputs without an attribute read zeros, or the identity for a matrix."""
    buffers: list[Any] = []
    elements: dict[int, tuple[int, str, int, int]] = {}
    for item in inputs:
        if item.attribute == ZERO:
            once = np.eye(4, dtype=np.float32)[: item.registers] if item.registers > 1 else np.zeros((1, 4), np.float32)
            kind = {"f": "R32G32B32A32_FLOAT", "d": "R32G32B32A32_UINT"}.get(item.letter, "R32G32B32A32_UINT")
            for row in range(item.registers):
                elements[item.location + row] = (0, kind, len(buffers), 1)
                buffers.append(once[row : row + 1].copy() if item.letter == "f" else np.zeros((1, 4), np.uint32))
            continue
        array = mesh.attributes[item.attribute]
        elements[item.location] = (0, "R32G32B32A32_FLOAT"[: 3 * array.shape[1]] + "_FLOAT", len(buffers), 0)
        buffers.append(array)
    rows = [elements.get(k, next(iter(elements.values()))) for k in range(max(elements, default=-1) + 1)]
    context.bind_vertex_elements_state(context.create_vertex_elements_state(rows))
    context.set_vertex_buffers(buffers)
