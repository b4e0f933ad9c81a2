"""All that a client holds is counted until it is freed, sizes are checked before memory is allocated, and memory stays flat."""

from __future__ import annotations

import gc
import io
import os
import re
import socket
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.vtest.encoder import (
    BUFFER,
    FRAGMENT,
    PASS_FS,
    RGBA8,
    SAMPLED,
    TARGET,
    TEXTURE_2D,
    Commands,
    Runner,
    Stream,
    target,
)
from tests.vtest.live import Live, running
from tgsi.gallium import Screen
from tgsi.tools.vtest.commands import table
from tgsi.tools.vtest.protocol.account import OBJECT, SUB_CONTEXT, TEXT
from tgsi.tools.vtest.protocol.numbers import BIND_CUSTOM, COMMAND_NAMES, OBJECT_NAMES
from tgsi.tools.vtest.protocol.wire import FileWire
from tgsi.tools.vtest.session.messages import MAX_MESSAGE, take
from tgsi.tools.vtest.session.session import Session

pytestmark = pytest.mark.usefixtures("quick_collections")

MIB = 1 << 20
LIMIT = 40 * MIB
VIEW = (RGBA8 | TEXTURE_2D << 24, 0, 0, 0 | 1 << 3 | 2 << 6 | 3 << 9)
DONE = struct.pack("<3I", 1, 7, 0)


class SharingWire(FileWire):
    """Messages of a client that takes descriptors and closes them."""

    def send_descriptor(self, descriptor: int) -> None:
        """Take the descriptor."""


class Client:
    """A client with a small account."""

    def __init__(self) -> None:
        self.screen, self.lines = Screen(0, memory_limit=LIMIT), list[str]()
        self.session = Session(self.screen, SharingWire(io.BytesIO(), io.BytesIO()), self.lines.append)
        self.send(target())

    def send(self, stream: Stream) -> bytes:
        """Send messages. Returns the replies."""
        replies = io.BytesIO()
        self.session.wire = SharingWire(io.BytesIO(bytes(stream.data)), replies)
        while head := self.session.next_head():
            take(self.session, head)
        return replies.getvalue()

    def submit(self, commands: Commands) -> None:
        """Send a message with commands."""
        self.send(Stream.continued().submit(commands))

    @property
    def used(self) -> int:
        """Bytes of the account."""
        return self.screen.memory.used


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.session.close()
    gc.collect()
    assert made.used == 0
    made.screen.destroy()


def texture(handle: int, size: int = 1024) -> Stream:
    """A message that makes a texture of 4 MiB."""
    return Stream.continued().resource(handle, TEXTURE_2D, RGBA8, SAMPLED | TARGET, size, size)


def shared(handle: int, size: int, width: int = 16) -> Stream:
    """A message that makes a buffer with shared memory."""
    return Stream.continued().message(12, handle, BUFFER, 64, 16, width, 1, 1, 1, 0, 0, size)


def fill_and_empty(client: Client, count: int, kind: str, making: Callable[[int], Stream]) -> None:
    """Make objects, some of which are refused; the account never exceeds the limit. After all are destroyed, it is back at its start."""
    before, handles = client.used, range(1000, 1000 + count)
    for handle in handles:
        client.send(making(handle))
        assert client.used <= LIMIT
    for handle in handles:
        client.submit(Commands().add("DESTROY_OBJECT", handle, kind=kind))
    assert client.used == before


# -- the account ---------------------------------------------------------------------------------------------------------
def test_textures_that_live_on_in_views_are_counted_until_the_views_end(client: Client) -> None:
    fill_and_empty(
        client, 20, "SAMPLER_VIEW", lambda k: texture(100).submit(Commands().create("SAMPLER_VIEW", k, 100, *VIEW)).message(3, 100)
    )
    assert "RESOURCE_CREATE" in client.lines[0]
    assert "in use" in client.lines[0]


def test_textures_that_live_on_as_targets_are_counted(client: Client) -> None:
    for k in range(20):
        surface = Commands().create("SURFACE", 200 + k, 100, RGBA8, 0, 0).add("SET_FRAMEBUFFER_STATE", 1, 0, 200 + k)
        client.send(texture(100).submit(surface).message(3, 100))
        assert client.used <= LIMIT
    assert client.lines


