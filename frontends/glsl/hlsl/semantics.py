"""System values that glslang loses: on `inout` parameters they become a location instead of a built-in variable."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping

from frontends.glsl.hlsl.modules import assemble, instructions, string
from tgsi.language.facts.enums import Processor

_NAME, _VARIABLE, _DECORATE, _DECORATE_STRING = 5, 59, 71, 5632
_BUILT_IN, _LOCATION, _USER_SEMANTIC = 11, 30, 5635
_INPUT, _OUTPUT = 1, 3
_BEFORE_RASTERIZER = {"SV_POSITION": 0, "SV_RENDERTARGETARRAYINDEX": 9, "SV_VIEWPORTARRAYINDEX": 10}
"""Built-in variables of outputs of the stages before the rasterizer."""
_FRAGMENT_INPUTS = {
    "SV_POSITION": 15, "SV_ISFRONTFACE": 17, "SV_PRIMITIVEID": 7, "SV_SAMPLEINDEX": 18,
    "SV_RENDERTARGETARRAYINDEX": 9, "SV_VIEWPORTARRAYINDEX": 10,
}  # fmt: skip
_DEPTHS = dict.fromkeys(("SV_DEPTH", "SV_DEPTHLESSEQUAL", "SV_DEPTHGREATEREQUAL"), 22)
_ARRAYS = frozenset({"SV_CLIPDISTANCE", "SV_CULLDISTANCE", "SV_COVERAGE", "SV_STENCILREF", "SV_TESSFACTOR", "SV_INSIDETESSFACTOR"})
"""Values whose variable has another type than the parameter, or needs more than a decoration."""
_VERTEX_STAGES = (Processor.VERT, Processor.GEOM, Processor.TESS_EVAL)


def mend_semantics(module: bytes, stage: Processor) -> tuple[bytes, list[str]]:
    """A module with the parameters' HLSL semantics, and errors in glslang's form."""
    words = struct.unpack(f"<{len(module) // 4}I", module)
    items = instructions(words)
    storage = {item[2]: item[3] for item in items if item[0] == _VARIABLE and item[3] in (_INPUT, _OUTPUT)}
    known = {item[1] for item in items if item[0] == _DECORATE and item[2] == _BUILT_IN}
    names = {item[1]: string(item[2:]) for item in items if item[0] == _NAME}
    semantics = {item[1]: string(item[3:]).upper() for item in items if item[0] == _DECORATE_STRING and item[2] == _USER_SEMANTIC}
    changed: dict[int, tuple[int, int]] = {}
    errors = []
    for variable, semantic in semantics.items():
        if variable not in storage or variable in known:
            continue
        decoration = _decoration(semantic, stage, storage[variable])
        if isinstance(decoration, str):
            errors.append(f"ERROR: '{names.get(variable, semantic)}' : {decoration}")
        elif decoration is not None:
            changed[variable] = decoration
    if not changed:
        return module, errors
    for place, item in enumerate(items):
        if item[0] == _DECORATE and item[2] == _LOCATION and item[1] in changed:
            items[place] = [_DECORATE, item[1], *changed[item[1]]]
    return assemble(words, items, words[3]), errors


def _decoration(semantic: str, stage: Processor, storage: int) -> tuple[int, int] | str | None:
    """The decoration of a variable that glslang gave a location: None if that is right, words if it cannot be mended."""
    base, index = re.fullmatch(r"(.*?)([0-9]*)", semantic, re.DOTALL).groups()  # type: ignore[union-attr]
    if not base.startswith("SV_"):
        return None
    is_fragment, is_input = stage is Processor.FRAG, storage == _INPUT
    if is_fragment and not is_input and base == "SV_TARGET":
        return _LOCATION, int(index or 0)
    if is_fragment:
        table: Mapping[str, int] = _FRAGMENT_INPUTS if is_input else _DEPTHS
    elif is_input or stage not in _VERTEX_STAGES:
        return None  # a vertex shader's inputs have locations, whatever they are called
    else:
        table = _BEFORE_RASTERIZER
    if base in table:
        return _BUILT_IN, table[base]
    if is_fragment and (not is_input or base in _DEPTHS or base == "SV_TARGET"):
        return f"a fragment shader has no {'input' if is_input else 'output'} {semantic}; write `in` or `out`, not `inout`"
    if base in _ARRAYS:
        return f"glslang drops the meaning of {semantic} here; write an `in` and an `out` in place of `inout`"
    return None
