"""Random streams of the commands that programs repeat, valid ones and mutated ones."""

from __future__ import annotations

import struct
from random import Random

from tests.vtest.encoder import (
    CONSTANT_FS,
    FRAGMENT,
    RECT,
    RGBA8,
    RGBA32F,
    SAMPLED,
    TARGET,
    TEXTURE_2D,
    VERTEX,
    Commands,
    Stream,
    draw,
    floats,
    read,
    target,
    vertices,
    word,
)
from tgsi.tools.vtest.protocol.numbers import COMMAND_NAMES

SIZE = 16
TEXTURE_FS = (
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\n"
    "TEX TEMP[0], IN[0], SAMP[0], 2D\nMOV OUT[0], TEMP[0]\nEND\n"
)
CONSTANT_VS = (
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL CONST[0][0]\n"
    "ADD OUT[0], IN[0], CONST[0][0]\nMOV OUT[1], IN[1]\nEND\n"
)
_STATES = {"BLEND": (30, 35), "RASTERIZER": (32, 34), "DSA": (31,), "VERTEX_ELEMENTS": (33, 36)}
_DRAW = COMMAND_NAMES.index("DRAW_VBO")
_MOST = 64  # vertices, and instances, of a mutated draw: it should not last


def start(random: Random) -> Stream:
    """Resources and objects that `commands` names."""
    stream = target(SIZE)
    for handle in (2, 4):
        corners = [(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5)) for _ in range(24)]
        stream.buffer(handle, vertices(*corners, color=(random.random(), random.random(), 0, 1)))
    stream.buffer(3, bytes(random.randrange(24) if k % 4 == 0 else 0 for k in range(256)), bind=32)
    stream.buffer(6, struct.pack("<64f", *(random.random() for _ in range(64))), bind=64)
    for handle, kind in ((7, TEXTURE_2D), (8, TEXTURE_2D), (9, RECT)):
        stream.resource(handle, kind, RGBA8, SAMPLED | TARGET, 4, 4).put(handle, 0, (0, 0, 0, 4, 4, 1), random.randbytes(64))
    c = Commands().shader(22, FRAGMENT, CONSTANT_FS).shader(23, FRAGMENT, TEXTURE_FS).shader(24, VERTEX, CONSTANT_VS)
    c.create("BLEND", 35, 0, 12, *[7 << 27] * 8)
    c.create("RASTERIZER", 34, 1 << 29 | 1 << 1 | 1 << 14, word(1), 0, 0xFFFF, word(1), 0, 0, 0)
    c.create("VERTEX_ELEMENTS", 36, 0, 0, 0, RGBA32F, 0, 0, 1, RGBA32F)
    return stream.submit(views(c))


def views(c: Commands, handles: tuple[int, ...] = (41, 42)) -> Commands:
    """Sampler views of textures 7 and 8, and samplers 40 and 44."""
    for handle in handles:
        c.create("SAMPLER_VIEW", handle, handle - 34, RGBA8 | TEXTURE_2D << 24, 0, 0, 0 | 1 << 3 | 2 << 6 | 3 << 9)
    c.create("SAMPLER_STATE", 40, 3 | 3 << 3 | 3 << 6 | 2 << 11, 0, 0, 0, 7, 8, 9, 10)
    return c.create("SAMPLER_STATE", 44, 2 | 2 << 3 | 2 << 6 | 2 << 11, 0, 0, 0, 0, 0, 0, 0)


def _draw(random: Random, c: Commands) -> None:
    indexed = random.randrange(2)
    if indexed:
        c.add("SET_INDEX_BUFFER", 3, random.choice((1, 2, 4)), 4 * random.randrange(40))
    words = list(
        draw(random.randrange(13), random.randrange(12), indexed=indexed, mode=random.randrange(10), instances=random.randrange(3))
    )
    words[5], words[7], words[8] = random.choice((0, 1, -1)), random.randrange(2), random.randrange(4)
    c.add("DRAW_VBO", *words, *[3, random.randrange(2)][: random.randrange(3)])


def _constants(random: Random, c: Commands) -> None:
    stage = random.randrange(2)
    if random.randrange(3):
        c.constants(stage, *(random.uniform(-0.5, 0.5) for _ in range(4 * random.randrange(4))))
    else:
        c.add("SET_UNIFORM_BUFFER", stage, 0, 4 * random.randrange(32), 16, random.choice((0, 6, 6)))


