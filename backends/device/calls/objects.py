"""Rows of calls that make, bind and destroy objects."""

from __future__ import annotations

from collections.abc import Mapping

from backends.device.calls import shared as s
from backends.device.calls.arguments import Argument, integer, plain
from backends.device.calls.forms import (
    handle,
)
from backends.device.calls.row import Does, Fixed, Given, OneWord, Row
from backends.device.commands.bound_record import Hindrance, Word, shader_word
from backends.device.commands.known_objects import MIDDLE, Kind
from backends.device.commands.layout import Command
from backends.pipe import checks, limits, state
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES


def _without_streams(given: Given) -> bool:
    """True unless the shader has stream output, which changes the set of stages, too."""
    return getattr(given["shader"], "stream_output", None) is None


def _never(given: Given) -> bool:
    return False


_STATES: dict[str, tuple[str, dict[str, Argument], OneWord | None]] = {
    "blend": (s.OBJECTS, s.template_of(state.BlendState, state.RenderTargetBlend), OneWord(Word.BLEND, Kind.BLEND)),
    "rasterizer": (s.OBJECTS, s.template_of(state.RasterizerState), OneWord(Word.RASTERIZER, Kind.RASTERIZER)),
    "depth_stencil_alpha": (
        *(s.OBJECTS, s.template_of(state.DepthStencilAlphaState)),
        OneWord(Word.DEPTH_STENCIL_ALPHA, Kind.DEPTH_STENCIL_ALPHA),
    ),
    "vertex_elements": (
        *(s.OBJECTS, {"elements": Argument("a sequence of VertexElements")}),
        OneWord(Word.VERTEX_ELEMENTS, Kind.VERTEX_ELEMENTS),
    ),
    "sampler": (s.OBJECTS, s.template_of(state.SamplerState), None),
    "link": (s.EXTENSION, {"mapping": Argument("input semantic -> output semantic")}, OneWord(Word.LINK)),
}
"""Kinds of constant state (CSO): document, arguments of create_, effect of bind_."""
_STREAMED = {"stream_output": Argument("a StreamOutputInfo", default=None)}
_SIZES = {
    "req_local_mem": Argument("bytes of SHARED memory", default=None),
    "req_private_mem": Argument("bytes of PRIVATE memory", default=None),
    "req_input_mem": integer("bytes of INPUT memory", 0, limits.MAX_INPUT, default=0),
}


def _source_of(stage: Processor) -> str:
    return s.HEADER if STAGES[stage].is_mesh else s.GRIDS if stage is Processor.COMP else s.OBJECTS


_SHADER_EFFECTS: dict[Processor, OneWord] = {
    Processor.VERT: OneWord(
        shader_word(Processor.VERT), Kind.VERTEX_SHADER, chooses_stages=True, unless=int(Hindrance.STAGES), only_if=_without_streams
    ),
    **{stage: OneWord(shader_word(stage), kind, takes_none=True, chooses_stages=True, only_if=_never) for stage, kind in MIDDLE.items()},
    Processor.FRAG: OneWord(shader_word(Processor.FRAG), Kind.FRAGMENT_SHADER),
}
KNOWN_SHADERS = {Processor.VERT: Kind.VERTEX_SHADER, **MIDDLE, Processor.FRAG: Kind.FRAGMENT_SHADER}
"""Stages whose shaders have native entries."""
_BOUND = [*(kind for kind in _STATES if kind != "sampler"), *Processor]


_NOUNS = {
    "blend": "blend object",
    "rasterizer": "rasterizer object",
    "depth_stencil_alpha": "depth-stencil-alpha object",
    "vertex_elements": "vertex elements object",
    "sampler": "sampler object",
    "link": "link state",
    Processor.VERT: "vertex shader",
    Processor.FRAG: "fragment shader",
    Processor.GEOM: "geometry shader",
    Processor.TESS_CTRL: "tessellation control shader",
    Processor.TESS_EVAL: "tessellation evaluation shader",
    Processor.COMP: "compute shader",
    Processor.TASK: "task shader",
    Processor.MESH: "mesh shader",
}
"""Objects in the words of the documents."""
_OF_NONE = {
    "blend": "With None, nothing is blended and all channels are written.",
    "rasterizer": "None binds the defaults.",
    "depth_stencil_alpha": "With None, nothing is tested, and depth and stencil are not written.",
    "vertex_elements": "With None, shader inputs read 0, 0, 0, 1.",
    "link": "None binds the identity.",
    Processor.VERT: "With None, draws are refused.",
    Processor.FRAG: "With None, only depth and stencil are written.",
    Processor.GEOM: "With None, primitives go unchanged to the rasterizer.",
    Processor.TESS_CTRL: "With None, patches stay unchanged and have the levels of `set_tess_state`.",
    Processor.TESS_EVAL: "Draws then need PATCHES. None turns tessellation off.",
    Processor.COMP: "With None, grids are refused.",
    Processor.TASK: "With None, the grid of `draw_mesh_tasks` is that of the mesh shader.",
    Processor.MESH: "Then `draw_mesh_tasks` draws, and `draw_vbo` is refused. With None, it is reversed.",
}
"""Effects of binding None."""
_CREATE_VS = """Create a vertex shader from a program, a text of TGSI or GLSL, or a SPIR-V module.

Raises:
    ParseError, ValidationError: the text has errors, or breaks a rule; every finding is in the exception.
    UnsupportedError: GLSL needs the extra ``tgsi[glsl]``, or TGSI has no words for the shader.
    ValueError: the program is of another stage, or `stream_output` is wrong; the message names the field."""


