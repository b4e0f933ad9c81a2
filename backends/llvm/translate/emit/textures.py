"""Sampling instructions: coordinates, level of detail and offsets as each opcode orders them. The sampling is in `llvm.sampling`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from backends.abi.keys import SamplerKey, TextureKey
from backends.abi.records import SamplerRecord, TextureRecord
from backends.llvm.builder.function import F32, Val
from backends.llvm.library.math import canonical
from backends.llvm.sampling import gather, query, sample
from backends.llvm.sampling.shared_sampling import PASSED, SampleFunction, Way
from backends.llvm.sampling.texture_targets import INFOS
from backends.llvm.translate.emit import Context, Vector, emits
from backends.llvm.translate.emit.units import Unit, named, record_of, select_unit, wide
from backends.llvm.translate.interface import Coordinates, Scattered
from tgsi.language.channels import coordinate_channels
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import TARGETS, File, Processor, TargetInfo
from tgsi.language.ir import XYZW, RegisterRef, SrcOperand, TexOffset
from tgsi.language.record import record

Gradients = Sequence[Sequence[Val]] | None
Offsets = Sequence[Sequence[Val | int]]

SHARED_FROM = 2
"""Programs with at least this number of sampling instructions call shared functions; others have the code in place."""

_SHORT_FROM = 33
"""The same for short code that fetches a single texel of a level.

Calls spill all vector registers, so 15 samples of a texel without calls took five sixths of the time. LLVM takes 1 ms for each of those,
but 15 ms for one that mixes four texels.
"""

_RETURNED = (1, 3, 4)
"""Numbers of channels that shared functions return, a few of the four so that more programs share a function."""

_FLAT = frozenset({"1D", "2D", "RECT"})

_GATHERED = 4
"""Number of offsets of a gather that moves each texel on its own."""


def target_of(c: Context) -> TargetInfo:
    """The instruction's texture target."""
    info = TARGETS[c.instruction.texture or "2D"]
    if not info.coords:
        raise UnsupportedError.at("B004", f"texture target {info.name} is not supported by the code generator", c.instruction.span)
    return info


def channels_of(c: Context, vector: Vector, count: int) -> list[Val]:
    """First `count` channels of a source, as vectors."""
    return [wide(c, vector[channel]) for channel in range(count)]


def offsets_of(c: Context, several: bool = False) -> list[list[Val | int]]:
    """Texel offsets, as Python ints for immediates: the first one, or all four if `several` are allowed."""
    listed = c.instruction.offsets
    used = listed if several and len(listed) == _GATHERED else listed[:1]
    return [[_offset(c, offset, axis) for axis in range(3)] for offset in used]


def _offset(c: Context, offset: TexOffset, axis: int) -> Val | int:
    channel = offset.swizzle[axis]
    word = known_word(c, offset.register, channel)
    if word is not None:
        return word - (1 << 32) if word >> 31 else word
    return wide(c, c.operands.read(c.instruction, offset.register, channel).as_int())


def known_word(c: Context, register: RegisterRef, channel: int) -> int | None:
    """Word of an immediate; None for a value that is not constant."""
    if register.file is File.IMM and register.indirect is None and register.index < len(c.program.immediates):
        return c.program.immediates[register.index].words[channel]
    return None


@record(kw_only=True)
class Request:
    """One sampling operation without its unit. Coordinates and offsets have the order of `sampling.sample` and `sampling.gather`.

    read: bit c is set if channel c of the result is read.
    """

    target: str
    coords: Sequence[Val]
    way: Way
    lod: Val | None = None
    gradients: Gradients = None
    offsets: Offsets = ()
    component: Val | int = 0
    read: int = XYZW


def unbound(c: Context, request: Request) -> list[Val]:
    """Result for a unit without a texture: 0, 0, 0, 1; for gathers, four times the gathered component of that; 0 for levels of detail."""
    lanes = c.lane_map.lanes
    zero, one = c.f.const(F32.wide(lanes), 0.0), c.f.const(F32.wide(lanes), 1.0)
    match request.way:
        case "lod" | "bias alone":
            return [zero] * 4
        case "gather":
            if isinstance(request.component, int):
                return [one if request.component & 3 == 3 else zero] * 4
            return [c.f.select((request.component & 3).eq(3), one, zero)] * 4
        case _:
            return sample.unbound(c.f, lanes)


