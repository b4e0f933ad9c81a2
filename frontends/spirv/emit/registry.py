"""Emitters by the name of their instruction."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op

Emitter: TypeAlias = Callable[[State, Op], None]

EMITTERS: dict[str, Emitter] = {}
"""Emitter of each instruction, filled by the modules that define them."""


def emits(*names: str) -> Callable[[Emitter], Emitter]:
    """Register the emitter of some instructions, named without ``Op``."""

    def register(emitter: Emitter) -> Emitter:
        for name in names:
            EMITTERS[f"Op{name}"] = emitter
        return emitter

    return register
