"""Handlers of calls that change sticky state. They collect fields; `bind_state` creates and binds state objects when a draw needs them."""

from __future__ import annotations

from dataclasses import replace

from tgsi import gallium as g
from tgsi.tools.replay.fields import SceneError
from tgsi.tools.replay.ops import BLEND_GLOBALS
from tgsi.tools.replay.player import Player, Values, handles


def bind_state(player: Player) -> None:
    """Create and bind the state that has changed since the last draw."""
    state, context = player.state, player.context
    if "rasterizer" in state.dirty:
        context.bind_rasterizer_state(context.create_rasterizer_state(state.rasterizer))
    if "blend" in state.dirty:
        context.bind_blend_state(context.create_blend_state(state.blend))
    if "depth_stencil_alpha" in state.dirty:
        context.bind_depth_stencil_alpha_state(context.create_depth_stencil_alpha_state(state.depth_stencil_alpha))
    if "elements" in state.dirty:
        context.bind_vertex_elements_state(context.create_vertex_elements_state(state.elements))
    if "buffers" in state.dirty:
        context.set_vertex_buffers(state.buffers)
    state.dirty.clear()


@handles("rasterizer")
def rasterizer(player: Player, values: Values) -> None:
    """Change the named fields."""
    player.state.change(rasterizer=replace(player.state.rasterizer, **values))


BLEND_NAMES = {
    "rgb_src": "rgb_src_factor",
    "rgb_dst": "rgb_dst_factor",
    "alpha_src": "alpha_src_factor",
    "alpha_dst": "alpha_dst_factor",
}


@handles("blend_rt")
def blend_rt(player: Player, values: Values) -> None:
    """Change the blending of one target."""
    targets = list(player.state.blend.rt)
    changes = {BLEND_NAMES.get(name, name): v for name, v in values.items() if name != "rt"}
    if "colormask" in changes:
        changes["colormask"] = g.ColorMask(changes["colormask"])
    targets[values["rt"]] = replace(targets[values["rt"]], **changes)
    player.state.change(blend=replace(player.state.blend, rt=tuple(targets)))


@handles("blend_global")
def blend_global(player: Player, values: Values) -> None:
    """Change one field that all targets share."""
    if values["key"] not in BLEND_GLOBALS:
        raise SceneError(f"key: {values['key'][:40]!r} is not one of {', '.join(BLEND_GLOBALS)}")
    name, check = BLEND_GLOBALS[values["key"]]
    player.state.change(blend=replace(player.state.blend, **{name: check(values["value"], "value")}))


@handles("depth")
def depth(player: Player, values: Values) -> None:
    """Change the depth test."""
    dsa = player.state.depth_stencil_alpha
    player.state.change(depth_stencil_alpha=replace(dsa, depth=replace(dsa.depth, **values)))


@handles("stencil")
def stencil(player: Player, values: Values) -> None:
    """Change the stencil test of one face."""
    dsa = player.state.depth_stencil_alpha
    faces = list(dsa.stencil)
    changes = {name: v for name, v in values.items() if name != "face"}
    faces[values["face"]] = replace(faces[values["face"]], **changes)
    player.state.change(depth_stencil_alpha=replace(dsa, stencil=(faces[0], faces[1])))


@handles("alpha")
def alpha(player: Player, values: Values) -> None:
    """Change the alpha test."""
    dsa = player.state.depth_stencil_alpha
    changes = {"ref_value" if name == "ref" else name: v for name, v in values.items()}
    player.state.change(depth_stencil_alpha=replace(dsa, alpha=replace(dsa.alpha, **changes)))


@handles("vertex_element")
def vertex_element(player: Player, values: Values) -> None:
    """Append a vertex attribute."""
    element = g.VertexElement(values["src_offset"], values["format"], values["vertex_buffer_index"], values["instance_divisor"])
    player.state.elements.append(element)
    player.state.dirty.add("elements")


@handles("vertex_buffer")
def vertex_buffer(player: Player, values: Values) -> None:
    """Append a vertex buffer."""
    player.state.buffers.append(g.VertexBuffer(values["data"], values["stride"], values["offset"]))
    player.state.dirty.add("buffers")


@handles("stencil_ref")
def stencil_ref(player: Player, values: Values) -> None:
    """Set the stencil references."""
    player.context.set_stencil_ref(values["ref"])


@handles("blend_color")
def blend_color(player: Player, values: Values) -> None:
    """Set the constant blend color."""
    player.context.set_blend_color(values["color"])


@handles("scissor")
def scissor(player: Player, values: Values) -> None:
    """Set one scissor rectangle."""
    state = g.ScissorState(values["minx"], values["miny"], values["maxx"], values["maxy"])
    player.context.set_scissor_states([state], start=values["index"])


@handles("viewport")
def viewport(player: Player, values: Values) -> None:
    """Set one viewport."""
    player.context.set_viewport_states([g.ViewportState(values["scale"], values["translate"])], start=values["index"])


@handles("polygon_stipple")
def polygon_stipple(player: Player, values: Values) -> None:
    """Set the polygon stipple."""
    player.context.set_polygon_stipple(values["stipple"])


@handles("tess_state")
def tess_state(player: Player, values: Values) -> None:
    """Set the default levels of patches without a control shader."""
    player.context.set_tess_state(values["outer"], values["inner"])


@handles("clip_planes")
def clip_planes(player: Player, values: Values) -> None:
    """Set the user clip planes."""
    player.context.set_clip_state(values["planes"])


@handles("primitive_restart")
def primitive_restart(player: Player, values: Values) -> None:
    """Set primitive restart for later draws."""
    player.state.change(primitive_restart=values["enabled"], restart_index=values["index"])


@handles("instances")
def instances(player: Player, values: Values) -> None:
    """Set the instances of later draws."""
    player.state.change(start_instance=values["start_instance"], instance_count=values["instance_count"])


@handles("index_bias")
def index_bias(player: Player, values: Values) -> None:
    """Set the index bias of later draws."""
    player.state.change(index_bias=values["bias"])
