"""The text of a function as basic blocks: instructions, labels, branches; and what has been computed where the text stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from backends.llvm.builder.types import PTR, Type
from backends.llvm.builder.values import Val

_BEGUN = 4
"""How many divisions and square roots a branch that is hardly ever taken keeps in front of itself."""


class Blocks(ABC):
    """Lines of a function being written.

    A pure instruction whose text was written before, in a block that is always passed on the way here, gives the value of then. What
    counts is forgotten at every label, unless the caller of `place` knows that the block in front of it dominates.
    """

    def __init__(self, stack_space: int = 0) -> None:
        """`stack_space`: LLVM's address space of the stack."""
        self.body: list[str] = []
        self.entry: list[str] = []
        self.slow: list[Val] = []  # divisions and square roots of the current block; see `if_`
        self._stack_space = stack_space
        self._serial = 0
        self._values: dict[str, Val] = {}  # by the text that computes them
        self._texts: list[str] = []  # the keys of `_values` in order
        self._era = 0

    @abstractmethod
    def value(self, type: Type, name: str) -> Val:
        """A value by LLVM's name."""

    # -- lines ------------------------------------------------------------------------------------------------------
    def fresh(self) -> str:
        """A new value name."""
        self._serial += 1
        return f"%v{self._serial}"

    def label(self) -> str:
        """A new block label."""
        self._serial += 1
        return f"b{self._serial}"

    def line(self, text: str) -> None:
        """Write an instruction that has no result."""
        self.body.append("  " + text)

    def emit(self, type: Type, text: str) -> Val:
        """Write an instruction and name its result."""
        self._serial += 1
        name = f"%v{self._serial}"
        self.body.append(f"  {name} = {text}")
        return self.value(type, name)

    def pure(self, type: Type, text: str) -> Val:
        """The result of an instruction that has no effect and depends on its operands only: written unless it has been."""
        found = self._values.get(text)
        if found is None:
            found = self._values[text] = self.emit(type, text)
            self._texts.append(text)
        return found

    def computed(self, text: str) -> Val | None:
        """What `pure` would find."""
        return self._values.get(text)

    def alloca(self, type: str, align: int = 64) -> Val:
        """Stack memory of the LLVM type named `type`, once a call."""
        name = self.fresh()
        space = self._stack_space
        if space:  # a stack apart from other memory
            self.entry.append(f"  {name}s = alloca {type}, align {align}, addrspace({space})")
            self.entry.append(f"  {name} = addrspacecast ptr addrspace({space}) {name}s to ptr")
        else:
            self.entry.append(f"  {name} = alloca {type}, align {align}")
        return self.value(PTR, name)

    # -- blocks -----------------------------------------------------------------------------------------------------
    def place(self, label: str, *, follows: bool = False) -> None:
        """Start the block `label` here. `follows`: the block in front of it is the only one that jumps to it."""
        self.body.append(label + ":")
        self.slow.clear()
        if not follows:
            self._forget()

    def _forget(self) -> None:
        self._values.clear()
        self._texts.clear()
        self._era += 1

    def mark(self) -> tuple[int, int]:
        """What is computed now, for `restore`."""
        return self._era, len(self._texts)

    def restore(self, mark: tuple[int, int]) -> None:
        """Only what was computed at `mark` counts."""
        era, count = mark
        if era != self._era:
            self._forget()
            return
        for text in self._texts[count:]:
            del self._values[text]
        del self._texts[count:]

    def branch(self, cond: Val, yes: str, no: str, *, unlikely: bool = False) -> None:
        """Jump by a scalar condition; `unlikely`: it is hardly ever true, so registers are kept for the other way."""
        self.line(f"br i1 {cond.name}, label %{yes}, label %{no}{', !prof !0' if unlikely else ''}")

    def jump(self, label: str) -> None:
        """Jump."""
        self.line(f"br label %{label}")

    @contextmanager
    def if_(self, cond: Val, *, unlikely: bool = False) -> Iterator[None]:
        """The body runs where the scalar `cond` is true.

        `unlikely`: it hardly ever is. Then what takes long in front of it also begins in front of it: without a use in the body, LLVM
        would move it behind the whole.
        """
        yes, end = self.label(), self.label()
        before = self.mark()
        self.branch(cond, yes, end, unlikely=unlikely)
        begun = self.slow[-_BEGUN:]
        self.place(yes, follows=True)
        for value in begun if unlikely else ():
            self.line(f"store volatile {value}, {self.alloca(str(value.type))}")
        yield
        self.jump(end)
        self.restore(before)
        self.place(end, follows=True)

    @contextmanager
    def else_of(self, cond: Val) -> Iterator[Callable[[], None]]:
        """with f.else_of(c) as otherwise: ...then part...; otherwise(); ...else part..."""
        yes, no, end = self.label(), self.label(), self.label()
        before = self.mark()
        self.branch(cond, yes, no)
        self.place(yes, follows=True)

        def otherwise() -> None:
            self.jump(end)
            self.restore(before)
            self.place(no, follows=True)

        yield otherwise
        self.jump(end)
        self.restore(before)
        self.place(end, follows=True)
