"""Generated code: the number of primitives of a draw, and vertex numbers written out for loops and for strips that may restart.

`backends.raster.draw.topology` defines the primitive types; its `expand` does the same in numpy, and tests compare both.
"""

from __future__ import annotations

from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.enums import Prim
from backends.raster.draw.topology import TOPOLOGIES
from backends.raster.front.vertex_cache import load_index
from backends.software.commands.records import TemplateRecord

MODES = max(TOPOLOGIES) + 1
"""Number of primitive types assembled here, all except PATCHES."""


def counting(mode: Prim) -> tuple[int, int, int, int]:
    """Numbers (least, taken, size, made): n vertices make (n - taken) // size * made primitives, or none if n < `least`.

    Raises: ValueError: the primitives of the type follow no such formula.
    """
    count = TOPOLOGIES[mode][0].count
    least = next(n for n in range(1, 64) if count(n) > 0)
    size = next(k for k in range(1, 64) if count(least + k) > count(least))
    primitives = int(count(least + size) - count(least))
    taken = least - int(count(least)) // primitives * size
    if any(max(count(n), 0) != ((n - taken) // size * primitives if n >= least else 0) for n in range(100)):
        raise ValueError(f"{mode.name}: its number of primitives follows no formula of four numbers")
    return least, taken, size, primitives


def is_loop(mode: Prim) -> bool:
    """True if the last primitive ends where the first begins, so that vertex numbers are written out."""
    return TOPOLOGIES[mode][0].closes


def primitives_of(f: Function, module: Module, mode: Val, vertices: Val) -> Val:
    """Number of primitives (i32) that `vertices` (i32) of one strip make."""
    rows = [counting(Prim(k)) if Prim(k) in TOPOLOGIES else (1 << 30, 0, 1, 0) for k in range(MODES)]
    names = [module.constant(f"counting_{k}", I32, column) for k, column in enumerate(zip(*rows))]
    least, taken, size, primitives = (f.load(I32, f.value(PTR, name), mode << 2) for name in names)
    return f.select(vertices >= least, f.max(vertices - taken, 0).udiv(size) * primitives, 0)


def _is_end(f: Function, call: list[Val], place: Val) -> Val:
    """True if the index at `place` begins a new strip."""
    indices, index_size, has_restart, restart = call
    is_end = f.var(I32, 0)
    with f.if_(has_restart.ne(0)):
        is_end.set(load_index(f, indices, index_size, place).eq(restart).zext(I32))
    return is_end.get().ne(0)


_STRIP = [PTR, I32, I32, I32, I32, I32, I32]
"""Parameters of both functions: indices, index_size, has_restart, restart, first, count, mode."""


def build_count_written(module: Module) -> None:
    """count_written(indices, index_size, has_restart, restart, first, count, mode) -> primitives of strips that may restart."""
    f = Function(module, "count_written", _STRIP, I32, shared=True)
    *call, first, count, mode = f.args
    total, begin = f.var(I32, 0), f.var(I32, 0)
    with f.range(0, count) as i:
        with f.if_(_is_end(f, call, first + i)):
            total.add(primitives_of(f, module, mode, i - begin.get()))
            begin.set(i + 1)
    f.ret(total.get() + primitives_of(f, module, mode, count - begin.get()))


def build_write_out(module: Module) -> None:
    """write_out(template, target, indices, index_size, has_restart, restart, first, count, mode): corners of all primitives, as u32."""
    f = Function(module, "write_out", [PTR, PTR, *_STRIP], shared=True)
    template, target, *call, first, count, mode = f.args
    t = Record(f, template, TemplateRecord)
    written, begin = f.var(I64, 0), f.var(I32, 0)
    corners, shift, closes = t.get("corners"), t.get("shift"), t.get("closes")
    indices, index_size = call[0], call[1]
    with f.range(0, count + 1) as i:
        is_over = f.var(I32, i.eq(count).zext(I32))
        with f.if_(is_over.get().eq(0)):
            is_over.set(_is_end(f, call, first + i).zext(I32))
        with f.if_(is_over.get().ne(0)):
            start, length = begin.get(), i - begin.get()
            with f.range(0, primitives_of(f, module, mode, length)) as q:
                odd, whole = q & 1, q.lshr(shift)
                with f.range(0, corners) as k:
                    offset = f.load(I32, t.address("offset"), (odd * 3 + k) << 2)
                    place = f.var(I32, whole * f.load(I32, t.address("multiply"), k << 2) + offset)
                    with f.if_(closes.ne(0) & (place.get() >= length)):
                        place.set(place.get() - length)
                    vertex = load_index(f, indices, index_size, first + start + place.get())
                    f.store(vertex, f.at(target, written.get()))
                    written.set(written.get() + 4)
            begin.set(i + 1)
    f.ret()