def test_shared_memory_is_counted_until_its_resource_is_freed(client: Client) -> None:
    before = client.used
    size = 12 * MIB
    client.send(shared(100, size, size // 2))
    assert client.used == before + size + size // 2 + OBJECT
    client.send(shared(101, size, size // 2))
    assert len(client.lines) == 1
    assert "data_size: 12582912 bytes are needed" in client.lines[0]
    assert "(--memory-mib)" in client.lines[0]
    client.send(Stream.continued().message(3, 100).message(3, 101))
    assert client.used == before


def test_shared_memory_that_a_resource_does_not_need_is_refused(client: Client) -> None:
    before = client.used
    client.send(shared(100, 64 * MIB))
    assert "data_size: 67108864 bytes are too many for a resource that needs at most" in client.lines[0]
    client.send(Stream.continued().message(3, 100))
    assert client.used == before


def test_shared_memory_of_more_than_a_gib_is_refused_by_the_account_alone_and_the_client_goes_on(client: Client) -> None:
    before = client.used
    size = 0xFFFFF000  # about the most that the message can say
    client.send(shared(100, size))
    assert "data_size: 4294963200 bytes are too many for a resource that needs at most" in client.lines[0]
    client.send(Stream.continued().message(3, 100))
    assert client.used == before
    assert len(client.lines) == 1


def test_texts_of_shaders_are_counted_before_they_are_complete(client: Client) -> None:
    piece = b"FRAG" + bytes(range(65, 91)) * 1000
    fill_and_empty(client, 2000, "SHADER", lambda k: Stream.continued().submit(Commands().piece(k, FRAGMENT, 1 << 20, piece)))
    assert "text: " in client.lines[0]
    assert "(--memory-mib)" in client.lines[0]


def test_a_text_that_begins_again_or_goes_wrong_is_no_longer_counted(client: Client) -> None:
    before = client.used
    for _ in range(3):
        client.submit(Commands().piece(100, FRAGMENT, 1 << 20, b"FRAG\n" * 100))
    assert client.used == before + OBJECT + 500
    client.submit(Commands().piece(100, FRAGMENT, 1 << 31 | 7, b"x"))
    assert client.used == before
    client.submit(Commands().piece(100, FRAGMENT, 1 << 20, b"FRAG\n" * 100).shader(100, FRAGMENT, "FRAG\nWRONG\nEND\n"))
    assert client.used == before
    client.submit(Commands().shader(100, FRAGMENT, PASS_FS))
    assert client.used == before + OBJECT + TEXT * len(PASS_FS)


_OBJECTS: dict[str, Callable[[Commands, int], Commands]] = {
    "BLEND": lambda c, handle: c.create("BLEND", handle, 0, 12, *[15 << 27] * 8),
    "RASTERIZER": lambda c, handle: c.create("RASTERIZER", handle, 1 << 29, 0, 0, 0xFFFF, 0, 0, 0, 0),
    "DSA": lambda c, handle: c.create("DSA", handle, 0, 0, 0, 0),
    "SHADER": lambda c, handle: c.shader(handle, FRAGMENT, PASS_FS),
    "VERTEX_ELEMENTS": lambda c, handle: c.create("VERTEX_ELEMENTS", handle, 0, 0, 0, 31),
    "SAMPLER_VIEW": lambda c, handle: c.create("SAMPLER_VIEW", handle, 1, *VIEW),
    "SAMPLER_STATE": lambda c, handle: c.create("SAMPLER_STATE", handle, *[0] * 8),
    "SURFACE": lambda c, handle: c.create("SURFACE", handle, 1, RGBA8, 0, 0),
    "MSAA_SURFACE": lambda c, handle: c.create("MSAA_SURFACE", handle, 1, RGBA8, 0, 0, 4),
    "QUERY": lambda c, handle: c.create("QUERY", handle, 0, 0, 2),
    "STREAMOUT_TARGET": lambda c, handle: c.create("STREAMOUT_TARGET", handle, 2, 0, 16),
}


@pytest.mark.parametrize("kind", _OBJECTS)
def test_objects_of_every_kind_are_counted_until_they_are_freed(client: Client, kind: str) -> None:
    assert {OBJECT_NAMES[number] for number in table.OBJECTS} == set(_OBJECTS)
    client.send(Stream.continued().buffer(2, bytes(64)))
    before = client.used
    client.submit(_OBJECTS[kind](Commands(), 700))
    first = client.used - before
    assert first >= OBJECT
    client.submit(_OBJECTS[kind](Commands(), 700))  # in the place of the first one
    assert client.used == before + first
    client.submit(Commands().add("DESTROY_OBJECT", 700, kind=kind.removeprefix("MSAA_")))
    assert client.used == before
    assert not client.lines


def test_objects_and_sub_contexts_without_number_meet_the_limit(client: Client) -> None:
    client.send(Stream.continued().buffer(2, bytes(64)))
    for k in range(6):
        client.send(texture(100 + k))
    for begin in range(0, 6000, 1000):
        commands = Commands()
        for k in range(begin, begin + 1000):
            commands.create("QUERY", 1000 + k, 0, 0, 2)
        client.submit(commands)
        assert client.used <= LIMIT
    assert "CREATE_OBJECT QUERY" in client.lines[0]
    client.submit(Commands().add("CREATE_SUB_CTX", 1))
    assert 1 not in client.session.contexts
    assert client.used > LIMIT - SUB_CONTEXT


def test_small_resources_without_number_meet_the_limit(client: Client) -> None:
    for k in range(6):
        client.send(texture(100 + k))
    before = client.used
    for bind in (16, BIND_CUSTOM):
        stream = Stream.continued()
        for k in range(6000):
            stream.resource(1000 + k, BUFFER, 64, bind, 16)
        client.send(stream)
        assert LIMIT - 2 * OBJECT < client.used <= LIMIT
        stream = Stream.continued()
        for k in range(6000):
            stream.message(3, 1000 + k)
        client.send(stream)
        assert client.used == before
    assert "res_handle: 2048 bytes are needed" in client.lines[0] or "in use" in client.lines[0]


# -- sizes ---------------------------------------------------------------------------------------------------------------
def test_a_large_message_is_counted_while_it_is_carried_out_and_skipped_where_it_is_too_large(client: Client) -> None:
    before = client.used
    commands = Commands().raw(COMMAND_NAMES.index("NOP"), 0, [0] * 65_535)
    commands.words *= 40
    client.submit(commands)
    assert not client.lines
    assert client.screen.memory.peak >= before + 4 * len(commands.words)
    assert client.used == before
    for k in range(6):
        client.send(texture(100 + k))
    assert client.send(Stream.continued().submit(commands).wait()) == DONE
    assert ["SUBMIT_CMD: length: " in line for line in client.lines] == [True]


def test_a_transfer_s_surplus_is_skipped_and_its_lack_is_told(client: Client) -> None:
    stream = Stream.continued().buffer(2, bytes(64))
    stream.put(2, 0, (0, 0, 0, 4, 1, 1), b"abcd" + bytes(200_000)).put(2, 0, (8, 0, 0, 4, 1, 1), b"efg")
    stream.put(9, 0, (0, 0, 0, 4, 1, 1), bytes(300_000)).put(2, 0, (62, 0, 0, 4, 1, 1), bytes(4))
    replies = client.send(stream.get(2, 0, (0, 0, 0, 12, 1, 1), 100_000).get(2, 0, (0, 0, 0, 12, 1, 1), 11).wait())
    assert replies == b"abcd" + bytes(100_000 - 4) + bytes(11) + DONE
    reasons = ("4 bytes are needed, 3 are there", "there is no resource 9", "box: 62 + 4", "12 bytes are needed, 11 are there")
    assert [reason in line for reason, line in zip(reasons, client.lines, strict=True)] == [True] * 4


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with running(tmp_path_factory.mktemp("account") / "s", "--memory-mib", "2048", "--address-space-mib", "8000") as made:
        yield made


def resident(pid: int) -> int:
    """Bytes of memory that a process has now."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def begun(client: socket.socket, server: Live, stream: Stream) -> int:
    """The process of a client that has sent a stream and got the answer to its last message, a wait."""
    client.sendall(stream.wait().data)
    assert client.recv(12, socket.MSG_WAITALL) == DONE
    return server.children()[-1]


GIB = 1 << 30
FEW_BYTES = {
    "SUBMIT_CMD": struct.pack("<2I", MAX_MESSAGE // 4, 6),
    "TRANSFER_PUT to nothing": struct.pack("<13I", 11, 5, 99, 0, 0, 0, 0, 0, 0, GIB, 1, 1, GIB),
    "TRANSFER_PUT to a buffer": struct.pack("<13I", 11, 5, 1, 0, 0, 0, 0, 0, 0, GIB, 1, 1, GIB),
    "TRANSFER_GET of nothing": struct.pack("<13I", 11, 4, 99, 0, 0, 0, 0, 0, 0, GIB, 1, 1, GIB),
    "RESOURCE_CREATE2": struct.pack("<13I", 11, 12, 7, BUFFER, 64, 16, 16, 1, 1, 1, 0, 0, GIB),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", FEW_BYTES)
def test_few_bytes_make_a_client_s_process_allocate_little(server: Live, case: str) -> None:
    with server.connect() as client:
        pid = begun(client, server, Stream().resource(1, BUFFER, 64, 16, GIB).submit(Commands().add("CREATE_SUB_CTX", 1)))
        before = resident(pid)
        client.sendall(FEW_BYTES[case] + bytes(0 if case == "RESOURCE_CREATE2" else 100_000))
        for _ in range(20):
            assert resident(pid) < before + 16 * MIB
            time.sleep(0.01)
        assert server.process.poll() is None


@pytest.mark.slow
def test_the_address_space_of_a_client_s_process_is_limited(server: Live) -> None:
    with server.connect() as client:
        limits = Path(f"/proc/{begun(client, server, Stream())}/limits").read_text()
    assert re.search(rf"Max address space +{8000 * MIB} +{8000 * MIB} ", limits)
    assert re.search(r"Max cpu time +unlimited ", limits)


# -- kinds of objects ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("command", ["CREATE_OBJECT", "BIND_OBJECT", "DESTROY_OBJECT", "NOP", "DRAW_VBO"])
def test_kinds_that_do_not_exist_are_told_by_their_number(serve: Runner, command: str) -> None:
    number = COMMAND_NAMES.index(command)
    commands = Commands()
    for kind in {*range(256)} - {OBJECT_NAMES.index("SHADER")}:
        commands.raw(number, kind, [20])
    lines = serve(target().submit(commands)).lines
    assert not [line for line in lines if "Error" in line or "Traceback" in line]
    if command == "DESTROY_OBJECT":
        assert "DESTROY_OBJECT at word 22: handle: object 20 is a SHADER, expected a kind 12" in "\n".join(lines)


def test_an_error_of_the_server_within_a_command_is_not_told_as_an_unknown_command(serve: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(sub: object, words: object) -> None:
        raise KeyError("inner")

    number = COMMAND_NAMES.index("SET_TWEAKS")
    row = table.COMMANDS[number]
    monkeypatch.setitem(table.COMMANDS, number, table.Row(row.name, row.fields, row.least, row.group, broken))
    lines = serve(Stream().submit(Commands().add("SET_TWEAKS", 1, 2))).lines
    assert lines[0] == "test: SET_TWEAKS at word 0: KeyError: 'inner'"


# -- flat memory ---------------------------------------------------------------------------------------------------------
def test_views_that_were_bound_and_ended_are_forgotten_even_if_nothing_is_drawn(client: Client) -> None:
    for _ in range(30):
        stream = Stream.continued()
        for _ in range(100):
            stream.resource(100, TEXTURE_2D, RGBA8, SAMPLED, 16, 16)
            stream.submit(Commands().create("SAMPLER_VIEW", 900, 100, *VIEW).add("SET_SAMPLER_VIEWS", FRAGMENT, 0, 900)).message(3, 100)
        client.send(stream)
    assert not client.lines
    assert len(client.session.current.gallium.state.numbers) < 2900


@pytest.mark.parametrize("rounds", [100, pytest.param(500, marks=pytest.mark.nightly)])
def test_a_client_that_makes_and_frees_forty_resources_in_each_round_holds_no_more_memory(client: Client, rounds: int) -> None:
    client.send(Stream.continued().buffer(2, bytes(64)))
    sizes = []
    for _ in range(10):
        for kind in range(4):
            stream = Stream.continued()
            for k in range(rounds):
                handle = 100 + k % 7
                if kind == 0:
                    stream.resource(handle, BUFFER, 64, 16, 1000 + 16 * k)
                elif kind == 1:
                    stream.resource(handle, BUFFER, 64, BIND_CUSTOM, 16)
                elif kind == 2:
                    stream.resource(handle, TEXTURE_2D, RGBA8, SAMPLED, 16, 16)
                else:
                    stream.message(12, handle, BUFFER, 64, 16, 4096, 1, 1, 1, 0, 0, 4096)
                if kind == 2:
                    view = Commands().create("SAMPLER_VIEW", 900, handle, *VIEW).add("SET_SAMPLER_VIEWS", FRAGMENT, 0, 900)
                    stream.submit(view)
                stream.message(3, handle)
            client.send(stream)
        sizes.append(resident(os.getpid()))
    assert not client.lines
    assert max(sizes[3:]) < sizes[2] + 4 * MIB, sizes
