"""The programs of docs/opengl-clients.md draw with nothing of Mesa, GLVND or X in their process, where their packages are installed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "opengl-clients.md").read_text(encoding="utf-8")
RECIPES: dict[str, str] = dict(re.findall(r"^## (.*?)\n.*?^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))
PACKAGES = {"MuJoCo with gymnasium": "mujoco"}
SYSTEM = r"lib(GL|EGL|OSMesa|GLX|OpenGL|GLdispatch|glapi|gallium|gbm|vulkan)\b|_dri\.so"
TAIL = f"""
import re as _re
_mapped = {{line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if "/" in line}}
_found = [path for path in _mapped if _re.search({SYSTEM!r}, path) and "site-packages" not in path and "memfd:" not in path]
assert not _found, _found
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="libraries in memory are for Linux")
@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_draws_its_picture(title: str, tmp_path: Path) -> None:
    package = PACKAGES.get(title, title.lower())
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    script = tmp_path / "scene.py"
    script.write_text(RECIPES[title] + ("" if package == "pygfx" else TAIL), encoding="utf-8")  # wgpu loads Vulkan's loader
    run = subprocess.run(
        [sys.executable, "-m", "tgsi.opengl", "--validate", script], check=False, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert "ValidationWarning" not in run.stderr
    (picture,) = tmp_path.glob("*.png")
    with Image.open(picture) as image:
        colors = image.convert("RGB").getcolors(1 << 20)
        assert colors is not None
        assert len(colors) > 10


def test_the_page_has_six_recipes_and_their_pictures() -> None:
    assert len(RECIPES) == 6
    for block in RECIPES.values():
        (name,) = re.findall(r'"(\w+)\.png"', block)
        assert f"images/client-{name}.png" in PAGE
