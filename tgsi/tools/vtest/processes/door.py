"""Connections before they are served: handshakes, places, turns.

A connection counts as a client once its first message, CREATE_RENDERER, has come. Until then it is one of few that are kept, and not for
long. The parent process reads this message of a client and no other.
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
"""Seconds without new clients after the system had no room for another connection or process."""

_AT_ONCE = 16
_HEAD = struct.Struct("<2I")
_CREDENTIALS = struct.Struct("3i")
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


@record(frozen=False, eq=False, kw_only=True)
class Visitor:
    """A connection that is not served yet. first: bytes read so far. wanted: length of its first message, as far as known."""

    connection: socket.socket
    process: int
    user: int
    since: float
    first: bytearray = field(default_factory=bytearray)
    wanted: int = _HEAD.size
    has_greeted: bool = False

    @property
    def name(self) -> str:
        """Name of the program, with its process and user."""
        return f"{self.program} (process {self.process}, user {self.user})"

    @property
    def program(self) -> str:
        """Name that the client gives itself."""
        return (client_name(self.first[_HEAD.size :]) if self.has_greeted else "") or "client"

    def hear(self) -> str:
        """Read the available part of the first message. Returns the reason if the connection cannot become that of a client."""
        while not self.has_greeted:
            try:
                data = self.connection.recv(self.wanted - len(self.first), socket.MSG_DONTWAIT)
            except (BlockingIOError, InterruptedError):
                return ""
            except OSError as error:
                return f"it broke: {error.strerror}"
            if not data:
                return "it was closed before its first message had come"
            self.first += data
            if len(self.first) < self.wanted:
                continue
            length, number = _HEAD.unpack_from(self.first)
            if number != CREATE_RENDERER:
                return f"its first message is {number}, not CREATE_RENDERER ({CREATE_RENDERER})"
            if length > MAX_NAME:
                return f"its name has {length} bytes; {MAX_NAME} are allowed"
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
        clock: seconds that only grow.
    """

    def __init__(
        self, listener: socket.socket, limits: Limits, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.listener, self._limits, self._say, self._clock = listener, limits, say, clock
        self.visitors: list[Visitor] = []
        self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)  # closed for the descriptor of a refusal
        self._shut_until = 0.0
        listener.setblocking(False)

    @property
    def is_shut(self) -> bool:
        """True for a moment after the system had no room."""
        return self._clock() < self._shut_until

    def shut(self) -> None:
        """Pause accepting for a moment."""
        self._shut_until = self._clock() + PAUSE

    def descriptors(self) -> Iterator[int]:
        """Descriptors from which something may come: the listening socket, and connections without a handshake."""
        if not self.is_shut:
            yield self.listener.fileno()
        for visitor in self.visitors:
            if not visitor.has_greeted:
                yield visitor.connection.fileno()

    def patience(self) -> float | None:
        """Seconds until the first waiting client times out, or accepting resumes. None: nothing is due."""
        due = [self._shut_until] if self.is_shut else []
        due += [v.since + self._limits.handshake_seconds for v in self.visitors if not v.has_greeted]
        return max(0.0, min(due) - self._clock()) if due else None

    def attend(self) -> None:
        """Hear the visitors, let new ones in, and close the connections that cannot wait any longer."""
        for visitor in list(self.visitors):
            self._hear(visitor)
        self._accept()
        while len(self.visitors) > self._limits.waiting:
            self._send_away(self._least(), f"more than {self._limits.waiting} connections wait (--waiting)")

    def next(self, served: Counter[int]) -> Visitor | None:
        """Take the visitor whose turn it is: the first one of the user with the fewest clients. served: clients by user."""
        ready = [v for v in self.visitors if v.has_greeted and served[v.user] < self._limits.share]
        found = min(ready, key=lambda visitor: served[visitor.user], default=None)
        if found is not None:
            self.visitors.remove(found)
        return found

    def close(self) -> None:
        """Close all connections that wait, and the listening socket."""
        for visitor in self.visitors:
            visitor.connection.close()
        self.visitors.clear()
        self.listener.close()
        os.close(self._spare)

    def _hear(self, visitor: Visitor) -> None:
        reason = visitor.hear()
        seconds = self._limits.handshake_seconds
        if not reason and not visitor.has_greeted and self._clock() >= visitor.since + seconds:
            reason = f"its first message did not come within {seconds:g} seconds (--handshake-seconds)"
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
        """Continue after a failed accept. Where the system is full, the connection is refused, because it would fail again at once."""
        self._say(f"a connection could not be accepted: {error.strerror}")
        if error.errno not in _FULL:
            return
        self.shut()
        os.close(self._spare)
        try:
            self.listener.accept()[0].close()
        except OSError:
            pass  # no connection is waiting any more, or memory is missing
        finally:
            self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def _least(self) -> Visitor:
        """Choose, of the user with most connections, the oldest one without a handshake, otherwise the newest."""
        counts = Counter(visitor.user for visitor in self.visitors)
        theirs = [visitor for visitor in self.visitors if visitor.user == counts.most_common(1)[0][0]]
        return next((visitor for visitor in theirs if not visitor.has_greeted), theirs[-1])

    def _send_away(self, visitor: Visitor, reason: str) -> None:
        self.visitors.remove(visitor)
        visitor.connection.close()
        self._say(f"{visitor.name} was sent away: {reason}")
