"""The order of events of ``tgsi-vtest run``.

There are up to three processes besides those of clients: this one, which waits for the command; the server; and Xvfb if needed. When this
process ends for any reason, the server notices and cleans up. If the server ends first, this process cleans up.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tgsi.language.record import record
from tgsi.tools.vtest.launch.display import Display, NoDisplay
from tgsi.tools.vtest.launch.display import start as start_display
from tgsi.tools.vtest.launch.environment import DISPLAY_MARK, RUN_MARK, for_programs, wants_display
from tgsi.tools.vtest.launch.known_path import KnownPath
from tgsi.tools.vtest.launch.leftovers import end_marked
from tgsi.tools.vtest.output.log import LOG
from tgsi.tools.vtest.processes import address
from tgsi.tools.vtest.processes.children import widen_descriptors
from tgsi.tools.vtest.server import DEFAULT_SOCKET, Options, serve_at

USAGE, NOT_EXECUTABLE, NOT_FOUND = 2, 126, 127
"""Exit codes if nothing was run; the last two are those of shells."""

HANDED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
_WAITED_FOR = (*HANDED_ON, signal.SIGCHLD)
_LONGEST_PATH = 100  # bytes; the address of a unix socket has up to 107


@record(kw_only=True)
class Launch:
    """Arguments of a run. display_size: width x height of Xvfb's screen. known: the path that Mesa connects to."""

    command: Sequence[str]
    is_headless: bool = False
    display_size: str = "1280x1024"
    known: Path = Path(DEFAULT_SOCKET)


def run(launch: Launch, options: Options) -> int:
    """Run a command whose OpenGL programs draw through a server of its own. Returns the command's exit code, 128 + N for signal N."""
    program = shutil.which(launch.command[0])
    if program is None:
        return _not_found(launch.command[0])
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED_FOR)  # try them one by one, to report the system's error for each
    try:
        return _Run(launch, options).run(program)
    except (NoDisplay, OSError) as error:
        LOG.error(str(error))
        return USAGE
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _not_found(name: str) -> int:
    if "/" in name and Path(name).exists():
        LOG.error(f"{name}: it cannot be executed")
        return NOT_EXECUTABLE
    place = "" if "/" in name else " is on the PATH"
    hint = f"; the file of this folder is ./{name}" if place and Path(name).is_file() else ""
    LOG.error(f"{name}: no such program{place}{hint}")
    return NOT_FOUND


class _Run:
    """A run with its folder, processes and path."""

    def __init__(self, launch: Launch, options: Options) -> None:
        self._launch = launch
        self._folder = Path(tempfile.mkdtemp(prefix="tgsi-vtest-", dir=_short_folder()))
        self._socket = self._folder / "socket"
        self._options = replace(options, socket=self._socket)
        self._path = KnownPath(launch.known, self._socket)
        self._display: Display | None = None
        self._server = 0
        self._is_orphan = False

    def run(self, program: str) -> int:
        """Set everything up, wait for the command, and clean up."""
        control = -1
        try:
            listener = address.listen(self._socket)
            self._path.claim()
            LOG.info(self._path.way)
            control = self._start_server(listener)
            variables = self._start_display()
            self._path.enter()
            environment = for_programs(os.environ, self._socket, str(self._folder), is_headless=self._launch.is_headless) | variables
            try:
                pid = os.posix_spawn(
                    program, list(self._launch.command), environment, setsigmask=(), setsigdef=(signal.SIGPIPE, signal.SIGXFSZ)
                )
            except OSError as error:
                LOG.error(f"{program}: {error.strerror}")
                return NOT_EXECUTABLE
            return self._wait_for(pid)
        finally:
            end_marked(f"{RUN_MARK}={self._folder}")
            if self._display is not None:
                self._display.end()
            if control >= 0:
                self._end_server(control)
            self._take_back()

    def _take_back(self) -> None:
        """Remove all files."""
        self._path.release()
        shutil.rmtree(self._folder, ignore_errors=True)

    # -- the server ------------------------------------------------------------------------------------------------------
    def _start_server(self, listener: socket.socket) -> int:
        """Fork the server. Returns a descriptor; writing to it or closing it ends the server."""
        reading, writing = os.pipe()
        self._server = os.fork()
        if not self._server:
            os.close(writing)
            self._serve(listener, reading)
        os.close(reading)
        listener.close()
        return writing

    def _serve(self, listener: socket.socket, control: int) -> None:
        """Run the server. Does not return."""
        code = 1
        try:
            os.setsid()  # Ctrl-C is handled by the programs
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _WAITED_FOR)
            widen_descriptors()
            code = serve_at(listener, self._options, control, lambda: self._end_orphans(control))
            if self._is_orphan:
                self._take_back()
        except SystemExit:
            code = 0
        except BaseException as error:
            LOG.error(f"the server failed: {type(error).__name__}: {error}")
        finally:
            os._exit(code)

    def _end_orphans(self, control: int) -> None:
        """End the command's processes if the process that waited for it was killed."""
        self._is_orphan = not os.read(control, 1)
        if self._is_orphan:
            end_marked(f"{RUN_MARK}={self._folder}")
            end_marked(f"{DISPLAY_MARK}={self._folder}")

    def _end_server(self, control: int) -> None:
        """Let the server finish its clients' work, and wait for it. A termination signal ends the server at once."""
        with contextlib.suppress(BrokenPipeError):
            os.write(control, b"\n")
        while self._server:
            if (received := signal.sigwaitinfo(_WAITED_FOR)).si_signo == signal.SIGCHLD:
                self._reap()
            elif received.si_signo in (signal.SIGINT, signal.SIGTERM):
                os.kill(self._server, signal.SIGTERM)
        os.close(control)

    # -- the command -----------------------------------------------------------------------------------------------------
    def _start_display(self) -> dict[str, str]:
        """Start Xvfb if it is needed. Returns the variables of programs that draw there."""
        if not wants_display(os.environ, self._launch.command, is_headless=self._launch.is_headless):
            return {}
        self._display = start_display(self._folder, self._launch.display_size, {DISPLAY_MARK: str(self._folder)})
        LOG.info(f"Xvfb was started as display {self._display.name}")
        return self._display.variables

    def _wait_for(self, command: int) -> int:
        """Wait for the command and forward signals. Returns its exit code."""
        while True:
            received = signal.sigwaitinfo(_WAITED_FOR)
            if received.si_signo == signal.SIGCHLD:
                ended = self._reap()
                if command in ended:
                    code = os.waitstatus_to_exitcode(ended[command])
                    return code if code >= 0 else 128 - code
            elif received.si_code <= 0:  # from a process; signals from a terminal reach the command directly
                with contextlib.suppress(ProcessLookupError):
                    os.kill(command, received.si_signo)

    def _reap(self) -> dict[int, int]:
        """Collect the children that have ended. Returns their statuses."""
        ended: dict[int, int] = {}
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if not pid:
                break
            ended[pid] = status
        if self._server in ended:
            status = ended[self._server]
            self._server = 0
            if status:
                LOG.error(f"the server ended: {_reason(status)}; programs that draw through it will end, too")
        if self._display is not None and self._display.pid in ended:
            LOG.error(f"Xvfb ended: {_reason(ended[self._display.pid])}")
            self._display = None
        return ended


def _reason(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.strsignal(-code)})"


def _short_folder() -> str:
    """A folder for temporary files whose path is short enough for a socket."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) < _LONGEST_PATH - len("tgsi-vtest-12345678/socket") else "/tmp"