def sample_units(c: Context, view: Unit, sampler: Unit, request: Request, chosen: bool = False) -> list[Val]:
    """Sample a view with a sampler. `chosen`: the unit is chosen at run time among several."""
    texture_key, sampler_key = c.interface.texture_key(view.number), c.interface.sampler_key(sampler.number)
    if texture_key is None or sampler_key is None:
        return unbound(c, request)
    if request.way in ("implicit", "bias") and sample.needs_derivatives(texture_key, sampler_key):
        if isinstance(c.interface, Coordinates):
            c.interface.keep_coordinates(c.instruction, request.coords)
            return unbound(c, request)
        if isinstance(c.interface, Scattered):
            gradients = c.interface.derivatives(c.instruction, INFOS[request.target].dimensions)
            request = replace(request, way="gradient" if request.way == "implicit" else "bias", gradients=gradients)
    texel = _sampled(c, view, sampler, request, chosen, texture_key, sampler_key)
    is_exact = request.way in ("gather", "lod", "bias alone") or not sample.mixes_texels(texture_key, sampler_key)
    return [canonical(c.f, value) for value in texel] if c.exact and not is_exact else texel


def _sampled(
    c: Context, view: Unit, sampler: Unit, request: Request, chosen: bool, texture_key: TextureKey, sampler_key: SamplerKey
) -> list[Val]:
    if texture_key.handles is not None:
        texture_key = replace(texture_key, handles=None)
    texture, record = record_of(c, "textures", TextureRecord, view), record_of(c, "samplers", SamplerRecord, sampler)
    if chosen or c.plan.samples >= _shared_from(texture_key, sampler_key, request):
        function, vectors = _shared(c, texture_key, sampler_key, request)
        return function.call(c.f, texture, record, vectors)
    return _written_out(c, texture_key, sampler_key, texture, record, request)


def _shared_from(texture: TextureKey, sampler: SamplerKey, request: Request) -> int:
    """Number of sampling instructions from which a program calls a shared function for a view and a sampler."""
    is_short = request.way not in ("gather", "lod", "bias alone") and request.target in _FLAT and sample.is_short(texture, sampler)
    return _SHORT_FROM if is_short else SHARED_FROM


def _shared(c: Context, texture: TextureKey, sampler: SamplerKey, request: Request) -> tuple[SampleFunction, list[Val]]:
    """The shared function of the library and its arguments."""
    flat = [offset for offsets in request.offsets for offset in offsets]
    known = tuple(offset if isinstance(offset, int) else None for offset in flat)
    gradients = request.gradients
    count = len(gradients[0]) if gradients is not None else 0
    vectors = [*request.coords, *([request.lod] if request.lod is not None else [])]
    vectors += [value for row in gradients or () for value in row]
    if isinstance(request.component, Val):
        vectors.append(request.component.as_float())
    vectors += [offset.as_float() for offset in flat if isinstance(offset, Val)]
    component = PASSED if isinstance(request.component, Val) else request.component
    function = SampleFunction(
        lane_map=c.lane_map,
        texture=texture,
        sampler=sampler,
        target=request.target,
        mode=request.way,
        coords=len(request.coords),
        has_lod=request.lod is not None,
        gradients=count,
        offsets=known,
        component=component,
        channels=next(count for count in _RETURNED if request.read < 1 << count),
    )
    return function, vectors


def _written_out(c: Context, texture_key: TextureKey, sampler_key: SamplerKey, texture: Val, sampler: Val, request: Request) -> list[Val]:
    f, coords, target = c.f, request.coords, request.target
    match request.way:
        case "gather":
            return gather.emit_gather(
                f, texture_key, sampler_key, texture, sampler, coords, request.component, offsets=request.offsets, target=target
            )
        case "lod" | "bias alone":
            implicit = request.way == "lod"
            return query.emit_query_lod(f, c.lane_map, texture_key, sampler_key, texture, sampler, coords, implicit=implicit, target=target)
        case mode:
            return sample.emit_sample(
                f,
                c.lane_map,
                texture_key,
                sampler_key,
                texture,
                sampler,
                coords,
                lod_mode=mode,
                lod=request.lod,
                gradients=request.gradients,
                offsets=request.offsets[0] if request.offsets else (),
                mask=c.execution_mask(),
                target=target,
            )


def way_of(c: Context, way: Way) -> Way:
    """Mode of the level of detail. Only fragments have implicit derivatives; other stages use level 0, or the bias as level."""
    if c.program.processor is Processor.FRAG:
        return way
    match way:
        case "implicit":
            return "zero"
        case "bias":
            return "explicit"
        case "lod":
            return "bias alone"
        case _:
            return way


def _sample(c: Context, source: int, coords: Sequence[Val], way: Way, lod: Val | None = None, gradients: Gradients = None) -> list[Val]:
    return _requested(
        c,
        source,
        Request(
            target=target_of(c).name,
            coords=coords,
            way=way_of(c, way),
            lod=lod,
            gradients=gradients,
            offsets=offsets_of(c),
            read=c.instruction.dst[0].write_mask,
        ),
    )


