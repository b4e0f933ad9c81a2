"""Transfers inside of the command stream: bytes of the client's memory go to buffers in their turn, without Python where they are plain."""

from __future__ import annotations

import io
import mmap
import os
from random import Random

import numpy as np
import pytest

from backends.pipe.enums import DriverQuery
from backends.software.renderer import Renderer
from tests.vtest.encoder import BUFFER, COVER, RGBA8, SAMPLED, TEXTURE_2D, Commands, Stream, draw, read, target, vertices
from tgsi.gallium import Screen
from tgsi.tools.vtest.commands import table
from tgsi.tools.vtest.protocol.wire import FileWire
from tgsi.tools.vtest.session.messages import take
from tgsi.tools.vtest.session.session import Session

SIZE, R8 = 96, 64
BUFFER_1, STAGED, TEXTURE = 1, 2, 3


class SharingWire(FileWire):
    """Messages from memory; the client maps shared memory."""

    def __init__(self) -> None:
        self.source, self.replies, self.memories = io.BytesIO(), io.BytesIO(), list[mmap.mmap]()
        super().__init__(self.source, self.replies)

    def send_descriptor(self, descriptor: int) -> None:
        self.memories.append(mmap.mmap(descriptor, os.fstat(descriptor).st_size))


class Client:
    """A client of protocol 2 with a buffer, a buffer for staging, and a texture of 4 x 4, each with memory that is shared."""

    def __init__(self, screen: Screen) -> None:
        self.lines: list[str] = []
        self.wire = SharingWire()
        self.session = Session(screen, self.wire, self.lines.append)
        self.send(Stream().message(11, 2))
        for handle in (BUFFER_1, STAGED):
            self.send(Stream.continued().message(12, handle, BUFFER, R8, 16, SIZE, 1, 1, 1, 0, 0, SIZE))
        self.send(Stream.continued().message(12, TEXTURE, TEXTURE_2D, RGBA8, SAMPLED, 4, 4, 1, 1, 0, 0, 64))
        for place, memory in enumerate(self.wire.memories):
            memory[:] = bytes((k * 7 + 50 * place) & 255 for k in range(len(memory)))
        self.submit(Commands().add("NOP"))

    def send(self, stream: Stream) -> bytes:
        """The replies to messages."""
        before = self.wire.replies.tell()
        self.wire.source.seek(0)
        self.wire.source.truncate()
        self.wire.source.write(stream.data)
        self.wire.source.seek(0)
        while head := self.session.next_head():
            take(self.session, head)
        return self.wire.replies.getvalue()[before:]

    def submit(self, commands: Commands) -> None:
        self.send(Stream.continued().submit(commands))

    def bytes(self, handle: int = BUFFER_1) -> bytes:
        resource = self.session.resources[handle].resource
        self.session.synchronize()
        return bytes(resource.storage.data[: resource.size])

    def end(self) -> None:
        self.session.close()
        for memory in self.wire.memories:
            memory.close()


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Commands that Python carried out."""
    names: list[str] = []
    of = {id(row): number for number, row in table.COMMANDS.items()}
    check = table.Row.check

    def noting(row: table.Row, count: int) -> None:
        if id(row) in of:
            names.append(row.name)
        check(row, count)

    monkeypatch.setattr(table.Row, "check", noting)
    return names


def own(x: int, width: int, offset: int, handle: int = BUFFER_1, direction: int = 1, **other: int) -> tuple[int, ...]:
    """Words of TRANSFER3D."""
    level, y, z, height, depth = (other.get(name, value) for name, value in _PLAIN)
    return handle, level, 0, 0, 0, x, y, z, width, height, depth, offset, direction


def copied(x: int, width: int, offset: int, handle: int = BUFFER_1, source: int = STAGED, flags: int = 1, **other: int) -> tuple[int, ...]:
    """Words of COPY_TRANSFER3D."""
    return *own(x, width, offset, handle, **other)[:11], source, offset, flags


_PLAIN = (("level", 0), ("y", 0), ("z", 0), ("height", 1), ("depth", 1))


def test_ranges_of_a_buffer_are_filled_without_python(screen: Screen, taken: list[str]) -> None:
    client = Client(screen)
    taken.clear()
    client.submit(Commands().add("TRANSFER3D", *own(8, 16, 4)).add("COPY_TRANSFER3D", *copied(40, 5, 91)).add("END_TRANSFERS", *[5] * 900))
    wanted = bytearray(SIZE)
    wanted[8:24] = client.wire.memories[0][4:20]
    wanted[40:45] = client.wire.memories[1][91:]
    assert client.bytes() == bytes(wanted)
    assert taken == client.lines == []
    client.end()


OTHERS = {
    "after the buffer": ("TRANSFER3D", own(SIZE - 4, 5, 0), "box"),
    "after the memory": ("COPY_TRANSFER3D", copied(0, 5, SIZE - 4), "5 bytes are needed, 4 are there"),
    "a large range": ("TRANSFER3D", own(0, 0xFFFFFFFF, 0), "box"),
    "a large place": ("COPY_TRANSFER3D", copied(0xFFFFFFF0, 32, 0), "box"),
    "a large offset": ("TRANSFER3D", own(0, 8, 0xFFFFFFFC), "offset: 4294967292 is beyond the end"),
    "no source": ("COPY_TRANSFER3D", copied(0, 4, 0, source=9), "src_res_handle: 9 has no shared memory"),
    "no resource": ("COPY_TRANSFER3D", copied(0, 4, 0, handle=9), "there is no resource 9"),
    "a level": ("TRANSFER3D", own(0, 4, 0, level=1), "level"),
    "rows": ("COPY_TRANSFER3D", copied(0, 4, 0, y=1), "box"),
    "layers": ("COPY_TRANSFER3D", copied(0, 4, 0, depth=2), "box"),
    "no texel": ("TRANSFER3D", own(0, 0, 0), "box"),
    "another way": ("TRANSFER3D", own(0, 4, 8, direction=2), ""),
    "another way between resources": ("COPY_TRANSFER3D", copied(0, 4, 8, flags=3), ""),
    "a texture": ("COPY_TRANSFER3D", copied(0, 4, 8, handle=TEXTURE), ""),
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_is_not_plain_is_left_to_python(screen: Screen, taken: list[str], case: str) -> None:
    name, words, line = OTHERS[case]
    client = Client(screen)
    taken.clear()
    before, own_memory = client.bytes(), bytes(client.wire.memories[0])
    client.submit(Commands().add(name, *words))
    assert taken == [name]
    assert [line in text for text in client.lines] == [True] * bool(line)
    assert client.bytes() == before
    assert (bytes(client.wire.memories[0]) == own_memory) is (case != "another way")
    client.end()


def test_a_box_of_a_texture_comes_from_the_memory_of_another_resource(screen: Screen) -> None:
    client = Client(screen)
    client.submit(Commands().add("COPY_TRANSFER3D", *copied(1, 2, 8, handle=TEXTURE, y=1, height=2)))
    texels = np.frombuffer(client.send(read(Stream.continued(), 4, TEXTURE)), np.uint8).reshape(4, 16)
    given = np.frombuffer(bytes(client.wire.memories[1]), np.uint8)
    assert (texels[1, 4:12] == given[8:16]).all()
    assert (texels[2, 4:12] == given[24:32]).all()  # rows of the level, in the client's memory
    assert not texels[0].any()
    assert client.lines == []
    client.end()


def test_random_transfers_give_the_bytes_and_complaints_of_python(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    native = Client(screen)
    with monkeypatch.context() as patch:
        patch.setattr(Renderer, "reader_entry", lambda self, name="read": 0)
        python = Client(screen)
    random = Random(11)

    odd = (0, 1, 2, 7, SIZE, SIZE + 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)

    def number(*usual: int) -> int:
        return random.choice(usual if random.random() < 0.97 else odd)

    def words(name: str) -> tuple[int, ...]:
        x, width, offset = number(*range(80)), number(*range(1, 20)), number(*range(80))
        place = {key: number(usual) for key, usual in _PLAIN}
        if name == "TRANSFER3D":
            return own(x, width, offset, number(1, 1, 2), number(1), **place)
        return copied(x, width, offset, number(1, 1, 2), number(1, 2), number(0, 1), **place)

    for _ in range(60):
        commands = Commands()
        for name in random.choices(("TRANSFER3D", "COPY_TRANSFER3D"), k=40):
            commands.add(name, *words(name))
        for client in (native, python):
            client.submit(commands)
        assert native.lines == python.lines
        assert native.bytes() == python.bytes()
        assert native.bytes(STAGED) == python.bytes(STAGED)
    assert any(native.bytes())
    native.end()
    python.end()


@pytest.mark.parametrize("name", ["TRANSFER3D", "COPY_TRANSFER3D"])
def test_a_transfer_waits_for_its_turn_among_the_draws_and_flushes_nothing(screen: Screen, taken: list[str], name: str) -> None:
    client = Client(screen)
    stream = target()
    client.send(Stream.continued().message(3, 1))  # `target` has a resource 1 of its own
    del stream.data[: len(Stream().data)]
    client.send(stream.message(12, 4, BUFFER, R8, 16, SIZE, 1, 1, 1, 0, 0, SIZE))
    memory = client.wire.memories[-1]
    memory[:] = vertices(*COVER, color=(1, 0, 0, 1))
    client.wire.memories[1][:] = half = vertices((-1, -1), (0, -1), (-1, 3), color=(0, 1, 0, 1))
    words = own(0, SIZE, 0, 4) if name == "TRANSFER3D" else copied(0, SIZE, 0, 4)
    client.submit(Commands().add("TRANSFER3D", *own(0, SIZE, 0, 4)).add("SET_VERTEX_BUFFERS", 32, 0, 4).add("DRAW_VBO", *draw()))
    client.send(Stream.continued().wait())
    context = client.session.current.gallium
    flushes = context.create_query(DriverQuery.FLUSHES_MEMORY)
    context.begin_query(flushes)
    taken.clear()
    client.submit(Commands().add("DRAW_VBO", *draw()))
    memory[:] = half
    client.submit(Commands().add(name, *words).add("DRAW_VBO", *draw()))
    memory[:] = bytes(SIZE)  # the bytes were taken when the command came
    assert taken == client.lines == []
    context.end_query(flushes)
    assert context.get_query_result(flushes) == 0
    pixels = np.frombuffer(client.send(read(Stream.continued())), np.uint8).reshape(16, 16, 4)
    assert (pixels[8, 1] == (0, 255, 0, 255)).all()
    assert (pixels[8, 12] == (255, 0, 0, 255)).all()
    client.end()


def test_memory_and_buffers_that_were_freed_are_not_touched(screen: Screen) -> None:
    client = Client(screen)
    freed = client.session.resources[BUFFER_1].resource.storage
    client.send(Stream.continued().message(3, BUFFER_1))
    client.submit(Commands().add("COPY_TRANSFER3D", *copied(0, 8, 0)).add("TRANSFER3D", *own(0, 8, 0)))
    assert not any(bytes(freed.data))
    client.send(Stream.continued().message(3, STAGED))
    client.submit(Commands().add("COPY_TRANSFER3D", *copied(0, 8, 0, handle=TEXTURE)))
    assert ["there is no resource 1" in client.lines[0], *("has no shared memory" in line for line in client.lines[1:])] == [True] * 3
    client.end()
