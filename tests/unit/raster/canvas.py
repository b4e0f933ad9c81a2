"""Renderer with targets of its own and helpers to draw, for the rasterizer's tests."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import DrawState, Shader
from backends.device.commands.words import WordOf
from backends.device.counters import Place, Statistics, counted
from backends.device.framebuffer import Framebuffer, Surface
from backends.device.memory import BoundVertexBuffer, Memory
from backends.device.region import aligned
from backends.formats import Format
from backends.pipe.enums import Clear, CompareFunc, Prim
from backends.pipe.state import (
    BlendState,
    DepthState,
    DepthStencilAlphaState,
    DrawInfo,
    RenderTargetBlend,
    VertexElement,
    ViewportState,
)
from backends.software.renderer import Renderer
from tgsi.language.facts.enums import Processor
from tgsi.language.text.parser import parse

Array = NDArray[Any]
RGBA8, RGBA32F = Format.R8G8B8A8_UNORM, Format.R32G32B32A32_FLOAT

VS_COLOR = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
FS_ONE = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.00392156862745, 0.0, 0.0, 0.0}\nMOV OUT[0], IMM[0].xxxx\nEND\n"
FS_WHITE = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"
FS_CONSTANT = "FRAG\nDCL CONST[0]\nDCL OUT[0], COLOR\nMOV OUT[0], CONST[0]\nEND\n"

ADD = BlendState((RenderTargetBlend(blend_enable=True, rgb_dst_factor=1, alpha_dst_factor=1),))  # type: ignore[arg-type]
LESS = DepthStencilAlphaState(depth=DepthState(True, True, CompareFunc.LESS))

_shaders: dict[str, Shader] = {}


def shader(text: str) -> Shader:
    """Handle of a shader text. Equal texts share a handle, so all tests share its kernels."""
    if text not in _shaders:
        _shaders[text] = Shader(parse(text))
    return _shaders[text]


FIELDS = (*(name for name, field in vars(DrawState).items() if isinstance(field, WordOf)), "vertex_buffers", "index_buffer", "memory")
"""Attributes of a DrawState that `changed` copies."""


def changed(state: DrawState, **changes: Any) -> DrawState:
    """A copy of a state with other values of some attributes."""
    copy = DrawState()
    for name in FIELDS:
        setattr(copy, name, changes.pop(name, getattr(state, name)))
    for name, value in changes.items():
        getattr(copy, name)
        setattr(copy, name, value)
    for old, new in zip(state.stage, copy.stage):
        copy.bind(old.processor, old.shader)
        new.put_views(0, old.views)
        new.put_samplers(0, old.samplers)
        for slot, memory in enumerate(old.constants):
            new.put_constants(slot, memory)
    return copy


def with_shaders(state: DrawState, vs: str, fs: str | None) -> DrawState:
    """Bind shaders to the state's stages. Returns the state."""
    state.bind(Processor.VERT, shader(vs))
    state.bind(Processor.FRAG, shader(fs) if fs else None)
    return state


def fs_color(interpolation: str) -> str:
    return f"FRAG\nDCL IN[0], GENERIC[0], {interpolation}\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"


def make_surface(format: Format, width: int, height: int) -> Surface:
    row = -(-width // 64) * 64 * format.block_bytes
    stride = row + 64 if row // 64 % 2 == 0 else row
    memory = aligned(stride * (-(-height // 64) * 64))
    return Surface(memory.ctypes.data, stride, format, width, height, keepalive=memory)


def pixels(surface: Surface) -> Array:
    """Bytes of a surface, of shape (height, width, bytes per pixel)."""
    memory: Array = surface.keepalive  # type: ignore[assignment]
    size = surface.format.block_bytes
    return memory.reshape(-1, surface.row_stride)[: surface.height, : surface.width * size].reshape(surface.height, surface.width, size)


def float_words(*values: float) -> list[int]:
    return list(struct.unpack("4I", struct.pack("4f", *values)))


def of_draws(found: Statistics) -> Statistics:
    """Statistics without the counters of the device's own work, which depend on settings and on the cache of kernels."""
    return replace(found, **dict[str, Any](dict.fromkeys(counted(Place.DEVICE), 0)))


class Canvas(Renderer):
    """Renderer with a color target and optionally a depth target. Keywords of `draw_arrays` change `state` for one draw."""

    def __init__(self, width: int, height: int, *, color: Sequence[Format] = (RGBA8,), depth: Format | None = None, **options: Any) -> None:
        options.setdefault("threads", 0)
        super().__init__(**options)
        self.colors = [make_surface(f, width, height) for f in color]
        self.depth_surface = make_surface(depth, width, height) if depth is not None else None
        self.size = (width, height)
        self.set_framebuffer(Framebuffer(width, height, tuple(self.colors), self.depth_surface))
        half = (width / 2, height / 2, 0.5)
        self.state = DrawState()
        self.state.viewports = (ViewportState(half, half),)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wipe(self, color: Sequence[float] = (0, 0, 0, 0), depth: float = 1.0, stencil: int = 0) -> None:
        buffers = int(Clear.COLOR0) * (2 ** len(self.colors) - 1) | Clear.DEPTH | Clear.STENCIL
        self.clear(buffers, float_words(*color), depth, stencil)

    def memory(self, data: Array) -> Memory:
        flat = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        copy = aligned(flat.size)
        copy[:] = flat
        return Memory(copy.ctypes.data, flat.size, copy)

    def vertex_buffer(self, data: Array, stride: int | None = None) -> BoundVertexBuffer:
        m = self.memory(data)
        return BoundVertexBuffer(m.address, m.size, data.strides[0] if stride is None else stride, m.keepalive)

    def draw_arrays(
        self,
        vs: str,
        fs: str | None,
        arrays: Sequence[Array],
        mode: Prim = Prim.TRIANGLES,
        *,
        info: DrawInfo | None = None,
        indices: Array | None = None,
        constants: Sequence[float] | None = None,
        **changes: Any,
    ) -> None:
        """Draw float arrays of shape (vertices, channels), one for each vertex shader input."""
        formats = {1: Format.R32_FLOAT, 2: Format.R32G32_FLOAT, 3: Format.R32G32B32_FLOAT, 4: RGBA32F}
        changes.setdefault("vertex_elements", tuple(VertexElement(0, formats[a.shape[1]], k) for k, a in enumerate(arrays)))
        changes.setdefault("vertex_buffers", tuple(self.vertex_buffer(a) for a in arrays))
        if indices is not None:
            changes["index_buffer"] = self.memory(indices)
        if info is None:
            count = len(indices) if indices is not None else len(arrays[0])
            info = DrawInfo(mode=mode, count=count, index_size=indices.itemsize if indices is not None else 0)
        state = with_shaders(changed(self.state, **changes), vs, fs)
        if constants is not None:
            state.fragment.put_constants(0, self.memory(np.array(constants, np.float32)))
        self.draw(state, info)

    def image(self, index: int = 0) -> Array:
        """Bytes of a color target, of shape (height, width, bytes per pixel)."""
        self.flush()
        return pixels(self.colors[index]).copy()

    def values(self, index: int = 0) -> Array:
        """Color target of four 32-bit floats, of shape (height, width, 4)."""
        return self.image(index).view(np.float32)

    def depth_bytes(self) -> Array:
        self.flush()
        assert self.depth_surface is not None
        return pixels(self.depth_surface).copy()
