"""python -m benchmarks.grids [--runs N]

Scaling of compute grids with threads: least wall time of `launch_grid` on one thread and on all processors, measured alternately. The
machine should be idle otherwise.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import numpy as np

from tgsi import gallium as g
from tgsi.tools.parsing import Parser

BLOCKS, SIZE = 1 << 12, 256
HEAD = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 256
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL BUFFER[0]
DCL TEMP[0..3]
IMM[0] UINT32 {256, 4, 1, 100}
IMM[1] FLT32 {0.000003, 1.5, 4, -0.4}
IMM[2] UINT32 {2654435761, 24, 4, 0}
UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx
"""
PROGRAMS = {
    "arithmetic: 100 rounds of z^2 + c": """U2F TEMP[1].x, TEMP[0].xxxx
MAD TEMP[1].x, TEMP[1].xxxx, IMM[1].xxxx, -IMM[1].yyyy
MOV TEMP[1].y, IMM[1].wwww
MOV TEMP[2], IMM[2].wwww
BGNLOOP
USGE TEMP[3].x, TEMP[2].zzzz, IMM[0].wwww
UIF TEMP[3].xxxx
BRK
ENDIF
MUL TEMP[3].xy, TEMP[2], TEMP[2]
MUL TEMP[3].z, TEMP[2].xxxx, TEMP[2].yyyy
ADD TEMP[3].x, TEMP[3].xxxx, -TEMP[3].yyyy
ADD TEMP[2].x, TEMP[3].xxxx, TEMP[1].xxxx
MAD TEMP[2].y, TEMP[3].zzzz, IMM[1].zzzz, TEMP[1].yyyy
UADD TEMP[2].z, TEMP[2].zzzz, IMM[0].zzzz
ENDLOOP
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[2].xxxx
""",
    "atomics: a histogram of 256 words": """UMUL TEMP[1].x, TEMP[0].xxxx, IMM[2].xxxx
USHR TEMP[1].x, TEMP[1].xxxx, IMM[2].yyyy
UMUL TEMP[1].x, TEMP[1].xxxx, IMM[2].zzzz
ATOMUADD TEMP[3].x, BUFFER[0], TEMP[1].xxxx, IMM[0].zzzz
""",
    "atomics: one counter": "ATOMUADD TEMP[3].x, BUFFER[0], IMM[2].wwww, IMM[0].zzzz\n",
}


def measure(text: str, threads: Sequence[int], runs: int) -> list[float]:
    """Least milliseconds of a launch for each number of threads in addition to the calling thread."""
    contexts = [g.Screen(threads=count).context_create() for count in threads]
    for ctx in contexts:
        made = ctx.screen.resource_create(target="BUFFER", width0=4 * BLOCKS * SIZE)
        ctx.bind_compute_state(ctx.create_compute_state(text))
        ctx.set_shader_buffers("COMPUTE", [made])
    best = np.full(len(threads), np.inf)
    for _ in range(runs):
        for number, ctx in enumerate(contexts):
            begin = time.perf_counter()
            ctx.launch_grid(grid=(BLOCKS, 1, 1), block=(SIZE, 1, 1))
            best[number] = min(best[number], time.perf_counter() - begin)
    for ctx in contexts:
        ctx.screen.destroy()
    return [float(seconds * 1e3) for seconds in best]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line per program."""
    parser = Parser(prog="python -m benchmarks.grids", description="How grids scale with threads.")
    parser.add_argument("--runs", type=int, default=20, help="launches of each (default 20)")
    options = parser.parse_args(arguments)
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    print(f"{BLOCKS * SIZE:,} invocations, milliseconds on 1 thread and on {cpus}")
    for name, body in PROGRAMS.items():
        one, all_ = measure(f"{HEAD}{body}END\n", (0, cpus - 1), options.runs)
        print(f"{name:36} {one:8.2f} {all_:8.2f}   {one / all_:.2f}x")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
