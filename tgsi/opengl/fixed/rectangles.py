"""Pixel rectangles that are drawn: bitmaps and glDrawPixels, at the raster position. (OpenGL 2.1, 2.13, 3.6 and 3.7)"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from tgsi.gallium import Format
from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.drawing.pixel_access import read_pixels_of
from tgsi.opengl.drawing.validate import validate_draw
from tgsi.opengl.errors import bad_operation, not_negative
from tgsi.opengl.lists import listed
from tgsi.opengl.memory import Pointer, numbers, read
from tgsi.opengl.pixels.client_formats import client_format
from tgsi.opengl.pixels.transfer import to_texels
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import COLOR, product

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

VERTEX_PROGRAM = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND"
HEAD = (
    "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\n"
    "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\n"
)
BITMAP_PROGRAM = (
    HEAD + "DCL CONST[0][0]\nIMM[0] FLT32 {-0.5, 0.0, 0.0, 0.0}\nTEX TEMP[0], IN[0], SAMP[0], 2D\n"
    "ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx\nKILL_IF TEMP[0].xxxx\nMOV OUT[0], CONST[0][0]\nEND"
)
PIXELS_PROGRAM = HEAD + "TEX TEMP[0], IN[0], SAMP[0], 2D\nMOV OUT[0], TEMP[0]\nEND"


@listed
def put_raster_position(gl: Context, values: tuple[float, ...]) -> None:
    """Move the raster position to a vertex; one outside of the view volume makes it invalid."""
    vertex = np.array((*values, *(0.0, 0.0, 0.0, 1.0)[len(values) :]), np.float32)
    clip = product(gl.fixed.projection, product(gl.fixed.model_view, vertex))
    w = float(clip[3])
    gl.fixed.raster_valid = w > 0 and bool((np.abs(clip[:3]) <= w).all())
    if not gl.fixed.raster_valid:
        return
    x, y, width, height = gl.raster.viewports[0]
    near, far = gl.raster.depth_ranges[0]
    place = [float(value) / w for value in clip[:3]]
    depth = place[2] * (far - near) / 2 + (far + near) / 2
    gl.fixed.raster_position = x + (place[0] + 1) * width / 2, y + (place[1] + 1) * height / 2, depth, w
    gl.fixed.raster_color = gl.attributes[COLOR][1]


@listed
def put_window_position(gl: Context, values: tuple[float, ...]) -> None:
    """Move the raster position to a place in the window."""
    near, far = gl.raster.depth_ranges[0]
    z = min(1.0, max(0.0, values[2])) if len(values) > 2 else 0.0
    gl.fixed.raster_position = values[0], values[1], near + z * (far - near), 1.0
    gl.fixed.raster_valid = True
    gl.fixed.raster_color = gl.attributes[COLOR][1]


def _forms(name: str, put: Callable[..., None], counts: tuple[int, ...]) -> None:
    for count in counts:
        for kind, letter in {"s": "h", "i": "i", "f": "f", "d": "d"}.items():

            def values(gl: Context, *given: Any) -> None:
                put(gl, given)

            def vector(gl: Context, address: Pointer, count: int = count, letter: str = letter) -> None:
                put(gl, numbers(letter, address, count))

            command(f"{name}{count}{kind}")(lists_itself(values))
            command(f"{name}{count}{kind}v")(lists_itself(vector))


_forms("glRasterPos", put_raster_position, (2, 3, 4))
_forms("glWindowPos", put_window_position, (2, 3))


def _programs(gl: Context) -> dict[str, Any]:
    found: dict[str, Any] = gl.bound.setdefault("rectangle programs", {})
    if not found:
        found["vertex"] = gl.pipe.create_vs_state(tgsi.parse(VERTEX_PROGRAM))
        found["bitmap"] = gl.pipe.create_fs_state(tgsi.parse(BITMAP_PROGRAM))
        found["pixels"] = gl.pipe.create_fs_state(tgsi.parse(PIXELS_PROGRAM))
        rows = [(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]
        found["elements"] = gl.pipe.create_vertex_elements_state(rows)
        found["sampler"] = gl.pipe.create_sampler_state(wrap_s="CLAMP_TO_EDGE", wrap_t="CLAMP_TO_EDGE")
    return found


def draw_rectangle(gl: Context, texels: NDArray[np.uint8], format: str, place: tuple[float, float, float, float], program: str) -> None:
    """Draw texels, rows upward, over a rectangle of the window (left, lower, right, upper), with the tests and blending of the context."""
    height, width = texels.shape[:2]
    gl.program, before = None, gl.program
    gl.dirty |= dirty.PROGRAM if before is not None else 0
    try:
        validate_draw(gl)
    finally:
        gl.program = before
    made = _programs(gl)
    texture = gl.screen.resource_create(target="TEXTURE_2D", format=format, width0=width, height0=height, bind="SAMPLER_VIEW")
    gl.pipe.texture_subdata(texture, np.ascontiguousarray(texels))
    x, y, w, h = gl.raster.viewports[0]
    near, far = gl.raster.depth_ranges[0]
    z = gl.fixed.raster_position[2]
    depth = (z - (far + near) / 2) / ((far - near) / 2) if far != near else 0.0
    left, low, right, high = place
    corners = [((left - x) / w * 2 - 1, (low - y) / h * 2 - 1, 0, 0), ((right - x) / w * 2 - 1, (low - y) / h * 2 - 1, 1, 0)]
    corners += [((right - x) / w * 2 - 1, (high - y) / h * 2 - 1, 1, 1), ((left - x) / w * 2 - 1, (high - y) / h * 2 - 1, 0, 1)]
    vertices = np.array([(a, b, depth, 1, s, t, 0, 1) for a, b, s, t in corners], np.float32)
    pipe = gl.pipe
    pipe.bind_vs_state(made["vertex"])
    pipe.bind_fs_state(made[program])
    pipe.bind_vertex_elements_state(made["elements"])
    pipe.set_vertex_buffers([vertices])
    pipe.set_sampler_views("FRAGMENT", [pipe.create_sampler_view(texture)])
    pipe.bind_sampler_states("FRAGMENT", [made["sampler"]])
    if program == "bitmap":
        pipe.set_constant_buffer("FRAGMENT", np.array([gl.fixed.raster_color], np.float32))
    pipe.draw_vbo(mode="TRIANGLE_FAN", count=4)
    for stage in (GL.VERTEX_SHADER, GL.FRAGMENT_SHADER):
        gl.bound.pop(stage, None)
    gl.dirty |= dirty.PROGRAM | dirty.VERTICES | dirty.TEXTURES | dirty.FIXED


@listed
def _bitmap(gl: Context, bits: NDArray[np.uint8] | None, origin: tuple[float, float], move: tuple[float, float]) -> None:
    state = gl.fixed
    if not state.raster_valid:
        return
    x, y, z, w = state.raster_position
    if bits is not None and bits.size and bits.any():
        left, low = np.floor(x - origin[0]), np.floor(y - origin[1])
        draw_rectangle(gl, bits, "R8_UNORM", (left, low, left + bits.shape[1], low + bits.shape[0]), "bitmap")
    state.raster_position = x + move[0], y + move[1], z, w


@command("glBitmap")
def bitmap(gl: Context, width: int, height: int, xorig: float, yorig: float, xmove: float, ymove: float, bitmap: Pointer) -> None:
    """Draw the ones of a bitmap in the raster color, and move the raster position."""
    not_negative("width", width, height)
    bits = None
    if bitmap and width and height:
        store = gl.unpack
        row = -(-(store.row_length or width) // 8)
        row = -(-row // store.alignment) * store.alignment
        first = store.skip_rows * row
        raw = np.frombuffer(read(bitmap + first, row * height), np.uint8).reshape(height, row)
        found = np.unpackbits(raw, axis=1, bitorder="little" if store.lsb_first else "big")
        bits = found[:, store.skip_pixels : store.skip_pixels + width] * np.uint8(255)
    _bitmap(gl, bits, (xorig, yorig), (xmove, ymove))


@listed
def _draw_pixels(gl: Context, texels: NDArray[np.uint8], format: str) -> None:
    if not gl.fixed.raster_valid:
        return
    x, y, *_ = gl.fixed.raster_position
    height, width = texels.shape[:2]
    zoom_x, zoom_y = gl.fixed.zoom
    draw_rectangle(gl, texels, format, (x, y, x + width * zoom_x, y + height * zoom_y), "pixels")


@command("glDrawPixels")
def draw_pixels(gl: Context, width: int, height: int, format: int, type: int, pixels: Pointer) -> None:
    """Draw pixels at the raster position."""
    not_negative("width", width, height)
    client = client_format(format, type)
    if client.is_depth or client.is_stencil:
        raise bad_operation("format: depth and stencil are drawn by glBlitFramebuffer here")
    data = read_pixels_of(gl, pixels, client, (width, height, 1), "glDrawPixels")
    if data is None or not data.size:
        return
    is_bytes = "8" in client.format.name and "FLOAT" not in client.format.name
    stored = Format.R8G8B8A8_UNORM if is_bytes else Format.R32G32B32A32_FLOAT
    texels = to_texels(data, client, stored)[0].reshape(height, width * stored.block_bytes)
    _draw_pixels(gl, texels.reshape(height, width, stored.block_bytes), stored.name)


@command("glPixelZoom")
def pixel_zoom(gl: Context, xfactor: float, yfactor: float) -> None:
    """The size of a drawn pixel."""
    gl.fixed.zoom = xfactor, yfactor
