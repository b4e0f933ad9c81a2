"""Commands for sampler states, sampler views, surfaces and the framebuffer."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from backends.device.commands.bound_record import sampler_word, view_word
from backends.pipe.enums import CompareFunc, ShaderType, Swizzle, TexCompare, TexFilter, TexMipFilter, TextureTarget, TexWrap, lookup
from backends.pipe.limits import MAX_SAMPLER_VIEWS
from tgsi.tools.vtest.commands.resources import format_of, plain_format_of
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.commands.table import Effect, Words, command, creates
from tgsi.tools.vtest.commands.units import UNITS, Sampler
from tgsi.tools.vtest.protocol import kinds
from tgsi.tools.vtest.protocol.errors import CommandError, in_range
from tgsi.tools.vtest.protocol.numbers import STAGES, reals

if TYPE_CHECKING:
    from backends.gallium.resource.view import SamplerView


@creates("SAMPLER_STATE", "s0 lod_bias min_lod max_lod border_r border_g border_b border_a")
def _create_sampler(sub: SubContext, words: Words) -> None:
    s0 = words[1]
    bias, low, high = reals(words[2:5])
    r, g, b, a = reals(words[5:9])
    state = {
        "wrap_s": TexWrap(s0 & 7),
        "wrap_t": TexWrap(s0 >> 3 & 7),
        "wrap_r": TexWrap(s0 >> 6 & 7),
        "min_img_filter": lookup(TexFilter, s0 >> 9 & 3, "s0: min_img_filter"),
        "min_mip_filter": lookup(TexMipFilter, s0 >> 11 & 3, "s0: min_mip_filter"),
        "mag_img_filter": lookup(TexFilter, s0 >> 13 & 3, "s0: mag_img_filter"),
        "compare_mode": TexCompare(s0 >> 15 & 1),
        "compare_func": CompareFunc(s0 >> 16 & 7),
        "seamless_cube_map": bool(s0 >> 19 & 1),
        "max_anisotropy": s0 >> 20 & 63,
        "lod_bias": bias,
        "min_lod": low,
        "max_lod": high,
        "border_color": (r, g, b, a),
    }
    sampler = Sampler(state, words[5:9].tolist())
    sampler.form(sub.gallium, False)  # report errors here instead of at a draw
    sub.put(words[0], sampler)


@creates("SAMPLER_VIEW", "res_handle format layers_or_first levels_or_last swizzle")
def _create_view(sub: SubContext, words: Words) -> None:
    handle, res_handle, format_word, first, last, swizzle = words
    texture = sub.resource(res_handle)
    format = format_of(format_word & 0xFFFFFF, "format")
    channels = [lookup(Swizzle, swizzle >> 3 * k & 7, "swizzle") for k in range(4)]
    context = sub.gallium
    view: SamplerView
    if texture.is_buffer:
        size = format.block_bytes
        if last < first or (first + 1) * size > texture.size:
            raise CommandError("first_element", f"{first} .. {last} is not a range of a buffer of {texture.size} bytes")
        extent = min((last - first + 1) * size, texture.size - first * size)
        view = context.create_sampler_view(
            texture, format=format, target=TextureTarget.BUFFER, swizzle=channels, offset=first * size, size=extent
        )
    else:
        number = in_range(format_word >> 24, "target", 0, len(TextureTarget) - 1)
        target = TextureTarget(number) if number else texture.target
        layers: dict[str, int] = {}
        if target is not TextureTarget.TEXTURE_3D:  # clients give no slices for 3D textures
            layers = {"first_layer": first & 0xFFFF, "last_layer": first >> 16}
        view = context.create_sampler_view(
            texture,
            format=format,
            target=target,
            swizzle=channels,
            first_level=last & 255,
            last_level=last >> 8 & 255,
            **layers,
        )
        if target is TextureTarget.TEXTURE_RECT:
            sub.units.note_rectangle()
    sub.put(handle, view)


def _bound_views(sub: SubContext, words: Words) -> Effect | None:
    views = [sub.find(handle, kinds.SAMPLER_VIEW) for handle in words[2:]]
    textures: list[Hashable] = [("texture", id(view.texture)) for view in views if view is not None]
    return _bound_units(sub, words, view_word(words[0], words[1]), textures)


def _bound_samplers(sub: SubContext, words: Words) -> Effect | None:
    return _bound_units(sub, words, sampler_word(words[0], words[1]), [])


def _bound_units(sub: SubContext, words: Words, place: int, tags: list[Hashable]) -> Effect | None:
    """The effect of handles bound to units from `place` on. None with rectangle textures, because samplers then depend on views."""
    handles = words[2:].tolist()
    return Effect(range(place, place + len(handles)), (UNITS, *handles, *tags)) if not sub.units.has_rectangles else None


@command("SET_SAMPLER_VIEWS", "shader_type start_slot", "handle", effect=_bound_views)
def _set_views(sub: SubContext, words: Words) -> None:
    stage, start, *handles = words
    in_range(stage, "shader_type", 0, len(STAGES) - 1)
    in_range(start + len(handles), "start_slot", 0, MAX_SAMPLER_VIEWS)
    views = [sub.find(handle, kinds.SAMPLER_VIEW) for handle in handles]
    sub.gallium.set_sampler_views(ShaderType(stage), views, start=start)
    if sub.units.has_rectangles:
        sub.units.note_views(stage, start, [view is not None and view.target is TextureTarget.TEXTURE_RECT for view in views])


@command("BIND_SAMPLER_STATES", "shader_type start_slot", "handle", effect=_bound_samplers)
def _set_samplers(sub: SubContext, words: Words) -> None:
    stage, start, *handles = words
    in_range(stage, "shader_type", 0, len(STAGES) - 1)
    in_range(start + len(handles), "start_slot", 0, MAX_SAMPLER_VIEWS)
    sub.units.bind_samplers(stage, start, [sub.find(handle, kinds.SAMPLER_STATE) for handle in handles])


# -- targets -------------------------------------------------------------------------------------------------------------


@creates("SURFACE", "res_handle format level layers")
def _create_surface(sub: SubContext, words: Words) -> None:
    _put_surface(sub, words, 0)


@creates("MSAA_SURFACE", "res_handle format level layers samples")
def _create_multisampled_surface(sub: SubContext, words: Words) -> None:
    sub.kind = kinds.SURFACE  # the kind with which clients destroy it
    _put_surface(sub, words[:-1], words[-1])


def _put_surface(sub: SubContext, words: Words, samples: int) -> None:
    handle, res_handle, number, level, layers = words
    texture = sub.resource(res_handle)
    last = min(layers >> 16, texture.level(level, "level").layers - 1) if not texture.is_buffer else 0
    surface = sub.gallium.create_surface(
        texture,
        format=plain_format_of(number, "format"),
        level=level,
        first_layer=layers & 0xFFFF,
        last_layer=last,
        nr_samples=samples,
    )
    sub.put(handle, surface)


@command("SET_FRAMEBUFFER_STATE", "nr_cbufs zsurf_handle", "cbuf_handle")
def _framebuffer(sub: SubContext, words: Words) -> None:
    count, depth, *colors = words
    if count != len(colors):
        raise CommandError("nr_cbufs", f"it is {count}, but {len(colors)} handles follow")
    surfaces = [sub.find(handle, kinds.SURFACE, "cbuf_handle") for handle in colors]
    zsbuf = sub.find(depth, kinds.SURFACE, "zsurf_handle")
    if zsbuf is None and not any(surfaces):
        sub.gallium.set_framebuffer_state(width=sub.gallium.targets.framebuffer.width, height=sub.gallium.targets.framebuffer.height)
        return
    sub.gallium.set_framebuffer_state(cbufs=surfaces, zsbuf=zsbuf)


@command("SET_FRAMEBUFFER_STATE_NO_ATTACH", "width_height layers_samples")
def _no_attachment(sub: SubContext, words: Words) -> None:
    context = sub.gallium
    if not any(context.targets.surfaces):
        size, slices = words
        context.set_framebuffer_state(width=size & 0xFFFF, height=size >> 16, layers=slices & 0xFFFF, samples=slices >> 16)
