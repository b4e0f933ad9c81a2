"""Colors that cannot be meant: outside of the range of a target, and pixels of a target that nothing has cleared or drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from backends.formats import Format
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import Surface
from backends.pipe.enums import Clear
from backends.pipe.state import BlendState, DepthStencilAlphaState
from tgsi.validation.drawing import Drawing
from tgsi.validation.effects import Contents
from tgsi.validation.findings import Finding

if TYPE_CHECKING:
    from backends.gallium.context.context import Context

_FAR_OUTSIDE = 8.0
"""Channels beyond this are no highlights that are clamped."""


def is_normalized(format: Format) -> bool:
    """True of color formats that hold numbers from 0, or -1, to 1."""
    return not format.is_depth_stencil and any(word in format.name for word in ("UNORM", "SNORM", "SRGB"))


def cleared(buffers: int, words: Sequence[int], colors: Sequence[Surface | None]) -> Finding | None:
    """A clear color outside of the range of a normalized target."""
    values = np.array([word & 0xFFFFFFFF for word in words], np.uint32).view(np.float32)[:4].tolist()
    for number, target in enumerate(colors):
        if target is None or not buffers & (int(Clear.COLOR0) << number) or not is_normalized(target.format):
            continue
        low = -1.0 if "SNORM" in target.format.name else 0.0
        if any(not low <= value <= 1.0 for value in values):
            hint = "; divide bytes by 255" if max(values) > 1 else ""
            shown = ", ".join(f"{value:g}" for value in values)
            text = f"the color ({shown}) lies outside of {low:g} to 1 of {target.format}, and is clamped{hint}"
            return Finding("range", (number, *values), text)
    return None


def overflow(drawing: Drawing, context: Context, before: Contents) -> str:
    """A text about a shader whose colors are far outside of the target's range; empty where all is well.

    Only a draw all of whose pixels have channels of 0 or 1 is made again, to floats.
    """
    device, state = drawing.device, drawing.state
    target = context.targets.cbufs[0] if context.targets.cbufs else None
    texture, level, _, layers, old = before[0]
    if target is None or target.living_texture is not texture or not target.format.is_plain_unorm8 or texture.samples > 1 or len(old) > 1:
        return ""
    new = texture.blocks(level, 0)[layers]
    drawn = new[(new != old).any(axis=-1)]
    if not len(drawn) or not np.isin(drawn, (0, 255)).all():
        return ""
    try:
        scratch = context.screen.resource_create(format="R32G32B32A32_FLOAT", width0=target.width, height0=target.height)
    except MemoryError:
        return ""
    surface = Surface(scratch, Format.R32G32B32A32_FLOAT, 0, 0, 0)
    kept = state.blend, state.depth_stencil_alpha
    try:
        device.set_framebuffer(replace(context.targets.framebuffer, cbufs=(surface.packet,), zsbuf=None, layers=1))
        state.blend, state.depth_stencil_alpha = BlendState(), DepthStencilAlphaState()
        drawing.carry_out()
        device.flush()
    finally:
        state.blend, state.depth_stencil_alpha = kept
        device.set_framebuffer(context.targets.framebuffer)
    pixels = np.nan_to_num(scratch.blocks(0)[0].view(np.float32).reshape(-1, 4))
    worst = pixels[int(np.abs(pixels).max(axis=1).argmax())]
    if np.abs(worst).max() <= _FAR_OUTSIDE:
        return ""
    shown = ", ".join(f"{value:g}" for value in worst.tolist())
    return f"the fragment shader writes ({shown}), outside of 0 to 1 of {target.format}, and is clamped: divide bytes by 255"


def has_gaps(texture: Resource) -> bool:
    """True if a pixel of level 0 has only bits of 0. No work is pending."""
    return bool((texture.blocks(0, 0) == 0).all(axis=-1).any())
