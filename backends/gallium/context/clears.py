"""Clears: of bound targets by the device, of any other memory as array assignments."""

from __future__ import annotations

import reprlib
import struct
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.commands.known_objects import Kind
from backends.device.interface import Device
from backends.formats import Format
from backends.formats.arrays import pack, pack_depth_stencil
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.multisampled import part
from backends.gallium.resource.resource import Box, Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.transfer import as_bytes
from backends.gallium.resource.view import Surface
from backends.pipe.checks import flags, integer, real, truth
from backends.pipe.enums import Clear
from backends.pipe.limits import LARGEST_FLOAT

_COLOR0 = int(Clear.COLOR0)
_COLOR_TYPES = {"float": np.float32, "uint": np.uint32, "sint": np.int32}


_FLOATS = struct.Struct("<4f")
_WORDS = struct.Struct("<4I")


def single(value: float) -> float:
    """A value in the range of a 32-bit float: larger ones become infinite."""
    return value if -LARGEST_FLOAT <= value <= LARGEST_FLOAT or value != value else float("inf" if value > 0 else "-inf")


def color_words(color: tuple[float, ...], *, integer: bool) -> tuple[int, int, int, int]:
    """Four values as 32-bit words: integers for integer formats, otherwise the bits of floats."""
    if integer:
        words = tuple(int(item) & 0xFFFFFFFF if abs(item) < float("inf") else 0 for item in color)
    else:
        words = _WORDS.unpack(_FLOATS.pack(*map(single, color)))
    return (words[0], words[1], words[2], words[3])


