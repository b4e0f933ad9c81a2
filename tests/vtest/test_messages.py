"""Messages: every message's length, and the server's description of itself."""

from __future__ import annotations

import gc
import mmap
import os
import socket
import struct
import threading
import time
from array import array
from collections.abc import Iterator
from io import BytesIO

import pytest

from backends.gallium.context.shared.order import Order
from tests.vtest.encoder import (
    BUFFER,
    COVER,
    RGBA8,
    SAMPLED,
    TARGET,
    TEXTURE_2D,
    Commands,
    Runner,
    Stream,
    draw,
    pipeline,
    run,
    target,
    vertices,
)
from tgsi.gallium import Screen
from tgsi.tools.vtest.protocol.caps import CapabilitySet, capability_set
from tgsi.tools.vtest.protocol.errors import ProtocolError
from tgsi.tools.vtest.protocol.numbers import BIND_CUSTOM, FORMATS
from tgsi.tools.vtest.protocol.wire import FileWire, SocketWire
from tgsi.tools.vtest.session.messages import answer, take
from tgsi.tools.vtest.session.session import Session


def test_the_handshake_is_answered_as_mesa_wants_it(serve: Runner) -> None:
    stream = Stream().message(10).wait(0, 0).message(11, 0).message(9).message(1)
    replies = serve(stream).replies
    assert struct.unpack_from("<8I", replies) == (0, 10, 1, 7, 0, 1, 11, 0)
    assert struct.unpack_from("<2I", replies, 32) == (1377, 2)
    assert struct.unpack_from("<2I", replies, 40 + 1376) == (309, 1)
    assert len(replies) == 40 + 1376 + 8 + 308


def test_a_newer_protocol_than_allowed_is_not_agreed_to(serve: Runner) -> None:
    assert serve(Stream().message(11, 3)).replies == struct.pack("<3I", 1, 11, 0)


@pytest.mark.parametrize("asked", [None, 0, 2, 3])
def test_samples_of_surfaces_are_offered_to_no_client(serve: Runner, asked: int | None) -> None:
    """Mesa 22.3 does not send all state of their draws, and 25.0 binds them beside renderbuffers of another number of samples."""
    stream = Stream() if asked is None else Stream().message(11, asked)
    caps = CapabilitySet.from_buffer_copy(serve(stream.message(9)).replies[8 if asked is None else 20 :])
    assert not caps.capability_bits_v2 >> 6 & 1


def test_the_capability_set_has_the_layout_of_the_protocol() -> None:
    offsets = {name: getattr(CapabilitySet, name).offset for name in ("bset", "glsl_level", "max_samples", "capability_bits", "renderer")}
    assert offsets == {"bset": 260, "glsl_level": 264, "max_samples": 284, "capability_bits": 392, "renderer": 696}
    assert len(bytes(CapabilitySet())) == 1376


