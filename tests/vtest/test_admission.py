"""Admission of clients: handshakes, places, users, and a system without room."""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vtest.encoder import Stream
from tests.vtest.live import running, wait_until
from tgsi.tools.vtest.processes.address import listen
from tgsi.tools.vtest.processes.door import PAUSE, Door, Visitor
from tgsi.tools.vtest.processes.limits import Limits

HELLO = bytes(Stream("me").data)
DONE = struct.pack("<3I", 1, 7, 0)


class Entry:
    """A door with a clock that tests move, and its messages."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path, self.now, self.lines = path, 100.0, list[str]()
        self.ours: list[socket.socket] = []
        self.door = Door(listen(path), limits, self.lines.append, lambda: self.now)

    def connect(self, data: bytes = b"") -> socket.socket:
        """A new connection that has sent something."""
        made = socket.socket(socket.AF_UNIX)
        made.connect(str(self.path))
        made.sendall(data)
        made.setblocking(False)
        self.ours.append(made)
        self.door.attend()
        return made

    def next(self, served: Counter[int] | None = None) -> Visitor | None:
        """The visitor whose turn it is; its connection ends with the test."""
        found = self.door.next(served or Counter())
        if found is not None:
            self.ours.append(found.connection)
        return found

    def close(self) -> None:
        self.door.close()
        for made in self.ours:
            made.close()


@pytest.fixture
def entry(tmp_path: Path) -> Iterator[Entry]:
    made = Entry(tmp_path / "s", Limits(waiting=4, clients=4))
    yield made
    made.close()


def is_closed(connection: socket.socket) -> bool:
    """Return whether the server has closed its end."""
    try:
        return not connection.recv(1)
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


# -- handshakes ----------------------------------------------------------------------------------------------------------
def test_a_connection_is_a_client_once_its_first_message_has_come_in_whatever_pieces(entry: Entry) -> None:
    silent, slow = entry.connect(), entry.connect(HELLO[:3])
    assert entry.next() is None
    for at in range(3, len(HELLO)):
        assert entry.next() is None
        slow.sendall(HELLO[at : at + 1])
        entry.door.attend()
    found = entry.next()
    assert found is not None
    assert found.first == HELLO
    assert found.name == f"me (process {os.getpid()}, user {os.getuid()})"
    assert not is_closed(silent)


def test_what_follows_the_first_message_is_left_to_the_client_s_process(entry: Entry) -> None:
    entry.connect(HELLO + b"more")
    found = entry.next()
    assert found is not None
    assert found.connection.recv(10) == b"more"


def test_a_connection_that_says_nothing_is_closed_after_five_seconds(entry: Entry) -> None:
    silent, slow = entry.connect(), entry.connect(HELLO[:7])
    assert entry.door.patience() == 5
    entry.now += 4.9
    entry.door.attend()
    assert not is_closed(silent)
    entry.now += 0.2
    entry.door.attend()
    assert is_closed(silent)
    assert is_closed(slow)
    assert ["did not arrive within 5 seconds" in line for line in entry.lines] == [True, True]
    assert entry.door.patience() is None


def test_a_client_that_waits_for_a_place_is_not_closed(entry: Entry) -> None:
    waiting = entry.connect(HELLO)
    entry.now += 1000
    entry.door.attend()
    assert not is_closed(waiting)
    assert entry.door.patience() is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (struct.pack("<2I", 1, 7), "its first message is 7"),
        (struct.pack("<2I", 1 << 31, 8), "its name has 2147483648 bytes"),
        (struct.pack("<2I", 4097, 8), "its name has 4097 bytes"),
        (b"GET / HTTP/1.1\r\n\r\n", "its first message is"),
    ],
)
def test_what_is_no_handshake_is_sent_away_with_a_line(entry: Entry, data: bytes, reason: str) -> None:
    assert is_closed(entry.connect(data))
    assert [reason in line for line in entry.lines] == [True]


def test_a_connection_that_ends_before_its_handshake_is_forgotten(entry: Entry) -> None:
    entry.connect(HELLO[:5]).close()
    entry.door.attend()
    assert not entry.door.visitors
    assert len(entry.lines) == 1


# -- places --------------------------------------------------------------------------------------------------------------
def test_of_too_many_silent_connections_the_oldest_is_closed(entry: Entry) -> None:
    silent = [entry.connect() for _ in range(6)]
    assert [is_closed(each) for each in silent] == [True, True, False, False, False, False]
    entry.connect(HELLO)
    assert entry.next() is not None


def test_clients_that_wait_are_not_pushed_out_by_silent_connections(entry: Entry) -> None:
    waiting = entry.connect(HELLO)
    for _ in range(10):
        entry.connect()
    assert not is_closed(waiting)
    found = entry.next()
    assert found is not None


def visitor(user: int, *, has_greeted: bool = True) -> Visitor:
    """A visitor of a user."""
    return Visitor(connection=socket.socket(socket.AF_UNIX), process=1, user=user, since=0.0, has_greeted=has_greeted)


def test_the_user_with_the_fewest_clients_is_served_first_and_none_takes_all_places(entry: Entry) -> None:
    entry.door.visitors = [visitor(1), visitor(1), visitor(2), visitor(3, has_greeted=False)]
    served, order = Counter({1: 1}), []
    while (found := entry.next(served)) is not None:
        served[found.user] += 1
        order.append(found.user)
    assert order == [2, 1, 1]  # three of four places are the most that one user has
    entry.door.visitors += [visitor(1), visitor(4)]
    found = entry.next(served)
    assert found is not None
    assert found.user == 4
    assert entry.next(served) is None


def test_the_user_with_most_connections_loses_one_when_too_many_wait(entry: Entry) -> None:
    entry.door.visitors = [visitor(9), visitor(7), visitor(7), visitor(7, has_greeted=False), visitor(7), visitor(8)]
    entry.door.attend()
    assert [found.user for found in entry.door.visitors] == [9, 7, 7, 8]


# -- a system without room -----------------------------------------------------------------------------------------------
class Failing:
    """A listening socket whose `accept` fails with errors in turn."""

    def __init__(self, listener: socket.socket, errors: list[int]) -> None:
        self._listener, self._errors = listener, errors

    def accept(self) -> tuple[socket.socket, object]:
        if self._errors:
            raise OSError(self._errors[0], os.strerror(self._errors.pop(0)))
        return self._listener.accept()

    def fileno(self) -> int:
        return self._listener.fileno()

    def close(self) -> None:
        self._listener.close()


@pytest.mark.parametrize("number", [errno.ECONNABORTED, errno.EPERM, errno.EPROTO])
def test_a_connection_that_cannot_be_accepted_is_told_and_the_next_one_is(entry: Entry, number: int) -> None:
    entry.door.listener = Failing(entry.door.listener, [number])  # type: ignore[assignment]
    entry.connect(HELLO)
    assert entry.next() is not None
    assert entry.lines == [f"a connection could not be accepted: {os.strerror(number)}"]


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS])
def test_without_room_a_connection_is_refused_and_after_a_moment_the_next_one_is_accepted(entry: Entry, number: int) -> None:
    entry.door.listener = Failing(entry.door.listener, [number])  # type: ignore[assignment]
    assert is_closed(entry.connect(HELLO))
    assert entry.lines == [f"a connection could not be accepted: {os.strerror(number)}"]
    entry.connect(HELLO)
    assert entry.next() is None
    assert entry.door.patience() == PAUSE
    entry.now += PAUSE
    entry.door.attend()
    assert entry.next() is not None


_TROUBLE = """
import errno, os, socket
fork, accept, errors = os.fork, socket.socket.accept, [errno.EAGAIN, errno.ENOMEM]
refused = [errno.ECONNABORTED, errno.EMFILE]
def failing():
    if errors:
        raise OSError(errors[0], os.strerror(errors.pop(0)))
    return fork()
