"""A client's connection as a record for generated code, which answers requests to wait for memory. Python answers all other requests."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable

from backends.device.commands.client import WireRecord
from backends.device.commands.reader import Buffers
from backends.system import address_of

EVERYTHING = 0, 1 << 62
"""Address and size that overlap all memory: a request to wait for such a resource waits for all pending work."""

DONE = struct.pack("<3I", 1, 7, 0)
"""Answer to a request to wait: the work is done."""

BUSY = struct.pack("<3I", 1, 7, 1)
"""Answer to a poll: the work is still pending."""

_ANSWER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)  # releases the GIL, because it blocks while the client is silent


class Waits:
    """One client's requests to wait, and the received but unread bytes of its connection.

    Attributes:
        record: read and written by generated code.
        memory: resources by handle, with the memory whose pending uses a client waits for.
    """

    def __init__(self, record: WireRecord, buffer: bytearray, marks: memoryview, write: Callable[[bytes], object]) -> None:
        """Complete a record.

        Args:
            record: has the descriptor of a stream socket.
            buffer: bytes of the connection.
            marks: two words: the number of messages, and the code of the last one.
            write: sends all of its argument; used for the rest of an answer that the socket accepted only in part.
        """
        self.record, self.memory, self._write, self._kept = record, Buffers(), write, (buffer, marks)
        record.capacity, record.buffer = len(buffer), ctypes.addressof(ctypes.c_char.from_buffer(buffer))
        record.marks = ctypes.addressof(ctypes.c_uint64.from_buffer(marks))
        record.receive, record.send = address_of("recv"), address_of("send")
        record.memory = ctypes.addressof(self.memory.record)

    def answerer(self, entry: int, bound: int) -> Callable[[], object] | None:
        """A function that answers requests to wait for a context's work until Python is needed; None on systems without `recv` or `send`.

        entry: address of the generated function, 0 if the device has none. bound: address of the context's BoundRecord.
        """
        if not (entry and self.record.receive and self.record.send):
            return None
        function, at = _ANSWER(entry), ctypes.addressof(self.record)

        def answer() -> None:
            function(at, bound)
            if self.record.unsent:
                unsent, self.record.unsent = int(self.record.unsent), 0
                self._write(DONE[-unsent:])

        return answer
