"""Commands for constant state objects, and for small states without objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from backends.device.commands.bound_record import Word
from backends.pipe.enums import (
    BlendFactor,
    BlendFunc,
    ColorMask,
    CompareFunc,
    Face,
    LogicOp,
    PolygonMode,
    SpriteCoordMode,
    StencilOp,
    lookup,
)
from backends.pipe.state import (
    AlphaState,
    BlendState,
    DepthState,
    DepthStencilAlphaState,
    RasterizerState,
    RenderTargetBlend,
    ScissorState,
    StencilState,
    VertexElement,
    ViewportState,
)
from tgsi.tools.vtest.commands.resources import vertex_format_of
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.commands.table import Effect, Effects, Words, command, creates
from tgsi.tools.vtest.protocol import kinds
from tgsi.tools.vtest.protocol.errors import CommandError, in_range
from tgsi.tools.vtest.protocol.numbers import reals

if TYPE_CHECKING:
    from backends.device.bound import DrawState

MAX_INTERNED = 4096

_RASTERIZER_BITS = (
    ("flatshade", 0),
    ("depth_clip", 1),
    ("clip_halfz", 2),
    ("rasterizer_discard", 3),
    ("flatshade_first", 4),
    ("light_twoside", 5),
    ("point_quad_rasterization", 7),
    ("scissor", 14),
    ("front_ccw", 15),
    ("clamp_vertex_color", 16),
    ("clamp_fragment_color", 17),
    ("offset_line", 18),
    ("offset_point", 19),
    ("offset_tri", 20),
    ("poly_smooth", 21),
    ("poly_stipple_enable", 22),
    ("point_smooth", 23),
    ("point_size_per_vertex", 24),
    ("multisample", 25),
    ("line_smooth", 26),
    ("line_stipple_enable", 27),
    ("line_last_pixel", 28),
    ("half_pixel_center", 29),
    ("bottom_edge_rule", 30),
    ("force_persample_interp", 31),
)


def _keep(sub: SubContext, words: Words, make: Any) -> None:
    """Store the object `make(context, words)` under the handle in `words`. Equal words share one object."""
    key = (sub.kind, bytes(words[1:]))
    state = sub.interned.get(key)
    if state is None:
        if len(sub.interned) >= MAX_INTERNED:
            sub.interned.clear()
        state = sub.interned[key] = make(sub.gallium, words)
    sub.put(words[0], state)


@creates("BLEND", "s0 s1 rt0 rt1 rt2 rt3 rt4 rt5 rt6 rt7")
def _create_blend(sub: SubContext, words: Words) -> None:
    _keep(sub, words, _blend)


def _blend(context: Any, words: Words) -> Any:
    s0 = words[1]
    return context.create_blend_state(
        BlendState(
            tuple(_target(word, f"rt{index}") for index, word in enumerate(words[3:])),
            independent_blend_enable=bool(s0 & 1),
            logicop_enable=bool(s0 >> 1 & 1),
            logicop_func=LogicOp(words[2] & 15),
            dither=bool(s0 >> 2 & 1),
            alpha_to_coverage=bool(s0 >> 3 & 1),
            alpha_to_one=bool(s0 >> 4 & 1),
        )
    )


def _target(word: int, field: str) -> RenderTargetBlend:
    """Blend state of one target. The fields of disabled blending are ignored, because clients may leave arbitrary values in them."""
    mask = ColorMask(word >> 27 & 15)
    if not word & 1:
        return RenderTargetBlend(colormask=mask)
    return RenderTargetBlend(
        blend_enable=True,
        rgb_func=lookup(BlendFunc, word >> 1 & 7, f"{field}: rgb_func"),
        rgb_src_factor=lookup(BlendFactor, word >> 4 & 31, f"{field}: rgb_src_factor"),
        rgb_dst_factor=lookup(BlendFactor, word >> 9 & 31, f"{field}: rgb_dst_factor"),
        alpha_func=lookup(BlendFunc, word >> 14 & 7, f"{field}: alpha_func"),
        alpha_src_factor=lookup(BlendFactor, word >> 17 & 31, f"{field}: alpha_src_factor"),
        alpha_dst_factor=lookup(BlendFactor, word >> 22 & 31, f"{field}: alpha_dst_factor"),
        colormask=mask,
    )


@creates("DSA", "s0 front back alpha_ref")
def _create_dsa(sub: SubContext, words: Words) -> None:
    _keep(sub, words, _dsa)


def _dsa(context: Any, words: Words) -> Any:
    s0 = words[1]
    return context.create_depth_stencil_alpha_state(
        DepthStencilAlphaState(
            DepthState(bool(s0 & 1), bool(s0 >> 1 & 1), CompareFunc(s0 >> 2 & 7)),
            (_stencil(words[2]), _stencil(words[3])),
            AlphaState(bool(s0 >> 8 & 1), CompareFunc(s0 >> 9 & 7), reals(words[4:5])[0]),
        )
    )


def _stencil(word: int) -> StencilState:
    return StencilState(
        enabled=bool(word & 1),
        func=CompareFunc(word >> 1 & 7),
        fail_op=StencilOp(word >> 4 & 7),
        zpass_op=StencilOp(word >> 7 & 7),
        zfail_op=StencilOp(word >> 10 & 7),
        valuemask=word >> 13 & 255,
        writemask=word >> 21 & 255,
    )


_OFFSET_UNIT = 2.0
"""Steps of depth in a unit of OpenGL's polygon offset, large enough to be visible although depth is computed in f32 (OpenGL 4.6, section
14.6.5). Other drivers do the same, and clients rely on it.
"""


@creates("RASTERIZER", "s0 point_size sprite_coord_enable s3 line_width offset_units offset_scale offset_clamp")
def _create_rasterizer(sub: SubContext, words: Words) -> None:
    _keep(sub, words, _rasterizer)


def _rasterizer(context: Any, words: Words) -> Any:
    """Rasterizer state. Points are cut at the sides of the view, as OpenGL ES requires, if the client may be an OpenGL ES program.

    The protocol does not name the client's API. All points of OpenGL ES 2 and later are sprites with a size for each vertex. So only OpenGL
    points with both features enabled are also cut at the sides, instead of disappearing when their centers leave the view.
    """
    s0, s3 = words[1], words[4]
    point_size = reals(words[2:3])[0]
    line_width, units, scale, clamp = reals(words[5:9])
    flags: dict[str, Any] = {name: bool(s0 >> bit & 1) for name, bit in _RASTERIZER_BITS}
    return context.create_rasterizer_state(
        RasterizerState(
            **flags,
            point_tri_clip=flags["point_quad_rasterization"] and flags["point_size_per_vertex"],
            quads_provoke_last=True,  # the protocol has no bit to tell clients otherwise
            sprite_coord_mode=SpriteCoordMode(s0 >> 6 & 1),
            cull_face=Face(s0 >> 8 & 3),
            fill_front=PolygonMode(s0 >> 10 & 3),
            fill_back=PolygonMode(s0 >> 12 & 3),
            point_size=point_size,
            sprite_coord_enable=words[3],
            line_stipple_pattern=s3 & 0xFFFF,
            line_stipple_factor=s3 >> 16 & 255,
            clip_plane_enable=s3 >> 24,
            line_width=line_width,
            offset_units=_OFFSET_UNIT * units,
            offset_scale=scale,
            offset_clamp=clamp,
        )
    )


@creates("VERTEX_ELEMENTS", "", "src_offset instance_divisor vertex_buffer_index src_format")
def _create_elements(sub: SubContext, words: Words) -> None:
    _keep(sub, words, _elements)


def _elements(context: Any, words: Words) -> Any:
    rows = [words[at : at + 4] for at in range(1, len(words), 4)]
    return context.create_vertex_elements_state(
        [
            VertexElement(offset, vertex_format_of(number, f"src_format[{index}]"), buffer, divisor)
            for index, (offset, divisor, buffer, number) in enumerate(rows)
        ]
    )


_BOUND_AT = {
    kinds.BLEND: Word.BLEND,
    kinds.RASTERIZER: Word.RASTERIZER,
    kinds.DSA: Word.DEPTH_STENCIL_ALPHA,
    kinds.VERTEX_ELEMENTS: Word.VERTEX_ELEMENTS,
}


def _bound_object(sub: SubContext, words: Words) -> Effect | None:
    return Effect((_BOUND_AT[sub.kind],), (words[0],))


@command("BIND_OBJECT", "handle", effect=_bound_object)
def _bind(sub: SubContext, words: Words) -> None:
    kind = sub.kind
    state, context = sub.find(words[0], kind), sub.gallium
    if kind == kinds.BLEND:
        context.bind_blend_state(state)
    elif kind == kinds.RASTERIZER:
        context.bind_rasterizer_state(state)
    elif kind == kinds.DSA:
        context.bind_depth_stencil_alpha_state(state)
    elif kind == kinds.VERTEX_ELEMENTS:
        context.bind_vertex_elements_state(state)
    else:
        raise CommandError("object", f"objects of kind {kind} cannot be bound with this command")


# -- states without objects ----------------------------------------------------------------------------------------------


def _on(place: Word) -> Effects:
    """The effect of a command that sets one word of the bound state."""
    effect = Effect((place,))
    return lambda sub, words: effect


def _on_all(place: Word, get: Callable[[DrawState], Sequence[object]], size: int) -> Effects:
    """The effect of a command that sets items of `size` words each. It can be repeated only if it sets all items."""

    def effect(sub: SubContext, words: Words) -> Effect | None:
        is_all = not words[0] and (len(words) - 1) // size == len(get(sub.gallium.state))
        return Effect((place,), (place.name,)) if is_all else None

    return effect


@command(
    "SET_VIEWPORT_STATE",
    "start_slot",
    "scale_x scale_y scale_z translate_x translate_y translate_z",
    effect=_on_all(Word.VIEWPORTS, lambda state: state.viewports, 6),
)
def _viewports(sub: SubContext, words: Words) -> None:
    values = reals(words[1:])
    states = [
        ViewportState((values[at], values[at + 1], values[at + 2]), (values[at + 3], values[at + 4], values[at + 5]))
        for at in range(0, len(values), 6)
    ]
    old = len(sub.gallium.state.viewports)
    sub.gallium.set_viewport_states(states, start=in_range(words[0], "start_slot", 0, 16))
    if len(sub.gallium.state.viewports) > old:
        sub.reader.forget(Word.VIEWPORTS.name)


@command("SET_SCISSOR_STATE", "start_slot", "min max", effect=_on_all(Word.SCISSORS, lambda state: state.scissors, 2))
def _scissors(sub: SubContext, words: Words) -> None:
    states = [
        ScissorState(words[at] & 0xFFFF, words[at] >> 16, words[at + 1] & 0xFFFF, words[at + 1] >> 16) for at in range(1, len(words), 2)
    ]
    old = len(sub.gallium.state.scissors)
    sub.gallium.set_scissor_states(states, start=in_range(words[0], "start_slot", 0, 16))
    if len(sub.gallium.state.scissors) > old:
        sub.reader.forget(Word.SCISSORS.name)


@command("SET_STENCIL_REF", "ref", effect=_on(Word.STENCIL_REF))
def _stencil_ref(sub: SubContext, words: Words) -> None:
    sub.gallium.set_stencil_ref((words[0] & 255, words[0] >> 8 & 255))


@command("SET_BLEND_COLOR", "red green blue alpha", effect=_on(Word.BLEND_COLOR))
def _blend_color(sub: SubContext, words: Words) -> None:
    sub.gallium.set_blend_color(reals(words))


@command("SET_SAMPLE_MASK", "mask", effect=_on(Word.SAMPLE_MASK))
def _sample_mask(sub: SubContext, words: Words) -> None:
    sub.gallium.set_sample_mask(words[0])


@command("SET_MIN_SAMPLES", "samples", effect=_on(Word.MIN_SAMPLES))
def _min_samples(sub: SubContext, words: Words) -> None:
    sub.gallium.set_min_samples(words[0])


@command("SET_CLIP_STATE", " ".join(f"plane{plane}_{axis}" for plane in range(8) for axis in "xyzw"), effect=_on(Word.CLIP_PLANES))
def _clip(sub: SubContext, words: Words) -> None:
    values = reals(words)
    sub.gallium.set_clip_state([values[at : at + 4] for at in range(0, 32, 4)])


@command("SET_POLYGON_STIPPLE", " ".join(f"row{row}" for row in range(32)), effect=_on(Word.POLYGON_STIPPLE))
def _stipple(sub: SubContext, words: Words) -> None:
    sub.gallium.set_polygon_stipple(words.tolist())


@command("SET_TESS_STATE", "outer0 outer1 outer2 outer3 inner0 inner1")
def _tess(sub: SubContext, words: Words) -> None:
    values = reals(words)
    sub.gallium.set_tess_state(values[:4], values[4:])
