"""Every example runs as its text says and makes the picture (or the text) that is recorded here."""

from __future__ import annotations

import hashlib
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.unit.glsl.glslang import is_there

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())


EVERY_THREADS = [0, 2, *(pytest.param(threads, marks=pytest.mark.nightly) for threads in (1, 7))]
SMALL: dict[str, Any] = {
    "model": lambda example, **options: example["render"](size=128, **options),
    "shadertoy": lambda example, **options: np.stack(example["render"](size=64, frames=3, **options)),
    "image_filter": lambda example, **options: example["render"](example["waves"](128), radius=3, **options),
    "museum": lambda example, **options: np.stack([example["room"](name, 96, **options) for name in ("nv30", "i915")]),
}
"""Small pictures of the examples that have large ones."""


def digest(picture: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(picture).tobytes()).hexdigest()


def run(name: str, directory: Path, **variables: str) -> str:
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py"), "-o", str(directory)]
    environment = {
        "PYTHONPATH": str(ROOT),
        "TGSI_CACHE_DIR": os.environ["TGSI_CACHE_DIR"],
        **variables,
    }  # kernels of one test serve the others
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=directory, env=environment).stdout


def function(name: str) -> Any:
    return runpy.run_path(str(ROOT / "examples" / f"{name}.py"))


def test_triangle_writes_its_png(tmp_path: Path) -> None:
    assert run("triangle", tmp_path).strip() == str(tmp_path / "triangle.png")
    with Image.open(tmp_path / "triangle.png") as image:
        assert image.size == (512, 512)
        assert digest(np.array(image)) == GOLDEN["triangle"]


def test_mandelbrot_writes_its_png(tmp_path: Path) -> None:
    run("mandelbrot", tmp_path)
    with Image.open(tmp_path / "mandelbrot.png") as image:
        assert digest(np.array(image)) == GOLDEN["mandelbrot"]


@pytest.mark.parametrize(("threads", "lanes"), [(0, 8), (2, 16)])
def test_mandelbrot_is_the_same_for_all_threads_and_lanes(threads: int, lanes: int) -> None:
    assert digest(function("mandelbrot")["render"](threads=threads, lanes=lanes)) == GOLDEN["mandelbrot"]


def test_film_has_the_frames_that_are_drawn_alone() -> None:
    from concurrent.futures import ThreadPoolExecutor

    film = function("film")
    with ThreadPoolExecutor(2) as executor:
        pictures = film["film"](5, executor)
    assert np.array_equal(pictures, [film["draw"](k / 5) for k in range(5)])


def test_particles_writes_its_png(tmp_path: Path) -> None:
    run("particles", tmp_path)
    with Image.open(tmp_path / "particles.png") as image:
        assert digest(np.array(image)) == GOLDEN["particles"]


@pytest.mark.parametrize(("threads", "lanes"), [(0, 8), (2, 16)])
def test_particles_are_the_same_for_all_threads_and_lanes(threads: int, lanes: int) -> None:
    assert digest(function("particles")["render"](512, threads=threads, lanes=lanes)) == GOLDEN["particles"]


def test_antialias_writes_its_png(tmp_path: Path) -> None:
    run("antialias", tmp_path)
    with Image.open(tmp_path / "antialias.png") as image:
        assert digest(np.array(image)) == GOLDEN["antialias"]


def test_tessellation_writes_its_png(tmp_path: Path) -> None:
    run("tessellation", tmp_path)
    with Image.open(tmp_path / "tessellation.png") as image:
        assert digest(np.array(image)) == GOLDEN["tessellation"]


@pytest.mark.parametrize(("threads", "lanes"), [(0, 8), (2, 16)])
def test_tessellation_is_the_same_for_all_threads_and_lanes(threads: int, lanes: int) -> None:
    assert digest(function("tessellation")["render"](threads=threads, lanes=lanes)) == GOLDEN["tessellation"]


def test_transparency_writes_its_png(tmp_path: Path) -> None:
    run("transparency", tmp_path)
    with Image.open(tmp_path / "transparency.png") as image:
        assert digest(np.array(image)) == GOLDEN["transparency"]


@pytest.mark.parametrize(("threads", "lanes", "order"), [(0, 8, 1), (2, 16, 2)])
def test_transparency_does_not_depend_on_the_order_of_triangles(threads: int, lanes: int, order: int) -> None:
    picture = function("transparency")["render"](64, threads=threads, lanes=lanes, order=order)  # planes meet at some pixels
    assert digest(picture) == digest(function("transparency")["render"](64))


