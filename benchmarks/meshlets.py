"""python -m benchmarks.meshlets [--runs N] [--threads N] [--size WIDTHxHEIGHT] [--only A,B]

One model, drawn in five ways: as an indexed draw, through a geometry shader, as meshlets, and as meshlets after a task shader that culls
none or half of them. Least time of a frame on the clock and on all processors; the ways take turns, so ratios are those of one run. Pixels
cost the same in every way; the default size is small, so that vertices and triangles are most of the work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import geometry
from benchmarks.our_context import shader_text
from benchmarks.ours import Ours
from tgsi.tools.parsing import Parser

CELLS = 7
"""Cells along an edge of a meshlet: 64 vertices, 98 triangles."""
MESHLETS = (70, 28)
VERTICES, TRIANGLES = (CELLS + 1) ** 2, 2 * CELLS**2
TASK_THREADS = 32

_BLOCK = "PROPERTY CS_FIXED_BLOCK_WIDTH {}\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"

MESH = f"""MESH
PROPERTY MS_MAX_OUTPUT_VERTICES {VERTICES}
PROPERTY MS_MAX_OUTPUT_PRIMITIVES {TRIANGLES}
{_BLOCK.format(VERTICES)}DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL OUT[][0], POSITION
DCL OUT[][1], GENERIC[0]
DCL OUT[][2], GENERIC[1]
DCL OUT[][3], PRIMITIVE_INDICES, PRIMITIVE
DCL BUFFER[0]
DCL BUFFER[1]
DCL MEMORY[0], PAYLOAD
DCL CONST[0..7]
DCL ADDR[0]
DCL TEMP[0..12]
IMM[0] UINT32 {{{VERTICES}, {TRIANGLES}, 5, 16}}
IMM[1] UINT32 {{4, 8, {4 * TRIANGLES}, 255}}
IMM[2] UINT32 {{2, 16, {4 * VERTICES}, 0}}
SET_MESH_OUTPUTS IMM[0]
MOV TEMP[0].x, SV[1].xxxx
@PAYLOAD@UMAD TEMP[1].x, TEMP[0].xxxx, IMM[0].xxxx, SV[0].xxxx
SHL TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz
LOAD TEMP[2], BUFFER[0], TEMP[1].xxxx
UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].wwww
LOAD TEMP[3], BUFFER[0], TEMP[1].xxxx
MUL TEMP[4], CONST[1], TEMP[2].yyyy
MAD TEMP[4], CONST[0], TEMP[2].xxxx, TEMP[4]
MAD TEMP[4], CONST[2], TEMP[2].zzzz, TEMP[4]
ADD TEMP[4], TEMP[4], CONST[3]
MUL TEMP[5].xyz, CONST[1], TEMP[3].yyyy
MAD TEMP[5].xyz, CONST[0], TEMP[3].xxxx, TEMP[5]
MAD TEMP[5].xyz, CONST[2], TEMP[3].zzzz, TEMP[5]
MOV TEMP[5].w, TEMP[4].xxxx
MUL TEMP[6], CONST[5], TEMP[4].yyyy
MAD TEMP[6], CONST[4], TEMP[4].xxxx, TEMP[6]
MAD TEMP[6], CONST[6], TEMP[4].zzzz, TEMP[6]
MAD TEMP[6], CONST[7], TEMP[4].wwww, TEMP[6]
MOV OUT[0], TEMP[6]
MOV OUT[1], TEMP[5]
MOV OUT[2].xy, TEMP[4].yzzz
SHL TEMP[7].x, SV[0].xxxx, IMM[2].xxxx
LOAD TEMP[8].x, BUFFER[1], TEMP[7].xxxx
AND TEMP[9].x, TEMP[8].xxxx, IMM[1].wwww
USHR TEMP[9].y, TEMP[8].xxxx, IMM[1].yyyy
AND TEMP[9].y, TEMP[9].yyyy, IMM[1].wwww
USHR TEMP[9].z, TEMP[8].xxxx, IMM[2].yyyy
MOV OUT[3].xyz, TEMP[9]
UADD TEMP[10].x, SV[0].xxxx, IMM[0].xxxx
UADD TEMP[7].x, TEMP[7].xxxx, IMM[2].zzzz
LOAD TEMP[8].x, BUFFER[1], TEMP[7].xxxx
AND TEMP[9].x, TEMP[8].xxxx, IMM[1].wwww
USHR TEMP[9].y, TEMP[8].xxxx, IMM[1].yyyy
AND TEMP[9].y, TEMP[9].yyyy, IMM[1].wwww
USHR TEMP[9].z, TEMP[8].xxxx, IMM[2].yyyy
UARL ADDR[0].x, TEMP[10].xxxx
MOV OUT[ADDR[0].x][3].xyz, TEMP[9]
END
"""

PAYLOAD = """SHL TEMP[0].x, SV[1].xxxx, IMM[2].xxxx
LOAD TEMP[0].x, MEMORY[0], TEMP[0].xxxx
"""
"""The number of the meshlet, if a task passes it."""

TASK = f"""TASK
PROPERTY TS_PAYLOAD_BYTES {4 * TASK_THREADS}
PROPERTY TS_SHARED_BYTES 4
{_BLOCK.format(TASK_THREADS)}DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL BUFFER[0]
DCL MEMORY[0], SHARED
DCL MEMORY[1], PAYLOAD
DCL CONST[0]
DCL TEMP[0..5]
IMM[0] UINT32 {{{TASK_THREADS}, {MESHLETS[0] * MESHLETS[1]}, 4, 0}}
IMM[1] UINT32 {{2, 1, 0, 0}}
UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx
SHL TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz
LOAD TEMP[2], BUFFER[0], TEMP[1].xxxx
DP3 TEMP[3].x, TEMP[2], CONST[0]
ADD TEMP[3].x, TEMP[3].xxxx, CONST[0].wwww
FSGE TEMP[3].x, TEMP[3].xxxx, IMM[1].wwww
USLT TEMP[3].y, TEMP[0].xxxx, IMM[0].yyyy
AND TEMP[3].x, TEMP[3].xxxx, TEMP[3].yyyy
UIF TEMP[3].xxxx
ATOMUADD TEMP[4].x, MEMORY[0], IMM[0].wwww, IMM[1].yyyy
SHL TEMP[4].x, TEMP[4].xxxx, IMM[1].xxxx
STORE MEMORY[1].x, TEMP[4].xxxx, TEMP[0].xxxx
ENDIF
BARRIER
LOAD TEMP[5].x, MEMORY[0], IMM[0].wwww
MOV TEMP[5].yz, IMM[1].yyyy
EMIT_MESH_TASKS TEMP[5]
END
"""


def model() -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Rows (position xyz1, normal xyz0) of a torus with R = .7, r = .3, and indices of its triangles."""
    nu, nv = CELLS * MESHLETS[0], CELLS * MESHLETS[1]
    u, v = np.meshgrid(np.arange(nu + 1) * (2 * np.pi / nu), np.arange(nv + 1) * (2 * np.pi / nv))
    normal = np.stack([np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v), 0 * u], -1).reshape(-1, 4)
    center = np.stack([0.7 * np.cos(u), 0.7 * np.sin(u), 0 * u, 1 + 0 * u], -1).reshape(-1, 4)
    return np.concatenate([center + 0.3 * normal, normal], 1).astype("f4"), geometry.grid_indices(nu, nv)


