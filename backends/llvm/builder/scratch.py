"""Stack memory that is reused by one instruction of a program after the other."""

from __future__ import annotations

from backends.llvm.builder.function import Function, Val


class Scratch:
    """Vectors of 32-bit words on the stack. Without sharing, the stack would grow with every instruction that needs such memory."""

    def __init__(self, f: Function, lanes: int) -> None:
        self._f, self._lanes = f, lanes
        self._places: list[Val] = []
        self._taken = 0

    def take(self) -> Val:
        """Pointer to memory for a vector, with undefined contents. It is the caller's until `release`."""
        if self._taken == len(self._places):
            self._places.append(self._f.alloca(f"[{self._lanes} x i32]"))
        self._taken += 1
        return self._places[self._taken - 1]

    def release(self) -> None:
        """Return all memory that was taken."""
        self._taken = 0
