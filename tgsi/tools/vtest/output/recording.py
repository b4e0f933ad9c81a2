"""Recorded streams of clients and the replies to them, which ``--replay`` plays."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from tgsi.tools.vtest.output.compare import whole_messages
from tgsi.tools.vtest.protocol.errors import ClientGone
from tgsi.tools.vtest.protocol.wire import SocketWire


class RecordingWire(SocketWire):
    """Connection whose bytes go to two files: NAME.bin has the client's, NAME.rep ours.

    The client must use protocol 0, in which the stream carries all data.
    """

    def __init__(self, connection: socket.socket, first: bytes, path: Path) -> None:
        super().__init__(connection, first)
        self._paths = path, path.with_suffix(".rep")
        self._stream, self._replies = (place.open("wb") for place in self._paths)
        self._stream.write(first)

    def attend(self, marks: memoryview) -> None:
        """See `Wire`. All messages are recorded."""

    def _receive(self, target: memoryview, flags: int) -> int:
        count = super()._receive(target, flags)
        self._stream.write(target[:count])
        return count

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """See `Wire`. All messages sent before a client disconnected are carried out, so that the whole stream has replies."""
        self._replies.write(data)
        with contextlib.suppress(ClientGone):
            super().write(data)

    def close(self, *, is_wanted: bool) -> None:
        """Finish the files, or remove them. An incomplete last message is cut off."""
        for file, path in zip((self._stream, self._replies), self._paths):
            file.close()
            if not is_wanted:
                path.unlink()
        if is_wanted:
            data = self._paths[0].read_bytes()
            os.truncate(self._paths[0], whole_messages(data))


class PlayedStream(BytesIO):
    """Recorded stream that reports the number of bytes read."""

    def __init__(self, data: bytes, note: Callable[[int], object]) -> None:
        super().__init__(data)
        self._note = note

    def read(self, size: int | None = -1, /) -> bytes:
        """Read and report the byte count."""
        data = super().read(size)
        self._note(len(data))
        return data
