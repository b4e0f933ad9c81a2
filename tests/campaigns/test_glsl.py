"""Two thousand hostile texts of GLSL and HLSL, and proof that the campaign detects crashes and wrong errors."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.campaigns import glsl
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.glsl.texts import prepared

ROOT = Path(__file__).resolve().parents[2]
COMPILING = """
import sys, tgsi
for text in sys.stdin.read().split("\\0"):
    try:
        tgsi.compile(text, stage="frag", includes=sys.argv[1:])
    except tgsi.TgsiError:
        pass
"""


def test_two_thousand_texts_are_prepared_or_refused() -> None:
    counts: Counter[str] = Counter()
    for seed in range(20):
        counts += glsl.attempt(seed)
    assert counts["prepared"] + counts["refused"] == 2000
    assert counts["prepared"] > 200
    assert counts["refused"] > 200


def test_a_directive_of_a_text_would_be_seen() -> None:
    item = prepared("#version 330\nvoid main() { }")
    glsl.judge(item)
    for line in ("#include <a>", " # include <a>", "#extension GL_GOOGLE_include_directive : require, #", "a \\", "#line 1"):
        with pytest.raises(AssertionError):
            glsl.judge(replace(item, text=f"{item.text}{line}\n", tokens=(*item.tokens, item.tokens[-1])))


def test_a_file_that_is_opened_would_be_seen() -> None:
    glsl.prepare()
    glsl._OPENED.clear()
    (glsl.folder().parent / "private").read_text()
    assert glsl._OPENED[:1] == [str(glsl.folder().parent / "private")]


@needs_glslang
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_no_process_opens_a_file_beside_the_folder(tmp_path: Path) -> None:
    spellings = (
        '//x\r#include "{}"',
        '#inc\\\rlude "{}"',
        '#pragma x("/*")\n#include "{}"\n//*/',
        '#include "{}"',
        "#include <{}>",
        '#if 1\r#include "{}"\r#endif',
    )
    names = ("../private", "out", "up/private", str(glsl.folder().parent / "private"))
    texts = [
        f"#version 450\n#extension GL_GOOGLE_include_directive : require\n{spelling.format(name)}\nvoid main() {{ }}"
        for spelling in spellings
        for name in names
    ]
    texts.append('#version 450\n#include "a.glsl"\nout vec2 c;\nvoid main() { c = included(); }')
    log = tmp_path / "log"
    command = ["strace", "-f", "-e", "trace=open,openat,openat2,creat", "-o", str(log), sys.executable, "-c", COMPILING, str(glsl.folder())]
    result = subprocess.run(command, input="\0".join(texts), text=True, capture_output=True, cwd=ROOT, check=False)
    if "ptrace" in result.stderr:
        pytest.skip("the system does not allow tracing")
    assert result.returncode == 0, result.stderr
    lines = log.read_text()
    assert "a.glsl" in lines
    assert "private" not in lines
    assert '"out"' not in lines
