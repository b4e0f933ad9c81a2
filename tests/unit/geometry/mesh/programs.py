"""Task and mesh programs for tests, and pictures that are drawn with them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tests.unit.picture import GENERIC, Array, Picture
from tgsi import gallium as g

Triple = tuple[int, int, int]
WORDS = {1: "x", 2: "xy", 3: "xyz"}


def block(width: int = 4, height: int = 1, depth: int = 1) -> str:
    """Properties of a block size."""
    sizes = zip(("WIDTH", "HEIGHT", "DEPTH"), (width, height, depth))
    return "".join(f"PROPERTY CS_FIXED_BLOCK_{axis} {size}\n" for axis, size in sizes)


def mesh(
    body: str,
    *,
    threads: int = 4,
    vertices: int = 4,
    primitives: int = 1,
    kind: str = "TRIANGLES",
    declare: str = "",
    counts: str | None = "IMM[0].xyyy",
) -> str:
    """A mesh program.

    OUT[0] is POSITION, OUT[1] GENERIC[0], OUT[2] PRIMITIVE_INDICES. SV[0] is THREAD_ID, SV[1] BLOCK_ID, SV[2] DRAWID, SV[3] GRID_SIZE.
    IMM[0] has the maxima, IMM[1] is 0, 1, 2, 3. counts: source of SET_MESH_OUTPUTS; None: it is not there.
    """
    setting = "" if counts is None else f"SET_MESH_OUTPUTS {counts}\n"
    return f"""MESH
PROPERTY MS_OUTPUT_PRIMITIVE {kind}
PROPERTY MS_MAX_OUTPUT_VERTICES {vertices}
PROPERTY MS_MAX_OUTPUT_PRIMITIVES {primitives}
{block(threads)}DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], DRAWID
DCL SV[3], GRID_SIZE
DCL OUT[][0], POSITION
DCL OUT[][1], GENERIC[0]
DCL OUT[][2], PRIMITIVE_INDICES, PRIMITIVE
{declare}DCL TEMP[0..9]
DCL ADDR[0]
IMM[0] UINT32 {{{vertices}, {primitives}, {threads}, 5}}
IMM[1] UINT32 {{0, 1, 2, 3}}
IMM[2] UINT32 {{4, 16, 32, 64}}
IMM[3] FLT32 {{0.0, 1.0, -1.0, 0.5}}
{setting}{body}END
"""


def fetched(corners: int, number: str = "SV[1].xxxx") -> str:
    """Body of a mesh program whose workgroup `number` draws primitive `number` of BUFFER[0].

    Rows are as in `Picture.draw`: position and value; thread k makes corner k.
    """
    return f"""UMAD TEMP[0].x, {number}, IMM[1].{"xyzw"[corners]}, SV[0].xxxx
SHL TEMP[0].x, TEMP[0].xxxx, IMM[0].wwww
LOAD TEMP[1], BUFFER[0], TEMP[0].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, IMM[2].yyyy
LOAD TEMP[2], BUFFER[0], TEMP[0].xxxx
MOV OUT[0], TEMP[1]
MOV OUT[1], TEMP[2]
MOV OUT[2], IMM[1]
"""


def one_each(corners: int = 3, number: str = "SV[1].xxxx", **options: Any) -> str:
    """A mesh program whose workgroups draw one primitive each, primitive `number` of BUFFER[0]."""
    kind = {1: "POINTS", 2: "LINES", 3: "TRIANGLES"}[corners]
    declare = f"DCL BUFFER[0]\n{options.pop('declare', '')}"
    return mesh(
        fetched(corners, number) + options.pop("body", ""), vertices=corners, threads=corners, kind=kind, declare=declare, **options
    )


def task(body: str, *, threads: int = 4, payload: int = 0, shared: int = 0, declare: str = "") -> str:
    """A task program. SV, IMM[1] and IMM[2] as in `mesh`; MEMORY[0] is SHARED, MEMORY[1] the PAYLOAD."""
    return f"""TASK
PROPERTY TS_PAYLOAD_BYTES {payload}
PROPERTY TS_SHARED_BYTES {shared}
{block(threads)}DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], DRAWID
DCL SV[3], GRID_SIZE
{declare}DCL MEMORY[0], SHARED
DCL MEMORY[1], PAYLOAD
DCL TEMP[0..9]
IMM[0] UINT32 {{{threads}, 0, 0, 0}}
IMM[1] UINT32 {{0, 1, 2, 3}}
IMM[2] UINT32 {{4, 16, 32, 64}}
{body}END
"""


class MeshPicture(Picture):
    """A picture that is also drawn with task and mesh programs."""

    def bind(self, mesh_text: str, task_text: str | None = None, fragment: str | None = GENERIC, **rasterizer: Any) -> Self:
        """Bind programs."""
        ctx = self.ctx
        ctx.bind_ms_state(ctx.create_ms_state(mesh_text))
        ctx.bind_ts_state(None if task_text is None else ctx.create_ts_state(task_text))
        ctx.bind_fs_state(None if fragment is None else ctx.create_fs_state(fragment))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**rasterizer))
        return self

    def data(self, *arrays: Array, stage: str = "MESH") -> Self:
        """Bind arrays as BUFFER[0], BUFFER[1], ..."""
        self.ctx.set_shader_buffers(stage, [self.buffer(np.ascontiguousarray(array)) for array in arrays])
        return self

    def launch(self, *grid: int) -> Self:
        """Draw a grid of workgroups."""
        x, y, z = (*grid, 1, 1, 1)[:3]
        self.ctx.draw_mesh_tasks(grid=(x, y, z))
        return self

    def faults(self) -> list[str]:
        """Keep the faults of the draws to come in a list."""
        found: list[str] = []
        self.ctx.set_debug_callback(lambda kind, text: found.append(text) if kind == "mesh" else None)
        return found


def random_rows(count: int, corners: int, seed: int = 3) -> tuple[Array, Array]:
    """Positions and values of random primitives, (count * corners, 4) each."""
    random = np.random.default_rng(seed)
    centers = random.uniform(-1, 1, (count, 1, 2))
    offsets = random.uniform(-0.6, 0.6, (count, corners, 2))
    depth = random.uniform(0, 1, (count, corners, 1))
    points = np.concatenate([centers + offsets, depth, np.ones_like(depth)], 2).reshape(-1, 4).astype(np.float32)
    return points, random.uniform(0, 1, (count * corners, 4)).astype(np.float32)


def blended(picture: Picture) -> None:
    """Let every primitive show: the order of all of them is in the picture."""
    ctx = picture.ctx
    factors: dict[str, Any] = {"src_factor": "SRC_ALPHA", "dst_factor": "INV_SRC_ALPHA"}
    both: dict[str, Any] = {f"{part}_{k}": v for part in ("rgb", "alpha") for k, v in factors.items()}
    ctx.bind_blend_state(ctx.create_blend_state(blend_enable=True, **both))


def query(ctx: g.Context, kind: str, draw: Any) -> Any:
    """The result of a query around ``draw()``."""
    made = ctx.create_query(kind)
    ctx.begin_query(made)
    draw()
    ctx.end_query(made)
    return ctx.get_query_result(made)
