"""Texts of GLSL and HLSL with mistakes: includes, strings, comments, continuations and ends of lines of every kind, macros, old words."""

from __future__ import annotations

import codecs
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import tgsi
from frontends.glsl.compiler import find_compiler
from frontends.glsl.prepare import Prepared
from frontends.glsl.prepare import prepare as prepared
from frontends.glsl.request import STAGE_WORDS, Request, check_text, guessed_stage
from tgsi.language.diagnostics import ParseError, TgsiError
from tgsi.language.source import Source

EACH = 100
"""Texts of a seed."""
COMPILED = 20
"""One of so many texts that were prepared goes through glslang, too."""
PATIENCE_S = 10.0
"""Processor time of one text."""

_ENDS = ("\n", "\n", "\n", "\r", "\r\n", "\n\r", "\\\n", "\\\r", "\\\r\n", "\f", "\v", "\u2028", "\x85", "\n\n", "")
_HIDING = ("//", "/*", "*/", '"', '"/*"', "'", "\\", "#", "##", "%:", "??=", "/**/", "\ufeff", "\0", "\x1a", "\u00a0", "e\u0301")
_NAMES = (
    "a.glsl",
    "deep/b.glsl",
    "cycle.glsl",
    "fifo",
    "out",
    "deep",
    ".",
    "../private",
    "/dev/zero",
    "none",
    "deep/../a.glsl",
    "up/private",
)
_SPELLED = """
#include|#inc|lude|#|#define|#define F(x)|#define F(x, y) x##y|#undef|#if|#ifdef|#ifndef|#elif|#else|#endif|#error|#pragma|#pragma once
#line|#version|#extension|#extension GL_GOOGLE_include_directive : require|#version 100|#version 120|#version 300 es|#version 330
#version 450 core|#if 0|#if 1|#if defined(A)
"""
_DIRECTIVES = _SPELLED.strip().replace("\n", "|").split("|")
_SAID = """
A|B|F|F(|__LINE__|__VERSION__|defined|float|vec4|uniform|varying|attribute|smooth|flat|uint|texture|texture2D(s,|shadow2D(|gl_FragColor
gl_FragData[1]|gl_DepthRange.far|gl_Vertex|noise3|1.0|0x1f|1e+|return|if (|else|F(A, B)|void main() {|layout(location = 0)
#include "a.glsl"|struct S { float case; }
"""
_SPELLINGS: tuple[str, ...] = ('#include "{}"', "#include <{}>", '#inc\\\nlude "{}"', '#/**/include "{}"', '# include "{}')
_WORDS: tuple[str, ...] = (*"(){}[];,.=+-*/<>?:!~%&|^", "9" * 50, *_SAID.strip().replace("\n", "|").split("|"))
_BASES = (
    "#version 120\nuniform sampler2D texture; varying vec2 v;\n#define A texture2D(texture, v)\nvoid main() { gl_FragColor = A; }\n",
    '#version 330\n#include "a.glsl"\nin vec2 v; out vec4 c;\n#define F(x) (x + \\\n x)\nvoid main() { c = vec4(F(v), included()); }\n',
    "precision highp float; // old\nvarying vec2 smooth;\n#ifdef GL_ES\nvoid main() { gl_FragColor = vec4(smooth, 0.0, 1.0); }\n#else\n"
    "void main() { gl_FragData[0] = vec4(gl_DepthRange.far); }\n#endif\n",
    "#version 300 es\nprecision highp float; out vec4 c; /* a\n comment */\nvoid main() { c = vec4(gl_FragCoord.x); }\n",
    'Texture2D t; SamplerState s;\n#define A "x"\n[maxvertexcount(3)]\nfloat4 main(float2 v : T) : SV_Target { return t.Sample(s, v); }\n',
)  # fmt: skip
_OURS = re.compile(
    r"#version [0-9]{3} core|#extension GL_\w+ : (?:require|enable|warn)|#extension all : warn|#pragma STDGL invariant\(all\)"
    r"|#pragma pack_matrix\((?:row|column)_major\)"
)
_OPENED: list[str] = []
_IS_WATCHED = False


