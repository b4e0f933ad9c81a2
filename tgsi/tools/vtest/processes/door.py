"""Connections before they are served: handshakes, limits, and the order of service.

A connection becomes a client with its first message, CREATE_RENDERER. Before that, only a few connections are kept, and for a short time.
The parent process reads only this message of a client.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field

from tgsi.language.record import record
from tgsi.tools.vtest.processes.limits import Limits

CREATE_RENDERER = 8
MAX_NAME = 4096
"""Most bytes of a client's name."""

PAUSE = 0.25
"""Seconds without new clients after the system refused another connection or process."""

_AT_ONCE = 16
_HEAD = struct.Struct("<2I")
_CREDENTIALS = struct.Struct("3i")
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


@record(frozen=False, eq=False, kw_only=True)
class Visitor:
    """A waiting connection. first: bytes read so far. wanted: length of its first message, as far as known."""

    connection: socket.socket
    process: int
    user: int
    since: float
    first: bytearray = field(default_factory=bytearray)
    wanted: int = _HEAD.size
    has_greeted: bool = False

    @property
    def name(self) -> str:
        """The program's name, with its process and user."""
        return f"{self.program} (process {self.process}, user {self.user})"

    @property
    def program(self) -> str:
        """The name that the client sent."""
        return (client_name(self.first[_HEAD.size :]) if self.has_greeted else "") or "client"

    def hear(self) -> str:
        """Read the available part of the first message. Returns the reason if the connection cannot become a client."""
        while not self.has_greeted:
            try:
                data = self.connection.recv(self.wanted - len(self.first), socket.MSG_DONTWAIT)
            except (BlockingIOError, InterruptedError):
                return ""
            except OSError as error:
                return f"it broke: {error.strerror}"
            if not data:
                return "it was closed before its first message arrived"
            self.first += data
            if len(self.first) < self.wanted:
                continue
            length, number = _HEAD.unpack_from(self.first)
            if number != CREATE_RENDERER:
                return f"its first message is {number}, not CREATE_RENDERER ({CREATE_RENDERER})"
            if length > MAX_NAME:
                return f"its name has {length} bytes, more than {MAX_NAME}"
            self.wanted = _HEAD.size + length
            self.has_greeted = len(self.first) == self.wanted
        return ""


def client_name(data: bytes | bytearray | memoryview) -> str:
    """Name of a client without folders and unprintable characters, from the body of CREATE_RENDERER."""
    name = bytes(data).split(b"\0")[0].decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "?" for c in name.rpartition("/")[2])[:64]


class Door:
    """The listening socket, and the connections that wait.

    Args:
        say: prints a line.
        clock: monotonic seconds.
    """

    def __init__(
        self, listener: socket.socket, limits: Limits, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.listener, self._limits, self._say, self._clock = listener, limits, say, clock
        self.visitors: list[Visitor] = []
        self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)  # spare descriptor, closed to be able to accept and refuse
        self._shut_until = 0.0
        listener.setblocking(False)

    @property
    def is_shut(self) -> bool:
        """True for a moment after the system refused resources."""
        return self._clock() < self._shut_until

    def shut(self) -> None:
        """Pause accepting for a moment."""
        self._shut_until = self._clock() + PAUSE

    def descriptors(self) -> Iterator[int]:
        """Descriptors to poll: the listening socket, and connections without a handshake."""
        if not self.is_shut:
            yield self.listener.fileno()
        for visitor in self.visitors:
            if not visitor.has_greeted:
                yield visitor.connection.fileno()

    def patience(self) -> float | None:
        """Seconds until the first waiting client times out, or accepting resumes. None if there is no deadline."""
        due = [self._shut_until] if self.is_shut else []
        due += [v.since + self._limits.handshake_seconds for v in self.visitors if not v.has_greeted]
        return max(0.0, min(due) - self._clock()) if due else None

    def attend(self) -> None:
        """Read from visitors, accept new ones, and close connections that have timed out."""
        for visitor in list(self.visitors):
            self._hear(visitor)
        self._accept()
        while len(self.visitors) > self._limits.waiting:
            self._send_away(self._least(), f"more than {self._limits.waiting} connections wait (--waiting)")

    def next(self, served: Counter[int]) -> Visitor | None:
        """Take the next visitor: the first one of the user with the fewest clients. served: clients by user."""
        ready = [v for v in self.visitors if v.has_greeted and served[v.user] < self._limits.share]
        following = min(ready, key=lambda visitor: served[visitor.user], default=None)
        if following is not None:
            self.visitors.remove(following)
        return following

    def close(self) -> None:
        """Close all waiting connections and the listening socket."""
        for visitor in self.visitors:
            visitor.connection.close()
        self.visitors.clear()
        self.listener.close()
        os.close(self._spare)

    def _hear(self, visitor: Visitor) -> None:
        reason = visitor.hear()
        seconds = self._limits.handshake_seconds
        if not reason and not visitor.has_greeted and self._clock() >= visitor.since + seconds:
            reason = f"its first message did not arrive within {seconds:g} seconds (--handshake-seconds)"
        if reason:
            self._send_away(visitor, reason)

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            if self.is_shut:
                return
            try:
                connection = self.listener.accept()[0]
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                self._fail(error)
                continue
            connection.setblocking(True)
            process, user, _ = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
            visitor = Visitor(connection=connection, process=process, user=user, since=self._clock())
            self.visitors.append(visitor)
            self._hear(visitor)

    def _fail(self, error: OSError) -> None:
        """Continue after a failed accept.

        If the system is out of descriptors, refuse the connection, because accepting would fail again at once.
        """
        self._say(f"a connection could not be accepted: {error.strerror}")
        if error.errno not in _FULL:
            return
        self.shut()
        os.close(self._spare)
        try:
            self.listener.accept()[0].close()
        except OSError:
            pass  # the connection was closed meanwhile, or memory ran out
        finally:
            self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def _least(self) -> Visitor:
        """Choose the connection to close: of the user with most connections, the oldest one without a handshake, or else the newest."""
        counts = Counter(visitor.user for visitor in self.visitors)
        theirs = [visitor for visitor in self.visitors if visitor.user == counts.most_common(1)[0][0]]
        return next((visitor for visitor in theirs if not visitor.has_greeted), theirs[-1])

    def _send_away(self, visitor: Visitor, reason: str) -> None:
        self.visitors.remove(visitor)
        visitor.connection.close()
        self._say(f"{visitor.name} was disconnected: {reason}")
