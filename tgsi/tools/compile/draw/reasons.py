"""Reasons for a picture that shows nothing: found by drawing again with some tests left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgsi.language.facts.enums import File
from tgsi.language.facts.stages import PIPELINE, STAGES
from tgsi.tools.compile.draw.drawing import Canvas, Counts
from tgsi.tools.compile.draw.mesh import Mesh

if TYPE_CHECKING:
    from tgsi.language.program import Program

_MOST = 1 << 16
"""Vertices whose positions are looked at."""


def why_plain(
    picture: NDArray[np.uint8], counts: Counts, canvas: Canvas, call: Callable[[], None], mesh: Mesh | None, zeros: Sequence[str]
) -> list[str]:
    """Sentences about a picture of a single color, or with only black on its background; none for other pictures.

    Draws again, so take the picture before. `zeros` are uniforms and inputs that are 0, as messages name them.
    """
    if counts.samples:
        return _one_color(picture, canvas, zeros)
    if not counts.primitives and mesh is not None:
        return [f"nothing was drawn: {mesh.name} has no triangles"]
    if counts.geometry_runs and not counts.geometry_primitives:
        return ["nothing was drawn: the geometry program emitted no primitive", *_because(zeros)]
    canvas.state(depth=False)
    if canvas.draw(call).samples:
        return ["nothing was drawn: every fragment failed the depth test; its depth is above 1, or no number"]
    if counts.fragments:
        return ["nothing was drawn: the fragment program discards every fragment (KILL, discard)", *_because(zeros)]
    if canvas.look.cull != "NONE":
        canvas.state(cull=False)
        if canvas.draw(call).samples:
            return [f"nothing was drawn: every triangle is culled; --cull {canvas.look.cull.lower()} leaves out the side that is seen"]
    canvas.state(clip=False)
    beyond = bool(canvas.draw(call).samples)
    canvas.state()
    return [f"nothing was drawn: {_positions(canvas, call, beyond)}", *_because(zeros)]


def _because(zeros: Sequence[str]) -> list[str]:
    return [f"the reason may be that these are 0: {', '.join(zeros)}; --uniform and --attribute give them values"] if zeros else []


def _one_color(picture: NDArray[np.uint8], canvas: Canvas, zeros: Sequence[str]) -> list[str]:
    """Words about fragments that all have one color, or are black."""
    background = np.array([round(item * 255) for item in canvas.look.background[:3]])
    drawn = picture[(abs(picture.astype(int) - background) > 1).any(-1)]
    fragment = canvas.programs[-1]
    if not len(drawn):
        if not any(item.semantic.name == "COLOR" for item in fragment.info.outputs):
            return ["the picture shows the background alone: the fragment program writes no color"]
        return ["everything that is drawn has the color of the background; --background 1,0,1 shows it"]
    if not drawn.any():
        return ["everything that is drawn is black", *_because(zeros)]
    if (picture == picture[0, 0]).all():
        return [f"every pixel has the color {', '.join(str(int(item)) for item in picture[0, 0])}"]
    return []


def _positions(canvas: Canvas, call: Callable[[], None], beyond: bool) -> str:
    """Words about the positions that reach the rasterizer."""
    places = _captured(canvas, call)
    if places is None or not len(places):
        return "every primitive lies outside of the depth range" if beyond else "no pixel is covered"
    finite = np.isfinite(places).all(1)
    if not finite.any():
        return "every position is NaN or infinite"
    x, y, z, w = places[finite].astype(np.float64).T
    if not (w != 0).any():
        return "every position has w = 0; a matrix of zeros makes such positions"
    if (w <= 0).all():
        return f"every vertex lies behind the camera: w goes from {w.min():.4g} to {w.max():.4g}"
    ahead = w > 0
    at = np.stack([x[ahead], y[ahead], z[ahead]]) / w[ahead]
    if beyond:
        low = 0 if canvas.look.clip != "gl" else -1
        span = f"from {at[2].min():.4g} to {at[2].max():.4g}"
        return f"every primitive lies outside of the depth range: z / w goes {span}, and {low} to 1 is seen"
    for axis, name in enumerate("xy"):
        if at[axis].min() > 1 or at[axis].max() < -1:
            span = f"from {at[axis].min():.4g} to {at[axis].max():.4g}"
            return f"everything lies outside of the picture: {name} / w goes {span}, and -1 to 1 is seen"
    spans = [float(at[axis].max() - at[axis].min()) for axis in range(2)]
    if min(spans) * max(canvas.look.size) < 2:
        return f"no pixel is covered: all positions lie within {spans[0]:.3g} x {spans[1]:.3g}, where the picture is 2 x 2"
    return "no pixel is covered: all triangles are clipped, or have no area"


def _captured(canvas: Canvas, call: Callable[[], None]) -> NDArray[np.float32] | None:
    """Positions that the last stage before the rasterizer streams out; None where there is no such stage."""
    context = canvas.context
    last = [program for program in canvas.programs if program.processor in PIPELINE and STAGES[program.processor].feeds_rasterizer]
    if not last:
        return None
    register = _position(last[-1])
    if register is None:
        return None
    name = STAGES[last[-1].processor].call
    output = {"stride": (4,), "output": [{"register_index": register}]}
    shader = getattr(context, f"create_{name}_state")(last[-1], stream_output=output)
    getattr(context, f"bind_{name}_state")(shader)
    buffer = context.screen.resource_create(target="BUFFER", format="R8_UNORM", width0=16 * _MOST, height0=1, bind="STREAM_OUTPUT")
    target = context.create_stream_output_target(buffer)
    query = context.create_query("PRIMITIVES_EMITTED")
    context.set_stream_output_targets([target], offsets=[0])
    context.begin_query(query)
    call()
    context.end_query(query)
    context.set_stream_output_targets([])
    corners = {0: 1, 3: 2}.get(last[-1].info.properties.get("GS_OUTPUT_PRIMITIVE", 0), 3) if name == "gs" else 3
    count = corners * int(context.get_query_result(query))
    return np.asarray(buffer.pixels()).reshape(-1).view(np.float32).reshape(-1, 4)[: min(count, _MOST)]


def _position(program: Program) -> int | None:
    for item in program.declarations:
        if item.file is File.OUT and item.semantic is not None and item.semantic.name == "POSITION":
            return item.first
    return None
