"""Interpolation without a division where w is 1 for the whole primitive: the same bits as with one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.raster.canvas import RGBA8, RGBA32F, Array, Canvas

pytestmark = pytest.mark.light

CORNERS = np.array([[-1, -1], [1, -0.9], [-0.8, 1], [0.9, 0.7], [1.3, -1.1], [0.97, 0.83]], "f4")
SLOTS = {"few channels": 2, "many channels": 5}


def programs(slots: int) -> tuple[str, str]:
    """Vertex and fragment program with a number of varyings, whose sum is the color."""
    inputs = [f"DCL IN[{k}]" for k in range(slots + 1)]
    outputs = [f"DCL OUT[{k + 1}], GENERIC[{k}]\nMOV OUT[{k + 1}], IN[{k + 1}]" for k in range(slots)]
    vertex = ["VERT", *inputs, "DCL OUT[0], POSITION", *(o.split("\n")[0] for o in outputs), "MOV OUT[0], IN[0]"]
    vertex += [o.split("\n")[1] for o in outputs]
    fragment = ["FRAG", *(f"DCL IN[{k}], GENERIC[{k}], PERSPECTIVE" for k in range(slots)), "DCL OUT[0], COLOR", "DCL TEMP[0]"]
    fragment += ["MOV TEMP[0], IN[0]", *(f"ADD TEMP[0], TEMP[0], IN[{k}]" for k in range(1, slots)), "MOV OUT[0], TEMP[0]"]
    return "\n".join([*vertex, "END", ""]), "\n".join([*fragment, "END", ""])


def picture(w: Array, slots: int, lanes: int, format: object = RGBA32F, corners: Array = CORNERS) -> Array:
    """Bytes of triangles with the w of each corner; places in the window do not depend on it."""
    clip = np.concatenate([corners * w[:, None], np.zeros_like(w)[:, None], w[:, None]], axis=1).astype("f4")
    random = np.random.default_rng(3)
    varyings = [random.uniform(-1, 1, (len(w), 4)).astype("f4") for _ in range(slots)]
    with Canvas(90, 70, color=(format,), lanes=lanes) as canvas:  # type: ignore[arg-type]
        canvas.wipe()
        canvas.draw_arrays(*programs(slots), [clip, *varyings])
        return canvas.image()


@pytest.mark.parametrize("lanes", [8, 16, 32])
@pytest.mark.parametrize("slots", SLOTS.values(), ids=SLOTS)
def test_a_picture_is_the_same_if_all_w_are_doubled(slots: int, lanes: int) -> None:
    one = picture(np.ones(6, "f4"), slots, lanes)
    assert np.count_nonzero(one) > one.size // 3
    assert np.array_equal(one, picture(np.full(6, 2.0, "f4"), slots, lanes))
    assert np.array_equal(one, picture(np.array([1, 1, 1, 4, 4, 4], "f4"), slots, lanes))


@pytest.mark.parametrize("slots", SLOTS.values(), ids=SLOTS)
def test_one_corner_of_another_w_is_enough_for_a_division(slots: int) -> None:
    bent = picture(np.array([1, 1, 3, 1, 1, 1], "f4"), slots, 16)
    assert not np.array_equal(bent, picture(np.ones(6, "f4"), slots, 16))
    assert np.array_equal(bent, picture(np.array([2, 2, 6, 2, 2, 2], "f4"), slots, 16))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("slots", SLOTS.values(), ids=SLOTS)
def test_a_w_that_is_one_in_a_column_or_row_is_divided_by(slots: int, axis: int) -> None:
    pixels = np.array([[3, 3], [60, 3], [3, 60]]) + 0.5  # the first corner is the center of its pixel, where planes begin
    corners = (pixels / (45, 35) - 1).astype("f4")
    w = np.array([1, 1, 1], "f4")
    w[1 + axis] = 2
    bent = picture(w, slots, 16, corners=corners)
    assert np.array_equal(bent, picture(2 * w, slots, 16, corners=corners))
    assert not np.array_equal(bent, picture(np.ones(3, "f4"), slots, 16, corners=corners))


def test_colors_out_of_range_are_clamped_in_bytes() -> None:
    floats = picture(np.ones(6, "f4"), 2, 16).view(np.float32)
    want = np.rint(np.clip(floats, 0, 1) * np.float32(255)).astype(np.uint8)
    assert (floats < 0).any()
    assert (floats > 1).any()
    assert np.array_equal(want, picture(np.ones(6, "f4"), 2, 16, RGBA8))
