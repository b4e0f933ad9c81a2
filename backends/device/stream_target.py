"""Targets of stream output: ranges of memory, with records that generated code reads and changes, too."""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_uint64


class TargetRecord(ctypes.Structure):
    """A range of memory that stream output writes. Sizes are in bytes."""

    _fields_ = [
        ("address", c_uint64),
        ("size", c_int64),
        ("offset", c_int64),  # end of what was written so far
        ("stride", c_int32),  # from one vertex to the next; 0 as long as nothing was written
        ("ended", c_int32),  # not 0: it was destroyed
    ]


class StreamTarget:
    """A range of memory that stream output writes.

    Attributes:
        record: the target in the form for generated code.
        keepalive: owner of the memory.
    """

    def __init__(self, address: int, size: int, keepalive: object = None) -> None:
        self.record, self.keepalive = TargetRecord(address, size), keepalive

    @property
    def address(self) -> int:
        """Address of the range."""
        return int(self.record.address)

    @property
    def size(self) -> int:
        """Bytes of the range."""
        return int(self.record.size)

    @property
    def offset(self) -> int:
        """Bytes written so far."""
        return int(self.record.offset)

    @offset.setter
    def offset(self, offset: int) -> None:
        self.record.offset = offset

    @property
    def stride(self) -> int:
        """Bytes from one vertex to the next; 0 as long as nothing was written."""
        return int(self.record.stride)

    @stride.setter
    def stride(self, stride: int) -> None:
        self.record.stride = stride
