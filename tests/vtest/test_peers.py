"""Programs of other projects: recorded streams with the reference server's replies, and Mesa's own client."""

from __future__ import annotations

import ctypes.util
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import SHARED
from tests.vtest.encoder import Stream, run
from tgsi.gallium import Screen
from tgsi.tools.vtest.compare import compare
from tgsi.tools.vtest.server import DEFAULT_SOCKET

STREAMS = SHARED / "peers" / "virgl" / "streams.tar.xz"
PROGRAM = Path(__file__).with_name("egl_program.py")
EVERY = 12  # of 746 streams; to run all: tgsi-vtest --compare --replay FOLDER/*.bin
DIFFERENT = {
    "ext_timer_query-time-elapsed": "times are never equal",
    "gl-1.0-edgeflag": "the reference fails this test of piglit, we pass",
    "point-line-no-cull": "the reference fails this test of piglit, we pass",
    "depth-tex-compare": "the reference fails this test of piglit, we pass",
    "fbo-depthstencil": "the reference fails this test of piglit, we pass",
    "arb_texture_buffer_object-render-no-bo": "what an unbound texture buffer reads is not defined",
    "primitive-restart-draw-mode": "pixels on the edges of wide lines; both pass the test of piglit",
}
pytestmark = [pytest.mark.peers, pytest.mark.slow]


def _pairs() -> Iterator[tuple[str, bytes, bytes]]:
    found: dict[str, dict[str, bytes]] = {}
    with tarfile.open(STREAMS, "r:xz") as archive:
        for member in archive:
            path = Path(member.name)
            data = archive.extractfile(member)
            if path.suffix in (".bin", ".rep") and data is not None:
                found.setdefault(path.stem, {})[path.suffix] = data.read()
    for name in sorted(found)[::EVERY]:
        yield name, found[name][".bin"], found[name][".rep"]


@pytest.mark.skipif(not STREAMS.exists(), reason="../shared/peers/virgl/streams.tar.xz is not there")
def test_recorded_streams_run_without_an_error_and_give_the_recorded_replies(screen: Screen) -> None:
    wrong = []
    for name, data, replies in _pairs():
        stream = Stream()
        stream.data = bytearray(data)
        result = run(screen, stream)
        if result.lines:
            wrong.append(f"{name}: {result.lines[0]}")
        elif not any(part in name for part in DIFFERENT) and not compare(data, result.replies, replies).is_equal:
            wrong.append(f"{name}: other replies")
    assert not wrong


def _can_mount() -> bool:
    return (
        os.geteuid() == 0 and shutil.which("unshare") is not None and not subprocess.run(["unshare", "-m", "true"], check=False).returncode
    )


def _has_mesa() -> bool:
    return all(ctypes.util.find_library(name) for name in ("EGL", "EGL_mesa"))


@pytest.mark.skipif(not _has_mesa(), reason="Mesa's EGL (libegl1, libegl-mesa0, libgl1-mesa-dri) is not installed")
@pytest.mark.skipif(not _can_mount(), reason="a mount of one's own is not allowed here, and Mesa knows one path of the socket only")
@pytest.mark.parametrize("protocol", ["0", "2"])
def test_an_opengl_program_draws_through_the_server(tmp_path: Path, protocol: str) -> None:
    socket, place = tmp_path / "vtest.sock", Path(DEFAULT_SOCKET)
    command = [sys.executable, "-m", "tgsi.tools.vtest.cli", "--socket", str(socket), "--threads", "0", "--protocol", protocol]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            if socket.exists() or server.poll() is not None:
                break
            time.sleep(0.1)
        is_new = not place.exists()
        if is_new:
            place.touch()
        script = f"mount --bind {socket} {place} && exec {sys.executable} {PROGRAM}"
        environment = os.environ | {"GALLIUM_DRIVER": "virpipe", "LIBGL_ALWAYS_SOFTWARE": "1", "XDG_RUNTIME_DIR": str(tmp_path)}
        found = subprocess.run(
            ["unshare", "-m", "sh", "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=False
        )
    finally:
        server.terminate()
        server.wait(20)
    assert found.stdout.splitlines()[-3:] == ["virgl (tgsi (host))", "255 0 0 255", "0 255 0 255"], found.stdout + found.stderr
    assert not socket.exists()
