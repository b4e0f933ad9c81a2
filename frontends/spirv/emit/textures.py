"""Textures: sampling, fetches, gathers and queries."""

from __future__ import annotations

from dataclasses import replace

from frontends.spirv.emit.arithmetic import integers, splat
from frontends.spirv.emit.builtins import has_quads
from frontends.spirv.emit.code import Ref, Refs, destination, immediate
from frontends.spirv.emit.conversions import derivative
from frontends.spirv.emit.images import SHADOWS, coordinate_count, first_unit, image_operand, storage, target_of
from frontends.spirv.emit.memory import total
from frontends.spirv.emit.places import Unit
from frontends.spirv.emit.registry import emits
from frontends.spirv.emit.state import Sampled, State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import Int, Pointer, Sampler, components
from tgsi.language.facts.enums import TARGETS, File, ReturnType
from tgsi.language.facts.limits import SOFTWARE
from tgsi.language.ir import Declaration, IndirectRef, MemoryAccess, RegisterRef, SrcOperand, TexOffset, ViewInfo

_KNOWN = frozenset({"None", "Bias", "Lod", "Grad", "ConstOffset", "Offset", "ConstOffsets", "Offsets", "Sample"})
_IGNORED = frozenset({"MakeTexelAvailable", "MakeTexelVisible", "NonPrivateTexel", "VolatileTexel", "SignExtend", "ZeroExtend"})


@emits("SampledImage")
def _combine(s: State, op: Op) -> None:
    texture = storage(s, op.id(0), op)
    sampler = s.places.get(op.id(1))
    if not isinstance(sampler, Unit) or not isinstance(sampler.kind, Sampler):
        s.fail("M005", f"the id {op.id(1)} is not a sampler", op)
    if sampler.terms:
        s.fail("M021", "a sampler that is chosen while the program runs is not supported", op)
    unit = texture.unit
    first = _pair(s, unit, (unit.variable, sampler.variable, sampler.number), op)
    base = first_unit(s, unit)
    moved = replace(unit, number=unit.number - base + first, first=first)
    s.sampled[op.result] = Sampled(image=texture.image, unit=moved, texture=unit.variable, sampler=sampler.variable)


def _pair(s: State, unit: Unit, key: tuple[int, int, int], op: Op) -> int:
    """The first unit of a pair of texture and sampler: the texture's binding for its first sampler, a free unit for every further one."""
    if key not in s.units:
        taken = [pair for pair in s.units if pair[0] == unit.variable]
        s.units[key] = _free_unit(s, unit.size, op) if taken else first_unit(s, unit)
    return s.units[key]


def _free_unit(s: State, size: int, op: Op) -> int:
    last = 0
    for id, variable in s.tables.globals.items():
        kind = s.tables.types.get(variable.type, variable)
        if isinstance(kind, Pointer) and kind.storage == "UniformConstant":
            place = s.places.get(id)
            last = max(last, (s.tables.decoration(id, "Binding") or 0) + (place.size if isinstance(place, Unit) else 1))
    last = max([last, *(first + size for first in s.units.values())])
    if last + size > SOFTWARE.samplers:
        s.fail("M023", f"there are more than {SOFTWARE.samplers} pairs of textures and samplers", op)
    return last


def _sampled(s: State, id: int, op: Op) -> Sampled:
    sampled = storage(s, id, op)
    if sampled.image.dim == "SubpassData":
        s.fail("M021", "input attachments are not supported", op)
    return sampled


def _unit(s: State, found: Sampled, target: str, op: Op) -> SrcOperand:
    """The operand of a sampler, declared with its view at its first use."""
    unit = found.unit
    base, first = unit.number, first_unit(s, unit)
    if first + unit.size > SOFTWARE.samplers:
        s.fail("M023", f"the texture of binding {first} is beyond the last one, {SOFTWARE.samplers - 1}", op)
    kind = found.image.sampled
    word = (ReturnType.SINT if kind.signed else ReturnType.UINT) if isinstance(kind, Int) else ReturnType.FLOAT
    for number in range(first, first + unit.size):
        s.code.declare(Declaration(File.SAMP, number, number))
        if not any(item.file is File.SVIEW and item.first == number for item in s.code.declarations):
            s.code.declare(Declaration(File.SVIEW, number, number, view=ViewInfo(target, (word, word, word, word))))
    if not unit.terms:
        return SrcOperand(RegisterRef(File.SAMP, base))
    number, channel = s.code.address(total(s, unit.terms))
    return SrcOperand(RegisterRef(File.SAMP, base, None, IndirectRef(File.ADDR, number, channel)))


