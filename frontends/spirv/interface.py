"""Names of a module as the interface of its program: what the program uses of uniforms, blocks, textures, inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from frontends.spirv.emit.memory import REGISTER_BYTES
from frontends.spirv.emit.places import Memory, Registers, registers
from frontends.spirv.emit.places import Unit as UnitPlace
from frontends.spirv.emit.state import State
from frontends.spirv.emit.variables import extent, has_rows
from frontends.spirv.module.types import Array, Image, Matrix, Pointer, SampledImage, Sampler, Struct, Type, name, scalar
from tgsi.language.facts.enums import File
from tgsi.language.interface import Block, Interface, Port, Unit, Variable

MAX_MEMBERS = 4096
"""Variables of one block that get a name; elements of arrays of structs count each."""


def describe(s: State) -> Interface:
    """The interface of a program that was read."""
    uniforms: dict[str, Variable] = {}
    blocks: dict[str, Block] = {}
    buffers: dict[str, Block] = {}
    samplers: dict[str, Unit] = {}
    images: dict[str, Unit] = {}
    for id, place in s.places.items():
        label = s.tables.names.get(id, "")
        match place:
            case Registers(file=File.CONST) if label:
                uniforms |= {item.name: item for item in _of_registers(s, label, place.kind, REGISTER_BYTES * place.index)}
            case Memory(is_block=True):
                made = _block(s, label, place)
                (blocks if place.file is File.CONST else buffers)[made.name] = made
            case UnitPlace():
                inner = _inner(place.kind)
                if label and isinstance(inner, SampledImage | Image | Sampler):
                    found = images if isinstance(inner, Image) and inner.storage else samplers
                    found[label] = Unit(name=label, type=name(inner), binding=place.number, size=place.size)
    size = REGISTER_BYTES * s.uniform_registers
    default = Block(name="uniforms", binding=0, size=size, members=MappingProxyType(uniforms)) if uniforms else None
    return Interface(
        uniforms=default,
        blocks=MappingProxyType(blocks),
        buffers=MappingProxyType(buffers),
        samplers=MappingProxyType(samplers),
        images=MappingProxyType(images),
        inputs=MappingProxyType(_ports(s, "Input")),
        outputs=MappingProxyType(_ports(s, "Output")),
    )


def _inner(kind: Type) -> Type:
    while isinstance(kind, Array):
        kind = kind.element
    return kind


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
    """The variables of a default uniform: every element and column has registers of its own."""
    if isinstance(kind, Array) and isinstance(_inner(kind), Struct):
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


def _block(s: State, label: str, place: Memory) -> Block:
    kind = _inner(place.kind)
    assert isinstance(kind, Struct)
    members: dict[str, Variable] = {}
    for item in _of_memory(s, "", kind, 0):
        if len(members) >= MAX_MEMBERS:
            break
        members[item.name] = item
    title = s.tables.names.get(kind.id) or label or f"_{place.number}"
    return Block(name=title, binding=place.number, size=extent(s, kind), members=MappingProxyType(members))


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
    if isinstance(kind, Array) and isinstance(_inner(kind), Struct):
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


def _ports(s: State, storage: str) -> dict[str, Port]:
    """Inputs or outputs with a location, by name; members of a block as ``Block.member``."""
    made: dict[str, Port] = {}
    for id in s.places:
        kind = _pointee(s, id, storage)
        if kind is None:
            continue
        if has_rows(s, id, storage == "Output") and isinstance(kind, Array):
            kind = kind.element
        found = s.tables.decorations.get(id, {})
        is_patch = "Patch" in found
        first = (found.get("Location") or [-1])[0]
        inner = _inner(kind)
        if isinstance(inner, Struct) and "Block" in s.tables.decorations.get(inner.id, {}):
            for number, member in enumerate(inner.members):
                own = s.tables.member_decorations.get((inner.id, number), {})
                at = (own.get("Location") or [first])[0]
                if at >= 0 and "BuiltIn" not in own:
                    label = f"{s.tables.names.get(inner.id, '')}.{_member(s, inner, number)}"
                    made[label] = _port(s, id, label, member, at, is_patch)
                    first = at + registers(member)
        elif first >= 0 and "BuiltIn" not in found:
            label = s.tables.semantics.get(id) or s.tables.names.get(id, "")
            if label:
                made[label] = _port(s, id, label, kind, first, is_patch)
    return made


def _pointee(s: State, id: int, storage: str) -> Type | None:
    kind = s.tables.types.known.get(s.tables.globals[id].type) if id in s.tables.globals else None
    if not isinstance(kind, Pointer) or kind.storage != storage:
        return None
    return s.tables.types.get(kind.target)


def _port(s: State, id: int, label: str, kind: Type, location: int, is_patch: bool) -> Port:
    """A port. Inputs of vertex programs and outputs of fragment programs have no partner, and no semantic of a location."""
    semantic = f"PATCH[{location}]" if is_patch else str(s.generic(location))
    variable = s.tables.names.get(id) or "anon"
    return Port(name=label, variable=variable, type=name(kind), location=location, registers=registers(kind), semantic=semantic)
