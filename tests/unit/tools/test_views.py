"""`tgsi-compile --explain-link` draws links as SVG; `--steps` shows the passes side by side."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from linkage import PROFILES
from tests.unit.language.command import Run
from tgsi.tools.compile.views.options import with_link

SVG = "{http://www.w3.org/2000/svg}"
VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[7]
DCL OUT[2], COLOR
DCL OUT[3], GENERIC[2]
DCL OUT[4], BCOLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[1]
MOV OUT[3], IN[1].wzyx
MOV OUT[4], IN[1].wzyx
END
"""
FRAGMENT = """FRAG
DCL IN[0], GENERIC[2], PERSPECTIVE
DCL IN[1], COLOR, COLOR
DCL IN[2], GENERIC[9], LINEAR
DCL IN[3], POSITION, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0]
ADD TEMP[0], IN[0].xyxy, IN[1]
MAD OUT[0], IN[2], IN[3].xxxx, TEMP[0]
END
"""
LONG = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..3]
IMM[0] FLT32 {1.0, 2.0, 0.0, 0.0}
MOV TEMP[0], IN[0]
MUL TEMP[1], TEMP[0], IMM[0].xxxx
ADD TEMP[2], TEMP[1], IMM[0].yyyy
MOV TEMP[3], TEMP[0]
MOV OUT[0], TEMP[2]
END
"""


@pytest.fixture
def pair(folder: Path) -> Path:
    Path("pair.vs").write_text(VERTEX)
    Path("<pair> & co.fs").write_text(FRAGMENT)
    Path("long.fs").write_text(LONG)
    return folder


def texts(svg: str) -> list[str]:
    """The lines of text in a picture. ParseError if it is not XML."""
    return [item.text or "" for item in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_arrows_follow_the_link_table(run: Run, pair: Path) -> None:
    code, svg, errors = run("pair.vs", "<pair> & co.fs", "--explain-link")
    assert (code, errors) == (0, "")
    shown = texts(svg)
    for text in (
        "VERT \u2192 FRAG, profile software: 3 slots",
        "<pair> & co.fs",
        "OUT[3] GENERIC[2]",
        "IN[0] GENERIC[2]",
        "slot 0 \u00b7 xy-- \u00b7 perspective",
        "slot 1 \u00b7 xyzw \u00b7 color",
        "rasterizer: position",
        "from the rasterizer",
        "never read",
        "reads 0, 0, 0, 1",
    ):
        assert text in shown
    arrows = [item for item in ElementTree.fromstring(svg).iter(f"{SVG}path") if item.find(f"{SVG}title") is not None]
    assert len(arrows) == 3  # two rows, and the color of back faces
    assert sum("stroke-dasharray" in item.attrib for item in arrows) == 1
    assert any(text.startswith("warning[K010]: IN[2] GENERIC[9]") for text in shown)


def test_a_picture_of_a_link_has_the_same_bytes_again(run: Run, pair: Path) -> None:
    made = {run("pair.vs", "<pair> & co.fs", "--explain-link", "nv50")[1] for _ in range(2)}
    assert len(made) == 1


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_is_drawn(profile: str, run: Run, pair: Path) -> None:
    for option in (["--link", profile, "--explain-link"], ["--explain-link", profile], [f"--explain-link={profile}"]):
        code, svg, _ = run("pair.vs", "<pair> & co.fs", *option)
        assert texts(svg)[0] in (f"VERT \u2192 FRAG, profile {profile}: 3 slots", "VERT \u2192 FRAG: no link")
        assert ("no link" in texts(svg)[0]) == (code == 1)


def test_a_refused_link_is_drawn_with_its_error(run: Run, pair: Path) -> None:
    fragment = FRAGMENT.replace("IN[3], POSITION, LINEAR", "IN[3], FACE, CONSTANT")
    Path("face.fs").write_text(fragment)
    code, _, errors = run("pair.vs", "face.fs", "--explain-link", "nv30", "-o", "link.svg")
    assert code == 1
    assert "error[K031]" in errors
    shown = texts(Path("link.svg").read_text(encoding="utf-8"))
    assert shown[0] == "VERT \u2192 FRAG: no link"
    assert any(text.startswith("error[K031]: nv30: IN[3] FACE") for text in shown)
    assert "slot 0 \u00b7 xy-- \u00b7 perspective" in shown


def test_a_chain_has_a_box_for_each_stage(run: Run, pair: Path) -> None:
    Path("pass.gs").write_text(
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
        "DCL IN[][0], POSITION\nDCL IN[][1], GENERIC[7]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[2]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
        "MOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][1]\nEMIT IMM[0].xxxx\nEND\n"
    )
    code, svg, _ = run("<pair> & co.fs", "pass.gs", "pair.vs", "--explain-link")
    assert code == 0
    shown = texts(svg)
    assert shown[0].startswith("VERT \u2192 GEOM \u2192 FRAG")
    assert [text for text in shown if text in ("VERT", "GEOM", "FRAG")] == ["VERT", "GEOM", "FRAG"]
    assert "slot 1 \u00b7 xyzw" in shown


def test_explain_link_stands_for_link() -> None:
    assert with_link(["a", "--explain-link", "nv40"]) == ["a", "--explain-link", "--link", "nv40"]
    assert with_link(["a", "--explain-link=nv40"]) == ["a", "--explain-link", "--link=nv40"]
    assert with_link(["a", "--link", "nv40", "--explain-link"]) == ["a", "--link", "nv40", "--explain-link"]


def test_explain_link_refuses_other_forms(run: Run, pair: Path) -> None:
    code, _, errors = run("pair.vs", "<pair> & co.fs", "--explain-link", "--emit", "json")
    assert (code, errors) == (2, "tgsi-compile: --explain-link draws SVG; leave out --emit and --format\n")


def test_steps_show_changes_side_by_side(run: Run, pair: Path) -> None:
    code, out, errors = run("long.fs", "--steps", "--passes", "propagate-copies,inline-calls,remove-dead-code")
    assert (code, errors) == (0, "")
    assert "# long.fs: 6 instructions, 4 TEMPs\n" in out
    assert "inline-calls: no change\n" in out
    assert "  1: MUL TEMP[1], TEMP[0], IMM[0].xxxx |   1: MUL TEMP[1], IN[0], IMM[0].xxxx\n" in out
    assert "  0: MOV TEMP[0], IN[0]                <\n" in out
    assert out.endswith("after 3 passes; 6 instructions, 4 TEMPs before\n")
    assert "\033" not in out


def test_steps_of_the_default_pipeline_end_with_its_program(run: Run, pair: Path) -> None:
    from passes.registry import DEFAULT
    from tgsi.api import optimize

    code, out, _ = run("long.fs", "--steps", "--format", "json")
    steps = json.loads(out)["shaders"][0]["steps"]
    assert code == 0
    assert [step["pass"] for step in steps] == DEFAULT.split(",")
    last = next(step for step in reversed(steps) if step["changed"])
    assert last["after"] == str(optimize(LONG)).rstrip("\n")


def test_steps_go_on_after_a_wrong_shader(run: Run, pair: Path) -> None:
    Path("bad.fs").write_text("FRAG\nMOV OUT[0], IN[0]\nEND\n")
    code, out, errors = run("bad.fs", "long.fs", "--steps")
    assert code == 1
    assert "error[" in errors
    assert "# long.fs: 6 instructions" in out


def test_steps_refuse_what_does_not_fit(run: Run, pair: Path) -> None:
    assert run("long.fs", "--steps", "--passes", "fold-constant")[0] == 2
    assert run("long.fs", "--steps", "--emit", "json")[2] == "tgsi-compile: --emit: not allowed with --steps\n"
    assert run("long.fs", "--steps", "--format", "sarif")[0] == 2


@pytest.mark.skipif(not hasattr(pty, "openpty"), reason="no pseudo terminals here")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_colors_are_for_terminals_without_no_color(no_color: str, pair: Path) -> None:
    leader, follower = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), "NO_COLOR": no_color, "TERM": "xterm", "COLUMNS": "120"}
    command = [sys.executable, "-m", "tgsi.tools.compile.cli", "long.fs", "--steps", "--passes", "propagate-copies"]
    with subprocess.Popen(command, stdout=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        try:
            while part := os.read(leader, 4096):
                shown += part
        except OSError:  # the other end is closed
            pass
        os.close(leader)
    assert process.returncode == 0
    assert (b"\033[31m" in shown) == (not no_color)
    assert (b"\033[32m" in shown) == (not no_color)
