"""Uniforms by name: which values of a mapping go to which bytes of which constant buffers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from backends.device.shader import Shader
from tgsi.language.interface import Block, Interface, Variable, nearest
from tgsi.language.program import Program

_INDEX = re.compile(r"(.+)\[([0-9]{1,9})\]", re.DOTALL)


def changed_buffers(shaders: Mapping[int, Shader], values: Any) -> list[tuple[int, int, bytes]]:
    """Stage, slot and bytes of each constant buffer that these values by name change. Each shader keeps the values set earlier.

    Raises:
        TypeError, ValueError: no shader has a name, or a value does not fit; nothing is changed.
    """
    call = "set_uniforms"
    if not isinstance(values, Mapping):
        raise TypeError(f"{call}: values: expected a mapping of names to values, not {type(values).__name__}")
    known: dict[str, tuple[Block, Variable]] = {}
    buffers: dict[tuple[int, int], bytearray] = {}
    for stage, shader in shaders.items():
        variables = _variables(shader.program)
        known |= variables
        default = (shader.program.interface or Interface()).uniforms
        if default is not None and default.initial and default.binding not in shader.uniforms:
            buffers[stage, default.binding] = bytearray(default.initial)
        for block, variable, value in _flat(values, variables, shader.program):
            place = stage, block.binding
            if place not in buffers:
                buffers[place] = bytearray(shader.uniforms.get(block.binding, bytes(block.size)))
            variable.pack(buffers[place], value, call)
    for name in values:
        if not isinstance(name, str) or not (_find(name, known) or any(item.startswith((f"{name}.", f"{name}[")) for item in known)):
            raise ValueError(_unknown(name, known, shaders, call))
    changed = [(stage, slot, bytes(data)) for (stage, slot), data in buffers.items()]
    for stage, slot, data in changed:
        shaders[stage].uniforms[slot] = data
    return changed


def _variables(program: Program) -> dict[str, tuple[Block, Variable]]:
    """The variables by name: default uniforms, then members of uniform blocks as ``Block.member`` and as ``member``."""
    interface = program.interface or Interface()
    variables: dict[str, tuple[Block, Variable]] = {}
    for block in interface.blocks.values():
        variables |= {f"{block.name}.{name}": (block, item) for name, item in block.members.items()}
    for block in interface.blocks.values():
        for name, item in block.members.items():
            variables.setdefault(name, (block, item))
    if interface.uniforms is not None:
        variables |= {name: (interface.uniforms, item) for name, item in interface.uniforms.members.items()}
    return variables


def _find(name: str, variables: Mapping[str, tuple[Block, Variable]]) -> tuple[Block, Variable] | None:
    """The variable of a name, or of the indices at its end an element. ValueError where there is no such element."""
    indices: list[int] = []
    variable = variables.get(name)
    while variable is None and (index := _INDEX.fullmatch(name)):
        name = index[1]
        indices.insert(0, int(index[2]))
        variable = variables.get(name)
    return (variable[0], variable[1].element(*indices)) if variable and indices else variable


def _flat(
    values: Mapping[str, Any], variables: Mapping[str, tuple[Block, Variable]], program: Program
) -> Iterator[tuple[Block, Variable, Any]]:
    """Variables with their values. A mapping gives members of a block or struct, a sequence of mappings the elements of an array."""
    for name, value in values.items():
        variable = _find(name, variables) if isinstance(name, str) else None
        if variable is not None:
            yield *variable, value
        elif isinstance(value, Mapping):
            inner = {f"{name}.{key}": item for key, item in value.items()}
            if any(item.startswith(f"{name}.") for item in variables):
                missing = [
                    item for item in inner if item not in variables and not any(x.startswith((f"{item}.", f"{item}[")) for x in variables)
                ]
                if missing:
                    raise ValueError(f"set_uniforms: {missing[0]!r} is not a uniform of the {program.processor.name} program")
                yield from _flat(inner, variables, program)
        elif isinstance(value, list | tuple) and value and all(isinstance(item, Mapping) for item in value):
            if (size := _elements(name, variables)) and len(value) > size:
                raise ValueError(f"set_uniforms: {name}: expected {size} elements at most, not {len(value)}")
            yield from _flat({f"{name}[{number}]": item for number, item in enumerate(value)}, variables, program)


def _elements(name: str, variables: Mapping[str, tuple[Block, Variable]]) -> int:
    """The elements of an array of structs; 0 for other names. Of an array of blocks, only the used ones are listed."""
    start = len(name) + 1
    known = [item[start:].partition("]")[0] for item, (block, _) in variables.items() if item[:start] == f"{name}[" != block.name[:start]]
    return max((int(index) for index in known), default=-1) + 1


def _unknown(name: Any, known: Mapping[str, Any], shaders: Mapping[int, Shader], call: str) -> str:
    if not shaders:
        return f"{call}: no shader is bound; bind the shaders first"
    if all(shader.program.interface is None for shader in shaders.values()):
        return f"{call}: {name!r}: the bound shaders are TGSI, which has no names; use set_constant_buffer"
    return f"{call}: {name!r} is not a uniform that a bound shader uses{nearest(str(name), known)}"
