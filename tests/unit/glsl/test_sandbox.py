"""The compiler's process: the files that it can open, and its limits; this process stays unrestricted."""

from __future__ import annotations

import errno
import gc
import os
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import tgsi
from frontends.glsl import compiler as compilers
from frontends.glsl import sandbox
from frontends.glsl.compiler import Compiler, run_compiler
from frontends.glsl.syscalls import filter_program
from tests.unit.glsl.glslang import needs_glslang

SHELL = Compiler("/bin/sh", "a shell in place of a compiler")
FRAGMENT = "#version 450\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(1.0); }\n"

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Landlock, seccomp and prlimit are Linux's")
needs_landlock = pytest.mark.skipif(not sandbox.landlock_version(), reason="this kernel has no Landlock, or it is switched off")
needs_filter = pytest.mark.skipif(
    not (sys.platform.startswith("linux") and filter_program(os.uname().machine)), reason="seccomp's filter has no numbers for this machine"
)


def _says(script: str, text: str = "") -> str:
    """Output of a shell script that runs in the compiler's place. $1 is the file of the module."""
    return run_compiler(SHELL, ["-c", script], text).text


@needs_landlock
def test_the_kernel_refuses_every_file_of_the_user(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("S3CRET\n")
    link = tmp_path / "link"
    link.symlink_to(secret)
    for path in (secret, link, "/etc/passwd", "/proc/self/environ", "/proc/1/status", Path(__file__)):
        said = _says(f'read line < "{path}"; echo "got $line"')
        assert "Permission denied" in said, path
        assert said.rstrip().endswith("got"), path


@needs_landlock
def test_the_kernel_refuses_files_that_a_compiler_would_write(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("kept")
    said = _says(f'echo x > "{tmp_path}/new"; echo x > "{old}"; echo x > other; echo x >> /dev/shm/tgsi-sandbox')
    assert said.count("Permission denied") == 4
    assert old.read_text() == "kept"
    assert not (tmp_path / "new").exists()


@needs_landlock
def test_the_module_is_the_one_file_that_is_written() -> None:
    output = run_compiler(SHELL, ["-c", "echo first > $1; echo module > $1"], "")
    assert (output.status, output.module) == (0, b"module\n")


@needs_landlock
def test_no_other_program_is_started(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho ran\n")
    program.chmod(0o755)
    for path in (program, shutil.which("id")):
        assert "Permission denied" in _says(f"exec {path}")


@needs_filter
def test_no_signal_reaches_another_process() -> None:
    assert "not permitted" in _says(f"kill -9 {os.getpid()}")


@needs_filter
@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="bash, which opens sockets, is not installed")
def test_no_socket_is_opened() -> None:
    said = run_compiler(Compiler("/bin/bash", ""), ["-c", "exec 3<> /dev/udp/127.0.0.1/9 && echo open"], "").text
    assert "not permitted" in said
    assert "open" not in said


@on_linux
def test_limits_hold_before_the_text_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    said = _says("read line; ulimit -c; ulimit -t; ulimit -v; echo $line", "the text\n").split("\n")
    assert said[:4] == ["0", str(compilers.SECONDS), str(compilers.MEMORY), "the text"]
    monkeypatch.setattr(compilers, "SECONDS", 1)
    assert run_compiler(SHELL, ["-c", "read line; while :; do :; done"], "\n").status < 0


@on_linux
def test_the_compiler_sees_no_variable_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_THE_USER", "S3CRET")
    monkeypatch.setenv("LD_PRELOAD", "/nowhere/preloaded.so")
    assert _says('echo "<$TOKEN_OF_THE_USER$LD_PRELOAD>"') == "<>\n"


@on_linux
def test_this_process_stays_free_in_every_thread(tmp_path: Path) -> None:
    assert gc.isenabled()
    texts: list[str] = []

    def work() -> None:
        for _ in range(3):
            _says("echo $$")
            texts.append((tmp_path / "file").read_text())

    (tmp_path / "file").write_text("free")
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["free"] * 12
    assert gc.isenabled()
    assert "NoNewPrivs:\t0" in Path("/proc/self/status").read_text() or "NoNewPrivs:\t1" in Path(f"/proc/{os.getppid()}/status").read_text()


@needs_glslang
@needs_landlock
def test_libraries_in_odd_places_are_found_by_the_loader_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = compilers.find_compiler()
    folder = tmp_path / "libraries"
    folder.mkdir()
    for place in found.libraries:
        for item in Path(place).iterdir():
            if item.is_file():
                (folder / item.name).unlink(missing_ok=True)
                (folder / item.name).symlink_to(item.resolve())  # as uv's links into its cache
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))
    there = Compiler(found.path, "libraries elsewhere")
    output = run_compiler(there, ["--stdin", "-S", "frag", "-G"], FRAGMENT)
    assert output.module, output.text


@needs_glslang
def test_without_landlock_programs_are_compiled_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_CACHE", "off")
    monkeypatch.setattr(sandbox, "landlock_version", lambda: 0)
    assert tgsi.compile(FRAGMENT, stage="frag").instructions


@needs_glslang
@on_linux
def test_without_prlimit_a_shell_sets_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "_HAS_PRLIMIT", False)
    said = _says("ulimit -c; ulimit -t; ulimit -v").split("\n")
    assert said[:3] == ["0", str(compilers.SECONDS), str(compilers.MEMORY)]
    monkeypatch.setenv("TGSI_CACHE", "off")
    assert tgsi.compile(FRAGMENT, stage="frag").instructions


@needs_landlock
def test_rules_that_the_kernel_refuses_start_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOMEM, "Landlock: no memory")

    monkeypatch.setattr(sandbox, "_restrict", refuse)
    with pytest.raises(tgsi.UnsupportedError, match=r"G011\].*cannot be started: Landlock: no memory"):
        _says("echo ran")


@on_linux
def test_where_no_thread_can_be_started_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(tgsi.UnsupportedError, match=r"G011\].*cannot be started: can't start new thread"):
        _says("echo ran")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "riscv64"])
def test_the_filter_is_a_program_whose_jumps_end_inside(machine: str) -> None:
    code = filter_program(machine)
    assert len(code) % 8 == 0
    for index in range(len(code) // 8):
        if code[8 * index] in (0x15, 0x35):
            assert index + 1 + max(code[8 * index + 2], code[8 * index + 3]) < len(code) // 8
    assert filter_program("vax") == b""


def test_filters_of_machines_differ_by_numbers_alone() -> None:
    sizes: Callable[[str], int] = lambda machine: len(filter_program(machine))  # noqa: E731
    assert sizes("x86_64") == sizes("aarch64") + 8
