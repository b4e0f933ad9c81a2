"""SAMPLE and related opcodes: view and sampler are separate operands, and the target is the view's."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

from backends.abi.keys import TextureKey
from backends.abi.records import ShaderEnv
from backends.llvm.builder.function import F32, I32, PTR, Val
from backends.llvm.builder.record import Record
from backends.llvm.program.access import channels
from backends.llvm.sampling import query, sample
from backends.llvm.sampling.shared_sampling import Way
from backends.llvm.sampling.texture_targets import INFOS, compared
from backends.llvm.translate.emit import Context, Vector, emits
from backends.llvm.translate.emit.queries import fetch, level_and_sample, per_texture, texel_coordinates, view_target, zeros
from backends.llvm.translate.emit.textures import Request, channels_of, offsets_of, sample_units, unbound, way_of
from backends.llvm.translate.emit.units import Unit, meant, named, select_unit, wide
from backends.run.textures import STANDARD_POSITIONS
from passes.analysis.operands import RESOURCES
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import TARGETS, File, TargetInfo
from tgsi.language.ir import SrcOperand

MAX_PAIRS = 256
"""Most different pairs of view and sampler from which an instruction may choose at run time."""


def _info(c: Context, unit: int) -> TargetInfo | None:
    """Target with which a view is declared; None for a view without declaration."""
    name = view_target(c, unit)
    if name is None:
        return None
    info = TARGETS[name]
    if not info.coords:
        raise UnsupportedError.at("B004", f"views of {info.name} are not supported by the code generator", c.instruction.span)
    return info


def _known_info(c: Context, unit: int, chosen: bool) -> TargetInfo | None:
    """Target of a view, as of `_info`; a directly named view without declaration is 2D."""
    info = _info(c, unit)
    return TARGETS["2D"] if info is None and not chosen else info


def _swizzled(view: SrcOperand, values: Sequence[Val]) -> list[Val]:
    """Apply the view operand's swizzle to the channels read. The swizzle of a handle only selects the handle."""
    return [values[channel] for channel in view.swizzle] if view.register.file in RESOURCES else list(values)


def _read(c: Context, view: SrcOperand) -> int:
    """Channels of the view that the instruction reads, a bit each."""
    written = channels(c.instruction.dst[0].write_mask)
    return sum({1 << (view.swizzle[channel] if view.register.file in RESOURCES else channel) for channel in written})


def _sample(
    c: Context,
    a: Vector,
    way: Way,
    lod: Vector | None = None,
    reference: Vector | None = None,
    changes: tuple[Vector, Vector] | None = None,
    component: int = 0,
) -> list[Val]:
    operand = c.instruction.src[1]
    view, sampler = named(c, operand), named(c, c.instruction.src[2])
    chosen = view.index is not None or sampler.index is not None
    coords = channels_of(c, a, 4)
    slopes = [channels_of(c, change, 3) for change in changes or ()]
    level = wide(c, lod[0]) if lod is not None else None
    against = wide(c, reference[0]) if reference is not None else None
    offsets, way, read = offsets_of(c), way_of(c, way), _read(c, operand)
    missing = unbound(c, Request(target="2D", coords=coords, way=way, component=component))

    def kind_of_view(unit: int) -> Hashable | None:
        info, key = _info(c, unit), c.interface.texture_key(unit)
        return None if info is None or (key is None and not (info.is_shadow and component)) else (key, info.name)

    def of_view(unit: Unit) -> list[Val]:
        info = _known_info(c, unit.number, view.index is not None)
        if info is None:
            return missing
        request = _request(info, coords, way, level, against, slopes, offsets, component, read)
        nothing, lanes = unbound(c, request), meant(c, view, unit)
        if c.interface.texture_key(unit.number) is None:
            return nothing
        with_sampler = partial(sample_units, c, unit, request=request, chosen=chosen)
        return select_unit(c, sampler, c.interface.sampler_key, with_sampler, nothing, lanes)

    if len(view.units(kind_of_view)) * len(sampler.units(c.interface.sampler_key)) > MAX_PAIRS:
        text = f"a choice among more than {MAX_PAIRS} kinds of view and sampler is not supported by the code generator"
        raise UnsupportedError.at("B004", text, c.instruction.span)
    return _swizzled(operand, select_unit(c, view, kind_of_view, of_view, missing))


