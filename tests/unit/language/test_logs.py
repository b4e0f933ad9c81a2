"""Programs in logs are the programs that were written to them, and places in their mistakes are places in the log."""

from __future__ import annotations

import io
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import tgsi
from passes.validate import check
from tests.unit.language.command import Run
from tgsi.language.text.parser import parse

VERTEX = (
    "VERT\nPROPERTY NEXT_SHADER FRAG\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[3]\n"
    "DCL CONST[0][0..3]\nDCL TEMP[0..1], LOCAL\n"
    "DCL ADDR[0]\n"
    "IMM[0] FLT32 {    0.5000,    -1.0000,     2.0000, 0x7fc00000}\nIMM[1] INT32 {1, -2, 3, 0}\n"
    "  0: MUL TEMP[0], IN[0].xxxx, CONST[0][0]\n  1: ARL ADDR[0].x, IN[1].xxxx\n"
    "  2: MAD_SAT TEMP[0].xyz, -|IN[1]|, CONST[0][ADDR[0].x+1], TEMP[0]\n"
    "  3: IF TEMP[0].xxxx :6\n  4:   MOV OUT[1], IMM[0].yyyy\n  5: ELSE :7\n  6:   MOV OUT[1], IMM[1]\n  7: ENDIF\n"
    "  8: MOV OUT[0], TEMP[0]\n  9: END\n"
)
FRAGMENT = (
    "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\nDCL IN[0], GENERIC[3], PERSPECTIVE\nDCL OUT[0], COLOR\n"
    "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\n"
    "  0: TEX TEMP[0], IN[0], SAMP[0], 2D\n  1: CAL :4\n  2: MOV OUT[0], TEMP[0]\n  3: END\n  4: BGNSUB\n"
    "  5:   ADD TEMP[0], TEMP[0], TEMP[0]\n  6: ENDSUB\n"
)
COMPUTE = (
    "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 8\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\nDCL SV[0], THREAD_ID\n"
    "DCL BUFFER[0]\nDCL TEMP[0]\n"
    "IMM[0] UINT32 {4, 0, 0, 0}\n  0: UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n  1: STORE BUFFER[0].x, TEMP[0].xxxx, SV[0].xxxx, COHERENT\n"
    "  2: BARRIER\n  3: END\n"
)
OLD = "VERT1.1\nDCL IN[0], POSITION, CONSTANT\nDCL OUT[0], POSITION, CONSTANT\n0:LERP OUT[0], IN[0], IN[0], IN[0]\n1:END\n"
TEXTS = (VERTEX, FRAGMENT, COMPUTE)

Decorate = Callable[[list[str]], str]


def prefixed(prefix: Callable[[int], str], suffix: str = "\n") -> Decorate:
    return lambda texts: "".join(prefix(number) + line + suffix for number, line in enumerate("".join(texts).splitlines()))


def headed(heading: str) -> Decorate:
    return lambda texts: "".join(f"{heading.format(number)}{text}\n" for number, text in enumerate(texts))


def noisy(texts: list[str]) -> str:
    """Lines of other programs between all lines."""
    choose = random.Random(1)
    noise = (
        "FPS: 59 FrameTime: 16.949 ms",
        "[build] use-vbo=false:",
        "Mesa: User error: GL_INVALID_ENUM in glEnable(FRAG)",
        'PIGLIT: {"subtest": {"IN[0] == OUT[0]" : "pass"}}',
        "warning: input IN[3] is not used, nor IF, nor the END",
        "",
        "$ 3: MOV OUT[0], TEMP[0]",
        "TEMP[0].x = 1 1 1 1",
        "the shader ends with END",
        "gl_Position = vec4(1.0); // FRAG and VERT",
        "  fragment shader DCLs: 3",
    )
    made = []
    for line in "".join(texts).splitlines():
        made += [choose.choice(noise) for _ in range(choose.randrange(3))] if not line[:4].isalpha() or line[3:4] == " " else []
        made.append(line)
    return "\n".join(made) + "\nFPS: 60\n"


