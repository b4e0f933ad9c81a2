"""Buffers, images and counters for the fragment program of a block of pixels."""

from __future__ import annotations

from backends.abi.keys import ImageKey
from backends.abi.records import ShaderEnv
from backends.llvm.builder.function import Val
from backends.llvm.builder.record import Record
from backends.raster.tile.planes import Kernel


class BlockMemory:
    """A part of a block of pixels: the memory of its fragment program."""

    __slots__ = ()
    is_threaded = True
    has_handles = True
    kernel: Kernel
    env: Val
    unique: Val | None
    _covered: Val | None

    def image_key(self, unit: int) -> ImageKey | None:
        """The static part of the image of a unit; None if none is bound."""
        return dict(self.kernel.key.images).get(unit)

    def buffers(self) -> Val:
        """Pointer to the BufferRecords."""
        return Record(self.kernel.f, self.env, ShaderEnv).get("buffers")

    def counters(self) -> Val:
        """Pointer to the BufferRecords of counters."""
        return Record(self.kernel.f, self.env, ShaderEnv).get("counters")

    def counted(self) -> Val:
        """The lanes whose memory operations are carried out: no helpers, no fragments dropped by an early test, and no padding quads."""
        assert self._covered is not None
        return self.once(self._covered)

    def once(self, mask: Val) -> Val:
        """The lanes of `mask` without padding quads."""
        return mask & self.unique if self.unique is not None else mask
