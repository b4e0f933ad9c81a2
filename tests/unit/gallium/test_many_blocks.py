"""Grids of more sizes of blocks than layouts are remembered."""

from __future__ import annotations

import gc

import numpy as np

from backends.llvm.kernels.grid_layout import layout_of
from tgsi import gallium as g

PROGRAM = """COMP
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {4, 1, 0, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
UADD TEMP[0].y, SV[0].xxxx, IMM[0].yyyy
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[0].yyyy
END
"""


def test_a_launch_that_comes_again_has_its_tables_whatever_was_launched_between() -> None:
    sizes = range(1, layout_of.cache_info().maxsize + 20)  # type: ignore[operator]
    with g.Screen(threads=0) as screen, screen.context_create() as ctx:
        ctx.bind_compute_state(ctx.create_compute_state(PROGRAM))
        for _ in range(2):
            for size in sizes:
                buffer = screen.resource_create(target="BUFFER", width0=4 * len(sizes) + 4)
                ctx.set_shader_buffers("COMPUTE", [buffer])
                ctx.launch_grid(grid=(1, 1, 1), block=(size, 1, 1))
                words = buffer.texels().view(np.uint32).reshape(-1)
                assert words[:size].tolist() == list(range(1, size + 1))
                assert not words[size:].any()
            gc.collect()
