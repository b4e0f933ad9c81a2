"""Requests to wait for memory, which generated code answers."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator

import pytest

from backends.device.commands.waits import BUSY, DONE
from tests.alarms import interrupted
from tests.vtest.encoder import BUFFER, COVER, RGBA8, TARGET, TEXTURE_2D, Commands, Stream, draw, pipeline, vertices
from tgsi.gallium import Screen
from tgsi.tools.vtest.processes.marks import Mark
from tgsi.tools.vtest.protocol.numbers import BIND_CUSTOM
from tgsi.tools.vtest.protocol.wire import SocketWire
from tgsi.tools.vtest.session.cuts import FULL
from tgsi.tools.vtest.session.messages import answer
from tgsi.tools.vtest.session.session import Session, Statistics

BUFFERS = (2, 3)
WAIT = struct.Struct("<4I")
DRAW = Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())


def waits(*handles: int) -> bytes:
    """Requests to wait for resources."""
    return b"".join(WAIT.pack(2, 7, handle, 0) for handle in handles)


class Served:
    """A client's end of a connection, and the session that a thread answers."""

    def __init__(self, screen: Screen, *, statistics: Statistics | None = None) -> None:
        self.client, self._server = socket.socketpair()
        self.lines: list[str] = []
        self.session = Session(screen, SocketWire(self._server), self.lines.append, statistics=statistics)
        self._thread = threading.Thread(target=answer, args=(self.session,))
        self._thread.start()
        begin = Stream().resource(1, TEXTURE_2D, RGBA8, TARGET, 16, 16).submit(pipeline(16))
        begin.buffer(2, vertices(*COVER)).buffer(3, bytes(64)).resource(4, BUFFER, 64, BIND_CUSTOM, 64)
        assert self.ask(begin.submit(DRAW).wait()) == [DONE]

    def ask(self, stream: Stream, answers: int = 1) -> list[bytes]:
        """Answers to requests to wait, after all messages of a stream were sent together."""
        return self.send(bytes(stream.data), answers)

    def send(self, data: bytes, answers: int = 1) -> list[bytes]:
        """The same for the bytes of messages; a stream begins with the name of the client."""
        self.client.sendall(data)
        return [self.client.recv(12, socket.MSG_WAITALL) for _ in range(answers)]

    @property
    def answered(self) -> int:
        """Number of requests that generated code has answered."""
        assert self.session.waits is not None
        return int(self.session.waits.record.answered)

    def end(self) -> None:
        """End the connection, and the thread."""
        self.client.close()
        self._thread.join(20)
        self._server.close()
        assert not self._thread.is_alive()


@pytest.fixture
def serve(screen: Screen) -> Iterator[Callable[..., Served]]:
    made: list[Served] = []

    def serve(**options: object) -> Served:
        made.append(Served(screen, **options))  # type: ignore[arg-type]
        return made[-1]

    yield serve
    for served in made:
        served.end()


@pytest.mark.parametrize("handle", [*BUFFERS, 4])
def test_requests_are_answered_without_python_while_nothing_is_pending(serve: Callable[..., Served], handle: int) -> None:
    served = serve()
    before = served.answered
    begun = served.session.marks[Mark.BEGUN]
    assert served.send(waits(handle) * 100, 100) == [DONE] * 100
    assert served.answered == before + 100
    assert served.session.marks[Mark.BEGUN] == begun + 100
    assert served.session.marks[Mark.MESSAGE] == 7
    assert not served.lines


@pytest.mark.parametrize(("handle", "runs"), [(2, 1), (3, 0), (4, 1), (99, 1)])
def test_what_uses_the_memory_is_carried_out_before_the_answer(serve: Callable[..., Served], handle: int, runs: int) -> None:
    served = serve()
    context = served.session.current.gallium
    for turn in range(3):
        before = context.device.runs
        assert served.ask(Stream().submit(DRAW).wait(handle)) == [DONE]
        if handle != 3:
            assert context.device.runs == before + runs, turn
        served.ask(Stream().wait())


