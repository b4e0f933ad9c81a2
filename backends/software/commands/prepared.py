"""Prepared render targets, to which generated code can open a pass when a command is repeated."""

from __future__ import annotations

import ctypes
import itertools

from backends.device.commands.numbers import Numbers
from backends.device.commands.words import same_value
from backends.device.framebuffer import Framebuffer
from backends.raster.control.passes import check_size, pass_of
from backends.raster.control.pool import Pool
from backends.software.commands.records import PreparedTargets, ReadRange

_serials = itertools.count(1)


def has_integers(framebuffer: Framebuffer) -> bool:
    """True if a color buffer has a pure integer format."""
    return any(surface is not None and surface.format.is_integer for surface in framebuffer.cbufs)


def next_serial() -> int:
    """A serial for targets, unique in the process."""
    return next(_serials)


class PreparedTable:
    """The prepared targets, and the numbers of kinds of framebuffers."""

    def __init__(self, pool: Pool) -> None:
        self._pool, self._numbers = pool, Numbers()
        self._of: dict[int, PreparedTargets] = {}  # by address
        self._framebuffers: dict[int, Framebuffer] = {}  # by serial
        pool.passes.find = self._framebuffers.__getitem__

    def prepare(self, framebuffer: Framebuffer) -> int:
        """Prepare targets; returns the address of their record. ValueError for targets that the rasterizer does not support."""
        check_size(framebuffer)
        opened = pass_of(framebuffer)
        opened.prepared = next_serial()
        targets = PreparedTargets(opened, self.kind_of(framebuffer), self._pool.arena_for(opened))
        targets.has_integers = has_integers(framebuffer)
        targets.width, targets.height = framebuffer.width, framebuffer.height
        for targets.num_targets, piece in enumerate(framebuffer.ranges(), 1):
            targets.targets[targets.num_targets - 1] = ReadRange(*piece)
        self._of[ctypes.addressof(targets)], self._framebuffers[opened.prepared] = targets, framebuffer
        return ctypes.addressof(targets)

    def end(self, address: int) -> None:
        """Release targets that generated code no longer binds. Pending passes keep theirs."""
        self._pool.passes.catch_up()
        del self._framebuffers[self._of.pop(address).opened.prepared]

    def kind_of(self, framebuffer: Framebuffer) -> int:
        """The number of the kind of a framebuffer."""
        return self._numbers.of(framebuffer.kind, same_value)

    def sweep(self, living: set[int]) -> None:
        """Forget all kinds except those with the numbers `living`, and those of prepared targets."""
        self._numbers.sweep(living.union(prepared.framebuffer for prepared in self._of.values()))
