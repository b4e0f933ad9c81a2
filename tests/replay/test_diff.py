"""``--diff``: the first call, draw and pixel in which two traces differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from tests.replay.many_draws import draw_many
from tgsi.tools.replay.cli import main

pytestmark = pytest.mark.light

Captured = pytest.CaptureFixture[str]


def diff(capsys: Captured, first: Path, second: Path, *more: object) -> tuple[int, str]:
    code = main([str(first), "--diff", str(second), "-o", str(first.parent), *map(str, more), "--threads", "0"])
    return code, capsys.readouterr().out


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return draw_many(tmp_path / "a.trace")


def test_equal_traces_are_equal(first: Path, tmp_path: Path, capsys: Captured) -> None:
    code, text = diff(capsys, first, draw_many(tmp_path / "b.trace"))
    assert (code, text.startswith("equal: ")) == (0, True)


def test_a_changed_constant_is_found_with_its_draw_and_pixel(first: Path, tmp_path: Path, capsys: Captured) -> None:
    code, text = diff(capsys, first, draw_many(tmp_path / "b.trace", white=17))
    lines = text.splitlines()
    assert code == 1
    assert "2 calls differ, 0 are in A only, 0 in B only" in lines[0] or "calls differ" in lines[0]
    assert lines[2] == "  set_constant_buffer"
    assert "  * buffer" in lines
    assert any("word 0: 0.354166657" in line and "| 1 " in line for line in lines), text
    assert "    index = 0" in lines
    draw = next(line for line in lines if line.startswith("first differing draw"))
    assert draw.count("draw_vbo 19") == 2, "the clear is the first draw, and draws are counted from 1"
    assert any(line.endswith("90 64 0 255 | 255 255 255 255") for line in lines), text
    (ours,) = (line for line in lines if line.startswith("  A  the shader wrote this: draw 17 "))
    assert "COLOR = (0.354167, 0.25, 0, 1)" in ours
    (theirs,) = (line for line in lines if line.startswith("  B  the shader wrote this: draw 17 "))
    assert "COLOR = (1, 1, 1, 1)" in theirs
    with Image.open(tmp_path / "a.diff.png") as picture:
        assert picture.width > picture.height * 2.9


def test_the_report_is_json_as_well(first: Path, tmp_path: Path, capsys: Captured) -> None:
    code, text = diff(capsys, first, draw_many(tmp_path / "b.trace", white=17), "--format", "json")
    found = json.loads(text)
    assert code == 1
    assert found["first_draw"]["draws"] == [19, 19]
    assert found["first_call"][0]["name"] == "set_constant_buffer"
    assert Path(found["picture"]).exists()


def test_a_draw_that_one_trace_lacks_is_found(first: Path, tmp_path: Path, capsys: Captured) -> None:
    code, text = diff(capsys, first, draw_many(tmp_path / "b.trace", without=9))
    assert code == 1
    assert "are in A only" in text
    assert "first differing draw: draw_vbo 11 (" in text


def test_an_object_that_is_never_used_shifts_handles_and_changes_no_pixel(tmp_path: Path, capsys: Captured) -> None:
    first = draw_many(tmp_path / "a.trace")
    code, text = diff(capsys, first, draw_many(tmp_path / "b.trace", extra=True))
    assert code == 1
    assert text.splitlines()[0] == "0 calls differ, 0 are in A only, 1 in B only"
    assert "create_rasterizer_state(" in text
    assert "no target differs after any draw, and no resource at the end" in text


def test_a_wrong_file_is_code_2(first: Path, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "b.trace").write_bytes(first.read_bytes()[:403])
    code, text = diff(capsys, first, tmp_path / "b.trace")
    assert code == 2
    assert "b.trace: the recording ends at byte 403" in text
    assert diff(capsys, first, tmp_path / "none")[0] == 2
