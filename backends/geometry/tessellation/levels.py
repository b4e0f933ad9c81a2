"""The tessellation levels of patches in memory: the fields that records have for them, and their loads."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backends.llvm.builder.function import Val
    from backends.llvm.builder.record import Record

OUTER_LEVELS, INNER_LEVELS = 4, 2
LEVEL_FIELDS: list[Any] = [
    *((name, ctypes.c_void_p) for name in ("outer", "inner")),
    *((name, ctypes.c_int64) for name in ("outer_stride", "inner_stride")),
]
"""Fields that locate levels: TESSOUTER of patch k (four floats) at outer + k * outer_stride bytes, TESSINNER (two) likewise."""


def load_levels(record: Record, name: str, patch: Val) -> list[Val]:
    """Return the levels `outer` or `inner` of a patch (i32), as f32 scalars."""
    from backends.llvm.builder.function import F32, I64  # modules that read the records may not load the generator

    f, count = record.f, OUTER_LEVELS if name == "outer" else INNER_LEVELS
    at = f.at(record.get(name), patch.zext(I64) * record.get(f"{name}_stride"))
    return [f.load(F32, at, 4 * k) for k in range(count)]