@cache
def folder() -> Path:
    """A folder of includes with everything that a folder can hold, and a secret beside it."""
    root = Path(tempfile.mkdtemp(prefix="tgsi-campaign-")).resolve()
    inner = root / "inner"
    (inner / "deep").mkdir(parents=True)
    (root / "private").write_text("private")
    (inner / "a.glsl").write_text("#pragma once\nvec2 included() { return vec2(1.0); }\n")
    (inner / "deep" / "b.glsl").write_text('#include "../a.glsl"\r\n#define B 2\r')
    (inner / "cycle.glsl").write_text('#include "cycle.glsl"\n')
    (inner / "out").symlink_to(root / "private")
    (inner / "up").symlink_to(root)
    os.mkfifo(inner / "fifo")
    return inner


def prepare() -> None:
    """Note every file that Python opens from now on."""
    global _IS_WATCHED
    if not _IS_WATCHED:
        _IS_WATCHED = True
        codecs.lookup("utf-8-sig")  # the module of the codec is imported at its first use
        sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and not isinstance(arguments[0], int):  # a number is open already
        _OPENED.append(os.fsdecode(arguments[0]))


def _piece(chance: random.Random) -> str:
    match chance.randrange(6):
        case 0:
            return chance.choice(_ENDS)
        case 1:
            return chance.choice(_HIDING)
        case 2:
            name = chance.choice(_NAMES)
            return chance.choice(_SPELLINGS).replace("{}", name)
        case 3 | 4:
            return chance.choice(_DIRECTIVES) + " "
        case _:
            return chance.choice(_WORDS) + " "


def _mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + _piece(chance) * chance.choice((1, 1, 1, 1, 1, 2, 50)) + text[at + chance.choice((0, 0, 0, 1, 5)) :]
    return text.replace("\n", chance.choice(_ENDS[3:7])) if chance.random() < 0.2 else text


def cases(seed: int) -> Iterator[tuple[str, str, bool]]:
    """The texts of a seed: text, language, and whether it has a folder."""
    chance = random.Random(f"glsl {seed}")
    for _ in range(EACH):
        base = chance.choice(_BASES)
        language = "hlsl" if base.startswith("Texture2D") or chance.random() < 0.05 else "glsl"
        if chance.random() < 0.2:
            text = "".join(_piece(chance) + chance.choice(("", "\n")) for _ in range(chance.randrange(60)))
        else:
            text = _mutated(base, chance)
        yield text, language, chance.random() < 0.7


def judge(item: Prepared) -> None:
    """Assert that a text for glslang has directives of ours and, in every other line, one token."""
    for number, line in enumerate(item.text.split("\n")[:-1]):
        if line.lstrip().startswith("#"):
            assert _OURS.fullmatch(line), line
        assert "\\" not in line, line
        assert "\r" not in line, line
        if number >= len(item.head):
            assert item.labels(number + 1), "a token without a place"


def _attempt(text: str, language: str, folders: tuple[str, ...], stage: str) -> str:
    request = Request(source=Source(text, "text"), stage=STAGE_WORDS[stage], language=language, folders=folders, defines=(("A", "1"),))
    _OPENED.clear()
    try:
        guessed_stage(text)
        check_text(request.source)
        item = prepared(request)
    except ParseError as error:
        if not str(error).startswith("error[G0"):
            raise
        return "refused"
    finally:
        opened = set(_OPENED)
        inside = {"a.glsl", "b.glsl", "cycle.glsl", "deep", *folders} if folders else set()
        assert opened <= inside, f"opened {opened - inside}"
    judge(item)
    return "prepared"


def attempt(seed: int) -> Counter[str]:
    """Prepare each text for glslang, and compile a sample of those that are accepted."""
    prepare()
    counts: Counter[str] = Counter()
    has_compiler = _has_compiler()
    for number, (text, language, has_folder) in enumerate(cases(seed)):
        folders = (str(folder()),) if has_folder else ()
        stage = "vert" if number % 7 == 0 else "frag"
        begin = time.process_time()
        result = _attempt(text, language, folders, stage)
        counts[result] += 1
        assert time.process_time() - begin < PATIENCE_S
        if result == "prepared" and counts[result] % COMPILED == 1 and has_compiler:
            try:
                tgsi.compile(text, stage=stage, language=language, includes=folders)
            except (TgsiError, ValueError) as error:
                if not str(error):
                    raise
            counts["compiled, too"] += 1
    return counts


@cache
def _has_compiler() -> bool:
    try:
        find_compiler()
    except TgsiError:
        return False
    return True


def given(seed: int) -> str:
    """The texts of a seed."""
    return "\n\n".join(f"{number} ({language}, {has_folder}):\n{text!r}" for number, (text, language, has_folder) in enumerate(cases(seed)))