def _request(
    info: TargetInfo,
    coords: Sequence[Val],
    way: Way,
    level: Val | None,
    reference: Val | None,
    slopes: Sequence[Sequence[Val]],
    offsets: Sequence[Sequence[Val | int]],
    component: int,
    read: int,
) -> Request:
    """Request for one view. A separate reference is moved to the coordinate where the target expects it."""
    name = info.name
    if reference is not None:
        name = compared(name)
        place = {"z": 2, "w": 3, "src1.x": 4}[INFOS[name].shadow]
        coords = [*[*coords[: info.coords], *[coords[0]] * 4][:place], reference]
    else:
        coords = coords[: max(info.coords, {"z": 3, "w": 4}.get(info.shadow, 0))]
    gradients = [row[: info.dimensions] for row in slopes] or None
    return Request(
        target=name,
        coords=coords,
        way=way,
        lod=level,
        gradients=gradients,
        offsets=offsets,
        component=0 if info.is_shadow else component,  # comparisons use red
        read=read,
    )


@emits("SAMPLE")
def emit_sample(c: Context, a: Vector, view: None, sampler: None) -> list[Val]:
    """Implicit level of detail."""
    return _sample(c, a, "implicit")


@emits("SAMPLE_B")
def emit_sample_b(c: Context, a: Vector, view: None, sampler: None, bias: Vector) -> list[Val]:
    """Implicit level of detail plus a bias."""
    return _sample(c, a, "bias", bias)


@emits("SAMPLE_L")
def emit_sample_l(c: Context, a: Vector, view: None, sampler: None, lod: Vector) -> list[Val]:
    """Level of detail given."""
    return _sample(c, a, "explicit", lod)


@emits("SAMPLE_D")
def emit_sample_d(c: Context, a: Vector, view: None, sampler: None, dx: Vector, dy: Vector) -> list[Val]:
    """Derivatives given."""
    return _sample(c, a, "gradient", changes=(dx, dy))


@emits("SAMPLE_C")
def emit_sample_c(c: Context, a: Vector, view: None, sampler: None, reference: Vector) -> list[Val]:
    """Comparison, implicit level of detail."""
    return _sample(c, a, "implicit", reference=reference)


@emits("SAMPLE_C_LZ")
def emit_sample_c_lz(c: Context, a: Vector, view: None, sampler: None, reference: Vector) -> list[Val]:
    """Comparison, level 0."""
    return _sample(c, a, "zero", reference=reference)


@emits("GATHER4")
def emit_gather4(c: Context, a: Vector, view: None, sampler: None) -> list[Val]:
    """One channel of four texels: the channel that the sampler operand's swizzle names first."""
    operand = c.instruction.src[2]
    return _sample(c, a, "gather", component=operand.swizzle[0] if operand.register.file in RESOURCES else 0)


@emits("LOD")
def emit_lod(c: Context, a: Vector, view: None, sampler: None) -> list[Val]:
    """Level that is read (x), and level of detail before the sampler's limits (y)."""
    return _sample(c, a, "lod")


def _fetch(c: Context, a: Vector, number: Val | None) -> list[Val]:
    """Texel of the view in src1. `number`: the sample, if it is a separate operand."""
    operand = c.instruction.src[1]
    name = named(c, operand)
    offsets = next(iter(offsets_of(c)), [])
    places = texel_coordinates(c, a, TARGETS["3D"])
    w = wide(c, a[3]).as_int() if number is None else None
    missing = sample.unbound(c.f, c.lane_map.lanes)

    def body(unit: Unit, key: TextureKey, texture: Val) -> list[Val]:
        info = _known_info(c, unit.number, name.index is not None)
        if info is None:
            return missing
        lod, sampled = (None, number) if w is None else level_and_sample(info, w)
        coords = places[: min(info.coords, 3)]
        return fetch(c, key, texture, coords, lod, sampled, offsets, info.name)

    return _swizzled(operand, per_texture(c, name, body, missing))


@emits("SAMPLE_I")
def emit_sample_i(c: Context, a: Vector, view: None) -> list[Val]:
    """A texel at integer coordinates; a.w is its level, or its sample."""
    return _fetch(c, a, None)