LOGS: dict[str, Decorate] = {
    "as they are": "".join,
    "headings of virglrenderer": headed("vs: {} TGSI:\n"),
    "the stage after other words": headed("llvmpipe: fragment shader {}: "),
    "indented": prefixed(lambda _: "\t    "),
    "carriage returns": prefixed(lambda _: "", "\r\n"),
    "times": prefixed(lambda n: f"2026-11-23T13:14:{n % 60:02d}.{n:06d}+01:00 host app[{4000 + n}]: "),
    "kernel times": prefixed(lambda n: f"[{n:5d}.{n * 7919 % 1000000:06d}] "),
    "process numbers": prefixed(lambda n: f"[pid {700 + n}] mesa: "),
    "line numbers": prefixed(lambda n: f"{n + 1:6d}  "),
    "line numbers of grep": prefixed(lambda n: f"{n + 1}:"),
    "line numbers of grep and a file": prefixed(lambda n: f"log/app.txt:{n + 1}:"),
    "quoted in mail": prefixed(lambda _: "> > "),
    "colors": prefixed(lambda n: f"\x1b[1;{31 + n % 7}mmesa:\x1b[0m ", "\x1b[0m\n"),
    "strings in C": prefixed(lambda _: '   "', '\\n"\n'),
    "strings in Python": prefixed(lambda _: "    '", "\\n',\n"),
    "one line of JSON": lambda texts: "\n".join(json.dumps({"level": "debug", "shader": text}) for text in texts),
    "syslog": lambda texts: "".join("Nov 23 13:00:01 host app: " + text.replace("\n", "#012") + "\n" for text in texts),
    "a trace of Gallium": lambda texts: (
        "<?xml version='1.0'?>\n<trace version='0.1'>\n"
        + "".join(
            f"\t<call no='{n}' class='pipe_context' method='create_fs_state'>\n\t\t<arg name='state'><struct name='pipe_shader_state'>"
            f"<member name='tokens'><string>{escape(text).replace(chr(10), '&#10;')}</string></member></struct></arg>\n\t</call>\n"
            for n, text in enumerate(texts)
        )
        + "</trace>\n"
    ),
    "another output between the lines": noisy,
    "statements in one line": lambda texts: "".join("shader: " + " ".join(text.split()) + "\n" for text in texts),
    "a byte order mark": lambda texts: "\ufeff" + "".join(texts),
    "NUL characters": lambda texts: "\0".join(texts) + "\0",
}


@pytest.mark.parametrize("kind", LOGS)
def test_every_program_of_a_log_is_found(kind: str) -> None:
    found = tgsi.programs_in(LOGS[kind](list(TEXTS)), name="app.log")
    assert [item.program for item in found] == [parse(text) for text in TEXTS]
    assert [item.number for item in found] == [1, 2, 3]
    for item in found:
        assert item.program is not None
        assert check(item.program) == ()


@pytest.mark.parametrize("kind", LOGS)
def test_a_broken_program_is_reported_at_its_line_of_the_log_and_the_others_are_read(kind: str) -> None:
    texts = [VERTEX, FRAGMENT.replace("2: MOV OUT[0], TEMP[0]", "2: MOVE OUT[0], TEMP[0]"), COMPUTE]
    log = LOGS[kind](texts)
    found = tgsi.programs_in(log, name="app.log")
    assert [item.program is None for item in found] == [False, True, False]
    (finding,) = found[1].findings
    assert finding.code == "P005"
    span = finding.span
    assert span is not None
    assert str(span).startswith("app.log:")
    line = log.split("\n")[span.line - 1]
    assert span.text == "MOVE"
    assert line[span.column - 1 :].startswith("MOVE")
    assert "MOVE" in finding.render()


def test_places_count_lines_as_the_log_has_them() -> None:
    log = "\n\n# a\r\nvs: 1 TGSI:\nVERT\nDCL OUT[0], POSITION\nMOV OUT[0], OUT[1]\nEND\n"
    (found,) = tgsi.programs_in(log, name="x.log")
    assert (found.line, found.heading) == (5, "vs: 1 TGSI:")
    assert found.program is not None
    (finding,) = check(found.program)
    assert str(finding.span) == "x.log:7:13"
    assert "7 | MOV OUT[0], OUT[1]" in finding.render()


def test_old_programs_of_a_log_are_read_with_notes() -> None:
    first, second = tgsi.programs_in(f"mesa: vertex program\n{OLD}\n{VERTEX}")
    assert first.program == parse(OLD, dialect="legacy")
    assert [item.code for item in first.findings] == ["P050"] * 3
    assert first.heading == "mesa: vertex program"
    assert second.program == parse(VERTEX)
    assert tgsi.programs_in(OLD, dialect="strict")[0].program is None


def test_a_program_that_is_cut_off_is_found_and_lacks_its_end() -> None:
    log = VERTEX[: VERTEX.index("  9: END")] + FRAGMENT
    first, second = tgsi.programs_in(log)
    assert first.program is not None
    assert "V001" in [item.code for item in check(first.program)]
    assert second.program == parse(FRAGMENT)


@pytest.mark.parametrize(
    "text", ["", "VERT", "FRAG\nVERT\nGEOM\n", "no shader here: VERT and FRAG\nIN[0]\n", "NIR:\nshader: MESA_SHADER_VERTEX\nEND\n"]
)
def test_a_log_without_programs_has_none(text: str) -> None:
    assert tgsi.programs_in(text) == ()


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match="text must be str, not bytes"):
        tgsi.programs_in(b"VERT")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="dialect must be one of default, strict, legacy, not 'old'"):
        tgsi.programs_in("", dialect="old")


