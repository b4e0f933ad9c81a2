"""TGSI_DUMP: files about each kernel that is compiled."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import tgsi
from backends.llvm.engine import engine, kernel_cache
from passes.analysis.drawings import draw_flow, draw_values
from tests.unit.picture import TRIANGLE, WHITE, Picture

LOOP = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 {0.25, 4.0, 0.0, 0.0}
  0: MOV TEMP[0], IN[0]
  1: BGNLOOP
  2: FSGE TEMP[1].x, TEMP[0].xxxx, IMM[0].yyyy
  3: UIF TEMP[1].xxxx
  4: BRK
  5: ENDIF
  6: ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
  7: ENDLOOP
  8: MOV OUT[0], TEMP[0]
  9: END
"""
ENDINGS = {".key", ".tgsi", ".flow.dot", ".values.dot", ".ll", ".ll.dot", ".s"}


def run_of_own(monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    """Run a program whose kernel no other test has. Returns the texts of its files by name."""
    monkeypatch.setenv("TGSI_DUMP", str(folder))
    monkeypatch.setattr("backends.llvm.kernels.run._kernels.get", _compiled_anew)
    result = tgsi.run(tgsi.parse(LOOP), np.array([[[1, 2, 3, 4]]], np.float32))
    assert result.floats.ravel()[:2].tolist() == [4, 2]
    return {file.name: file.read_text() for file in folder.iterdir()}


def _compiled_anew(variant: object) -> engine.Library:
    from backends.llvm.kernels import run

    return run._compile(variant)  # type: ignore[arg-type]


def test_a_kernel_has_files_of_its_key_program_code_and_drawings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = run_of_own(monkeypatch, tmp_path / "new" / "folder")
    own = {name[name.index(".") :]: text for name, text in files.items() if name.startswith("run-")}
    assert own.keys() == ENDINGS
    assert own[".key"].startswith("'run'\n'FRAG\\n")
    assert tgsi.parse(own[".tgsi"]).instructions == tgsi.parse(LOOP).instructions
    assert re.search(r"^define .*@run\(", own[".ll"], re.MULTILINE)
    assert own[".ll"].startswith("; ModuleID"), "LLVM has printed it, after its passes"
    assert re.search(r"^run:", own[".s"], re.MULTILINE)
    assert own[".ll.dot"].startswith("digraph")


def test_equal_kernels_have_equal_files_in_every_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_of_own(monkeypatch, tmp_path / "a") == run_of_own(monkeypatch, tmp_path / "b")


def test_kernels_of_a_draw_are_written_although_caches_have_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Picture().draw(WHITE)  # so that the caches on disk have its kernels
    monkeypatch.setattr(kernel_cache, "_shared", {})
    monkeypatch.setenv("TGSI_DUMP", str(tmp_path))
    with tgsi.Screen(threads=0, lanes=8) as screen:
        target = screen.resource_create(width0=4, height0=4)
        ctx = screen.context_create()
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.bind_fs_state(ctx.create_fs_state(WHITE))
        ctx.bind_vs_state(ctx.create_vs_state("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n"))
        ctx.set_viewport_states([{"scale": (2, 2, 0.5), "translate": (2, 2, 0.5)}])
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        ctx.set_vertex_buffers([TRIANGLE])
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        with ctx.transfer_map(target, usage="READ") as pixels:
            assert (pixels.data == 255).all()
    assert {file.name.split(".", 1)[1] for file in tmp_path.glob("setup-*")} == {"key", "ll", "ll.dot", "s"}, "it is of no program"
    assert [tgsi.parse(file.read_text()) for file in tmp_path.glob("shade-*.tgsi")] == [tgsi.parse(tgsi.dump(tgsi.parse(WHITE)))]


def test_blocks_and_the_ways_between_them_are_drawn() -> None:
    drawn = draw_flow(tgsi.parse(LOOP))
    blocks = dict(re.findall(r'^  (\d+) \[label="(.*?)"', drawn, re.MULTILINE))
    entry = next(number for number, text in blocks.items() if text.startswith("0: MOV"))
    after = next(number for number, text in blocks.items() if "8: MOV OUT[0]" in text)
    ways = set(re.findall(r"(\d+) -> (\d+);", drawn))
    reached = {entry}
    while more := {target for source, target in ways if source in reached} - reached:
        reached |= more
    assert after in reached
    assert any(int(target) <= int(source) for source, target in ways), "the loop comes back"
    assert re.search(rf"^  {after} .*peripheries=2", drawn, re.MULTILINE)


def test_values_lead_to_their_readers_and_several_makers_are_dashed() -> None:
    drawn = draw_values(tgsi.parse(LOOP))
    edges = {(a, b): rest for a, b, rest in re.findall(r"(\d+) -> (\d+) \[(.*?)\];", drawn)}
    assert edges["2", "3"] == r'label="TEMP[1].x\l"'
    assert edges["0", "2"] == edges["6", "2"] == r'label="TEMP[0].x\l", style=dashed'
    assert ("2", "8") not in edges


def test_a_label_keeps_quotes_and_backslashes() -> None:
    from passes.analysis.drawings import _text

    assert _text(['a "b" \\']) == r'"a \"b\" \\\l"'
