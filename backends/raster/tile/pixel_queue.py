"""Queue that packs surviving pixels of many triangles into full vectors.

A triangle of a few pixels would leave most lanes of its vectors empty. So the packed quads of each triangle are only tested, and pixels
that pass are appended to a queue with their setup records. A function of the kernel shades the queue; each lane reads the planes of its own
triangle and computes the same bytes as a lane of a quad would. Pixels are stored in the order of the queue, so of two fragments of a pixel
the later one remains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.llvm.builder.compress import store_compressed
from backends.llvm.builder.function import F32, I32, Val
from backends.raster.layouts import SetupLayout
from backends.raster.tile.fragment import FragmentInfo, FragmentKey
from backends.raster.tile.planes import Kernel, Planes

if TYPE_CHECKING:
    from tgsi.language.program import Program

QUEUE = 256
"""Number of pixels that are shaded together; the records of their triangles stay in the L1 cache."""

SHADE_PIXELS = "shade_pixels"

_LEAST_INSTRUCTIONS = 6
"""Shortest program that uses a queue, in instructions; shorter ones cost less than loading the planes of each pixel."""


def queues_pixels(key: FragmentKey, info: FragmentInfo) -> bool:
    """True if the pixels of packed quads go through a queue.

    The program must not read neighbors, except for derivatives of coordinates that are easily computed again, and later triangles must not
    depend on its results, except for stored colors.
    """
    is_alone = not (info.looks_around or info.has_side_effects or key.fetched)
    tests_before = not (info.kills or key.alpha is not None or key.to_coverage or info.depth is not None or info.stencil is not None)
    stores = [t for t in key.targets if t is not None]
    is_plain = not key.is_masked and key.samples is None and bool(stores) and not any(t.reads for t in stores)
    is_long = not info.is_constant and info.instructions >= _LEAST_INSTRUCTIONS
    is_fit = key.quads and is_alone and tests_before and is_plain and is_long
    return is_fit and (not info.looks_at_quads or coordinates_of(key, info) is not None)


def coordinates_of(key: FragmentKey, info: FragmentInfo) -> Program | None:
    """The part of a program that computes the coordinates of samples whose levels of detail come from derivatives; None if the program
    depends on neighbors in other ways."""
    from backends.llvm.program.coordinates import coordinate_part  # most kernels come from the disk cache
    from backends.llvm.sampling.sample import needs_derivatives

    def needs(view: int, sampler: int) -> bool:
        pair = key.textures[view : view + 1], key.samplers[sampler : sampler + 1]
        return all(pair) and all(t is not None and s is not None and needs_derivatives(t, s) for t, s in zip(*pair))

    if info.program is None or any(name.startswith("SUBGROUP") for name in info.system_values.values()):
        return None
    return coordinate_part(info.program, needs)


class PixelQueue:
    """The queue of one call of a shading kernel, which covers a single tile."""

    def __init__(self, kernel: Kernel, lanes: int) -> None:
        self.f, self.lanes = kernel.f, lanes
        room = QUEUE + 3 * lanes  # one block beyond the limit, and padding vectors after the last pixel
        self.words, self.records = (self.f.alloca(f"[{room} x i32]") for _ in range(2))
        self.count = self.f.var(I32, 0)
        self.tile = self.f.var(I32, 0)  # x | y << 16
        self.record: Val

    def begin(self, record: Val, tile: Val) -> None:
        """Begin with the pixels of a triangle. record: its offset in the arena; tile: x | y << 16."""
        self.record = self.f.splat(record, self.lanes)
        self.tile.set(tile)

    def append(self, pixels: Val, mask: Val) -> None:
        """Append the pixels of the lanes of `mask`, and shade the queue if it is full. pixels: x | y << 8 in the tile."""
        f, count = self.f, self.count.get()
        store_compressed(f, pixels, mask, f.at(self.words, count << 2))
        f.store(self.record, self.records, count << 2, 4)
        self.count.add(f.popcount(f.mask_bits(mask)))
        with f.if_(self.count.get() >= QUEUE, unlikely=True):
            self._shade(f.const(I32, QUEUE))
            vec = I32.wide(self.lanes)
            for memory in (self.words, self.records):
                f.store(f.load(vec, memory, 4 * QUEUE, 4), memory, 0, 4)
            self.count.add(-QUEUE)

    def flush(self) -> None:
        """Shade all queued pixels. Copies of the last pixel pad its vector, and store the same bytes again."""
        f, count = self.f, self.count.get()
        with f.if_(count.ne(0)):
            for memory in (self.words, self.records):
                at = f.at(memory, count << 2)
                f.store(f.splat(f.load(I32, at, -4), self.lanes), at, 0, 4)
            self._shade(count)
            self.count.set(0)

    def _shade(self, count: Val) -> None:
        worker, draw, arena, *_ = self.f.args
        self.f.call(None, SHADE_PIXELS, worker, draw, arena, self.words, self.records, count, self.tile.get())


class PixelPlanes(Planes):
    """The planes of a vector of pixels, each with its own setup record.

    The whole record is loaded at the beginning, because the program may need parts of it inside of branches; LLVM drops unused loads.
    """

    def __init__(self, kernel: Kernel, arena: Val, records: Val, lanes: int) -> None:
        """records: address of the offsets of the records in the arena."""
        self.kernel, self.f, self.lanes = kernel, kernel.f, lanes
        f = kernel.f
        groups = [SetupLayout.B, SetupLayout.Z, SetupLayout.Z + 16]
        groups += [SetupLayout.SLOTS + 16 * k for k in range(3 * kernel.info.num_slots)]
        words = {at + 4 * c: f.var(F32.wide(lanes)) for at in groups for c in range(4)}
        first = f.load(I32, records)
        with f.else_of(f.all(f.load(I32.wide(lanes), records, 0, 4).eq(first))) as several:  # as at the edges of larger triangles
            row = f.at(arena, first)
            for at, word in words.items():
                word.set(f.load(F32, row, at))
            several()
            rows = [f.at(arena, f.load(I32, records, 4 * k)) for k in range(lanes)]
            for at in groups:
                for c, value in enumerate(f.load_vec4s([f.at(row, at) for row in rows])):
                    words[at + 4 * c].set(value)
        self._words = {at: word.get() for at, word in words.items()}
        corner = self.integer(SetupLayout.ANCHOR)
        self.anchor = corner & 0xFFFF, corner.lshr(16)
        self.has_unit_w = None
        self.slots = []

    def word(self, offset: int) -> Val:
        """A float from each lane's record."""
        return self._words[offset]

    def integer(self, offset: int) -> Val:
        """An integer from each lane's record."""
        return self._words[offset].as_int()
