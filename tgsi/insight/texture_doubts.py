"""Doubts about the textures of a draw that wrote a pixel: zeros, coordinates, colors that are encoded or multiplied twice."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.memory import BoundView
from backends.formats import Format
from backends.formats.arrays import unpack
from backends.pipe.enums import BlendFactor, TexMipFilter, TextureTarget, TexWrap
from tgsi.insight.fragment_log import FragmentLog, LoggedFragment
from tgsi.insight.place import Attachment
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Instruction

_BORDERS = {TexWrap.CLAMP_TO_BORDER: "the border color", TexWrap.CLAMP_TO_EDGE: "the texel at the edge"}
_FEW = 24
"""Texels of partial alpha from which on a texture may look premultiplied."""
_MOST = 5_000_000
"""Bytes of a texture that are looked at."""


def of_textures(context: Any, attachment: Attachment, log: FragmentLog, item: LoggedFragment) -> Iterator[str]:
    """Doubts about the textures that a fragment samples, the most certain one first."""
    stage = context.state.fragment
    done: set[int] = set()
    views: list[tuple[int, BoundView]] = []
    for instruction in log.program.instructions:
        unit = _unit(instruction)
        if unit is None or unit in done or unit >= len(stage.views) or stage.views[unit] is None:
            continue
        done.add(unit)
        views.append((unit, stage.views[unit]))
        sampler = stage.samplers[unit] if unit < len(stage.samplers) else None
        yield from _zeros(stage.views[unit], unit, sampler)
        if sampler is not None and Trait.FILTER in instruction.opcode.traits:
            yield from _coordinates(stage.views[unit], sampler, unit, instruction, log, item)
    yield from _premultiplied(context, attachment, views)
    yield from _encoded(attachment, views)


def _unit(instruction: Instruction) -> int | None:
    """The number of the texture unit that an instruction samples."""
    samplers = [s.register for s in instruction.src if s.register.file is File.SAMP]
    return samplers[0].index if samplers and samplers[0].indirect is None else None


def _zeros(view: BoundView, unit: int, sampler: Any) -> Iterator[str]:
    """Levels and layers of a view that hold only zeros."""
    record = view.record
    constants = "".join("xyzw01"[int(c)] for c in view.key.swizzle)
    if set(constants[:3]) <= {"0", "1"}:
        yield f"the view of unit {unit} has the swizzle {constants!r}, which reads no channel of the texture"
        return
    levels = [[_is_zero(view, level, layer) for layer in range(_layers(view, level))] for level in range(record.last_level + 1)]
    if all(all(level) for level in levels):
        yield f"the texture of unit {unit} holds only zeros: nothing was uploaded or drawn to it"
        return
    empty = [k for k, level in enumerate(levels) if all(level)]
    if empty and not all(levels[0]) and sampler is not None and sampler.key.min_mip_filter is not TexMipFilter.NONE:
        yield f"level{'s' * (len(empty) > 1)} {_range(empty)} of the texture of unit {unit} hold only zeros: generate_mipmap"
    layers = [k for k, zero in enumerate(levels[0]) if zero]
    if len(layers) == len(levels[0]):
        yield f"level 0 of the texture of unit {unit} holds only zeros, other levels do not: upload to level=0"
    elif layers:
        what = "face" if view.key.target is TextureTarget.TEXTURE_CUBE else "layer"
        yield f"{what}{'s' * (len(layers) > 1)} {_range(layers)} of the texture of unit {unit} hold only zeros: nothing was uploaded there"


def _range(numbers: list[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _layers(view: BoundView, level: int) -> int:
    depth: int = view.record.depth
    return max(1, depth >> level if view.key.target is TextureTarget.TEXTURE_3D else depth)


def _is_zero(view: BoundView, level: int, layer: int) -> bool:
    record = view.record
    height, row = max(1, record.height >> level), record.row_stride[level]
    size = max(1, record.width >> level) * view.key.format.block_bytes
    start = record.base + record.level_offset[level] + layer * record.layer_stride[level]
    return not any(ctypes.string_at(start + y * row, size).strip(b"\0") for y in range(height))


def _coordinates(
    view: BoundView, sampler: Any, unit: int, instruction: Instruction, log: FragmentLog, item: LoggedFragment
) -> Iterator[str]:
    """Texture coordinates, read directly from an input, that do not fit the sampler."""
    operand, record = instruction.src[0], view.record
    axes = 1 if view.key.target is TextureTarget.TEXTURE_1D else 2
    if operand.register.file is not File.IN or view.key.target not in (TextureTarget.TEXTURE_1D, TextureTarget.TEXTURE_2D):
        return
    words = item.inputs[log.layout.inputs.index(operand.register.index)].view(np.float32)
    place = [float(words[operand.swizzle[k]]) for k in range(axes)]
    if not np.isfinite(place).all():
        return
    shown = f"({', '.join(f'{v:.6g}' for v in place)})"
    sizes = (record.width, record.height)[:axes]
    if not sampler.key.normalized_coords:
        if all(0 <= v <= 1 for v in place) and min(sizes) > 4:
            yield f"the sampler of unit {unit} counts texels, and gets {shown}: normalized_coords=True takes 0 to 1"
        return
    for v, wrap in zip(place, (sampler.key.wrap_s, sampler.key.wrap_t)):
        if not 0 <= v <= 1 and wrap in _BORDERS:
            yield f"the coordinates {shown} of unit {unit} lie outside of 0 to 1, where {wrap.name} gives {_BORDERS[wrap]}"
            return
    if all(abs(v) > 4 for v in place) and all(abs(v) <= size for v, size in zip(place, sizes)):
        yield f"the coordinates {shown} of unit {unit} look like texels of {sizes[0]} x {sizes[-1]}, and the sampler takes 0 to 1"


# -- colors that are changed twice ---------------------------------------------------------------------------------------------
def _premultiplied(context: Any, attachment: Attachment, views: list[tuple[int, BoundView]]) -> Iterator[str]:
    """A texture whose colors are multiplied by its alpha already, where blending multiplies them again."""
    rt = context.state.blend.target(max(attachment.index, 0))
    if not rt.blend_enable or rt.rgb_src_factor is not BlendFactor.SRC_ALPHA or len(views) != 1:
        return
    unit, view = views[0]
    texels = _texels(view)
    if texels is None:
        return
    colors, alpha = texels[:, :3].max(axis=1), texels[:, 3]
    partial = (alpha > 0.02) & (alpha < 0.98)
    is_within = bool((colors <= alpha + 1 / 255).all())
    if is_within and partial.sum() >= _FEW and (colors[partial] >= 0.75 * alpha[partial]).mean() > 0.5:
        yield (
            f"no color of the texture of unit {unit} is larger than its alpha, as if it were multiplied by it already, and the blend "
            "factor SRC_ALPHA multiplies it again; ONE is the factor of premultiplied colors"
        )


def _encoded(attachment: Attachment, views: list[tuple[int, BoundView]]) -> Iterator[str]:
    """Pictures in a format that is not decoded, for a target that encodes."""
    formats = [view.key.format for _, view in views]
    if "SRGB" not in attachment.surface.format.name or any("SRGB" in item.name for item in formats):
        return
    for (unit, _), item in zip(views, formats):
        if isinstance(item, Format) and item.is_plain_unorm8 and len(item.channels) >= 3:
            yield (
                f"the texture of unit {unit} is {item}, which is not decoded, and the target {attachment.surface.format} encodes: "
                "a picture from a file is encoded twice, and gets too light; an SRGB format of the texture decodes it"
            )
            return


def _texels(view: BoundView) -> NDArray[np.float32] | None:
    """Texels of level 0, (texels, 4); None for other formats and targets, and large textures."""
    record, format = view.record, view.key.format
    size = record.width * record.height * 4
    if not isinstance(format, Format) or not format.is_plain_unorm8 or size > _MOST or view.key.target is not TextureTarget.TEXTURE_2D:
        return None
    if not any(c.letter == "A" for c in format.channels):
        return None
    start = record.base + record.level_offset[0]
    rows = [ctypes.string_at(start + y * record.row_stride[0], record.width * format.block_bytes) for y in range(record.height)]
    return np.asarray(unpack(format, np.frombuffer(b"".join(rows), np.uint8)), np.float32)
