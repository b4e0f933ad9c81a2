"""Uniforms as commands name them: by name, by the number of a location, by the binding of a block and an offset in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from tgsi.language.interface import Interface, Variable

_STATED = re.compile(r"\blocation\s*=\s*(\d+)[^;()]*\)[^;()]*\buniform\b[^;=]*?(\w+)\s*(?:\[[^;]*)?(?:=[^;]*)?;")
_INSIDE = re.compile(r"\{[^{}]*\}")


def stated_locations(texts: Mapping[str, str]) -> dict[int, str]:
    """Location -> name of each uniform whose location a text states."""
    found: dict[int, str] = {}
    for text in texts.values():
        while _INSIDE.search(text):
            text = _INSIDE.sub("", text)
        found |= {int(at): name for at, name in _STATED.findall(text)}
    return found


def names_from(location: int, texts: Mapping[str, str], interfaces: list[Interface]) -> list[str]:
    """Names of the scalars, vectors, matrices and textures from a location on, inside of the uniform that has it."""
    found = stated_locations(texts)
    first = max((at for at in found if at <= location), default=-1)
    if first < 0:
        return []
    leaves = list(_leaves(found[first], "".join(texts.values()), interfaces))
    return leaves[location - first :]


def _leaves(base: str, text: str, interfaces: list[Interface]) -> Iterator[str]:
    """The parts of a uniform in the order of their locations: that of their declaration."""
    sizes: dict[str, tuple[int, ...]] = {}
    for interface in interfaces:
        members = interface.uniforms.members.values() if interface.uniforms else ()
        units = [*interface.samplers.values(), *interface.images.values()]
        sizes |= {item.name: item.sizes for item in members} | {item.name: (item.size,) if item.size > 1 else () for item in units}
    structs = _structs(text)
    declared = re.search(rf"\buniform\s+(?:\w+\s+)*?(\w+)\s+{base}\b", text)
    kind = declared[1] if declared and declared[1] in structs else base
    inside = [name for name in sizes if re.fullmatch(rf"{re.escape(base)}(?:[.\[].*)?", name)]
    for name in sorted(inside, key=lambda name: _order(re.findall(r"\w+", name)[1:], kind, structs)):
        for indices in product(*map(range, sizes[name])):
            yield name + "".join(f"[{index}]" for index in indices)


def _structs(text: str) -> dict[str, dict[str, str]]:
    """Types of the members of each struct, in order, by the name of the struct, or by that of the variable of a nameless one."""
    found: dict[str, dict[str, str]] = {}
    for title, body, variable in re.findall(r"\bstruct\s*(\w*)\s*\{([^{}]*)\}\s*(\w*)", text):
        found[title or variable] = {name: kind for kind, name in re.findall(r"(\w+)\s+(\w+)\s*(?:\[[^;]*)?;", body)}
    return found


def _order(path: list[str], kind: str, structs: dict[str, dict[str, str]]) -> list[int]:
    """The place of a part of a uniform: its index in each array, and its number in each struct."""
    found = []
    for part in path:
        if part.isdigit():
            found.append(int(part))
        else:
            found.append(list(structs[kind]).index(part))
            kind = structs[kind][part]
    return found


def member_at(interfaces: list[Interface], binding: int, offset: int) -> tuple[str, Variable] | None:
    """Name and place of what begins at a byte of the block of a binding; None where no shader uses it."""
    for interface in interfaces:
        for block in interface.blocks.values():
            if block.binding != binding + 1:
                continue
            for member in block.members.values():
                for indices in product(*map(range, member.sizes)):
                    found = member.element(*indices)
                    if found.offset == offset:
                        return f"{block.name}.{found.name}", found
    return None


def element_of_units(name: str, texts: Mapping[str, str]) -> str:
    """``tex[3]`` for ``tex[1][1]`` of textures that a text declares as ``tex[2][2]``, or with a size behind the type; also in structs."""
    indices = [int(item) for item in re.findall(r"\[(\d+)\]", name[name.rfind(".") + 1 :])]
    if len(indices) < 2:
        return name
    base = re.sub(r"(\[\d+\])+$", "", name)
    declared = re.compile(rf"\w((?:\s*\[\d+\])*)\s+{base.split('.')[-1]}((?:\s*\[\d+\])*)\s*;")
    for found in declared.finditer("\n".join(texts.values())):
        sizes = re.findall(r"\d+", found[2] + found[1])
        if len(sizes) == len(indices):
            at = 0
            for index, size in zip(indices, sizes, strict=True):
                at = at * int(size) + index
            return f"{base}[{at}]"
    return name


def fitted(value: Any, shape: tuple[int, ...]) -> Any:
    """A number or list as a vector of so many: shader_runner writes as many numbers as a command has, whatever the type."""
    if len(shape) != 1 or (isinstance(value, list) and value and isinstance(value[0], list)):
        return value[0] if not shape and isinstance(value, list) else value
    items = value if isinstance(value, list) else [value]
    return [*items, *[0] * shape[0]][: shape[0]]