@emits("SAMPLE_I_MS")
def emit_sample_i_ms(c: Context, a: Vector, view: None, number: Vector) -> list[Val]:
    """A texel at integer coordinates, of one sample."""
    return _fetch(c, a, wide(c, number[0]).as_int())


@emits("SVIEWINFO")
def emit_sviewinfo(c: Context, a: Vector, view: None) -> list[Val]:
    """Sizes of level a.x (0 if there is no such level) and number of levels. The view's swizzle does not apply (Gallium's rule)."""
    f, lanes = c.f, c.lane_map.lanes
    name, level = named(c, c.instruction.src[1]), wide(c, a[0]).as_int()

    def body(unit: Unit, key: TextureKey, texture: Val) -> list[Val]:
        info = _known_info(c, unit.number, name.index is not None)
        if info is None:
            return zeros(c)
        sizes = [value.as_int() for value in query.emit_query_size(f, key, texture, lanes, lod=level, target=info.name)]
        exists = level.ult(sizes[3])
        return [*(f.select(exists, size, 0) for size in sizes[:3]), sizes[3]]

    return per_texture(c, name, body, zeros(c))


# -- samples ------------------------------------------------------------------------------------------------------------
def _target_samples(c: Context) -> Val:
    """Number of samples of the render target."""
    return c.f.max(Record(c.f, c.interface.env, ShaderEnv).get("samples"), 1)


@emits("SAMPLE_INFO")
def emit_sample_info(c: Context, a: None, b: Vector) -> list[Val]:
    """Number of samples of a view (0 if the unit is unbound), or of the render target."""
    operand, lanes = c.instruction.src[0], c.lane_map.lanes
    if operand.register.file is not File.SVIEW:
        samples = [wide(c, _target_samples(c)).as_float(), *zeros(c)[1:]]
        return [samples[channel] for channel in operand.swizzle]

    def body(unit: Unit, key: TextureKey, texture: Val) -> list[Val]:
        return [query.emit_query_samples(c.f, texture, key, lanes).as_float(), *zeros(c)[1:]]

    return _swizzled(operand, per_texture(c, named(c, operand), body, zeros(c)))


@emits("SAMPLE_POS")
def emit_sample_pos(c: Context, a: None, b: Vector) -> list[Val]:
    """Position of sample b.x of a view or of the render target, from 0 to 1 in the pixel; 0 for samples that do not exist."""
    f, operand = c.f, c.instruction.src[0]
    number = wide(c, b[0]).as_int()
    if operand.register.file is not File.SVIEW:
        count = _target_samples(c)
        table = Record(f, c.interface.env, ShaderEnv).get("sample_positions")
        there = number.ult(count) & (count > 1)
        place = f.select(there, number << 3, 0)
        position = [f.gather(F32, f.at(table, 4 * axis), place, there) for axis in range(2)]
        position = [f.select(wide(c, count > 1), value, 0.5) for value in position] + zeros(c)[2:]
        return [position[channel] for channel in operand.swizzle]

    def body(unit: Unit, key: TextureKey, texture: Val) -> list[Val]:
        return [*_standard(c, query.emit_query_samples(f, texture, key, c.lane_map.lanes), number), *zeros(c)[2:]]

    return _swizzled(operand, per_texture(c, named(c, operand), body, zeros(c)))


def _standard(c: Context, count: Val, number: Val) -> list[Val]:
    """Standard position of sample `number` of `count` samples (i32 lanes)."""
    f = c.f
    starts, rows = {}, [(8, 8)]
    for samples, pattern in STANDARD_POSITIONS.items():
        starts[samples] = len(rows)
        rows += pattern
    start = f.const(I32.wide(number.lanes), 0)
    known = count.ne(count)
    for samples, first in starts.items():
        same = count.eq(samples)
        start, known = f.select(same, first, start), known | same
    there = number.ult(count)
    place = f.select(known & there, start + number, 0) << 2
    position = []
    for axis, letter in enumerate("xy"):
        name = f.module.constant(f"standard_positions_{letter}", F32, [row[axis] / 16.0 for row in rows])
        value = f.gather(F32, Val(f, PTR, name), place)
        position.append(f.select(there | count.eq(1), value, 0.0))
    return position
