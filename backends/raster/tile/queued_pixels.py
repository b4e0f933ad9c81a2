"""Shading of the pixels of a queue, whose lanes belong to several triangles.

The lanes beside a lane are not the other pixels of its quad. So levels of detail come from coordinates that are computed again at three
pixels of each lane's quad, with the planes of its triangle: the same differences as in packed quads, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from backends.llvm.builder.function import I32, PTR, Function, Module, Val
from backends.llvm.builder.lanes import LaneMap
from backends.raster.tile.fragment import FragmentInfo, FragmentKey
from backends.raster.tile.inputs import PixelInputs
from backends.raster.tile.lists import quad_width
from backends.raster.tile.pixel_block import PixelBlock
from backends.raster.tile.pixel_queue import SHADE_PIXELS, PixelPlanes, coordinates_of
from backends.raster.tile.planes import Kernel, begin_kernel
from backends.raster.tile.surfaces import PixelView
from tgsi.language.facts.traits import QUAD
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.language.record import record

_CORNERS = ((0, 0), (0, 1), (1, 1))
"""Pixels of a quad whose differences are its derivatives (`LaneMap.ddx`, `LaneMap.ddy`)."""

Corners = dict[tuple[int, int], dict[int, Sequence[Val]]]


def build_shade_pixels(key: FragmentKey, info: FragmentInfo, module: Module) -> None:
    """shade_pixels(worker, draw, arena, pixels, records, count, tile x | tile y << 16): shades the pixels of a queue; see `pixel_queue`."""
    f = Function(module, SHADE_PIXELS, [PTR, PTR, PTR, PTR, PTR, I32, I32], internal=True)
    _, _, arena, pixels_at, records_at, count, corner = f.args
    kernel, lanes = begin_kernel(f, key, info), quad_width(key.lanes)
    tile = corner & 0xFFFF, corner.lshr(16)
    views = [PixelView(f, t, lanes, *tile) for _, t in kernel.targets]
    part = coordinates_of(key, info) if info.looks_at_quads else None
    has_samples = part is not None and any(not QUAD.isdisjoint(i.opcode.traits) for i in part.instructions)
    with f.range(0, count, lanes) as k:
        word = f.load(I32.wide(lanes), pixels_at, k << 2, 4)
        planes = PixelPlanes(kernel, arena, f.at(records_at, k << 2), lanes)
        x, y = (word & 63) + tile[0], (word.lshr(8) & 63) + tile[1]
        corners: Corners = {}
        if part is not None and has_samples:
            corners = {at: _coordinates(kernel, planes, part, ((x & -2) + at[0], (y & -2) + at[1])) for at in _CORNERS}
        planes.row(planes.relative(y, 1))
        block = QueuedBlock(
            kernel=kernel,
            planes=planes,
            lane_map=LaneMap(lanes, "quad"),
            x=planes.relative(x, 0),
            centers=(x.to_float() + 0.5, y.to_float() + 0.5),
            pixels=(x, y),
            colors=[v.move(word) for v in views],
            depth=None,
            fetched=[],
            unique=None,
            corners=corners,
        )
        block.shade_tested()
    f.ret()


def _coordinates(kernel: Kernel, planes: PixelPlanes, part: Program, pixels: tuple[Val, Val]) -> dict[int, Sequence[Val]]:
    """Coordinates of the samples of a program part, by the identity of their instruction."""
    from backends.llvm.translate.translator import translate

    x, y = pixels
    planes.row(planes.relative(y, 1))
    there = _Corner(
        kernel=kernel,
        planes=planes,
        lane_map=LaneMap(planes.lanes, "quad"),
        x=planes.relative(x, 0),
        centers=(x.to_float() + 0.5, y.to_float() + 0.5),
        pixels=pixels,
        colors=[],
        depth=None,
        fetched=[],
        unique=None,
    )
    translate(kernel.f, part, there)
    return there.kept


@record(frozen=False, kw_only=True)
class _Corner(PixelInputs):
    """Inputs at another pixel of each lane's quad, for the part of the program that computes coordinates."""

    kept: dict[int, Sequence[Val]] = field(default_factory=dict)

    def keep_coordinates(self, instruction: Instruction, coords: Sequence[Val]) -> None:
        """Keep the coordinates of a sample."""
        self.kept[id(instruction)] = coords


@record(frozen=False, kw_only=True)
class QueuedBlock(PixelBlock):
    """A vector of pixels of several triangles. corners: coordinates of samples at other pixels of each lane's quad."""

    corners: Corners

    def derivatives(self, instruction: Instruction, count: int) -> list[list[Val]]:
        """Derivatives of the first coordinates of a sample along x, then along y."""
        upper, lower, right = (self.corners[at][id(instruction)][:count] for at in _CORNERS)
        return [[b - a for a, b in zip(lower, right)], [b - a for a, b in zip(upper, lower)]]
