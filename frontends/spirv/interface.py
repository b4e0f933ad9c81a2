"""Names of a module as the interface of its program: the uniforms, blocks, textures, inputs and outputs in use."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import islice, product
from types import MappingProxyType

from frontends.spirv.emit.memory import REGISTER_BYTES
from frontends.spirv.emit.opaque import leaves
from frontends.spirv.emit.opaque import unit as unit_of
from frontends.spirv.emit.places import Memory, Mixed, Registers, is_opaque, layout, registers
from frontends.spirv.emit.places import Unit as UnitPlace
from frontends.spirv.emit.state import State
from frontends.spirv.emit.variables import extent, has_rows, is_patch
from frontends.spirv.module.types import (
    MAX_WORDS,
    Array,
    Image,
    Matrix,
    Pointer,
    Struct,
    Type,
    array_sizes,
    elements,
    inner,
    name,
    scalar,
)
from tgsi.language.facts.enums import File, Processor
from tgsi.language.interface import Block, Interface, Port, Unit, Variable

MAX_MEMBERS = 4096
"""Maximum number of named variables of a block, counting each element of arrays of structs."""


def describe(s: State) -> Interface:
    """The interface of a program that was read."""
    uniforms: dict[str, Variable] = {}
    blocks: dict[str, Block] = {}
    buffers: dict[str, Block] = {}
    samplers: dict[str, Unit] = {}
    images: dict[str, Unit] = {}
    shared = _shared_names(s)
    for id, place in s.places.items():
        if id not in s.tables.globals:  # a parameter, or a part
            continue
        label = s.tables.names.get(id, "")
        match place:
            case Registers(file=File.CONST) if label:
                uniforms |= {item.name: item for item in _of_registers(s, label, place.kind, REGISTER_BYTES * place.index)}
            case Mixed() if label:
                uniforms |= {item.name: item for item in _of_registers(s, label, place.kind, REGISTER_BYTES * place.registers.index)}
                for title, unit in islice(_of_structs(s, label, place), MAX_MEMBERS):
                    (images if _is_image(unit) else samplers)[title] = _unit(title, unit)
            case Memory(is_block=True):
                (blocks if place.file is File.CONST else buffers).update({made.name: made for made in _blocks(s, label, place, shared)})
            case UnitPlace():
                if label and is_opaque(place.kind):
                    (images if _is_image(place) else samplers)[label] = _unit(label, place)
    size = REGISTER_BYTES * s.uniform_registers
    members = MappingProxyType(uniforms)
    default = Block(name="uniforms", binding=0, size=size, members=members, initial=_initial(s, size)) if uniforms else None
    return Interface(
        uniforms=default,
        blocks=MappingProxyType(blocks),
        buffers=MappingProxyType(buffers),
        samplers=MappingProxyType(samplers),
        images=MappingProxyType(images),
        inputs=MappingProxyType(_ports(s, "Input", s.places)),
        outputs=MappingProxyType(_ports(s, "Output", s.places)),
        patches=MappingProxyType(_patches(s)),
    )


def _unit(label: str, place: UnitPlace) -> Unit:
    kind, sizes = place.kind, list[int]()
    while isinstance(kind, Array):
        sizes.append(kind.size)
        kind = kind.element
    return Unit(
        name=label, type=name(inner(kind)), binding=place.number, size=elements(place.kind), is_array=bool(sizes), sizes=tuple(sizes)
    )  # fmt: skip


def _is_image(place: UnitPlace) -> bool:
    kind = inner(place.kind)
    return isinstance(kind, Image) and kind.storage


def _of_structs(s: State, label: str, place: Mixed) -> Iterator[tuple[str, UnitPlace]]:
    """The textures and images inside a struct, with names and units, for each element of an array of structs."""
    kind = place.kind
    if is_opaque(kind):
        yield label, unit_of(place, kind)
    elif isinstance(kind, Struct):
        for number, member in enumerate(kind.members):
            part = replace(place, kind=member, path=(*place.path, number))
            yield from _of_structs(s, f"{label}.{_member(s, kind, number)}", part)
    elif isinstance(kind, Array):
        for number in range(min(kind.size, MAX_MEMBERS) if leaves(kind) else 0):
            yield from _of_structs(s, f"{label}[{number}]", replace(place, kind=kind.element, indices=(*place.indices, number)))


def _variable(
    label: str, kind: Type, offset: int, sizes: tuple[int, ...], strides: tuple[int, ...], stride: int, row_major: bool
) -> Variable:
    rows = kind.element.size if isinstance(kind, Matrix) else getattr(kind, "size", 1)
    return Variable(
        name=label,
        scalar=name(scalar(kind)),
        rows=rows,
        columns=kind.size if isinstance(kind, Matrix) else 1,
        offset=offset,
        sizes=sizes,
        strides=strides,
        matrix_stride=stride,
        row_major=row_major,
    )


def _of_registers(
    s: State, label: str, kind: Type, offset: int, sizes: tuple[int, ...] = (), strides: tuple[int, ...] = ()
) -> Iterator[Variable]:
    """The variables of a default uniform: every element and column has its own registers."""
    if is_opaque(kind):
        return
    if isinstance(kind, Array) and isinstance(inner(kind), Struct):
        for number in range(min(kind.size, MAX_MEMBERS)):
            yield from _of_registers(s, f"{label}[{number}]", kind.element, offset + number * REGISTER_BYTES * registers(kind.element))
    elif isinstance(kind, Array):
        step = REGISTER_BYTES * registers(kind.element)
        yield from _of_registers(s, label, kind.element, offset, (*sizes, kind.size), (*strides, step))
    elif isinstance(kind, Struct):
        for number, member in enumerate(kind.members):
            yield from _of_registers(s, f"{label}.{_member(s, kind, number)}", member, offset)
            offset += REGISTER_BYTES * registers(member)
    else:
        step = REGISTER_BYTES * registers(kind.element) if isinstance(kind, Matrix) else REGISTER_BYTES
        yield _variable(label, kind, offset, sizes, strides, step, False)


def _member(s: State, kind: Struct, number: int) -> str:
    return s.tables.member_names.get((kind.id, number)) or f"_{number}"


def _initial(s: State, size: int) -> bytes:
    """The bytes of the default uniforms before anything is set; empty where no uniform has an initial value."""
    words: dict[int, int] = {}
    for id, first in s.uniforms.items():
        place, op = s.places.get(id), s.tables.globals[id]
        if isinstance(place, Registers) and len(op.operands) > 1:
            values = s.tables.constants.known.get(op.id(1))
            for (register, channel), word in zip(layout(place.kind), values[1] if values else (), strict=False):
                words[4 * (first + register) + channel] = word
    return struct.pack(f"<{size // 4}I", *(words.get(number, 0) for number in range(size // 4))) if words else b""


def _shared_names(s: State) -> frozenset[str]:
    """Names of types shared by several blocks (ConstantBuffer<T> and StructuredBuffer<T> of dxc and Slang), which name no single block."""
    titles = [
        s.tables.names.get(inner(place.kind).id, "")  # type: ignore[union-attr]
        for id, place in s.places.items()
        if id in s.tables.globals and isinstance(place, Memory) and place.is_block
    ]
    return frozenset(title for title in titles if titles.count(title) > 1)


def _blocks(s: State, label: str, place: Memory, shared: Collection[str]) -> list[Block]:
    """The block at a place; for an array of blocks, every element by its index, with its own binding.

    Its name is that of its type, as in GLSL, or that of the variable if the type is in `shared`."""
    kind = inner(place.kind)
    assert isinstance(kind, Struct)
    title = s.tables.names.get(kind.id, "")
    unnamed = f"{title}_{place.number}" if label in ("", title) else label
    first = _block(s, unnamed if title in shared else title or label, place.number, kind)
    sizes = array_sizes(place.kind)
    indices = product(*(range(size) for size in sizes))
    return [
        replace(first, name=first.name + "".join(f"[{index}]" for index in item), binding=first.binding + number)
        for number, item in enumerate(indices)
    ]


def _block(s: State, label: str, number: int, kind: Struct) -> Block:
    members: dict[str, Variable] = {}
    for item in _of_memory(s, "", kind, 0):
        if len(members) >= MAX_MEMBERS:
            break
        members[item.name] = item
    return Block(name=label or f"_{number}", binding=number, size=extent(s, kind), members=MappingProxyType(members))


def _of_memory(
    s: State,
    label: str,
    kind: Type,
    offset: int,
    sizes: tuple[int, ...] = (),
    strides: tuple[int, ...] = (),
    matrix: tuple[int, bool] = (REGISTER_BYTES, False),
) -> Iterator[Variable]:
    """The variables of a block, by the offsets and strides that the module states."""
    if isinstance(kind, Array) and isinstance(inner(kind), Struct):
        for number in range(min(kind.size or 1, MAX_MEMBERS)):
            yield from _of_memory(s, f"{label}[{number}]", kind.element, offset + number * kind.stride)
    elif isinstance(kind, Array):
        yield from _of_memory(s, label, kind.element, offset, (*sizes, kind.size), (*strides, kind.stride), matrix)
    elif isinstance(kind, Struct):
        for number, member in enumerate(kind.members):
            path = f"{label}.{_member(s, kind, number)}".removeprefix(".")
            own = s.tables.member_decorations.get((kind.id, number), {})
            first = offset + (own.get("Offset") or [0])[0]
            inside = (own.get("MatrixStride") or [REGISTER_BYTES])[0], "RowMajor" in own
            yield from _of_memory(s, path, member, first, (), (), inside)
    else:
        yield _variable(label, kind, offset, sizes, strides, *matrix)


def _patches(s: State) -> dict[str, Port]:
    """Values of a patch that the module declares, whether the program uses them or not."""
    storage = {Processor.TESS_CTRL: "Output", Processor.TESS_EVAL: "Input"}.get(s.processor)
    if storage is None:
        return {}
    return _ports(s, storage, [id for id in s.tables.globals if _pointee(s, id, storage) is not None and is_patch(s, id)])


def _ports(s: State, storage: str, ids: Iterable[int]) -> dict[str, Port]:
    """Inputs or outputs with a location, by name; members of a block as ``Block.member``."""
    made: dict[str, Port] = {}
    for id in ids:
        kind = _pointee(s, id, storage)
        if kind is None:
            continue
        if has_rows(s, id, storage == "Output") and isinstance(kind, Array):
            kind = kind.element
        decorations = s.tables.decorations.get(id, {})
        of_patch = is_patch(s, id)
        first = s.locations.get(id, (decorations.get("Location") or [-1])[0])
        block = inner(kind)
        if isinstance(block, Struct) and "Block" in s.tables.decorations.get(block.id, {}):
            made |= {port.name: port for port in _of_block(s, id, kind, first, of_patch)}
        elif first >= 0 and "BuiltIn" not in decorations:
            label = s.tables.semantics.get(id) or s.tables.names.get(id, "")
            if label:
                made[label] = _port(s, id, label, kind, first, of_patch)
    return made


def _of_block(s: State, id: int, kind: Type, first: int, of_patch: bool) -> Iterator[Port]:
    """The members of a block of inputs or outputs; for an array of blocks, of every element by its index."""
    block = inner(kind)
    assert isinstance(block, Struct)
    sizes = array_sizes(kind) if kind.words < MAX_WORDS else ()
    for place, indices in enumerate(product(*map(range, sizes))):
        title = s.tables.names.get(block.id, "") + "".join(f"[{index}]" for index in indices)
        base, following = place * registers(block), first
        for number, member in enumerate(block.members):
            own = s.tables.member_decorations.get((block.id, number), {})
            at = (own.get("Location") or [following])[0]
            if at >= 0 and "BuiltIn" not in own:
                yield _port(s, id, f"{title}.{_member(s, block, number)}", member, at + base, of_patch)
                following = at + registers(member)


def _pointee(s: State, id: int, storage: str) -> Type | None:
    kind = s.tables.types.known.get(s.tables.globals[id].type) if id in s.tables.globals else None
    if not isinstance(kind, Pointer) or kind.storage != storage:
        return None
    return s.tables.types.get(kind.target)


def _port(s: State, id: int, label: str, kind: Type, location: int, of_patch: bool) -> Port:
    """A port.

    Inputs of vertex programs and outputs of fragment programs link to no other stage, so their semantic does not depend on the location.
    """
    semantic = f"PATCH[{location}]" if of_patch else str(s.generic(location))
    variable = s.tables.names.get(id) or "anon"
    index = (s.tables.decorations.get(id, {}).get("Index") or [0])[0]
    size = registers(kind)
    return Port(name=label, variable=variable, type=name(kind), location=location, index=index, registers=size, semantic=semantic)
