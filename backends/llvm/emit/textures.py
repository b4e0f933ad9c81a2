"""Texture instructions: coordinates, level of detail and offsets as each opcode orders them; the sampling itself is elsewhere."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from backends.llvm.abi import SamplerRecord, ShaderEnv, TextureRecord
from backends.llvm.builder import I32, Val
from backends.llvm.emit import Context, Vector, emits
from backends.llvm.plan import array_range
from backends.llvm.samplelib import SampleFunction
from backends.llvm.sampling import sample
from backends.llvm.structs import Record
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import TARGETS, File, Processor, TargetInfo
from tgsi.ir import TexOffset

Gradients = Sequence[Sequence[Val]] | None

SHARED_FROM = 2
"""Programs with at least as many sampling instructions call shared functions; fewer have the code written out."""


def _target(c: Context) -> TargetInfo:
    name = c.instruction.texture or "2D"
    info = TARGETS[name]
    if not info.coords or "MSAA" in name:
        raise UnsupportedError.at("B004", f"texture target {name} is not supported by the code generator", c.instruction.span)
    return info


MAX_UNITS = 32
"""Most units among which an indirect sampler chooses."""


def _for_unit(c: Context, source: int, body: Callable[[int], list[Val]], missing: list[Val]) -> list[Val]:
    """What `body` gives for the unit that a source names; lanes whose unit does not exist get `missing`.

    Indirect units may differ between lanes: the body is written for every declared unit and skipped where no lane wants it. It must
    not read registers, because what is read under a condition is not known behind it.
    """
    f, register = c.f, c.instruction.src[source].register
    if register.dimension is not None or register.file is not File.SAMP:
        raise UnsupportedError.at("B004", "this way to name a sampler is not supported by the code generator", c.instruction.span)
    if register.indirect is None:
        return body(register.index)
    first, count = array_range(c.program, register)
    if count > MAX_UNITS:
        raise UnsupportedError.at("B004", f"an indirect sampler among more than {MAX_UNITS} is not supported", c.instruction.span)
    index = wide(c, c.operands.address(c.instruction, register.indirect, register.index))
    active = c.execution_mask()
    results = [f.var(value.type, value) for value in missing]
    for unit in range(first, first + count):
        chosen = index.eq(unit) & active
        with f.if_(f.any(chosen)):
            for result, value in zip(results, body(unit)):
                result.set(f.select(chosen, value.bits_as(result.type), result.get()))
    return [result.get() for result in results]


def record_of(c: Context, field: str, layout: type[ctypes.Structure], unit: int) -> Val:
    """Pointer to the record of a unit; `field` of ShaderEnv points to their array."""
    base = Record(c.f, c.interface.env, ShaderEnv).get(field)
    return c.f.at(base, unit * ctypes.sizeof(layout))


def wide(c: Context, value: Val) -> Val:
    """All lanes of a value that may be uniform."""
    return c.f.splat(value, c.lane_map.lanes)


def channels_of(c: Context, vector: Vector, count: int) -> list[Val]:
    """The first channels of a source."""
    return [wide(c, vector[channel]) for channel in range(count)]


def offsets_of(c: Context) -> list[Val | int]:
    """Texel offsets, numbers where they are known now."""
    if not c.instruction.offsets:
        return []
    if len(c.instruction.offsets) > 1:
        raise UnsupportedError.at("B004", "several texel offsets are not supported by the code generator", c.instruction.span)
    return [_offset(c, c.instruction.offsets[0], axis) for axis in range(3)]


def _offset(c: Context, offset: TexOffset, axis: int) -> Val | int:
    register, channel = offset.register, offset.swizzle[axis]
    if register.file is File.IMM and register.index < len(c.program.immediates):
        word = c.program.immediates[register.index].words[channel]
        return word - (1 << 32) if word >> 31 else word
    return wide(c, c.operands.read(c.instruction, register, channel).as_int())


def _sample(
    c: Context, source: int, coords: Sequence[Val], mode: sample.LodMode, lod: Val | None = None, gradients: Gradients = None
) -> list[Val]:
    target, offsets = _target(c).name, offsets_of(c)

    def body(unit: int) -> list[Val]:
        return sample_units(c, unit, unit, target, coords, mode, lod, gradients, offsets)

    return _for_unit(c, source, body, sample.unbound(c.f, c.lane_map.lanes))


def sample_units(
    c: Context,
    view: int,
    sampler: int,
    target: str,
    coords: Sequence[Val],
    mode: sample.LodMode,
    lod: Val | None = None,
    gradients: Gradients = None,
    offsets: Sequence[Val | int] = (),
) -> list[Val]:
    """Sample view number `view` with sampler number `sampler`; only fragments have implicit derivatives."""
    texture_key, sampler_key = c.interface.texture_key(view), c.interface.sampler_key(sampler)
    if texture_key is None or sampler_key is None:
        return sample.unbound(c.f, c.lane_map.lanes)
    if mode in ("implicit", "bias") and c.program.processor is not Processor.FRAG:
        mode = "explicit" if mode == "bias" else "zero"
    texture, sampling = record_of(c, "textures", TextureRecord, view), record_of(c, "samplers", SamplerRecord, sampler)
    known = tuple(offset for offset in offsets if isinstance(offset, int))
    several = c.plan.samples >= SHARED_FROM or any(operand.register.indirect is not None for operand in c.instruction.src)
    if several and len(known) == len(offsets):
        count = len(gradients[0]) if gradients is not None else 0
        function = SampleFunction(c.lane_map, texture_key, sampler_key, target, mode, len(coords), lod is not None, count, known)
        changes = [value for row in gradients or () for value in row]
        return function.call(c.f, texture, sampling, [*coords, *([lod] if lod is not None else []), *changes])
    return sample.emit_sample(
        c.f,
        c.lane_map,
        texture_key,
        sampler_key,
        texture,
        sampling,
        coords,
        lod_mode=mode,
        lod=lod,
        gradients=gradients,
        offsets=offsets,
        mask=c.execution_mask(),
        target=target,
    )


def _coordinates(c: Context, a: Vector, reference: Vector | None = None) -> list[Val]:
    """The coordinates that the target takes, the shadow reference among them; `reference` is src1 of cube arrays."""
    info = _target(c)
    count = max(info.coords, {"z": 3, "w": 4}.get(info.shadow, 0))
    coords = channels_of(c, a, count)
    if info.shadow == "src1.x" and reference is not None:
        coords.append(wide(c, reference[0]))
    return coords


@emits("TEX")
def emit_tex(c: Context, a: Vector, unit: None) -> list[Val]:
    """Implicit level of detail."""
    return _sample(c, 1, _coordinates(c, a), "implicit")


@emits("TEX2")
def emit_tex2(c: Context, a: Vector, b: Vector, unit: None) -> list[Val]:
    """Implicit level of detail, the reference in b.x."""
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
    count = _target(c).dimensions
    return _sample(c, 3, _coordinates(c, a), "gradient", gradients=[channels_of(c, dx, count), channels_of(c, dy, count)])


def _fetch(c: Context, a: Vector, lod: Val | None) -> list[Val]:
    info, offsets = _target(c), offsets_of(c)
    coords, mask = channels_of(c, a, info.coords), c.execution_mask()
    unbound = sample.unbound(c.f, c.lane_map.lanes)

    def body(unit: int) -> list[Val]:
        key = c.interface.texture_key(unit)
        if key is None:
            return unbound
        texture = record_of(c, "textures", TextureRecord, unit)
        return sample.emit_fetch(c.f, key, texture, coords, lod=lod, offsets=offsets, mask=mask, target=info.name)

    return _for_unit(c, 1, body, unbound)


@emits("TXF")
def emit_txf(c: Context, a: Vector, unit: None) -> list[Val]:
    """A texel at integer coordinates of level a.w."""
    without = _target(c).name in ("BUFFER", "RECT", "SHADOWRECT")
    return _fetch(c, a, None if without else wide(c, a[3]))


@emits("TXF_LZ")
def emit_txf_lz(c: Context, a: Vector, unit: None) -> list[Val]:
    """A texel at integer coordinates of level 0."""
    return _fetch(c, a, None)


@emits("TXQ")
def emit_txq(c: Context, a: Vector, unit: None) -> list[Val]:
    """Sizes and number of levels."""
    info, lanes = _target(c), c.lane_map.lanes
    without = info.name in ("BUFFER", "RECT", "SHADOWRECT")
    lod = None if without else wide(c, a[0])
    nothing = [c.f.const(I32.wide(lanes), 0)] * 4

    def body(unit: int) -> list[Val]:
        key = c.interface.texture_key(unit)
        if key is None:
            return nothing
        return sample.emit_query_size(c.f, key, record_of(c, "textures", TextureRecord, unit), lanes, lod=lod, target=info.name)

    return _for_unit(c, 1, body, nothing)


@emits("TXQS")
def emit_txqs(c: Context, unit: None) -> list[Val]:
    """Number of samples, at least 1."""
    one = wide(c, c.f.const(I32, 1))

    def body(unit: int) -> list[Val]:
        if c.interface.texture_key(unit) is None:
            return [one] * 4
        texture = record_of(c, "textures", TextureRecord, unit)
        return [wide(c, c.f.max(Record(c.f, texture, TextureRecord).get("samples"), 1))] * 4

    return _for_unit(c, 0, body, [one] * 4)
