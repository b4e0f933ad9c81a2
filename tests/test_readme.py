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
from tests.packaging.release import program_of
from tests.unit.glsl.glslang import needs_glslang
from tgsi.tools.compile.cli import main
from tgsi.tools.replay.cli import main as replay

ROOT = Path(__file__).parent.parent


@needs_glslang
def test_the_program_of_the_readme_draws_its_picture_in_at_most_twenty_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(ROOT / "README.md", words="knot.png")
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    with Image.open("knot.png") as made, Image.open(ROOT / "docs/images/knot.png") as shown:
        drawn = np.array(made)
        assert (drawn == np.array(shown.convert("RGBA"))).all()
    assert hashlib.sha256(drawn.tobytes()).hexdigest() == DIGEST
    assert sum(bool(line) for line in program.splitlines()) <= 20


def test_the_readme_is_read_in_a_minute() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


SHADERS = ROOT / "examples" / "shaders"


PAGES = [ROOT / "README.md", ROOT / "docs" / "tgsi.md"]


def commands() -> list[str]:
    """Every line that begins with a command, in blocks and in sentences, but for those that serve programs of others."""
    text = "\n".join(page.read_text() for page in PAGES)
    blocks = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    sentences = re.findall(r"`(tgsi-[^`]*)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    lines = [*blocks, *(sentence.replace("\n", " ") for sentence in sentences)]
    return [line for line in dict.fromkeys(lines) if re.match(r"tgsi-(compile|replay) (?!--\w+$)", line)]


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_shader_that_is_named_exists(page: Path) -> None:
    names = set(re.findall(r"\b\w+\.(?:tgsi|log|frag|json)\b", page.read_text()))
    assert {name for name in names if not (SHADERS / name).is_file()} == set()


DIGEST = "ab779fab9670dbe10e634deeb706dad3af7147a29b5c5ad325d67a60bceba8e6"
