"""docs/draw.md: its commands run as they stand and draw the pictures that it shows; its tables have the names of the code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.language.command import Run
from tests.unit.tools.test_watch import Editor
from tgsi.tools.compile.batch.watch import watch
from tgsi.tools.compile.draw.known import ATTRIBUTE_NAMES, NORMALS, PRODUCTS, VALUES

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/draw.md").read_text(encoding="utf-8")
SHADERS = dict(re.findall(r"`([\w.]+)`:\n\n```glsl\n(.*?)```", TEXT, re.DOTALL))
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()]

pytestmark = pytest.mark.light


@pytest.fixture
def shaders(folder: Path) -> Path:
    for name, text in SHADERS.items():
        Path(name).write_text(text)
    return folder


@needs_glslang
def test_the_commands_of_the_guide_draw_its_pictures(run: Run, shaders: Path) -> None:
    assert len(COMMANDS) == 6
    for command in COMMANDS:
        tool, *arguments = shlex.split(command)
        code, out, errors = run(*arguments)
        assert (tool, code, errors) == ("tgsi-compile", 0, "")
        if "lit.png" in arguments:
            assert f"```\n{out}```" in TEXT
    with Image.open("lit.png") as made, Image.open(ROOT / "docs/images/draw-lit.png") as shown:
        assert (np.array(made) == np.array(shown)).all()
    assert Path("lit-link.svg").read_text() == (ROOT / "docs/images/draw-link.svg").read_text()
    assert sorted(path.name for path in shaders.glob("*.png")) == ["lit.png", "normals.png", "waves.png"]


def test_the_tables_of_the_guide_have_every_name() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ((?:`\w+` ?)+) \|$", TEXT, re.MULTILINE)
    found = {word for _, words in rows for word in re.findall(r"`(\w+)`", words)}
    assert found == {*(name for names in ATTRIBUTE_NAMES.values() for name in names), *PRODUCTS, *NORMALS, *VALUES}


@needs_glslang
def test_a_watched_picture_follows_its_shaders_and_survives_mistakes(run: Run, shaders: Path) -> None:
    seen: list[tuple[int, bytes]] = []
    fragment = Path("waves.frag")

    def work() -> int:
        code = run("waves.frag", "--draw", "waves.png", "--size", "16")[0]
        seen.append((code, Path("waves.png").read_bytes()))
        return code

    edits = (
        lambda: fragment.write_text(SHADERS["waves.frag"].replace("color =", "colr =")),
        lambda: fragment.write_text(SHADERS["waves.frag"].replace("ring * 2.0", "ring * 1.5")),
    )
    assert watch(work, lambda: ["waves.frag"], quiet=True, wait=Editor(*edits)) == 0
    assert [code for code, _ in seen] == [0, 1, 0]
    assert seen[0][1] == seen[1][1] != seen[2][1]
