"""Handlers of calls that create buffers and textures and bind them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tgsi import gallium as g
from tgsi.tools.replay.fields import SceneError
from tgsi.tools.replay.player import Player, Values, handles
from tgsi.tools.replay.scene import image_layout

if TYPE_CHECKING:
    from tgsi.gallium import Resource


def make_buffer(player: Player, data: bytes) -> Resource:
    """Create a buffer that holds `data`; at least one byte long."""
    buffer = player.screen.resource_create(target=g.TextureTarget.BUFFER, format=g.Format.R8_UNORM, width0=max(1, len(data)))
    player.context.buffer_subdata(buffer, data)
    return buffer


@handles("index_buffer")
def index_buffer(player: Player, values: Values) -> None:
    """Bind indices for later draws."""
    if values["index_size"] == 3:
        raise SceneError("index_size: expected 1, 2 or 4, not 3")
    player.state.change(index_size=values["index_size"])
    player.context.set_index_buffer(values["data"])


@handles("constant_buffer")
def constant_buffer(player: Player, values: Values) -> None:
    """Bind constants."""
    player.context.set_constant_buffer(values["stage"], values["data"], index=values["slot"])


@handles("texture")
def texture(player: Player, values: Values) -> None:
    """Create a texture, fill it with its data, and register it under its id."""
    target, format = values["target"], values["format"]
    is_volume = target is g.TextureTarget.TEXTURE_3D
    created = player.screen.resource_create(
        target=target,
        format=format,
        width0=values["width"],
        height0=values["height"],
        depth0=values["depth"],
        array_size=max(6, values["array_size"]) if target is g.TextureTarget.TEXTURE_CUBE else values["array_size"],
        last_level=values["last_level"],
        bind=g.Bind.SAMPLER_VIEW,
    )
    if len(values["data"]) > values["last_level"] + 1:
        raise SceneError(f"data: {len(values['data'])} levels for a texture of {values['last_level'] + 1}")
    for level, slices in enumerate(values["data"]):
        width, height = max(1, values["width"] >> level), max(1, values["height"] >> level)
        count = max(1, values["depth"] >> level) if is_volume else created.array_size
        _write_slices(player, created, level, slices, (width, height, count), f"data[{level}]")
    player.textures[values["id"]] = created


def _write_slices(
    player: Player, resource: Resource, level: int, slices: tuple[bytes, ...], size: tuple[int, int, int], place: str
) -> None:
    width, height, count = size
    if len(slices) != count:
        raise SceneError(f"{place}: expected {count} layers or slices, not {len(slices)}")
    wanted = width if resource.is_buffer else width * height * resource.format.block_bytes
    for k, data in enumerate(slices):
        if len(data) != wanted:
            raise SceneError(f"{place}[{k}]: expected {wanted} bytes, not {len(data)}")
    player.context.texture_subdata(resource, b"".join(slices), level=level)


@handles("sampler_view")
def sampler_view(player: Player, values: Values) -> None:
    """Bind a view of a texture."""
    if values["texture"] not in player.textures:
        raise SceneError(f"texture: no texture has the number {values['texture']}")
    names = ("format", "target", "first_level", "last_level", "first_layer", "last_layer")
    view = player.context.create_sampler_view(
        player.textures[values["texture"]], swizzle=values["swizzle"], **{name: values[name] for name in names}
    )
    player.context.set_sampler_views(values["stage"], [view], start=values["slot"])


@handles("sampler")
def sampler(player: Player, values: Values) -> None:
    """Bind a sampler."""
    changes = {name: v for name, v in values.items() if name not in ("stage", "slot")}
    if "compare_mode" in changes:
        changes["compare_mode"] = g.TexCompare(changes["compare_mode"])
    handle = player.context.create_sampler_state(replace(g.SamplerState(), **changes))
    player.context.bind_sampler_states(values["stage"], [handle], start=values["slot"])


@handles("shader_buffer")
def shader_buffer(player: Player, values: Values) -> None:
    """Bind a buffer that shaders write."""
    buffer = make_buffer(player, values["data"])
    player.outputs[f"ssbo{values['slot']}"] = buffer
    player.context.set_shader_buffers(values["stage"], [buffer], start=values["slot"])


@handles("shader_image")
def shader_image(player: Player, values: Values) -> None:
    """Bind an image that shaders write."""
    layout = image_layout(values)
    width = values["width"]  # in bytes for BUFFER
    is_volume = values["target"] is g.TextureTarget.TEXTURE_3D
    image = player.screen.resource_create(
        target=values["target"],
        format=layout.format,
        width0=width,
        height0=layout.height,
        depth0=layout.layers if is_volume else 1,
        array_size=1 if is_volume else layout.layers,
    )
    _write_slices(player, image, 0, values["data"], (width, layout.height, layout.layers), "data")
    player.outputs[f"img{values['slot']}"] = image
    player.context.set_shader_images(values["stage"], [image], start=values["slot"])


@handles("stream_output")
def stream_output(player: Player, values: Values) -> None:
    """Declare the outputs of the vertex and geometry shaders created after this call, and bind zeroed targets for them."""
    targets = []
    for k, size in enumerate(values["target_bytes"]):
        buffer = make_buffer(player, bytes(size))
        player.outputs[f"so{k}"] = buffer
        targets.append(player.context.create_stream_output_target(buffer, buffer_size=size))
    player.context.set_stream_output_targets(targets, offsets=[0] * len(targets))
    outputs = tuple(g.StreamOutput(**output) for output in values["outputs"])
    player.state.change(stream_output=g.StreamOutputInfo(values["stride_dwords"], outputs))
