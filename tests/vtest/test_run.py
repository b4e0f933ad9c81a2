"""tgsi-vtest run: exit codes, signals, what programs find, and that nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vtest.live import wait_until
from tests.vtest.test_command import RED, red
from tgsi.tools.vtest.launch import known_path
from tgsi.tools.vtest.launch.environment import wants_display
from tgsi.tools.vtest.launch.known_path import KnownPath
from tgsi.tools.vtest.launch.leftovers import end_marked, marked
from tgsi.tools.vtest.launch.namespaces import Space, choose

CLIENT = Path(__file__).with_name("small_client.py")
FAKE_XVFB = """#!/bin/sh
echo "$@" > "{log}"
trap 'echo ended >> "{log}"; exit 0' TERM
echo 77 >&3
exec 3>&-
while :; do sleep 0.1; done
"""


class Run:
    """A run in a separate process."""

    def __init__(self, folder: Path, options: list[str], command: list[str], environment: dict[str, str]) -> None:
        self.out = folder / "out"
        with self.out.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tgsi.tools.vtest.cli", "run", "--threads", "0", *options, "--", *command],
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )

    def wait_for_output(self, count: int = 1) -> list[str]:
        """Wait for lines of the command."""
        return wait_until(lambda: lines if len(lines := self.out.read_text().splitlines()) >= count else [], f"{count} lines")

    def end(self) -> tuple[int, str]:
        """Exit code and messages of the run."""
        _, said = self.process.communicate(timeout=100)
        return self.process.returncode, said


class Runs:
    """Makes runs. Their folders of temporary files are inside of the test's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places = folder / "t"
        self.places.mkdir()
        self.environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.environment |= {"TMPDIR": str(self.places), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._made: list[Run] = []

    def start(self, *command: str, options: tuple[str, ...] = ("--headless",), **more: str) -> Run:
        self._made.append(Run(self.folder, list(options), list(command), self.environment | more))
        return self._made[-1]

    def run(self, *command: str, options: tuple[str, ...] = ("--headless",), **more: str) -> tuple[int, str, str]:
        """Exit code, output of the command, and messages of the run."""
        made = self.start(*command, options=options, **more)
        code, said = made.end()
        return code, made.out.read_text(), said

    def close(self) -> None:
        for run in self._made:
            if run.process.poll() is None:
                run.process.kill()
            run.process.wait()
            assert run.process.stderr is not None
            run.process.stderr.close()


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    made.close()
    wait_until(lambda: not list(made.places.iterdir()), "an empty folder")


def is_alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):  # between two calls, or in the middle of reading
        return False


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


# -- exit codes ----------------------------------------------------------------------------------------------------------
def test_the_exit_code_is_the_commands_and_what_it_leaves_running_is_ended(runs: Runs) -> None:
    code, out, _ = runs.run("sh", "-c", "sleep 1000 & echo $! $TGSI_VTEST_RUN $GALLIUM_DRIVER $EGL_PLATFORM; exit 7", EGL_PLATFORM="x11")
    assert code == 7
    left, folder, driver, platform = out.split()
    assert not is_alive(int(left))
    assert not Path(folder).exists()
    assert (driver, platform) == ("virpipe", "surfaceless")


def test_a_command_that_a_signal_ends_has_the_exit_code_that_shells_give(runs: Runs) -> None:
    assert runs.run("sh", "-c", "kill -KILL $$")[0] == 128 + signal.SIGKILL


