"""Pictures of well-known programs under ``tgsi-vtest run`` are those of Mesa's llvmpipe.

``TGSI_PROGRAMS_PYTHON`` names an interpreter that has the libraries, if this one has not. ``THREE`` says where three.module.js is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageGrab, features

from benchmarks.glmark import SCENES, Display
from benchmarks.programs import PROGRAMS, arena
from tests.vtest.live import wait_until
from tests.vtest.pictures import DRAWERS
from tests.vtest.test_programs import ROOT, RUN, environment, needs, pytestmark, run

__all__ = ["environment", "pytestmark"]

PYTHON = os.environ.get("TGSI_PROGRAMS_PYTHON", sys.executable)
LLVMPIPE = {"GALLIUM_DRIVER": "llvmpipe", "LIBGL_ALWAYS_SOFTWARE": "1"}
THREE = Path(os.environ.get("THREE", ROOT / "node_modules/three/build/three.module.js"))
SOFTWARE_ONLY = {"pygfx": "wgpu asks llvmpipe for a feature that its Mesa does not offer"}
"""Programs that do not run on llvmpipe, with the reason; their pictures are judged alone."""

MEAN, FAR, SHARE = 3.0, 48, 0.01
"""Greatest mean difference of 255, and greatest share of pixels that differ by more than FAR: edges, and levels of detail."""


def pixels_of(path: Path) -> NDArray[np.int64]:
    with Image.open(path) as made:
        return np.array(made.convert("RGB")).astype(np.int64)


def check_alike(ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> None:
    assert ours.shape == theirs.shape
    difference = np.abs(ours - theirs)
    assert difference.mean() < MEAN
    assert (difference.max(-1) > FAR).mean() < SHARE


def check_is_picture(pixels: NDArray[np.int64], colors: int, spread: float = 10) -> None:
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) >= colors
    assert pixels.std(axis=(0, 1)).max() > spread


def on_llvmpipe(command: list[str], environment: dict[str, str], folder: Path) -> None:
    """Run a command on Mesa's own renderer, under an X server of its own."""
    words = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24", *command]
    made = subprocess.run(words, env=environment | LLVMPIPE, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


def require(*modules: str) -> None:
    """Skip by name where the interpreter of the programs lacks a module."""
    text = f"import importlib.util as u; print(*[n for n in {modules!r} if u.find_spec(n.partition('.')[0]) is None])"
    lacks = subprocess.run([PYTHON, "-c", text], capture_output=True, text=True, check=True).stdout.split()
    if lacks:
        pytest.skip(f"not installed: {', '.join(lacks)}")


@pytest.mark.nightly
@needs("Xvfb", "xvfb-run")
@pytest.mark.parametrize("name", DRAWERS)
def test_a_program_draws_what_it_draws_on_llvmpipe(environment: dict[str, str], tmp_path: Path, name: str) -> None:
    drawer = DRAWERS[name]
    require(*drawer.needs)
    places = environment | dict(drawer.variables)
    del places["PYTHONPATH"]  # the programs have an interpreter of their own
    _, said = run([], [PYTHON, "-c", drawer.text, "ours.png"], places | {"PYTHONPATH": str(ROOT)}, tmp_path)
    (row,) = (line.split() for line in said.splitlines() if "python" in line and line.split()[-1].isdigit())
    assert row[-1] == "0"  # errors
    ours = pixels_of(tmp_path / "ours.png")
    check_is_picture(ours, 4)
    if name not in SOFTWARE_ONLY:
        on_llvmpipe([PYTHON, "-c", drawer.text, "theirs.png"], places, tmp_path)
        check_alike(ours, pixels_of(tmp_path / "theirs.png"))


@pytest.mark.nightly
@needs("glmark2", "Xvfb")
@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_of_glmark2_is_drawn_and_found_right(environment: dict[str, str], tmp_path: Path, scene: str) -> None:
    command = ["glmark2", "--size", "160x120", "-b"]
    out, _ = run([], [*command[:1], "--validate", *command[1:], SCENES[scene]], environment, tmp_path)
    assert "Validation: Failure" not in out
    run(["--screenshot", "last", "-o", "shown"], [*command, f"{SCENES[scene]}:duration=0.2"], environment, tmp_path)
    (picture,) = (tmp_path / "shown").iterdir()
    check_is_picture(pixels_of(picture), 3)


FROZEN = ["faketime", "-f", "2026-01-01 00:00:00"]
"""Words before a command whose clock stands still, so that an animation shows its first frame again and again."""

BEGIN_BLACK = ("pulsar", "ideas")
"""Scenes whose first frame is black."""

DIM = {"effect2d-edges": 5}
"""Spread of the colors of dark scenes: thin edges on black."""

FLOAT_FILTER = {"GALLIVM_PERF": "no_aos_sampling"}
"""llvmpipe's 8-bit filter makes each level half a step brighter than the mean of the one before, which terrain enlarges.

(benchmarks/conformance.md)"""


def shown(command: list[str], environment: dict[str, str], folder: Path, size: str) -> NDArray[np.int64]:
    """The picture that a screen of a size shows when a command has stopped changing it; then the command is ended."""
    with Display(size) as display, (folder / "said").open("w+") as said:
        process = subprocess.Popen(command, env=environment | {"DISPLAY": display.name}, cwd=folder, stdout=said, stderr=said)
        before: list[NDArray[np.int64]] = []

        def is_still() -> bool:
            assert process.poll() is None, (folder / "said").read_text()
            before[2:] = []
            before.insert(0, np.array(ImageGrab.grab(xdisplay=display.name).convert("RGB")).astype(np.int64))
            return len(before) == 3 and bool(before[0].std() > 1) and all((picture == before[0]).all() for picture in before)

        try:
            wait_until(is_still, f"a picture of {command}", 300, every=0.2)
        finally:
            process.terminate()
            process.wait()
        return before[0]


@pytest.mark.nightly
@needs("glmark2", "Xvfb", "faketime")
@pytest.mark.skipif(not features.check("xcb"), reason="Pillow was built without XCB")
@pytest.mark.parametrize("scene", [scene for scene in SCENES if scene not in BEGIN_BLACK])
def test_a_scene_of_glmark2_begins_as_on_llvmpipe(environment: dict[str, str], tmp_path: Path, scene: str) -> None:
    command = [*FROZEN, "glmark2", "--size", "320x240", "-b", SCENES[scene]]
    ours = shown([*RUN, "--", *command], environment, tmp_path, "320x240")
    theirs = shown(command, environment | LLVMPIPE | FLOAT_FILTER, tmp_path, "320x240")
    check_is_picture(ours, 3, DIM.get(scene, 10))
    check_alike(ours, theirs)


@pytest.mark.nightly
@needs("es2gears_x11", "Xvfb")
def test_es2gears_turns(environment: dict[str, str], tmp_path: Path) -> None:
    command = ["timeout", "--preserve-status", "-s", "TERM", "8", "es2gears_x11"]
    made = subprocess.run(
        [sys.executable, "-m", "tgsi.tools.vtest.cli", "run", "--screenshot", "last", "-o", "shown", "--", *command],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    (picture,) = (tmp_path / "shown").iterdir()
    pixels = pixels_of(picture)
    for k in range(3):
        others = np.delete(pixels, k, 2).max(2)
        assert ((pixels[..., k] > 100) & (others < 0.6 * pixels[..., k])).mean() > 0.005, made.stderr


@pytest.mark.nightly
@needs("blender", "Xvfb", "xvfb-run")
@pytest.mark.parametrize("engine", ["BLENDER_WORKBENCH", "BLENDER_EEVEE"])
def test_blender_draws_a_scene(environment: dict[str, str], tmp_path: Path, engine: str) -> None:
    """Without the interface (-b), whose windows have three quarters of the kernels."""
    text = f"""
import bpy
scene = bpy.context.scene
bpy.ops.mesh.primitive_torus_add(location=(1.5, -1, 0.5))
scene.render.engine = {engine!r}
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 160, 120, 100
scene.eevee.taa_render_samples = 4
scene.display.render_aa = "OFF"
scene.render.image_settings.file_format = "PNG"
import sys
scene.render.filepath = sys.argv[-1]
bpy.ops.render.render(write_still=True)
"""
    script = tmp_path / "scene.py"
    script.write_text(text)
    command = ["env", "-u", "PYTHONPATH", "blender", "-b", "--factory-startup", "--python-exit-code", "1", "-P", str(script), "--"]
    (tmp_path / "home").mkdir()
    places = environment | {"HOME": str(tmp_path / "home")}
    run([], [*command, str(tmp_path / "ours.png")], places, tmp_path)
    on_llvmpipe([*command, str(tmp_path / "theirs.png")], places, tmp_path)
    ours = pixels_of(tmp_path / "ours.png")
    check_is_picture(ours, 20)
    check_alike(ours, pixels_of(tmp_path / "theirs.png"))


@pytest.mark.nightly
@needs("Xvfb", "xvfb-run")
@pytest.mark.skipif(bool(PROGRAMS["openarena"].missing()), reason=f"not installed: {', '.join(PROGRAMS['openarena'].missing())}")
def test_openarena_draws_a_frame_of_its_demo(environment: dict[str, str], tmp_path: Path) -> None:
    def frame(side: str) -> tuple[list[str], dict[str, str], Path]:
        home = tmp_path / side
        command = [*arena(home, {"r_customwidth": 320, "r_customheight": 240}), "+exec", "shot.cfg"]
        (home / "baseoa/shot.cfg").write_text("demo short\nwait 100\nscreenshot silent\nwait 2\nquit\n")
        return command, environment | {"HOME": str(home)}, home / "baseoa/screenshots/shot0000.tga"

    command, places, picture = frame("ours")
    _, said = run([], command, places, tmp_path)
    assert "ioquake3" in said
    ours = pixels_of(picture)
    check_is_picture(ours, 500)
    command, places, picture = frame("theirs")
    on_llvmpipe(command, places, tmp_path)
    check_alike(ours, pixels_of(picture))


# -- pages, also in CI ---------------------------------------------------------------------------------------------------

FLAGS = ["--headless", "--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--enable-logging=stderr", "--hide-scrollbars"]
FLAGS += ["--no-sandbox"] if os.geteuid() == 0 else []


@needs("chromium")
@pytest.mark.skipif(not THREE.is_file(), reason=f"not there: three.js at {THREE}, or where THREE says")
def test_chromium_draws_a_page_of_three_as_on_llvmpipe(environment: dict[str, str], tmp_path: Path) -> None:
    for file in THREE.parent.glob("three.*.js"):
        shutil.copy(file, tmp_path)
    shutil.copy(Path(__file__).with_name("three.html"), tmp_path)
    pictures = {side: tmp_path / f"{side}.png" for side in ("ours", "theirs")}

    def command(side: str) -> list[str]:
        more = ["--allow-file-access-from-files", f"--user-data-dir={tmp_path / side}", f"--screenshot={pictures[side]}"]
        page = f"file://{tmp_path / 'three.html'}"
        return ["env", "TMPDIR=/tmp", "chromium", *FLAGS, *more, "--window-size=400,300", "--virtual-time-budget=3000", page]

    _, said = run([], command("ours"), environment, tmp_path)
    assert "virgl (tgsi (host))" in said
    ours = pixels_of(pictures["ours"])
    check_is_picture(ours, 500)
    headless = environment | LLVMPIPE | {"EGL_PLATFORM": "surfaceless"}
    subprocess.run(command("theirs"), env=headless, cwd=tmp_path, capture_output=True, timeout=300, check=True)
    check_alike(ours, pixels_of(pictures["theirs"]))
