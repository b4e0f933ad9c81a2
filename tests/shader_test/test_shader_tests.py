"""Piglit's shader_test files give the pixels that they expect; those that do not are named with their reason (`reasons.py`)."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from tests.shader_test.reasons import reason_of
from tests.shader_test.runs import COUNTED, drawn_files, folder, outcome
from tests.shader_test.texts import NotGlslError, read_script
from tests.shader_test.values import number, shaped
from tests.unit.glsl.glslang import needs_glslang
from tgsi import gallium as g

COUNT = 2000
SHARE = 0.95

ROOT = folder()
installed = pytest.mark.skipif(ROOT is None, reason="the package piglit is not installed")


def run(count: int, first: int = 0) -> tuple[int, list[str]]:
    """How many of the counted files pass, and what each of the others says."""
    assert ROOT is not None
    counted, others = 0, []
    with g.Screen(threads=0) as screen:
        for path in islice(drawn_files(ROOT), first, None):
            kind, text = outcome(path, screen)
            if kind not in COUNTED:
                continue
            counted += 1
            if kind != "pass":
                name = str(path.relative_to(ROOT))
                others.append(f"{name}: {reason_of(name) or f'UNNAMED {kind} {text}'}")
            if counted == count:
                break
    return counted - len(others), others


@pytest.mark.peers
@needs_glslang
@installed
def test_the_first_files_pass() -> None:
    _, others = run(20)
    assert [text for text in others if "UNNAMED" in text] == []


@pytest.mark.nightly
@pytest.mark.peers
@needs_glslang
@installed
def test_of_two_thousand_files_95_percent_pass_and_the_others_are_named() -> None:
    passed, others = run(COUNT)
    assert [text for text in others if "UNNAMED" in text] == []
    assert passed + len(others) == COUNT
    assert passed >= SHARE * COUNT


def test_numbers_are_read_as_shader_runner_reads_them() -> None:
    assert number("0x3f800000", "float") == 1
    assert number("0xFFFFFFFF", "int") == -1
    assert number("1e40", "float") == float("inf")
    assert number("12u", "uint") == 12
    assert shaped("mat2x3", ["1", "2", "3", "4", "5", "6"]) == [[1, 4], [2, 5], [3, 6]]
    assert shaped("vec2[2]", ["1", "2", "3", "4"]) == [[1, 2], [3, 4]]


def test_a_text_without_a_version_gets_that_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.shader_test"
    path.write_text("[require]\nGLSL >= 1.30\nSIZE 8 4\n[fragment shader]\nvoid main() { }\n[test]\ndraw rect -1 -1 2 2 # all\n")
    script = read_script(path)
    assert script.size == (8, 4)
    assert script.shaders["frag"].startswith("#version 130\nvoid main")
    assert script.shaders["vert"].startswith("#version 130\nin vec4 piglit_vertex;")
    assert script.commands == ["draw rect -1 -1 2 2"]
    path.write_text("[fragment program]\n!!ARBfp1.0\n[test]\n")
    with pytest.raises(NotGlslError, match="fragment program"):
        read_script(path)