def test_cube_writes_a_gif_and_a_png(tmp_path: Path) -> None:
    run("cube", tmp_path)
    with Image.open(tmp_path / "cube.gif") as image:
        assert (image.size, getattr(image, "n_frames", 1)) == ((256, 256), 24)
    with Image.open(tmp_path / "cube.png") as image:
        assert image.size == (256, 256)


def test_cube_faces_writes_its_png(tmp_path: Path) -> None:
    run("cube_faces", tmp_path)
    with Image.open(tmp_path / "cube_faces.png") as image:
        assert digest(np.array(image)) == GOLDEN["cube_faces"]


def test_link_pair_writes_its_table(tmp_path: Path) -> None:
    run("link_pair", tmp_path)
    assert (tmp_path / "link_pair.txt").read_text() == "\n".join(GOLDEN["link_pair"]) + "\n"


def test_block_sums_writes_its_sums(tmp_path: Path) -> None:
    run("block_sums", tmp_path)
    squares = np.arange(256, dtype=np.uint32) ** 2
    lines = [f"block {block}: {total}\n" for block, total in enumerate(squares.reshape(4, 64).sum(axis=1))]
    assert (tmp_path / "block_sums.txt").read_text() == "".join(lines)


def test_block_sums_are_the_same_in_the_interpreter() -> None:
    words = np.random.default_rng(1).integers(0, 2**32, 256, np.uint32)
    sums = function("block_sums")["sums"]
    assert sums(words, "interp").tolist() == sums(words).tolist() == words.reshape(4, 64).sum(axis=1, dtype=np.uint32).tolist()


def test_geometry_writes_its_png(tmp_path: Path) -> None:
    run("geometry", tmp_path)
    with Image.open(tmp_path / "geometry.png") as image:
        assert digest(np.array(image)) == GOLDEN["geometry"]


def test_boards_of_geometry_stand_where_numpy_puts_them() -> None:
    example = function("geometry")
    boards = example["boards"]()
    assert boards.tobytes() == example["boards"]("interp").tobytes()
    u, v = np.meshgrid(np.linspace(0, 1, 17), np.linspace(0, 1, 17))
    a, b, c, d = example["CORNERS"][:, None, None, :2]
    places = ((1 - u) * a.T + u * b.T) * (1 - v) + ((1 - u) * c.T + u * d.T) * v
    places[1] -= 9 * u * (1 - u) * v * (1 - v)
    assert boards.shape == (17 * 17, 4, 2, 4)
    np.testing.assert_allclose(boards[:, :, 0, :2].mean(axis=1), places.reshape(2, -1).T, atol=1e-6)


@pytest.mark.parametrize("threads", [0, 2])
@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_triangle_is_the_same_for_all_threads_and_lanes(threads: int, lanes: int) -> None:
    assert digest(function("triangle")["render"](threads=threads, lanes=lanes)) == GOLDEN["triangle"]


@pytest.mark.parametrize(("threads", "lanes"), [(0, 8), (2, 16)])
def test_cube_frames_are_the_same_for_all_threads_and_lanes(threads: int, lanes: int) -> None:
    frames = function("cube")["render"](frames=4, threads=threads, lanes=lanes)
    assert [digest(frame) for frame in frames] == GOLDEN["cube"]


def test_meshlets_writes_its_png_and_the_lowered_shaders_give_the_same_picture(tmp_path: Path) -> None:
    said = run("meshlets", tmp_path)
    assert said.splitlines() == [str(tmp_path / "meshlets.png"), "the lowered shaders give the same picture"]
    with Image.open(tmp_path / "meshlets.png") as image:
        assert digest(np.array(image)) == GOLDEN["meshlets"]


@pytest.mark.parametrize(("threads", "lanes"), [(0, 8), (2, 32)])
def test_meshlets_are_the_same_for_all_threads_and_lanes(threads: int, lanes: int) -> None:
    assert digest(function("meshlets")["render"](threads=threads, lanes=lanes)) == GOLDEN["meshlets"]


def test_the_task_shader_of_meshlets_drops_those_that_face_away() -> None:
    example = function("meshlets")
    triangles = len(example["lowered_triangles"](example["Model"]()))
    assert triangles % example["TRIANGLES"] == 0
    assert 0.5 < triangles / 25_600 < 0.9


