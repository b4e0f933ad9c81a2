"""The loop of the parent process: accepts clients, forks a process for each, reaps those that end, and kills those that exceed their
limits.

A child counts commands and compilations in memory shared with the parent. If the counts stay the same while its processor time grows, a
single command is taking long.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field
from types import FrameType

from tgsi.language.record import record
from tgsi.tools.vtest.processes.door import Door, Visitor
from tgsi.tools.vtest.processes.limits import Limits
from tgsi.tools.vtest.processes.marks import Mark, make_marks

Ended = Callable[[int, str, Sequence[int]], None]
"""Callback for the end of a process, with the program's name and the marks."""

Looked = Callable[[list[tuple[str, tuple[int, ...]]]], None]
"""Callback with the programs of living clients and their marks."""

Serve = Callable[[Visitor, memoryview], int]
"""Serves a client in its process and returns the exit code. The memory is for its marks."""

_LOOK = 1.0  # seconds between checks of the children
_LAST_SECONDS = 30.0
_PARTING_SECONDS = 2.0  # seconds for clients to finish their files when the server ends


@record(frozen=False, eq=False, kw_only=True)
class Child:
    """Process of a client. seen: its marks at the last check; cpu: its processor time then."""

    pid: int
    name: str
    program: str
    user: int
    marks: memoryview
    seen: tuple[int, ...] = ()
    cpu: float = 0.0
    reason: str = ""


