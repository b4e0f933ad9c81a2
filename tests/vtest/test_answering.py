"""Clients that fill buffers in pieces are answered by generated code while no work is pending; what it does not know goes to Python."""

from __future__ import annotations

import mmap
import os
import socket
import struct
import threading
from array import array
from collections.abc import Iterator

import pytest

from tests.vtest.encoder import BUFFER, COVER, RGBA8, SAMPLED, TEXTURE_2D, Commands, Stream, draw, target, vertices
from tgsi.gallium import Screen
from tgsi.tools.vtest import messages
from tgsi.tools.vtest.session import Session, Statistics
from tgsi.tools.vtest.wire import SocketWire

SIZE, R8 = 96, 64
DONE = struct.pack("<3I", 1, 7, 0)


class Client:
    """A connection with buffer 1, all of whose memory is shared, and with messages counted that Python takes."""

    def __init__(self, screen: Screen, monkeypatch: pytest.MonkeyPatch, *, statistics: Statistics | None = None) -> None:
        self.taken: list[int] = []
        take = messages.take

        def count(session: Session, head: bytearray) -> None:
            self.taken.append(struct.unpack("<2I", head)[1])
            take(session, head)

        monkeypatch.setattr(messages, "take", count)
        self.socket, self._theirs = socket.socketpair()
        self.lines: list[str] = []
        self.session = Session(screen, SocketWire(self._theirs), self.lines.append, statistics=statistics)
        self._thread = threading.Thread(target=messages.answer, args=(self.session,))
        self._thread.start()
        self.send(Stream().message(11, 2).message(12, 1, BUFFER, R8, 16, SIZE, 1, 1, 1, 0, 0, SIZE))
        assert self.receive() == struct.pack("<3I", 1, 11, 2)
        numbers = array("i")
        numbers.frombytes(self.socket.recvmsg(1, socket.CMSG_SPACE(4))[1][0][2][:4])
        self.memory = mmap.mmap(numbers[0], SIZE)
        os.close(numbers[0])
        self.memory[:] = bytes(range(SIZE))

    def send(self, stream: Stream) -> None:
        self.socket.sendall(stream.data)

    def receive(self, size: int = 12) -> bytes:
        return self.socket.recv(size, socket.MSG_WAITALL)

    def warm(self) -> None:
        """Fill a range, after which generated code answers."""
        self.send(put(0, 4).wait(1))
        assert self.receive() == DONE
        self.taken.clear()

    def bytes(self) -> bytes:
        return bytes(self.session.resources[1].resource.storage)

    def end(self) -> None:
        self.socket.close()
        self._thread.join(20)
        assert not self._thread.is_alive()
        self._theirs.close()
        self.memory.close()


def put(x: int, width: int, offset: int | None = None, *, handle: int = 1, stream: Stream | None = None) -> Stream:
    return (stream or Stream.continued()).message(14, handle, 0, x, 0, 0, width, 1, 1, width, x if offset is None else offset)


