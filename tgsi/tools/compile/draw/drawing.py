"""Pictures by the public Screen and Context: targets, state, shaders, one draw, and its counters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tgsi.language.facts.enums import File, Primitive, Processor
from tgsi.language.facts.stages import STAGES
from tgsi.language.record import record
from tgsi.tools.compile.draw.camera import CLIP_SPACES
from tgsi.tools.compile.draw.mesh import Mesh
from tgsi.tools.compile.errors import UsageError

if TYPE_CHECKING:
    from tgsi.language.program import Program

_STATISTICS = ("vertices", "primitives", "vertex_runs", "geometry_runs", "geometry_primitives", "clipped", "binned", "fragments")
_LEVEL = 12.0
"""Tessellation level of patches without a control program."""


@record(kw_only=True)
class Look:
    """Options of a picture.

    Attributes:
        size: width and height in pixels. samples: of a pixel.
        background: four numbers from 0 to 1.
        clip: clip space, of `CLIP_SPACES`.
        wireframe: outlines alone. cull: side that is left out: NONE, BACK, FRONT.
        grid: workgroups of mesh programs.
    """

    size: tuple[int, int] = (512, 512)
    samples: int = 1
    background: tuple[float, float, float, float] = (0.08, 0.09, 0.12, 1.0)
    clip: str = "gl"
    wireframe: bool = False
    cull: str = "NONE"
    grid: tuple[int, int, int] = (1, 1, 1)


@record(kw_only=True)
class Counts:
    """Events of a draw: numbers of `Context.get_query_result`, and samples that passed all tests."""

    primitives: int
    vertex_runs: int
    geometry_runs: int
    geometry_primitives: int
    clipped: int
    binned: int
    fragments: int
    samples: int


class Canvas:
    """A context with targets and shaders that are bound, ready to draw again and again."""

    def __init__(self, context: Any, look: Look, programs: Sequence[Program]) -> None:
        self.context, self.look, self.programs = context, look, programs
        width, height = look.size
        more = {"nr_samples": look.samples} if look.samples > 1 else {}
        screen = context.screen
        self.target = screen.resource_create(format="R8G8B8A8_UNORM", width0=width, height0=height, **more)
        depth = screen.resource_create(format="Z32_FLOAT", width0=width, height0=height, **more)
        context.set_framebuffer_state(cbufs=[self.target], zsbuf=depth)
        down = CLIP_SPACES[look.clip][1]
        half = 0.5 if not CLIP_SPACES[look.clip][0] else 1.0
        context.set_viewport_states(
            [{"scale": (width / 2, (1 if down else -1) * height / 2, half), "translate": (width / 2, height / 2, 1 - half)}]
        )
        context.set_tess_state((_LEVEL,) * 4, (_LEVEL,) * 2)
        self.state()
        for program in programs:
            call = STAGES[program.processor].call
            getattr(context, f"bind_{call}_state")(getattr(context, f"create_{call}_state")(program))

    def state(self, *, depth: bool = True, cull: bool = True, clip: bool = True) -> None:
        """Bind state with some tests left out."""
        look, context = self.look, self.context
        from_zero = CLIP_SPACES[look.clip][0]
        mode = "LINE" if look.wireframe else "FILL"
        has_size = any(program.info.writes_psize for program in self.programs)
        context.bind_rasterizer_state(
            context.create_rasterizer_state(
                front_ccw=True,
                cull_face=look.cull if cull else "NONE",
                fill_front=mode,
                fill_back=mode,
                multisample=look.samples > 1,
                clip_halfz=from_zero,
                depth_clip=clip,
                depth_clip_near=clip,
                depth_clip_far=clip,
                point_size_per_vertex=has_size,
                point_size=3.0,
            )
        )
        test = {"enabled": depth, "writemask": depth, "func": "LEQUAL"}
        context.bind_depth_stencil_alpha_state(context.create_depth_stencil_alpha_state(depth=test))

    def draw(self, call: Callable[[], None]) -> Counts:
        """Clear the targets, make a draw, and count."""
        context = self.context
        statistics, samples = context.create_query("PIPELINE_STATISTICS"), context.create_query("OCCLUSION_COUNTER")
        context.clear("COLOR|DEPTH", color=self.look.background, depth=1.0)
        context.begin_query(statistics)
        context.begin_query(samples)
        call()
        context.end_query(samples)
        context.end_query(statistics)
        counts = dict(zip(_STATISTICS, context.get_query_result(statistics)))
        counts.pop("vertices")
        return Counts(samples=int(context.get_query_result(samples)), **counts)

    def picture(self) -> NDArray[np.uint8]:
        """RGB of the target, shape (height, width, 3); samples are resolved."""
        return np.ascontiguousarray(self.target.picture()[..., :3])


def mesh_draw(programs: Sequence[Program], mesh: Mesh, context: Any, has_inputs: bool) -> Callable[[], None]:
    """The call that draws a mesh as the primitives that the stages take. Programs without inputs count vertices instead of indices."""
    by_stage = {program.processor: program for program in programs}
    mode, indices, patch = _primitives(by_stage, mesh)
    if not has_inputs and mode == "TRIANGLES":
        return lambda: context.draw_vbo(mode=mode, count=indices.size)
    flat = np.ascontiguousarray(indices.reshape(-1), np.uint32)
    return lambda: context.draw_vbo(mode=mode, index=flat, vertices_per_patch=patch)


def patch_vertices(programs: Sequence[Program]) -> int:
    """Vertices of a patch, from the control program or the domain of the evaluation program; 0 without such programs."""
    count = 0
    for program in programs:
        stage = STAGES[program.processor]
        if stage.is_patch and stage.feeds_rasterizer:
            mode = program.info.properties.get(f"{stage.prefix}PRIM_MODE", Primitive.TRIANGLES)
            count = count or {Primitive.LINES: 2, Primitive.QUADS: 4}.get(Primitive(mode), 3)
        elif stage.is_patch:
            count = program.info.properties.get(f"{stage.prefix}VERTICES_OUT", 3)
    return count


def _primitives(stages: Mapping[Processor, Program], mesh: Mesh) -> tuple[str, NDArray[np.uint32], int]:
    """Mode, indices, and vertices of a patch."""
    triangles = mesh.triangles
    patch = patch_vertices(list(stages.values()))
    if patch:
        if patch == 4 and mesh.quads is None:
            raise UsageError(
                f"--mesh {mesh.name}: patches have 4 vertices, and the mesh has triangles; --mesh quad, cube, sphere, torus have quads"
            )
        patches = {1: triangles.reshape(-1, 1), 2: triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), 3: triangles, 4: mesh.quads}.get(patch)
        if patches is None:
            raise UsageError(f"--draw: patches of {patch} vertices; a mesh gives patches of 1 to 4")
        return "PATCHES", patches, patch
    if Processor.GEOM not in stages:
        return "TRIANGLES", triangles, 0
    primitive = stages[Processor.GEOM].info.properties.get("GS_INPUT_PRIMITIVE", 0)
    a, b, c = triangles.T
    if primitive == 0:
        return "POINTS", np.unique(triangles), 0
    if primitive in (1, 2, 3):
        return "LINES", triangles[:, [0, 1, 1, 2, 2, 0]], 0
    if primitive in (10, 11):
        return "LINES_ADJACENCY", np.stack([c, a, b, c, a, b, c, a, b, c, a, b], 1), 0
    if primitive in (12, 13):
        return "TRIANGLES_ADJACENCY", np.stack([a, c, b, a, c, b], 1), 0
    return "TRIANGLES", triangles, 0


def image_units(program: Program) -> tuple[dict[int, str], set[int]]:
    """Formats of a compute program's two-dimensional images by unit, and the units that it writes. UsageError for other images."""
    formats: dict[int, str] = {}
    for item in program.declarations:
        if item.file is File.IMAGE and item.image is not None:
            if item.image.target not in ("2D", "RECT"):
                raise UsageError(f"--draw: IMAGE[{item.first}] is {item.image.target}; a picture has two dimensions")
            name = item.image.format.removeprefix("PIPE_FORMAT_")
            for unit in range(item.first, item.last + 1):
                formats[unit] = name if name and name != "NONE" else "R8G8B8A8_UNORM"
    written = {operand.register.index for item in program.instructions for operand in item.dst if operand.register.file is File.IMAGE}
    return formats, written
