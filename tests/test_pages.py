"""The programs of the guides run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tgsi
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.testing.test_plugin import run as run_pytest

DOCS = Path(__file__).parent.parent / "docs"


def programs(page: str) -> list[str]:
    """Every Python program of a page."""
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_page_about_tgsi_draws_its_triangle_and_runs_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session: dict[str, Any] = {}
    for program in programs("tgsi.md"):
        exec(program, session)
    with Image.open("triangle.png") as made, Image.open(DOCS / "images" / "triangle.png") as shown:
        assert (np.array(made) == np.array(shown.convert("RGBA"))).all()
    session["screen"].destroy()


@needs_glslang
def test_the_screenshot_test_and_the_call_of_the_guide_run(tmp_path: Path) -> None:
    test, call = programs("screenshots.md")
    exec(call, {})
    (tmp_path / "test_waves.py").write_text(test, encoding="utf-8")
    assert run_pytest(tmp_path).returncode == 1
    assert run_pytest(tmp_path, "--tgsi-update=failed").returncode == 0
    stored = tmp_path / "pictures" / "waves.png"
    assert stored.is_file()
    facts = stored.with_suffix(".json")
    facts.write_text(facts.read_text().replace('"digest": "', '"digest": "0'))
    assert "was changed by hand" in run_pytest(tmp_path).stdout


def test_the_guide_to_black_pictures_names_the_first_number_that_is_0(capsys: pytest.CaptureFixture[str]) -> None:
    """A triangle in the view, beside it, culled, and behind what the depth buffer has."""
    counting, viewport = programs("black-picture.md")
    vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND"
    fragment = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND"
    corners = [[0, 0.8, 0, 1], [-0.8, -0.7, 0, 1], [0.8, -0.7, 0, 1]]
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        session = {"ctx": ctx, "width": 32, "height": 32}
        depth = screen.resource_create(format="Z32_FLOAT", width0=32, height0=32)
        ctx.set_framebuffer_state(cbufs=[screen.resource_create(width0=32, height0=32)], zsbuf=depth)
        exec(viewport, session)
        ctx.bind_vs_state(ctx.create_vs_state(vertex))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        zeros = []
        for shift, face, tests_depth in ((0, "NONE", False), (4, "NONE", False), (0, "FRONT_AND_BACK", False), (0, "NONE", True)):
            ctx.set_vertex_buffers([np.array([[x + shift, y, z, w] for x, y, z, w in corners], np.float32)])
            ctx.bind_rasterizer_state(ctx.create_rasterizer_state(cull_face=face))
            ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(depth={"enabled": tests_depth, "func": "LESS"}))
            exec(counting, session)
            lines = [line.rsplit(None, 1) for line in capsys.readouterr().out.splitlines()]
            zeros.append([name for name, number in lines if number == "0" and not name.startswith("geometry")])
    assert zeros == [[], ["clipper out", "fragment shaders"], ["clipper out", "fragment shaders"], ["fragment shaders"]]


def test_the_program_of_the_page_about_validation_is_told_its_mistake() -> None:
    (program,) = programs("validation.md")
    with pytest.warns(tgsi.gallium.ValidationWarning, match=re.escape("clear: the color (255, 128, 0, 255) lies outside of 0 to 1")):
        exec(program, {})


def test_the_film_of_the_page_about_frames_has_its_frames_in_order(tmp_path: Path) -> None:
    program, *_ = programs("frames.md")
    (tmp_path / "film.py").write_text(program, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(DOCS.parent)}
    done = subprocess.run([sys.executable, "film.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(8)), done.stderr
    assert lines[::7] == ["0 [  0   0   0 255]", "7 [223   0   0 255]"]


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    assert {page.name for page in DOCS.glob("*.md") if page.name != "README.md" and f"({page.name})" not in index} == set()


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("package", "start"), [("mpi4py", ["mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures"]), ("ray", [sys.executable])]
)
def test_the_films_of_other_executors_have_the_bytes_of_one_process(package: str, start: list[str], tmp_path: Path) -> None:
    pytest.importorskip(package)
    begin, *others = programs("frames.md")
    film = next(program for program in others if f"from {package}" in program).replace("range(240)", "range(12)")
    check = "    assert [picture.tobytes() for picture in pictures] == [draw(k).tobytes() for k in range(12)]\n    print('equal')\n"
    (tmp_path / "film.py").write_text(begin.partition("if __name__")[0] + film + check, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(DOCS.parent)}
    done = subprocess.run([*start, "film.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.splitlines()[-1:] == ["equal"], done.stderr


def test_the_page_about_validation_prints_its_warning(tmp_path: Path) -> None:
    (program,) = programs("validation.md")
    (said,) = re.findall(r"^program\.py:6: ValidationWarning: (.*)$", (DOCS / "validation.md").read_text(encoding="utf-8"), re.MULTILINE)
    script = tmp_path / "program.py"
    script.write_text(program, encoding="utf-8")
    with pytest.warns(tgsi.gallium.ValidationWarning, match=re.escape(said)) as warned:
        exec(compile(program, script, "exec"), {})
    assert [item.lineno for item in warned] == [6]
