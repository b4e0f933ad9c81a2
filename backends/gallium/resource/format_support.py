"""Format support: the uses (PIPE_BIND) that each format and target allows."""

from __future__ import annotations

from functools import cache
from typing import Any

from backends.formats import AnyFormat, ChannelType, CompressedFormat, Format
from backends.gallium.resource.layout import MULTISAMPLED, ONE_DIMENSIONAL, SAMPLE_COUNTS, Template, check
from backends.pipe.checks import make, refuse
from backends.pipe.enums import Bind, TextureTarget

BUFFER_BINDS = (
    Bind.VERTEX_BUFFER
    | Bind.INDEX_BUFFER
    | Bind.CONSTANT_BUFFER
    | Bind.COMMAND_ARGS_BUFFER
    | Bind.QUERY_BUFFER
    | Bind.SHADER_BUFFER
    | Bind.STREAM_OUTPUT
    | Bind.GLOBAL
    | Bind.COMPUTE_RESOURCE
    | Bind.CUSTOM
    | Bind.LINEAR
)
TEXEL_BINDS = Bind.SAMPLER_VIEW | Bind.SHADER_IMAGE
MULTISAMPLED_BINDS = Bind.SAMPLER_VIEW | Bind.RENDER_TARGET | Bind.DEPTH_STENCIL | Bind.BLENDABLE | Bind.SHADER_IMAGE | Bind.CUSTOM
_COMPRESSED_BINDS = Bind.SAMPLER_VIEW | Bind.CUSTOM | Bind.LINEAR
_SAMPLED_BINDS = _COMPRESSED_BINDS | Bind.CURSOR
_DEPTH_BINDS = _SAMPLED_BINDS | Bind.DEPTH_STENCIL
_STORED_BINDS = _SAMPLED_BINDS | Bind.SHADER_IMAGE | Bind.COMPUTE_RESOURCE
_DRAWN_BINDS = _STORED_BINDS | Bind.RENDER_TARGET | Bind.DISPLAY_TARGET | Bind.SCANOUT
_BLENDED_BINDS = _DRAWN_BINDS | Bind.BLENDABLE
_TEXEL_BUFFER_BINDS = BUFFER_BINDS | TEXEL_BINDS
UNSUPPORTED_BINDS = Bind.SHARED
"""Uses that no format supports, because their feature does not exist yet."""

_SCALED = frozenset({ChannelType.USCALED, ChannelType.SSCALED, ChannelType.FIXED})


def supported_binds(format: AnyFormat, target: TextureTarget, samples: int = 1) -> Bind:
    """Every use that a resource of this format, target and number of samples can have."""
    binds = _supported_binds(format, target)
    if samples <= 1:
        return binds
    if isinstance(format, CompressedFormat):
        return Bind.NONE
    return binds & MULTISAMPLED_BINDS if samples in SAMPLE_COUNTS and target in MULTISAMPLED else Bind.NONE


@cache
def _supported_binds(format: AnyFormat, target: TextureTarget) -> Bind:
    if isinstance(format, CompressedFormat):
        return Bind.NONE if target in ONE_DIMENSIONAL or target is TextureTarget.BUFFER else _COMPRESSED_BINDS
    is_scaled = any(channel.type in _SCALED for channel in format.channels)
    if target is TextureTarget.BUFFER:
        return BUFFER_BINDS if is_scaled or format.is_depth_stencil else _TEXEL_BUFFER_BINDS
    if is_scaled:
        return Bind.NONE
    if format.is_depth_stencil:
        return _DEPTH_BINDS if is_depth_target(format) else _SAMPLED_BINDS
    if not is_color_target(format):
        return _STORED_BINDS
    return _DRAWN_BINDS if format.is_integer else _BLENDED_BINDS


def is_color_target(format: Format) -> bool:
    """Return True if a format can be rendered to: devices store texels of 1, 2, 4, 8 or 16 bytes."""
    return not format.is_depth_stencil and not format.is_shared_exponent and format.block_bytes in (1, 2, 4, 8, 16)


def is_depth_target(format: Format) -> bool:
    """Return True if a format can be a depth-stencil target. Formats that only view the stencil of another format cannot."""
    return format.has_depth or format is Format.S8_UINT


def check_template(template: Any, name: str) -> Template:
    """The template of a call; names are accepted for members. TypeError and ValueError name a wrong field."""
    if not isinstance(template, Template):
        raise TypeError(f"{name}: template: expected a Template, not {type(template).__name__}")
    return make(Template, template, {}, f"{name}: template")


def check_possible(template: Template, name: str) -> None:
    """ValueError, or UnsupportedError, if no resource can have the fields of a template; the message names the field."""
    check(template, name)
    lacking = template.bind & ~supported_binds(template.format, template.target, template.nr_samples)
    if lacking & UNSUPPORTED_BINDS:
        refuse(f"{name}: bind {(lacking & UNSUPPORTED_BINDS).name}")
    if lacking:
        raise ValueError(f"{name}: bind: {template.format} {template.target.name} cannot be used as {lacking.name}")
