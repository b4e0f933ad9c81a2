"""Command tgsi-vtest: streams without a client, and a server of several clients."""

from __future__ import annotations

import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.vtest.encoder import COVER, Commands, Stream, draw, read, target, vertices
from tgsi.tools.vtest.cli import main
from tgsi.tools.vtest.output.compare import FRACTION, compare

Captured = pytest.CaptureFixture[str]


def red() -> Stream:
    """Stream that covers a target with a triangle and reads the target back."""
    stream = target().buffer(2, vertices(*COVER))
    return read(stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())))


RED = bytes((255, 0, 0, 255)) * 256


# -- streams -------------------------------------------------------------------------------------------------------------
def test_a_stream_is_run_and_its_replies_written(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "one.bin").write_bytes(red().data)
    assert main(["--replay", str(tmp_path / "one.bin"), "-o", str(tmp_path / "out"), "--threads", "0"]) == 0
    assert (tmp_path / "out" / "one.rep").read_bytes() == RED
    assert "1 of 1 ran without error" in capsys.readouterr().out


def test_replies_are_compared_and_what_differs_is_told(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "one.bin").write_bytes(red().data)
    (tmp_path / "one.rep").write_bytes(RED)
    assert main(["--replay", str(tmp_path / "one.bin"), "--compare"]) == 0
    (tmp_path / "one.rep").write_bytes(bytes((0, 0, 255, 255)) * 256)
    assert main(["--replay", str(tmp_path / "one.bin"), "--compare"]) == 1
    assert "R8G8B8A8_UNORM 16x16x1: off by at most 1, 100.00% of texels" in capsys.readouterr().out


def test_a_stream_with_a_wrong_command_fails(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "one.bin").write_bytes(red().submit(Commands().add("BIND_SHADER", 77, 0)).data)
    assert main(["--replay", str(tmp_path / "one.bin"), "--stats"]) == 1
    said = capsys.readouterr()
    assert "test: BIND_SHADER at word 0: handle: there is no object 77" in said.err
    assert "DRAW_VBO" in said.err
    assert "one: 1 errors" in said.out


def test_a_missing_stream_is_told(tmp_path: Path, capsys: Captured) -> None:
    assert main(["--replay", str(tmp_path / "none.bin")]) == 2
    assert "none.bin" in capsys.readouterr().err


def test_one_step_of_eight_bits_is_equal_and_a_few_pixels_may_differ() -> None:
    data = bytes(red().data)
    near = np.frombuffer(RED, np.uint8).reshape(256, 4).copy()
    near[:, 1] += 1
    assert compare(data, RED, near.tobytes()).is_equal
    near[:, 1] += 1
    assert not compare(data, RED, near.tobytes()).is_equal
    far = np.frombuffer(RED, np.uint8).reshape(256, 4).copy()
    far[: int(256 * FRACTION), 2] = 255
    assert compare(data, RED, far.tobytes()).is_equal
    far[: int(256 * FRACTION) + 1, 2] = 255
    assert not compare(data, RED, far.tobytes()).is_equal


def test_replies_that_end_early_are_told() -> None:
    found = compare(bytes(red().data), RED, RED[:-1])
    assert found.trouble == "the recorded replies end at message 4"


def test_screenshots_are_written_when_a_target_goes(tmp_path: Path) -> None:
    import io

    from PIL import Image

    from tgsi.gallium import Screen
    from tgsi.tools.vtest.output.pictures import Pictures
    from tgsi.tools.vtest.output.wanted import Wanted
    from tgsi.tools.vtest.protocol.wire import FileWire
    from tgsi.tools.vtest.session.messages import answer
    from tgsi.tools.vtest.session.session import Session

    stream = red().message(3, 1)
    with Screen(0) as screen:
        pictures = Pictures(Wanted(folder=tmp_path, pictures=1), 5)
        answer(Session(screen, FileWire(io.BytesIO(bytes(stream.data)), io.BytesIO()), print, protocol=0, pictures=pictures))
    files = sorted(tmp_path.glob("*.png"))
    assert [file.name for file in files] == ["test-5-000.png", "test-5-001.png"]  # read back, then gone
    assert Image.open(files[0]).getpixel((3, 3)) == (255, 0, 0)


