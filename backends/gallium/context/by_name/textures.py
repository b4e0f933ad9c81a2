"""Units of textures and samplers by the names of samplers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backends.formats import Format
from backends.gallium.context.handles import StateObject
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import SamplerView
from backends.pipe.state import SamplerState
from tgsi.language.interface import Unit, nearest
from tgsi.language.program import Program
from tgsi.language.record import record


@record
class TextureUnit:
    """A unit of a stage with its texture, and the sampler that the caller gave, or the fields of one."""

    stage: int
    unit: int
    texture: Resource | SamplerView
    sampler: StateObject[SamplerState] | Mapping[str, Any]


def texture_units(programs: Mapping[int, Program], values: Any) -> list[TextureUnit]:
    """The units that `Context.set_textures` binds, with its errors."""
    call = "set_textures"
    if not isinstance(values, Mapping):
        raise TypeError(f"{call}: textures: expected a mapping of names to textures, not {type(values).__name__}")
    if not programs:
        raise ValueError(f"{call}: no shader is bound; bind the shaders first")
    named = {stage: program.interface.samplers for stage, program in programs.items() if program.interface is not None}
    if not named:
        raise ValueError(f"{call}: the bound shaders are TGSI, which has no names; use set_sampler_views")
    known = {name: unit for samplers in named.values() for name, unit in samplers.items()}
    for name in values:
        if name not in known:
            raise ValueError(f"{call}: {name!r} is not a sampler that a bound shader uses{nearest(str(name), known)}")
    return [
        TextureUnit(stage, unit, texture, sampler)
        for stage, samplers in named.items()
        for name, value in values.items()
        if name in samplers
        for unit, texture, sampler in _units(samplers[name], value, f"{call}: {name}")
    ]


def _units(port: Unit, value: Any, argument: str) -> Iterator[tuple[int, Resource | SamplerView, Any]]:
    """Unit, texture and sampler of each element of a sampler, most of which have one."""
    if port.size == 1:
        items = [value]
    elif isinstance(value, Sequence) and not isinstance(value, str) and len(value) <= port.size:
        items = list(value)
    else:
        raise TypeError(f"{argument}: expected a sequence of up to {port.size} textures")
    for at, item in enumerate(items):
        texture, sampler = item if isinstance(item, tuple) and len(item) == 2 else (item, None)
        if not isinstance(texture, Resource | SamplerView):
            raise TypeError(
                f"{argument}: expected a texture or a sampler view, alone or in a pair with a sampler, not {type(item).__name__}"
            )
        yield port.binding + at, texture, _usual(port, texture) if sampler is None else sampler


def _usual(port: Unit, texture: Resource | SamplerView) -> dict[str, Any]:
    """The default sampler of a texture: linear filters if the format has them, comparison for shadows."""
    if isinstance(texture.format, Format) and texture.format.is_integer:
        return {}
    fields: dict[str, Any] = {"min_img_filter": "LINEAR", "mag_img_filter": "LINEAR", "seamless_cube_map": True}
    last = texture.last_level if isinstance(texture, SamplerView) else len(texture.levels) - 1
    if last > 0:
        fields["min_mip_filter"] = "LINEAR"
    if port.type.endswith("Shadow"):
        fields |= {"compare_mode": "R_TO_TEXTURE", "compare_func": "LEQUAL"}
        fields |= {f"wrap_{axis}": "CLAMP_TO_EDGE" for axis in "str"}
    return fields
