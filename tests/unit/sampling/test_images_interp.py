"""Interpreter: loads, stores, atomics and sizes of images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import FORMATS, Format
from backends.formats.arrays import pack, unpack
from backends.run.result import RunResult
from backends.run.textures import TextureData
from tests.unit.sampling.interp_support import numbered, rows, run

pytestmark = pytest.mark.light

NONE = [0] * 4
COLORS = [format for format in FORMATS.values() if not format.is_depth_stencil]


def image(format: Format, blocks: Any, shape: tuple[int, int, int] = (1, 1, 4), samples: int = 1) -> TextureData:
    """Small image of little-endian blocks or bytes."""
    texels = np.asarray(blocks)
    return TextureData(format, (texels.view(np.uint8).reshape(*shape, format.block_bytes),), samples=samples)


def words_image(values: list[int], format: Format = Format.R32_UINT) -> TextureData:
    return image(format, np.array(values, np.int64).astype(np.uint32), (1, 1, len(values)))


def act(body: str, *inputs: Any, declared: str = "DCL IMAGE[0], 2D, WR", **images: Any) -> RunResult:
    """Run a body on images `i0`, `i1` ..."""
    return run(declared, body, *inputs, images={int(name[1:]): data for name, data in images.items()})


def loaded(result: RunResult) -> list[list[int]]:
    return rows(result.outputs[:, 0])


def words_of(result: RunResult, number: int = 0) -> list[int]:
    return [int(word) for word in result.images[number].reshape(-1).view(np.uint32)]


def lanes(*places: tuple[int, ...]) -> NDArray[np.int64]:
    """Coordinates of four invocations; missing ones are far outside."""
    return np.array([[*place, 0, 0, 0][:4] for place in [*places, *[(99,)] * 4][:4]])


PLANES = numbered(12, 2, 2)  # red = 4 * plane + 2 * y + x


@pytest.mark.parametrize(
    ("target", "places", "want"),
    [
        ("BUFFER", lanes((0,), (1, 5), (2,), (-1,)), [0, 1, 0, 0]),
        ("1D", lanes((0,), (1, 5), (2,), (-1,)), [0, 1, 0, 0]),
        ("2D", lanes((0, 1, 7), (1, 1), (0, 2), (0, -1)), [2, 3, 0, 0]),
        ("RECT", lanes((0, 1, 7), (1, 1), (0, 2), (2, 0)), [2, 3, 0, 0]),
        ("3D", lanes((0, 1, 3), (1, 1, 11), (0, 0, 12), (0, 0, -1)), [14, 47, 0, 0]),
        ("1D_ARRAY", lanes((1, 3, 9), (0, 11), (0, 12), (0, -1)), [13, 44, 0, 0]),
        ("2D_ARRAY", lanes((0, 1, 3), (1, 1, 11), (0, 0, 12), (0, 0, -1)), [14, 47, 0, 0]),
        ("CUBE", lanes((0, 1, 3), (1, 0, 5), (0, 0, 12), (2, 0, 0)), [14, 21, 0, 0]),
        ("CUBEARRAY", lanes((0, 1, 3), (1, 0, 11), (0, 0, 12), (0, -1, 0)), [14, 45, 0, 0]),
    ],
)
def test_coordinates_of_each_target(target: str, places: NDArray[np.int64], want: list[int]) -> None:
    result = act(f"LOAD OUT[0], IMAGE[0], IN[0], {target}", places, declared=f"DCL IMAGE[0], {target}", i0=PLANES)
    assert [row[0] for row in loaded(result)] == want
    assert [row[3] for row in loaded(result)] == [77, 77, 0, 0]


def test_samples_of_an_image_lie_in_w() -> None:
    texels = numbered(4, 1, 2, samples=2)  # 2 layers: red = 2 * (2 * sample + layer) + x
    places = lanes((1, 0, 0, 1), (0, 0, 1, 1), (0, 0, 0, 2), (0, 0, 2, 0))
    assert [row[0] for row in loaded(act("LOAD OUT[0], IMAGE[0], IN[0], 2D_ARRAY_MSAA", places, i0=texels))] == [5, 6, 0, 0]
    assert [row[0] for row in loaded(act("LOAD OUT[0], IMAGE[0], IN[0], 2D_MSAA", places, i0=texels))] == [5, 4, 0, 0]
    assert [row[0] for row in loaded(act("LOAD OUT[0], IMAGE[0], IN[0], 2D", places, i0=texels))] == [1, 0, 0, 0]


def test_load_applies_the_swizzle_of_the_image() -> None:
    assert loaded(act("LOAD OUT[0], IMAGE[0].wxyy, IN[0], 2D", lanes((1, 1)), i0=PLANES))[0] == [77, 3, 1, 1]


def test_the_format_is_that_of_the_image_bound() -> None:
    texels = image(Format.B8G8R8A8_UNORM, np.array([0, 51, 255, 102] * 4, np.uint8))
    declared = "DCL IMAGE[0], 2D, PIPE_FORMAT_R32_FLOAT, WR"
    result = act("LOAD OUT[0], IMAGE[0], IN[0], 2D, PIPE_FORMAT_R32_FLOAT", lanes((1, 0)), declared=declared, i0=texels)
    assert result.floats[0, 0].tolist() == pytest.approx([1.0, 0.2, 0.0, 0.4])


@pytest.mark.parametrize("format", COLORS, ids=str)
def test_every_format_is_stored_and_loaded_and_outside_only_a_missing_alpha_is_1(format: Format) -> None:
    rng = np.random.default_rng(7)
    values = {
        "float": rng.uniform(-2, 2, (4, 4)).astype(np.float32),
        "uint": rng.integers(0, 2**32, (4, 4)).astype(np.uint32),
        "sint": rng.integers(-(2**31), 2**31, (4, 4)).astype(np.int32),
    }[format.kind]
    texels = image(format, np.full(4 * format.block_bytes, 0xA5, np.uint8))
    places = lanes((0,), (1,), (2,), (4,))
    body = "STORE IMAGE[0], IN[0], IN[1], 2D\nLOAD OUT[0], IMAGE[0], IN[0], 2D"
    result = act(body, places, values.view(np.uint32), i0=texels)
    packed = pack(format, values).reshape(4, -1)
    assert (result.images[0].reshape(4, -1)[:3] == packed[:3]).all()
    assert (result.images[0].reshape(4, -1)[3] == 0xA5).all()
    assert (texels.levels[0] == 0xA5).all()
    assert (result.outputs[:3, 0] == unpack(format, packed.reshape(-1)).view(np.uint32)[:3]).all()
    has_alpha = any(channel.letter in "AI" for channel in format.channels)
    one = 0x3F800000 if format.kind == "float" else 1
    assert loaded(result)[3] == [0, 0, 0, 0 if has_alpha else one]


@pytest.mark.parametrize(
    ("format", "mask", "want"),
    [
        (Format.R8G8B8A8_UINT, "xz", 0xA503A501),
        (Format.R8G8B8A8_UINT, "w", 0x04A5A5A5),
        (Format.B8G8R8A8_UINT, "x", 0xA501A5A5),
        (Format.R8G8B8X8_UINT, "xyz", 0xA5030201),
        (Format.R8G8B8X8_UINT, "xyzw", 0x00030201),
        (Format.R10G10B10A2_UINT, "y", 0xA5A5A5A5 & ~(0x3FF << 10) | 2 << 10),
        (Format.L16A16_UINT, "x", 0xA5A50001),
        (Format.L16A16_UINT, "yz", 0xA5A5A5A5),
        (Format.I32_UINT, "xw", 1),
    ],
)
def test_a_write_mask_leaves_the_bits_of_other_channels(format: Format, mask: str, want: int) -> None:
    texels = image(format, np.full(4, 0xA5A5A5A5, np.uint32))
    result = act(f"STORE IMAGE[0].{mask}, IN[0], IN[1], 2D", lanes((2,)), np.array([[1, 2, 3, 4]] * 4), i0=texels)
    assert words_of(result) == [0xA5A5A5A5, 0xA5A5A5A5, want, 0xA5A5A5A5]


def test_a_shared_exponent_is_stored_with_all_its_channels() -> None:
    texels = image(Format.R9G9B9E5_FLOAT, np.zeros(4, np.uint32))
    result = act("STORE IMAGE[0].x, IN[0], IN[1], 2D", lanes((0,)), np.ones((4, 4), np.float32), i0=texels)
    assert unpack(Format.R9G9B9E5_FLOAT, result.images[0].reshape(-1))[0].tolist() == [1, 1, 1, 1]


def test_the_highest_of_lanes_that_store_to_one_texel_wins() -> None:
    result = act("STORE IMAGE[0], IN[0], IN[1], 2D", lanes((1,), (1,), (1,), (0,)), np.arange(4)[:, None] + 5, i0=words_image([0, 0]))
    assert words_of(result) == [8, 7]


ATOMICS = {
    # opcode: initial word, word after the atomics of lanes 0 and 1 with 3, values that they returned
    "ATOMUADD": (5, 11, [5, 8]),
    "ATOMXCHG": (5, 3, [5, 3]),
    "ATOMAND": (6, 2, [6, 2]),
    "ATOMOR": (4, 7, [4, 7]),
    "ATOMXOR": (4, 4, [4, 7]),
    "ATOMUMIN": (-1, 3, [-1, 3]),
    "ATOMIMIN": (-1, -1, [-1, -1]),
    "ATOMUMAX": (-1, -1, [-1, -1]),
    "ATOMIMAX": (-1, 3, [-1, 3]),
    "ATOMINC_WRAP": (2, 0, [2, 3]),
    "ATOMDEC_WRAP": (0, 2, [0, 3]),
}


@pytest.mark.parametrize("opcode", ATOMICS)
@pytest.mark.parametrize("format", [Format.R32_UINT, Format.R32_SINT])
def test_atomics_act_lane_after_lane(opcode: str, format: Format) -> None:
    start, end, seen = ATOMICS[opcode]
    texels = words_image([9, start], format)
    result = act(f"{opcode} OUT[0], IMAGE[0], IN[0], IMM[0].wwww, 2D", lanes((1,), (1,), (2,), (0, 1)), i0=texels)
    assert loaded(result) == [[seen[0]] * 4, [seen[1]] * 4, NONE, NONE]
    assert words_of(result) == [9, end % 2**32]


def test_compare_and_swap() -> None:
    result = act(
        "ATOMCAS OUT[0], IMAGE[0], IN[0], IMM[0].wwww, IN[1], 2D", lanes((0,), (1,), (1,)), np.full((4, 1), 8), i0=words_image([3, 4])
    )
    assert words_of(result) == [8, 4]
    assert [row[0] for row in loaded(result)] == [3, 4, 4, 0]


def test_float_images_add_and_exchange_and_do_nothing_else() -> None:
    one, half = 0x3F800000, 0x3F000000
    texels = words_image([one], Format.R32_FLOAT)
    values = np.full((4, 1), half)
    assert words_of(act("ATOMFADD OUT[0], IMAGE[0], IN[0], IN[1], 2D", lanes((0,), (0,)), values, i0=texels)) == [0x40000000]
    assert words_of(act("ATOMXCHG OUT[0], IMAGE[0], IN[0], IN[1], 2D", lanes((0,)), values, i0=texels)) == [half]
    result = act("ATOMUADD OUT[0], IMAGE[0], IN[0], IN[1], 2D", lanes((0,)), values, i0=texels)
    assert words_of(result) == [one]
    assert loaded(result)[0] == NONE


def test_other_formats_have_no_atomics() -> None:
    texels = image(Format.R8G8B8A8_UINT, np.full(4, 5, np.uint32))
    result = act("ATOMUADD OUT[0], IMAGE[0], IN[0], IMM[0].wwww, 2D", lanes((0,)), i0=texels)
    assert words_of(result) == [5] * 4
    assert loaded(result)[0] == NONE


@pytest.mark.parametrize(
    ("target", "want"),
    [
        ("BUFFER", [2, 0, 0, 1]),
        ("1D", [2, 0, 0, 1]),
        ("2D", [2, 3, 0, 1]),
        ("3D", [2, 3, 12, 1]),
        ("1D_ARRAY", [2, 12, 0, 1]),
        ("2D_ARRAY", [2, 3, 12, 1]),
        ("CUBE", [2, 3, 0, 1]),
        ("CUBEARRAY", [2, 3, 2, 1]),
    ],
)
def test_sizes(target: str, want: list[int]) -> None:
    assert loaded(act(f"RESQ OUT[0], IMAGE[0], {target}", lanes(), i0=numbered(12, 3, 2)))[0] == want


def test_sizes_of_multisampled_and_missing_images() -> None:
    body = "RESQ OUT[0], IMAGE[{}], 2D_ARRAY_MSAA"
    assert loaded(act(body.format(0), lanes(), i0=numbered(8, 3, 2, samples=4)))[0] == [2, 3, 2, 4]
    assert loaded(act(body.format(1), lanes(), declared="DCL IMAGE[0..1], 2D", i0=PLANES))[0] == NONE


def test_killed_fragments_read_and_change_nothing() -> None:
    body = "KILL_IF -IN[1].xxxx\nSTORE IMAGE[0], IN[0], IMM[1].wwww, 2D\nATOMUADD OUT[0], IMAGE[1], IN[0], IMM[0].wwww, 2D"
    kept = np.array([[0.0], [1.0], [0.0], [1.0]], np.float32)
    result = act(
        body, lanes((0,), (1,), (2,), (3,)), kept, declared="DCL IMAGE[0..1], 2D, WR", i0=words_image([0] * 4), i1=words_image([5, 6, 7, 8])
    )
    assert words_of(result) == [7, 0, 7, 0]
    assert words_of(result, 1) == [8, 6, 10, 8]
    assert [row[0] for row in loaded(result)] == [5, 6, 7, 8]


def test_inactive_lanes_change_nothing() -> None:
    body = "UIF IN[1].xxxx\nSTORE IMAGE[0], IN[0], IMM[1].wwww, 2D\nENDIF"
    result = act(body, lanes((0,), (1,), (2,), (3,)), np.array([[1], [0], [0], [1]]), i0=words_image([0] * 4))
    assert words_of(result) == [7, 0, 0, 7]


def test_images_differ_between_lanes() -> None:
    declared = "DCL IMAGE[0..1], 2D, WR"
    images: dict[str, Any] = {"i0": words_image([10, 11]), "i1": words_image([20, 21]), "i2": words_image([30, 31])}
    units = np.array([[0], [1], [2], [-1]])
    places = lanes((1,), (1,), (1,), (1,))
    result = act("UARL ADDR[0].x, IN[1]\nLOAD OUT[0], IMAGE[ADDR[0].x], IN[0], 2D", places, units, declared=declared, **images)
    assert [row[0] for row in loaded(result)] == [11, 21, 0, 0]
    result = act("UARL ADDR[0].x, IN[1]\nSTORE IMAGE[ADDR[0].x], IN[0], IMM[1].wwww, 2D", places, units, declared=declared, **images)
    assert [words_of(result, k) for k in range(3)] == [[10, 7], [20, 7], [30, 31]]
    body = "UARL ADDR[0].x, IN[1]\nATOMXCHG OUT[0], IMAGE[ADDR[0].x], IN[0], IMM[1].wwww, 2D\n"
    result = act(body, places, units, declared=declared, **images)
    assert [words_of(result, k) for k in range(3)] == [[10, 7], [20, 7], [30, 31]]
    assert [row[0] for row in loaded(result)] == [11, 21, 0, 0]
    result = act("UARL ADDR[0].x, IN[1]\nRESQ OUT[0], IMAGE[ADDR[0].x], 2D", places, units, declared=declared, **images)
    assert [row[0] for row in loaded(result)] == [2, 2, 0, 0]


def test_handles_stand_for_images() -> None:
    images: dict[str, Any] = {"i0": words_image([10, 11]), "i2": words_image([30, 31])}
    places, handles = lanes((1,), (1,), (1,), (1,)), np.array([[0, 1], [0, 3], [0, 2], [0, 0]])
    assert [row[0] for row in loaded(act("LOAD OUT[0], IN[1].yyyy, IN[0], 2D", places, handles, **images))] == [11, 31, 0, 0]
    assert [row[0] for row in loaded(act("LOAD OUT[0], IN[1], IN[0], 2D", places, handles, **images))] == [0, 0, 0, 0]
    body = "MOV TEMP[0].x, IN[1].yyyy\nLOAD OUT[0], TEMP[0], IN[0], 2D\nATOMUADD TEMP[1], TEMP[0], IN[0], IMM[0].wwww, 2D"
    result = act(f"{body}\nSTORE TEMP[0], IMM[0].xxxx, IMM[1].wwww, 2D", places, handles, **images)
    assert [row[0] for row in loaded(result)] == [11, 31, 0, 0]
    assert [words_of(result, k) for k in (0, 2)] == [[7, 14], [7, 34]]
    assert loaded(act("MOV TEMP[0].x, IN[1].yyyy\nRESQ OUT[0], TEMP[0], 2D", places, handles, **images))[1] == [2, 1, 0, 1]
