"""The order of events of ``tgsi-vtest run``.

There are three processes besides those of clients: this one, which waits for the command; the server; and Xvfb where it is needed. The
server notices the end of this process, however that came, and takes back what was made. If the server ends first, this process does.
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
"""Exit codes: nothing was run; the last two as shells have them."""

HANDED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
_WAITED_FOR = (*HANDED_ON, signal.SIGCHLD)
_LONGEST_PATH = 100  # bytes; an address of a unix socket holds 107


@record(kw_only=True)
class Launch:
    """Task of a run. display_size: width x height of Xvfb's screen. known: the path that Mesa connects to."""

    command: Sequence[str]
    is_headless: bool = False
    display_size: str = "1280x1024"
    known: Path = Path(DEFAULT_SOCKET)


def run(launch: Launch, options: Options) -> int:
    """Run a command whose OpenGL programs draw through a server of its own. Returns the command's exit code, 128 + N for signal N."""
    program = shutil.which(launch.command[0])
    if program is None:
        return _not_found(launch.command[0])
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED_FOR)  # they are taken one by one, with what the system says about each
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
    LOG.error(f"{name}: no such program" + ("" if "/" in name else " is on the PATH"))
    return NOT_FOUND


class _Run:
    """One run: the folder, the processes and the path that it has."""

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
        """Make everything, wait for the command, take everything back."""
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
        """Fork the server. Returns a descriptor; the server ends once something is written to it, or it is closed."""
        reading, writing = os.pipe()
        self._server = os.fork()
        if not self._server:
            os.close(writing)
            self._serve(listener, reading)
        os.close(reading)
        listener.close()
        return writing

    def _serve(self, listener: socket.socket, control: int) -> None:
        """Be the server. Does not return."""
        code = 1
        try:
            os.setsid()  # Ctrl-C is the programs' to answer
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
        """End what the command has started if the process that waited for it was killed."""
        self._is_orphan = not os.read(control, 1)
        if self._is_orphan:
            end_marked(f"{RUN_MARK}={self._folder}")
            end_marked(f"{DISPLAY_MARK}={self._folder}")

    def _end_server(self, control: int) -> None:
        """Let the server finish what its clients asked for, and wait for it. A signal to end ends the server at once."""
        with contextlib.suppress(BrokenPipeError):
            os.write(control, b"\n")
        while self._server:
            if (found := signal.sigwaitinfo(_WAITED_FOR)).si_signo == signal.SIGCHLD:
                self._reap()
            elif found.si_signo in (signal.SIGINT, signal.SIGTERM):
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
        """Wait for the command, hand signals on. Returns its exit code."""
        while True:
            found = signal.sigwaitinfo(_WAITED_FOR)
            if found.si_signo == signal.SIGCHLD:
                ended = self._reap()
                if command in ended:
                    code = os.waitstatus_to_exitcode(ended[command])
                    return code if code >= 0 else 128 - code
            elif found.si_code <= 0:  # of a process; those of a terminal have reached the command already
                with contextlib.suppress(ProcessLookupError):
                    os.kill(command, found.si_signo)

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
                LOG.error(f"the server ended: {_reason(status)}; what draws through it ends, too")
        if self._display is not None and self._display.pid in ended:
            LOG.error(f"Xvfb ended: {_reason(ended[self._display.pid])}")
            self._display = None
        return ended


def _reason(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.strsignal(-code)})"


def _short_folder() -> str:
    """A folder for temporary files in which the name of a socket is not too long."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) < _LONGEST_PATH - len("tgsi-vtest-12345678/socket") else "/tmp"