def _target(s: State, found: Sampled, op: Op) -> str:
    """The target of an instruction that does not compare. It is the shadow target if the unit's view is declared with that."""
    plain = target_of(s, found.image, op)
    shadow = SHADOWS.get(plain, plain)
    first = first_unit(s, found.unit)
    declared = [
        item.view.target for item in s.code.declarations if item.file is File.SVIEW and item.first == first and item.view is not None
    ]
    return shadow if found.image.depth or shadow in declared else plain


def _operands(s: State, op: Op, place: int) -> dict[str, list[int]]:
    operands = {name: ids for name, ids in op.access(place).items() if name not in _IGNORED}
    for name in operands:
        if name not in _KNOWN:
            s.fail("M021", f"the image operand {name} is not supported", op)
    return operands


def _offsets(s: State, operands: dict[str, list[int]]) -> tuple[TexOffset, ...]:
    for name in ("ConstOffset", "Offset"):
        if name in operands:
            return (_offset(s, integers(s, operands[name][0])),)
    for name in ("ConstOffsets", "Offsets"):
        if name in operands:
            value = integers(s, operands[name][0])
            return tuple(_offset(s, value[place : place + 2]) for place in range(0, 8, 2))
    return ()


def _offset(s: State, value: Refs) -> TexOffset:
    refs = [*value, *immediate(0, 0)][:3] if all(ref.register is None for ref in value) else [*value, value[-1], value[-1]][:3]
    operand = s.code.packed(refs, "int", plain=True)
    return TexOffset(operand.register, operand.swizzle[:3])


def _place_reference(coordinates: list[Ref], target: str, reference: Ref) -> list[Ref] | None:
    """Coordinates with the reference value of a comparison; None for targets whose reference value is a separate operand."""
    channel = TARGETS[target].shadow
    if channel not in ("z", "w"):
        return None
    place = "xyzw".index(channel)
    coordinates += [coordinates[-1]] * (place - len(coordinates))
    return [*coordinates[:place], reference]


@emits(*(f"ImageSample{proj}{dref}{lod}Lod" for proj in ("", "Proj") for dref in ("", "Dref") for lod in ("Implicit", "Explicit")))
def _sample(s: State, op: Op) -> None:
    sampled = _sampled(s, op.id(0), op)
    is_shadow = "Dref" in op.name
    target = target_of(s, sampled.image, op)
    if sampled.image.multisampled or sampled.image.dim == "Buffer":
        s.fail("M006", "this texture is fetched, not sampled", op)
    coordinates = list(s.value(op.id(1)))
    count = coordinate_count(target)
    reference = list(s.value(op.id(2))) if is_shadow else []
    if "Proj" in op.name:
        q = coordinates[-1:]
        divided = s.code.lanes("DIV", coordinates[:count], q * count)
        reference = s.code.lanes("DIV", reference, q) if reference else []
        coordinates = divided
    coordinates = coordinates[:count]
    extra: Ref | None = None
    if is_shadow:
        target = SHADOWS.get(target, target)
        if not TARGETS[target].is_shadow:
            s.fail("M021", f"textures of target {target} are not compared", op)
        placed = _place_reference(coordinates, target, reference[0])
        if placed is None:
            extra = reference[0]
        else:
            coordinates = placed
    operands = _operands(s, op, 3 if is_shadow else 2)
    texel = _look_up(s, op, sampled, target, coordinates, extra, operands)
    s.bind(op, texel[: components(s.result(op))])


def _gradients(s: State, coordinates: list[Ref], target: str, operands: dict[str, list[int]]) -> list[Refs]:
    """Derivatives of coordinates in a compute shader, whose TEX computes none. A bias multiplies them by 2^bias."""
    place = coordinates[: TARGETS[target].dimensions]
    gradients: list[Refs] = [derivative(s, opcode, place) for opcode in ("DDX", "DDY")]
    if "Bias" not in operands:
        return gradients
    factor = s.code.each("EX2", s.value(operands["Bias"][0]))
    return [s.code.lanes("MUL", value, factor * len(place)) for value in gradients]


