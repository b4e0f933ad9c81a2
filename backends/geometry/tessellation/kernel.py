"""Kernel: the fixed-function tessellator, one patch after another while memory suffices."""

from __future__ import annotations

from backends.geometry.tessellation.connect import Indices, build_join
from backends.geometry.tessellation.domains import DOMAINS, LANES, Points
from backends.geometry.tessellation.key import Tessellator, TessRecord
from backends.geometry.tessellation.levels import load_levels
from backends.geometry.tessellation.spacing import numbers
from backends.llvm.builder.environment import default_environment
from backends.llvm.builder.function import I32, PTR, Function, Module, Val
from backends.llvm.builder.record import Record


def build_tessellator(key: Tessellator, module: Module) -> None:
    """Add `tessellate(record)`, which takes a `TessRecord`."""
    native_entry(module, "tessellate", "patches")
    build_join(module, clockwise=key.clockwise)
    f = Function(module, "patches", [PTR], internal=True)
    r = Record(f, f.args[0], TessRecord)
    patch, patches = f.var(I32, r.get("first")), r.get("patches")
    points, indices_written = f.var(I32, r.get("points")), f.var(I32, r.get("primitives") * key.vertices)
    u, v, starts, pointer, owners = (r.get(name) for name in ("u", "v", "starts", "indices", "owners"))
    owned = r.get("numbers")
    max_points, max_indices = r.get("max_points"), r.get("max_primitives") * key.vertices
    with f.loop() as loop:
        number, first, at = patch.get(), points.get(), indices_written.get()
        f.store(first, starts, number << 2)
        loop.break_if(number >= patches)
        domain = DOMAINS[key.domain](f, key.spacing, load_levels(r, "outer", number), load_levels(r, "inner", number))
        num_points, num_indices = domain.counts()
        count = f.select(domain.drawn, num_points, 0)
        indices = f.select(domain.drawn, num_points if key.points else num_indices, 0)
        loop.break_if(((first + count) > max_points) | ((at + indices) > max_indices))
        with f.if_(domain.drawn):
            domain.write_points(Points(f, u, v, first))
            if key.points:
                _write(f, pointer, at, indices, numbers(f, LANES) + first)
            else:
                domain.write_indices(Indices(f, pointer, indices_written, first, clockwise=key.clockwise))
            _write(f, owners, at.udiv(key.vertices), indices.udiv(key.vertices), f.splat(f.load(I32, owned, number << 2), LANES), 0)
        points.set(first + count)
        indices_written.set(at + indices)
        patch.set(number + 1)
    r.set("first", patch.get())
    r.set("points", points.get())
    r.set("primitives", indices_written.get().udiv(key.vertices))
    f.ret()


def _write(f: Function, pointer: Val, first: Val, count: Val, values: Val, step: int = 1) -> None:
    """Store a sequence of `count` elements from number `first` on: `values`, then the same plus `step` times the number of elements
    done.
    """
    with f.range(0, count, LANES) as k:
        f.store(values + k * step, pointer, (first + k) << 2)


def native_entry(module: Module, name: str, inner: str) -> None:
    """Add `name(record)`, for calls from Python: it calls `inner(record)` in the floating-point environment of kernels."""
    f = Function(module, name, [PTR])
    with default_environment(f):
        f.call(None, inner, *f.args)
    f.ret()
