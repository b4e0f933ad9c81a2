"""Hostile traces and streams: texts that would be script, style or an element of a page, planted wherever a file holds a text."""

from __future__ import annotations

import random
import re
from pathlib import Path

import tgsi
from backends.gallium.context.recording.encoder import Encoder
from backends.gallium.tracing.steps import Step, read_steps, write_steps
from backends.pipe.state import DrawInfo
from tests.fuzz.test_hostile_traces import is_small, make_trace, mutated
from tests.replay.many_draws import draw_many
from tests.unit.gallium.test_traces import Traced
from tests.vtest import random_streams
from tests.vtest.encoder import COVER, FRAGMENT, Stream, draw, pipeline, vertices

RUN = "window.injected=1"
"""A script of the data; a page that ran it has `window.injected`."""
TEXTS = (
    f"</script><script>{RUN}</script>",
    f"--><!--<script>{RUN}</script>",
    f"]]><![CDATA[<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"\"'><svg/onload={RUN}>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'>",
    f"</style><style>*{{display:none}}</style><body onload={RUN}>",
    f"</title></textarea></noscript><script>{RUN}</script>",
    f"<base href=//evil.example/><meta http-equiv=refresh content='0;url=javascript:{RUN}'>",
    f"<a href=javascript:{RUN} autofocus onfocus={RUN}>click</a>",
    f"javascript:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    f"';{RUN};//\\';{RUN};//\";{RUN};//",
    f"${{{RUN}}}`{{{{constructor.constructor('{RUN}')()}}}}",
    f"\u2028{RUN}\u2029\x00\x1b]0;title\x07\r\n{RUN}",
    f"\u202e>tpircs/<\ufeff\uff1cscript\uff1e{RUN}\uff1c/script\uff1e\udcff\ud800",
    "&lt;script&gt;&#60;script&#62;\\u003cscript\\u003e\\x3cscript\\x3e%3Cscript%3E",
    "__proto__",
    "constructor",
    "toString",
)
_WORDS = re.compile(rb"[\t\n\x20-\x7e]{6,}")
_GLSL = "#version 150\n// {text}\n#define x {text}\nout vec4 {name}; void main() {{ {name} = vec4(1); }}\n"
_INCLUDING = '#version 150\n#include "{text}"\n#include "secret.glsl"\n#line 7 "{text}"\n#error {text}\nvoid main() {{ }}\n'
_TGSI = "FRAG\n# {text}\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nMOV OUT[0], CONST[0][0]\nEND\n"
_WRONG = "FRAG\nDCL OUT[0], {text}\nMOV {text}, CONST[0]\nEND {text}\n"
_UNENDED = "FRAG\n# {text}\nDCL OUT[0], COLOR\n"
REFUSED = (_INCLUDING, _WRONG, _UNENDED)
"""Shaders that no device takes. The first is not GLSL and names files, the second is not TGSI, the third is invalid."""


def as_text(text: str) -> str:
    """The text without what UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def hostile_trace(path: Path, texts: tuple[str, ...] = TEXTS) -> bytes:
    """A trace that has texts in markers, and in shaders of TGSI and GLSL."""
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, path)
        ctx = stage.ctx
        stage.state(ctx)
        for k, text in enumerate(map(as_text, texts)):
            line = " ".join(text.split())
            ctx.emit_string_marker(text)
            try:
                ctx.bind_fs_state(ctx.create_fs_state((_TGSI, _GLSL)[k % 2].format(text=line, name=f"_{k}")))
            except tgsi.TgsiError:
                continue  # a character that GLSL does not have
            if k < 8:
                ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.destroy()
    return path.read_bytes()


def with_refused_shader(data: bytes, kind: int, rng: random.Random) -> bytes:
    """A trace with a shader before its last draw that no device takes, whose texts a message about it may quote. kind: of `REFUSED`."""
    text = " ".join(as_text(rng.choice(TEXTS)).split())
    steps = list(read_steps(bytearray(data)))
    last = max((k for k, step in enumerate(steps) if step.name == "draw_vbo"), default=0)
    call = Encoder(lambda thing: None, lambda keywords: DrawInfo()).call(
        "create_fs_state", (REFUSED[kind].format(text=text),), {}, result=9000
    )
    return write_steps([*steps[:last], Step(0, call, None), *steps[last:]])


def _with_markers(data: bytes, markers: list[Step]) -> bytes:
    """A trace with markers in its middle."""
    steps = list(read_steps(bytearray(data)))
    return write_steps([*markers, *steps[: len(steps) // 2], *markers, *steps[len(steps) // 2 :]])


def _stream(name: str) -> Stream:
    """A stream of a program whose name and shaders have a text."""
    commented = _TGSI.format(text=" ".join(name.split()))
    commands = pipeline(16).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    commands.shader(22, FRAGMENT, commented).constants(FRAGMENT, 1, 0, 1, 1).add("DRAW_VBO", *draw())
    commands.add("BIND_SHADER", 22, FRAGMENT).add("DRAW_VBO", *draw())
    stream = Stream(name).resource(1, 2, 67, 10, 16, 16).buffer(2, vertices(*COVER))
    return stream.submit(commands)


class Hostile:
    """Files of the tests' own, with what a page could take for its own in their texts; `mutant` gives another one each time."""

    def __init__(self, folder: Path) -> None:
        hostile = hostile_trace(folder / "a.trace")
        markers = [step for step in read_steps(bytearray(hostile)) if step.name == "emit_string_marker"]
        self.traces = [
            hostile,
            _with_markers(bytes(make_trace(folder / "b.trace")), markers),
            _with_markers(draw_many(folder / "c.trace", 5, white=3).read_bytes(), markers),
        ]

    def mutant(self, rng: random.Random, more: tuple[str, ...] = ()) -> tuple[str, bytes]:
        """A name and a content. more: further texts to plant."""
        texts = (*TEXTS, *more)
        kind = rng.randrange(5)
        if kind == 4:
            seed = rng.randrange(1 << 20)
            stream = random_streams.mutated(seed, 1, 12) if seed % 2 else _stream(as_text(rng.choice(texts)).replace("\x00", ""))
            data = bytes(stream.data)
        else:
            data = self.traces[rng.randrange(3)]
            data = with_refused_shader(data, rng.randrange(3), rng) if rng.random() < 0.3 else data
            data = bytes(mutated(bytearray(data), rng)) if kind < 3 else data
            while not is_small(bytearray(data)):
                data = bytes(mutated(bytearray(self.traces[rng.randrange(3)]), rng))
        for _ in range(rng.choice((0, 1, 1, 4))):
            data = planted(data, rng.choice(texts), rng)
        name = rng.choice(texts).replace("/", "\u2215").replace("\x00", "") if rng.random() < 0.3 else "a"
        return name[:60] + rng.choice((".trace", ".trace", ".bin", "")), data


def planted(data: bytes, text: str, rng: random.Random) -> bytes:
    """The file with a text over a part of one of its own texts. Lengths stay, so that all else is read as before."""
    places = [match for match in _WORDS.finditer(data) if match.end() > 16]
    if not places:
        return data
    place = rng.choice(places)
    new = text.encode("utf-8", "surrogatepass")[: place.end() - place.start()]
    at = rng.randint(max(place.start(), 16), max(place.end() - len(new), 16))
    return data[:at] + new + data[at + len(new) :]
