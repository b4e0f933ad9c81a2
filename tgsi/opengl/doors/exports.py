"""The exports of an OpenGL library: every supported command under each of its names."""

from __future__ import annotations

from functools import cache
from typing import Any

from tgsi.opengl.calls import function_for, offered
from tgsi.opengl.offer import load


@cache
def commands() -> dict[str, Any]:
    """The C functions of all commands by name."""
    load()
    return {name: function_for(name) for name in offered()}
