"""Stores of colors below AVX-512: full blocks past the caches, and no masked stores, which take AMD's processors 40 cycles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.formats import Format
from backends.llvm.builder.function import Module
from backends.llvm.engine import codegen
from backends.pipe.enums import CompareFunc
from backends.raster.samples import Pattern
from backends.raster.tile.buffer_keys import DepthKey, TargetKey
from backends.raster.tile.fragment import FragmentInfo, FragmentKey, describe
from backends.raster.tile.shade import build_shade
from backends.raster.tile.shade_samples import build_sample_shade
from tests.unit.raster.canvas import ADD, LESS, RGBA8, RGBA32F, VS_COLOR, Array, Canvas, fs_color
from tgsi.language.facts.limits import NEVER
from tgsi.language.text.parser import parse

RGBA16F = Format.R16G16B16A16_FLOAT
CORNERS = np.array([[-1, -1], [1, -1], [-1, 1], [1, -1], [1, 1], [-1, 1], [-0.7, -0.9], [0.9, 0.8], [-0.9, 0.6]], "f4")


def picture(last_cache: int, count: int, format: Format, **options: Any) -> tuple[Array, Array]:
    """Bytes of triangles in two targets, of which the second has 4 bytes a texel, on a machine with a cache of some size."""
    changes = {k: options.pop(k) for k in ("blend", "depth_stencil_alpha") if k in options}
    random = np.random.default_rng(5)
    clip = np.concatenate([CORNERS[:count], random.uniform(-1, 1, (count, 1)), np.ones((count, 1))], axis=1).astype("f4")
    fs = (
        fs_color("PERSPECTIVE")
        .replace("END", "MOV OUT[1], IN[0].wzyx\nEND")
        .replace("DCL OUT[0], COLOR\n", "DCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\n")
    )
    with Canvas(300, 170, color=(format, RGBA8), depth=Format.Z32_FLOAT, **options) as canvas:
        canvas._pool.scene.crew.last_cache = last_cache
        canvas.wipe()
        canvas.draw_arrays(VS_COLOR, fs, [clip, random.uniform(-1, 1, (count, 4)).astype("f4")], **changes)
        return canvas.image(), canvas.image(1)


@pytest.mark.light
@pytest.mark.parametrize("format", [RGBA16F, RGBA32F])
@pytest.mark.parametrize("count", [6, 9])
@pytest.mark.parametrize(
    ("lanes", "cpu", "threads"), [(16, "x86-64-v3", 0), (8, "x86-64-v3", 2), (32, "x86-64-v3", 0), (8, "x86-64-v2", 1)]
)
def test_stores_past_the_caches_leave_the_same_bytes(format: Format, count: int, lanes: int, cpu: str, threads: int) -> None:
    small, large = (picture(size, count, format, lanes=lanes, cpu=cpu, threads=threads) for size in (0, NEVER))
    assert small[0].any()
    assert all(np.array_equal(a, b) for a, b in zip(small, large))


@pytest.mark.light
@pytest.mark.parametrize("changes", [{"blend": ADD}, {"depth_stencil_alpha": LESS}], ids=["blend", "depth"])
def test_targets_that_are_read_are_stored_in_the_caches(changes: dict[str, Any]) -> None:
    small, large = (picture(size, 9, RGBA16F, cpu="x86-64-v3", **changes) for size in (0, NEVER))
    assert all(np.array_equal(a, b) for a, b in zip(small, large))


COLOR = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"


def assembly(level: str, format: Format, **key: Any) -> str:
    """Assembly of a shading kernel that stores a color."""
    target = TargetKey(format=format, colormask=15, blend=None, logicop=None)
    whole = FragmentKey(lanes=16, targets=(target,), **key)
    info: FragmentInfo = describe(parse(COLOR))
    module = Module("shade", level)
    (build_shade if whole.samples is None else build_sample_shade)(whole, info, module)
    return codegen.assembly(module.text(), level)


@pytest.mark.parametrize(
    ("level", "format", "expected"),
    [
        ("x86-64-v3", RGBA16F, True),
        ("x86-64-v3", RGBA32F, True),
        ("x86-64-v2", RGBA16F, True),
        ("x86-64-v3", RGBA8, False),
        ("x86-64-v4", RGBA16F, False),
    ],
)
def test_wide_texels_bypass_the_caches_below_avx_512(level: str, format: Format, expected: bool) -> None:
    assert ("movnt" in assembly(level, format)) is expected
    assert "movnt" not in assembly(level, format, alpha=CompareFunc.LESS)


@pytest.mark.parametrize("depth", [None, Format.Z32_FLOAT])
@pytest.mark.parametrize("samples", [None, 4])
def test_pixels_are_merged_without_masked_stores_on_avx2(samples: int | None, depth: Format | None) -> None:
    key: dict[str, Any] = {"samples": samples and Pattern(samples)}
    if depth is not None:
        key["depth"] = DepthKey.of(LESS, depth)
    assert "vpmaskmov" not in assembly("x86-64-v3", RGBA8, **key)