@record(frozen=False, eq=False)
class _Wake:
    """A pair of sockets by which signals end a wait."""

    ends: tuple[socket.socket, socket.socket] = field(default_factory=socket.socketpair)

    def begin(self) -> None:
        """Make signals with a Python handler, and ends of children, wake the loop."""
        for end in self.ends:
            end.setblocking(False)
        signal.set_wakeup_fd(self.ends[1].fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _nothing)

    def end(self) -> None:
        """Restore the previous handling of signals."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for end in self.ends:
            end.close()

    def drain(self) -> None:
        """Discard received signals."""
        with contextlib.suppress(BlockingIOError):
            while self.ends[0].recv(4096):
                pass


def _nothing(number: int, frame: FrameType | None) -> None:
    """Handle a signal by doing nothing; its arrival wakes the loop."""


class Children:
    """The processes of all clients.

    Args:
        serve: runs in a child.
        names: names of messages by number.
        say: prints a line. ended: called at the end of a client. looked: called with the marks of all clients, about once a second.
    """

    def __init__(
        self,
        door: Door,
        limits: Limits,
        serve: Serve,
        names: Callable[[int], str],
        say: Callable[[str], None],
        ended: Ended | None = None,
        looked: Looked | None = None,
    ) -> None:
        self._door, self._limits, self._serve, self._names, self._say = door, limits, serve, names, say
        self._ended, self._looked = ended, looked
        self._children: dict[int, Child] = {}
        self._free = list(make_marks(limits.clients))
        self._wake = _Wake()

    def run(self, until: int | None = None, at_end: Callable[[], None] = lambda: None) -> None:
        """Serve clients until an exception, KeyboardInterrupt or SystemExit, ends it.

        Then all clients are ended as if they had disconnected.

        until: a descriptor. When it becomes readable or its other end is closed, `at_end` is called and new clients are refused; this
        returns when the current clients have ended, or after `_LAST_SECONDS`.
        """
        self._wake.begin()
        try:
            while until is None or not select.select([until], [], [], 0)[0]:
                self._wait(until)
                self._reap()
                self._door.attend()
                self._admit()
                self._watch()
            at_end()
            self._see_out(_LAST_SECONDS)
        finally:
            self._end()
            self._wake.end()

    def _end(self) -> None:
        """End the present clients, first by SIGTERM, then by SIGKILL."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            for child in self._children.values():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child.pid, number)
            self._see_out(_PARTING_SECONDS)

    def _see_out(self, seconds: float) -> None:
        """Wait a few seconds for the present clients."""
        end = time.monotonic() + seconds
        while self._children and time.monotonic() < end:
            select.select([self._wake.ends[0]], [], [], min(_LOOK, seconds / 4))
            self._wake.drain()
            self._reap()
            self._watch()

    def _wait(self, until: int | None) -> None:
        """Wait for a connection, a message, the end of a child, or the next check."""
        poll = select.poll()
        for descriptor in (self._wake.ends[0].fileno(), *self._door.descriptors(), *([] if until is None else [until])):
            poll.register(descriptor, select.POLLIN)
        due = [self._door.patience(), self._until_look()]
        times = [seconds for seconds in due if seconds is not None]
        poll.poll(1000 * min(times) + 1 if times else None)
        self._wake.drain()

    def _admit(self) -> None:
        """Fork processes for waiting visitors, up to the limit of clients."""
        while self._free and not self._door.is_shut:
            visitor = self._door.next(Counter(child.user for child in self._children.values()))
            if visitor is None:
                return
            with visitor.connection:
                self._fork(visitor)

    def _fork(self, visitor: Visitor) -> None:
        marks = self._free[-1]
        marks[:] = memoryview(bytes(marks.nbytes)).cast("Q")
        try:
            pid = os.fork()
        except (OSError, MemoryError) as error:
            self._door.shut()
            self._say(f"{visitor.name} was refused: no process could be created: {error}")
            return
        if not pid:
            self._child(visitor, marks)
        self._free.pop()
        self._children[pid] = Child(pid=pid, name=visitor.name, program=visitor.program, user=visitor.user, marks=marks)

    def _child(self, visitor: Visitor, marks: memoryview) -> None:
        """Run the process of a client. Does not return."""
        code = 1
        try:
            self._wake.end()
            signal.signal(signal.SIGTERM, lambda *_: _leave(visitor.connection))
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            self._door.close()
            code = self._serve(visitor, marks)
        finally:
            os._exit(code)

    def _reap(self) -> None:
        """Collect the children that have ended, and log which of them were killed."""
        for child in list(self._children.values()):
            try:
                pid, status = os.waitpid(child.pid, os.WNOHANG)
            except ChildProcessError:
                pid, status = child.pid, 0
            if not pid:
                continue
            del self._children[child.pid]
            if self._ended is not None:
                self._ended(child.pid, child.program, tuple(child.marks))
            self._free.append(child.marks)
            if os.WIFSIGNALED(status):
                self._say(f"{child.name}: its process {child.pid} was ended: {child.reason or self._killer(os.WTERMSIG(status))}")

    def _killer(self, number: int) -> str:
        if number == signal.SIGXCPU or (number == signal.SIGKILL and self._limits.max_cpu):
            return f"it used {self._limits.max_cpu} seconds of processor time (--max-cpu)"
        return f"signal {number} ({signal.strsignal(number)})"

    # -- budgets ---------------------------------------------------------------------------------------------------------
    def _until_look(self) -> float | None:
        """Seconds between two checks of the children; None without any to check."""
        if self._looked is not None and self._children:
            return _LOOK / 4
        budgets = [seconds for seconds in (self._limits.command_seconds, self._limits.compile_seconds) if seconds]
        return min(_LOOK, *(seconds / 4 for seconds in budgets)) if budgets and self._children else None

    def _watch(self) -> None:
        """Kill children with a command or a compilation that takes too much processor time."""
        if self._looked is not None:
            self._looked([(child.program, tuple(child.marks)) for child in self._children.values()])
        for child in self._children.values():
            try:
                cpu = time.clock_gettime(~child.pid << 3 | 2)  # clock of another process's processor time, as from clock_getcpuclockid
            except OSError:
                continue  # the process has just ended
            seen = tuple(child.marks)
            if seen != child.seen:
                child.seen, child.cpu = seen, cpu
                continue
            compiles = seen[Mark.COMPILING] != seen[Mark.ENDED]
            most, option = (
                (self._limits.compile_seconds, "--compile-seconds") if compiles else (self._limits.command_seconds, "--command-seconds")
            )
            if most and cpu - child.cpu > most and not child.reason:
                what = "the compilation of a kernel" if compiles else f"a command ({self._names(seen[Mark.MESSAGE])})"
                child.reason = f"{what} took more than {most:g} seconds of processor time ({option})"
                os.kill(child.pid, signal.SIGKILL)


def _leave(connection: socket.socket) -> None:
    """Shut a connection down as if the client had disconnected, so that its process finishes its files."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def widen_descriptors() -> None:
    """Raise this process's limit of descriptors to the system's maximum."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
