"""Copies of rows of bytes: the job that a context gives a device."""

from __future__ import annotations

from enum import IntEnum

from backends.device.memory import Range
from tgsi.language.record import record


class Crewed(IntEnum):
    """Value with which a caller of generated code says if threads can help with a copy."""

    UNKNOWN = 0
    NO = 1
    YES = 2


@record
class Copy:
    """Copy `rows` rows of `row_bytes` bytes. source, target: addresses of their first bytes; strides in bytes, at least `row_bytes`.

    The byte ranges of the two do not overlap. The caller keeps both alive until the copy is made.
    """

    source: int
    source_stride: int
    target: int
    target_stride: int
    row_bytes: int
    rows: int

    @property
    def written(self) -> Range:
        """The bytes from the first to the last row of the target."""
        return self.target, self.target_stride * (self.rows - 1) + self.row_bytes
