"""Piglit's shader_test files give the pixels that they expect; those that do not are named with their reason (`reasons.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shader_test.reasons import REASONS, reason_of
from tests.shader_test.runs import COUNTED, drawn_files, folder, outcome
from tests.shader_test.texts import NotGlslError, read_script
from tests.shader_test.values import number, shaped
from tests.unit.glsl.glslang import needs_glslang
from tgsi import gallium as g

COUNT = 2000
SHARE = 0.997
"""Share that passed when it was measured: 1,994 of 2,000. It may only grow."""

ROOT = folder()
installed = pytest.mark.skipif(ROOT is None, reason="the package piglit is not installed")


def results(count: int) -> dict[str, tuple[str, str]]:
    """Outcome of each of the first counted files by its name."""
    assert ROOT is not None
    found: dict[str, tuple[str, str]] = {}
    with g.Screen(threads=0) as screen:
        for path in drawn_files(ROOT):
            made = outcome(path, screen)
            if made[0] in COUNTED:
                found[str(path.relative_to(ROOT))] = made
            if len(found) == count:
                break
    return found


def unnamed(found: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Files that do not pass though no row of the table says why."""
    return {name: made for name, made in found.items() if made[0] != "pass" and reason_of(name) is None}


@pytest.mark.peers
@needs_glslang
@installed
def test_the_first_files_pass_but_for_those_with_a_reason() -> None:
    found = results(20)
    assert unnamed(found) == {}
    assert [name for name, (kind, _) in found.items() if kind == "pass" and reason_of(name)] == []


@pytest.mark.nightly
@pytest.mark.peers
@needs_glslang
@installed
def test_two_thousand_files_pass_as_measured_and_each_other_file_has_a_reason() -> None:
    found = results(COUNT)
    assert len(found) == COUNT
    assert unnamed(found) == {}
    assert sum(kind == "pass" for kind, _ in found.values()) >= SHARE * COUNT
    reasons = {reason_of(name) for name, (kind, _) in found.items() if kind != "pass"}
    assert [reason for _, reason in REASONS if reason not in reasons] == [], "a row of no file"


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
