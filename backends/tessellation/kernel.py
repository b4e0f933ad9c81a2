"""The kernel: patch after patch, as many as there is room for."""

from __future__ import annotations

from backends.llvm.builder import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.engine import Library, compile_cached
from backends.llvm.environment import default_environment
from backends.llvm.object_cache import ObjectCache
from backends.llvm.structs import Record
from backends.tessellation.connect import Indices, build_join
from backends.tessellation.domains import DOMAINS, LANES, Points
from backends.tessellation.key import Tessellator, TessRecord
from backends.tessellation.spacing import numbers


def build_tessellator(key: Tessellator, module: Module) -> None:
    """tessellate(record): see `TessRecord`. The caller has set the floating-point environment."""
    build_join(module, clockwise=key.clockwise)
    f = Function(module, "tessellate", [PTR])
    r = Record(f, f.args[0], TessRecord)
    patch, patches = f.var(I32, r.get("first")), r.get("patches")
    points, made = f.var(I32, r.get("points")), f.var(I32, r.get("primitives") * key.vertices)
    u, v, starts, pointer, owners = (r.get(name) for name in ("u", "v", "starts", "indices", "owners"))
    max_points, max_indices = r.get("max_points"), r.get("max_primitives") * key.vertices
    with f.loop() as loop:
        number, first, at = patch.get(), points.get(), made.get()
        f.store(first, starts, number << 2)
        loop.break_if(number >= patches)
        base = f.at(r.get("levels"), number.zext(I64) * r.get("stride"))
        outer, inner = f.at(base, r.get("outer_at")), f.at(base, r.get("inner_at"))
        levels = [f.load(F32, outer, 4 * k) for k in range(4)], [f.load(F32, inner, 4 * k) for k in range(2)]
        domain = DOMAINS[key.domain](f, key.spacing, *levels)
        num_points, num_indices = domain.counts()
        count = f.select(domain.drawn, num_points, 0)
        indices = f.select(domain.drawn, num_points if key.points else num_indices, 0)
        loop.break_if(((first + count) > max_points) | ((at + indices) > max_indices))
        with f.if_(domain.drawn):
            domain.write_points(Points(f, u, v, first))
            if key.points:
                _write(f, pointer, at, indices, numbers(f, LANES) + first)
            else:
                domain.write_indices(Indices(f, pointer, made, first, clockwise=key.clockwise))
            _write(f, owners, at.udiv(key.vertices), indices.udiv(key.vertices), f.splat(number, LANES), 0)
        points.set(first + count)
        made.set(at + indices)
        patch.set(number + 1)
    r.set("first", patch.get())
    r.set("points", points.get())
    r.set("primitives", made.get().udiv(key.vertices))
    f.ret()


def _write(f: Function, pointer: Val, first: Val, count: Val, values: Val, step: int = 1) -> None:
    """`values` in `count` elements from number `first` on, each time `step` a lane higher."""
    with f.range(0, count, LANES) as k:
        f.store(values + k * step, pointer, (first + k) << 2)


def compile_tessellator(key: Tessellator, cpu: str = "host", cache: ObjectCache | None = None) -> Library:
    """`run(record)`: `tessellate` as a native entry."""

    def build() -> Module:
        module = Module("tessellator", cpu)
        build_tessellator(key, module)
        f = Function(module, "run", [PTR])
        with default_environment(f):
            f.call(None, "tessellate", *f.args)
        f.ret()
        return module

    return compile_cached(("tessellator", key), build, exports=("run",), cpu=cpu, cache=cache)
