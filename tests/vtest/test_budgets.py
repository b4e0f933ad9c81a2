"""A client that computes too long is ended with a line, and only that client."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vtest.encoder import COVER, FRAGMENT, Commands, Stream, draw, target, vertices
from tests.vtest.live import Live, running, wait_until

pytestmark = pytest.mark.slow
DONE = struct.pack("<3I", 1, 7, 0)


def endless() -> Stream:
    """A stream with a draw of billions of vertices."""
    return (
        target()
        .buffer(2, vertices(*COVER))
        .submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw(count=1 << 31)))
        .wait()
    )


def long(terms: int) -> str:
    """A fragment program whose code takes long to compile."""
    steps = (
        "LG2 TEMP[0].{0}, TEMP[0].{1}",
        "EX2 TEMP[0].{0}, TEMP[0].{1}",
        "SIN TEMP[0].{0}, TEMP[0].{1}",
        "POW TEMP[0].{0}, TEMP[0].{1}, IN[0].{0}",
    )
    body = "".join(f"{steps[k % 4].format('xyzw'[k % 3], 'xyzw'[(k + 1) % 4])}\n" for k in range(terms))
    return f"FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\n{body}MOV OUT[0], TEMP[0]\nEND\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server with small budgets, which keeps no kernels on disk."""
    path, before = tmp_path_factory.mktemp("budgets") / "s", "import os; os.environ['TGSI_CACHE_DIR'] = ''"
    with running(path, "--command-seconds", "1", "--compile-seconds", "0.6", before=before) as made:
        yield made


def test_a_command_that_computes_too_long_ends_its_client_and_no_other(server: Live) -> None:
    with server.connect() as client, server.connect() as other:
        other.sendall(Stream("other").wait().data)
        assert other.recv(12, socket.MSG_WAITALL) == DONE
        client.sendall(endless().data)
        assert client.recv(12) == b""
        line = server.wait_for("(--command-seconds)")
        assert "test (process" in line
        assert re.search(r"a command \((SUBMIT_CMD|RESOURCE_BUSY_WAIT)\) took more than 1 seconds of processor time", line)
        wait_until(lambda: len(server.children()) == 1, "the end of the client's process")
        other.sendall(Stream.continued().wait().data)
        assert other.recv(12, socket.MSG_WAITALL) == DONE


def test_a_compilation_that_takes_too_long_ends_its_client(server: Live) -> None:
    with server.connect() as client:
        commands = Commands().shader(22, FRAGMENT, long(3000)).add("BIND_SHADER", 22, FRAGMENT).add("SET_VERTEX_BUFFERS", 32, 0, 2)
        client.sendall(target().buffer(2, vertices(*COVER)).submit(commands.add("DRAW_VBO", *draw())).wait().data)
        with contextlib.suppress(ConnectionResetError):  # where the process ended before it read all of the stream
            assert client.recv(12) == b""
        server.wait_for("the compilation of a kernel took more than 0.6 seconds of processor time (--compile-seconds)")


@pytest.mark.nightly
def test_processor_time_in_all_is_limited_if_that_is_asked_for(tmp_path: Path) -> None:
    with running(tmp_path / "s", "--max-cpu", "1") as server, server.connect() as client:
        client.sendall(endless().data)
        assert client.recv(12) == b""
        server.wait_for("it used 1 seconds of processor time (--max-cpu)")
        wait_until(lambda: not server.children(), "the end of the process")


@pytest.mark.nightly
def test_many_commands_that_each_take_little_time_are_no_trouble(server: Live) -> None:
    commands = Commands()
    for handle in range(50, 4000):
        commands.create("SAMPLER_STATE", handle, handle & 0x1FF, *[0] * 7)
    with server.connect() as client:
        for stream in (Stream("patient"), *(Stream.continued() for _ in range(8))):
            client.sendall(stream.submit(commands).wait().data)
            assert client.recv(12, socket.MSG_WAITALL) == DONE
    assert not [line for line in server.lines if "patient" in line]
