"""Pictures of resources: for programs, for files, for notebooks."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

_MOST_SHOWN = 256
"""Bytes of a buffer that a notebook shows."""


class PicturedResource:
    """Methods of a resource that draw, save and show its picture."""

    def picture(self, level: int = 0, layer: int = 0, *, scale: tuple[float, float] | None = None) -> NDArray[np.uint8]:
        """One layer of a level as people see it: uint8 of (height, width), (height, width, 3) or (height, width, 4) as RGBA.

        8-bit colors, also of sRGB formats, are the stored numbers. Other normalized numbers, floats and depth are mapped from `scale`, by
        default 0 to 1, to 0 to 255; numbers outside are clamped, NaN is 0, and no curve is applied. Integers and stencil have a default
        of 0 to 255. Alpha is never scaled. Formats of one channel, and depth, are gray; depth goes before stencil.

        ValueError: a buffer, or there is no such level or layer. TypeError, ValueError: `scale` is not a pair of different numbers.
        """
        from backends.gallium.resource.pixels import picture_of

        return picture_of(cast(Any, self), level, layer, scale)

    def save(self, file: Any, *, level: int = 0, layer: int = 0, scale: tuple[float, float] | None = None) -> None:
        """Write `picture` to a file, whose suffix names its kind: .png, .jpg (without alpha), .bmp, .tiff, .webp, ... (Pillow's).

        file: the name of a file, or a binary file, which gets a PNG.

        Errors as those of `picture`; ValueError for an unknown suffix; OSError.
        """
        from backends.gallium.resource.pixels import save

        save(cast(Any, self), file, level, layer, scale)

    def show(self, *, level: int = 0, layer: int = 0, scale: tuple[float, float] | None = None) -> None:
        """Show `picture` in the notebook if one runs, otherwise with the system's viewer.

        Errors as those of `picture`; OSError where there is no viewer.
        """
        from backends.gallium.resource.pixels import show

        show(cast(Any, self), level, layer, scale)

    def _repr_png_(self) -> bytes | None:
        this = cast(Any, self)
        if this.is_buffer or this.is_destroyed:
            return None
        from backends.gallium.resource.pixels import png

        return png(this)

    def _repr_html_(self) -> str:
        from tgsi.language import notebook

        this, title = cast(Any, self), notebook.heading(repr(self).strip("<>"))
        if this.is_destroyed:
            return title
        if this.is_buffer:
            return title + _numbers(this.pixels())
        from backends.gallium.resource.pixels import png, stencil_png

        shown = [("", png(this))]
        if this.plain_format.has_stencil and this.plain_format.has_depth:
            shown.append(("stencil", stencil_png(this)))
        return title + "".join(notebook.picture(data, name) for name, data in shown)


def _numbers(data: NDArray[np.uint8]) -> str:
    """The first bytes of a buffer as 32-bit words and floats."""
    from tgsi.language import notebook

    words = data[: min(len(data), _MOST_SHOWN) // 4 * 4].view("<u4")
    rows = [(4 * k, f"{int(word):#010x}", f"{float(number):.7g}") for k, (word, number) in enumerate(zip(words, words.view("<f4")))]
    more = notebook.heading("", f"{len(data) - 4 * len(words)} more bytes") if len(data) > 4 * len(words) else ""
    return notebook.table(("byte", "word", "float"), rows) + more
