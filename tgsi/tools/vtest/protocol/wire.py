"""Transport of bytes: a unix socket, or files for recorded streams."""

from __future__ import annotations

import array
import select
import socket
from typing import BinaryIO, Protocol

import numpy as np

from backends.device.commands.client import WireRecord
from backends.device.commands.waits import Waits
from tgsi.tools.vtest.protocol.errors import ClientGone, ProtocolError


class Wire(Protocol):
    """Connection as a session uses it."""

    @property
    def end(self) -> type[ProtocolError]:
        """Type of the error for the end of a stream inside a message."""
        ...

    def read(self, size: int) -> bytearray | memoryview:
        """Read exactly `size` bytes, or return no bytes at the end. Raises ProtocolError if the stream ends within the bytes."""

    @property
    def is_quiet(self) -> bool:
        """True if a `read` would have to wait."""

    def attend(self, marks: memoryview) -> Waits | None:
        """Let generated code read requests to wait, and count messages in `marks`. None: Python reads all messages."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send all of the data."""

    def send_descriptor(self, descriptor: int) -> None:
        """Send a file descriptor, attached to a separate byte."""


_BUFFERED = 1 << 16  # bytes


class SocketWire:
    """Connection over a unix stream socket. One system call fetches all small messages that have arrived."""

    end = ClientGone

    def __init__(self, connection: socket.socket, first: bytes = b"") -> None:
        """first: bytes already read from the connection, fewer than the buffer holds."""
        self._socket = connection
        self._buffer = bytearray(_BUFFERED)
        self._buffer[: len(first)] = first
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        self._state = WireRecord(descriptor=connection.fileno(), end=len(first))

    def attend(self, marks: memoryview) -> Waits | None:
        """See `Wire`."""
        return Waits(self._state, self._buffer, marks, self.write)

    @property
    def is_quiet(self) -> bool:
        """See `Wire`."""
        s = self._state
        return bool(s.begin == s.end) and not self._poll.poll(0)

    def read(self, size: int) -> bytearray | memoryview:
        """See `Wire`. A closed connection counts as the end."""
        s = self._state
        if size <= s.end - s.begin or self._fill(size):
            begin = s.begin
            s.begin += size
            return self._buffer[begin : s.begin]
        view = np.empty(size, np.uint8).data if size > _BUFFERED else None  # the system allocates it as it is written
        got = s.end - s.begin
        data = self._buffer[s.begin : s.end]
        s.begin = s.end = 0
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
        """Fetch available data until the buffer holds `size` bytes. Returns False at the end, and for sizes that it cannot hold."""
        if size > _BUFFERED:
            return False
        s = self._state
        if s.begin + size > _BUFFERED or s.begin == s.end:
            rest = self._buffer[s.begin : s.end]
            self._buffer[: len(rest)] = rest
            s.begin, s.end = 0, len(rest)
        view = memoryview(self._buffer)
        while s.end - s.begin < size:
            count = self._receive(view[s.end :], 0)
            if not count:
                return False
            s.end += count
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
            raise ClientGone("the client disconnected before it was answered") from None

    def send_descriptor(self, descriptor: int) -> None:
        """See `Wire`."""
        try:
            self._socket.sendmsg([b"\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))])
        except ConnectionError:
            raise ClientGone("the client disconnected before it was answered") from None


class FileWire:
    """Connection that reads a recorded stream and writes replies to a file."""

    end = ProtocolError

    def __init__(self, source: BinaryIO, replies: BinaryIO) -> None:
        self._source = source
        self._replies = replies

    def attend(self, marks: memoryview) -> None:
        """See `Wire`. Files never block."""

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