def test_a_command_that_is_not_there_or_cannot_be_executed_is_told(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("text")
    code, _, said = runs.run("no-such-program")
    assert (code, said) == (127, "tgsi-vtest: no-such-program: no such program is on the PATH\n")
    code, _, said = runs.run(str(tmp_path / "plain"))
    assert (code, said) == (126, f"tgsi-vtest: {tmp_path / 'plain'}: it cannot be executed\n")
    code, _, said = runs.run()
    assert code == 2
    assert "a command is missing: tgsi-vtest run -- glxgears" in said


# -- programs ------------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_several_programs_of_a_command_draw_at_once(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "red.bin").write_bytes(red().data)
    client = f"{sys.executable} {CLIENT} {tmp_path / 'red.bin'} {len(RED)}"
    code, out, said = runs.run("sh", "-c", f"{client} 0.5 & {client} & wait")
    assert (code, out) == (0, "255 0 0 255\n" * 2), said


@pytest.mark.slow
def test_a_server_that_is_killed_is_told_and_the_command_goes_on(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "red.bin").write_bytes(red().data)
    run = runs.start(
        "sh",
        "-c",
        f"{sys.executable} {CLIENT} {tmp_path / 'red.bin'} {len(RED)}; while test ! -e {tmp_path / 'go'}; do sleep 0.05; done; exit 4",
    )
    run.wait_for_output()
    (server,) = (pid for pid in children(run.process.pid) if os.getsid(pid) == pid)
    os.kill(server, signal.SIGKILL)
    wait_until(lambda: not is_alive(server), "the end of the server")
    (tmp_path / "go").touch()
    code, said = run.end()
    assert code == 4
    assert "the server ended: signal 9" in said


# -- signals -------------------------------------------------------------------------------------------------------------
def test_signals_are_handed_on_to_the_command(runs: Runs) -> None:
    run = runs.start("sh", "-c", "trap 'exit 5' TERM; trap 'echo int' INT; echo ready; while :; do sleep 0.05; done")
    run.wait_for_output()
    run.process.send_signal(signal.SIGINT)
    run.wait_for_output(2)
    run.process.send_signal(signal.SIGTERM)
    assert run.end()[0] == 5


def test_a_run_that_is_killed_leaves_no_process_and_no_file(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "red.bin").write_bytes(red().data)
    run = runs.start("sh", "-c", f"echo $$; {sys.executable} {CLIENT} {tmp_path / 'red.bin'} {len(RED)} 1000 & echo $!; wait")
    pids = [int(line) for line in run.wait_for_output(3)[:2]] + children(run.process.pid)
    assert len(set(pids)) == 3  # the command, a client that goes on, the server
    run.process.kill()
    wait_until(lambda: not any(map(is_alive, pids)), "the end of all processes", 15)


# -- displays ------------------------------------------------------------------------------------------------------------
def test_an_x_server_is_started_where_there_is_no_display_and_ends_after_the_command(runs: Runs, tmp_path: Path) -> None:
    fake, log = tmp_path / "bin" / "Xvfb", tmp_path / "log"
    fake.parent.mkdir()
    fake.write_text(FAKE_XVFB.format(log=log))
    fake.chmod(0o755)
    path = f"{fake.parent}{os.pathsep}{os.environ['PATH']}"
    code, out, said = runs.run("sh", "-c", "echo $DISPLAY; stat -c %a $XAUTHORITY", options=("--display-size", "320x200"), PATH=path)
    assert (code, out) == (0, ":77\n600\n"), said
    arguments, end = log.read_text().splitlines()
    assert "-screen 0 320x200x24" in arguments
    assert end == "ended"


def test_a_machine_without_an_x_server_is_told_the_package_and_the_other_way(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to("/bin/sh")
    code, out, said = runs.run("sh", "-c", "echo ran", options=(), PATH=str(tmp_path / "bin"))
    assert (code, out) == (2, "")
    assert "DISPLAY is not set, and Xvfb is not installed (Debian's package xvfb)" in said
    assert "--headless" in said


def test_an_x_server_that_does_not_start_is_told_with_its_own_words(runs: Runs, tmp_path: Path) -> None:
    fake = tmp_path / "bin" / "Xvfb"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho no room >&2\nexit 1\n")
    fake.chmod(0o755)
    code, out, said = runs.run("sh", "-c", "echo ran", options=(), PATH=f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    assert (code, out) == (2, "")
    assert "Xvfb did not start: no room" in said


def test_commands_with_a_display_or_without_windows_get_no_x_server() -> None:
    assert wants_display({}, ["glxgears"], is_headless=False)
    assert not wants_display({}, ["glxgears"], is_headless=True)
    assert not wants_display({"DISPLAY": ":3"}, ["glxgears"], is_headless=False)
    assert not wants_display({"WAYLAND_DISPLAY": "wayland-0"}, ["glxgears"], is_headless=False)
    assert not wants_display({}, ["chromium", "--headless=new", "page"], is_headless=False)


# -- the path that Mesa knows --------------------------------------------------------------------------------------------
@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    """The known path, and a file in place of our socket."""
    (tmp_path / "socket").write_text("ours")
    return tmp_path / "known", tmp_path / "socket"


def _content(path: KnownPath) -> str:
    """Text that a program of the run reads at the known path."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            path.enter()
            os.write(writing, path.path.read_bytes())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    with os.fdopen(reading) as file:
        return file.read()


@pytest.mark.parametrize("space", Space)
def test_a_mount_leads_the_path_to_the_socket_for_this_run_alone(
    place: tuple[Path, Path], space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, socket = place
    known.write_text("theirs")
    if choose(socket, known) is None or (space is Space.MOUNTS and os.geteuid()):
        pytest.skip("this system allows no mount of one's own")
    monkeypatch.setattr(known_path, "choose", lambda *_: space)
    path = KnownPath(known, socket)
    path.claim()
    assert _content(path) == "ours"
    assert known.read_text() == "theirs"
    path.release()
    assert known.read_text() == "theirs"


def test_the_last_run_removes_the_file_that_was_mounted_over(place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    known, socket = place
    monkeypatch.setattr(known_path, "choose", lambda *_: Space.MOUNTS)
    first, second = KnownPath(known, socket), KnownPath(known, socket)
    first.claim()
    second.claim()
    first.release()
    assert known.exists()
    second.release()
    second.release()
    assert not known.exists()


def test_without_mounts_the_path_is_a_link_that_one_run_has_at_a_time(place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    known, socket = place
    monkeypatch.setattr(known_path, "choose", lambda *_: None)
    first, second = KnownPath(known, socket), KnownPath(known, socket.with_name("other"))
    first.claim()
    assert known.read_text() == "ours"
    with pytest.raises(OSError, match="which another server uses, and this system forbids mounts over it"):
        second.claim()
    second.release()
    assert known.read_text() == "ours"
    first.release()
    assert not os.path.lexists(known)
    known.symlink_to(socket.with_name("gone"))  # of a run that was killed
    second.claim()
    assert known.readlink() == second.socket


def test_without_mounts_a_foreign_file_stays(place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    known, socket = place
    known.write_text("")
    monkeypatch.setattr(known_path, "choose", lambda *_: None)
    path = KnownPath(known, socket)
    with pytest.raises(OSError, match=f"remove {known}"):
        path.claim()
    path.release()
    assert known.read_text() == ""


# -- leftovers -----------------------------------------------------------------------------------------------------------
def test_processes_that_ignore_signals_are_ended_and_others_are_not() -> None:
    mark = f"TGSI_TEST_MARK={os.getpid()}.{time.monotonic_ns()}"
    name, _, value = mark.partition("=")
    command = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {name: value}) as ours,
        subprocess.Popen(["sleep", "100"], env=os.environ | {name: f"{value}0"}) as other,
    ):
        assert ours.stdout is not None
        ours.stdout.readline()
        assert ours.pid in marked(mark)
        end_marked(mark, ((0, 0.0), (signal.SIGTERM, 0.1), (signal.SIGKILL, 5.0)))
        assert ours.wait(5) == -signal.SIGKILL
        assert other.poll() is None
        other.kill()
