"""The coverage of smooth points, lines and polygons, which multiplies alpha: each fragment is drawn alone, in white, to a target of floats.

The numbers come from the code that draws. `tests/unit/insight/coverage.py` computes them again, from the formulas of docs/primitives.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from backends.device.bound import Shader
from backends.device.framebuffer import Surface
from backends.device.memory import Memory
from backends.gallium.resource.view import Surface as View
from backends.pipe.enums import ConservativeRaster, TextureTarget
from backends.pipe.state import BlendState
from tgsi.insight.logging_program import depth_program, free_slot
from tgsi.insight.place import put_words, stored_words
from tgsi.insight.replaying import Draw, ReplayContext
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

MOST_SMOOTH = 256
"""Smooth fragments of a draw at a pixel whose coverage is computed."""
_WHITE = """FRAG
DCL SV[0], POSITION
DCL OUT[0], COLOR
DCL BUFFER[{slot}]
DCL TEMP[0..2]
IMM[0] UINT32 {{0, 4, 1, 0}}
IMM[1] FLT32 {{1, 1, 1, 1}}
LOAD TEMP[0], BUFFER[{slot}], IMM[0].yyyy
FLR TEMP[1].xy, SV[0]
F2U TEMP[1].xy, TEMP[1]
USEQ TEMP[1].xy, TEMP[1], TEMP[0]
AND TEMP[1].x, TEMP[1].xxxx, TEMP[1].yyyy
UIF TEMP[1].xxxx
  ATOMUADD TEMP[2].x, BUFFER[{slot}], IMM[0].xxxx, IMM[0].zzzz
  USEQ TEMP[1].x, TEMP[2].xxxx, TEMP[0].zzzz
ENDIF
USEQ TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
UIF TEMP[1].xxxx
  KILL
ENDIF
MOV OUT[0], IMM[1]
END
"""
"""Word 0 of the buffer counts the fragments of the pixel; words 1 and 2 are its column and row, word 3 is the number of the fragment."""


def can_be_smooth(context: ReplayContext) -> bool:
    """True if primitives of the next draw may have partial coverage."""
    r = context.state.rasterizer
    is_on = r.line_smooth or r.point_smooth or r.poly_smooth
    return bool(is_on and context.targets.framebuffer.samples == 1 and r.conservative_raster_mode is ConservativeRaster.OFF)


def coverages(context: ReplayContext, draw: Draw, pixel: tuple[int, int], layers: list[int]) -> list[np.float32]:
    """The coverage of each fragment of a draw at a pixel, in their order; 1 where a primitive is not smooth.

    Call it within `untouched`, which leaves no other fragment out than the log. layers: of the fragments.

    UnsupportedError: there are too many fragments, or the draw has no room for a buffer.
    """
    slot = free_slot(depth_program(), context.state.fragment.buffers.items)
    if slot is None or len(layers) > MOST_SMOOTH:
        reason = "the draw uses every BUFFER" if slot is None else f"there are {len(layers)} smooth fragments, more than {MOST_SMOOTH}"
        raise UnsupportedError.at("B052", f"explain: coverage is not computed, because {reason}", None)
    with _white(context, slot) as (target, words):
        return [_coverage(context, draw, (target, words), pixel, number, layer) for number, layer in enumerate(layers)]


@contextmanager
def _white(context: ReplayContext, slot: int) -> Iterator[tuple[Surface, Any]]:
    """State in which a draw goes to a target of floats, in white, and the words of the program's buffer."""
    state, framebuffer = context.state, context.targets.framebuffer
    size = framebuffer.width, framebuffer.height, framebuffer.layers

    def make_target() -> View:
        made = context.screen.resource_create(
            target=TextureTarget.TEXTURE_2D_ARRAY, format="R32G32B32A32_FLOAT", width0=size[0], height0=size[1], array_size=size[2]
        )
        return View(made, made.plain_format, 0, 0, size[2] - 1)

    view = context.made_once(context, ("coverage", *size), make_target)
    buffer = context.made_once(context, ("coverage",), lambda: context.screen.resource_create(target=TextureTarget.BUFFER, width0=16))
    shader = context.made_once(context, ("white", slot), lambda: Shader(_program(slot), owner=context.screen))
    kept = state.blend, state.fragment.shader
    try:
        state.blend = BlendState()
        state.bind(int(Processor.FRAG), shader)
        state.fragment.buffers.put(slot, Memory(buffer.address, buffer.size, buffer.storage))
        state.memory = object()
        context.watched.inner.set_framebuffer(replace(framebuffer, cbufs=(view.packet,), zsbuf=None))
        yield view.packet, buffer.storage.view(np.uint32)
    finally:
        state.blend = kept[0]
        state.bind(int(Processor.FRAG), kept[1])
        state.fragment.buffers.put(slot, None)
        state.memory = object()
        context.watched.inner.set_framebuffer(framebuffer)


def _program(slot: int) -> Program:
    return parse(_WHITE.format(slot=slot))


def _coverage(context: ReplayContext, draw: Draw, room: tuple[Surface, Any], pixel: tuple[int, int], number: int, layer: int) -> np.float32:
    target, words = room
    layer = min(layer, target.layers - 1)
    put_words(target, layer, *pixel, np.zeros((1, 16), np.uint8))
    words[:] = 0, *pixel, number
    device = context.watched.inner
    if draw.info is not None:
        device.draw(context.state, draw.info)
    elif draw.mesh is not None:
        device.draw_mesh(context.state, draw.mesh)
    device.flush()
    return np.float32(stored_words(target, layer, *pixel).view(np.float32)[0, 3])
