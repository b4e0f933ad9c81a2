"""Comparison of the replies to a recorded stream with recorded replies: message by message, pixels within the precision of their format."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.formats.arrays import unpack, unpack_depth
from tgsi.language.record import record
from tgsi.tools.vtest.protocol.errors import ProtocolError
from tgsi.tools.vtest.protocol.numbers import FORMATS

_HEAD = struct.Struct("<2I")
_BUSY, _CREATE, _UNREF, _GET, _PUT, _RENDERER, _CAPS, _CAPS2, _PING, _VERSION = 7, 2, 3, 4, 5, 8, 1, 9, 10, 11
_REPLY = {_BUSY: 12, _PING: 8, _VERSION: 12}
STEP = 1.0 / 255
"""One step of an 8-bit color, the unit of the tolerance (`_tolerance` adds 1% for rounding)."""

FRACTION = 0.02
"""Fraction of a read's texels that may deviate by more, such as pixels on edges, and texels filtered at a border."""


@record(frozen=False, kw_only=True)
class Read:
    """Comparison of the replies to one TRANSFER_GET: the format and size of the box, and the deviation."""

    number: int
    format: Format | None
    size: tuple[int, ...]
    is_exact: bool
    is_equal: bool
    worst: float = 0.0
    off: float = 0.0

    def line(self) -> str:
        """The comparison as a line of text."""
        name = "buffer" if self.format is None else str(self.format)
        return f"read {self.number}: {name} {'x'.join(map(str, self.size))}: off by at most {self.worst:.4g}, {self.off:.2%} of texels"


@record(frozen=False)
class Comparison:
    """Comparison of all reads of a stream."""

    reads: list[Read] = field(default_factory=list)
    trouble: str = ""

    @property
    def is_equal(self) -> bool:
        """True if every read is equal within the tolerance."""
        return not self.trouble and all(read.is_equal for read in self.reads)


def requests(stream: bytes) -> Iterator[tuple[int, memoryview]]:
    """Pairs (number, body) of a recorded stream's messages in protocol 0. Raises ProtocolError if the stream ends inside a message."""
    view, at = memoryview(stream), 0
    while at < len(view):
        if at + 8 > len(view):
            raise ProtocolError("the stream ends inside a header")
        length, number = _HEAD.unpack_from(view, at)
        at += 8
        size = length if number == _RENDERER else length * 4
        if number == _PUT:
            if at + 44 > len(view):
                raise ProtocolError("the stream ends inside a transfer")
            size = 44 + int.from_bytes(view[at + 40 : at + 44], "little")
        if at + size > len(view):
            raise ProtocolError("the stream ends inside a message")
        yield number, view[at : at + size]
        at += size


def whole_messages(stream: bytes) -> int:
    """Bytes of a stream's complete messages."""
    end = 0
    with contextlib.suppress(ProtocolError):
        for _, body in requests(stream):
            end += 8 + len(body)
    return end


def compare(stream: bytes, ours: bytes, theirs: bytes) -> Comparison:
    """Walk both streams of replies along the recorded requests. A server's description of itself (its capabilities) is not compared."""
    comparison = Comparison()
    resources: dict[int, tuple[int, Format | None]] = {}
    at = [0, 0]
    count = 0
    for number, body in requests(stream):
        words = body[: len(body) // 4 * 4].cast("I")
        if number == _CREATE:
            format = FORMATS.get(words[2]) if words[1] else None  # blocks are compared as bytes, like buffers
            resources[words[0]] = (words[1], format if isinstance(format, Format) else None)
        elif number == _UNREF:
            resources.pop(words[0], None)
        parts = []
        for index, replies in enumerate((ours, theirs)):
            size = _reply_size(number, words, replies, at[index])
            parts.append(replies[at[index] : at[index] + size])
            at[index] += size
            if len(parts[-1]) < size:
                comparison.trouble = f"{'our' if not index else 'the recorded'} replies end at message {number}"
                return comparison
        if number == _GET:
            _, plain = resources.get(words[0], (0, None))
            comparison.reads.append(compare_read(count, plain, words, *parts))
            count += 1
        elif number in _REPLY and parts[0][:8] != parts[1][:8]:
            comparison.trouble = f"the replies to message {number} have different headers"
            return comparison
    return comparison


def _reply_size(number: int, words: memoryview, replies: bytes, at: int) -> int:
    if number == _GET:
        return int(words[10])
    if number in (_CAPS, _CAPS2):
        return 8 + int.from_bytes(replies[at : at + 4], "little") - 1 if len(replies) >= at + 4 else 8
    return _REPLY.get(number, 0)


def compare_read(number: int, format: Format | None, words: memoryview, ours: bytes, theirs: bytes) -> Read:
    """Compare one read of a box: buffers and integers exactly, other texels as numbers within the tolerance."""
    width, height, depth = words[7], words[8], words[9]
    if format is None:
        return Read(
            number=number,
            format=None,
            size=(len(ours),),
            is_exact=ours == theirs,
            is_equal=ours == theirs,
            worst=0.0 if ours == theirs else 1.0,
        )
    row = width * format.block_bytes
    stride = words[2] if words[2] and height > 1 else row
    layer = words[3] if words[3] and depth > 1 else stride * height
    shape, strides = (depth, height, row), (layer, stride, 1)
    pixels = [
        np.ascontiguousarray(np.ndarray(shape, np.uint8, np.frombuffer(data, np.uint8).data, 0, strides)).reshape(-1)
        for data in (ours, theirs)
    ]
    if np.array_equal(pixels[0], pixels[1]):
        return Read(number=number, format=format, size=(width, height, depth), is_exact=True, is_equal=True)
    off = _distance(format, pixels[0], pixels[1])
    wrong = off > _tolerance(format)
    part = float(wrong.mean())
    return Read(
        number=number,
        format=format,
        size=(width, height, depth),
        is_exact=False,
        is_equal=part <= FRACTION,
        worst=float(off.max()),
        off=part,
    )


def _tolerance(format: Format) -> float:
    if format.is_integer:
        return 0.0
    if format.is_depth_stencil:
        return 1e-5
    bits = max(channel.size for channel in format.channels)
    return STEP * 1.01 if bits >= 8 else 1.01 / ((1 << min(c.size for c in format.channels if c.size)) - 1)


def _distance(format: Format, ours: NDArray[np.uint8], theirs: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Largest deviation of a channel per texel: absolute for values up to 1, relative for larger ones."""
    if format.is_depth_stencil:
        if not format.has_depth:
            differ: NDArray[np.float64] = (ours != theirs).astype(np.float64)
            return differ
        a, b = unpack_depth(format, ours).astype(np.float64), unpack_depth(format, theirs).astype(np.float64)
        apart: NDArray[np.float64] = np.abs(a - b)
        return apart
    a, b = unpack(format, ours).astype(np.float64), unpack(format, theirs).astype(np.float64)
    with np.errstate(invalid="ignore"):
        distance = np.abs(a - b) / np.maximum(1.0, np.abs(b))
    distance[(a == b) | (np.isnan(a) & np.isnan(b))] = 0.0
    worst: NDArray[np.float64] = np.nan_to_num(distance, nan=np.inf).max(axis=-1)
    return worst