def packed_color(format: Format, color: Sequence[float]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """One pixel of a color as bytes: floats for float formats, integers for integer formats."""
    words = np.array(color_words(tuple(color), integer=format.is_integer), np.uint32)
    return pack(format, words.view(_COLOR_TYPES[format.kind]).reshape(1, 4))


def check_color(color: Any, argument: str) -> tuple[float, ...]:
    """Check that a color is four numbers, and return them; integers stay integers."""
    try:
        items = tuple(islice(color, 5)) if not isinstance(color, (str, bytes)) else ()
    except TypeError:  # it has no items, or is an array without axes
        items = ()
    if len(items) != 4:
        raise ValueError(f"{argument}: expected four numbers, not {reprlib.repr(color)}")
    return tuple(int(item) if isinstance(item, (int, np.integer)) else real(item, argument) for item in items)


class Clears(ContextCore):
    """Clears of bound targets and of resources: clear, clear_render_target, clear_depth_stencil, clear_texture, clear_buffer."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._checked_clear: tuple[Any, ...] = (object(),) * 8

    def clear(
        self,
        buffers: Clear | int | str | Sequence[str] = Clear.COLOR | Clear.DEPTHSTENCIL,
        *,
        color: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        depth: float = 1.0,
        stencil: int = 0,
    ) -> None:
        """Clear bound targets: whole surfaces, all layers; no scissor, no write masks. Targets that are not bound are skipped.

        Args:
            buffers: PIPE_CLEAR flags: COLOR, COLOR0 .. COLOR7, DEPTH, STENCIL, DEPTHSTENCIL, as members, names or a sequence.
            color: four floats; integers for targets of integer formats.
            depth: 0 .. 1, clamped.
            stencil: the low eight bits are used.

        (context.rst, "Clearing")
        """
        checked = self._checked_clear
        if not (checked[0] is buffers and checked[1] is color and checked[2] is depth and checked[3] is stencil):
            checked = self._check_clear(buffers, color, depth, stencil)
        wanted, values, z, s = checked[4:]
        if wanted and type(buffers) in (Clear, str):
            self.state.known.learn(buffers, Kind.CLEAR_BUFFERS, wanted)
        self.order.prepare()
        if not self.counting.allows_rendering():
            return
        integers = 0
        for index, target in enumerate(self.targets.cbufs):
            if target is not None and target.format.is_integer:
                integers |= _COLOR0 << index
        if wanted & ~integers:
            self.device.clear(wanted & ~integers, color_words(values, integer=False), z, s)
        if wanted & integers:
            self.device.clear(wanted & integers, color_words(values, integer=True), z, s)

    def _check_clear(self, buffers: Any, color: Any, depth: Any, stencil: Any) -> tuple[Any, ...]:
        """The arguments of a clear, then their values, which are remembered for the next clear if these objects cannot change."""
        name = "clear"
        wanted = int(flags(Clear, buffers, f"{name}: buffers"))
        values = check_color(color, f"{name}: color")
        z = min(1.0, max(0.0, real(depth, f"{name}: depth")))
        s = integer(stencil, f"{name}: stencil") & 0xFF
        checked = buffers, color, depth, stencil, wanted, values, z, s
        is_fixed = type(color) is tuple and {type(depth), type(stencil), *map(type, color)} <= {float, int}
        if is_fixed and isinstance(buffers, (int, str)):
            self._checked_clear = checked
        return checked

    def clear_render_target(
        self,
        target: Surface | Resource,
        *,
        color: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        x: int = 0,
        y: int = 0,
        width: int | None = None,
        height: int | None = None,
        render_condition_enabled: bool = True,
    ) -> None:
        """Clear a rectangle of a color surface (all its layers), which need not be bound. (context.rst, "Clearing")"""
        name = "clear_render_target"
        surface = self.checks.surface(target, f"{name}: target")
        if surface.format.is_depth_stencil:
            raise ValueError(f"{name}: target: {surface.format} is not a color format; use clear_depth_stencil")
        pixel = packed_color(surface.format, check_color(color, f"{name}: color"))
        region = self._rectangle(surface, x, y, width, height, name)
        if truth(render_condition_enabled, f"{name}: render_condition_enabled") and not self.counting.allows_rendering():
            return
        self.order.begin_write(surface.texture)
        for view in _pixels(surface.texture, surface.level, region):
            _fill(view, pixel)
        surface.texture.changed(surface.level, region)

    def clear_depth_stencil(
        self,
        target: Surface | Resource,
        *,
        buffers: Clear | int | str | Sequence[str] = Clear.DEPTHSTENCIL,
        depth: float = 1.0,
        stencil: int = 0,
        x: int = 0,
        y: int = 0,
        width: int | None = None,
        height: int | None = None,
        render_condition_enabled: bool = True,
    ) -> None:
        """Clear depth, stencil or both in a rectangle of a depth-stencil surface (all its layers), which need not be bound.

        (context.rst, "Clearing")
        """
        name = "clear_depth_stencil"
        surface = self.checks.surface(target, f"{name}: target")
        if not surface.format.is_depth_stencil:
            raise ValueError(f"{name}: target: {surface.format} is not a depth or stencil format; use clear_render_target")
        wanted = flags(Clear, buffers, f"{name}: buffers")
        z = np.float32(min(1.0, max(0.0, real(depth, f"{name}: depth"))))
        s = integer(stencil, f"{name}: stencil") & 0xFF
        region = self._rectangle(surface, x, y, width, height, name)
        if truth(render_condition_enabled, f"{name}: render_condition_enabled") and not self.counting.allows_rendering():
            return
        self.order.begin_write(surface.texture)
        depths = np.full(1, z, np.float32) if wanted & Clear.DEPTH and surface.format.has_depth else None
        stencils = np.full(1, s, np.uint8) if wanted & Clear.STENCIL and surface.format.has_stencil else None
        if depths is None and stencils is None:
            return
        zeros, ones = (np.full(surface.format.block_bytes, old, np.uint8) for old in (0x00, 0xFF))
        pixel, other = (pack_depth_stencil(surface.format, depths, stencils, old) for old in (zeros, ones))
        for view in _pixels(surface.texture, surface.level, region):
            _fill(view, pixel, pixel ^ other)
        surface.texture.changed(surface.level, region)

    def clear_texture(self, resource: Resource, data: Any, *, level: int = 0, box: Box | Sequence[int] | None = None) -> None:
        """Fill a box with one texel, or block of a compressed format, given as its bytes. (p_context.h)"""
        name = "clear_texture"
        self.checks.resource(resource, f"{name}: resource")
        if resource.is_buffer:
            raise ValueError(f"{name}: resource: it is a buffer; use clear_buffer")
        texel = as_bytes(data, f"{name}: data")
        if texel.size != resource.format.block_bytes:
            raise ValueError(f"{name}: data: a texel of {resource.format} has {resource.format.block_bytes} bytes, not {texel.size}")
        region = resource.box(level, box, name)
        self.order.begin_write(resource)
        for view in _pixels(resource, level, resource.in_blocks(region)):
            _fill(view, texel)
        resource.changed(level, region)

    def clear_buffer(self, resource: Resource, value: Any, *, offset: int = 0, size: int | None = None) -> None:
        """Fill a range of a buffer with a value of 1 to 16 bytes, repeated. (context.rst, "Clearing")

        Raises:
            ValueError: the range reaches outside the buffer, or its size is not a multiple of the value's length.
        """
        name = "clear_buffer"
        self.checks.resource(resource, f"{name}: resource")
        if not resource.is_buffer:
            raise ValueError(f"{name}: resource: it is a texture; use clear_texture")
        pattern = as_bytes(value, f"{name}: value")
        if not 1 <= pattern.size <= 16:
            raise ValueError(f"{name}: value: expected 1 to 16 bytes, not {pattern.size}")
        start = integer(offset, f"{name}: offset", 0, resource.size)
        length = resource.size - start if size is None else integer(size, f"{name}: size", 0, resource.size - start)
        if length % pattern.size:
            raise ValueError(f"{name}: size: {length} is not a multiple of {pattern.size}")
        self.order.begin_write(resource)
        resource.storage[start : start + length].reshape(-1, pattern.size)[...] = pattern
        resource.push()

    def _rectangle(self, target: Surface, x: int, y: int, width: int | None, height: int | None, name: str) -> Box:
        left, top = (integer(value, f"{name}: {field}") for field, value in (("x", x), ("y", y)))
        w = target.width - left if width is None else integer(width, f"{name}: width")
        h = target.height - top if height is None else integer(height, f"{name}: height")
        box = (left, top, target.first_layer, w, h, target.last_layer - target.first_layer + 1)
        return target.texture.box(target.level, box, name)


_WORDS_OF = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def _fill(pixels: NDArray[np.uint8], pixel: NDArray[np.uint8], kept: NDArray[np.uint8] | None = None) -> None:
    """Give all pixels, (.., bytes of a pixel), the bytes of one. kept: bits that they keep, in which `pixel` is 0."""
    if pixel.size in _WORDS_OF:  # numpy fills words some ten times as fast as rows of a few bytes
        word = _WORDS_OF[pixel.size]
        pixels, pixel = pixels.view(word), pixel.view(word)
        kept = None if kept is None else kept.view(word)
    if kept is None or not kept.any():
        pixels[...] = pixel
    else:
        pixels &= kept
        pixels |= pixel


def _pixels(resource: Resource, level: int, box: Box) -> list[np.ndarray[Any, np.dtype[np.uint8]]]:
    """Raw bytes of a box, of each sample: (depth, height, width, bytes of a pixel), in place."""
    return [part(resource.blocks(level, k), box) for k in range(resource.samples)]
