"""Text of a function as basic blocks: instructions, labels, branches, and the values that are available at the end of the text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from backends.llvm.builder.types import PTR, Type
from backends.llvm.builder.values import Val

_BEGUN = 4
"""Number of divisions and square roots that LLVM is kept from sinking below an unlikely branch; see `Blocks.if_`."""


class Blocks(ABC):
    """Lines of a function that is being written.

    A pure instruction with the same text as one in a dominating block reuses that value. At a label all values are forgotten, unless the
    caller of `place` guarantees that their blocks dominate the new one.
    """

    def __init__(self, stack_space: int = 0) -> None:
        """`stack_space`: LLVM's address space of the stack."""
        self.body: list[str] = []
        self.entry: list[str] = []
        self.slow: list[Val] = []  # divisions and square roots of the current block; see `if_`
        self._stack_space = stack_space
        self._serial = 0
        self._values: dict[str, Val] = {}  # available values, by the text of their instructions
        self._texts: list[str] = []  # the keys of `_values`, oldest first
        self._era = 0
        self.block = "start"  # label of the current block

    @abstractmethod
    def value(self, type: Type, name: str) -> Val:
        """Value with a given LLVM name."""

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
        """Result of an instruction without effects that depends only on its operands. The instruction is written at most once."""
        result = self._values.get(text)
        if result is None:
            result = self.emit(type, text)
            self.remember(text, result)
        return result

    def remember(self, text: str, value: Val) -> None:
        """Make a value available under a text, for `computed`."""
        self._values[text] = value
        self._texts.append(text)

    def computed(self, text: str) -> Val | None:
        """The available value of an instruction's text, or None."""
        return self._values.get(text)

    def alloca(self, type: str, align: int = 64) -> Val:
        """Pointer to stack memory of the LLVM type named `type`, allocated once per call of the function."""
        name = self.fresh()
        space = self._stack_space
        if space:  # the stack has its own address space
            self.entry.append(f"  {name}s = alloca {type}, align {align}, addrspace({space})")
            self.entry.append(f"  {name} = addrspacecast ptr addrspace({space}) {name}s to ptr")
        else:
            self.entry.append(f"  {name} = alloca {type}, align {align}")
        return self.value(PTR, name)

    # -- blocks -----------------------------------------------------------------------------------------------------
    def place(self, label: str, *, follows: bool = False) -> None:
        """Start the block `label` here. `follows`: all available values are from dominating blocks, so they stay available."""
        self.body.append(label + ":")
        self.block = label
        self.slow.clear()
        if not follows:
            self._forget()

    def _forget(self) -> None:
        self._values.clear()
        self._texts.clear()
        self._era += 1

    def mark(self) -> tuple[int, int]:
        """Save the set of available values for `restore`."""
        return self._era, len(self._texts)

    def restore(self, mark: tuple[int, int]) -> None:
        """Restore the set of values available at `mark`; the empty set if a label came in between."""
        era, count = mark
        if era != self._era:
            self._forget()
            return
        for text in self._texts[count:]:
            del self._values[text]
        del self._texts[count:]

    def branch(self, cond: Val, yes: str, no: str, *, unlikely: bool = False) -> None:
        """Jump by a scalar condition. `unlikely`: the condition is rarely true, so LLVM optimizes registers for the other branch."""
        self.line(f"br i1 {cond.name}, label %{yes}, label %{no}{', !prof !0' if unlikely else ''}")

    def jump(self, label: str) -> None:
        """Jump."""
        self.line(f"br label %{label}")

    def use(self, value: Val) -> None:
        """Add a dummy use of a value, which LLVM keeps in this block."""
        self.line(f"store volatile {value}, {self.alloca(str(value.type))}")

    @contextmanager
    def if_(self, cond: Val, *, unlikely: bool = False) -> Iterator[None]:
        """Write the body under the scalar condition `cond`.

        `unlikely`: `cond` is rarely true. The last `_BEGUN` divisions and square roots before the branch then get a dummy use in the body;
        otherwise LLVM would sink these slow instructions below the branch, and they would start late.
        """
        yes, end = self.label(), self.label()
        before = self.mark()
        self.branch(cond, yes, end, unlikely=unlikely)
        begun = self.slow[-_BEGUN:]
        self.place(yes, follows=True)
        for value in begun if unlikely else ():
            self.use(value)
        yield
        self.jump(end)
        self.restore(before)
        self.place(end, follows=True)

    @contextmanager
    def leaving(self, cond: Val) -> Iterator[None]:
        """Write the body under the scalar condition `cond`. The body ends with a return."""
        with self.if_(cond):
            yield
            self.place(self.label())

    @contextmanager
    def else_of(self, cond: Val, *, unlikely: bool = False) -> Iterator[Callable[[], None]]:
        """with f.else_of(c) as otherwise: ...then part...; otherwise(); ...else part... `unlikely`: as for `branch`."""
        yes, no, end = self.label(), self.label(), self.label()
        before = self.mark()
        self.branch(cond, yes, no, unlikely=unlikely)
        self.place(yes, follows=True)

        def otherwise() -> None:
            self.jump(end)
            self.restore(before)
            self.place(no, follows=True)

        yield otherwise
        self.jump(end)
        self.restore(before)
        self.place(end, follows=True)
