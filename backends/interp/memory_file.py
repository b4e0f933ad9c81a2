"""The MEMORY registers of a run: words of a block, of an invocation, of the grid, and the payload of a task."""

from __future__ import annotations

import numpy as np

from backends.run.arguments import Arguments
from backends.run.result import Bits
from tgsi.language.facts.enums import File, MemoryType
from tgsi.language.program import Program

NOTHING: Bits = np.zeros(0, np.uint32)
"""The words of a resource that is not bound."""


class Memory:
    """The words of MEMORY registers."""

    def __init__(self, program: Program, arguments: Arguments) -> None:
        self._kinds: dict[int, MemoryType] = {}
        for d in program.declared(File.MEMORY):
            self._kinds |= dict.fromkeys(range(d.first, d.last + 1), MemoryType.SHARED if d.memory is None else d.memory)
        self._grid, self._payload = arguments.memory, arguments.payload
        self._own: dict[tuple[MemoryType, int], Bits] = {}  # of blocks and of invocations, all 0 until they are used
        self._size, self._group = arguments.shared_words, arguments.shape.group

    def words(self, number: int, lane: int) -> Bits:
        """The words of ``MEMORY[number]`` for a lane."""
        kind = self._kinds.get(number, MemoryType.SHARED)
        if kind in (MemoryType.GLOBAL, MemoryType.INPUT):
            return self._grid.get(kind, NOTHING)
        if kind is MemoryType.PAYLOAD:
            payload: Bits = self._payload[lane // self._group if len(self._payload) > 1 else 0]
            return payload
        key = kind, lane if kind is MemoryType.PRIVATE else lane // self._group
        if key not in self._own:
            self._own[key] = np.zeros(self._size, np.uint32)
        return self._own[key]
