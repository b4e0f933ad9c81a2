"""SAMPLE and its relatives: view and sampler are operands of their own, and the target is the view's."""

from __future__ import annotations

from backends.llvm.abi import TextureRecord
from backends.llvm.builder import I32, Val
from backends.llvm.emit import Context, Vector, emits
from backends.llvm.emit.textures import Gradients, channels_of, offsets_of, record_of, sample_units, wide
from backends.llvm.sampling import sample
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import TARGETS, File, TargetInfo
from tgsi.ir import SrcOperand


def _operand(c: Context, source: int, file: File) -> SrcOperand:
    operand = c.instruction.src[source]
    register = operand.register
    if register.indirect is not None or register.dimension is not None or register.file is not file:
        text = f"this way to name a {file.name} register is not supported by the code generator"
        raise UnsupportedError.at("B004", text, c.instruction.span)
    return operand


def _info(c: Context, view: SrcOperand) -> TargetInfo:
    for declaration in c.program.declared(File.SVIEW):
        if declaration.covers(view.register.index) and declaration.view is not None:
            info = TARGETS[declaration.view.target]
            if info.coords and "MSAA" not in info.name:
                return info
            raise UnsupportedError.at("B004", f"views of {info.name} are not supported by the code generator", c.instruction.span)
    raise UnsupportedError.at("B004", "a view that is not declared cannot be sampled", c.instruction.span)


def _swizzled(view: SrcOperand, values: list[Val]) -> list[Val]:
    """The swizzle of the view operand picks among the channels read."""
    return [values[channel] for channel in view.swizzle]


def _sample(
    c: Context,
    a: Vector,
    mode: sample.LodMode,
    lod: Vector | None = None,
    reference: Vector | None = None,
    changes: tuple[Vector, Vector] | None = None,
) -> list[Val]:
    view, sampler = _operand(c, 1, File.SVIEW), _operand(c, 2, File.SAMP)
    info = _info(c, view)
    target, coords = info.name, channels_of(c, a, info.coords)
    gradients: Gradients = None
    if changes is not None:
        gradients = [channels_of(c, change, info.dimensions) for change in changes]
    if reference is not None:
        target = "SHADOWCUBEARRAY" if info.name == "CUBEARRAY" else f"SHADOW{info.name}"
        if target not in TARGETS:
            raise UnsupportedError.at("B004", f"comparing views of {info.name} is not supported", c.instruction.span)
        place = {"z": 2, "w": 3, "src1.x": 4}[TARGETS[target].shadow]
        coords += [coords[0]] * (place - len(coords)) + [wide(c, reference[0])]
    level = wide(c, lod[0]) if lod is not None else None
    values = sample_units(c, view.register.index, sampler.register.index, target, coords, mode, level, gradients, offsets_of(c))
    return _swizzled(view, values)


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


@emits("SAMPLE_I")
def emit_sample_i(c: Context, a: Vector, view: None) -> list[Val]:
    """A texel at integer coordinates of level a.w."""
    operand = _operand(c, 1, File.SVIEW)
    info, unit = _info(c, operand), operand.register.index
    key = c.interface.texture_key(unit)
    if key is None:
        return sample.unbound(c.f, c.lane_map.lanes)
    lod = None if info.name in ("BUFFER", "RECT") else wide(c, a[3])
    texture = record_of(c, "textures", TextureRecord, unit)
    coords = channels_of(c, a, info.coords)
    values = sample.emit_fetch(c.f, key, texture, coords, lod=lod, offsets=offsets_of(c), mask=c.execution_mask(), target=info.name)
    return _swizzled(operand, values)


@emits("SVIEWINFO")
def emit_sviewinfo(c: Context, a: Vector, view: None) -> list[Val]:
    """Sizes of level a.x (0 where there is no such level) and number of levels."""
    f, lanes = c.f, c.lane_map.lanes
    operand = _operand(c, 1, File.SVIEW)
    info, unit = _info(c, operand), operand.register.index
    key = c.interface.texture_key(unit)
    if key is None:
        return [f.const(I32.wide(lanes), 0)] * 4
    level = wide(c, a[0])
    texture = record_of(c, "textures", TextureRecord, unit)
    sizes = [value.as_int() for value in sample.emit_query_size(f, key, texture, lanes, lod=level, target=info.name)]
    exists = level.ult(sizes[3])
    return _swizzled(operand, [*(f.select(exists, size, 0) for size in sizes[:3]), sizes[3]])
