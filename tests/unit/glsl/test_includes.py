"""Includes open regular files in the folders of a request and nothing else, however the directive is hidden."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.unit.glsl.texts import code, errors, places

END = {"LF": "\n", "CR": "\r", "CR LF": "\r\n", "LF CR": "\n\r"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, and a secret beside it."""
    (tmp_path / "secret").write_text("secret")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.glsl").write_text("included\n")
    return inner


def refusal(text: str, folder: Path | None) -> str:
    """The message of the only error of a text."""
    (item,) = errors(text, folders=() if folder is None else (str(folder),))
    assert item.code == "G014"
    return item.message


@pytest.mark.parametrize("end", END.values(), ids=END)
@pytest.mark.parametrize(
    "before",
    ["// x{}", "", '#pragma x("/*"){}', "/* {} */", '# define q \\{}\\{}"/*"{}', "#if 0{}#else // {}{}#endif{}", "#if 1{}#\t/**/", "\f"],
)
@pytest.mark.parametrize("directive", ["#include", "#inc\\{}lude", "# /* {} */ include", "#\\{}include", "#include\\{}"])
def test_no_spelling_of_a_directive_reaches_the_compiler(folder: Path, end: str, before: str, directive: str) -> None:
    text = (before + directive).replace("{}", end) + ' "../secret"' + end
    for folders in (folder, None):
        found = errors("#version 450" + end + text, folders=() if folders is None else (str(folders),))
        if not found:  # the directive is not a live one
            assert "secret" not in code("#version 450" + end + text)
        else:
            assert {item.code for item in found} <= {"G001", "G014"}


def test_a_directive_that_is_made_by_macros_is_no_directive() -> None:
    for text in (
        '#define H #\nH include "a"',
        '#define I #include "a"\nI',
        "#define P(a, b) a##b\nP(#, include) <a>",
        '%:include "a"',
        '??=include "a"',
    ):
        assert [item.code for item in errors(f"#version 450\n{text}\n")][:1] == ["G001"], text


def test_a_file_is_put_in_the_place_of_its_directive(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "b.glsl").write_text('\ufeffbefore\r\n#include "c.glsl"\r\n#include <a.glsl>\rafter')
    (folder / "deep" / "c.glsl").write_text("NAME __LINE__")
    text = '#version 450\n#define NAME "deep/b.glsl"\n#include NAME\n#undef NAME\n__LINE__'
    assert errors(text, folders=(str(folder),))[0].message == '`"deep/b.glsl"` is not a part of code'
    text = '#version 450\n#define NAME name\n#include "deep/b.glsl"\n__LINE__'
    assert code(text, folders=(str(folder),)) == "before name 1 included after 4"


def test_a_file_that_is_never_included_may_be_missing(folder: Path) -> None:
    text = '#version 450\n#if 0\n#include "none"\n#endif\n// #include "none"\n/*\n#include "none"\n*/'
    assert code(text, folders=(str(folder),)) == ""
    assert "no file `none`" in refusal('#include "none"', folder)


@pytest.mark.parametrize("name", ["../secret", "../inner/../secret", "deep/../../secret", "./../secret"])
def test_files_outside_of_the_folders_are_refused(folder: Path, name: str) -> None:
    assert "outside of the folders" in refusal(f'#include "{name}"', folder)
    assert "outside of the folders" in refusal(f"#include <{name}>", folder)
    assert "has no folder" in refusal(f'#include "{name}"', None)


def test_absolute_paths_are_refused(folder: Path) -> None:
    assert "outside of the folders" in refusal(f'#include "{folder / "a.glsl"}"', folder)
    assert "outside of the folders" in refusal('#include "/dev/stdin"', folder)


@pytest.mark.skipif(os.name != "posix", reason="FIFOs, sockets and links as POSIX has them")
def test_what_is_no_regular_file_is_refused_by_its_kind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(folder / "fifo")
    (folder / "out").symlink_to(folder.parent / "secret")
    (folder / "up").symlink_to(folder.parent)
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "gone").symlink_to(folder / "nothing")
    (folder / "round").symlink_to(folder / "round")
    (folder / "inside").symlink_to(folder / "a.glsl")
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert "a FIFO" in refusal('#include "fifo"', folder)
        assert "a socket" in refusal('#include "socket"', folder)
    assert "a folder" in refusal('#include "."', folder)
    assert "a folder" in refusal('#include "deep/.."', folder)
    for name in ("out", "zero", "up/secret"):
        assert "outside of the folders" in refusal(f'#include "{name}"', folder)
    assert "no file" in refusal('#include "gone"', folder)
    assert "a link" in refusal('#include "round"', folder)
    assert code('#version 450\n#include "inside"', folders=(str(folder),)) == "included"


def test_files_that_are_no_text_are_refused(folder: Path) -> None:
    (folder / "bytes").write_bytes(b"\xff\x01")
    (folder / "nul").write_bytes(b"a\0b")
    (folder / "large").write_bytes(b" " * (1 << 21))
    for name, word in (("bytes", "control"), ("nul", "control"), ("large", "more than")):
        assert word in refusal(f'#include "{name}"', folder)


def test_files_that_include_each_other_without_end_are_refused_and_guards_end_it(folder: Path) -> None:
    (folder / "b").write_text('#include "c"\n')
    (folder / "c").write_text('#include "b"\n')
    assert "includes itself" in refusal('#include "b"', folder)
    (folder / "wide").write_text("#if __LINE__\n" + '#include "wider"\n' * 70 + "#endif\n")
    (folder / "wider").write_text('#include "a.glsl"\n' * 70)
    assert "more than 4096 times" in refusal('#include "wide"', folder)
    (folder / "d").write_text('#ifndef D\n#define D\n#include "e"\nd\n#endif\n')
    (folder / "e").write_text('#pragma once\n#include "d"\ne\n')
    assert code('#version 450\n#include "d"\n#include "e"', folders=(str(folder),)) == "e d"


def test_conditions_end_in_the_file_that_has_them(folder: Path) -> None:
    (folder / "open").write_text("#if 1\n")
    (item,) = errors('#include "open"\n#endif', folders=(str(folder),))
    assert (item.message, str(item.span)) == ("this #if has no #endif", f"{folder / 'open'}:1:2")


def test_errors_in_included_files_show_the_file(folder: Path) -> None:
    (folder / "b").write_text("\n  #error here\n")
    (item,) = errors('#include "b"', folders=(str(folder),))
    assert (str(item.span), places((item,))) == (f"{folder / 'b'}:2:4", [(2, 4, "error")])
