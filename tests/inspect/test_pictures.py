"""Pictures of a time line: patches of what has changed, within a budget."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backends.formats import Format
from tgsi.tools.inspect.pictures import Images, Pictures
from tgsi.tools.replay.scene import Layout

pytestmark = pytest.mark.light

SIDE = 64


@dataclass
class Noise:
    """A target of noise, of which each draw replaces a part."""

    random: np.random.Generator
    handle: int = 1
    level: int = 0
    layers: tuple[int, int] = (0, 1)
    name: str = "c0"
    format: Format = Format.R8G8B8A8_UNORM
    size: tuple[int, int] = (SIDE, SIDE)
    pixels: Any = field(init=False)

    def __post_init__(self) -> None:
        self.pixels = self.random.integers(0, 256, (1, SIDE, SIDE, 4), np.uint8)

    @property
    def layout(self) -> Layout:
        return Layout(self.format, *self.size, 1)

    def data(self) -> Any:
        return self.pixels.copy()

    def draw(self, side: int) -> None:
        """Replace three of four pixels of a square."""
        x, y = self.random.integers(0, SIDE - side + 1, 2)
        kept = self.random.random((side, side, 1)) < 0.25
        place = self.pixels[0, y : y + side, x : x + side]
        place[:] = np.where(kept, place, self.random.integers(0, 256, (side, side, 4), np.uint8))


def play(pictures: Pictures, target: Any, draws: int, side: int) -> list[Any]:
    rows = []
    for _ in range(draws):
        target.draw(side)
        rows.append(pictures.take(target))
        pictures.next_draw()
    return rows


def pasted(images: Images, rows: list[Any], until: int) -> Any:
    """The picture as the page shows it after a draw."""
    found = Image.new("RGB", (1, 1))
    for row in rows[: until + 1]:
        if row is not None:
            patch = Image.open(io.BytesIO(base64.b64decode(images.data[row["image"]]))).convert("RGBA")
            found = found if found.size == (row["width"], row["height"]) else Image.new("RGB", (row["width"], row["height"]))
            found.paste(patch, (row["x"], row["y"]), patch)
    return np.array(found)


def target_of(seed: int) -> Any:
    return Noise(np.random.default_rng(seed))


@pytest.mark.parametrize("coarseness", [1, 2, 4])
def test_patches_make_the_picture_of_each_draw(coarseness: int) -> None:
    images, target = Images(), target_of(1)
    pictures = Pictures(images, 20, coarseness)
    rows = []
    for k in range(20):
        rows += play(pictures, target, 1, 20)
        assert (pasted(images, rows, k) == target.pixels[0, ::coarseness, ::coarseness, :3]).all()
    assert [row["whole"] for row in rows] == [True] + [False] * 19
    assert rows[0]["scale"] == coarseness


def test_only_changed_pixels_cost_bytes() -> None:
    images, target = Images(), target_of(2)
    pictures = Pictures(images, 2)
    play(pictures, target, 1, 0)
    whole = images.size
    target.pixels[0, 0, 0] ^= 1
    target.pixels[0, -1, -1] ^= 1
    row = pictures.take(target)
    assert row is not None
    assert (row["x"], row["y"], row["whole"]) == (0, 0, False)
    assert images.size - whole < whole / 20


@pytest.mark.parametrize("side", [4, 20, SIDE])
def test_pictures_stay_within_their_budget(side: int) -> None:
    images, target = Images(), target_of(3)
    pictures = Pictures(images, 300, 4, budget=40_000)
    rows = play(pictures, target, 300, side)
    assert images.size < 40_000 + 2 * 1_300, "at most one picture of each target above it, and the last"
    assert any(row is not None for row in rows[270:290]), "they are spread over all draws"
    assert (pasted(images, rows, 299) == target.pixels[0, ::4, ::4, :3]).all(), "the last draw has a picture"


def test_pictures_that_need_too_much_should_be_coarser() -> None:
    for coarseness, is_crowded in ((1, True), (2, True), (4, False)):
        pictures = Pictures(Images(), 200, coarseness, budget=40_000)
        play(pictures, target_of(4), 200, SIDE)
        assert pictures.is_crowded is is_crowded
    pictures = Pictures(Images(), 200, 1, budget=40_000_000)
    play(pictures, target_of(4), 200, SIDE)
    assert not pictures.is_crowded


def test_a_new_target_has_a_picture_when_the_share_is_used_up() -> None:
    pictures = Pictures(Images(), 10, 4, budget=2_000)
    assert play(pictures, target_of(5), 3, SIDE)[2] is None
    other = target_of(6)
    other.handle = 2
    assert pictures.take(other) is not None
