"""Frequently called commands as native functions, which fall back to the Python handlers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from tgsi import native
from tgsi.opengl.objects.linked import STAGE_NUMBERS, Linked
from tgsi.opengl.objects.packing import SCALARS, SIZES, is_plain
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.registry.table import command as registered
from tgsi.opengl.state.fixed import COLOR, NORMAL, TEXTURE

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

PROGRAM, VERTEX_ARRAY, ACTIVE_TEXTURE = range(3)
"""Noted values: the current program, the bound vertex array, the active texture unit."""

MOST_PLACES = 1 << 12
"""Number of locations that native functions can write; Python writes all others."""

_LETTERS = {"f": "f", "i": "i", "ui": "I"}
_SUFFIXES = {"f": "f", "d": "d", "C": "ub"}
_VERTICES = (
    ("glVertex", 0, (2, 3, 4), "fd"),
    ("glNormal", NORMAL, (3,), "fd"),
    ("glColor", COLOR, (3, 4), "fdC"),
    ("glTexCoord", TEXTURE, (1, 2, 3, 4), "fd"),
)
"""Commands between glBegin and glEnd: name, location (0: a vertex), counts of components, letters of types."""
_FIXED_MODES = 1 << GL.QUADS | 1 << GL.QUAD_STRIP | 1 << GL.POLYGON
_PATCHES = 1 << GL.PATCHES


def _forms() -> dict[str, native.Form]:
    forms = {
        "glGetError": native.Form("error", "", "I"),
        "glUseProgram": native.Form("noted", "I", "", PROGRAM),
        "glBindVertexArray": native.Form("noted", "I", "", VERTEX_ARRAY),
        "glActiveTexture": native.Form("noted", "I", "", ACTIVE_TEXTURE),
        "glDrawArrays": native.Form("draw arrays", "Iii"),
        "glDrawArraysInstanced": native.Form("draw arrays", "Iiii"),
        "glDrawArraysInstancedBaseInstance": native.Form("draw arrays", "IiiiI"),
        "glDrawElements": native.Form("draw elements", "IiIp"),
        "glDrawElementsInstanced": native.Form("draw elements", "IiIpi", "", 1),
        "glDrawElementsBaseVertex": native.Form("draw elements", "IiIpi", "", 2),
        "glDrawElementsInstancedBaseVertex": native.Form("draw elements", "IiIpii", "", 3),
        "glDrawRangeElements": native.Form("draw elements", "IIIiIp", "", 4),
        "glDrawRangeElementsBaseVertex": native.Form("draw elements", "IIIiIpi", "", 6),
    }
    for word, letter in _LETTERS.items():
        for rows in (1, 2, 3, 4):
            kind = native.kind_of(letter, 1, rows)
            forms[f"glUniform{rows}{word}"] = native.Form("values", "i" + letter * rows, "", kind)
            forms[f"glUniform{rows}{word}v"] = native.Form("arrays", "iip", "", kind)
    for name, location, counts, letters in _VERTICES:
        for count in counts:
            for letter in letters:
                action, kind = "attribute" if location else "vertex", native.kind_of(letter, location, count)
                forms[f"{name}{count}{_SUFFIXES[letter]}"] = native.Form(action, letter * count, "", kind)
                forms[f"{name}{count}{_SUFFIXES[letter]}v"] = native.Form(action, "p", "", kind)
    for columns in (2, 3, 4):
        for rows in (2, 3, 4):
            shape = str(columns) if columns == rows else f"{columns}x{rows}"
            forms[f"glUniformMatrix{shape}fv"] = native.Form("arrays", "iiBp", "", native.kind_of("f", columns, rows))
    return forms


FORMS = _forms()
"""Forms of native functions, by the names of commands."""

_fallbacks: dict[str, Any] = {}


@cache
def _addresses(function_for: Callable[[str], Any]) -> dict[str, int]:
    for name in FORMS:
        _fallbacks[name] = function_for(name)
    places = {name: ctypes.cast(function, ctypes.c_void_p).value or 0 for name, function in _fallbacks.items()}
    return native.functions(FORMS, places)


def native_function(name: str, function_for: Callable[[str], Any]) -> Any:
    """The native function of a command as a ctypes object; None if the command or this machine has none. function_for: finds fallbacks."""
    row = registered(name)
    if name not in FORMS or row is None or not native.is_possible():
        return None
    return row.prototype()(_addresses(function_for)[name])


def uniforms_of(linked: Linked) -> native.Uniforms:
    """The places of a program's uniforms, computed once."""
    places = linked.native
    if places is None:
        stages = {STAGE_NUMBERS[stage]: data for stage, data in linked.constants.items()}
        count = min(MOST_PLACES, max(linked.locations, default=-1) + 1)
        places = linked.native = native.Uniforms(stages, [_place(linked, location) for location in range(count)])
    return places


def _place(linked: Linked, location: int) -> Any:
    uniform, element = linked.locations.get(location, (None, 0))
    if uniform is None or uniform.units or not 1 <= len(uniform.places) <= 2:
        return None
    first = uniform.places[0][1]
    letter = SCALARS.get(first.scalar, "")
    if letter not in ("f", "i", "I") or not all(is_plain(variable, letter, 1) for _, variable in uniform.places):
        return None
    follow = uniform.size - element if all(is_plain(variable, letter, 2) for _, variable in uniform.places) else 1
    offsets = [
        (STAGE_NUMBERS[stage], variable.offset + element * (variable.strides[0] if variable.strides else 0))
        for stage, variable in uniform.places
    ]
    return (letter, first.columns, first.rows), follow, SIZES[letter] * first.columns * first.rows, offsets


def note_uniforms(gl: Context, linked: Linked) -> None:
    """Let native functions write the uniforms of the current program."""
    state = gl.native
    if state is not None and gl.list is None and gl.program is not None and gl.program.linked is linked and type(linked) is Linked:
        state.put_uniforms(uniforms_of(linked))


def note_draw(gl: Context) -> None:
    """Let native functions draw, because the last draw's state is bound."""
    state, program = gl.native, gl.program
    if state is None or gl.dirty or program is None or gl.list is not None or gl.capture.is_active or gl.bound.get("streams"):
        return
    linked = program.linked
    if type(linked) is not Linked or gl.active_linked() is not linked or GL.VERTEX_SHADER not in linked.shaders or program.is_deleted:
        return
    modes = _PATCHES if GL.TESS_EVALUATION_SHADER in linked.shaders else (_PATCHES - 1) & ~(_FIXED_MODES if gl.is_core() else 0)
    restarts = gl.enabled & {GL.PRIMITIVE_RESTART, GL.PRIMITIVE_RESTART_FIXED_INDEX}
    index = gl.vertex_array.index if not restarts else None
    state.put_uniforms(uniforms_of(linked))
    noted = program.name, gl.vertex_array.name, GL.TEXTURE0 + gl.active_unit
    state.put_draws(modes, noted, index.resource if index is not None else None)