HOSTILE = {
    "headers": lambda n: "VERT\n" * (n // 5),
    "headers in one line": lambda n: "VERT END " * (n // 9),
    "short programs in one line": lambda n: "VERT\\nEND\\n" * (n // 11),
    "words": lambda n: "VERT\n" + "MOV " * (n // 4),
    "numbers": lambda n: "VERT\n" + "1:" * (n // 2),
    "digits": lambda n: "VERT\n" + "1" * n,
    "one word": lambda n: "VERT\n" + "M" * n,
    "predicates": lambda n: "VERT\n" + "(PRED[" * (n // 6),
    "escapes": lambda n: "\x1b]" * (n // 2),
    "tags": lambda n: "<" * n + "\nVERT\nEND",
    "calls": lambda n: "<call no='1'" * (n // 12),
    "signs": lambda n: "VERT\nMOV " + "-(" * (n // 2),
    "open braces": lambda n: "VERT\nIMM FLT32 {" + "{\n" * (n // 2),
}


LONG = {"short programs in one line"}
"""Logs that are read for seconds."""


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=pytest.mark.nightly) if kind in LONG else kind for kind in HOSTILE])
def test_time_is_linear_in_hostile_logs(kind: str) -> None:
    def cost(size: int) -> float:
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            tgsi.programs_in(HOSTILE[kind](size))
            best = min(best, time.process_time() - start)
        return best

    small, large = cost(4_000), cost(32_000)
    assert large < 20 * small + 0.05, f"8 times the text took {large / small:.1f} times as long"


@pytest.mark.peers
@pytest.mark.parametrize("kind", LOGS)
def test_programs_of_mesa_are_found_in_every_kind_of_log(kind: str, shared: Path) -> None:
    paths = sorted((shared / "corpus").glob("*.tgsi"))[:: 20 if kind != "as they are" else 1]
    texts = [path.read_text() for path in paths]
    found = tgsi.programs_in(LOGS[kind](texts))
    assert [item.program for item in found] == [parse(text) for text in texts]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "app.log"
    path.write_text(LOGS["process numbers"]([VERTEX, FRAGMENT]))
    return path


def test_the_command_prints_each_shader_with_its_place(run: Run, log: Path) -> None:
    code, out, err = run("--from-log", log)
    assert (code, err) == (0, "")
    assert out == f"# shader 1, {log}:1, [pid 700] mesa:\n{parse(VERTEX)}\n# shader 2, {log}:22, [pid 721] mesa:\n{parse(FRAGMENT)}"
    assert run("--from-log", log, "--pick", "2") == (0, str(parse(FRAGMENT)), "")
    assert [parse(text) for text in out.split("\n\n")] == [parse(VERTEX), parse(FRAGMENT)]


def test_the_command_reads_a_log_from_stdin(run: Run, monkeypatch: pytest.MonkeyPatch, log: Path) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log.read_bytes())))
    assert run("--from-log", "-", "--check") == (0, "", "")


def test_every_action_takes_shaders_from_a_log(run: Run, log: Path) -> None:
    code, out, _ = run("--from-log", log, "--emit", "json")
    assert code == 0
    assert [(item["number"], item["line"]) for item in json.loads(out)] == [(1, 1), (2, 22)]
    assert run("--from-log", log, "--pick", "1", "--run", "--inputs", "[[[0, 0, 0, 0], [0, 0, 0, 0]]]")[0] == 0
    assert run("--from-log", log, "--link")[0] == 0
    assert run("--from-log", log, "--emit", "tokens", "--pick", "2")[1] == run("--from-log", log, "--emit", "tokens", "--pick", "2")[1]
    assert "; shader 1" in run("--from-log", log, "--emit", "llvm")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--run"],
            "--run takes one shader; choose one of 2 with --pick NUMBER:\n  VERT shader 1, {log}:1, [pid 700] mesa:\n  FRAG shader 2",
        ),
        (["--pick", "3"], "--pick 3: {log} has the shaders 1 to 2"),
        (["--pick", "x"], "--pick x: write numbers of shaders, as 3 or 1,4-6"),
        (["--link", "--pick", "1"], "--link takes two shaders or more, 1 given; a chain is "),
        (["more.tgsi"], "--from-log reads shaders from a log, and more.tgsi is one more file"),
    ],
)
def test_the_command_says_what_cannot_be_done(run: Run, log: Path, arguments: list[str], message: str) -> None:
    code, out, err = run("--from-log", log, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"tgsi-compile: {message.format(log=log)}")


def test_a_log_without_shaders_cannot_be_compiled(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty.log"
    path.write_bytes(b"\xff\xfe nothing")
    assert run("--from-log", path)[0] == 2
    assert run("--pick", "1", path)[2] == "tgsi-compile: --pick goes with --from-log\n"


def test_a_broken_shader_of_a_log_fails_the_command_and_the_others_are_printed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text(VERTEX.replace("0: MUL", "0: MULL") + FRAGMENT)
    code, out, err = run("--from-log", path)
    assert code == 1
    assert out == f"# shader 2, {path}:22\n{parse(FRAGMENT)}"
    assert f"{path}:12:6" in err
