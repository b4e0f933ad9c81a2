"""The key that a blit kernel is compiled for, and the record that the kernel works on. `backends.raster.blits` generates it."""

from __future__ import annotations

import ctypes

from backends.formats import Format
from backends.pipe.enums import ColorMask
from tgsi.language.record import record

AXES = ("layers", "rows", "columns")


class BlitRecord(ctypes.Structure):
    """Arguments of one call of a blit kernel.

    Each axis has tables of byte offsets into the source (i64; i32 for columns): of the nearest texel or, where the axis is filtered, of the
    two surrounding texels and the weight of the second (f32). Columns fill whole vectors. `target`: rows of `columns` texels without gaps,
    layer after layer.
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
    """Return the channels of a format that a blit can write."""
    if not format.is_depth_stencil:
        return ColorMask.RGBA
    return (ColorMask.Z if format.has_depth else ColorMask.NONE) | (ColorMask.S if format.has_stencil else ColorMask.NONE)


@record
class BlitKey:
    """Everything about a blit that changes its code.

    filtered: for layers, rows and columns, whether two texels are blended. mask: the channels to write; the target keeps all others.
    blends: the source is blended over the target by the source's alpha.
    """

    source: Format
    target: Format
    filtered: tuple[bool, bool, bool]
    mask: ColorMask
    blends: bool = False

    @property
    def written(self) -> ColorMask:
        """The channels of the target that the blit writes: those in `mask` that both formats have."""
        return self.mask & channels_of(self.source) & channels_of(self.target)

    @property
    def is_whole(self) -> bool:
        """True if every channel of the target is overwritten, so that its old texels need not be read."""
        return not self.blends and self.written == channels_of(self.target)

    @property
    def is_raw(self) -> bool:
        """True if texels are copied without conversion or filtering."""
        return self.source is self.target and self.is_whole and not any(self.filtered)