def test_capabilities_are_the_screens_answers(screen: Screen) -> None:
    caps = CapabilitySet.from_buffer_copy(capability_set(screen))
    assert caps.glsl_level == screen.get_param("GLSL_FEATURE_LEVEL") >= 130
    assert caps.max_render_targets == screen.get_param("MAX_RENDER_TARGETS")
    assert caps.max_geom_output_vertices == screen.get_param("MAX_GEOMETRY_OUTPUT_VERTICES")
    assert caps.max_geom_total_output_components == 4096 < screen.get_param("MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS")
    assert caps.max_streamout_buffers == screen.get_param("MAX_STREAM_OUTPUT_BUFFERS")
    assert caps.sampler[RGBA8 // 32] >> RGBA8 % 32 & 1
    assert caps.glsl_level == 430
    assert caps.max_shader_buffer_frag_compute == caps.max_shader_buffer_other_stages == 16  # Mesa's frontend crashes on more
    assert caps.texture_buffer_offset_alignment == 16  # the protocol counts in texels
    assert caps.supported_multisample_formats[0] & 1  # framebuffers without attachments
    assert caps.max_anisotropy == screen.get_paramf("MAX_TEXTURE_ANISOTROPY") == 16
    assert not caps.sampler[0] & 1
    assert caps.capability_bits & (1 << 17 | 1 << 26) == 1 << 17 | 1 << 26  # transfers in the command stream


def test_textures_that_could_be_rendered_to_in_another_format_are_not_offered(screen: Screen) -> None:
    """Clients use the first supported format of a list for GL_RGB8UI, GL_RGB16 and similar formats, whether or not they render to it."""
    caps = CapabilitySet.from_buffer_copy(capability_set(screen))
    offered = {format for number, format in FORMATS.items() if caps.sampler[number // 32] >> number % 32 & 1}
    assert not [format for format in offered if format.block_bytes in (3, 6)]
    assert {"R8G8B8A8_UINT", "R32G32B32_FLOAT"} <= {format.name for format in offered}


@pytest.mark.parametrize("length", [1, 4, 7])
def test_a_header_that_is_cut_off_ends_with_one_line(serve: Runner, length: int) -> None:
    stream = Stream()
    stream.data += bytes(length)
    assert len(serve(stream).lines) == 1


@pytest.mark.parametrize(
    ("number", "length"), [(99, 0), (2, 9), (2, 11), (3, 0), (4, 10), (5, 3), (7, 1), (6, 1 << 30), (8, 1 << 31), (11, 2)]
)
def test_a_message_of_a_wrong_length_or_number_ends_with_one_line(serve: Runner, number: int, length: int) -> None:
    stream = Stream()
    stream.data += struct.pack("<2I", length, number) + bytes(64)
    result = serve(stream.wait())
    assert len(result.lines) == 1
    assert not result.replies


def test_a_transfer_longer_than_the_stream_ends_with_one_line(serve: Runner) -> None:
    stream = Stream().buffer(1, bytes(16))
    stream.message(5, 1, 0, 0, 0, 0, 0, 0, 16, 1, 1, 16, length=15)
    assert len(serve(stream).lines) == 1


def test_a_wrong_read_is_answered_all_the_same(serve: Runner) -> None:
    result = serve(Stream().get(7, 0, (0, 0, 0, 1, 1, 1), 4))
    assert result.replies == bytes(4)
    assert "there is no resource 7" in result.lines[0]


R8 = 64  # R8_UNORM


# -- protocol 2 ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def client(screen: Screen) -> Iterator[socket.socket]:
    """Client's end of a connection that a server answers."""
    ours, theirs = socket.socketpair()
    lines: list[str] = []
    session = Session(screen, SocketWire(theirs), lines.append)
    thread = threading.Thread(target=answer, args=(session,))
    thread.start()
    with ours:
        yield ours
    thread.join(20)
    theirs.close()
    assert not thread.is_alive()
    assert not lines


def _descriptor(client: socket.socket) -> int:
    numbers = array("i")
    data, ancillary, _, _ = client.recvmsg(1, socket.CMSG_SPACE(4))
    assert len(data) == 1
    numbers.frombytes(ancillary[0][2][:4])
    return numbers[0]


def test_memory_is_shared_in_protocol_2(client: socket.socket) -> None:
    stream = Stream().message(11, 2).message(12, 1, TEXTURE_2D, RGBA8, TARGET | SAMPLED, 4, 4, 1, 1, 0, 0, 64)
    client.sendall(stream.data)
    assert client.recv(12, socket.MSG_WAITALL) == struct.pack("<3I", 1, 11, 2)
    descriptor = _descriptor(client)
    with mmap.mmap(descriptor, 64) as memory:
        with pytest.raises(OSError, match="not permitted"):
            os.ftruncate(descriptor, 8)  # if the client could shrink memory that the server has mapped, the server would die
        os.close(descriptor)
        memory[:] = bytes(range(64))
        more = Stream().message(14, 1, 0, 1, 1, 0, 2, 2, 1, 40, 20)  # a box at its position in the whole level
        more.submit(Commands().create("SURFACE", 10, 1, RGBA8, 0, 0).add("SET_FRAMEBUFFER_STATE", 1, 0, 10))
        more.message(13, 1, 0, 0, 0, 0, 4, 4, 1, 64, 0).wait(1)
        client.sendall(more.data)
        assert client.recv(12, socket.MSG_WAITALL) == struct.pack("<3I", 1, 7, 0)
        expected = bytearray(64)
        for row in (1, 2):
            at = row * 16 + 4
            expected[at : at + 8] = bytes(range(at, at + 8))
        assert memory[:] == bytes(expected)


def test_ranges_of_shared_memory_go_to_a_buffer_and_come_back(client: socket.socket) -> None:
    client.sendall(Stream().message(11, 2).message(12, 1, BUFFER, R8, 16, 96, 1, 1, 1, 0, 0, 64).data)
    client.recv(12, socket.MSG_WAITALL)
    descriptor = _descriptor(client)
    with mmap.mmap(descriptor, 64) as memory:
        os.close(descriptor)
        memory[:] = bytes(range(100, 164))
        more = Stream().message(14, 1, 0, 8, 0, 0, 16, 1, 1, 16, 3).message(14, 1, 0, 0, 0, 0, 2, 1, 1, 2, 62)
        more.message(14, 1, 0, 94, 0, 0, 2, 1, 1, 2, 0).wait(1)
        client.sendall(more.data)
        client.recv(12, socket.MSG_WAITALL)
        memory[:] = bytes(64)
        client.sendall(Stream().message(13, 1, 0, 0, 0, 0, 30, 1, 1, 30, 0).message(13, 1, 0, 90, 0, 0, 6, 1, 1, 6, 32).wait(1).data)
        client.recv(12, socket.MSG_WAITALL)
        assert memory[:32] == bytes([162, 163, *[0] * 6, *range(103, 119), *[0] * 8])
        assert memory[32:] == bytes([0, 0, 0, 0, 100, 101, *[0] * 26])


@pytest.mark.parametrize(
    ("box", "offset", "reason"),
    [
        ((60, 0, 0, 5, 1, 1), 0, "box"),
        ((0, 0, 0, 8, 1, 1), 60, "data_size: 8 bytes are needed, 4 are there"),
        ((0, 1, 0, 8, 1, 1), 0, "box"),
    ],
)
def test_ranges_outside_of_a_buffer_or_its_memory_are_refused(screen: Screen, box: tuple[int, ...], offset: int, reason: str) -> None:
    ours, theirs = socket.socketpair()
    lines: list[str] = []
    with ours, theirs:
        stream = Stream().message(11, 2).message(12, 1, BUFFER, R8, 16, 64, 1, 1, 1, 0, 0, 64).message(14, 1, 0, *box, 8, offset)
        ours.sendall(stream.data)
        ours.shutdown(socket.SHUT_WR)
        answer(Session(screen, SocketWire(theirs), lines.append))
    assert len(lines) == 1
    assert f"TRANSFER_PUT2: {reason}" in lines[0]


def test_a_range_is_written_without_a_flush_whether_or_not_draws_read_the_buffer(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[object] = []

    def note(order: Order, *reason: object) -> None:
        finished.append(order)

    monkeypatch.setattr(Order, "synchronize", note)
    counts = []
    for handle in (2, 3):
        finished.clear()
        ours, theirs = socket.socketpair()
        with ours, theirs:
            stream = target().buffer(2, vertices(*COVER)).message(11, 2).message(12, 3, BUFFER, R8, 16, 96, 1, 1, 1, 0, 0, 96)
            stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, handle).add("DRAW_VBO", *draw()))
            stream.message(14, 3, 0, 0, 0, 0, 16, 1, 1, 16, 0)
            ours.sendall(stream.data)
            ours.shutdown(socket.SHUT_WR)
            answer(Session(screen, SocketWire(theirs), print))
        counts.append(len(finished))
    assert counts[1] == counts[0]


def test_a_refused_resource_still_gets_its_descriptor(screen: Screen) -> None:
    ours, theirs = socket.socketpair()
    lines: list[str] = []
    thread = threading.Thread(target=answer, args=(Session(screen, SocketWire(theirs), lines.append),))
    thread.start()
    with ours, theirs:
        ours.sendall(Stream().message(11, 2).message(12, 1, TEXTURE_2D, 999, SAMPLED, 4, 4, 1, 1, 0, 0, 64).data)
        ours.recv(12, socket.MSG_WAITALL)
        os.close(_descriptor(ours))
        ours.shutdown(socket.SHUT_RDWR)
        thread.join(20)
    assert ["999 is not a supported format" in line for line in lines] == [True]


def test_a_wrong_range_among_others_is_told_and_the_others_are_written(screen: Screen) -> None:
    ours, theirs = socket.socketpair()
    lines: list[str] = []
    session = Session(screen, SocketWire(theirs), lines.append)
    begin, stream = Stream().message(11, 2).message(12, 1, BUFFER, R8, 16, 64, 1, 1, 1, 0, 0, 64), Stream()
    for x in range(0, 128, 8):  # those from 64 on are outside
        stream.message(14, 1, 0, x, 0, 0, 8, 1, 1, 8, 0)
    stream.message(14, 2, 0, 0, 0, 0, 8, 1, 1, 8, 0).message(14, 1, 0, 8, 0, 0, 8, 1, 1, 8, 0).wait(1)
    with ours, theirs:
        thread = threading.Thread(target=answer, args=(session,))
        thread.start()
        ours.sendall(begin.data)
        ours.recv(12, socket.MSG_WAITALL)
        descriptor = _descriptor(ours)
        with mmap.mmap(descriptor, 64) as memory:
            os.close(descriptor)
            memory[:8] = b"12345678"
        ours.sendall(stream.data)
        ours.recv(12, socket.MSG_WAITALL)
        assert bytes(session.resources[1].resource.storage) == b"12345678" * 8
        ours.close()
        thread.join(20)
    assert len(lines) == 9
    assert all("TRANSFER_PUT2: box" in line for line in lines[:8])
    assert "TRANSFER_PUT2: res_handle: 2" in lines[8]


def test_a_buffer_that_stands_for_a_fence_is_made_when_it_is_needed(screen: Screen) -> None:
    gc.collect()  # views of earlier tests may keep memory
    before = screen.memory.used
    session = Session(screen, FileWire(BytesIO(), BytesIO()), print)

    def send(stream: Stream) -> bytes:
        replies = BytesIO()
        session.wire = FileWire(BytesIO(bytes(stream.data)), replies)
        while head := session.next_head():
            take(session, head)
        return replies.getvalue()

    send(Stream().resource(1, BUFFER, R8, BIND_CUSTOM, 8).resource(2, BUFFER, R8, BIND_CUSTOM, 8).wait(1).wait(2))
    assert [holding.is_made for holding in session.resources.values()] == [False, False]
    send(Stream().put(2, 0, (2, 0, 0, 4, 1, 1), b"\1\2\3\4"))
    assert [holding.is_made for holding in session.resources.values()] == [False, True]
    assert send(Stream().get(1, 0, (0, 0, 0, 8, 1, 1), 8).get(2, 0, (0, 0, 0, 8, 1, 1), 8)) == bytes(8) + b"\0\0\1\2\3\4\0\0"
    send(Stream().message(3, 1).message(3, 2))
    session.close()
    assert screen.memory.used == before


def test_a_client_that_dies_in_the_middle_leaves_nothing_behind(screen: Screen) -> None:
    gc.collect()  # views of earlier tests may keep memory
    before = screen.memory.used
    ours, theirs = socket.socketpair()
    lines: list[str] = []
    session = Session(screen, SocketWire(theirs), lines.append)
    thread = threading.Thread(target=answer, args=(session,))
    thread.start()
    with theirs:
        stream = Stream().resource(1, TEXTURE_2D, RGBA8, TARGET, 16, 16).submit(pipeline(16))
        ours.sendall(stream.data + b"\x20\0\0\0\x06\0\0\0half")
        ours.close()
        thread.join(20)
    assert lines == []  # a client may go whenever it likes
    assert not session.resources
    assert screen.memory.used == before


def test_messages_arrive_whole_however_their_bytes_come(screen: Screen) -> None:
    ours, theirs = socket.socketpair()
    wire, data = SocketWire(theirs), bytes(range(256)) * 1024
    sizes = [1, 7, 300, 65_536, 65_537, 1, 100_000]
    cuts = [1, 2, 5, 65_000, 66_000, 66_001, 150_000, sum(sizes)]

    def send() -> None:
        for begin, end in zip([0, *cuts], cuts):
            ours.sendall(data[begin:end])
            time.sleep(0.005)
        ours.close()

    thread = threading.Thread(target=send)
    thread.start()
    with theirs:
        at = 0
        for size in sizes:
            assert bytes(wire.read(size)) == data[at : at + size]
            at += size
        assert bytes(wire.read(1)) == bytes(wire.read(100_000)) == b""
    thread.join()


@pytest.mark.parametrize("size", [20, 100_000])
def test_a_connection_that_ends_within_a_message_is_told(size: int) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        ours.sendall(b"0123456789")
        ours.close()
        with pytest.raises(ProtocolError, match=f"the connection ended 10 bytes into {size}"):
            SocketWire(theirs).read(size)


def test_a_wait_for_a_resource_that_nothing_uses_carries_nothing_out(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[object] = []

    def note(order: Order, *reason: object) -> None:
        finished.append(order)

    monkeypatch.setattr(Order, "synchronize", note)
    stream = target().buffer(2, vertices(*COVER)).buffer(3, bytes(64))
    stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw()))
    run(screen, stream)
    ends = len(finished)
    finished.clear()
    run(screen, stream.wait(3))
    assert len(finished) == ends
    finished.clear()
    run(screen, stream.wait(2))
    assert len(finished) == ends + 1


def test_work_is_drawn_while_the_client_is_silent(screen: Screen) -> None:
    ours, theirs = socket.socketpair()
    session = Session(screen, SocketWire(theirs), print)
    thread = threading.Thread(target=answer, args=(session,))
    thread.start()
    with ours, theirs:
        stream = Stream().resource(1, TEXTURE_2D, RGBA8, TARGET, 16, 16).submit(pipeline(16)).buffer(2, vertices(*COVER))
        ours.sendall(stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())).data)
        until = time.monotonic() + 20
        while (not session.contexts or not session.current.gallium.device.runs) and time.monotonic() < until:
            time.sleep(0.01)
        assert session.current.gallium.device.runs == 1
        assert not session.current.gallium.device.pending
        ours.shutdown(socket.SHUT_RDWR)
        thread.join(20)
