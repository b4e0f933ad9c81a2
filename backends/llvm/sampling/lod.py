"""Level of detail and mip levels, from derivatives of coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.llvm.builder.function import I32, I64, Function, Type, Val, Var
from backends.llvm.library.math import lg2_of_normal
from backends.pipe.enums import TexMipFilter
from tgsi.language.record import record

_LIMIT = 64.0


def scale_factor(f: Function, dx: Sequence[Val], dy: Sequence[Val]) -> Val:
    """Scale factor in texels a pixel: the largest derivative of any coordinate, as OpenGL 4.6, section 8.14.1, allows.

    dx, dy: derivatives in texels, f32. NaN counts as 0.
    """
    largest = f.max(f.abs(dx[0]), 0.0)
    for d in [*dx[1:], *dy]:
        largest = f.max(f.abs(d), largest)
    return largest


def longest_derivative(f: Function, dx: Sequence[Val], dy: Sequence[Val]) -> Val:
    """Scale factor in texels a pixel: the longer of two vectors of derivatives, the ideal of OpenGL 4.6, section 8.14.1.

    A vector with a NaN counts as 0.
    """
    squares = [sum((d * d for d in row[1:]), row[0] * row[0]) for row in (dx, dy)]
    return f.sqrt(f.max(squares[1], f.max(squares[0], 0.0)))


def level_of_detail(f: Function, rho: Val) -> Val:
    """log2 of the scale factor `rho`, which is not negative, limited to -64 and 64; NaN gives -64."""
    return lg2_of_normal(f.min(f.max(rho, 2.0**-_LIMIT), 2.0**_LIMIT))


def _finite(f: Function, lod: Val) -> Val:
    """`lod` with NaN and -inf replaced by -64, +inf by 64."""
    return f.min(f.max(lod, -_LIMIT), _LIMIT)


def clamp_lod(f: Function, lod: Val, low: Val, high: Val) -> Val:
    """`lod` clamped to the sampler's limits, `low` and `high`."""
    return _finite(f, f.min(f.max(lod, low), high))


@record
class Levels:
    """Mip levels of each lane (i32, inside of the view). weight: of the next level (f32); None unless the mip filter is linear.
    estimate: see `by_level`."""

    first: Val
    weight: Val | None
    estimate: Val | None


def nearest_level(f: Function, lod: Val, last: Val, estimate: Val | None) -> Levels:
    """Level floor(lod + 0.5), clamped to the view's levels; 0 where the texture is magnified."""
    level = f.floor(f.max(lod, 0.0) + 0.5).cast("fptosi", I32)
    return Levels(f.min(level, last), None, estimate)


def linear_levels(f: Function, lod: Val, last: Val, estimate: Val | None) -> Levels:
    """The first of two levels around `lod` and the weight of the second; beyond both ends a single level, with weight 0."""
    lod = f.max(lod, 0.0)
    whole = f.floor(lod)
    first = f.min(whole.cast("fptosi", I32), last)
    return Levels(first, f.select(first >= last, 0.0, lod - whole), estimate)


def estimated_level(f: Function, rho: Val, last: Val, mip: TexMipFilter) -> Val:
    """Estimate of the first lane's level (scalar i32), from the exponent of its scale factor `rho`. last: scalar i32."""
    first = rho[0] if mip is TexMipFilter.LINEAR else rho[0] * 2.0**0.5
    return f.min(f.max((first.as_int() >> 23) - 127, 0), last)


def by_level(f: Function, levels: Val, values: Callable[[Val], list[Val]], estimate: Val | None = None) -> list[Val]:
    """Values of each lane's level, by a loop over the distinct levels.

    values: function from a level (scalar i32) to vectors, of which the lanes on that level are used. estimate: guess of the first lane's
    level. If it is right, a processor that predicts the branch loads texels before the logarithm is computed.

    Usually all lanes have one level, and the loop ends in its first round. Results of several rounds are merged in memory, so that they
    take no registers in that round.
    """
    lanes, first = levels.lanes, levels[0]
    now, rest = f.var(I32, first if estimate is None else estimate), f.var(I64, (1 << lanes) - 1 if lanes < I64.bits else -1)
    if estimate is not None:
        with f.if_(estimate.ne(first), unlikely=True):
            f.use(first)  # otherwise LLVM replaces the branch by a select, which waits for the level
            now.set(first)
    results: list[Var] = []
    with f.loop() as loop:
        level = now.get()
        chosen = values(level)
        results += [f.var(value.type, value) for value in chosen]
        here = levels.eq(level)
        loop.break_if(f.all(here))
        for variable, value, slot in zip(results, chosen, [f.alloca(str(value.type)) for value in chosen]):
            merged = f.select(here, value, f.emit(value.type, f"load volatile {value.type}, {slot}"))
            f.line(f"store volatile {merged}, {slot}")
            variable.set(merged)
        waiting = rest.get() & ~here.bits_as(Type("i", lanes)).zext(I64)
        rest.set(waiting)
        loop.break_if(waiting.eq(0))
        table = f.lane_memory("levels", levels.type)
        f.store(levels, table)
        now.set(f.load(I32, table, f.first_bit(waiting) << 2))
    return [variable.get() for variable in results]
