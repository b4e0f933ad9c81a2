"""macOS and Windows, as far as a Linux machine can show them: pretended systems, and code with Windows' calls."""

from __future__ import annotations

import ctypes
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from backends import system
from backends.entries import install
from backends.llvm.engine import engine, linking
from backends.llvm.engine.codegen import machine_for, parse_module
from backends.llvm.engine.engine import Library
from backends.llvm.targets import host, machines
from backends.llvm.targets.host import Host
from tests.images.test_images import DIGESTS, SCENES

ROOT = Path(__file__).parents[2]
SYSTEMS = ("darwin", "win32")


def pretended(name: str, cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.systems.pretend", name, *arguments]
    environment = {**os.environ, "TGSI_CACHE_DIR": str(cache)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def check(name: str, cache: Path, scenes: list[str]) -> None:
    known = json.loads(DIGESTS.read_text())
    done = pretended(name, cache, "tests/systems/program.py", *scenes)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found.pop("engines")
    assert found.pop("tokens")
    assert found.pop("link").startswith("profile software: 1 slot")
    assert found == {f"{scene} {threads}": known[scene] for scene in scenes for threads in (0, 2)}


@pytest.mark.parametrize("name", SYSTEMS)
def test_language_engines_and_a_screen_work_on_a_pretended_system(name: str, tmp_path: Path) -> None:
    check(name, tmp_path / "objects", ["torus"])


def test_the_server_says_why_it_does_not_start_on_windows(tmp_path: Path) -> None:
    program = tmp_path / "serve.py"
    program.write_text("import tgsi.tools.vtest.cli\n")
    done = pretended("win32", tmp_path, str(program))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ImportError: tgsi-vtest serves Mesa's drivers and needs Linux")


def test_entries_stand_aside_where_a_long_has_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "c_long", ctypes.c_int)
    assert not install.fits()


def test_a_substitute_of_a_semaphore_wakes_a_thread_for_each_post(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "has_posix_semaphores", lambda: False)
    semaphores, woken = system.Semaphores(2), queue.SimpleQueue[int]()
    wait: Any = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(system._named(system._substitutes(), "sem_wait"))
    threads = [threading.Thread(target=lambda i=i: woken.put(i + wait(semaphores.handles[i]))) for i in (0, 1)]
    for thread in threads:
        thread.start()
    semaphores.post(1)
    assert woken.get(timeout=20) == 1
    semaphores.post(0)
    assert woken.get(timeout=20) == 0
    for thread in threads:
        thread.join()
    semaphores.close()


@pytest.mark.nightly
@pytest.mark.parametrize("name", SYSTEMS)
def test_all_scenes_have_their_bytes_on_a_pretended_system(name: str, tmp_path: Path) -> None:
    check(name, tmp_path / "objects", list(SCENES))
    check(name, tmp_path / "objects", list(SCENES)[:3])  # from the cache


# -- code with Windows' calls -------------------------------------------------------------------------------------------
THUNKS = """
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @memset(ptr, i32, i64)
define win64cc ptr @windows_memcpy(ptr %to, ptr %from, i64 %size) {
  %r = call ptr @memcpy(ptr %to, ptr %from, i64 %size)
  ret ptr %r
}
define win64cc ptr @windows_memset(ptr %to, i32 %byte, i64 %size) {
  %r = call ptr @memset(ptr %to, i32 %byte, i64 %size)
  ret ptr %r
}
define void @enter(ptr %function, ptr %record) {
  call win64cc void %function(ptr %record)
  ret void
}
"""
CACHES = (machines.own_architecture, machines.require_runnable, machines.cpu_features, machines.identity, machine_for)
RETURN = b"\xc3"  # for __chkstk, which touches the pages of a large frame and changes no register


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Code is made for Windows and called as there. Returns the numbers of calls of outside functions by name."""
    if system.machine() != "x86_64":
        pytest.skip("the calls of Windows on x86-64 need this processor")
    native = machine_for("host")
    names = ("enter", "windows_memcpy", "windows_memset")
    thunks, keepalive = linking.link(bytes(native.emit_object(parse_module(THUNKS, native))), "thunks", names, lambda name: None)
    probe = system.ExecutableMemory(RETURN)
    outside = {"memcpy": thunks["windows_memcpy"], "memset": thunks["windows_memset"], "__chkstk": probe.address}
    used: dict[str, int] = {}

    def symbol(name: str) -> int:
        used[name] = used.get(name, 0) + 1
        return outside[name]

    def entry(library: Library, name: str = "") -> Callable[[int], None]:
        call: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(thunks["enter"])
        return lambda record: call(library.address[name or library.exports[0]], record)

    own = host.host()
    monkeypatch.setattr(host._Known, "host", Host("x86_64-pc-windows-msvc", own.processor, own.features, own.version))
    monkeypatch.setattr(linking, "process_symbol", symbol)
    monkeypatch.setattr(Library, "entry", entry)
    monkeypatch.setattr(engine, "_shared_libraries", {})
    monkeypatch.setenv("TGSI_CACHE", "off")
    for cache in CACHES:
        cache.cache_clear()
    yield used
    assert keepalive is not None  # the code lives until here
    assert probe.address
    monkeypatch.undo()
    for cache in CACHES:
        cache.cache_clear()


PROGRAM = """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1..2], GENERIC[0]
DCL TEMP[0..{last}], ARRAY(1)
DCL ADDR[0]
DCL CONST[0..3]
IMM[0] UINT32 {{0, 1, {last}, 3}}
AND TEMP[0].x, IN[1].xxxx, IMM[0].zzzz
UARL ADDR[0].x, TEMP[0].xxxx
SIN TEMP[ADDR[0].x](1), IN[0].xxxx
POW OUT[0], |IN[0].xxxx|, IN[0].yyyy
MAD OUT[1], TEMP[1], IN[0], CONST[1]
DIV OUT[2], IN[0].zzzz, IN[0].wwww
END
"""


@pytest.mark.parametrize("lanes", [4, 16])
def test_code_with_the_calls_of_windows_has_the_same_bytes(lanes: int, windows: dict[str, int]) -> None:
    """Arguments, preserved registers, wide vectors, outside functions, and frames of more than a page."""
    program = tgsi.parse(PROGRAM.format(last=127))
    random = np.random.default_rng(3)
    inputs = random.normal(size=(300, 2, 4)).astype(np.float32)
    constants = {0: random.normal(size=(4, 4)).astype(np.float32)}
    got = tgsi.run(program, inputs, constants=constants, lanes=lanes)
    want = tgsi.run(program, inputs, constants=constants, engine="interp")
    assert machines.code_triple() == "x86_64-pc-windows-msvc-elf"
    assert np.array_equal(got.outputs[:, 1:], want.outputs[:, 1:])
    assert np.allclose(got.floats[:, 0], want.floats[:, 0], rtol=1e-5)
    assert windows["__chkstk"]
