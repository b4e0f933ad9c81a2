"""The compile benchmark measures every step of every stage, and names the shaders that are not compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from backends.pipe.enums import TexCompare, TextureTarget
from benchmarks.compile import STEPS, bindings_of, lines_of, main, run
from tests.texts import VS_POSITION
from tgsi.language.text.parser import parse

FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..1]
DCL TEMP[0..1]
TEX TEMP[0], IN[0], SAMP[0], CUBE
TEX TEMP[1], IN[0], SAMP[1], SHADOW2D
MUL OUT[0], TEMP[0], TEMP[1].xxxx
END
"""
GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0], POSITION
DCL OUT[0], POSITION
MOV OUT[0], IN[0][0]
EMIT IMM[0].xxxx
END
""".replace("DCL OUT", "IMM[0] UINT32 {0, 0, 0, 0}\nDCL OUT")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name, text in {"FRAG-a": FRAGMENT, "VERT-b": VS_POSITION, "GEOM-c": GEOMETRY}.items():
        (tmp_path / f"{name}.tgsi").write_text(text)
    return tmp_path


def test_every_stage_is_compiled_and_found_again(corpus: Path) -> None:
    report = run(sorted(corpus.glob("*.tgsi")), "host", runs=1)
    assert not report.failed
    assert [shader.stage for shader in report.measured] == ["FRAG", "GEOM", "VERT"]
    for shader in report.measured:
        assert tuple(shader.steps) == STEPS
        assert shader.uncached == pytest.approx(sum(shader.steps.values()))
        assert 0 < shader.cached < shader.uncached
        assert shader.size > 0


def test_the_report_has_a_line_a_stage(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--corpus", str(corpus), "--runs", "1", "--slowest", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["stage", "FRAG", "GEOM", "VERT", "all", "slow:", "compiled:"]
    assert lines[-1] == "compiled: 3 of 3"


def test_what_is_not_compiled_is_counted_by_its_reason() -> None:
    report = run([], "host")
    report.failed.update({"a": "no", "b": "no", "c": "never"})
    assert lines_of(report)[1:] == ["compiled: 0 of 3", "not compiled: 1 (c ...): never", "not compiled: 2 (a ...): no"]


def test_shaders_with_memory_are_compiled_as_a_run(tmp_path: Path) -> None:
    text = "DCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nLOAD TEMP[0].x, BUFFER[0], IMM[0].xxxx\nEND\n"
    for stage in ("FRAG", "VERT", "COMP"):
        (tmp_path / f"{stage}-m.tgsi").write_text(f"{stage}\n{text}")
    assert not run(sorted(tmp_path.glob("*.tgsi")), "host", runs=1).failed


def test_textures_are_what_the_shader_names() -> None:
    textures, samplers = bindings_of(parse(FRAGMENT))
    assert [t.target for t in textures if t is not None] == [TextureTarget.TEXTURE_CUBE, TextureTarget.TEXTURE_2D]
    assert [s.compare_mode for s in samplers if s is not None] == [TexCompare.NONE, TexCompare.R_TO_TEXTURE]
