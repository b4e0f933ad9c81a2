"""Clients of a running server: streams as in `streams`, some cut off or left open; after them a good client gets its picture."""

from __future__ import annotations

import atexit
import contextlib
import random
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

from tests.campaigns.streams import stream_of
from tests.vtest.encoder import COVER, Commands, Stream, draw, read, target, vertices
from tests.vtest.live import Live

EACH = 5
"""Hostile clients of a seed."""

_SIZE = 16
_PICTURE = bytes([255, 0, 0, 255]) * (_SIZE * _SIZE)
_SECONDS = 60.0  # longest silence of the server


@cache
def _server() -> Live:
    folder = tempfile.TemporaryDirectory()
    server = Live(Path(folder.name) / "socket")
    atexit.register(folder.cleanup)
    atexit.register(server.stop)
    return server


def _good() -> Stream:
    stream = target(_SIZE).buffer(2, vertices(*COVER))
    return read(stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())), _SIZE)


def _serve(stream: Stream, chance: random.Random | None = None) -> bytes:
    """Send a stream and return all replies. chance: the client may leave early."""
    data = bytes(stream.data)
    with _server().connect() as client:
        client.settimeout(_SECONDS)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if chance is not None and chance.random() < 0.3:
                client.sendall(data[: chance.randrange(len(data))])
                if chance.random() < 0.5:
                    return b""
            else:
                client.sendall(data)
            client.shutdown(1)
            found = bytearray()
            while part := client.recv(1 << 16):
                found += part
            return bytes(found)
    return b""


def attempt(seed: int) -> Counter[str]:
    """Hostile clients one after the other, then a good one."""
    chance = random.Random(f"server {seed}")
    for number in range(EACH):
        _serve(stream_of(10_000_000 + seed * EACH + number), chance)
    assert _serve(_good()) == _PICTURE, "a good client got another picture"
    server = _server()
    assert server.process.poll() is None, server.lines[-20:]
    wrong = [line for line in server.lines if "Traceback" in line or "Error:" in line]
    server.lines.clear()
    assert not wrong, wrong
    return Counter({"served": EACH})


def given(seed: int) -> str:
    """A description of what the clients send."""
    return f"streams {10_000_000 + seed * EACH} to {10_000_000 + seed * EACH + EACH - 1}"