def _look_up(
    s: State, op: Op, found: Sampled, target: str, coordinates: list[Ref], extra: Ref | None, operands: dict[str, list[int]]
) -> list[Ref]:
    texel = s.code.new(4)
    sources: list[Refs] = []
    name = "TEX2" if extra is not None else "TEX"
    if "Lod" in operands or ("Bias" in operands and (extra is not None or not has_quads(s))):
        number = s.value(operands["Bias" if "Bias" in operands else "Lod"][0])[0]
        letter = "B" if "Bias" in operands else "L"
        if extra is not None:
            if letter == "B" or number != splat(0.0, 1)[0]:
                s.fail("M021", "a level of detail for a comparison in an array of cubes is not supported", op)
            name, number = "TEX2", extra
            sources = [coordinates, [extra]]
        elif len(coordinates) < 4:
            name = f"TX{letter}"
            sources = [[*coordinates, *[coordinates[-1]] * (3 - len(coordinates)), number]]
        else:
            name = f"TX{letter}2"
            sources = [coordinates, [number]]
    elif "Grad" in operands:
        if extra is not None:
            s.fail("M021", "gradients for a comparison in an array of cubes are not supported", op)
        name = "TXD"
        sources = [coordinates, *(s.value(id) for id in operands["Grad"])]
    elif has_quads(s) and extra is None:
        name, sources = "TXD", [coordinates, *_gradients(s, coordinates, target, operands)]
    else:
        sources = [coordinates, [extra]] if extra is not None else [coordinates]
    offsets = _offsets(s, operands)
    values = [s.code.packed(value, "float", plain=True) for value in sources]
    s.code.emit(name, destination(texel), *values, _unit(s, found, target, op), texture=target, offsets=offsets)
    return texel


@emits("ImageFetch")
def _fetch(s: State, op: Op) -> None:
    sampled = _sampled(s, op.id(0), op)
    target = _target(s, sampled, op)
    operands = _operands(s, op, 2)
    coordinates = integers(s, op.id(1))[: coordinate_count(target)]
    level = operands.get("Sample") or operands.get("Lod")
    last = integers(s, level[0])[0] if level is not None else immediate(0)[0]
    coordinates += [coordinates[-1]] * (3 - len(coordinates)) + [last]
    texel = s.code.new(4)
    offsets = _offsets(s, operands)
    where = s.code.packed(coordinates, "int", plain=True)
    s.code.emit("TXF", destination(texel), where, _unit(s, sampled, target, op), texture=target, offsets=offsets)
    s.bind(op, texel[: components(s.result(op))])


@emits("ImageGather", "ImageDrefGather")
def _gather(s: State, op: Op) -> None:
    sampled = _sampled(s, op.id(0), op)
    target = target_of(s, sampled.image, op)
    coordinates = list(s.value(op.id(1)))[: coordinate_count(target)]
    second = integers(s, op.id(2))
    if op.name == "OpImageDrefGather":
        target = SHADOWS.get(target, target)
        placed = _place_reference(coordinates, target, s.value(op.id(2))[0])
        if placed is not None:
            coordinates, second = placed, immediate(0)
    offsets = _offsets(s, _operands(s, op, 3))
    texel = s.code.new(4)
    where = s.code.packed(coordinates, "float", plain=True)
    channel = s.code.source(s.code.plain(second), "int")
    s.code.emit("TG4", destination(texel), where, channel, _unit(s, sampled, target, op), texture=target, offsets=offsets)
    s.bind(op, texel)


@emits("Image")
def _image(s: State, op: Op) -> None:
    s.sampled[op.result] = _sampled(s, op.id(0), op)


@emits("ImageQuerySizeLod", "ImageQuerySize", "ImageQueryLevels", "ImageQuerySamples")
def _query(s: State, op: Op) -> None:
    sampled = _sampled(s, op.id(0), op)
    target = target_of(s, sampled.image, op) if sampled.image.storage else _target(s, sampled, op)
    sizes = s.code.new(4)
    if sampled.image.storage:
        register = image_operand(s, sampled.unit, sampled.image, op)
        s.code.emit("RESQ", destination(sizes), SrcOperand(register), memory=MemoryAccess(sampled.unit.qualifiers, target))
        samples = sizes[3:]
    else:
        unit = _unit(s, sampled, target, op)
        if op.name == "OpImageQuerySamples":
            s.code.emit("TXQS", destination(sizes), unit, texture=target)
            samples = sizes[:1]
        else:
            level = integers(s, op.id(1)) if op.name == "OpImageQuerySizeLod" else immediate(0)
            s.code.emit("TXQ", destination(sizes), s.code.source(level, "int"), unit, texture=target)
            samples = sizes[3:]
    if op.name in ("OpImageQueryLevels", "OpImageQuerySamples"):
        s.bind(op, samples)
        return
    s.bind(op, sizes[: components(s.result(op))])


@emits("ImageQueryLod")
def _query_lod(s: State, op: Op) -> None:
    sampled = _sampled(s, op.id(0), op)
    target = _target(s, sampled, op)
    where = s.code.packed(list(s.value(op.id(1))), "float", plain=True)
    level = s.code.new(2)
    s.code.emit("LODQ", destination(level), where, _unit(s, sampled, target, op), texture=target)
    s.bind(op, level)