@pytest.fixture
def client(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    made = Client(screen, monkeypatch)
    yield made
    made.end()


def test_questions_and_ranges_after_the_first_are_answered_without_python(client: Client) -> None:
    client.warm()
    begun = client.session.marks[0]
    for x in range(8, 88, 8):
        client.send(put(x, 8).wait(1))
        assert client.receive() == DONE
    assert client.taken == []
    assert client.bytes() == bytes([*range(4), 0, 0, 0, 0, *range(8, 88), *[0] * 8])
    assert client.session.marks[0] == begun + 20
    assert client.session.marks[1] == 7
    assert client.lines == []


@pytest.mark.parametrize("piece", [1, 3, 7, 50])
def test_messages_that_come_in_pieces_are_answered(client: Client, piece: int) -> None:
    client.warm()
    data = bytes(put(90, 6, 1).wait(1).message(10).message(7, 1, 1).data)
    for at in range(0, len(data), piece):
        client.socket.sendall(data[at : at + piece])
    assert client.receive(32) == DONE + struct.pack("<2I", 0, 10) + DONE
    assert client.bytes()[90:] == bytes(range(1, 7))
    assert set(client.taken) <= {10, 7}


def test_more_messages_than_the_memory_holds_are_answered(client: Client) -> None:
    client.warm()
    stream = Stream.continued()
    for k in range(3000):
        put(k % 90, 6, (k * 7) % 91, stream=stream)
    client.send(stream.wait(1))
    assert client.receive() == DONE
    wanted = bytearray(client.bytes())
    for k in range(2900, 3000):
        wanted[k % 90 : k % 90 + 6] = bytes(range((k * 7) % 91, (k * 7) % 91 + 6))
    assert client.bytes() == bytes(wanted)
    assert client.taken == []


OTHERS = [
    ("an unknown handle", Stream.continued().wait(9), 7, ""),
    ("everything", Stream.continued().wait(0), 7, ""),
    ("a range after the buffer", put(SIZE - 4, 5, 0), 14, "TRANSFER_PUT2: box"),
    ("a range after the memory", put(0, 5, SIZE - 4), 14, "5 bytes are needed, 4 are there"),
    ("a large range", put(0, 0xFFFFFFFF, 0), 14, "TRANSFER_PUT2: box"),
    ("a large place", put(0xFFFFFFF0, 32, 0), 14, "TRANSFER_PUT2: box"),
    ("a large offset", put(0, 8, 0xFFFFFFFC), 14, "offset: 4294967292 is after the end"),
    ("no memory", put(0, 4, 0, handle=9), 14, "res_handle: 9 has no memory"),
    ("a level", Stream.continued().message(14, 1, 1, 0, 0, 0, 4, 1, 1, 4, 0), 14, "level"),
    ("rows", Stream.continued().message(14, 1, 0, 0, 1, 0, 4, 1, 1, 4, 0), 14, "box"),
]


@pytest.mark.parametrize(("stream", "number", "line"), [row[1:] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_what_generated_code_does_not_know_is_left_to_python(client: Client, stream: Stream, number: int, line: str) -> None:
    client.warm()
    before = client.bytes()
    client.socket.sendall(stream.data + Stream.continued().message(10).data)
    replies = (DONE if number == 7 else b"") + struct.pack("<2I", 0, 10)
    assert client.receive(len(replies)) == replies
    assert client.taken == [number, 10]
    assert len(client.lines) == bool(line)
    assert line in "".join(client.lines)
    assert client.bytes() == before


def test_a_buffer_that_was_freed_is_not_written(client: Client) -> None:
    client.warm()
    freed = client.session.resources[1].resource.storage
    client.send(put(8, 4, stream=Stream.continued().message(3, 1)).message(10))
    client.receive(8)
    assert bytes(freed[8:12]) == bytes(4)
    assert ["res_handle" in line for line in client.lines] == [True]


def test_a_texture_with_memory_is_filled_by_python(client: Client) -> None:
    client.warm()
    client.send(Stream.continued().message(12, 2, TEXTURE_2D, RGBA8, SAMPLED, 4, 1, 1, 1, 0, 0, 16))
    numbers = array("i")
    numbers.frombytes(client.socket.recvmsg(1, socket.CMSG_SPACE(4))[1][0][2][:4])
    with mmap.mmap(numbers[0], 16) as memory:
        os.close(numbers[0])
        memory[:] = bytes(range(16))
        client.send(put(0, 4, 0, handle=2).message(10))
        client.receive(8)
    assert client.taken == [12, 14, 10]
    assert client.session.resources[2].resource.storage[:16].tobytes() == bytes(range(16))


def test_pending_draws_are_carried_out_before_their_buffer_changes(client: Client) -> None:
    client.warm()
    client.memory[:] = vertices(*COVER)[:SIZE].ljust(SIZE, b"\0")
    first = target().data + put(0, SIZE).submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 1).add("DRAW_VBO", *draw())).data
    client.socket.sendall(bytes(first) + put(0, SIZE, 0).wait(1).data)
    assert client.receive() == DONE
    assert not client.session.current.gallium.device.pending
    assert 14 in client.taken


def test_statistics_count_every_message(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    statistics = Statistics()
    client = Client(screen, monkeypatch, statistics=statistics)
    client.warm()
    client.send(put(0, 4).wait(1).wait(1))
    client.receive(24)
    client.end()
    assert (statistics.messages["TRANSFER_PUT2"], statistics.messages["RESOURCE_BUSY_WAIT"]) == (2, 3)
    assert client.lines == []


def test_a_client_that_leaves_within_a_message_is_told_of(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(screen, monkeypatch)
    client.warm()
    client.socket.sendall(put(0, 4).data[:20])
    client.end()
    assert len(client.lines) == 1
    assert "the connection ended 12 bytes into 40" in client.lines[0]
