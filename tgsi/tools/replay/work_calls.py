"""Handlers of calls that create shaders and do work: clears, draws, grids, queries."""

from __future__ import annotations

from math import prod

from backends.pipe.limits import MAX_BLOCK
from tgsi import gallium as g
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES, Stage
from tgsi.tools.replay.fields import SceneError
from tgsi.tools.replay.player import MAX_INVOCATIONS, MAX_VERTICES, Player, Query, Values, handles
from tgsi.tools.replay.state_calls import bind_state

PATCH_VERTICES = 1 << 10
"""Number of vertices counted for each vertex of a patch: the highest levels tessellate three vertices to 4,225."""


def _handle_shaders_of(row: Stage) -> None:
    """Register the call that creates and binds a shader of one graphics stage."""
    create, bind = f"create_{row.call}_state", f"bind_{row.call}_state"

    @handles(row.call)
    def make_and_bind(player: Player, values: Values) -> None:
        options = {"stream_output": player.state.stream_output} if row.feeds_rasterizer and not row.is_mesh else {}
        getattr(player.context, bind)(getattr(player.context, create)(values["text"], **options))
        player.has_vertex_shader |= row.processor is Processor.VERT


for _row in STAGES.values():
    if _row.is_drawn:
        _handle_shaders_of(_row)


@handles("cs")
def cs(player: Player, values: Values) -> None:
    """Create and bind a compute shader. The context chooses the size of shared memory if the scene does not set it."""
    local = values["req_local_mem"] or None
    player.context.bind_compute_state(player.context.create_compute_state(values["text"], req_local_mem=local))


@handles("clear")
def clear(player: Player, values: Values) -> None:
    """Clear bound targets. Targets of integer formats take the raw words."""
    wanted = g.Clear.NONE
    for name in values["buffers"]:
        wanted |= g.Clear[name.upper()]
    color = values["color"] if values["color_raw"] is None else tuple(v & 0xFFFFFFFF for v in values["color_raw"])
    player.context.clear(
        wanted,
        color=(0.0,) * 4 if color is None else color,
        depth=1.0 if values["depth"] is None else values["depth"],
        stencil=values["stencil"] or 0,
    )


@handles("clear_render_target")
def clear_render_target(player: Player, values: Values) -> None:
    """Clear a rectangle of a target."""
    target = player.outputs.get(f"c{values['cbuf']}")
    if target is None:
        raise SceneError(f"cbuf: there is no color buffer {values['cbuf']}")
    player.context.clear_render_target(target, color=values["color"], x=values["x"], y=values["y"], width=values["w"], height=values["h"])


@handles("draw")
def draw(player: Player, values: Values) -> None:
    """Draw with the sticky state. A draw without a vertex shader does nothing: some recorded scenes have such draws."""
    state = player.state
    each = PATCH_VERTICES if values["mode"] is g.Prim.PATCHES else 1
    player.vertices += values["count"] * max(1, state.instance_count) * each
    if player.vertices > MAX_VERTICES:
        raise SceneError(f"the scene draws more than {MAX_VERTICES} vertices")
    if values["indexed"] and not state.index_size:
        raise SceneError("indexed: there is no index buffer")
    if not player.has_vertex_shader:
        return
    bind_state(player)
    player.context.draw_vbo(
        g.DrawInfo(
            mode=values["mode"],
            count=values["count"],
            start=values["start"],
            index_size=state.index_size if values["indexed"] else 0,
            instance_count=state.instance_count,
            start_instance=state.start_instance,
            index_bias=state.index_bias if values["indexed"] else 0,
            primitive_restart=state.primitive_restart,
            restart_index=state.restart_index,
            vertices_per_patch=values["vertices_per_patch"],
        )
    )
    player.drew()


def _count_invocations(player: Player, *sizes: int) -> None:
    """Add the invocations of a grid, the product of `sizes`, to those of the scene."""
    player.invocations += prod(sizes)
    if player.invocations > MAX_INVOCATIONS:
        raise SceneError(f"the scene starts more than {MAX_INVOCATIONS} invocations")


@handles("draw_mesh_tasks")
def draw_mesh_tasks(player: Player, values: Values) -> None:
    """Draw with the mesh shader. Each workgroup counts with the largest number of threads."""
    _count_invocations(player, *values["grid"], MAX_BLOCK)
    player.context.draw_mesh_tasks(grid=values["grid"])
    player.drew()


@handles("launch_grid")
def launch_grid(player: Player, values: Values) -> None:
    """Run the compute shader."""
    _count_invocations(player, *values["block"], *values["grid"])
    player.context.launch_grid(block=values["block"], grid=values["grid"])


@handles("begin_query")
def begin_query(player: Player, values: Values) -> None:
    """Create a query under a number and begin it."""
    handle = player.context.create_query(values["type"], index=values["index"])
    player.queries[values["id"]] = Query(values["type"], handle)
    player.context.begin_query(handle)


@handles("end_query")
def end_query(player: Player, values: Values) -> None:
    """End a query."""
    player.context.end_query(_query(player, values["id"]).handle)


@handles("render_condition")
def render_condition(player: Player, values: Values) -> None:
    """Draw from now on only if the result of a query allows it."""
    query = _query(player, values["query"])
    player.context.render_condition(query.handle, condition=values["condition"], mode=values["mode"])


@handles("render_condition_off")
def render_condition_off(player: Player, values: Values) -> None:
    """Draw unconditionally from now on."""
    player.context.render_condition(None)


def _query(player: Player, number: int) -> Query:
    if number not in player.queries:
        raise SceneError(f"no command began query {number}")
    return player.queries[number]


@handles("flush")
def flush(player: Player, values: Values) -> None:
    """Flush, and wait until all results are in memory."""
    player.finish()
