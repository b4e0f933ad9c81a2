"""Pixel rectangles drawn with the fixed-function fragment stage, and bitmaps. (OpenGL 2.1, 3.6 and 3.7)"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from tgsi import ProgramBuilder
from tgsi.opengl.calls import command
from tgsi.opengl.drawing.pixel_access import read_raw
from tgsi.opengl.drawing.programs import DRAWING
from tgsi.opengl.drawing.validate import validate_draw
from tgsi.opengl.errors import not_negative
from tgsi.opengl.fixed.constants import fragment_constants
from tgsi.opengl.fixed.fragment_programs import PIXELS, FragmentKey, fragment_program
from tgsi.opengl.fixed.pipeline import texture_of, units_of
from tgsi.opengl.fixed.selection import note_raster
from tgsi.opengl.lists import listed
from tgsi.opengl.memory import Pointer
from tgsi.opengl.objects.linking import CREATE
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import MAX_UNITS

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

Place = tuple[float, float, float, float]


def _vertex_program() -> tgsi.Program:
    """A program that passes on a position and the raster position's values."""
    b = ProgramBuilder("VERT")
    place, coordinate = b.input(), b.input()
    b.MOV(b.output("POSITION"), place)
    b.MOV(b.output("GENERIC"), coordinate)
    names = [("COLOR", 0), ("COLOR", 1), ("FOG", 0), *(("TEXCOORD", unit) for unit in range(MAX_UNITS))]
    for number, (name, index) in enumerate(names):
        b.MOV(b.output(name, index), b.constant(number))
    return b.build()


def _kept(gl: Context, key: Any, make: Any) -> Any:
    """A cached Gallium state object."""
    item = gl.state_objects.get(("rectangle", key))
    if item is None:
        item = gl.state_objects["rectangle", key] = make()
    return item


