"""OSMesa's functions: contexts that draw into the caller's memory. (Mesa 25.0, include/GL/osmesa.h, removed in 25.1)"""

from __future__ import annotations

import ctypes
import itertools
import threading
from functools import cache
from typing import Any

import numpy as np

from tgsi.gallium import Format
from tgsi.opengl.calls import current, make_current
from tgsi.opengl.context import COMPATIBILITY, CORE, Context
from tgsi.opengl.doors.exports import commands
from tgsi.opengl.doors.library import Library, load_library
from tgsi.opengl.doors.screen import shared_screen, watched
from tgsi.opengl.interrupts import uninterrupted
from tgsi.opengl.memory import ints, view, write
from tgsi.opengl.offer import load
from tgsi.opengl.pixels.client_formats import client_format
from tgsi.opengl.pixels.transfer import from_texels
from tgsi.opengl.registry import enums as GL

SONAME = "libOSMesa.so.8"

FORMATS = {GL.RGBA: GL.RGBA, 0x1: GL.BGRA, GL.RGB: GL.RGB, 0x4: GL.BGR}
"""OSMesa's formats and OpenGL's equivalents; ARGB (2) is BGRA with reversed bytes, RGB_565 (5) a packed type."""

ARGB, RGB_565 = 0x2, 0x5
ROW_LENGTH, Y_UP = 0x10, 0x11
FORMAT, DEPTH_BITS, STENCIL_BITS, ACCUM_BITS = 0x22, 0x30, 0x31, 0x32
PROFILE, CORE_PROFILE, COMPAT_PROFILE, MAJOR, MINOR = 0x33, 0x34, 0x35, 0x36, 0x37

_contexts: dict[int, OffScreen] = {}
_numbers = itertools.count(1)
_lock = threading.Lock()


class OffScreen:
    """A context with the caller's picture: each flush or finish copies the default framebuffer there."""

    def __init__(self, format: int, share: OffScreen | None, attributes: dict[int, int]) -> None:
        load()
        profile = CORE if attributes.get(PROFILE) == CORE_PROFILE else COMPATIBILITY
        self.format = format
        self.depth = attributes.get(DEPTH_BITS, 24)
        self.stencil = attributes.get(STENCIL_BITS, 8)
        self.context: Context = Context(shared_screen(), profile=profile, share=share.context.share if share is not None else None)
        watched(self.context).present = self.copy
        self.address = self.width = self.height = 0
        self.type: int = GL.UNSIGNED_BYTE
        self.row_length, self.y_up = 0, True
        self.number = next(_numbers) * 64

    def bind(self, address: int, type: int, width: int, height: int) -> None:
        """Draw into a picture of the caller."""
        self.address = address
        if (width, height, type) == (self.width, self.height, self.type):
            return
        self.type, self.width, self.height = type, width, height
        color = {GL.FLOAT: GL.RGBA32F, GL.UNSIGNED_SHORT: GL.RGBA16}.get(type, GL.RGBA8)
        depth = GL.DEPTH24_STENCIL8 if self.stencil else GL.DEPTH_COMPONENT24 if self.depth else 0
        self.context.resize(width, height, color=color, depth=depth)

    def copy(self) -> None:
        """Copy the default framebuffer to the caller's picture."""
        item = self.context.default_framebuffer.attachments.get(GL.BACK_LEFT)
        place = item.place() if item is not None else None
        if not self.address or place is None:
            return
        resource, row, *_ = place
        format = Format[row.format]
        data = np.empty((1, self.height, self.width * format.block_bytes), np.uint8)
        self.context.pipe.texture_read(resource, data)
        if self.format == RGB_565:
            client = client_format(GL.RGB, GL.UNSIGNED_SHORT_5_6_5)
        elif self.format == ARGB:
            client = client_format(GL.BGRA, GL.UNSIGNED_INT_8_8_8_8)
        else:
            client = client_format(FORMATS[self.format], self.type)
        pixels = from_texels(data, format, client)[0]
        row_bytes = (self.row_length or self.width) * client.pixel
        into = np.frombuffer(view(self.address, row_bytes * (self.height - 1) + pixels.shape[1]), np.uint8)
        rows = np.ndarray(pixels.shape, np.uint8, into.data, 0, (row_bytes, 1))
        rows[...] = pixels if self.y_up else pixels[::-1]


def _current() -> OffScreen | None:
    context = current()
    return next((item for item in _contexts.values() if item.context is context), None) if context is not None else None


def _make(format: int, share: int | None, attributes: dict[int, int]) -> int:
    if format not in FORMATS and format not in (ARGB, RGB_565):
        return 0
    if attributes.get(MAJOR, 0) * 10 + attributes.get(MINOR, 0) > 43:
        return 0
    with _lock:
        context = OffScreen(format, _contexts.get(share or 0), attributes)
        _contexts[context.number] = context
    return context.number


def create_context(format: int, share: int | None) -> int:
    """OSMesaCreateContext."""
    return _make(format, share, {})


