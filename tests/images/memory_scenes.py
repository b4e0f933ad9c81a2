"""Scenes whose shaders store: linked lists of fragments, and a histogram that vertices read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import tgsi
from tests.images.scenes import FS_COLOR, HEIGHT, VS_COLOR, WIDTH, Array, Stage, soup

# Each fragment appends its color and depth to the list of its pixel; a counter per pixel counts the entries.
FS_APPEND = """FRAG
PROPERTY FS_EARLY_DEPTH_STENCIL 1
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], POSITION, LINEAR
DCL BUFFER[1]
DCL HWATOMIC[0][0..1]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL TEMP[0..3]
IMM[0] UINT32 {0, 1, 16, 0}
IMM[1] FLT32 {0.1, 0.0, 0.0, 0.0}
F2U TEMP[0].xy, IN[1].xyyy
ADD TEMP[3].x, IN[0].wwww, -IMM[1].xxxx
KILL_IF TEMP[3].xxxx
ATOMUADD TEMP[1].x, HWATOMIC[0][1], IMM[0].xxxx, IMM[0].yyyy
UADD TEMP[1].y, TEMP[1].xxxx, IMM[0].yyyy
ATOMXCHG TEMP[2].x, IMAGE[0], TEMP[0], TEMP[1].yyyy, 2D, PIPE_FORMAT_R32_UINT
PK2H TEMP[3].x, IN[0].xyyy
PK2H TEMP[3].y, IN[0].zwww
MOV TEMP[3].z, IN[1].zzzz
MOV TEMP[3].w, TEMP[2].xxxx
UMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz
STORE BUFFER[1], TEMP[1].xxxx, TEMP[3]
END
"""
# Adds up the list with decaying weights, so that another order would give another picture.
FS_GATHER = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], POSITION, LINEAR
DCL OUT[0], COLOR
DCL BUFFER[1]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT
DCL TEMP[0..4]
IMM[0] UINT32 {0, 4294967295, 16, 0}
IMM[1] FLT32 {0.7, 0.3, 0.0, 1.0}
F2U TEMP[0].xy, IN[1].xyyy
LOAD TEMP[0].x, IMAGE[0], TEMP[0], 2D, PIPE_FORMAT_R32_UINT
MOV TEMP[1], IMM[1].zzzw
BGNLOOP
  USEQ TEMP[2].x, TEMP[0].xxxx, IMM[0].xxxx
  UIF TEMP[2].xxxx
    BRK
  ENDIF
  UADD TEMP[2].x, TEMP[0].xxxx, IMM[0].yyyy
  UMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].zzzz
  LOAD TEMP[3], BUFFER[1], TEMP[2].xxxx
  UP2H TEMP[4].xy, TEMP[3].xxxx
  MOV TEMP[4].z, TEMP[3].zzzz
  MUL TEMP[1].xyz, TEMP[1].xyzz, IMM[1].xxxx
  MAD TEMP[1].xyz, TEMP[4].xyzz, IMM[1].yyyy, TEMP[1].xyzz
  MOV TEMP[0].x, TEMP[3].wwww
ENDLOOP
MOV OUT[0], TEMP[1]
END
"""
# Counts colors in 64 bins per channel, and keeps a copy of the picture in another format.
FS_COUNT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], POSITION, LINEAR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL BUFFER[0]
DCL IMAGE[3], 2D, PIPE_FORMAT_R16G16B16A16_FLOAT, WR
DCL TEMP[0..3]
IMM[0] UINT32 {0, 1, 4, 63}
IMM[1] UINT32 {0, 256, 512, 0}
IMM[2] FLT32 {64.0, 0.5, 0.0, 0.0}
F2I TEMP[0].xy, IN[1].xyyy
MOV TEMP[0].zw, IMM[0].xxxx
TXF TEMP[1], TEMP[0], SAMP[0], 2D
MUL TEMP[2].xyz, TEMP[1], IMM[2].xxxx
F2U TEMP[2].xyz, TEMP[2]
UMIN TEMP[2].xyz, TEMP[2], IMM[0].wwww
UMAD TEMP[2].xyz, TEMP[2], IMM[0].zzzz, IMM[1]
ATOMUADD TEMP[3].x, BUFFER[0], TEMP[2].xxxx, IMM[0].yyyy
ATOMUADD TEMP[3].x, BUFFER[0], TEMP[2].yyyy, IMM[0].yyyy
ATOMUADD TEMP[3].x, BUFFER[0], TEMP[2].zzzz, IMM[0].yyyy
ADD TEMP[1], IMM[2].yyyy, -TEMP[1]
STORE IMAGE[3].xyw, TEMP[0], TEMP[1], 2D, PIPE_FORMAT_R16G16B16A16_FLOAT
END
"""
# One bar per bin and channel: two triangles whose height is the bin's count.
VS_BARS = """VERT
DCL SV[0], VERTEXID
DCL SV[1], INSTANCEID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL BUFFER[5]
DCL TEMP[0..2]
IMM[0] UINT32 {4, 1, 6, 256}
IMM[1] FLT32 {0.03125, -1.0, 0.0015, 1.0}
IMM[2] FLT32 {0.5, 0.25, 0.0, 0.9}
UDIV TEMP[0].x, SV[0].xxxx, IMM[0].zzzz
UMOD TEMP[0].y, SV[0].xxxx, IMM[0].zzzz
UMUL TEMP[0].z, TEMP[0].xxxx, IMM[0].xxxx
UMAD TEMP[0].z, SV[1].xxxx, IMM[0].wwww, TEMP[0].zzzz
LOAD TEMP[1].x, BUFFER[5], TEMP[0].zzzz
U2F TEMP[1].x, TEMP[1].xxxx
MAD TEMP[1].y, TEMP[1].xxxx, IMM[1].zzzz, IMM[1].yyyy
AND TEMP[2].x, TEMP[0].yyyy, IMM[0].yyyy
UADD TEMP[2].x, TEMP[2].xxxx, TEMP[0].xxxx
U2F TEMP[2].x, TEMP[2].xxxx
MAD OUT[0].x, TEMP[2].xxxx, IMM[1].xxxx, IMM[1].yyyy
USLT TEMP[2].y, TEMP[0].yyyy, IMM[0].xxxx
AND TEMP[2].z, TEMP[0].yyyy, IMM[0].xxxx
UADD TEMP[2].z, TEMP[2].zzzz, TEMP[0].yyyy
USNE TEMP[2].z, TEMP[2].zzzz, IMM[0].yyyy
AND TEMP[2].y, TEMP[2].yyyy, TEMP[2].zzzz
UCMP OUT[0].y, TEMP[2].yyyy, IMM[1].yyyy, TEMP[1].yyyy
MOV OUT[0].zw, IMM[1].yyyw
U2F TEMP[2].x, SV[1].xxxx
MAD OUT[1], TEMP[2].xxxx, IMM[2].yzyz, IMM[2].xywz
END
"""


def buffer(stage: Stage, size: int) -> tgsi.gallium.Resource:
    """Create a zeroed buffer."""
    return stage.screen.resource_create(target="BUFFER", width0=size)


def whole() -> tuple[Array, Array]:
    """Positions and values of one triangle that covers all pixels."""
    return np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], "f4"), np.zeros((3, 4), "f4")


def lists(s: tgsi.Screen) -> bytes:
    """Collect the fragments of triangles, lines and points in lists, then add up each list."""
    stage = Stage(s, depth="Z24_UNORM_S8_UINT")
    ctx = stage.ctx
    stage.clear(0.0, 0.0, 0.0, 1.0)
    stage.depth_test()
    heads = stage.resource("R32_UINT", WIDTH, HEIGHT, "SHADER_IMAGE")
    counters, nodes = buffer(stage, 8), buffer(stage, 1 << 20)
    ctx.set_hw_atomic_buffers([counters])
    ctx.set_shader_buffers("FRAGMENT", [nodes], start=1)
    ctx.set_shader_images("FRAGMENT", [heads])
    for mode, count, size, seed in (
        ("TRIANGLES", 40, 0.5, 31),
        ("TRIANGLES", 500, 0.04, 32),
        ("LINES", 40, 0.3, 33),
        ("POINTS", 40, 0.1, 34),
    ):
        stage.rasterizer(point_size=4.0, line_width=2.0)
        stage.draw(VS_COLOR, FS_APPEND, mode, *soup(count, size, seed))
    stage.depth_test("ALWAYS")
    stage.draw(VS_COLOR, FS_GATHER, "TRIANGLES", *whole())
    stage.targets += [heads, counters, nodes]
    return stage.bytes()


def histogram(s: tgsi.Screen) -> bytes:
    """Draw a picture, count its colors, and draw the counts as bars."""
    stage = Stage(s)
    ctx = stage.ctx
    stage.clear(0.9, 0.5, 0.1, 1.0)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(200, 0.25, 35))
    counts, copy = buffer(stage, 768), stage.resource("R16G16B16A16_FLOAT", WIDTH, HEIGHT, "SHADER_IMAGE")
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(stage.targets[0])])
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
    ctx.set_shader_buffers("FRAGMENT", [counts])
    ctx.set_shader_images("FRAGMENT", [copy], start=3)
    ctx.set_framebuffer_state(width=WIDTH, height=HEIGHT)
    stage.draw(VS_COLOR, FS_COUNT, "TRIANGLES", *whole())
    ctx.set_framebuffer_state(cbufs=stage.targets)
    stage.clear(0.0, 0.0, 0.0, 1.0)
    ctx.set_shader_buffers("VERTEX", [counts], start=5)
    ctx.bind_vs_state(ctx.create_vs_state(VS_BARS))
    ctx.bind_fs_state(ctx.create_fs_state(FS_COLOR))
    stage.blend("ONE", "ONE")
    ctx.draw_vbo(mode="TRIANGLES", count=64 * 6, instance_count=3)
    stage.targets += [counts, copy]
    return stage.bytes()


STORED: dict[str, Callable[[tgsi.Screen], bytes]] = {"fragment_lists": lists, "histogram": histogram}
