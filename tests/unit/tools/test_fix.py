"""`tgsi-compile --fix` and `--diff`: corrections in files, and differences that Git takes."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.unit.language.command import Run
from tgsi.language.diagnostics import Diagnostic, Fix, ParseError, Severity
from tgsi.language.source import Source, Span
from tgsi.tools.compile import fix
from tgsi.tools.compile.batch.changes import difference, replace_file
from tgsi.tools.compile.files import Shader

GOOD = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
WRONG = GOOD.replace("MOV", "MOVE")
HALF = WRONG.replace("MOVE OUT[0], IN[0]", "MOVE OUT[0], IN[1]")
DIFFERENCE = """\
--- a/a.tgsi
+++ b/a.tgsi
@@ -1,5 +1,5 @@
 FRAG
 DCL IN[0], GENERIC[0], PERSPECTIVE
 DCL OUT[0], COLOR
-MOVE OUT[0], IN[0]
+MOV OUT[0], IN[0]
 END
"""


def test_fix_writes_the_correction_and_shows_the_difference(run: Run, folder: Path) -> None:
    Path("a.tgsi").write_text(WRONG)
    Path("b.tgsi").write_text(GOOD)
    before = Path("b.tgsi").stat().st_mtime_ns, Path("b.tgsi").stat().st_ino
    assert run("--fix", ".") == (0, DIFFERENCE, "tgsi-compile: corrected 1 of 2 files\n")
    assert (Path("b.tgsi").stat().st_mtime_ns, Path("b.tgsi").stat().st_ino) == before
    assert Path("a.tgsi").read_text() == GOOD
    assert run("--fix", ".") == (0, "", "")
    assert sorted(map(str, Path().iterdir())) == ["a.tgsi", "b.tgsi"]


@pytest.mark.parametrize("words", [["--diff"], ["--fix", "--diff"], ["--check", "--fix", "--diff"]])
def test_diff_writes_nothing(run: Run, folder: Path, words: list[str]) -> None:
    Path("a.tgsi").write_text(WRONG)
    assert run(*words, "a.tgsi") == (1, DIFFERENCE, "tgsi-compile: --fix would correct 1 of 1 file\n")
    assert run(*words, "a.tgsi", "--quiet") == (1, DIFFERENCE, "")
    assert Path("a.tgsi").read_text() == WRONG


def test_what_cannot_be_corrected_is_reported(run: Run, folder: Path) -> None:
    Path("a.tgsi").write_text(HALF)
    code, out, err = run("--fix", "a.tgsi", "none.tgsi")
    assert (code, out.count("\n+MOV OUT[0], IN[1]\n")) == (2, 1)
    assert err.startswith("tgsi-compile: none.tgsi: no such file or directory\nerror[V030]: IN[1] is not declared")
    assert run("--fix", "a.tgsi")[0] == 1


def test_another_form_of_report_has_stdout_to_itself(run: Run, folder: Path) -> None:
    Path("a.tgsi").write_text(WRONG)
    assert run("--fix", "--format", "json", "a.tgsi") == (
        0,
        '{\n "ok": true,\n "findings": []\n}\n',
        DIFFERENCE + "tgsi-compile: corrected 1 of 1 file\n",
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("tail", ["", "\0\0"])
def test_bytes_that_need_no_correction_stay(run: Run, folder: Path, end: str, mark: str, tail: str) -> None:
    text = f"{mark}{WRONG}# größer, \U0001f600\n".replace("\n", end) + tail
    Path("a.tgsi").write_bytes(text.encode())
    assert run("--fix", "--quiet", "a.tgsi") == (0, "", "")
    assert Path("a.tgsi").read_bytes() == text.replace("MOVE", "MOV").encode()


def test_lines_that_are_inserted_end_as_the_others_do(run: Run, folder: Path) -> None:
    Path("a.tgsi").write_bytes(WRONG.replace("END\n", "").replace("\n", "\r\n").encode())
    assert run("--fix", "--quiet", "a.tgsi")[0] == 0
    assert Path("a.tgsi").read_bytes() == GOOD.replace("\n", "\r\n").encode()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of Unix")
def test_permissions_and_links_stay(run: Run, folder: Path) -> None:
    Path("real.tgsi").write_text(WRONG)
    Path("real.tgsi").chmod(0o751)
    Path("a.tgsi").symlink_to("real.tgsi")
    assert run("--fix", "--quiet", "a.tgsi")[0] == 0
    assert Path("a.tgsi").is_symlink()
    assert (Path("real.tgsi").read_text(), stat.S_IMODE(Path("real.tgsi").stat().st_mode)) == (GOOD, 0o751)


def test_a_file_that_may_not_be_written_is_named_and_kept(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.tgsi").write_text(WRONG)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write all
    code, out, err = run("--fix", "a.tgsi")
    assert (code, out) == (2, "")
    assert err == "tgsi-compile: a.tgsi: it could not be corrected: it may not be written; make it writable, as with chmod +w\n"
    assert Path("a.tgsi").read_text() == WRONG


def test_a_file_that_changes_meanwhile_is_kept(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.tgsi").write_text(WRONG)
    whole = fix.corrected

    def slow(*arguments: object) -> object:
        made = whole(*arguments)  # type: ignore[arg-type]
        Path("a.tgsi").write_text("another")
        return made

    monkeypatch.setattr(fix, "corrected", slow)
    code, _, err = run("--fix", "a.tgsi")
    assert (code, err) == (2, "tgsi-compile: a.tgsi: it could not be corrected: it was changed while it was read; run this again\n")
    assert Path("a.tgsi").read_text() == "another"
    with pytest.raises(OSError, match="was changed"):
        replace_file("a.tgsi", b"other", b"new")
    assert [str(path) for path in Path().iterdir()] == ["a.tgsi"]


def test_a_file_in_the_middle_of_a_merge_is_kept(run: Run, folder: Path) -> None:
    text = WRONG + "# one\n<<<<<<< HEAD\n# two\n"
    Path("a.tgsi").write_text(text.replace("<<<<<<< HEAD", "#"))
    assert run("--fix", "a.tgsi")[0] == 0
    text = "FRAG\nMOVE OUT[0], IN[0]\nEND\n<<<<<<< HEAD\n"
    Path("a.tgsi").write_text(text)
    code, out, err = run("--fix", "a.tgsi")
    assert (code, out, Path("a.tgsi").read_text()) == (1, "", text)
    assert "tgsi-compile: a.tgsi: not corrected: line 4 is left from a merge whose conflict is not resolved; resolve it first\n" in err


def test_corrections_that_undo_each_other_are_not_written(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.tgsi").write_text("FRAG\n")

    def endless(shader: Shader, options: object) -> object:
        source = Source(shader.text, shader.name)
        other = "VERT" if shader.text.startswith("FRAG") else "FRAG"
        raise ParseError([Diagnostic("P003", Severity.ERROR, "no", fixes=(Fix(Span(source, 0, 4), other),))])

    monkeypatch.setattr(fix, "checked", endless)
    code, out, err = run("--fix", "a.tgsi")
    assert (code, out, Path("a.tgsi").read_text()) == (1, "", "FRAG\n")
    assert "a.tgsi: not corrected: its corrections undo each other; correct it by hand" in err


def test_stdin_is_corrected_to_stdout(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WRONG.encode())))
    code, out, err = run("--fix", "-")
    assert (code, out) == (0, GOOD)
    assert err == DIFFERENCE.replace("a.tgsi", "<stdin>") + "tgsi-compile: corrected 1 of 1 file\n"


@pytest.mark.parametrize("words", [["--emit", "glsl"], ["--link"], ["--run"], ["--passes", "default"], ["--from-log", "x"]])
def test_fix_goes_with_no_other_action(run: Run, folder: Path, words: list[str]) -> None:
    code, out, err = run("--fix", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words[0] in err or "x is a log" in err


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_git_applies_the_differences_of_any_texts(folder: Path) -> None:
    random = Random(7)
    names = [f"deep/{number} ä.tgsi" for number in range(30)] + ['quote".tgsi', "new\nline.tgsi", os.fsdecode(b"byte\xff.tgsi")]
    Path("deep").mkdir()
    wanted, whole = {}, []
    for name in names:
        old = [f"line {random.randrange(5)}" + random.choice(["", "\r"]) for _ in range(random.randrange(40))]
        new = [line for line in old if random.random() < 0.9]
        for _ in range(random.randrange(4)):
            new.insert(random.randrange(len(new) + 1), "new line")
        before, after = ("\n".join(lines) + random.choice(["", "\n"]) for lines in (old, new))
        if before != after and before and after:
            Path(name).write_bytes(before.encode())
            wanted[name] = after.encode()
            whole.append(difference(name, before, after))
    patch = "".join(whole).encode("utf-8", "surrogateescape")
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=patch, check=True, timeout=60)
    assert {name: Path(name).read_bytes() for name in wanted} == wanted
    assert len(wanted) > 20


def test_a_large_file_is_compared_in_little_time(folder: Path) -> None:
    lines = [f"MOV TEMP[{number % 7}], TEMP[{number % 5}]" for number in range(8_000)]
    new = [line.replace("MOV", "ADD") if number % 160 == 0 else line for number, line in enumerate(lines)]
    assert difference("a", "\n".join(lines), "\n".join(new)).count("\n+ADD") == 50
    every = [f"ADD {line}" for line in lines]
    assert difference("a", "\n".join(lines), "\n".join(every)).count("\n+ADD") == 8_000
