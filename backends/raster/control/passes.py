"""Passes: the render targets of pending work, in the order in which they were bound. A change of targets needs no flush."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from backends.abi.limits import TILE
from backends.device.framebuffer import Framebuffer, Surface
from backends.device.memory import Range
from backends.pipe.limits import MAX_COLOR_BUFFERS, MAX_TEXTURE_SIZE
from backends.raster.records import PassRecord, Targets, Work

MOST_PASSES = 1 << 10
"""Most pending passes. The number is limited because each pass keeps its targets alive."""


class Passes:
    """The passes of a flush. The last one is open: it draws to the bound targets and receives new work.

    Generated code opens passes, too, to prepared targets; Python's lists catch up when they are read.

    Attributes:
        find: the framebuffer of prepared targets, by serial.
    """

    def __init__(self, asked: Work) -> None:
        """asked: the Work record of the flush."""
        self._records, self._asked = (PassRecord * MOST_PASSES)(), asked
        self.find: Callable[[int], Framebuffer] = _find_nothing
        self._kept: list[Framebuffer] = []
        self._framebuffer, self._earlier, self._targets = Framebuffer(0, 0), list[Range](), list[Range]()
        self._restarts = 0  # that the lists have followed
        self._known, self._prepared = 1, 0  # number of passes in the lists, and serial of the last one's prepared targets
        self._records[0].layers = 1
        asked.passes, asked.num_passes = ctypes.addressof(self._records), 1

    @property
    def framebuffer(self) -> Framebuffer:
        """The framebuffer of the open pass."""
        self.catch_up()
        return self._framebuffer

    @property
    def targets(self) -> list[Range]:
        """Memory of the targets of the open pass."""
        self.catch_up()
        return self._targets

    @property
    def earlier(self) -> list[Range]:
        """Memory of the targets of all passes but the open one."""
        self.catch_up()
        return self._earlier

    @property
    def layers(self) -> int:
        """Layers of the framebuffer to which the open pass draws: 1 until a draw names layers."""
        return int(self.record.layers)

    def catch_up(self) -> None:
        """Update the lists with passes opened by generated code."""
        count = self.count
        if self._restarts != self._asked.restarts:
            self._forget_earlier()
        if self._known == count and self._records[count - 1].prepared == self._prepared:
            return
        for number in range(self._known - 1, count):
            prepared = self._records[number].prepared
            if number >= self._known:
                self._note_end()
            elif prepared == self._prepared:
                continue
            self._take(prepared)
            self._known = number + 1

    def _take(self, prepared: int) -> None:
        """Record prepared targets as those of the open pass."""
        framebuffer = self.find(prepared)
        self._framebuffer, self._targets, self._prepared = framebuffer, [*framebuffer.ranges()], prepared

    def _note_end(self) -> None:
        """Append the open pass to the earlier ones."""
        self._kept.append(self._framebuffer)
        self._earlier += self._targets

    @property
    def count(self) -> int:
        """Number of passes, the open one included."""
        return int(self._asked.num_passes)

    @property
    def record(self) -> PassRecord:
        """The record of the open pass."""
        return self._records[self.count - 1]

    def has_work(self, num_batches: int, num_clears: int) -> bool:
        """Return true if the open pass has work, given the number of pending batches and clears."""
        if self.count == 1:
            return num_batches > 0 or num_clears > 0
        last = self._records[self.count - 2]
        return (num_batches, num_clears) != (last.end_batch, last.end_clear)

    def begin(self, framebuffer: Framebuffer, num_batches: int, num_clears: int) -> None:
        """Open a pass with other targets; at most MOST_PASSES. num_batches, num_clears: the pending work of all earlier passes."""
        self.catch_up()
        number = self.count - 1
        if self.has_work(num_batches, num_clears):
            old = self._records[number]
            old.end_batch, old.end_clear = num_batches, num_clears
            self._note_end()
            number += 1
        self._framebuffer, self._targets = framebuffer, [*framebuffer.ranges()]
        self._records[number] = pass_of(framebuffer)
        self._known, self._prepared = number + 1, 0
        self._asked.num_passes = number + 1

    def size(self, layers: int) -> None:
        """Give the open pass the tiles of its first layer, or of all layers."""
        record, sized = self.record, tiles_of(self.framebuffer, layers)
        record.tiles_x, record.num_tiles, record.layer_tiles, record.layers = sized.tiles_x, sized.num_tiles, sized.layer_tiles, layers

    def restart(self) -> None:
        """Forget all passes but the open one, whose work has been carried out."""
        last = self.record
        if last.prepared != self._prepared:
            self._take(last.prepared)
        if self.count > 1:
            self._records[0], self._asked.num_passes = last, 1
        self._forget_earlier()

    def _forget_earlier(self) -> None:
        self._known, self._earlier, self._restarts = 1, [], self._asked.restarts
        self._kept.clear()


def pass_of(framebuffer: Framebuffer) -> PassRecord:
    """A pass that draws to the first layer of a framebuffer."""
    opened = tiles_of(framebuffer, 1)
    opened.targets = targets_of(framebuffer)
    ranges = [*framebuffer.ranges()]
    if ranges:
        opened.begin, opened.end = min(at for at, _ in ranges), max(at + size for at, size in ranges)
    return opened


def _find_nothing(serial: int) -> Framebuffer:
    raise LookupError(f"{serial} was not prepared")


def tiles_of(framebuffer: Framebuffer, layers: int) -> PassRecord:
    """The tiles of some layers of a framebuffer, as a partial pass."""
    tiles_x = -(-framebuffer.width // TILE)
    layer_tiles = tiles_x * -(-framebuffer.height // TILE)
    return PassRecord(tiles_x=tiles_x, layer_tiles=layer_tiles, num_tiles=layer_tiles * layers, layers=layers)


def targets_of(framebuffer: Framebuffer) -> Targets:
    """The addresses and strides of a framebuffer's surfaces."""
    targets = Targets()
    for k, surface in enumerate(framebuffer.cbufs):
        if surface is not None:
            targets.color[k], targets.color_stride[k], targets.color_layer[k] = _place(surface)
            targets.color_sample[k] = surface.sample_stride
    if framebuffer.zsbuf is not None:
        targets.depth, targets.depth_stride, targets.depth_layer = _place(framebuffer.zsbuf)
        targets.depth_sample = framebuffer.zsbuf.sample_stride
    return targets


def _place(surface: Surface) -> tuple[int, int, int]:
    """Address, bytes a row and bytes a layer of a surface."""
    return surface.address, surface.row_stride, surface.layer_stride


def check_size(framebuffer: Framebuffer) -> None:
    """ValueError for a framebuffer that is larger, or has more color buffers, than the rasterizer can draw to."""
    width, height, most = framebuffer.width, framebuffer.height, MAX_TEXTURE_SIZE
    if not (0 <= width <= most and 0 <= height <= most):
        raise ValueError(f"a framebuffer of {width} x {height} pixels (at most {most} x {most})")
    if len(framebuffer.cbufs) > MAX_COLOR_BUFFERS:
        raise ValueError(f"{len(framebuffer.cbufs)} color buffers (at most {MAX_COLOR_BUFFERS})")
