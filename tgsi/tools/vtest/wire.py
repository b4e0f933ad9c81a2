"""Transport of bytes: a unix socket, or files for recorded streams."""

from __future__ import annotations

import array
import contextlib
import socket
from typing import BinaryIO, Protocol

from tgsi.tools.vtest.errors import ProtocolError


class Wire(Protocol):
    """Connection as a session uses it."""

    def read(self, size: int) -> bytearray:
        """Read exactly `size` bytes, or return no bytes at the end. Raises ProtocolError if the end comes within the bytes."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send all of the data."""

    def send_descriptor(self, descriptor: int) -> None:
        """Send a file descriptor, attached to a byte of its own."""


class SocketWire:
    """Connection over a unix stream socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    def read(self, size: int) -> bytearray:
        """See `Wire`. A closed connection counts as the end."""
        data = bytearray(size)
        view, got = memoryview(data), 0
        while got < size:
            with contextlib.suppress(InterruptedError):
                try:
                    count = self._socket.recv_into(view[got:], size - got, socket.MSG_WAITALL)
                except ConnectionError:
                    count = 0
                if not count:
                    if got:
                        raise ProtocolError(f"the connection ended {got} bytes into {size}")
                    return bytearray()
                got += count
        return data

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """See `Wire`."""
        try:
            self._socket.sendall(data)
        except ConnectionError:
            raise ProtocolError("the client went away before it was answered") from None

    def send_descriptor(self, descriptor: int) -> None:
        """See `Wire`."""
        try:
            self._socket.sendmsg([b"\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))])
        except ConnectionError:
            raise ProtocolError("the client went away before it was answered") from None


class FileWire:
    """Connection that reads a recorded stream and writes replies to a file."""

    def __init__(self, source: BinaryIO, replies: BinaryIO) -> None:
        self._source = source
        self._replies = replies

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
