"""Textures: sampling, fetches, gathers and queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from backends.spirv.arithmetic import store, written
from backends.spirv.images import image_type
from backends.spirv.module import member
from backends.spirv.resources import TEXTURES, decorated
from backends.spirv.state import WORDS, State
from tgsi.language.facts.enums import TARGETS, File, Processor, ReturnType, TargetInfo
from tgsi.language.ir import Declaration, Instruction, RegisterRef, SrcOperand
from tgsi.language.record import record

_KINDS = {ReturnType.SINT: "int", ReturnType.UINT: "uint"}
_WITHOUT_LEVELS = ("BUFFER", "RECT", "MSAA")


@record
class _Texture:
    """A texture for an instruction: the loaded value, its types, the type of a texel and the target."""

    value: int
    image: int
    kind: str
    target: TargetInfo
    is_combined: bool


def _target(s: State, item: Instruction) -> TargetInfo:
    name = item.texture or "UNKNOWN"
    if name == "UNKNOWN":
        s.fail("M031", "a texture without a target has no place in SPIR-V")
    return TARGETS[name]


def _kind(s: State, number: int) -> str:
    view = next((d.view for d in s.program.declared(File.SVIEW) if d.covers(number)), None)
    return _KINDS.get(view.types[0], "float") if view is not None else "float"


def _sampler(s: State, item: Instruction) -> _Texture:
    """The texture and sampler of an instruction: its last source."""
    m = s.module
    register = item.src[-1].register
    if register.file is not File.SAMP:
        s.fail("M031", f"a handle in a register of file {register.file.name} is not a texture in SPIR-V")
    target = _target(s, item)
    declared = next((d for d in s.program.declared(File.SAMP) if register.index >= 0 and d.covers(register.index)), None)
    first, size = register.index, 0
    if _indexed(s):
        first, size = _range(s, declared, register)
    kind = _kind(s, first)
    image = image_type(s, target.name, kind)
    is_buffer = target.name == "BUFFER"
    type = image if is_buffer else m.type("SampledImage", image)
    key = ("texture", first, type, size)
    if key not in m.known:
        if ("texture", first) in m.known:
            s.fail("M031", f"SAMP[{first}] is used with two targets")
        m.known["texture", first] = 1
        m.known[key] = variable = m.variable(
            "UniformConstant", m.array(type, size) if size else type, s.named(f"texture{first}", f"SAMP[{first}]")
        )
        decorated(s, variable, TEXTURES, ("SAMP", first), first)
    pointer = m.known[key]
    if size:
        m.need("SampledImageArrayDynamicIndexing")
        index = m.uint(register.index) if register.indirect is None else s.registers.address(register.indirect, register.index)
        place = m.op("ISub", m.scalar("uint"), index, m.uint(first)) if first else index
        pointer = s.chain("UniformConstant", type, pointer, m.call("UMin", m.scalar("uint"), place, m.uint(size - 1)))
    return _Texture(s.load(pointer, type), image, kind, target, not is_buffer)


def _indexed(s: State) -> bool:
    return any(o.register.file is File.SAMP and o.register.indirect is not None for item in s.program.instructions for o in item.src)


def _range(s: State, declared: Declaration | None, register: RegisterRef) -> tuple[int, int]:
    """First and number of the samplers that are declared without a gap around one."""
    numbers = {number for d in s.program.declared(File.SAMP) for number in range(d.first, d.last + 1)}
    first = last = register.index
    if declared is None:
        s.fail("M031", f"SAMP[{register.index}] is not declared")
    while first - 1 in numbers:
        first -= 1
    while last + 1 in numbers:
        last += 1
    return first, last - first + 1


def _plain(s: State, texture: _Texture) -> int:
    """The image without its sampler."""
    return s.module.op("Image", texture.image, texture.value) if texture.is_combined else texture.value


def _store_texel(s: State, item: Instruction, texel: int, kind: str, swizzle: Sequence[int] = (0, 1, 2, 3)) -> None:
    channels = written(item.dst[0])
    if channels:
        store(s, item, s.select(texel, kind, [swizzle[c] for c in channels]), kind)


def _offsets(s: State, item: Instruction) -> list[list[int]]:
    """Words of constant offsets. Error M030 for others."""
    offsets = []
    for offset in item.offsets:
        register = offset.register
        if register.file is not File.IMM or register.indirect is not None:
            s.fail("M030", f"the texel offset of {item.opcode.name} is a constant in SPIR-V")
        offsets.append([s.program.immediates[register.index].words[place] for place in offset.swizzle])
    return offsets


def _operands(s: State, item: Instruction, target: TargetInfo, operands: list[tuple[str, list[int]]]) -> list[int]:
    """Image operands: a mask and ids in the order of its bits."""
    offsets = _offsets(s, item)
    if offsets and "CUBE" not in target.name and target.name != "BUFFER":
        operands = [*operands, ("ConstOffset", [s.module.composite("int", offsets[0][: target.dimensions])])]
    if not operands:
        return []
    operands.sort(key=lambda pair: member("ImageOperands", pair[0]))
    return [sum(member("ImageOperands", name) for name, _ in operands), *(id for _, ids in operands for id in ids)]


def _sample(
    s: State,
    item: Instruction,
    texture: _Texture,
    where: int,
    reference: int | None,
    operands: list[tuple[str, list[int]]],
) -> None:
    m = s.module
    if texture.target.name == "BUFFER" or "MSAA" in texture.target.name:
        s.fail("M030", f"a texture of target {texture.target.name} is fetched, not sampled, in SPIR-V")
    if s.program.processor is not Processor.FRAG and not any(name in ("Lod", "Grad") for name, _ in operands):
        bias = next((ids for name, ids in operands if name == "Bias"), None)  # the level is 0 without derivatives
        operands = [("Lod", bias or [s.number(0)])]
    lod = "Explicit" if any(name in ("Lod", "Grad") for name, _ in operands) else "Implicit"
    extra = _operands(s, item, texture.target, operands)
    if reference is None:
        texel = m.op(f"ImageSample{lod}Lod", m.vector(texture.kind, WORDS), texture.value, where, *extra)
        _store_texel(s, item, texel, texture.kind)
        return
    compared = m.op(f"ImageSampleDref{lod}Lod", m.scalar("float"), texture.value, where, reference, *extra)
    channels = written(item.dst[0])
    if channels:
        store(s, item, s.splat(compared, "float", len(channels)), "float")


def _coordinates(s: State, item: Instruction, target: TargetInfo, divisor: int | None = None) -> tuple[int, int | None]:
    """Coordinates, and the reference of a target that compares."""
    scalars = s.parts(s.registers.source(item.src[0], "float", [0, 1, 2, 3]), "float", WORDS)
    if divisor is not None:
        scalars = [
            s.exact("FDiv", "float", 1, scalar, scalars[divisor]) if place < divisor else scalar for place, scalar in enumerate(scalars)
        ]
    reference = None
    if target.is_shadow:
        place = {"z": 2, "w": 3}.get(target.shadow)
        reference = scalars[place] if place is not None else s.registers.source(item.src[1], "float", [0])
    return s.vector("float", scalars[: target.coords]), reference


def _tex(level: str = "", divided: bool = False) -> Callable[[State, Instruction], None]:
    """An opcode whose first source has all numbers: level, bias or divisor in w."""

    def write(s: State, item: Instruction) -> None:
        texture = _sampler(s, item)
        where, reference = _coordinates(s, item, texture.target, 3 if divided else None)
        operands: list[tuple[str, list[int]]] = []
        if level == "zero":
            operands = [("Lod", [s.number(0)])]
        elif level:
            operands = [(level, [s.registers.source(item.src[0], "float", [3])])]
        _sample(s, item, texture, where, reference, operands)

    return write


def _tex_second(level: str) -> Callable[[State, Instruction], None]:
    """An opcode with a second source: level, bias, or the reference of an array of cubes."""

    def write(s: State, item: Instruction) -> None:
        texture = _sampler(s, item)
        where, reference = _coordinates(s, item, texture.target)
        operands = [(level, [s.registers.source(item.src[1], "float", [0])])] if level else []
        _sample(s, item, texture, where, reference, operands)

    return write


def _gradients(s: State, item: Instruction) -> None:
    texture = _sampler(s, item)
    where, reference = _coordinates(s, item, texture.target)
    places = list(range(texture.target.dimensions))
    operands = [("Grad", [s.registers.source(operand, "float", places) for operand in item.src[1:3]])]
    _sample(s, item, texture, where, reference, operands)


def _fetch(has_level: bool) -> Callable[[State, Instruction], None]:
    def write(s: State, item: Instruction) -> None:
        m = s.module
        texture = _sampler(s, item)
        name = texture.target.name
        where = s.registers.source(item.src[0], "int", list(range(texture.target.coords)))
        last = s.registers.source(item.src[0], "int", [3]) if has_level else m.constant("int", 0)
        operands: list[tuple[str, list[int]]] = []
        if "MSAA" in name:
            operands = [("Sample", [last])]
        elif not any(word in name for word in _WITHOUT_LEVELS):
            operands = [("Lod", [last])]
        if "CUBE" in name:
            s.fail("M030", "texels of cubes are not fetched in SPIR-V")
        extra = _operands(s, item, texture.target, operands)
        texel = m.op("ImageFetch", m.vector(texture.kind, WORDS), _plain(s, texture), where, *extra)
        _store_texel(s, item, texel, texture.kind)

    return write


def _gather(s: State, item: Instruction) -> None:
    m = s.module
    texture = _sampler(s, item)
    if not any(word in texture.target.name for word in ("2D", "CUBE", "RECT")):
        s.fail("M030", f"texels of target {texture.target.name} are not gathered in SPIR-V")
    where, reference = _coordinates(s, item, texture.target)
    operands: list[tuple[str, list[int]]] = []
    if len(item.offsets) == WORDS:
        m.need("ImageGatherExtended")
        pair = m.vector("int", 2)
        four = m.array(pair, WORDS)
        operands = [("ConstOffsets", [m.parts(four, [m.composite("int", words[:2]) for words in _offsets(s, item)])])]
    elif item.offsets:
        offset = item.offsets[0]
        if offset.register.file is File.IMM:
            operands = [("ConstOffset", [m.composite("int", _offsets(s, item)[0][:2])])]
        else:
            m.need("ImageGatherExtended")
            swizzle = (*offset.swizzle, offset.swizzle[2])
            operands = [("Offset", [s.registers.source(SrcOperand(offset.register, swizzle), "int", [0, 1])])]
    mask = [sum(member("ImageOperands", name) for name, _ in operands), *(id for _, ids in operands for id in ids)] if operands else []
    if reference is not None:
        texel = m.op("ImageDrefGather", m.vector(texture.kind, WORDS), texture.value, where, reference, *mask)
    else:
        component = s.registers.source(item.src[1], "int", [0])
        texel = m.op("ImageGather", m.vector(texture.kind, WORDS), texture.value, where, component, *mask)
    _store_texel(s, item, texel, texture.kind)


def _query(s: State, item: Instruction) -> None:
    m = s.module
    texture = _sampler(s, item)
    m.need("ImageQuery")
    channels = written(item.dst[0])
    if not channels:
        return
    image, info = _plain(s, texture), texture.target
    count = (2 if "CUBE" in info.name else info.dimensions) + info.layered
    if any(word in info.name for word in _WITHOUT_LEVELS):
        sizes = m.op("ImageQuerySize", m.vector("int", count), image)
    else:
        sizes = m.op("ImageQuerySizeLod", m.vector("int", count), image, s.registers.source(item.src[0], "int", [0]))
    words = [*s.parts(sizes, "int", count), *[m.constant("int", 0)] * (3 - count)]
    if 3 in channels:
        leveled = not any(word in info.name for word in _WITHOUT_LEVELS)
        words.append(m.op("ImageQueryLevels", m.scalar("int"), image) if leveled else m.constant("int", 1))
    store(s, item, s.vector("int", [words[c] for c in channels]), "int")


def _samples(s: State, item: Instruction) -> None:
    m = s.module
    texture = _sampler(s, item)
    channels = written(item.dst[0])
    if "MSAA" in texture.target.name:
        m.need("ImageQuery")
        count = m.op("ImageQuerySamples", m.scalar("int"), _plain(s, texture))
    else:
        count = m.constant("int", 1)
    if channels:
        store(s, item, s.splat(count, "int", len(channels)), "int")


def _level(s: State, item: Instruction) -> None:
    m = s.module
    texture = _sampler(s, item)
    if s.program.processor is not Processor.FRAG:
        s.fail("M030", "only fragment programs can query the level of detail in SPIR-V")
    m.need("ImageQuery")
    where = s.registers.source(item.src[0], "float", list(range(texture.target.dimensions)))
    pair = m.op("ImageQueryLod", m.vector("float", 2), texture.value, where)
    words = [*s.parts(pair, "float", 2), s.number(0), s.number(0)]
    channels = written(item.dst[0])
    if channels:
        store(s, item, s.vector("float", [words[channel] for channel in channels]), "float")


EMITTERS: Mapping[str, Callable[[State, Instruction], None]] = MappingProxyType(
    {
        "TEX": _tex(),
        "TEX_LZ": _tex("zero"),
        "TXP": _tex(divided=True),
        "TXB": _tex("Bias"),
        "TXL": _tex("Lod"),
        "TEX2": _tex_second(""),
        "TXB2": _tex_second("Bias"),
        "TXL2": _tex_second("Lod"),
        "TXD": _gradients,
        "TXF": _fetch(True),
        "TXF_LZ": _fetch(False),
        "TG4": _gather,
        "TXQ": _query,
        "TXQS": _samples,
        "LODQ": _level,
    }
)
"""Emitters by opcode."""
