"""Parameters of the caller's pixels. (OpenGL 4.6 compatibility, 8.4.1)"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.pixels.client_formats import ClientFormat
from tgsi.opengl.pixels.transfer import layout_of
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.values import PixelStore

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

FIELDS = {
    GL.UNPACK_ALIGNMENT: ("unpack", "alignment"),
    GL.UNPACK_ROW_LENGTH: ("unpack", "row_length"),
    GL.UNPACK_IMAGE_HEIGHT: ("unpack", "image_height"),
    GL.UNPACK_SKIP_ROWS: ("unpack", "skip_rows"),
    GL.UNPACK_SKIP_PIXELS: ("unpack", "skip_pixels"),
    GL.UNPACK_SKIP_IMAGES: ("unpack", "skip_images"),
    GL.UNPACK_SWAP_BYTES: ("unpack", "swap_bytes"),
    GL.UNPACK_LSB_FIRST: ("unpack", "lsb_first"),
    GL.PACK_ALIGNMENT: ("pack", "alignment"),
    GL.PACK_ROW_LENGTH: ("pack", "row_length"),
    GL.PACK_IMAGE_HEIGHT: ("pack", "image_height"),
    GL.PACK_SKIP_ROWS: ("pack", "skip_rows"),
    GL.PACK_SKIP_PIXELS: ("pack", "skip_pixels"),
    GL.PACK_SKIP_IMAGES: ("pack", "skip_images"),
    GL.PACK_SWAP_BYTES: ("pack", "swap_bytes"),
    GL.PACK_LSB_FIRST: ("pack", "lsb_first"),
}
"""Parameters with the direction and the field that they set."""


@command("glPixelStorei")
def pixel_store(gl: Context, pname: int, param: int) -> None:
    """Set a parameter."""
    if pname not in FIELDS:
        raise bad_enum("pname", pname)
    way, field = FIELDS[pname]
    if param < 0 or (field == "alignment" and param not in (1, 2, 4, 8)):
        raise bad_value(f"param: {param}")
    setattr(getattr(gl, way), field, bool(param) if field in ("swap_bytes", "lsb_first") else param)


@command("glPixelStoref")
def pixel_store_float(gl: Context, pname: int, param: float) -> None:
    """Set a parameter."""
    pixel_store(gl, pname, round(param) if math.isfinite(param) else -1)


def store_count(store: PixelStore, client: ClientFormat, width: int, height: int, depth: int = 1) -> int:
    """Number of bytes from the pointer to the end of a box of pixels."""
    return layout_of(store, client, width, height, depth).end
