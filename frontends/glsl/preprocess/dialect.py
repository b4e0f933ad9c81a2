"""Facts of a version of a language that the preprocessor needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tgsi.language.record import record


@record(kw_only=True)
class Dialect:
    """A version of GLSL, or HLSL.

    Args:
        macros: the macros that it defines, name -> text.
        is_es: it belongs to OpenGL ES: names that are not macros have no value in conditions.
        is_hlsl: it is HLSL, whose texts have strings, and define any name.
    """

    macros: Mapping[str, str] = field(default_factory=dict)
    is_es: bool = False
    is_hlsl: bool = False
