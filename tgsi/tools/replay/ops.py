"""Table of the calls in a scene and the fields of each call (docs/scenes.md, "The file").

State is sticky: a field with the default KEEP changes the state only if the call gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from types import MappingProxyType
from typing import Any

from backends.pipe.checks import hints_of
from backends.pipe.enums import (
    BlendFactor,
    BlendFunc,
    CompareFunc,
    LogicOp,
    Prim,
    QueryType,
    RenderCond,
    ShaderType,
    StencilOp,
    TexFilter,
    TexMipFilter,
    TextureTarget,
    TexWrap,
)
from backends.pipe.limits import (
    MAX_COLOR_BUFFERS,
    MAX_LAYERS,
    MAX_SHADER_BUFFERS,
    MAX_SHADER_IMAGES,
    MAX_STREAM_STRIDE,
    MAX_TEXTURE_SIZE,
    MAX_VIEWPORTS,
)
from backends.pipe.ranges import RANGES
from backends.pipe.state import DrawInfo, RasterizerState, VertexBuffer, VertexElement
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES as STAGE_FACTS
from tgsi.language.record import record
from tgsi.tools.replay.fields import (
    Check,
    SceneError,
    binary,
    boolean,
    enumeration,
    floats,
    integer,
    list_of,
    members,
    number,
    optional,
    pixel_format,
    string,
    words,
    wrong,
)


class _Mark(Enum):
    REQUIRED = "required"
    KEEP = "keep"


REQUIRED, KEEP = _Mark.REQUIRED, _Mark.KEEP


U32 = integer(0, 0xFFFFFFFF)
U8 = integer(0, 255)
COUNT = integer(0, 1 << 31)
WORD = integer(-(1 << 31), 0xFFFFFFFF)

STAGES: Mapping[str, ShaderType] = MappingProxyType({processor.name: ShaderType(processor) for processor in Processor})
"""Shader types by the word with which their text begins."""

TARGETS: Mapping[str, TextureTarget] = MappingProxyType(
    {t.name.removeprefix("TEXTURE_"): t for t in TextureTarget} | {t.name: t for t in TextureTarget}
)

SWIZZLES = "xyzw01"


def stage(value: object, place: str) -> ShaderType:
    """Check for a shader stage: the word with which its text begins."""
    name = string(value, place)
    if name not in STAGES:
        raise wrong(place, "one of " + ", ".join(STAGES), value)
    return STAGES[name]


def target(value: object, place: str) -> TextureTarget:
    """Check for a texture target: 2D, CUBE_ARRAY and so on."""
    name = string(value, place)
    if name not in TARGETS:
        raise wrong(place, "one of " + ", ".join(t.name.removeprefix("TEXTURE_") for t in TextureTarget), value)
    return TARGETS[name]


def swizzle(value: object, place: str) -> tuple[int, ...]:
    """Check for a swizzle: four of x y z w 0 1; returns Gallium's numbers."""
    text = string(value, place)
    if len(text) != 4 or any(c not in SWIZZLES for c in text):
        raise wrong(place, "four of x y z w 0 1", value)
    return tuple(SWIZZLES.index(c) for c in text)


@record
class Field:
    """Field of a call: its check, and its value if the call omits the field."""

    check: Check
    default: object = REQUIRED