def draw_rectangle(gl: Context, texels: NDArray[np.uint8], format: str, place: Place, source: str) -> None:
    """Draw texels, rows upward, over a rectangle of the window (left, lower, right, upper), with the state of the context.

    source: kind of texels: "pixels", "bitmap" or "depth".
    """
    validate_draw(gl, has_vertices=False)
    size = gl.draw_framebuffer.size()
    if not all(size) or not texels.size:
        return
    _bind_state(gl, size)
    _bind_textures(gl, texels, format, source)
    pipe = gl.pipe
    rows = [(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]
    pipe.bind_vertex_elements_state(_kept(gl, "elements", lambda: pipe.create_vertex_elements_state(rows)))
    pipe.set_vertex_buffers([_corners(place, size, gl.fixed.raster_position[2], texels.shape)])
    pipe.draw_vbo(mode="TRIANGLE_FAN", count=4)
    gl.dirty |= dirty.PROGRAM | dirty.VERTICES | dirty.TEXTURES | dirty.FIXED | dirty.VIEWPORT | dirty.RASTERIZER


TIE = 2.0**-10
"""Shift in texels that breaks ties: a center on the edge between two pixels belongs to the pixel that begins there."""


def _corners(place: Place, size: tuple[int, int], depth: float, texels: tuple[int, ...]) -> NDArray[np.float32]:
    left, low, right, high = place
    width, height = size
    s, t = math.copysign(TIE, right - left) / texels[1], math.copysign(TIE, high - low) / texels[0]
    corners = ((left, low, s, t), (right, low, 1 + s, t), (right, high, 1 + s, 1 + t), (left, high, s, 1 + t))
    vertices = [(x / width * 2 - 1, y / height * 2 - 1, depth * 2 - 1, 1, u, v, 0, 1) for x, y, u, v in corners]
    return np.array(vertices, np.float32)


def _bind_state(gl: Context, size: tuple[int, int]) -> None:
    """Bind rasterizer, viewport and vertex stage of a rectangle, and disable other stages."""
    pipe = gl.pipe
    for stage in DRAWING:
        if stage not in (GL.VERTEX_SHADER, GL.FRAGMENT_SHADER) and gl.bound.get(stage) is not None:
            getattr(pipe, f"bind_{CREATE[stage]}_state")(None)
        gl.bound.pop(stage, None)
    fields = {
        "scissor": any(gl.raster.scissor_enabled),
        "multisample": GL.MULTISAMPLE in gl.enabled,
        "rasterizer_discard": GL.RASTERIZER_DISCARD in gl.enabled,
        "clamp_fragment_color": True,
        "half_pixel_center": True,
    }
    rasterizer = _kept(
        gl, tuple(fields.values()), lambda: pipe.create_rasterizer_state(**fields, depth_clip_near=False, depth_clip_far=False)
    )
    pipe.bind_rasterizer_state(rasterizer)
    width, height = size
    pipe.set_viewport_states([{"scale": (width / 2, height / 2, 0.5), "translate": (width / 2, height / 2, 0.5)}])
    pipe.bind_vs_state(_kept(gl, "vertex", lambda: pipe.create_vs_state(_vertex_program())))
    state = gl.fixed
    values = [state.raster_color, state.raster_secondary, (state.raster_distance, 0.0, 0.0, 1.0), *state.raster_coordinates]
    pipe.set_constant_buffer("VERTEX", np.array(values, np.float32))


def _bind_textures(gl: Context, texels: NDArray[np.uint8], format: str, source: str) -> None:
    """Bind the fragment stage, with the textures of its environments and then the texels."""
    pipe, state = gl.pipe, gl.fixed
    key = FragmentKey(units_of(gl), GL.COLOR_SUM in state.enabled, state.fog.mode if GL.FOG in state.enabled else 0, source)
    pipe.bind_fs_state(_kept(gl, key, lambda: pipe.create_fs_state(fragment_program(key))))
    pipe.set_constant_buffer("FRAGMENT", fragment_constants(gl))
    height, width = texels.shape[:2]
    texture = gl.screen.resource_create(target="TEXTURE_2D", format=format, width0=width, height0=height, bind="SAMPLER_VIEW")
    pipe.texture_subdata(texture, np.ascontiguousarray(texels))
    views: list[Any] = [None] * (PIXELS + 1)
    samplers: list[Any] = [None] * (PIXELS + 1)
    for item in key.units:
        bound = texture_of(gl, item.unit)
        assert bound is not None
        target, sampled = bound
        sampler = gl.units[item.unit].sampler or sampled.sampler
        views[item.unit] = sampled.view(gl, sampler)
        samplers[item.unit] = sampler.state(gl, is_rectangle=target == GL.TEXTURE_RECTANGLE)
    views[PIXELS] = pipe.create_sampler_view(texture)
    samplers[PIXELS] = _kept(gl, "sampler", lambda: pipe.create_sampler_state(wrap_s="CLAMP_TO_EDGE", wrap_t="CLAMP_TO_EDGE"))
    pipe.set_sampler_views("FRAGMENT", views)
    pipe.bind_sampler_states("FRAGMENT", samplers)


@listed
def _bitmap(gl: Context, bits: NDArray[np.uint8] | None, origin: tuple[float, float], move: tuple[float, float]) -> None:
    state = gl.fixed
    if not state.raster_valid:
        return
    x, y, z, w = state.raster_position
    if not note_raster(gl, GL.BITMAP_TOKEN) and bits is not None and bits.size and bits.any():
        left, low = np.floor(x - origin[0]), np.floor(y - origin[1])
        draw_rectangle(gl, bits, "R8_UNORM", (left, low, left + bits.shape[1], low + bits.shape[0]), "bitmap")
    state.raster_position = x + move[0], y + move[1], z, w


def read_bits(gl: Context, width: int, height: int, bitmap: Pointer, call: str) -> NDArray[np.uint8] | None:
    """Bits as 0 and 1, [row, column]; None for a null pointer without an unpack buffer."""
    if not (bitmap or gl.buffers.get("PIXEL_UNPACK_BUFFER") is not None) or not width or not height:
        return None
    store = gl.unpack
    row = -(-(store.row_length or width) // 8)
    row = -(-row // store.alignment) * store.alignment
    size = (height - 1) * row + -(-(store.skip_pixels + width) // 8)
    raw = read_raw(gl, (bitmap or 0) + store.skip_rows * row, size, call)
    rows = np.frombuffer(raw + bytes(row * height - size), np.uint8).reshape(height, -1)
    bits = np.unpackbits(rows, axis=1, bitorder="little" if store.lsb_first else "big")
    return bits[:, store.skip_pixels : store.skip_pixels + width]


@command("glBitmap")
def bitmap(gl: Context, width: int, height: int, xorig: float, yorig: float, xmove: float, ymove: float, bitmap: Pointer) -> None:
    """Draw the ones of a bitmap in the raster color, and move the raster position."""
    not_negative("width", width, height)
    bits = read_bits(gl, width, height, bitmap, "glBitmap")
    _bitmap(gl, None if bits is None else bits * np.uint8(255), (xorig, yorig), (xmove, ymove))