def test_a_buffer_that_nothing_uses_is_free_while_draws_are_pending(serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch) -> None:
    served = serve()
    context = served.session.current.gallium
    monkeypatch.setattr(type(context.order), "use_pause", lambda self: None)
    served.ask(Stream().wait())
    before = context.device.runs
    assert served.ask(Stream().submit(DRAW).wait(3)) == [DONE]
    assert context.device.runs == before
    assert context.device.pending


def test_a_request_comes_in_pieces_or_after_others(serve: Callable[..., Served]) -> None:
    served = serve()
    data = waits(3, 99, 2)
    for step in (1, 3, 8, 13, 20):
        for at in range(0, len(data), step):
            served.client.sendall(data[at : at + step])
        assert [served.client.recv(12, socket.MSG_WAITALL) for _ in range(3)] == [DONE] * 3
    many = waits(3) * 5000  # more than the server's buffer takes at once
    sender = threading.Thread(target=served.client.sendall, args=(many,))
    sender.start()
    assert served.client.recv(12 * 5000, socket.MSG_WAITALL) == DONE * 5000
    sender.join()


@pytest.mark.parametrize("handle", [*BUFFERS, 5])
def test_a_buffer_that_is_bound_where_a_full_message_ends_is_busy_until_the_next_draw(serve: Callable[..., Served], handle: int) -> None:
    served = serve()
    end = Commands().add("NOP", *[0] * (FULL - 10)).add("SET_UNIFORM_BUFFER", 1, 1, 16, 32, 5).add("SET_INDEX_BUFFER", 3, 4, 16)
    asked = Stream().wait(handle, 0).wait(4, 0).wait(handle, 1)
    begin = Stream().buffer(5, bytes(64), bind=64).submit(end.add("SET_VERTEX_BUFFERS", 32, 32, 2))
    assert served.ask(begin.wait(handle, 0).wait(4, 0).wait(handle), 3) == [BUSY, DONE, DONE]
    assert served.ask(Stream().submit(Commands().add("NOP", 0)).wait(handle, 0).wait(4, 0), 2) == [BUSY, DONE]
    assert served.ask(Stream().submit(Commands().add("DRAW_VBO", *draw())).wait(handle, 0)) == [DONE]
    before = served.answered
    assert served.ask(asked, 3) == [DONE] * 3
    assert served.answered == before + 3
    assert not served.lines


def test_a_handle_that_was_bound_at_a_cut_is_free_for_another_buffer(serve: Callable[..., Served]) -> None:
    served = serve()
    full = Commands().add("NOP", *[0] * (FULL - 4)).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    assert served.ask(Stream().submit(full).message(3, 2).buffer(2, vertices(*COVER)).wait(2, 0)) == [DONE]
    assert served.ask(Stream().submit(full).submit(Commands().add("DESTROY_SUB_CTX", 0)).wait(2, 0)) == [DONE]
    assert not served.lines


def test_requests_of_a_wrong_length_are_left_to_python(serve: Callable[..., Served]) -> None:
    served = serve()
    served.client.sendall(struct.pack("<5I", 3, 7, 2, 0, 0))
    served.end()
    assert served.lines == [f"{served.session.name}: RESOURCE_BUSY_WAIT: 3 words; it has 2"]


def test_a_handle_that_is_free_again_is_waited_for_as_everything(serve: Callable[..., Served]) -> None:
    served = serve()
    before = served.answered
    assert served.ask(Stream().message(3, 3).wait(3)) == [DONE]
    assert served.answered == before
    assert served.ask(Stream().buffer(3, bytes(64)).wait(3)) == [DONE]
    assert served.answered == before + 1


def test_a_client_that_does_not_read_its_answers_gets_all_of_them_later(serve: Callable[..., Served]) -> None:
    served = serve()
    served.client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    count = 40_000
    sender = threading.Thread(target=served.client.sendall, args=(waits(2) * count,))
    sender.start()
    sender.join(0.2)
    got = b""
    while len(got) < 12 * count:
        got += served.client.recv(1 << 16)
    sender.join()
    assert got == DONE * count