def _requested(c: Context, source: int, request: Request) -> list[Val]:
    name = named(c, c.instruction.src[source])

    def kind(unit: int) -> Hashable | None:
        view, sampler = c.interface.texture_key(unit), c.interface.sampler_key(unit)
        if view is None or sampler is None or (name.is_handle and not view.fits(request.target)):
            return None
        return view, sampler

    def body(unit: Unit) -> list[Val]:
        return sample_units(c, unit, unit, request, name.index is not None)

    return select_unit(c, name, kind, body, unbound(c, request))


def _coordinates(c: Context, a: Vector, reference: Vector | None = None) -> list[Val]:
    """Coordinates that the target takes, including the shadow reference; `reference`: src1 of cube arrays.

    A channel between coordinates and reference, such as y of SHADOW1D, is unused and must not be fetched, so x replaces it.
    """
    info = target_of(c)
    mask = coordinate_channels(info.name)
    coords = [wide(c, a[channel if mask >> channel & 1 else 0]) for channel in range(mask.bit_length())]
    if info.shadow == "src1.x" and reference is not None:
        coords.append(wide(c, reference[0]))
    return coords


@emits("TEX")
def emit_tex(c: Context, a: Vector, unit: None) -> list[Val]:
    """Implicit level of detail."""
    return _sample(c, 1, _coordinates(c, a), "implicit")


@emits("TEX2")
def emit_tex2(c: Context, a: Vector, b: Vector, unit: None) -> list[Val]:
    """Implicit level of detail; the reference is b.x."""
    return _sample(c, 2, _coordinates(c, a, b), "implicit")


@emits("TEX_LZ")
def emit_tex_lz(c: Context, a: Vector, unit: None) -> list[Val]:
    """Level 0."""
    return _sample(c, 1, _coordinates(c, a), "zero")


@emits("TXB")
def emit_txb(c: Context, a: Vector, unit: None) -> list[Val]:
    """Implicit level of detail plus a.w."""
    return _sample(c, 1, _coordinates(c, a), "bias", wide(c, a[3]))


@emits("TXB2")
def emit_txb2(c: Context, a: Vector, b: Vector, unit: None) -> list[Val]:
    """Implicit level of detail plus b.x."""
    return _sample(c, 2, _coordinates(c, a), "bias", wide(c, b[0]))


@emits("TXL")
def emit_txl(c: Context, a: Vector, unit: None) -> list[Val]:
    """Level of detail a.w."""
    return _sample(c, 1, _coordinates(c, a), "explicit", wide(c, a[3]))


@emits("TXL2")
def emit_txl2(c: Context, a: Vector, b: Vector, unit: None) -> list[Val]:
    """Level of detail b.x."""
    return _sample(c, 2, _coordinates(c, a), "explicit", wide(c, b[0]))


@emits("TXP")
def emit_txp(c: Context, a: Vector, unit: None) -> list[Val]:
    """Coordinates and reference divided by a.w."""
    w = wide(c, a[3])
    return _sample(c, 1, [x / w for x in _coordinates(c, a)], "implicit")


@emits("TXD")
def emit_txd(c: Context, a: Vector, dx: Vector, dy: Vector, unit: None) -> list[Val]:
    """Derivatives given."""
    count = target_of(c).dimensions
    return _sample(c, 3, _coordinates(c, a), "gradient", gradients=[channels_of(c, dx, count), channels_of(c, dy, count)])


@emits("TG4")
def emit_tg4(c: Context, a: Vector, b: Vector, unit: None) -> list[Val]:
    """Channel b.x of four texels; of shadow cube arrays b.x is the reference."""
    info = target_of(c)
    component: Val | int = 0
    if info.shadow == "src1.x":
        coords = [*channels_of(c, a, info.coords), _as_float(c, c.instruction.src[1])]
    else:
        coords = _coordinates(c, a)
        operand = c.instruction.src[1]
        word = known_word(c, operand.register, operand.swizzle[0]) if not (operand.negate or operand.absolute) else None
        if not info.is_shadow:  # comparisons use red
            component = wide(c, b[0]).as_int() if word is None else word & 3
    return _requested(
        c, 2, Request(target=info.name, coords=coords, way="gather", offsets=offsets_of(c, several=True), component=component)
    )


def _as_float(c: Context, operand: SrcOperand) -> Val:
    """Channel x of a source that the opcode table types as an integer, as a float."""
    value = wide(c, c.operands.read(c.instruction, operand.register, operand.swizzle[0]).as_float())
    if operand.absolute:
        value = c.f.abs(value)
    return c.f.neg_bits(value) if operand.negate else value


@emits("LODQ")
def emit_lodq(c: Context, a: Vector, unit: None) -> list[Val]:
    """Level that is read (x), and level of detail before the sampler's limits (y)."""
    return _requested(c, 1, Request(target=target_of(c).name, coords=_coordinates(c, a), way=way_of(c, "lod")))
