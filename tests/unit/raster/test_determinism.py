"""Results are equal bytes for any number of threads and lanes, any batch, window and arena, any x86-64 level and any mode of the caller's
floating-point unit.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from backends.formats import Format
from backends.pipe.enums import BlendFactor, Prim
from backends.pipe.state import BlendState, DrawInfo, RenderTargetBlend
from tests.levels import LEVELS, need
from tests.unit import modes
from tests.unit.raster.canvas import LESS, VS_COLOR, Canvas, fs_color
from tests.unit.raster.triangles import KINDS, random_triangles

OVER = BlendState(
    (
        RenderTargetBlend(
            blend_enable=True,
            rgb_src_factor=BlendFactor.SRC_ALPHA,
            rgb_dst_factor=BlendFactor.INV_SRC_ALPHA,
            alpha_src_factor=BlendFactor.SRC_ALPHA,
            alpha_dst_factor=BlendFactor.INV_SRC_ALPHA,
        ),
    )
)


def digest(
    threads: int = 0,
    lanes: int | None = 16,
    batch: int = 500,
    window: int = 4,
    arena: int = 1 << 20,
    cpu: str = "host",
    mode: int = modes.DEFAULT,
) -> tuple[str, int]:
    """Digest of all target bytes, and the number of windows of the flush."""
    counts = (700, 80, 8, 60, 50, 80, 60)
    triangles = np.concatenate([random_triangles(k, n, 11) for k, n in zip(KINDS, counts)])
    rng = np.random.default_rng(5)
    position = triangles[rng.permutation(len(triangles))].reshape(-1, 4)
    color = rng.uniform(-0.2, 1.2, (len(position), 4)).astype("f4")
    index = rng.integers(0, len(position), 900).astype("u4")
    with Canvas(333, 257, depth=Format.Z32_FLOAT, threads=threads, lanes=lanes, batch=batch, window=window, arena=arena, cpu=cpu) as c:
        c.wipe((0.1, 0.2, 0.3, 0.4))
        smooth, flat = fs_color("PERSPECTIVE"), fs_color("CONSTANT")
        c.draw_arrays(VS_COLOR, smooth, [position, color], blend=OVER, depth_stencil_alpha=LESS)
        c.draw_arrays(VS_COLOR, flat, [position, color], indices=index, depth_stencil_alpha=LESS)
        strip = DrawInfo(mode=Prim.TRIANGLE_STRIP, count=300, instance_count=3)
        c.draw_arrays(VS_COLOR, smooth, [position, color], info=strip, blend=OVER, depth_stencil_alpha=LESS)
        modes.set_mode(mode)
        c.flush()
        modes.set_mode(modes.DEFAULT)
        windows = int(c._pool.scene.totals.num_windows)
        return hashlib.sha256(c.image().tobytes() + c.depth_bytes().tobytes()).hexdigest(), windows


DIGEST = "79a93ffbb6e3a56174b788a7607f392be9f41fbe2eed43b0521fc235da927b65"


@pytest.mark.light
@pytest.mark.parametrize("threads", [0, 1, 2, 7])
@pytest.mark.parametrize("lanes", [8, 16, 32, 64, None])
def test_bytes_do_not_depend_on_threads_and_lanes(threads: int, lanes: int | None) -> None:
    assert digest(threads, lanes)[0] == DIGEST


def test_bytes_do_not_depend_on_batches_windows_and_arenas() -> None:
    windows = set()
    for batch, window, arena in ((64, 4, 1 << 20), (1000, 8, 1 << 20), (700, 3, 1 << 16)):
        found, count = digest(1, 16, batch, window, arena)
        assert found == DIGEST
        windows.add(count)
    assert len(windows) == 3


@pytest.mark.slow
@pytest.mark.parametrize("cpu", LEVELS)
@pytest.mark.parametrize("lanes", [8, 16])
def test_bytes_do_not_depend_on_the_machine(cpu: str, lanes: int) -> None:
    need(cpu)
    assert digest(0, lanes, cpu=cpu)[0] == DIGEST


def test_the_caller_s_floating_point_mode_does_not_matter() -> None:
    assert digest(mode=modes.HOSTILE)[0] == DIGEST
