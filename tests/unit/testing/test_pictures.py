"""Pictures of resources, arrays and images; differences; the page of a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tgsi
from tgsi.testing.baselines import Baseline, checked_name
from tgsi.testing.comparison import compare
from tgsi.testing.pictures import picture_of
from tgsi.testing.report import page


def test_a_resource_an_array_and_an_image_of_the_same_pixels_have_one_digest() -> None:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        digests = set()
        for format in ("R8G8B8A8_UNORM", "B8G8R8A8_UNORM"):
            target = screen.resource_create(format=format, width0=4, height0=3)
            ctx.set_framebuffer_state(cbufs=[target])
            ctx.clear("COLOR", color=(1, 0.5, 0, 1))
            digests.add(picture_of(target).digest)
    array = np.full((3, 4, 4), (255, 128, 0, 255), np.uint8)
    digests |= {picture_of(array).digest, picture_of(Image.fromarray(array)).digest, picture_of(array[::-1]).digest}
    assert len(digests) == 1
    assert picture_of(array[..., :3]).digest not in digests


@pytest.mark.parametrize("type", [np.float32, np.float16, np.uint16, np.int32])
def test_numbers_that_no_png_holds_are_kept(tmp_path: Path, type: Any) -> None:
    array = np.arange(24).reshape(2, 4, 3).astype(type)
    baseline = Baseline(folder=tmp_path, name="a/b")
    baseline.store(picture_of(array), "test")
    facts = baseline.load()
    assert facts is not None
    found = baseline.read(facts["digest"])
    assert found.array.dtype == array.dtype
    assert (found.array == array).all()


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("text", TypeError),
        ([[1, 2]], TypeError),
        (np.zeros((2, 2), "U1"), TypeError),
        (np.zeros((2, 2, 5)), ValueError),
        (np.zeros((0, 2)), ValueError),
    ],
)
def test_no_picture_is_an_error(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="assert_image"):
        picture_of(value)


@pytest.mark.parametrize("name", ["../up", "/root", "a//b", "", ".hidden", "a\\b", "a" * 200, "a/../b"])
def test_a_name_stays_in_the_folder(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        checked_name(name)


def test_the_first_difference_is_the_first_row_by_row_and_bits_of_floats_count() -> None:
    old = np.zeros((3, 4), np.float32)
    new = old.copy()
    new[2, 1], new[1, 3], new[0, 0] = np.nan, 0.25, -0.0
    found = compare(picture_of(new), picture_of(old), 0)
    assert found is not None
    assert (found.first, found.differing, found.beyond, found.largest) == ((0, 0), 3, 3, np.inf)
    found = compare(picture_of(new), picture_of(old), 0.1)
    assert found is not None
    assert (found.first, found.beyond, found.values) == ((3, 1), 2, ("(0.25)", "(0.0)"))
    assert compare(picture_of(new), picture_of(old[:2]), 0) is None


def test_everything_of_tests_is_escaped_in_the_page(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\"'"
    record = {"name": evil, "test": evil, "message": evil, "status": evil, "digest": evil, "files": {"new": "x", "stored": "y"}}
    text = page({"pictures": [record], "unused": [evil], "environment": {evil: evil}}, tmp_path)
    assert text.count("<script>") == 1
    assert "alert(1)</script>" not in text
    assert "default-src 'none'; img-src data:; style-src 'sha256-" in text
