"""Generated code: the step of patches, the counterpart of `TessellationStage.run` without Python."""

from __future__ import annotations

from collections.abc import Sequence

from backends.geometry.records import RunRecord
from backends.geometry.step_parts import add_count, hand_of, hand_on, put_stream, step_of, stream_of, vertex_memory
from backends.geometry.tessellation.levels import INNER_LEVELS, LEVEL_FIELDS, OUTER_LEVELS
from backends.geometry.tessellation.records import PatchesRecord
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.builder.values import Var

_LEVELS = tuple(name for name, _ in LEVEL_FIELDS)
"""The location of levels: addresses of outer and inner ones, then their strides."""


def build_patches_step(module: Module, name: str) -> None:
    """NAME(run, number) -> 0, or a code that ends the draw. A piece has the patches that are tessellated at a time."""
    f = Function(module, name, [PTR, I32], I32, shared=True, internal=True)
    run, number = f.args
    r, hand = Record(f, run, RunRecord), hand_of(f, run, number)
    p, patches = Record(f, step_of(f, run, number).get("record"), PatchesRecord), stream_of(f, hand)
    count, numbers, default_levels = patches.get("count"), patches.get("numbers"), r.get("levels").as_address()
    nothing = f.const(I64, 0)
    levels = [f.var(I64, start) for start in (default_levels, default_levels + 4 * OUTER_LEVELS, nothing, nothing)]
    vertices, corners = (f.var(I64, address.as_address()) for address in (hand.get("vertices"), patches.get("corners")))
    with f.if_(p.get("control_shader").as_address().ne(0)):
        _copy_rows(f, p, "control_rows", vertices.get(), corners.get(), numbers, count, levels)
        _run_control(f, r, p, numbers, count)
        outputs = p.get("control.outputs").as_address()
        for k, field in enumerate(("outer", "inner")):
            place = p.get(field)
            zeros = default_levels + 4 * (OUTER_LEVELS + INNER_LEVELS)
            levels[k].set(f.select(place >= 0, outputs + place.zext(I64), zeros))
            levels[k + 2].set(f.select(place >= 0, p.get("written_bytes"), nothing))
        vertices.set(outputs)
        corners.set(nothing)
    _copy_rows(f, p, "evaluation_rows", vertices.get(), corners.get(), numbers, count, levels)
    _run_points(f, run, number, p, numbers, count, levels)
    f.ret(f.const(I32, 0))


def _put_levels(f: Function, p: Record, part: str, levels: Sequence[Val]) -> None:
    for name, value in zip(_LEVELS, levels):
        f.store(value, p.address(f"{part}.{name}"), 0, 8)


def _copy_rows(f: Function, p: Record, part: str, vertices: Val, corners: Val, numbers: Val, count: Val, levels: Sequence[Var]) -> None:
    """Copy the rows of all patches that a shader reads."""
    for name, value in (("vertices", vertices), ("corners", corners), ("numbers", numbers)):
        f.store(value, p.address(f"{part}.{name}"), 0, 8)
    p.set(f"{part}.patches", count)
    _put_levels(f, p, part, [level.get() for level in levels])
    f.call_pointer(None, p.get("copy_rows"), p.address(part))


def _run_control(f: Function, r: Record, p: Record, numbers: Val, count: Val) -> None:
    """Run the control shader of all patches."""
    f.call(PTR, "memset", p.get("control.outputs"), f.const(I32, 0), count.zext(I64) * p.get("written_bytes"))
    f.store(numbers, p.address("control.numbers"), 0, 8)
    f.store(r.get("levels"), p.address("control.levels"), 0, 8)
    p.set("control.patches", count)
    f.call_pointer(None, p.get("control_shader"), p.address("control"))
    add_count(f, r, "hs_invocations", count)


def _run_points(f: Function, run: Val, number: Val, p: Record, numbers: Val, count: Val, levels: Sequence[Var]) -> None:
    """Tessellate the patches, shade their points and pass them on, as many at a time as memory permits."""
    r, output = Record(f, run, RunRecord), hand_of(f, run, number + 1)
    for part in ("points", "evaluation"):
        f.store(numbers, p.address(f"{part}.numbers"), 0, 8)
        _put_levels(f, p, part, [level.get() for level in levels])
    p.set("points.patches", count)
    p.set("points.first", f.const(I32, 0))
    with f.loop() as loop:
        first = p.get("points.first")
        loop.break_if(first >= count)
        p.set("evaluation.first", first)
        for name in ("points", "primitives"):
            p.set(f"points.{name}", f.const(I32, 0))
        f.call_pointer(None, p.get("tessellate"), p.address("points"))
        p.set("evaluation.patches", p.get("points.first"))
        points = p.get("points.points")
        with f.if_(points.ne(0)):
            room = (points + p.get("lanes")).zext(I64)
            vertices = vertex_memory(f, run, step_of(f, run, number).get("vertices"), room, output.get("size"))
            f.store(vertices, p.address("evaluation.vertices"), 0, 8)
            f.call_pointer(None, p.get("evaluation_shader"), p.address("evaluation"))
            add_count(f, r, "ds_invocations", points)
            f.store(vertices, output.address("vertices"), 0, 8)
            put_stream(f, output, p.get("points.indices"), p.get("points.owners"), p.get("points.primitives"))
            hand_on(f, run, number)
