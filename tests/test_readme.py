"""The README's program works; new users run it first."""

import contextlib
import hashlib
import io
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tgsi
from tests.packaging.release import glsl_program
from tests.unit.glsl.glslang import needs_glslang
from tgsi.tools.compile.cli import main
from tgsi.tools.replay.cli import main as replay

ROOT = Path(__file__).parent.parent


def test_the_program_of_the_readme_draws_its_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert program is not None
    monkeypatch.chdir(tmp_path)
    exec(program[1], {})
    with Image.open("triangle.png") as made, Image.open(ROOT / "docs/images/triangle.png") as shown:
        drawn = np.array(made)
        assert (drawn == np.array(shown.convert("RGBA"))).all()
    assert hashlib.sha256(drawn.tobytes()).hexdigest() == DIGEST


@needs_glslang
def test_the_readmes_lines_of_glsl_draw_the_triangle_in_other_colors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(glsl_program(ROOT), {})
    with Image.open("triangle.png") as made:
        drawn = np.array(made).reshape(-1, 4)
    inside = drawn[drawn[:, :3].any(1)]
    assert len(inside) / len(drawn) == pytest.approx(0.3, abs=0.05)
    assert len(np.unique(inside, axis=0)) > 1000


SHADERS = ROOT / "examples" / "shaders"


def commands() -> list[str]:
    """Every line that begins with a command, in blocks and in sentences, but for those that serve programs of others."""
    text = (ROOT / "README.md").read_text()
    blocks = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    sentences = re.findall(r"`(tgsi-[^`]*)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    lines = [*blocks, *(sentence.replace("\n", " ") for sentence in sentences)]
    return [line for line in lines if re.match(r"tgsi-(compile|replay) (?!--\w+$)", line)]


@pytest.mark.parametrize("command", commands())
def test_a_command_of_the_readme_works(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a copy of examples/shaders, as the README says. A trace is what a program there would have written."""
    shutil.copytree(SHADERS, tmp_path / "shaders")
    monkeypatch.chdir(tmp_path / "shaders")
    with tgsi.Screen(threads=0) as screen:
        context = screen.context_create(trace="frame.trace")
        context.clear_texture(screen.resource_create(width0=8, height0=8), bytes(4))
        context.destroy()
    tool, *arguments = shlex.split(command, comments=True)
    assert {"tgsi-compile": main, "tgsi-replay": replay}[tool](arguments) == 0


def test_a_mistake_in_the_readmes_shader_is_shown_as_the_readme_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lit.tgsi").write_text((SHADERS / "lit.tgsi").read_text().replace("PERSPECTIVE", "PERSPETIVE"))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["lit.tgsi", "--check"]) == 1
    shown = re.search(r"```\n(error\[P007\].*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert shown is not None
    assert shown[1] in out.getvalue()


def test_every_file_of_the_readme_exists() -> None:
    names = set(re.findall(r"\b\w+\.(?:tgsi|log|frag|json)\b", (ROOT / "README.md").read_text()))
    assert {name for name in names if not (SHADERS / name).is_file()} == set()


DIGEST = "4ab7cc327a6c017736e003c5cd95144c58fcd64006fa8bf87de5b19498dda09d"