def create_context_ext(format: int, depth: int, stencil: int, accum: int, share: int | None) -> int:
    """OSMesaCreateContextExt."""
    return _make(format, share, {DEPTH_BITS: depth, STENCIL_BITS: stencil, ACCUM_BITS: accum})


def create_context_attribs(attributes: int | None, share: int | None) -> int:
    """OSMesaCreateContextAttribs."""
    wanted: dict[int, int] = {}
    place = attributes or 0
    while place and (name := ints(place, 1)[0]):
        wanted[name] = ints(place + 4, 1)[0]
        place += 8
    return _make(wanted.get(FORMAT, GL.RGBA), share, wanted)


def destroy_context(context: int | None) -> None:
    """OSMesaDestroyContext."""
    with _lock:
        item = _contexts.pop(context or 0, None)
    if item is not None:
        if current() is item.context:
            make_current(None)
        item.context.destroy()


def make_current_context(context: int | None, buffer: int | None, type: int, width: int, height: int) -> int:
    """OSMesaMakeCurrent."""
    if not context:
        make_current(None)
        return 1
    item = _contexts.get(context)
    if item is None or not buffer or width < 1 or height < 1 or type not in (GL.UNSIGNED_BYTE, GL.UNSIGNED_SHORT, GL.FLOAT):
        return 0
    make_current(item.context)
    item.bind(buffer, type, width, height)
    return 1


def get_current_context() -> int:
    """OSMesaGetCurrentContext."""
    item = _current()
    return item.number if item is not None else 0


def pixel_store(name: int, value: int) -> None:
    """OSMesaPixelStore."""
    item = _current()
    if item is not None and name == ROW_LENGTH:
        item.row_length = max(0, value)
    elif item is not None and name == Y_UP:
        item.y_up = bool(value)


def get_integer(name: int, value: int | None) -> None:
    """OSMesaGetIntegerv."""
    item = _current()
    if item is None:
        return
    values = {0x20: item.width, 0x21: item.height, FORMAT: item.format, 0x23: item.type, ROW_LENGTH: item.row_length}
    values |= {Y_UP: int(item.y_up), 0x24: 16384, 0x25: 16384}
    write("i", value, [values.get(name, 0)])


def get_color_buffer(context: int | None, width: int | None, height: int | None, format: int | None, buffer: int | None) -> int:
    """OSMesaGetColorBuffer."""
    item = _contexts.get(context or 0)
    if item is None or not item.address:
        return 0
    for address, number in ((width, item.width), (height, item.height), (format, item.format)):
        write("i", address, [number])
    write("Q", buffer, [item.address])
    return 1


def get_depth_buffer(context: int | None, width: int | None, height: int | None, size: int | None, buffer: int | None) -> int:
    """OSMesaGetDepthBuffer: always fails; use glReadPixels to read depth."""
    for address in (width, height, size):
        write("i", address, [0])
    write("Q", buffer, [0])
    return 0


def get_proc_address(name: bytes | None) -> int:
    """OSMesaGetProcAddress: the library's export, because it outlives Python, unlike the Python function behind it."""
    return open_door().address((name or b"").decode("ascii", "replace"))


def color_clamp(enable: int) -> None:
    """OSMesaColorClamp: ignored, because 8-bit colors are always clamped."""


def postprocess(context: int | None, filter: bytes | None, enable: int) -> None:
    """OSMesaPostprocess: there are no filters."""


@cache
def functions() -> dict[str, Any]:
    """OSMesa's functions as C functions."""
    u, i, p, s = ctypes.c_uint32, ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p
    table: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
        "OSMesaCreateContext": (create_context, p, (u, p)),
        "OSMesaCreateContextExt": (create_context_ext, p, (u, i, i, i, p)),
        "OSMesaCreateContextAttribs": (create_context_attribs, p, (p, p)),
        "OSMesaDestroyContext": (destroy_context, None, (p,)),
        "OSMesaMakeCurrent": (make_current_context, ctypes.c_uint8, (p, p, u, i, i)),
        "OSMesaGetCurrentContext": (get_current_context, p, ()),
        "OSMesaPixelStore": (pixel_store, None, (i, i)),
        "OSMesaGetIntegerv": (get_integer, None, (i, p)),
        "OSMesaGetColorBuffer": (get_color_buffer, ctypes.c_uint8, (p, p, p, p, p)),
        "OSMesaGetDepthBuffer": (get_depth_buffer, ctypes.c_uint8, (p, p, p, p, p)),
        "OSMesaGetProcAddress": (get_proc_address, p, (s,)),
        "OSMesaColorClamp": (color_clamp, None, (ctypes.c_uint8,)),
        "OSMesaPostprocess": (postprocess, None, (p, s, u)),
    }
    return {name: ctypes.CFUNCTYPE(result, *kinds)(uninterrupted(function)) for name, (function, result, kinds) in table.items()}


@cache
def open_door() -> Library:
    """Load libOSMesa.so.8 into this process."""
    return load_library(SONAME, {**functions(), **commands()}, {"OSMesaMakeCurrent": 1})
