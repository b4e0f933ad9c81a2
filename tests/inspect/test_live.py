"""``tgsi.inspect``: pages of contexts, bundles and files."""

from __future__ import annotations

from pathlib import Path

import pytest

import tgsi
from tests.inspect.parsed import Parsed
from tests.replay.many_draws import draw_many
from tests.unit.gallium.test_bundles import Stage
from tests.vtest.encoder import COVER, Commands, draw, target, vertices

pytestmark = pytest.mark.light


def shown(page: Path) -> Parsed:
    return Parsed(page.read_text(encoding="utf-8"))


def test_a_context_whose_calls_are_recorded_becomes_a_page(tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Stage(screen)
        with pytest.raises(RuntimeError, match="inspect: no calls are recorded"):
            tgsi.inspect(stage.ctx, tmp_path / "a.html")
        with stage.ctx.capture():
            stage.calls(stage.ctx)
        tgsi.inspect(stage.ctx, tmp_path / "a.html", pixels=[(20, 20)])
        before = stage.pixels()
        told = stage.ctx.explain(20, 20)._repr_html_()
        assert "<details" in told
        assert "pixel (20, 20)" in told
    found = shown(tmp_path / "a.html")
    assert [draw["call"] for draw in found.data["draws"]].count("draw_vbo") == 12
    assert found.data["pixels"][0]["explanation"]["sentence"]
    assert any(before)


def test_a_bundle_becomes_a_page(tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Stage(screen)
        with stage.ctx.record() as bundle:
            stage.calls(bundle)
        tgsi.inspect(bundle, tmp_path / "a.html")
    assert [draw["call"] for draw in shown(tmp_path / "a.html").data["draws"]].count("draw_vbo") == 12


def test_a_file_becomes_a_page(tmp_path: Path) -> None:
    tgsi.inspect(draw_many(tmp_path / "a.trace", 3), tmp_path / "a.html")
    assert shown(tmp_path / "a.html").data["title"] == "a.trace"
    with pytest.raises(TypeError, match="expected a path, a Context or a Bundle, not int"):
        tgsi.inspect(3, tmp_path / "a.html")
    with pytest.raises(TypeError, match="expected pairs of column and row"):
        tgsi.inspect(tmp_path / "a.trace", tmp_path / "a.html", pixels=[3])  # type: ignore[list-item]


def test_a_stream_of_an_opengl_program_becomes_a_page(tmp_path: Path) -> None:
    commands = Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())
    (tmp_path / "gl.bin").write_bytes(bytes(target().buffer(2, vertices(*COVER)).submit(commands).data))
    tgsi.inspect(tmp_path / "gl.bin", tmp_path / "a.html")
    found = shown(tmp_path / "a.html")
    assert [row["call"] for row in found.data["draws"]][-1] == "draw_vbo"
    assert found.data["draws"][-1]["cost"]["fragments"] == 16 * 16
    assert found.data["draws"][-1]["pictures"]
