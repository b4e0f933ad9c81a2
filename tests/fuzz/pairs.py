"""Many new shaders over a socket: a client of tgsi-vtest makes pairs of a vertex and a fragment shader, all different, and draws with each.

``python -m tests.fuzz.pairs [COUNT] [--keep]`` prints seconds, processor time and memory of the server. Whatever the shaders
compute besides, they pass a color on; a draw that covers another pixel each time shows that every pair did.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import socket
import tempfile
import time
from pathlib import Path

from benchmarks.processes import processor_time
from tests.vtest.encoder import COVER, FRAGMENT, VERTEX, Commands, Stream, draw, read, target, vertices, word
from tests.vtest.live import running

SIZE = 16
EACH = SIZE * SIZE
"""Pairs between two looks at the picture: one for each pixel."""

RED = bytes((255, 0, 0, 255))
_FIRST = 1000  # handle of the first shader
_HEADS = {
    VERTEX: "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n",
    FRAGMENT: "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n",
}
_STEPS = ("ADD", "MUL", "MIN", "MAX", "MAD", "LRP", "FSLT", "SGE", "SLT", "FRC", "MOV", "DP3", "CMP")
_SOURCES = {"MAD": 3, "LRP": 3, "CMP": 3, "FRC": 1, "MOV": 1}


def _text(stage: int, number: int) -> str:
    """A shader of 4 to 23 instructions. Its input is passed on, whatever it computes besides."""
    chance = random.Random(f"pairs {stage} {number}")
    lines = [_HEADS[stage], "DCL TEMP[0..3]\nDCL CONST[0][0..3]\n", f"IMM[0] FLT32 {{{number}.5, 0.0, 1.0, {chance.randrange(1000)}.25}}\n"]
    given = "IN[1]" if stage == VERTEX else "IN[0]"
    lines += [f"MOV TEMP[{k}], {given}\n" for k in range(4)]
    for _ in range(chance.randrange(1, 20)):
        name = chance.choice(_STEPS)
        places = (
            f"TEMP[{chance.randrange(4)}].{chance.choice(('xyzw', 'yzwx', 'xxxx', 'wwzy'))}",
            "IMM[0]",
            f"CONST[0][{chance.randrange(4)}]",
        )
        sources = ", ".join(chance.choice(places) for _ in range(_SOURCES.get(name, 2)))
        lines.append(f"{name} TEMP[{chance.randrange(4)}], {sources}\n")
    lines.append(f"SLT TEMP[3], TEMP[3], IMM[0].xyzw\nMAD TEMP[3], TEMP[3], IMM[0].yyyy, {given}\n")  # 0 or 1, times 0
    lines.append("MOV OUT[0], IN[0]\nMOV OUT[1], TEMP[3]\nEND\n" if stage == VERTEX else "MOV OUT[0], TEMP[3]\nEND\n")
    return "".join(lines)


def pair(number: int) -> tuple[str, str]:
    """The texts of a pair."""
    return _text(VERTEX, number), _text(FRAGMENT, number)


def commands(number: int, *, keep: bool) -> Commands:
    """Commands that make the pair of a number, draw a pixel with it and, unless they keep it, destroy it."""
    place, handles = number % EACH, (2 * number + _FIRST, 2 * number + _FIRST + 1) if keep else (_FIRST, _FIRST + 1)
    made = Commands()
    for handle, stage, text in zip(handles, (VERTEX, FRAGMENT), pair(number), strict=True):
        made.shader(handle, stage, text).add("BIND_SHADER", handle, stage)
    x, y = place % SIZE, place // SIZE
    made.add("SET_SCISSOR_STATE", 0, x | y << 16, x + 1 | y + 1 << 16).add("DRAW_VBO", *draw())
    if not keep:
        for handle, stage in zip(handles, (VERTEX, FRAGMENT), strict=True):
            made.add("BIND_SHADER", 0, stage).add("DESTROY_OBJECT", handle, kind="SHADER")
    return made


def measure(count: int, *, keep: bool = False) -> tuple[float, float, int]:
    """Seconds, seconds of the server's processor time, and its MB at the end. AssertionError for a pixel that was not drawn."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "s") as server, server.connect() as client:
        client.settimeout(600)
        stream = target(SIZE).buffer(2, vertices(*COVER))
        c = Commands().create("RASTERIZER", 40, 1 << 29 | 1 << 1 | 1 << 14, word(1), 0, 0xFFFF, word(1), 0, 0, 0).bind("RASTERIZER", 40)
        for stage in (VERTEX, FRAGMENT):
            c.constants(stage, *range(16))
        client.sendall(stream.submit(c.add("SET_VERTEX_BUFFERS", 32, 0, 2)).data)
        begin, spent = time.monotonic(), processor_time(server.process.pid)
        for first in range(0, count, EACH):
            numbers = range(first, min(first + EACH, count))
            client.sendall(Stream.continued().submit(Commands().add("CLEAR", 4, 0, 0, 0, 0, 0, 0, 0)).data)
            for number in numbers:
                client.sendall(Stream.continued().submit(commands(number, keep=keep)).data)
            client.sendall(read(Stream.continued(), SIZE).data)
            found = client.recv(4 * EACH, socket.MSG_WAITALL)
            assert found == RED * len(numbers) + bytes(4) * (EACH - len(numbers)), f"pairs from {first} on: {server.lines}"
        end = time.monotonic(), processor_time(server.process.pid)
        sizes = [Path(f"/proc/{child}/statm").read_text().split()[1] for child in server.children()]
    return end[0] - begin, end[1] - spent, sum(map(int, sizes)) * resource.getpagesize() >> 20


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.pairs", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=8000)
    parser.add_argument("--keep", action="store_true", help="destroy no shader")
    given = parser.parse_args()
    os.environ["TGSI_CACHE"] = "off"
    seconds, processor, size = measure(given.count, keep=given.keep)
    print(f"{given.count} pairs: {seconds:.1f} s, {processor:.1f} s of processor time of the server, {size} MB at the end")