# -- clients -------------------------------------------------------------------------------------------------------------
@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """Server at a socket of its own."""
    path = tmp_path / "s"
    command = [sys.executable, "-m", "tgsi.tools.vtest.cli", "--socket", str(path), "--threads", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "ready" in process.stderr.readline()
    yield path, process
    if process.poll() is None:
        process.kill()
    process.wait()
    process.stderr.close()


def _connect(path: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(30)
    made.connect(str(path))
    return made


@pytest.mark.slow
def test_clients_are_served_side_by_side_and_the_death_of_one_harms_no_other(server: tuple[Path, subprocess.Popen[str]]) -> None:
    path, process = server
    with _connect(path) as first, _connect(path) as second:
        first.sendall(Stream().wait().data)
        assert first.recv(12, socket.MSG_WAITALL) == struct.pack("<3I", 1, 7, 0)
        second.sendall(red().data[:200])
        second.close()
        first.sendall(bytes(red().data)[len(Stream().data) :])
        assert first.recv(1024, socket.MSG_WAITALL) == RED
    with _connect(path) as third:
        third.sendall(red().data)
        assert third.recv(1024, socket.MSG_WAITALL) == RED
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_ended_finishes_the_files_of_its_clients(tmp_path: Path, number: int) -> None:
    path, file = tmp_path / "s", tmp_path / "a.bin"
    command = [sys.executable, "-m", "tgsi.tools.vtest.cli", "--socket", str(path), "--threads", "0", "--record", str(file)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "ready" in process.stderr.readline()
        stream = bytes(red().data)
        with _connect(path) as client:
            client.sendall(stream)
            assert client.recv(1024, socket.MSG_WAITALL) == RED
            client.sendall(b"\x20\0\0\0\x06\0\0\0half")
            process.send_signal(number)
            said = process.stderr.read()
            assert process.wait(20) == 0
    assert f"{file} is from" in said
    assert file.read_bytes() == stream
    assert [item.name for item in tmp_path.iterdir() if item.name.startswith(".")] == []


@pytest.mark.slow
def test_a_socket_without_a_listener_is_taken_over_and_another_file_is_not(tmp_path: Path) -> None:
    dead, file = tmp_path / "dead", tmp_path / "file"
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(str(dead))
    file.write_text("mine")
    command = [sys.executable, "-m", "tgsi.tools.vtest.cli", "--once", "--threads", "0", "--socket"]
    refused = subprocess.run([*command, str(file)], capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 2
    assert f"{file}: exists and is not a socket; remove it" in refused.stderr
    assert file.read_text() == "mine"
    with subprocess.Popen([*command, str(dead)], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "ready" in process.stderr.readline()
        for _ in range(50):
            try:
                client = _connect(dead)
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        with client:
            client.sendall(Stream().submit(Commands().add("BIND_SHADER", 77, 0)).data)
        assert process.wait(30) == 1  # one client, which made a mistake
        assert "there is no object 77" in process.stderr.read()


@pytest.mark.slow
def test_a_draw_of_billions_of_vertices_ends_with_its_client(server: tuple[Path, subprocess.Popen[str]]) -> None:
    path, process = server
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    with _connect(path) as client:
        stream = target().buffer(2, vertices(*COVER))
        client.sendall(stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw(count=1 << 31))).data)
        time.sleep(1)
        (child,) = children.read_text().split()
    time.sleep(1)
    process_of_client = Path(f"/proc/{child}")
    assert process_of_client.exists()  # it was working
    for _ in range(100):
        if not process_of_client.exists():
            return
        time.sleep(0.1)
    raise AssertionError("it is still at work")