def _creations() -> list[Row]:
    rows = [Row(f"create_{kind}_state", Does.CREATE, source, positional) for kind, (source, positional, _) in _STATES.items()]
    for stage in Processor:
        streams_out = STAGES[stage].feeds_rasterizer and not STAGES[stage].is_mesh
        keywords: Mapping[str, Argument] = _SIZES if stage is Processor.COMP else _STREAMED if streams_out else {}
        name, reason = f"create_{STAGES[stage].call}_state", s.PROGRAM_REASON
        errors = "arguments and errors" if streams_out else "errors"
        text = f"Create a {_NOUNS[stage]} from a program or its text; {errors} as `create_vs_state`."
        text = _CREATE_VS if stage is Processor.VERT else text
        rows.append(Row(name, Does.CREATE, _source_of(stage), {"program": s.PROGRAM}, keywords, why=reason, text=text))
    return rows


def _binds() -> list[Row]:
    rows = []
    for number, kind in enumerate(_BOUND):
        name, argument = ("handle", s.OBJECT) if isinstance(kind, str) else ("shader", s.SHADER)
        called, source = (kind, _STATES[kind][0]) if isinstance(kind, str) else (STAGES[kind].call, _source_of(kind))
        effect = _STATES[kind][2] if isinstance(kind, str) else _SHADER_EFFECTS.get(kind)
        fixed = (Fixed(Command.BIND, (handle(name, "handle"),), number=number),)
        rows.append(
            Row(
                f"bind_{called}_state",
                Does.SET,
                source,
                {name: argument},
                fixed=fixed,
                effect=effect,
                text=f"Bind a {_NOUNS[kind]}. {_OF_NONE[kind]}",
            )
        )
    return rows


def _ends() -> list[Row]:
    rows = []
    for kind in (*_STATES, *Processor):
        name, argument = ("handle", s.OBJECT) if isinstance(kind, str) else ("shader", s.SHADER)
        called, source = (kind, _STATES[kind][0]) if isinstance(kind, str) else (STAGES[kind].call, _source_of(kind))
        text = f"Destroy a {_NOUNS[kind]}{'' if isinstance(kind, str) else '; pending draws keep it'}."
        rows.append(Row(f"destroy_{called}_state", Does.DESTROY, source, {name: argument}, text=text))
    return rows


_VIEW_FIELDS: dict[str, Argument] = {
    "format": s.FORMAT,
    "target": s.TARGET,
    "swizzle": Argument("four of xyzw01", default="xyzw"),
    **{f"swizzle_{channel}": Argument("source of this channel, as in `swizzle`", default=None) for channel in "rgba"},
    "first_level": s.LEVEL,
    "last_level": s.LAST_LEVEL,
    "first_layer": s.LAYER,
    "last_layer": s.LAST_LAYER,
    "offset": s.OFFSET,
    "size": s.SIZE,
    "first_element": Argument("first texel of a buffer, instead of `offset`", default=None),
    "last_element": Argument("last texel of a buffer, instead of `size`", default=None),
}
_SURFACE_FIELDS: dict[str, Argument] = {
    "format": s.FORMAT,
    "level": s.LEVEL,
    "first_layer": s.LAYER,
    "last_layer": s.LAST_LAYER,
    "nr_samples": integer("samples", 0, limits.MAX_TARGET_SAMPLES, default=0),
    "writable": plain("a hint", checks.truth, default=True),
}
_TARGET = {"buffer_offset": s.OFFSET, "buffer_size": s.SIZE}
ROWS = [
    *(*_creations(), *_binds(), *_ends()),
    Row("create_sampler_view", Does.CREATE, s.VIEWS, {"texture": s.TEXTURE}, _VIEW_FIELDS, why=s.TRANSFER),
    Row("create_surface", Does.CREATE, s.SURFACES, {"texture": s.TEXTURE}, _SURFACE_FIELDS, why=s.TRANSFER),
    Row("create_stream_output_target", Does.CREATE, s.STREAMS, {"buffer": s.BUFFER}, _TARGET, why=s.TRANSFER),
    Row(
        "create_query",
        Does.CREATE,
        s.QUERIES,
        {"kind": Argument("a QueryType")},
        {"index": integer("stream", 0, 3, default=0)},
        why=s.QUERY_REASON,
    ),
    Row("sampler_view_destroy", Does.DESTROY, s.VIEWS, {"view": Argument("a SamplerView")}),
    Row("surface_destroy", Does.DESTROY, s.SURFACES, {"target": Argument("a Surface")}),
    Row("stream_output_target_destroy", Does.DESTROY, s.STREAMS, {"target": Argument("a StreamOutputTarget")}),
    Row("destroy_query", Does.DESTROY, s.QUERIES, {"query": s.QUERY}, why=s.QUERY_REASON),
]
