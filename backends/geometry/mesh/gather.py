"""Kernel: run the workgroups of a chunk, and pack the vertices and primitives that they output, in order."""

from __future__ import annotations

import ctypes

from backends.geometry.mesh.records import GatherRecord
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.llvm.kernels.grids import GridRecord
from backends.llvm.kernels.mesh_grids import MeshRecord, MeshRun
from backends.llvm.kernels.mesh_stages import SIZES
from backends.pipe.limits import MAX_VIEWPORTS
from tgsi.language.record import record

_RUN_BYTES, _COUNT_BYTES = ctypes.sizeof(MeshRun), 4 * SIZES


@record(kw_only=True)
class GatherKey:
    """The part of a program's output that changes the kernel.

    corners: vertices of a primitive. culls: primitives may be culled. masks: primitives name several viewports. rows: the rasterizer reads
    the primitives' rows. numbers: the fragment program reads primitive numbers. has_numbers: the mesh program writes these numbers itself.
    """

    corners: int
    culls: bool
    masks: bool
    rows: bool
    numbers: bool
    has_numbers: bool


def build_gather(module: Module, key: GatherKey) -> None:
    """Add `gather(record)`, which takes a GatherRecord."""
    _build_group(module, key)
    f = Function(module, "gather", [PTR])
    record = Record(f, f.args[0], GatherRecord)
    launch, mesh = record.get("launch"), Record(f, record.get("mesh"), MeshRecord)
    runs, count, batch, size = (record.get(name) for name in ("runs", "run_count", "batch", "size"))
    outputs, counts = mesh.get("outputs"), mesh.get("counts")
    run, done, remaining = f.var(I32, record.get("run")), f.var(I32, record.get("done")), f.var(I32, record.get("left"))
    vertices, primitives = batch * record.get("max_vertices"), record.get("most")
    with f.loop() as loop:
        loop.break_if((run.get() >= count) | (remaining.get() < 1))
        loop.break_if(record.get("vertex_count") + vertices > record.get("vertex_room"))
        loop.break_if(record.get("count") + primitives > record.get("primitive_room"))
        now = Record(f, f.at(runs, run.get().zext(I64) * _RUN_BYTES), MeshRun)
        start = done.get()
        groups = f.min(f.min(now.get("blocks") - start, remaining.get()), batch)
        with f.if_(groups > 0):
            _place(f, mesh.pointer, now, start, groups)
            f.call_pointer(None, launch, mesh.pointer)
            with f.range(0, groups) as k:
                at, sizes = f.at(outputs, k.zext(I64) * size.zext(I64)), f.at(counts, k * _COUNT_BYTES)
                f.call(None, "gather_group", f.args[0], at, f.load(I32, sizes), f.load(I32, sizes, 4))
            record.set("groups", record.get("groups") + groups)
            remaining.set(remaining.get() - groups)
        ends = start + groups >= now.get("blocks")
        done.set(f.select(ends, 0, start + groups))
        run.set(f.select(ends, run.get() + 1, run.get()))
    for name, value in (("run", run), ("done", done), ("left", remaining)):
        record.set(name, value.get())
    f.ret()


def _place(f: Function, mesh: Val, run: Record, start: Val, count: Val) -> None:
    """Set up the MeshRecord `mesh` for `count` workgroups of a run, from number `start` on."""
    grid = Record(f, mesh, GridRecord)
    width, height = run.get("grid", 0), run.get("grid", 1)
    line = start.udiv(width)
    for axis, value in enumerate((start - line * width, line.urem(height), line.udiv(height))):
        grid.set("first", value, axis)
        grid.set("grid", run.get("grid", axis), axis)
    grid.set("blocks", count)
    Record(f, mesh, MeshRecord).set("payload", run.get("payload"))


