"""Transfers of pixels for which OpenGL expects padded rows that the caller's array lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tgsi.opengl.errors import GLError
from tgsi.opengl.pixels.client_formats import client_format
from tgsi.opengl.watching.command_text import enum_text
from tgsi.validation.findings import Finding

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.state.values import PixelStore


def uploads(gl: Context, name: str, values: tuple[Any, ...]) -> Iterator[Finding]:
    """Rows of glTexImage2D and related commands."""
    *_, format, type, pixels = values
    first = 4 if "Sub" in name and name.endswith("2D") else 5 if "Sub" in name else 3
    if pixels and gl.buffers.get("PIXEL_UNPACK_BUFFER") is None:
        yield from _rows(gl.unpack, values[first], values[first + 1], (format, type), "UNPACK", "read")


def reads(gl: Context, values: tuple[Any, ...]) -> Iterator[Finding]:
    """Rows of glReadPixels."""
    if gl.buffers.get("PIXEL_PACK_BUFFER") is None:
        yield from _rows(gl.pack, values[2], values[3], (values[4], values[5]), "PACK", "written")


def _rows(store: PixelStore, width: int, height: int, pixel: tuple[int, int], word: str, verb: str) -> Iterator[Finding]:
    if store.row_length or height < 2 or width < 1:
        return
    try:
        size = client_format(*pixel).pixel * width
    except GLError:
        return  # the command reports it
    stride = -(-size // store.alignment) * store.alignment
    if stride != size:
        text = (
            f"{width} pixels of {enum_text(pixel[0])} are {size} bytes, and a row of {stride} bytes is {verb}, because "
            f"GL_{word}_ALIGNMENT is {store.alignment}: glPixelStorei(GL_{word}_ALIGNMENT, 1) for rows without padding"
        )
        yield Finding("gl rows", (word, pixel, size), text)
