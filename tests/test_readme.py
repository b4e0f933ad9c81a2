"""The README's program is the first thing that anybody runs."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

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


DIGEST = "4ab7cc327a6c017736e003c5cd95144c58fcd64006fa8bf87de5b19498dda09d"