def needed(name: str) -> None:
    """Skip the test of an example whose extra is not installed."""
    if name == "model":
        pytest.importorskip("trimesh")
        pytest.importorskip("pyglm")
    if name != "museum" and not is_there():
        pytest.skip("glslang is not installed: pip install 'tgsi[glsl]'")


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("threads", EVERY_THREADS)
@pytest.mark.light
def test_a_large_example_is_the_same_for_all_threads(name: str, threads: int) -> None:
    needed(name)
    assert digest(SMALL[name](function(name), threads=threads)) == GOLDEN[name]


@pytest.mark.parametrize("name", ["mandelbrot", "particles", "tessellation", "triangle", "meshlets"])
@pytest.mark.parametrize("threads", [1, 7])
@pytest.mark.nightly
def test_an_example_is_the_same_for_one_and_seven_threads(name: str, threads: int) -> None:
    size = (512,) if name == "particles" else ()
    assert digest(function(name)["render"](*size, threads=threads)) == GOLDEN[name]


@pytest.mark.parametrize("name", ["antialias", "cube", "cube_faces", "geometry", "transparency"])
@pytest.mark.nightly
def test_an_example_is_the_same_for_every_tgsi_threads(name: str, tmp_path: Path) -> None:
    made = set()
    for threads in (0, 1, 2, 7):
        run(name, tmp_path, TGSI_THREADS=str(threads))
        with Image.open(tmp_path / f"{name}.png") as image:
            made.add(digest(np.array(image)))
    assert len(made) == 1


@pytest.mark.parametrize(
    ("name", "file"),
    [("model", "model.png"), ("shadertoy", "shadertoy.gif"), ("image_filter", "image_filter.png"), ("museum", "museum.png")],
)
@pytest.mark.nightly
def test_a_large_example_writes_its_file(name: str, file: str, tmp_path: Path) -> None:
    needed(name)
    assert run(name, tmp_path).splitlines()[0] == str(tmp_path / file)
    with Image.open(tmp_path / file) as image:
        assert image.size == ((256, 256) if name == "shadertoy" else (1024, 1024))


def test_the_museum_names_every_refusal() -> None:
    example = function("museum")
    refused = {device: [name for name in example["EXHIBITS"] if example["refusal"](device, name)] for device in example["DEVICES"]}
    assert refused == {
        "nv30": ["9 varyings", "10 varyings", "11 varyings", "FACE"],
        "nv40": ["11 varyings"],
        "r300": ["10 varyings", "11 varyings", "FACE"],
        "i915": ["9 varyings", "10 varyings", "11 varyings", "PCOORD"],
    }


def test_the_filter_keeps_an_edge_and_flattens_noise() -> None:
    needed("image_filter")
    noise = np.random.default_rng(1).integers(-9, 10, (64, 64, 1)) + np.zeros((1, 1, 3), int)
    picture = (np.where(np.arange(64)[None, :, None] < 32, 60, 200) + noise).astype(np.uint8)
    made = function("image_filter")["render"](picture)[..., :3].astype(int)
    left, right = made[:, :32], made[:, 32:]
    assert abs(left - 60).max() < 9 < 130 < right.min()
    assert left.std() < picture[:, :32].std() / 2


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_write_into_out(path: Path) -> None:
    text = path.read_text()
    assert "default=Path()" not in text
    assert 'default=Path("out")' in text or 'type=Path, help="directory for block_sums.txt"' in text or "instead of printing" in text


def test_the_gallery_has_a_large_picture_of_true_color_for_each_name() -> None:
    """Shown on docs/gallery.md, each beside the command that draws it."""
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    names = function("gallery")["PICTURES"]
    assert len(names) >= 16
    for name in names:
        assert f"(images/{name}.png) `{name}` ([source]" in page
        with Image.open(ROOT / "docs" / "images" / f"{name}.png") as picture:
            assert (picture.mode, min(picture.size) >= 1024) == ("RGB", True)


def test_a_picture_of_the_gallery_is_the_mean_of_four_pixels() -> None:
    example = function("gallery")
    large = np.random.default_rng(5).integers(0, 256, (8, 8, 4), np.uint8)
    means = large[..., :3].reshape(4, 2, 4, 2, 3).mean(axis=(1, 3))
    assert np.abs(example["smooth"](lambda size: large, 4) - means).max() <= 0.5


@pytest.mark.parametrize("name", ["geometry", "mandelbrot"])
def test_a_picture_of_the_gallery_is_the_one_that_its_program_draws(name: str) -> None:
    example = function("gallery")
    with Image.open(ROOT / "docs" / "images" / f"{name}.png") as shown:
        assert (np.array(shown) == example["PICTURES"][name]()).all()
