"""Primitive rows: values that exist once per primitive, which mesh shaders leave next to their vertices.

Setup copies them into the slots of its records. They are not stored in vertex records, so clipping and the steps that turn primitives into
triangles need not copy them; setup finds the row by the primitive's number.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import I32, I64, Function, Val
from backends.llvm.builder.record import Record
from backends.raster.layouts import SetupLayout


def row_at(f: Function, d: Record, number: Val) -> Val:
    """Pointer to the row of primitive `number` of the packet."""
    return f.at(d.get("rows.address"), number.zext(I64) * d.get("rows.size").zext(I64))


def write_row_slots(f: Function, d: Record, numbers: Val, most: Val, front: Val, target: Sequence[Val]) -> None:
    """Write the slots of Mode.PRIMITIVE into the setup records of one vector of triangles, in ascending order of lanes.

    Fragments read no gradients of such slots, so these are not written.
    numbers: of the primitives in the packet, which has `most`; front: lanes of front-facing triangles; target: pointers to the records.
        Numbers in lanes without a triangle are arbitrary.
    """
    lanes = len(target)
    numbers = f.select(numbers.ult(most), numbers, 0)
    rows = [row_at(f, d, numbers[k]) for k in range(lanes)]
    with f.range(0, d.get("rows.num_slots")) as i:
        slot, *registers = (f.load(I32, d.address(f"rows.{name}"), i << 2) for name in ("slot", "front", "back"))
        offsets = f.select(front, *(f.splat(register << 4, lanes) for register in registers))
        value = f.load_vec4s([f.at(row, offsets[k]) for k, row in enumerate(rows)])
        is_clamped = f.load(I32, d.address("vertices.is_clamped"), slot << 2).ne(0)
        value = [f.select(is_clamped, f.min(f.max(v, 0.0), 1.0), v) for v in value]
        f.store_vec4s(value, [f.at(t, slot * 48 + SetupLayout.SLOTS) for t in target], 0)
