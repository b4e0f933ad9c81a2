"""Dispatch of instructions by kind: arithmetic, memory, textures, and effects on the invocation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from backends.spirv import arithmetic, invocation, memory, shaped, textures, wide
from backends.spirv.state import State
from tgsi.language.ir import Instruction

Emitter = Callable[[State, Instruction], None]

_EMITTERS: Mapping[str, Emitter] = MappingProxyType(
    {**shaped.EMITTERS, **invocation.EMITTERS, **memory.EMITTERS, **textures.EMITTERS, **wide.EMITTERS}
)


def write(s: State, item: Instruction) -> None:
    """Write one instruction. Error M030 for an opcode that SPIR-V has no words for."""
    info = item.opcode
    emitter = _EMITTERS.get(info.name)
    if emitter is not None:
        emitter(s, item)
    elif info.has_no_effect:
        return
    elif not (wide.compute(s, item) if info.uses_64bit else arithmetic.compute(s, item)):
        s.fail("M030", f"SPIR-V has no words for {info.name}")