@record
class Command:
    """Call of a scene. `index` counts from 0; `values` holds the checked fields, without omitted fields whose default is KEEP.

    `ignored` names fields that this op does not have, because newer programs may write more fields than this reader knows.
    """

    op: str
    index: int
    values: Mapping[str, Any]
    ignored: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Name of the call in messages."""
        return f"command {self.index} ({self.op})"


def _keep(**checks: Check) -> dict[str, Field]:
    return {name: Field(check, KEEP) for name, check in checks.items()}


def _all(**checks: Check) -> dict[str, Field]:
    return {name: Field(check) for name, check in checks.items()}


def _rasterizer_fields() -> dict[str, Field]:
    """Field of the op for every field of RasterizerState, with a check for its type."""
    kinds = hints_of(RasterizerState)
    plain: dict[object, Check] = {bool: boolean, int: U32, float: number}
    return _keep(**{f.name: plain.get(kinds[f.name]) or enumeration(kinds[f.name]) for f in fields(RasterizerState)})


_BUFFER_NAMES = ("color", "depth", "stencil")


def _buffers(value: object, place: str) -> tuple[str, ...]:
    names: tuple[str, ...] = list_of(string, 0, 16)(value, place)
    for name in names:
        if name not in _BUFFER_NAMES and not (name.startswith("color") and name[5:].isdigit() and int(name[5:]) < MAX_COLOR_BUFFERS):
            raise wrong(place, "color, color0 to color7, depth or stencil", name)
    return names


_SHADER = _all(text=string)
_QUERY_ID = integer(0, 1 << 20)
_SLOT = integer(0, 127)
_VIEWPORT, _TARGET = integer(0, MAX_VIEWPORTS - 1), integer(0, MAX_COLOR_BUFFERS - 1)
_LEVEL = integer(0, 15)
_LAYER = integer(0, MAX_LAYERS)
_SIZE = integer(1, MAX_TEXTURE_SIZE)

_STREAM_OUTPUT = members(
    register_index=integer(0, 255),
    start_component=integer(0, 3),
    num_components=integer(1, 4),
    output_buffer=integer(0, 3),
    dst_offset=integer(0, MAX_STREAM_STRIDE),
    stream=integer(0, 3),
)

OPS: Mapping[str, Mapping[str, Field]] = MappingProxyType(
    {
        "clear": {
            **_all(buffers=_buffers),
            "color": Field(optional(floats(4)), None),
            "color_raw": Field(optional(list_of(WORD, 4, 4)), None),
            "depth": Field(optional(number), 1.0),
            "stencil": Field(optional(U8), 0),
        },
        "clear_render_target": {**_all(cbuf=_TARGET, color=floats(4), x=COUNT, y=COUNT, w=COUNT, h=COUNT)},
        **{row.call: _SHADER for row in STAGE_FACTS.values() if row.is_drawn},
        "tess_state": _all(outer=floats(4), inner=floats(2)),
        "cs": {**_SHADER, "req_local_mem": Field(COUNT, 0)},
        "vertex_element": {
            **_all(src_offset=integer(*RANGES[VertexElement]["src_offset"]), format=pixel_format),
            "vertex_buffer_index": Field(integer(*RANGES[VertexElement]["vertex_buffer_index"]), 0),
            "instance_divisor": Field(U32, 0),
        },
        "vertex_buffer": {**_all(stride=integer(*RANGES[VertexBuffer]["stride"]), data=binary), "offset": Field(COUNT, 0)},
        "index_buffer": _all(index_size=integer(1, 4), data=binary),
        "constant_buffer": _all(stage=stage, slot=integer(0, 31), data=binary),
        "texture": {
            **_all(id=integer(0, 1 << 16), target=target, format=pixel_format, width=_SIZE),
            "height": Field(_SIZE, 1),
            "depth": Field(_SIZE, 1),
            "array_size": Field(integer(1, MAX_LAYERS), 1),
            "last_level": Field(_LEVEL, 0),
            **_all(data=list_of(list_of(binary), 0, 16)),
        },
        "sampler_view": {
            **_all(stage=stage, slot=_SLOT, texture=integer(0, 1 << 16)),
            "format": Field(optional(pixel_format), None),
            "target": Field(optional(target), None),
            "swizzle": Field(swizzle, (0, 1, 2, 3)),
            "first_level": Field(_LEVEL, 0),
            "last_level": Field(optional(_LEVEL), None),
            "first_layer": Field(_LAYER, 0),
            "last_layer": Field(optional(_LAYER), None),
        },
        "sampler": {
            **_all(stage=stage, slot=_SLOT),
            **_keep(
                wrap_s=enumeration(TexWrap),
                wrap_t=enumeration(TexWrap),
                wrap_r=enumeration(TexWrap),
                min_img_filter=enumeration(TexFilter),
                min_mip_filter=enumeration(TexMipFilter),
                mag_img_filter=enumeration(TexFilter),
                compare_mode=boolean,
                compare_func=enumeration(CompareFunc),
                normalized_coords=boolean,
                max_anisotropy=integer(0, 64),
                seamless_cube_map=boolean,
                lod_bias=number,
                min_lod=number,
                max_lod=number,
                border_color=floats(4),
                lod_by_length=boolean,
            ),
        },
        "rasterizer": _rasterizer_fields(),
        "blend_rt": {
            **_all(rt=_TARGET),
            **_keep(
                blend_enable=boolean,
                rgb_func=enumeration(BlendFunc),
                rgb_src=enumeration(BlendFactor),
                rgb_dst=enumeration(BlendFactor),
                alpha_func=enumeration(BlendFunc),
                alpha_src=enumeration(BlendFactor),
                alpha_dst=enumeration(BlendFactor),
                colormask=integer(0, 15),
            ),
        },
        "blend_global": _all(key=string, value=U32),
        "depth": _keep(
            enabled=boolean,
            writemask=boolean,
            func=enumeration(CompareFunc),
            bounds_test=boolean,
            bounds_min=number,
            bounds_max=number,
        ),
        "stencil": {
            **_all(face=integer(0, 1)),
            **_keep(
                enabled=boolean,
                func=enumeration(CompareFunc),
                fail_op=enumeration(StencilOp),
                zpass_op=enumeration(StencilOp),
                zfail_op=enumeration(StencilOp),
                valuemask=U8,
                writemask=U8,
            ),
        },
        "alpha": _keep(enabled=boolean, func=enumeration(CompareFunc), ref=number),
        "stencil_ref": _all(ref=list_of(U8, 2, 2)),
        "blend_color": _all(color=floats(4)),
        "scissor": {"index": Field(_VIEWPORT, 0), **_all(minx=U32, miny=U32, maxx=U32, maxy=U32)},
        "polygon_stipple": _all(stipple=words(32)),
        "clip_planes": _all(planes=list_of(floats(4), 0, 8)),
        "viewport": {"index": Field(_VIEWPORT, 0), **_all(scale=floats(3), translate=floats(3))},
        "primitive_restart": {**_all(enabled=boolean), "index": Field(U32, 0xFFFFFFFF)},
        "instances": {"start_instance": Field(U32, 0), **_all(instance_count=U32)},
        "index_bias": _all(bias=WORD),
        "stream_output": _all(
            outputs=list_of(_STREAM_OUTPUT, 0, 64),
            stride_dwords=list_of(integer(0, MAX_STREAM_STRIDE), 1, 4),
            target_bytes=list_of(integer(0, 1 << 26), 0, 4),
        ),
        "shader_buffer": _all(stage=stage, slot=integer(0, MAX_SHADER_BUFFERS - 1), data=binary),
        "shader_image": {
            **_all(stage=stage, slot=integer(0, MAX_SHADER_IMAGES - 1), target=target, format=pixel_format, width=_SIZE),
            "height": Field(_SIZE, 1),
            "depth": Field(_SIZE, 1),
            "layers": Field(integer(1, MAX_LAYERS), 1),
            **_all(data=list_of(binary)),
        },
        "begin_query": {**_all(type=enumeration(QueryType), id=_QUERY_ID), "index": Field(integer(0, 3), 0)},
        "end_query": _all(id=_QUERY_ID),
        "render_condition": {
            **_all(query=_QUERY_ID, condition=boolean),
            "mode": Field(enumeration(RenderCond), RenderCond.WAIT),
        },
        "render_condition_off": {},
        "draw": {
            **_all(mode=enumeration(Prim), count=COUNT),
            "start": Field(COUNT, 0),
            "indexed": Field(boolean, False),
            "vertices_per_patch": Field(integer(*RANGES[DrawInfo]["vertices_per_patch"]), 0),
        },
        "draw_mesh_tasks": _all(grid=list_of(COUNT, 3, 3)),
        "launch_grid": _all(block=list_of(COUNT, 3, 3), grid=list_of(COUNT, 3, 3)),
        "flush": {},
    }
)
"""Fields of every op, by name."""

BLEND_GLOBALS: Mapping[str, tuple[str, Check]] = MappingProxyType(
    {
        "independent": ("independent_blend_enable", boolean),
        "logicop_enable": ("logicop_enable", boolean),
        "logicop_func": ("logicop_func", enumeration(LogicOp)),
        "dither": ("dither", boolean),
        "alpha_to_coverage": ("alpha_to_coverage", boolean),
        "alpha_to_one": ("alpha_to_one", boolean),
    }
)
"""Field of BlendState and its check, for each key of blend_global."""

ONLY_FIELD: Mapping[str, str] = MappingProxyType({"polygon_stipple": "stipple"})
"""Ops whose only field may have any name: the stipple is 32 hexadecimal words under any key."""

PASSED_OVER = frozenset({"op", "note"})


def read_command(value: object, index: int) -> Command:
    """Check one entry of `commands`. Raises SceneError with the command and the field."""
    place = f"command {index}"
    if not isinstance(value, dict):
        raise wrong(place, "an object", value)
    if "op" not in value:
        raise SceneError(f"{place}: the field 'op' is missing")
    op = string(value["op"], f"{place}, op")
    if op not in OPS:
        raise SceneError(f"{place}: {op[:40]!r} is not a known op")
    place = f"{place} ({op})"
    table = OPS[op]
    entries = {name: v for name, v in value.items() if name not in PASSED_OVER}
    if op in ONLY_FIELD and len(entries) == 1:
        entries = dict(zip([ONLY_FIELD[op]], entries.values()))
    values = {}
    for name, field in table.items():
        if name in entries:
            values[name] = field.check(entries[name], f"{place}, {name}")
        elif field.default is REQUIRED:
            raise SceneError(f"{place}: the field {name!r} is missing")
        elif field.default is not KEEP:
            values[name] = field.default
    return Command(op, index, values, tuple(name for name in entries if name not in table))