def meshlets(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint32], NDArray[np.float32]]:
    """Rows of the meshlets' vertices, one meshlet after the other; corners of a meshlet's triangles, a byte each; centers, xyz1."""
    width, height = MESHLETS
    places = (CELLS * np.arange(height)[:, None, None, None] + np.arange(CELLS + 1)[:, None]) * (CELLS * width + 1)
    columns = CELLS * np.arange(width)[None, :, None, None] + np.arange(CELLS + 1)
    own = rows[(places + columns).reshape(-1)]
    corners = geometry.grid_indices(CELLS, CELLS).reshape(-1, 3)
    centers = own.reshape(-1, VERTICES, 8)[:, :, :4].mean(1)
    return own, (corners[:, 0] | corners[:, 1] << 8 | corners[:, 2] << 16).astype("u4"), centers.astype("f4")


class Model:
    """The model on our side, with a way to draw it."""

    def __init__(self, threads: int | None, width: int, height: int) -> None:
        self.ours = Ours(threads=threads)
        self.ours.ctx = self.ours.screen.context_create()
        ctx = self.ours.ctx
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(half_pixel_center=True, depth_clip=True))
        self.ours.target(width, height, depth=True)
        self.ours.depth_test()
        self._clear = self.ours.clearing(depth=True)
        self.rows, self.indices = model()

    def frame(self, draw: Callable[[], None]) -> Callable[[], None]:
        """A whole frame."""

        def run() -> None:
            self._clear()
            draw()
            self.ours.finish()

        return run

    def vertices(self, name: str) -> Callable[[], None]:
        """An indexed draw with the shaders of a workload."""
        o = self.ours
        o.program(name)
        if name == "geometry_mesh":
            o.ctx.bind_gs_state(o.ctx.create_gs_state(shader_text(name, "geom")))
        o.ctx.set_constant_buffer("VERTEX", np.concatenate(geometry.torus_matrices()))
        o.attributes(self.rows[:, :3], self.rows[:, 4:7])
        o.ctx.set_index_buffer(self.indices)
        return self.frame(o.drawing(mode="TRIANGLES", count=self.indices.size, index_size=4))

    def meshes(self, plane: Sequence[float] | None) -> Callable[[], None]:
        """A mesh draw. plane: meshlets whose center lies on its negative side are culled; None: there is no task shader."""
        ctx = self.ours.ctx
        own, corners, centers = meshlets(self.rows)
        ctx.bind_fs_state(ctx.create_fs_state(shader_text("mesh_torus", "frag")))
        ctx.bind_ms_state(ctx.create_ms_state(MESH.replace("@PAYLOAD@", PAYLOAD if plane is not None else "")))
        ctx.set_constant_buffer("MESH", np.concatenate(geometry.torus_matrices()))
        ctx.set_shader_buffers("MESH", [self._buffer(own), self._buffer(corners)])
        groups = MESHLETS[0] * MESHLETS[1]
        if plane is not None:
            ctx.bind_ts_state(ctx.create_ts_state(TASK))
            ctx.set_constant_buffer("TASK", np.array(plane, "f4"))
            ctx.set_shader_buffers("TASK", [self._buffer(centers)])
            groups = -(-groups // TASK_THREADS)
        return self.frame(lambda: ctx.draw_mesh_tasks(grid=(groups, 1, 1)))

    def _buffer(self, data: NDArray[Any]) -> Any:
        made = self.ours.screen.resource_create(target="BUFFER", width0=data.nbytes)
        self.ours.ctx.buffer_subdata(made, data)
        return made


WAYS: dict[str, Callable[[Model], Callable[[], None]]] = {
    "indexed draw": lambda model: model.vertices("mesh_torus"),
    "geometry shader": lambda model: model.vertices("geometry_mesh"),
    "meshlets": lambda model: model.meshes(None),
    "tasks, none culled": lambda model: model.meshes((0.0, 0.0, 0.0, 1.0)),
    "tasks, half culled": lambda model: model.meshes((1.0, 0.0, 0.0, 0.0)),
}
RATIOS = (("meshlets", "indexed draw", 0.8), ("meshlets", "geometry shader", 2.0), ("tasks, half culled", "tasks, none culled", 1 / 0.6))
"""Pairs of ways, with the least ratio of their speeds."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line per way, then the ratios."""
    parser = Parser(prog="python -m benchmarks.meshlets", description="One model as vertices and as meshlets.")
    parser.add_argument("--runs", type=int, default=20, help="frames of each (default 20)")
    parser.add_argument("--threads", type=int, help="native workers in addition to the caller (default: CPUs - 1)")
    parser.add_argument("--size", default="192x108", help="pixels of the target (default 192x108)")
    parser.add_argument("--only", help="ways, separated by commas")
    options = parser.parse_args(arguments)
    names = options.only.split(",") if options.only else list(WAYS)
    width, height = (int(size) for size in options.size.split("x"))
    frames, pictures = {}, {}
    for name in names:
        made = Model(options.threads, width, height)
        frames[name] = WAYS[name](made)
        frames[name]()
        pictures[name] = made.ours.pixels()
    best = {name: np.full(2, np.inf) for name in names}
    for _ in range(options.runs):
        for name, frame in frames.items():
            begin = np.array([time.perf_counter(), time.process_time()])
            frame()
            best[name] = np.minimum(best[name], np.array([time.perf_counter(), time.process_time()]) - begin)
    print(f"{TRIANGLES * MESHLETS[0] * MESHLETS[1]:,} triangles, milliseconds a frame: on the clock, of all processors")
    for name, (clock, processors) in best.items():
        is_same = "half" in name or (pictures[name] == pictures[names[0]]).all()
        print(f"{name:20} {clock * 1e3:8.2f} {processors * 1e3:8.2f}{'' if is_same else '  another picture'}")
    for first, second, wanted in RATIOS:
        if first in best and second in best:
            ratios = best[second] / best[first]
            print(f"{first} / {second}: {ratios[0]:.2f}x and {ratios[1]:.2f}x as fast (asked: {wanted:.2f}x)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
