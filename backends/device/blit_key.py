"""What a blit kernel is made for, and the record that it works on. The kernel is in `blits`."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from backends.formats import Format
from backends.pipe.enums import ColorMask

AXES = ("layers", "rows", "columns")


class BlitRecord(ctypes.Structure):
    """What a call works on.

    Each axis has tables of byte offsets into the source (i64; i32 for columns): of the nearest texel, or of the two around and the
    weight of the second (f32). Columns fill whole vectors. `target`: rows of `columns` texels without gaps, layer after layer.
    """

    _fields_ = [
        ("source", ctypes.c_void_p),
        ("target", ctypes.c_void_p),
        *((f"{axis}_first", ctypes.c_void_p) for axis in AXES),
        *((f"{axis}_second", ctypes.c_void_p) for axis in AXES),
        *((f"{axis}_weight", ctypes.c_void_p) for axis in AXES),
        *((axis, ctypes.c_int32) for axis in AXES),
        ("pad", ctypes.c_int32),
    ]


def channels_of(format: Format) -> ColorMask:
    """What a blit can move of a format."""
    if not format.is_depth_stencil:
        return ColorMask.RGBA
    return (ColorMask.Z if format.has_depth else ColorMask.NONE) | (ColorMask.S if format.has_stencil else ColorMask.NONE)


@dataclass(frozen=True, slots=True)
class BlitKey:
    """What changes code. `filtered`: layers, rows, columns. `mask`: what is written; the rest of `target` stays."""

    source: Format
    target: Format
    filtered: tuple[bool, bool, bool]
    mask: ColorMask

    @property
    def written(self) -> ColorMask:
        """What of the target changes: what is asked for and both formats have."""
        return self.mask & channels_of(self.source) & channels_of(self.target)

    @property
    def is_whole(self) -> bool:
        """Nothing of a texel stays: what was there need not be read."""
        return self.written == channels_of(self.target)

    @property
    def is_raw(self) -> bool:
        """Texels move as they are."""
        return self.source is self.target and self.is_whole and not any(self.filtered)
