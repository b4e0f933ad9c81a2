"""The tutorial's programs run as they stand, in one session, and draw the pictures that it shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.unit.glsl.glslang import needs_glslang

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
STEPS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@needs_glslang
@pytest.mark.light
@pytest.mark.parametrize("threads", [0, 2, *(pytest.param(threads, marks=pytest.mark.nightly) for threads in (1, 7))])
def test_each_step_draws_its_picture(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("trimesh")
    pytest.importorskip("pyglm")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TGSI_THREADS", str(threads))
    session: dict[str, Any] = {}
    for number, step in enumerate(STEPS, 1):
        exec(step, session)
        with Image.open(f"tutorial-{number}.png") as made, Image.open(ROOT / f"docs/images/tutorial-{number}.png") as shown:
            assert (np.array(made) == np.array(shown.convert("RGBA"))).all(), number
    session["screen"].destroy()
    assert capsys.readouterr().out in TEXT


def test_the_tutorial_has_five_steps_and_a_picture_of_each() -> None:
    assert len(STEPS) == 5
    assert re.findall(r"\(images/(tutorial-\d)\.png\)", TEXT) == [f"tutorial-{number}" for number in range(1, 6)]
