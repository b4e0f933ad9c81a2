"""Transport of bytes: a unix socket, or files for recorded streams."""

from __future__ import annotations

import array
import select
import socket
from typing import BinaryIO, Protocol

import numpy as np

from tgsi.tools.vtest.errors import ClientGone, ProtocolError


class Wire(Protocol):
    """Connection as a session uses it."""

    @property
    def end(self) -> type[ProtocolError]:
        """Kind of the error that tells of its end where more should follow."""
        ...

    def read(self, size: int) -> bytearray | memoryview:
        """Read exactly `size` bytes, or return no bytes at the end. Raises ProtocolError if the end comes within the bytes."""

    @property
    def is_quiet(self) -> bool:
        """True if a `read` would have to wait."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send all of the data."""

    def send_descriptor(self, descriptor: int) -> None:
        """Send a file descriptor, attached to a byte of its own."""


_BUFFERED = 1 << 16  # bytes


class SocketWire:
    """Connection over a unix stream socket. One call of the system fetches all that has come of small messages."""

    end = ClientGone

    def __init__(self, connection: socket.socket, first: bytes = b"") -> None:
        """first: bytes of the connection that were read already, fewer than the buffer holds."""
        self._socket = connection
        self._buffer = bytearray(_BUFFERED)
        self._buffer[: len(first)] = first
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        self._begin, self._end = 0, len(first)  # of the bytes in the buffer that were not read yet

    @property
    def is_quiet(self) -> bool:
        """See `Wire`."""
        return self._begin == self._end and not self._poll.poll(0)

    def read(self, size: int) -> bytearray | memoryview:
        """See `Wire`. A closed connection counts as the end."""
        if size <= self._end - self._begin or self._fill(size):
            begin = self._begin
            self._begin += size
            return self._buffer[begin : self._begin]
        view = np.empty(size, np.uint8).data if size > _BUFFERED else None  # the system makes memory of it as it is written
        got = self._end - self._begin
        data = self._buffer[self._begin : self._end]
        self._begin = self._end = 0
        if view is not None:
            view[:got] = data
            while got < size and (count := self._receive(view[got:], socket.MSG_WAITALL)):
                got += count
            if got == size:
                return view
        if got:
            raise ClientGone(f"the connection ended {got} bytes into {size}")
        return bytearray()

    def _fill(self, size: int) -> bool:
        """Fetch what there is until the buffer holds `size` bytes. Returns False at the end, and for sizes that it cannot hold."""
        if size > _BUFFERED:
            return False
        if self._begin + size > _BUFFERED or self._begin == self._end:
            rest = self._buffer[self._begin : self._end]
            self._buffer[: len(rest)] = rest
            self._begin, self._end = 0, len(rest)
        view = memoryview(self._buffer)
        while self._end - self._begin < size:
            count = self._receive(view[self._end :], 0)
            if not count:
                return False
            self._end += count
        return True

    def _receive(self, target: memoryview, flags: int) -> int:
        """Wait for bytes. Returns their number; 0 at the end."""
        while True:
            try:
                return self._socket.recv_into(target, len(target), flags)
            except InterruptedError:
                continue
            except ConnectionError:
                return 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """See `Wire`."""
        try:
            self._socket.sendall(data)
        except ConnectionError:
            raise ClientGone("the client went away before it was answered") from None

    def send_descriptor(self, descriptor: int) -> None:
        """See `Wire`."""
        try:
            self._socket.sendmsg([b"\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))])
        except ConnectionError:
            raise ClientGone("the client went away before it was answered") from None


class FileWire:
    """Connection that reads a recorded stream and writes replies to a file."""

    end = ProtocolError

    def __init__(self, source: BinaryIO, replies: BinaryIO) -> None:
        self._source = source
        self._replies = replies

    @property
    def is_quiet(self) -> bool:
        """False: a file has all of its bytes."""
        return False

    def read(self, size: int) -> bytearray:
        """See `Wire`."""
        data = bytearray(self._source.read(size))
        if len(data) < size and data:
            raise ProtocolError(f"the stream ends {len(data)} bytes into {size}")
        return data

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """See `Wire`."""
        self._replies.write(data)

    def send_descriptor(self, descriptor: int) -> None:
        """Raise ProtocolError: recorded streams use protocol 0, which has no descriptors."""
        raise ProtocolError("a recorded stream cannot take a file descriptor")
