"""Stack memory that the instructions of a program share."""

from __future__ import annotations

from backends.llvm.builder.function import Function, Val


class Scratch:
    """Vectors of 32-bit words on the stack, shared because otherwise each instruction with such memory would enlarge the stack."""

    def __init__(self, f: Function, lanes: int) -> None:
        self._f, self._lanes = f, lanes
        self._places: list[Val] = []
        self._taken = 0

    def take(self) -> Val:
        """Pointer to memory for a vector, with undefined contents, reserved until `release`."""
        if self._taken == len(self._places):
            self._places.append(self._f.alloca(f"[{self._lanes} x i32]"))
        self._taken += 1
        return self._places[self._taken - 1]

    def release(self) -> None:
        """Release all memory from `take`."""
        self._taken = 0