def unwilling(self):
    if refused:
        raise OSError(refused[0], os.strerror(refused.pop(0)))
    return accept(self)
os.fork, socket.socket.accept = failing, unwilling
"""


@pytest.mark.slow
def test_a_server_without_processes_and_descriptors_refuses_clients_and_goes_on(tmp_path: Path) -> None:
    with running(tmp_path / "s", before=_TROUBLE) as server:
        refused = 0
        while True:
            with server.connect() as client:
                try:
                    client.sendall(Stream().wait().data)
                    if client.recv(12, socket.MSG_WAITALL) == DONE:
                        break
                except ConnectionError:
                    pass
                refused += 1
        assert 2 <= refused < 10
        text = "\n".join(server.lines)
        assert text.count("was refused: no process could be created") == 2
        assert text.count("could not be accepted") == 2


# -- processes -----------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_idle_connections_lock_no_client_out_and_ended_clients_are_reaped_at_once(tmp_path: Path) -> None:
    with running(tmp_path / "s", "--handshake-seconds", "3", "--waiting", "8", "--clients", "2") as server:
        idle = [server.connect() for _ in range(40)]
        with server.connect() as client:
            client.sendall(Stream().wait().data)
            assert client.recv(12, socket.MSG_WAITALL) == DONE
            assert len(server.children()) == 1
        wait_until(lambda: not server.children(), "the end of the process", 10)
        wait_until(lambda: all(is_closed(each) for each in idle), "the end of the idle connections", 20)
        for each in idle:
            each.close()


@pytest.mark.slow
def test_further_clients_wait_for_a_place(tmp_path: Path) -> None:
    with running(tmp_path / "s", "--clients", "1") as server, server.connect() as first, server.connect() as second:
        first.sendall(Stream().wait().data)
        assert first.recv(12, socket.MSG_WAITALL) == DONE
        second.sendall(Stream().wait().data)
        second.settimeout(0.5)
        with pytest.raises(TimeoutError):
            second.recv(12)
        second.settimeout(30)
        first.close()
        assert second.recv(12, socket.MSG_WAITALL) == DONE


# -- the path ------------------------------------------------------------------------------------------------------------
def test_only_the_owner_may_connect_unless_another_mode_is_asked_for(tmp_path: Path) -> None:
    for mode in (0o600, 0o666, 0o660):
        path = tmp_path / f"{mode:o}"
        with listen(path, mode):
            assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_file_at_the_path_is_told_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    with pytest.raises(OSError, match=f"^{path}: exists and is not a socket; remove it, or name another path with --socket$"):
        listen(path)
    assert path.read_text() == "mine"
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(OSError, match="is not a socket"):
        listen(link)


def test_a_server_at_the_path_is_told_even_if_its_queue_is_full(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen(0)
        with pytest.raises(OSError, match=f"^{path}: another program listens there; end it"):
            listen(path)
        full = []
        while True:
            made = socket.socket(socket.AF_UNIX)
            made.setblocking(False)
            full.append(made)
            if made.connect_ex(str(path)):
                break
        found: list[str] = []

        def start() -> None:
            try:
                listen(path)
            except OSError as error:
                found.append(str(error))

        thread = threading.Thread(target=start, daemon=True)
        thread.start()
        thread.join(10)
        for made in full:
            made.close()
    assert found == [f"{path}: another program listens there and takes no more connections; end it, or name another path with --socket"]


def test_a_path_that_cannot_be_is_told_with_the_way_out(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "folder", tmp_path / ("long" * 50)):
        with pytest.raises(OSError, match=f"^{path}: .*--socket"):
            listen(path)


def test_a_dead_socket_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "dead"
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(str(path))
    with listen(path), socket.socket(socket.AF_UNIX) as client:
        begin = time.monotonic()
        client.connect(str(path))
        assert time.monotonic() - begin < 5