def _build_group(module: Module, key: GatherKey) -> None:
    """Add `gather_group(record, memory, vertices, primitives)`: pack the output of one workgroup, which set these counts."""
    f = Function(module, "gather_group", [PTR, PTR, I32, I32], internal=True)
    record, memory = Record(f, f.args[0], GatherRecord), f.args[1]
    clamped = []
    for name, wanted in zip(("vertices", "primitives"), f.args[2:]):
        most = record.get(f"max_{name}")
        is_cut = wanted.ugt(most)
        with f.if_(is_cut):
            record.set(f"cut_{name}", record.get(f"cut_{name}") + 1)
        clamped.append(f.select(is_cut, most, wanted))
    vertices, count = clamped
    base, size = record.get("vertex_count"), record.get("vertex_bytes")
    f.call(PTR, "memcpy", f.at(record.get("vertices"), base.zext(I64) * size.zext(I64)), memory, vertices.zext(I64) * size.zext(I64))
    record.set("generated", record.get("generated") + count.zext(I64))
    row_size = record.get("primitive_bytes")
    row = f.var(PTR, f.at(memory, record.get("primitives")))
    packed, lost = f.var(I32, record.get("count")), f.var(I32, 0)
    places = {name: record.get(f"{name}_at") for name in ("indices", "cull", "mask", "viewport", "number")}
    arrays = {name: record.get(name) for name in ("corners", "numbers", "rows")}
    with f.range(0, count) as k:
        here = row.get()
        corners = f.load(I32.wide(4), here, places["indices"])
        every = (1 << key.corners) - 1
        exists = (f.mask_bits(corners.ult(vertices)) & every).eq(every)
        lost.set(lost.get() + (~exists).zext(I32))
        if key.culls:
            exists = exists & f.load(I32, here, places["cull"]).eq(0)
        place = packed.get()
        f.store(corners + base, arrays["corners"], place * (4 * key.corners))  # the next primitive overwrites the excess
        if key.numbers:
            f.store(f.load(I32, here, places["number"]) if key.has_numbers else k, arrays["numbers"], place << 2)
        if key.rows:
            _copy(f, here, f.at(arrays["rows"], place.zext(I64) * row_size.zext(I64)), row_size)
        if key.masks:
            mask = f.load(I32, here, places["mask"]) & ((1 << MAX_VIEWPORTS) - 1)
            _repeat(f, key, row_size, arrays, places, packed, f.select(exists, mask, 0))
        else:
            packed.set(place + exists.zext(I32))
        row.set(f.at(here, row_size))
    record.set("count", packed.get())
    record.set("lost", record.get("lost") + lost.get())
    record.set("vertex_count", base + vertices)
    f.ret()


def _repeat(f: Function, key: GatherKey, row_size: Val, arrays: dict[str, Val], places: dict[str, Val], total: Var, mask: Val) -> None:
    """Duplicate the primitive at place `total` for each bit of `mask`, lowest viewport first."""
    first, bits = total.get(), f.var(I32, mask)
    size = row_size.zext(I64)
    source = f.at(arrays["rows"], first.zext(I64) * size)
    with f.loop() as loop:
        loop.break_if(bits.get().eq(0))
        place = total.get()
        with f.if_(place > first):
            for name, count in (("corners", key.corners), ("numbers", int(key.numbers))):
                for c in range(count):
                    f.store(f.load(I32, arrays[name], (first * count + c) << 2), arrays[name], (place * count + c) << 2)
            _copy(f, source, f.at(arrays["rows"], place.zext(I64) * size), row_size)
        lowest = bits.get() & -bits.get()
        own = f.at(arrays["rows"], place.zext(I64) * size)
        number = f.popcount(lowest - 1)
        f.store(number, own, places["mask"])
        with f.if_(places["viewport"] >= 0):
            f.store(number, own, places["viewport"])
        bits.set(bits.get() & ~lowest)
        total.set(place + 1)


def _copy(f: Function, source: Val, target: Val, size: Val) -> None:
    """Copy a few whole vec4s."""
    with f.range(0, size, 16) as at:
        f.store(f.load(F32.wide(4), source, at), target, at)
