"""Output ATTR of a task shader, of which the first lines are the input ATTR of its mesh shaders.

Words at 0x00 .. 0x1f are reserved, the payload starts at 0x20, shared memory at the next whole line. Sources: Mesa's NVK notes ("Shared
Memory", "Task") and its compiler NAK.
"""

from __future__ import annotations

from enum import IntEnum

from backends.nvk.isbe.regions import WORD_BYTES, IsbeError, Padding, lines_of, rounded_to_lines, within
from tgsi.language.record import record

PAYLOAD_START = 0x20
"""Address of the payload, after the reserved words."""


class TaskWord(IntEnum):
    """Reserved words by their addresses: number of mesh workgroups, and the three sizes of their grid.

    INDEX is the number of the workgroup, which the hardware writes into the input of each workgroup.
    """

    INDEX = 0x00
    COUNT = 0x04
    X = 0x08
    Y = 0x0C
    Z = 0x10
    UNKNOWN_14 = 0x14
    UNKNOWN_18 = 0x18
    UNKNOWN_1C = 0x1C


@record
class ReservedByte:
    """Byte `byte` of a reserved word."""

    word: TaskWord
    byte: int = 0


@record
class PayloadByte:
    """Byte of the payload."""

    offset: int


@record
class TaskSharedByte:
    """Byte of a task's shared memory."""

    offset: int


TaskPlace = ReservedByte | PayloadByte | TaskSharedByte | Padding


@record
class TaskOutput:
    """The parts of a task's output ATTR: bytes of payload and of shared memory. Not skewed."""

    payload_bytes: int = 0
    shared_bytes: int = 0

    @property
    def payload_end(self) -> int:
        """Address after the payload."""
        return PAYLOAD_START + self.payload_bytes

    @property
    def shared_start(self) -> int:
        """Address of shared memory, in whole lines."""
        return rounded_to_lines(self.payload_end)

    @property
    def size(self) -> int:
        """Bytes of the region, in whole lines."""
        return self.shared_start + rounded_to_lines(self.shared_bytes)

    @property
    def buffer_lines(self) -> int:
        """Lines of the region (SET_MESH_INIT_SHADER.LOCAL_BUFFER_LINES)."""
        return lines_of(self.size)

    @property
    def output_lines(self) -> int:
        """Lines that mesh shaders see: reserved words and payload (SET_MESH_INIT_SHADER.OUTPUT_TO_M_S_LINES)."""
        return lines_of(self.payload_end)

    def address(self, place: TaskPlace) -> int:
        """Address of a place. Raises IsbeError if it does not exist; the message names the limit."""
        match place:
            case ReservedByte(word, byte):
                return word + within(byte, WORD_BYTES, "byte of a word")
            case PayloadByte(offset):
                return PAYLOAD_START + within(offset, self.payload_bytes, "byte of the payload")
            case TaskSharedByte(offset):
                return self.shared_start + within(offset, self.shared_bytes, "byte of shared memory")
            case Padding(offset):
                for end, start in ((self.payload_end, self.shared_start), (self.shared_start + self.shared_bytes, self.size)):
                    if offset < start - end and offset >= 0:
                        return end + offset
                    offset -= start - end
                raise IsbeError("byte of padding: there are fewer")

    def at(self, address: int) -> TaskPlace:
        """Place at an address. Raises IsbeError for addresses beyond the region.

        The two paddings, after the payload and after shared memory, are counted through.
        """
        within(address, self.size, "address in ATTR")
        if address < PAYLOAD_START:
            return ReservedByte(TaskWord(address - address % WORD_BYTES), address % WORD_BYTES)
        if address < self.payload_end:
            return PayloadByte(address - PAYLOAD_START)
        if address < self.shared_start:
            return Padding(address - self.payload_end)
        offset = address - self.shared_start
        if offset < self.shared_bytes:
            return TaskSharedByte(offset)
        return Padding(offset - self.shared_bytes + self.shared_start - self.payload_end)