def test_statistics_count_every_request(serve: Callable[..., Served]) -> None:
    statistics = Statistics()
    served = serve(statistics=statistics)
    assert served.ask(Stream().wait(2).wait(3), 2) == [DONE] * 2
    assert statistics.messages["RESOURCE_BUSY_WAIT"] == 3
    assert served.session.waits is None


def test_a_signal_is_handled_while_the_client_is_silent(screen: Screen) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        session = Session(screen, SocketWire(theirs), print)
        stream = Stream().resource(1, TEXTURE_2D, RGBA8, TARGET, 16, 16).submit(pipeline(16)).buffer(2, vertices(*COVER)).wait()
        ours.sendall(stream.data)
        with interrupted(0.3, 4):
            answer(session)


# -- results of queries --------------------------------------------------------------------------------------------------
RESULT = struct.Struct("<2IQ")


def _queries(count: int) -> Commands:
    """Occlusion queries 50 and on around draws; their results go into buffer 4, RESULT.size bytes each."""
    commands = Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2)
    for k in range(count):
        commands.create("QUERY", 50 + k, 0, 16 * k, 4).add("BEGIN_QUERY", 50 + k)
        for _ in range(k):
            commands.add("DRAW_VBO", *draw())
        commands.add("END_QUERY", 50 + k).add("GET_QUERY_RESULT", 50 + k, 0)
    return commands


@pytest.mark.parametrize("wait", [4, 99, None])
def test_results_of_queries_are_there_before_the_client_looks(serve: Callable[..., Served], wait: int | None) -> None:
    served = serve()
    context = served.session.current.gallium
    served.ask(Stream().wait())
    before = context.device.runs
    stream = Stream().submit(_queries(4))
    if wait is not None:
        served.ask(stream.wait(wait))
        stream = Stream()
    served.client.sendall(stream.get(4, 0, (0, 0, 0, 64, 1, 1), 64).data)
    told = served.client.recv(64, socket.MSG_WAITALL)
    assert [RESULT.unpack_from(told, 16 * k) for k in range(4)] == [(1, 4, 256 * k) for k in range(4)]
    assert context.device.runs == before + 1
    assert not served.lines


def test_a_query_that_begins_again_tells_no_old_result(serve: Callable[..., Served]) -> None:
    served = serve()
    commands = _queries(3).add("BEGIN_QUERY", 52).add("DRAW_VBO", *draw()).add("END_QUERY", 52)
    served.client.sendall(Stream().submit(commands).wait(4).get(4, 0, (0, 0, 0, 64, 1, 1), 64).data)
    assert served.client.recv(12, socket.MSG_WAITALL) == DONE
    told = served.client.recv(64, socket.MSG_WAITALL)
    assert [RESULT.unpack_from(told, 16 * k) for k in range(3)] == [(1, 4, 0), (1, 4, 256), (0, 0, 0)]
    assert served.ask(Stream().submit(Commands().add("GET_QUERY_RESULT", 52, 0)).message(3, 4).wait(3)) == [DONE]
    assert not served.lines


def test_a_result_that_decided_about_a_draw_is_told_as_well(serve: Callable[..., Served]) -> None:
    served = serve()
    commands = _queries(2).add("SET_RENDER_CONDITION", 50, 0, 0).add("DRAW_VBO", *draw()).add("SET_RENDER_CONDITION", 0, 0, 0)
    served.client.sendall(Stream().submit(commands).wait(4).get(4, 0, (0, 0, 0, 64, 1, 1), 64).data)
    assert served.client.recv(12, socket.MSG_WAITALL) == DONE
    told = served.client.recv(64, socket.MSG_WAITALL)
    assert [RESULT.unpack_from(told, 16 * k) for k in range(2)] == [(1, 4, 0), (1, 4, 256)]
