"""Mutated streams for a real server, which may answer with clean errors only.

Findings are: the server died or grew, a client's process was killed or hangs, a line in the log is not a clean error, or another client is
disturbed.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import functools
import os
import re
import select
import shutil
import socket
import struct
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from tests.vtest.encoder import BUFFER, COVER, FRAGMENT, PASS_FS, RGBA8, TEXTURE_2D, Commands, Stream, draw, read, target, vertices
from tests.vtest.live import Live, wait_until
from tests.vtest.random_streams import commands, mutated, start
from tgsi.tools.vtest.commands.table import COMMANDS

MIB = 1 << 20
ALLOWANCE = 24 * MIB
"""Bytes by which the server may grow."""

PATIENCE = 240.0  # seconds that a stream may take on a busy machine
RED = bytes((255, 0, 0, 255)) * 256
_OPTIONS = ("--memory-mib", "256", "--address-space-mib", "6144", "--command-seconds", "3", "--compile-seconds", "20", "--clients", "8")
_UNCLEAN = re.compile(r"Traceback|: \w+(Error|Exception|Interrupt): |failed:|signal \d+|Fatal|LLVM ERROR")
_CLEAN = {
    "ended for its time": "took more than",
    "ended after its client": "takes too long",
    "sent away": "was sent away",
    "refused commands": " at word ",
}
_EDGES = (0, 1, 2, 3, 11, 12, 13, 255, 256, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


# -- streams -------------------------------------------------------------------------------------------------------------
def _words(random: Random) -> int:
    return random.choice((random.choice(_EDGES), random.randrange(64), random.randrange(1 << 16), random.getrandbits(32)))


def _flipped(random: Random) -> bytes:
    """A right stream in which bytes are others, missing or there twice; in one of eight also those of the first message."""
    data = bytearray(read(start(random).submit(commands(random, 12)), 16).data)
    least = 0 if not random.randrange(8) else 13
    for _ in range(random.randrange(1, 24)):
        at = random.randrange(least, len(data))
        match random.randrange(5):
            case 0:
                data[at] = random.getrandbits(8)
            case 1:
                data[at] ^= 1 << random.randrange(8)
            case 2:
                at -= at % 4
                data[at : at + 4] = struct.pack("<I", _words(random))
            case 3:
                del data[at : at + random.randrange(1, 9)]
            case _:
                data[at:at] = data[at : at + random.randrange(1, 200)]
    return bytes(data)


def _arbitrary(random: Random) -> bytes:
    """Commands of any number, kind and words after those of a right stream."""
    stream = target().buffer(2, vertices(*COVER))
    for _ in range(random.randrange(1, 4)):
        c = Commands()
        for _ in range(random.randrange(60)):
            number = random.choice((*COMMANDS, 1, 1, 3, random.randrange(256)))
            row = COMMANDS.get(number)
            count = row.least if row is not None and random.randrange(4) else random.randrange(24)
            c.raw(number, random.choice((random.randrange(12), random.randrange(256))), [_words(random) for _ in range(count)])
        stream.submit(c)
    return bytes(read(stream).data)


def _shared(random: Random) -> bytes:
    """Messages of protocol 2 with any words: shared memory, transfers, waits, resources that come and go."""
    stream = Stream().message(11, 2)
    for _ in range(random.randrange(1, 60)):
        handle, size = random.randrange(1, 8), random.choice((0, 16, 64, 4096, 1 << 20, _words(random)))
        match random.randrange(7):
            case 0 | 1:
                kind, form = random.choice(((BUFFER, 64), (TEXTURE_2D, RGBA8), (random.randrange(12), random.randrange(330))))
                width, height = (size, 1) if kind == BUFFER else (random.choice((1, 16, 64, _words(random))), random.randrange(70))
                stream.message(12, handle, kind, form, random.choice((8, 16, 1 << 17, _words(random))), width, height, 1, 1, 0, 0, size)
            case 2:
                stream.message(3, handle)
            case 3 | 4:
                box = [random.choice((0, 1, 4, 16, _words(random))) for _ in range(6)]
                stream.message(random.choice((13, 14)), handle, random.randrange(3), *box, size, random.choice((0, 4, _words(random))))
            case 5:
                stream.wait(handle, random.randrange(2))
            case _:
                c = (
                    Commands()
                    .shader(100, FRAGMENT, PASS_FS)
                    .add("SET_SUB_CTX", random.randrange(3))
                    .add("CREATE_SUB_CTX", random.randrange(3))
                )
                stream.submit(c.create("SAMPLER_VIEW", 200, handle, _words(random), 0, 0, random.randrange(4096)))
    return bytes(stream.data)


def _announced(random: Random) -> bytes:
    """Messages that announce more than comes."""
    stream = target()
    number, length = random.choice((2, 4, 5, 6, 7, 8, 12, 13, 14, random.randrange(32))), random.choice((10, 11, _words(random)))
    stream.data += struct.pack("<2I", length, number) + random.randbytes(random.randrange(200))
    return bytes(stream.data)


def _mutated(random: Random) -> bytes:
    return bytes(mutated(random.getrandbits(32), 2, 20).data)


_KINDS = (_mutated, _mutated, _flipped, _flipped, _arbitrary, _arbitrary, _shared, _announced)


def stream_of(seed: int) -> bytes:
    """The stream of a seed."""
    return _KINDS[seed % len(_KINDS)](Random(seed))


# -- the server ----------------------------------------------------------------------------------------------------------
class Scene:
    """A server, another client that is not to be disturbed, and the server's size at the beginning."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp()
        self.server = Live(Path(self.folder) / "s", *_OPTIONS)
        self.other = self.server.connect()
        self.other.settimeout(PATIENCE)
        self.other.sendall(target().buffer(2, vertices(*COVER)).data)
        self.look_at_other()
        self.seen, self.size, self.attacks = 0, 0, 0

    def close(self) -> None:
        """End the server."""
        self.other.close()
        self.server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def look_at_other(self) -> None:
        """The other client draws and reads its picture."""
        c = Commands().add("CLEAR", 4, 0, 0, 0, 0, 0, 0, 0).add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())
        self.other.sendall(read(Stream.continued().submit(c)).data)
        assert self.other.recv(len(RED), socket.MSG_WAITALL) == RED

    def lines(self) -> list[str]:
        """Lines that are new."""
        new = self.server.lines[self.seen :]
        self.seen += len(new)
        return new

    def check(self) -> None:
        """The server is alive and no larger than at the beginning."""
        assert self.server.process.poll() is None, "the server died"
        size = int(Path(f"/proc/{self.server.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self.attacks += 1
        if self.attacks == 20:
            self.size = size
        assert not self.size or size < self.size + ALLOWANCE, f"the server grew from {self.size} to {size} bytes"


@functools.cache
def prepare() -> Scene:
    """Start the server of this process."""
    made = Scene()
    atexit.register(made.close)
    return made


def _send(client: socket.socket, data: bytes, *, leaves: bool) -> None:
    """Send a stream and read the answers, descriptors as well, until the server closes its end. leaves: do not wait for the end."""
    client.setblocking(False)
    rest, until = memoryview(data), time.monotonic() + PATIENCE
    with contextlib.suppress(ConnectionError):
        while True:
            readable, writable, _ = select.select([client], [client] if rest else [], [], 1)
            assert time.monotonic() < until, "the server does not end with its client"
            if readable:
                found, ancillary, _, _ = client.recvmsg(1 << 16, socket.CMSG_SPACE(64))
                for _, _, numbers in ancillary:
                    for descriptor in array.array("i", numbers[: len(numbers) // 4 * 4]):
                        os.close(descriptor)
                if not found:
                    return
            if writable:
                rest = rest[client.send(rest) :]
                if not rest:
                    if leaves:
                        return
                    client.shutdown(socket.SHUT_WR)


def attempt(seed: int) -> Counter[str]:
    """Send the stream of a seed. The outcome may be that of a stream before it, whose client left early."""
    scene = prepare()
    with scene.server.connect() as client:
        _send(client, stream_of(seed), leaves=not seed % 9)
    lines = scene.lines()
    unclean = [line for line in lines if _UNCLEAN.search(line)]
    assert not unclean, "\n".join(lines)
    scene.check()
    if not seed % 8:
        scene.look_at_other()
    if not seed % 40:
        wait_until(lambda: len(scene.server.children()) == 1, "the end of all processes but that of the other client", PATIENCE)
    said = (name for name, part in _CLEAN.items() if any(part in line for line in lines))
    return Counter({next(said, "served"): 1})


def given(seed: int) -> str:
    """The bytes of the stream of a seed."""
    return stream_of(seed).hex()