def _buffers(random: Random, c: Commands) -> None:
    count = random.randrange(1, 3)
    c.add(
        "SET_VERTEX_BUFFERS",
        *(w for _ in range(count) for w in (random.choice((32, 0)), 32 * random.randrange(9), random.choice((2, 4, 0)))),
    )


def _objects(random: Random, c: Commands) -> None:
    kind = random.choice(tuple(_STATES))
    c.bind(kind, random.choice(_STATES[kind]))
    c.add("BIND_SHADER", random.choice((21, 22, 23)), FRAGMENT).add("BIND_SHADER", random.choice((20, 24)), VERTEX)


def _units(random: Random, c: Commands) -> None:
    c.add("SET_SAMPLER_VIEWS", FRAGMENT, 0, random.choice((0, 41, 42))).add("BIND_SAMPLER_STATES", FRAGMENT, 0, random.choice((40, 44)))


def _small(random: Random, c: Commands) -> None:
    half = random.choice((4.0, 8.0))
    c.add("SET_VIEWPORT_STATE", 0, *floats(half, half, 0.5, 8, 8, 0.5)).add("SET_SCISSOR_STATE", 0, random.randrange(4), 12 | 16 << 16)
    c.add("SET_BLEND_COLOR", *floats(random.choice((0, 1)), 0, 0, 0)).add("SET_STENCIL_REF", random.randrange(3)).add("SET_SUB_CTX", 0)


def _rare(random: Random, c: Commands) -> None:
    """Objects and memory that end or change."""
    which = random.randrange(6)
    if which == 0:
        c.add("DESTROY_OBJECT", 41, kind="SAMPLER_VIEW")
        views(c, (41,))
    elif which == 1:
        c.create("BLEND", 35, 0, 12, *[random.randrange(16) << 27] * 8).bind("BLEND", 35)
    elif which == 2:
        c.add(
            "RESOURCE_INLINE_WRITE",
            2,
            0,
            0,
            0,
            0,
            32 * random.randrange(8),
            0,
            0,
            16,
            1,
            1,
            *floats(*(random.uniform(-1, 1) for _ in range(4))),
        )
    elif which == 3:
        c.add("CLEAR", 4, *floats(random.random(), 0, 1, 1), 0, 0, 0)
    elif which == 4:
        c.create("SAMPLER_VIEW", 43, 9, RGBA8 | RECT << 24, 0, 0, 0 | 1 << 3 | 2 << 6 | 3 << 9)
        c.add("SET_SAMPLER_VIEWS", FRAGMENT, 0, 43)
    else:
        c.add("SET_VIEWPORT_STATE", 1, *floats(1, 1, 1, 1, 1, 1))


_STEPS = (_draw,) * 6 + (_constants, _buffers, _objects, _units, _small) * 2 + (_rare,)


def commands(random: Random, count: int) -> Commands:
    """A message of `count` steps."""
    c = Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2)
    for _ in range(count):
        random.choice(_STEPS)(random, c)
    return c


def valid(seed: int, messages: int = 3, steps: int = 40) -> Stream:
    """A stream without mistakes; buffer 4 ends and begins again between its messages."""
    random = Random(seed)
    stream = start(random)
    for _ in range(messages):
        stream.submit(commands(random, steps))
        if random.randrange(2):
            stream.message(3, 4).buffer(4, vertices(*[(random.uniform(-1, 1), random.uniform(-1, 1)) for _ in range(24)]))
        read(stream, SIZE)
    return read(stream, SIZE)


def mutated(seed: int, messages: int = 3, steps: int = 30) -> Stream:
    """A stream in which some words of each message are others."""
    random = Random(seed)
    stream = start(random)
    for _ in range(messages):
        c = commands(random, steps)
        for _ in range(random.randrange(1, 12)):
            c.words[random.randrange(len(c.words))] = random.choice(
                (random.randrange(45), random.randrange(1 << 20), 0xFFFFFFFF, 1 << random.randrange(32), random.randrange(50) | 3 << 16)
            )
        _tame(c.words)
        stream.submit(c)
        if not random.randrange(4):
            stream.message(3, random.choice((2, 4, 6, 7)))
    return read(stream, SIZE)


def _tame(words: list[int]) -> None:
    at = 0
    while at < len(words):
        if words[at] & 255 == _DRAW:
            for place in (at + 2, at + 5):
                if place < len(words):
                    words[place] %= _MOST
        at += 1 + (words[at] >> 16)
