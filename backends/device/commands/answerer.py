"""Messages of a client that are answered without Python, while no work is pending."""

from __future__ import annotations

import ctypes
import os

from backends.device.commands.client import AnswerRecord
from backends.device.commands.reader import Buffers


class Answerer:
    """Takes messages of one connection in generated code. Those that it does not know, mistakes among them, stay unread.

    Attributes:
        record: for generated code.
    """

    def __init__(self, entry: int, socket: int, memory: bytearray, buffers: Buffers, memories: Buffers, marks: memoryview) -> None:
        """Prepare the record.

        Args:
            entry: address of the generated function.
            socket: descriptor of the connection.
            memory: for what comes of the connection.
            buffers: resources that are buffers, by handle.
            memories: the client's memory of resources, by handle.
            marks: 64-bit words: the number of messages that were begun, and the number of the last one.
        """
        functions = ctypes.CDLL(None)
        receive, send = (ctypes.cast(function, ctypes.c_void_p).value for function in (functions.recv, functions.send))
        self._kept = memory, buffers, memories, marks
        self.record = AnswerRecord(
            buffers=ctypes.addressof(buffers.record),
            memories=ctypes.addressof(memories.record),
            marks=ctypes.addressof(ctypes.c_uint64.from_buffer(marks)),
            bytes=ctypes.addressof(ctypes.c_char.from_buffer(memory)),
            size=len(memory),
            socket=socket,
            receive=receive,
            send=send,
        )
        self._at, self._answer = ctypes.addressof(self.record), ctypes.CFUNCTYPE(None, ctypes.c_void_p)(entry)

    @staticmethod
    def fits() -> bool:
        """True on systems whose `recv` and `send` have the types of POSIX."""
        return os.name == "posix"

    def answer(self, begin: int, end: int) -> tuple[int, int]:
        """Take messages. No work may be pending. begin, end: of the unread bytes of the memory, which the result has, too."""
        record = self.record
        record.begin, record.end = begin, end
        self._answer(self._at)
        return record.begin, record.end
