"""Lane masks as variables, which live across basic blocks."""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, I32, Function, Val
from backends.llvm.builder.values import mask_of, words_of


class MaskVar:
    """A mutable lane mask, held in the form that crosses blocks cheaply: i1 lanes with AVX-512, otherwise i32 lanes of all ones or 0."""

    def __init__(self, f: Function, lanes: int) -> None:
        self.f = f
        self._narrow = f.module.has("avx512f")
        self._var = f.var((BOOL if self._narrow else I32).wide(lanes), 0)

    def get(self) -> Val:
        """The current mask, as i1 lanes."""
        value = self._var.get()
        return value if self._narrow else mask_of(value)

    def set(self, mask: Val | bool) -> None:
        """Assign i1 lanes, or the same truth to all."""
        if isinstance(mask, bool):
            self._var.set((1 if self._narrow else -1) if mask else 0)
        else:
            self._var.set(mask if self._narrow else words_of(mask))

    def remove(self, mask: Val | None) -> None:
        """Clear lanes (None: all)."""
        if mask is None:
            self.set(False)
        else:
            self.set(self.get() & ~mask)

    def add(self, mask: Val | None) -> None:
        """Set lanes (None: all)."""
        if mask is None:
            self.set(True)
        else:
            self.set(self.get() | mask)
