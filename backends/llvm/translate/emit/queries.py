"""Instructions on texture units without filters: texel fetches, sizes, samples, handles."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from backends.abi.keys import TextureKey
from backends.abi.records import TextureRecord
from backends.llvm.builder.function import F32, I32, Function, Val
from backends.llvm.sampling import query, sample
from backends.llvm.translate.emit import Context, Vector, emits
from backends.llvm.translate.emit.outlined import call_part
from backends.llvm.translate.emit.textures import channels_of, offsets_of, target_of
from backends.llvm.translate.emit.units import Named, Unit, named, record_of, select_unit, wide
from tgsi.language.facts.enums import File, TargetInfo

SHARED_FROM = 6
"""Programs with at least this number of texel fetches share the code of equal ones; others have it in place."""


def zeros(c: Context) -> list[Val]:
    """Zeros for all channels."""
    return [c.f.const(F32.wide(c.lane_map.lanes), 0.0)] * 4


def per_texture(
    c: Context, name: Named, body: Callable[[Unit, TextureKey, Val], Sequence[Val]], missing: Sequence[Val], target: str | None = None
) -> list[Val]:
    """Result of `body` (of a unit, its key and its record) for the texture that each lane names; `missing` for unbound units.

    target: the target that a handle must fit; None means the one of the view's declaration.
    """

    def kind(unit: int) -> Hashable | None:
        key = c.interface.texture_key(unit)
        if key is None or (target is not None and name.is_handle and not key.fits(target)):
            return None
        return key, view_target(c, unit) if target is None else target

    def of_unit(unit: Unit) -> Sequence[Val]:
        key = c.interface.texture_key(unit.number)
        return missing if key is None else body(unit, key, record_of(c, "textures", TextureRecord, unit))

    return select_unit(c, name, kind, of_unit, missing)


def view_target(c: Context, unit: int) -> str | None:
    """Target with which a view is declared; None for a view without declaration."""
    for declaration in c.program.declared(File.SVIEW):
        if declaration.covers(unit) and declaration.view is not None:
            return declaration.view.target
    return None


def texel_coordinates(c: Context, a: Vector, info: TargetInfo) -> list[Val]:
    """Integer coordinates of a texel; cube arrays have x, y and 6 * cube + face."""
    return [x.as_int() for x in channels_of(c, a, min(info.coords, 3))]


def level_and_sample(info: TargetInfo, w: Val) -> tuple[Val | None, Val | None]:
    """Level and sample from coordinate w (i32), which is the sample of a multisampled target, otherwise the level."""
    if "MSAA" in info.name:
        return None, w
    return (None if info.name in query.WITHOUT_LEVELS else w), None


def fetch(
    c: Context,
    key: TextureKey,
    texture: Val,
    coords: Sequence[Val],
    lod: Val | None,
    number: Val | None,
    offsets: Sequence[Val | int],
    target: str,
) -> list[Val]:
    """Texel, as `query.emit_fetch` returns it. The code is written in place if the program has few fetches; otherwise it is called."""
    if c.plan.fetches < SHARED_FROM:
        return query.emit_fetch(c.f, key, texture, coords, lod=lod, sample=number, offsets=offsets, target=target)
    passed = [*coords, *(value for value in (lod, number, *offsets) if isinstance(value, Val))]
    lanes = c.lane_map.lanes

    def write(f: Function, operands: list[Val]) -> list[Val]:
        pointer, rest = operands[0], iter(operands[1:])
        places = [next(rest) for _ in coords]
        level, sampled = (None if value is None else next(rest) for value in (lod, number))
        moves = [next(rest) if isinstance(offset, Val) else offset for offset in offsets]
        return query.emit_fetch(f, key, pointer, places, lod=level, sample=sampled, offsets=moves, target=target)

    known = [offset if isinstance(offset, int) else None for offset in offsets]
    name = f"fetch {replace(key, handles=None)} {target} {lod is not None} {number is not None} {known} {lanes}"
    return call_part(c, name, [F32.wide(lanes)] * 4, [texture, *passed], write)


def _fetch(c: Context, a: Vector, lod: Val | None, number: Val | None) -> list[Val]:
    info = target_of(c)
    coords, offsets = texel_coordinates(c, a, info), next(iter(offsets_of(c)), [])

    def body(unit: Unit, key: TextureKey, texture: Val) -> list[Val]:
        return fetch(c, key, texture, coords, lod, number, offsets, info.name)

    return per_texture(c, named(c, c.instruction.src[1]), body, sample.unbound(c.f, c.lane_map.lanes), info.name)


@emits("TXF")
def emit_txf(c: Context, a: Vector, unit: None) -> list[Val]:
    """Texel at integer coordinates, of level or sample a.w."""
    return _fetch(c, a, *level_and_sample(target_of(c), wide(c, a[3]).as_int()))


@emits("TXF_LZ")
def emit_txf_lz(c: Context, a: Vector, unit: None) -> list[Val]:
    """A texel at integer coordinates of level 0."""
    return _fetch(c, a, None, None)


@emits("TXQ")
def emit_txq(c: Context, a: Vector, unit: None) -> list[Val]:
    """Sizes and number of levels."""
    info, lanes = target_of(c), c.lane_map.lanes
    lod = None if info.name in query.WITHOUT_LEVELS else wide(c, a[0]).as_int()

    def body(unit: Unit, key: TextureKey, texture: Val) -> list[Val]:
        return query.emit_query_size(c.f, key, texture, lanes, lod=lod, target=info.name)

    return per_texture(c, named(c, c.instruction.src[1]), body, zeros(c), info.name)


@emits("TXQS")
def emit_txqs(c: Context, unit: None) -> list[Val]:
    """Number of samples; 0 for an unbound unit."""

    def body(unit: Unit, key: TextureKey, texture: Val) -> list[Val]:
        return [query.emit_query_samples(c.f, texture, key, c.lane_map.lanes).as_float()] * 4

    return per_texture(c, named(c, c.instruction.src[0]), body, zeros(c), target_of(c).name)


@emits("SAMP2HND", "IMG2HND")
def emit_handle(c: Context, unit: None) -> list[Val]:
    """The handle of a unit: its number plus 1."""
    name = named(c, c.instruction.src[0])
    lanes = c.lane_map.lanes
    number = name.index if name.index is not None else c.f.const(I32.wide(lanes), name.first)
    zero = c.f.const(I32.wide(lanes), 0)
    return [number + 1, zero, zero, zero]
