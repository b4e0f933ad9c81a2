"""Unmodified OpenGL programs under ``tgsi-vtest run``, with Mesa as Debian has it."""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.vtest.live import wait_until

ROOT = Path(__file__).parents[2]
LISTS, GUIDE = ((ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("opengl-extensions.md", "vtest.md"))
PROGRAM = Path(__file__).with_name("egl_program.py")
RUN = [sys.executable, "-m", "tgsi.tools.vtest.cli", "run"]
HAS_MESA = all(ctypes.util.find_library(name) for name in ("EGL", "EGL_mesa"))
pytestmark = [
    pytest.mark.peers,
    pytest.mark.slow,
    pytest.mark.skipif(not HAS_MESA, reason="Mesa's EGL (libegl1, libegl-mesa0, libgl1-mesa-dri) is not installed"),
]


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skip where one of these programs is not installed."""
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Variables of a run without a display. Nothing of it is left at the end."""
    places = tmp_path / "t"
    places.mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    yield kept | {"TMPDIR": str(places), "XDG_RUNTIME_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    assert [place.name for place in places.iterdir() if place.name.startswith("tgsi-vtest-")] == []


def run(options: list[str], command: list[str], environment: dict[str, str], folder: Path) -> tuple[str, str]:
    """Output and messages of a command that has to succeed."""
    made = subprocess.run(
        [*RUN, *options, "--", *command], env=environment, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return made.stdout, made.stderr


@pytest.mark.parametrize("protocol", ["0", "2"])
def test_an_opengl_es_program_draws_without_a_window(environment: dict[str, str], tmp_path: Path, protocol: str) -> None:
    options = ["--headless", "--threads", "0", "--protocol", protocol]
    out, said = run(options, [sys.executable, str(PROGRAM)], environment, tmp_path)
    assert out.splitlines() == ["virgl (tgsi (host))", "255 0 0 255", "0 255 0 255"]
    (row,) = (line.split() for line in said.splitlines() if not line.startswith("tgsi-vtest"))
    assert (row[1], row[3], row[-1]) == ("1", "1", "0")  # clients, draws, errors


EXTENSIONS = """
from tests.vtest.egl import DESKTOP, ES, Egl
for version in ((DESKTOP, 4, 3), (ES, 3, 2)):
    egl = Egl()
    egl.make_current(*version)
    print(*egl.extensions())
"""


@pytest.mark.parametrize("place", [0, 1], ids=["OpenGL", "OpenGL ES"])
def test_mesa_offers_the_extensions_that_the_manual_lists_and_none_that_it_calls_refused(
    environment: dict[str, str], tmp_path: Path, place: int
) -> None:
    out, _ = run(["--headless"], [sys.executable, "-c", EXTENSIONS], environment, tmp_path)
    offered = set(out.splitlines()[place].split())
    heads = ("OpenGL 4.4", "OpenGL 4.5", "OpenGL 4.6", "later") if place == 0 else ("ES 3.2 and later",)
    for head in heads:
        row = re.search(rf"^\| {re.escape(head)} \|([^|]*)\|([^|]*)\|$", LISTS, re.MULTILINE)
        assert row is not None, head
        listed, refused = (set(re.findall(r"\b[A-Z0-9]+_\w+", words)) for words in row.groups())
        assert listed, head
        assert sorted(listed - offered) == []
        assert sorted(refused & offered) == []


@pytest.mark.skipif(importlib.util.find_spec("moderngl") is None, reason="moderngl is not installed")
def test_the_program_of_the_manual_draws(environment: dict[str, str], tmp_path: Path) -> None:
    program = re.search(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    assert program is not None
    out, _ = run(["--headless", "--screenshot", "last"], [sys.executable, "-c", program[1]], environment, tmp_path)
    assert out == "virgl (tgsi (host))\n"
    (screenshot,) = (tmp_path / "screenshots").iterdir()
    with Image.open(tmp_path / "drawn.png") as drawn, Image.open(screenshot) as seen:
        assert (np.array(drawn) == np.array(seen)).all()
        corners = [np.array(drawn)[place].argmax() for place in ((40, 128), (174, 51), (174, 204))]
    assert corners == [0, 1, 2]  # red, green, blue


@needs("glxgears", "Xvfb")
def test_glxgears_turns_in_a_window_until_it_is_told_to_end(environment: dict[str, str], tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    command = [*RUN, "--screenshot", "every", "--gif", "gears.gif", "-o", str(pictures), "--", "glxgears"]
    with subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: process.poll() is not None or len(list(pictures.glob("*.png"))) > 4, "five frames", 120)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=100)
    assert process.returncode == 128 + signal.SIGTERM
    with Image.open(sorted(pictures.iterdir())[0]) as picture:
        pixels = np.array(picture).astype(int)
    share = [((pixels[..., k] > 150) & (np.delete(pixels, k, 2).max(2) < 80)).mean() for k in range(3)]
    assert share[0] > share[1] > 0.01
    assert share[2] > 0.01
    assert (tmp_path / "gears.gif").read_bytes()[:3] == b"GIF"
    assert "glxgears" in said


def browser(folder: Path, page: Path, *options: str) -> list[str]:
    """Command that shows a page in Chromium without a window."""
    flags = ["--headless", "--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", f"--user-data-dir={folder / 'profile'}"]
    flags += ["--no-sandbox"] if os.geteuid() == 0 else []
    return ["env", "TMPDIR=/tmp", "chromium", *flags, "--virtual-time-budget=3000", *options, f"file://{page}"]


@needs("chromium")
def test_an_antialiased_canvas_of_chromium_has_the_levels_of_four_samples(environment: dict[str, str], tmp_path: Path) -> None:
    out, said = run(["--headless"], browser(tmp_path, Path(__file__).with_name("antialias.html"), "--dump-dom"), environment, tmp_path)
    lines = {tuple(name.split()): levels for name, levels in re.findall(r"<p>(\w+ \w+ \w+) ([\d,]*)</p>", out)}
    for version in ("webgl", "webgl2"):
        assert lines[version, "antialias", "edges"] == "0,64,128,191,255", said
        assert lines[version, "antialias", "coverage"] == "0,64,128", said
        assert lines[version, "plain", "edges"] == lines[version, "plain", "coverage"] == "0,255", said


@needs("chromium")
def test_chromium_draws_a_page_of_webgl_2(environment: dict[str, str], tmp_path: Path) -> None:
    options = [f"--screenshot={tmp_path / 'knot.png'}", "--window-size=640,400", "--enable-logging=stderr"]
    _, said = run([], browser(tmp_path, ROOT / "examples/knot.html", *options), environment, tmp_path)
    assert "virgl (tgsi (host))" in said  # the page prints the renderer
    with Image.open(tmp_path / "knot.png") as made:
        pixels = np.array(made.convert("RGB")).astype(int)
    orange = (pixels[..., 0] > 120) & (pixels[..., 0] > 1.5 * pixels[..., 2])
    assert 0.05 < orange.mean() < 0.4
    assert tuple(pixels[5, 5]) == (15, 19, 26)
