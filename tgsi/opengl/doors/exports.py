"""The functions of a library of OpenGL: every command that is offered, by each of its names."""

from __future__ import annotations

from functools import cache
from typing import Any

from tgsi.opengl.calls import function_for, offered
from tgsi.opengl.offer import load


@cache
def commands() -> dict[str, Any]:
    """The C function of each name that is offered."""
    load()
    return {name: function_for(name) for name in offered()}
