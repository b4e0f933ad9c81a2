"""Folders, patterns and several files as inputs of tgsi-compile, and the names of their outputs."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import pytest

from tests.unit.language.command import Run
from tgsi.language.text.logs import programs_in
from tgsi.tools.compile.batch.names import Unread, shown
from tgsi.tools.compile.batch.walk import ENDINGS, expand, output_names

GOOD = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\n  0: MOV OUT[0], IMM[0]\n  1: END\n"
BAD = "FRAG\nMOV OUT[0], IN[0]\nEND\n"
ROOT = Path(__file__).parents[3]
CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"


def write(*names: str, text: str = GOOD) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def test_a_folder_means_the_shaders_below_it(folder: Path) -> None:
    write("src/b.tgsi", "src/a.frag", "src/deep/er/c.VERT.glsl", "src/d.hlsl", "src/readme.md", "src/.git/e.tgsi", "src/.f.tgsi", "g.tgsi")
    assert expand(["src"]) == (["src/a.frag", "src/b.tgsi", "src/deep/er/c.VERT.glsl"], [])
    assert expand(["src", "src/b.tgsi", "g.tgsi"])[0][-1] == "g.tgsi"
    assert expand(["src/b.tgsi", "src"])[0] == ["src/b.tgsi", "src/a.frag", "src/deep/er/c.VERT.glsl"]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.tgsi", ["a.tgsi"]),
        ("src/*.tgsi", ["src/b.tgsi"]),
        ("src/**/*.tgsi", ["src/b.tgsi", "src/deep/c.tgsi"]),
        ("**/*.tgsi", ["a.tgsi", "src/b.tgsi", "src/deep/c.tgsi"]),
        ("src/**", ["src/b.tgsi", "src/deep/c.tgsi", "src/deep/d.txt"]),
        ("s*", ["src/b.tgsi", "src/deep/c.tgsi"]),
        ("src/?.tgsi", ["src/b.tgsi"]),
        ("src/[!b].tgsi", []),
        ("src/*/d.txt", ["src/deep/d.txt"]),
    ],
)
def test_a_pattern_means_the_files_that_match(folder: Path, pattern: str, names: list[str]) -> None:
    write("a.tgsi", "src/b.tgsi", "src/deep/c.tgsi", "src/deep/d.txt", "src/.hidden/e.tgsi")
    assert expand([pattern]) == (names, [] if names else [Unread(pattern, "no shader matches this pattern")])


def test_a_file_whose_name_is_a_pattern_is_that_file(folder: Path) -> None:
    write("a[1].tgsi", "a1.tgsi")
    assert expand(["a[1].tgsi"]) == (["a[1].tgsi"], [])


def test_an_empty_folder_is_an_error_by_name(run: Run, folder: Path) -> None:
    Path("shaders").mkdir()
    Path("shaders/readme.md").write_text("")
    code, out, err = run("--check", "shaders")
    assert (code, out) == (2, "")
    assert err.startswith("tgsi-compile: shaders: no shader in this folder: none of its files ends in .tgsi, .spv, .vert, ")


def test_the_page_for_ci_lists_every_ending() -> None:
    page = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    assert [ending for ending in ENDINGS if f"`{ending}`" not in page] == []


def test_a_compressed_file_is_named_as_such(run: Run, folder: Path) -> None:
    Path("a.tgsi.gz").write_bytes(gzip.compress(GOOD.encode()))
    assert run("a.tgsi.gz") == (2, "", "tgsi-compile: a.tgsi.gz: this file is compressed; unpack it, as with `gunzip`\n")


def test_json_of_something_else_is_told_what_writes_programs(run: Run, folder: Path) -> None:
    Path("a.json").write_text('{"a": 1}')
    code, out, err = run("a.json")
    assert code == 1
    assert "= hint: tgsi-compile --emit json writes a program as this JSON" in out + err


def test_what_cannot_be_read_does_not_stop_the_others(run: Run, folder: Path) -> None:
    write("good.tgsi")
    write("bad.tgsi", text=BAD)
    Path("junk.tgsi").write_bytes(bytes(range(256)) * 4)
    code, out, err = run("--check", "missing.tgsi", "bad.tgsi", "junk.tgsi", "goof.tgsi", "good.tgsi")
    assert code == 2
    assert err.splitlines() == [
        "tgsi-compile: missing.tgsi: no such file or directory",
        "tgsi-compile: junk.tgsi: this is a binary file, not TGSI text",
        "tgsi-compile: goof.tgsi: no such file or directory; did you mean `good.tgsi`?",
    ]
    assert out.count("error[V030]") == 2
    code, out, err = run("missing.tgsi", "good.tgsi")
    assert (code, out) == (2, f"# good.tgsi\n{GOOD}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are Unix's")
def test_links_in_circles_pipes_and_links_to_nothing_end_the_walk_of_no_folder(run: Run, folder: Path) -> None:
    write("src/a.tgsi")
    Path("src/again").symlink_to("../src")
    Path("src/circle.tgsi").symlink_to("circle.tgsi")
    Path("src/lost.tgsi").symlink_to("nowhere.tgsi")
    os.mkfifo("src/pipe.tgsi")
    for words in (["src"], ["src/*"], ["src/**/*.tgsi"], ["**"]):
        code, out, err = run(*words)
        assert (code, out) == (2, f"# src/a.tgsi\n{GOOD}")
        assert err.splitlines() == [
            "tgsi-compile: src/circle.tgsi: too many levels of symbolic links",
            f"tgsi-compile: src/lost.tgsi: no such file or directory; this is a link to {folder.resolve()}/src/nowhere.tgsi",
        ]


def test_a_folder_that_may_not_be_read_is_named_and_the_others_are_checked(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("src/a.tgsi", "src/secret/b.tgsi")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("secret"):
            raise PermissionError(13, "Permission denied")  # root may read all
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert run("src") == (2, f"# src/a.tgsi\n{GOOD}", "tgsi-compile: src/secret: permission denied\n")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="such names are Linux's")
def test_odd_names_stay_on_one_line(run: Run, folder: Path) -> None:
    names = [b"new\nline.tgsi", b"byte\xff.tgsi", b"esc\x1b[31m.tgsi", b"two words.tgsi"]
    for name in names:
        Path(os.fsdecode(name)).write_text(BAD)
    code, out, err = run("--check", ".")
    assert (code, err) == (1, "")
    places = [line for line in out.splitlines() if "-->" in line]
    assert sorted({place.split(":")[0] for place in places}) == [
        " --> ./byte\\xff.tgsi",
        " --> ./esc\\x1b[31m.tgsi",
        " --> ./new\\nline.tgsi",
        " --> ./two words.tgsi",
    ]
    assert shown("ä b") == "ä b"


def test_names_stand_above_outputs_that_are_read_back_from_a_log(run: Run, folder: Path) -> None:
    write("a.tgsi", "b.tgsi")
    _, out, _ = run(".")
    assert [str(item.program) for item in programs_in(out)] == [GOOD, GOOD]
    assert run("a.tgsi")[1] == GOOD
    Path("with name").write_text(f"# a.tgsi\n{GOOD}")
    assert run("with name")[1] == GOOD
    assert run(".", "--emit", "glsl")[1].startswith("// ./a.tgsi\n#version")
    assert run(".", "--emit", "spirv-text")[1].startswith("; ./a.tgsi\n;")


def test_outputs_of_a_folder_go_to_a_folder_of_the_same_form(run: Run, folder: Path) -> None:
    write("src/a.tgsi", "src/deep/b.tgsi")
    endings = {"text": "tgsi", "ir": "ir", "json": "json", "mesa": "tgsi", "tokens": "tokens", "glsl": "frag", "spirv": "spv"}
    for form, ending in endings.items():
        assert run("src", "--emit", form, "-o", f"{form}/") == (0, "", "")
        assert sorted(str(path) for path in Path(form).rglob("*.*")) == [f"{form}/a.{ending}", f"{form}/deep/b.{ending}"]
    assert Path("text/a.tgsi").read_text() == GOOD
    assert run("glsl", "spirv", "--check")[0] == 0
    assert run("src/a.tgsi", "-o", "text") == (0, "", "")  # a folder that exists needs no slash


@pytest.mark.parametrize(
    ("words", "names", "wanted"),
    [
        (["a.tgsi"], ["a.tgsi"], ["a.x"]),
        (["a.vert", "a.frag"], ["a.vert", "a.frag"], ["a.vert.x", "a.frag.x"]),
        (["p/a.tgsi", "q/a.tgsi"], ["p/a.tgsi", "q/a.tgsi"], ["p/a.x", "q/a.x"]),
        (["s"], ["s/a.tgsi", "s/t/a.tgsi"], ["a.x", "t/a.x"]),
        (["s/**/*.tgsi"], ["s/a.tgsi", "s/t/a.tgsi"], ["a.x", "t/a.x"]),
        (["s", "b.tgsi"], ["s/a.tgsi", "b.tgsi"], ["s/a.x", "b.x"]),
        (["a", "a.tgsi", "A.tgsi"], ["a", "a.tgsi", "A.tgsi"], ["a.x", "a-2.x", "A-3.x"]),
        ([".tgsi"], [".tgsi"], [".tgsi.x"]),
        (["/s/a.tgsi", "/t/a.tgsi"], ["/s/a.tgsi", "/t/a.tgsi"], ["s/a.x", "t/a.x"]),
        (["-"], ["stdin"], ["stdin.x"]),
    ],
)
def test_names_of_outputs_do_not_clash(folder: Path, words: list[str], names: list[str], wanted: list[str]) -> None:
    Path("s").mkdir()
    assert output_names(words, names, [".x"] * len(names)) == wanted


def test_an_output_never_replaces_an_input(run: Run, folder: Path) -> None:
    write("src/a.tgsi", "src/b.tgsi")
    code, _, err = run("src", "-o", "src")
    assert (code, err) == (2, "tgsi-compile: -o src: src/a.tgsi is an input and would be overwritten; choose another folder\n")


def test_a_folder_of_outputs_inside_of_the_inputs_is_no_input(run: Run, folder: Path) -> None:
    write("src/a.tgsi")
    for _ in range(2):
        assert run("src", "-o", "src/made/") == (0, "", "")
    assert [str(path) for path in Path("src/made").rglob("*")] == ["src/made/a.tgsi"]


def test_shaders_of_a_log_go_to_a_folder(run: Run, folder: Path) -> None:
    Path("app.log").write_text(f"hello\n{GOOD}\nmore\n{GOOD}")
    assert run("--from-log", "app.log", "-o", "out/")[0] == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["app.log-1.tgsi", "app.log-2.tgsi"]


def test_findings_and_tables_are_one_text(run: Run, folder: Path) -> None:
    write("a.tgsi", text=BAD)
    assert run("--check", "a.tgsi", "-o", "out/") == (2, "", "tgsi-compile: -o out/ is a folder, and this is one text; name a file in it\n")


def test_a_thousand_files_are_checked(run: Run, folder: Path) -> None:
    text = "FRAG\nEND\n"
    for number in range(1000):
        Path(f"{number}.tgsi").write_text(text)
    Path("500.tgsi").write_text(BAD)
    code, out, err = run("--check", ".")
    assert (code, err, out.count("error[V030]")) == (1, "", 2)


@pytest.mark.nightly
@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not here")
def test_the_corpus_goes_to_folders_and_back_and_needs_no_correction(run: Run, folder: Path) -> None:
    assert run("--diff", "--quiet", CORPUS)[:2] == (0, "")
    for form in ("text", "tokens"):
        assert run(CORPUS, "--emit", form, "-o", f"{form}/")[:2] == (0, "")
    names = sorted(path.stem for path in CORPUS.glob("*.tgsi"))
    assert [sorted(path.stem for path in Path(form).iterdir()) for form in ("text", "tokens")] == [names, names]
    assert run("text", "tokens/*", "-o", "again/")[:2] == (0, "")
    for name in names:
        assert Path(f"again/text/{name}.tgsi").read_bytes() == Path(f"text/{name}.tgsi").read_bytes()
