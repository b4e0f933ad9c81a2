"""The README's program works; new users run it first."""

import hashlib
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.packaging.release import glsl_program
from tests.unit.glsl.glslang import needs_glslang
from tgsi.tools.compile.cli import main

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


FILES = {
    "lit.tgsi": """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL OUT[0], COLOR
TEX OUT[0], IN[0], SAMP[0], 2D
END
""",
    "vs.tgsi": "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n",
    "fs.tgsi": "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n",
    "app.log": "[pid 7] FPS: 59\n"
    + "".join(f"[pid 7] fs: {line}\n" for line in ("FRAG", "DCL OUT[0], COLOR", "MOV OUT[0], OUT[0]", "END")),
    "sums.tgsi": """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], BLOCK_ID
DCL BUFFER[0]
IMM[0] UINT32 {0, 1, 0, 0}
STORE BUFFER[0].x, SV[0].xxxx, IMM[0].yyyy
END
""",
}


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.startswith("tgsi-compile")]


@pytest.mark.parametrize("command", commands())
def test_a_command_of_the_readme_works(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Image.new("RGBA", (4, 4), "red").save("picture.png")
    assert main(shlex.split(command, comments=True)[1:]) == 0


DIGEST = "4ab7cc327a6c017736e003c5cd95144c58fcd64006fa8bf87de5b19498dda09d"
