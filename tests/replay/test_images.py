"""Pictures of targets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from backends.formats import Format
from backends.formats.arrays import pack, pack_depth_stencil
from tgsi.tools.replay.fields import SceneError
from tgsi.tools.replay.images import NAN_COLOR, difference, display, display_stencil, read_png, save
from tgsi.tools.replay.scene import Layout


def row(format: Format, data: bytes) -> list[list[int]]:
    count = len(data) // format.block_bytes
    found: list[list[int]] = display(Layout(format, count, 1, 1), data)[0].tolist()
    return found


def floats(*pixels: tuple[float, float, float, float]) -> bytes:
    return np.array(pixels, np.float32).tobytes()


def test_stored_bytes_are_shown_as_they_are() -> None:
    assert row(Format.R8G8B8A8_UNORM, bytes((1, 2, 3, 0))) == [[1, 2, 3]]
    assert row(Format.B8G8R8A8_UNORM, bytes((1, 2, 3, 0))) == [[3, 2, 1]]
    assert row(Format.R8G8B8A8_SRGB, bytes((1, 128, 250, 9))) == [[1, 128, 250]]


def test_alpha_is_shown_where_there_is_nothing_else() -> None:
    assert row(Format.A8_UNORM, bytes((7, 200))) == [[7, 7, 7], [200, 200, 200]]


def test_floats_within_0_and_1_are_shown_as_they_are_and_others_are_stretched() -> None:
    assert row(Format.R32G32B32A32_FLOAT, floats((0, 0.5, 1, 9))) == [[0, 128, 255]]
    assert row(Format.R32G32B32A32_FLOAT, floats((-1, 0, 3, 9))) == [[0, 64, 255]]


def test_what_is_no_number_is_seen() -> None:
    found = row(Format.R32G32B32A32_FLOAT, floats((np.nan, 0, 0, 0), (np.inf, 0.2, 0, 0)))
    assert found == [list(NAN_COLOR), [255, 51, 0]]


def test_integers_and_depths_are_stretched() -> None:
    assert row(Format.R8_SINT, np.array([-2, 0, 2], np.int8).tobytes())[0] == [0, 128, 128]
    z = pack_depth_stencil(Format.Z32_FLOAT, np.array([0.5, 0.75, 1.0], np.float32), None).tobytes()
    assert row(Format.Z32_FLOAT, z) == [[0] * 3, [128] * 3, [255] * 3]


def test_an_even_depth_is_shown_as_it_is() -> None:
    z = pack_depth_stencil(Format.Z32_FLOAT, np.array([0.6, 0.6], np.float32), None).tobytes()
    assert row(Format.Z32_FLOAT, z) == [[153] * 3] * 2


def test_stencil_has_a_picture_of_its_own() -> None:
    data = pack_depth_stencil(Format.Z24_UNORM_S8_UINT, np.zeros(2, np.float32), np.array([3, 7])).tobytes()
    assert display_stencil(Layout(Format.Z24_UNORM_S8_UINT, 2, 1, 1), data)[0, :, 0].tolist() == [0, 255]


def test_layers_stand_below_each_other() -> None:
    assert display(Layout(Format.R8_UNORM, 2, 3, 4), bytes(24)).shape == (12, 2, 3)


def test_a_difference_has_three_panels_and_marks_in_red() -> None:
    layout = Layout(Format.R32_FLOAT, 2, 1, 1)
    ours, reference = (pack(Format.R32_FLOAT, np.array(v, np.float32)).tobytes() for v in ([[0] * 4, [2] * 4], [[0] * 4, [4] * 4]))
    found = difference(layout, ours, reference, np.array([[[False, True]]]))
    assert found.shape == (1, 2 + 2 + 2 + 2 + 2, 3)
    assert found[0, [1, 5], 0].tolist() == [128, 255]
    assert found[0, [8, 9]].tolist() == [[0, 0, 0], [255, 40, 40]]


def test_small_pictures_are_enlarged_on_demand(tmp_path: Path) -> None:
    pixels = np.zeros((4, 8, 3), np.uint8)
    save(tmp_path / "a.png", pixels)
    save(tmp_path / "b.png", pixels, enlarge=True)
    with Image.open(tmp_path / "a.png") as a, Image.open(tmp_path / "b.png") as b:
        assert (a.size, b.size) == ((8, 4), (128, 64))


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"x\.png: cannot be written"):
        save(tmp_path / "none" / "x.png", np.zeros((1, 1, 3), np.uint8))


def test_only_a_png_of_the_same_kind_stands_in(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    Image.frombytes("RGBA", (2, 1), bytes(range(8))).save(path)
    assert read_png(path, Layout(Format.R8G8B8A8_UNORM, 2, 1, 1)) == bytes(range(8))
    assert read_png(path, Layout(Format.R8G8B8A8_UNORM, 1, 2, 1)) is None
    assert read_png(path, Layout(Format.B8G8R8A8_UNORM, 2, 1, 1)) is None
    path.write_bytes(b"no picture")
    assert read_png(path, Layout(Format.R8G8B8A8_UNORM, 2, 1, 1)) is None
