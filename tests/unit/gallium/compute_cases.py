"""Compute programs that several tests use, and helpers to run them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgsi import gallium as g

Words = NDArray[np.uint32]

WHERE = """DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], BLOCK_SIZE
DCL SV[3], GRID_SIZE
"""

SUM = f"""COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 100
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
{WHERE}DCL BUFFER[0..1]
DCL MEMORY[0], SHARED
DCL TEMP[0..4]
IMM[0] UINT32 {{0, 1, 4, 2}}
IMM[1] UINT32 {{64, 100, 0, 0}}
UMAD TEMP[0].x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz
LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx
UMUL TEMP[0].y, SV[0].xxxx, IMM[0].zzzz
STORE MEMORY[0].x, TEMP[0].yyyy, TEMP[1]
MOV TEMP[2].x, IMM[1].xxxx
BGNLOOP
  BARRIER
  USLT TEMP[3].x, SV[0].xxxx, TEMP[2].xxxx
  UADD TEMP[3].y, SV[0].xxxx, TEMP[2].xxxx
  USLT TEMP[3].y, TEMP[3].yyyy, IMM[1].yyyy
  AND TEMP[3].x, TEMP[3].xxxx, TEMP[3].yyyy
  UIF TEMP[3].xxxx
    UADD TEMP[3].z, SV[0].xxxx, TEMP[2].xxxx
    UMUL TEMP[3].z, TEMP[3].zzzz, IMM[0].zzzz
    LOAD TEMP[4].x, MEMORY[0], TEMP[3].zzzz
    LOAD TEMP[4].y, MEMORY[0].xxxx, TEMP[0].yyyy
    UADD TEMP[4].x, TEMP[4].xxxx, TEMP[4].yyyy
    STORE MEMORY[0].x, TEMP[0].yyyy, TEMP[4]
  ENDIF
  USHR TEMP[2].x, TEMP[2].xxxx, IMM[0].yyyy
  USEQ TEMP[3].x, TEMP[2].xxxx, IMM[0].xxxx
  UIF TEMP[3].xxxx
    BRK
  ENDIF
ENDLOOP
BARRIER
USEQ TEMP[3].x, SV[0].xxxx, IMM[0].xxxx
UIF TEMP[3].xxxx
  LOAD TEMP[4].x, MEMORY[0], IMM[0].xxxx
  UMUL TEMP[3].y, SV[1].xxxx, IMM[0].zzzz
  STORE BUFFER[1].x, TEMP[3].yyyy, TEMP[4]
ENDIF
END
"""
"""BUFFER[1][block] = the sum of the block's 100 words of BUFFER[0]. All threads reach the barriers in the loop."""

NUMBERS = f"""COMP
{WHERE}DCL SV[4], WORK_DIM
DCL BUFFER[0]
DCL TEMP[0..3]
IMM[0] UINT32 {{16, 1, 65536, 0}}
UMUL TEMP[0].xyz, SV[3].xyzz, SV[2].xyzz
UMAD TEMP[1].xyz, SV[1].xyzz, SV[2].xyzz, SV[0].xyzz
UMAD TEMP[2].x, TEMP[1].zzzz, TEMP[0].yyyy, TEMP[1].yyyy
UMAD TEMP[2].x, TEMP[2].xxxx, TEMP[0].xxxx, TEMP[1].xxxx
UMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].xxxx
UMAD TEMP[3].xyz, SV[1].xyzz, IMM[0].zzzz, SV[0].xyzz
UMAD TEMP[3].w, SV[4].xxxx, IMM[0].zzzz, IMM[0].yyyy
STORE BUFFER[0], TEMP[2].xxxx, TEMP[3]
END
"""
"""Each thread writes block * 65536 + thread by axis, and work_dim * 65536 + 1, at its place in the whole grid."""

ADD_ONE = f"""COMP
{WHERE}DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {{4, 1, 0, 0}}
UMAD TEMP[0].x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx
UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1]
END
"""


ONE = """COMP
DCL BUFFER[0]
IMM[0] UINT32 {0, 7, 0, 0}
STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy
END
"""
"""Program in which each thread stores one word."""


def buffer(ctx: g.Context, data: Any) -> g.Resource:
    """Buffer that holds an array's bytes."""
    content = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
    made = ctx.screen.resource_create(target="BUFFER", width0=max(1, content.size))
    ctx.buffer_subdata(made, content)
    return made


def zeros(ctx: g.Context, words: int) -> g.Resource:
    """Zeroed buffer of `words` words."""
    return buffer(ctx, np.zeros(words, np.uint32))


def words(resource: g.Resource) -> Words:
    """Contents of a buffer as words."""
    found: Words = resource.texels().reshape(-1).view(np.uint32)
    return found


def launch(ctx: g.Context, text: str, *buffers: g.Resource | None, memory: dict[str, int] | None = None, **grid: Any) -> None:
    """Run a program on buffers."""
    ctx.bind_compute_state(ctx.create_compute_state(text, **(memory or {})))
    ctx.set_shader_buffers("COMPUTE", buffers)
    ctx.launch_grid(**grid)
