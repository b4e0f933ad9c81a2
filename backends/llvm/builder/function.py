"""A staged builder: running Python writes LLVM IR as text.

A `Val` is a value at the run time of the kernel: a scalar (lanes == 1) or a vector. A Python `if` chooses the code that is generated;
`f.if_`, `f.loop` and `f.range` generate control flow. The builder does not depend on graphics. Its text has no fast-math flag, nsw, nuw,
exact, inbounds, undef or poison (ARCHITECTURE.md, determinism).
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder import scalarize
from backends.llvm.builder.module import Module, returned
from backends.llvm.builder.operations import Operations
from backends.llvm.builder.rounding import rounded
from backends.llvm.builder.types import BOOL, F32, F64, I8, I16, I32, I64, PTR, Type
from backends.llvm.builder.values import Loop, Val, Var

__all__ = ["BOOL", "F32", "F64", "I8", "I16", "I32", "I64", "PTR", "Function", "Loop", "Module", "Type", "Val", "Var"]


class Function(Operations):
    """A function under construction. Its module collects finished functions."""

    def __init__(
        self,
        module: Module,
        name: str,
        params: Sequence[Type],
        returns: Type | Sequence[Type] | None = None,
        shared: bool = False,
        internal: bool = False,
    ) -> None:
        """Start a function.

        `returns`: a type, several (see `ret_many`), or None. `shared`: other threads write to the memory of the pointer parameters, so
        these are not marked noalias. `internal`: the function is called from its own module only.
        """
        super().__init__(module)
        self.name, self.returns, self.internal = name, returns, internal
        names = [f"%a{i}" for i in range(len(params))]
        self.args = [Val(self, t, n) for t, n in zip(params, names)]
        declared = ", ".join(f"{t} {n}" if t != PTR or shared else f"ptr noalias {n}" for t, n in zip(params, names))
        self.header = f"define {'internal ' if internal else ''}{returned(returns)} @{name}({declared}) #0 {{"
        module.functions.append(self)

    def helper(self, name: str, params: Sequence[Type]) -> Function:
        """Start an internal function of the module, without a result."""
        return Function(self.module, name, params, shared=True, internal=True)

    def text(self) -> str:
        """The whole function as LLVM text."""
        return "\n".join([self.header, *self.entry, "  br label %start", "start:", *self.body, "}"])

    def floor(self, x: Val) -> Val:
        """Round down."""
        return rounded(self, x, "floor")

    def ceil(self, x: Val) -> Val:
        """Round up."""
        return rounded(self, x, "ceil")

    def truncate(self, x: Val) -> Val:
        """Round toward zero."""
        return rounded(self, x, "trunc")

    def round(self, x: Val) -> Val:
        """Round to nearest, ties to even."""
        return rounded(self, x, "roundeven")

    def gather(self, type: Type, pointer: Val, offsets: Val, mask: Val | None = None) -> Val:
        """Lane k loads an element of `type` at `pointer` + offsets[k] bytes (i32 unsigned or i64); masked-off lanes are 0.

        `mask`: i1 lanes, or a scalar for all of them.
        """
        lanes = offsets.type.lanes
        if scalarize.is_better(self, lanes, loads=True):
            return scalarize.gather(self, type, pointer, offsets, mask)
        if scalarize.takes_loads(self, lanes):
            return scalarize.load_lanes(self, type, pointer, offsets, mask)
        wide = offsets.zext(I64) if offsets.type.bits == 32 else offsets
        pointers = self.pure(PTR.wide(lanes), f"getelementptr i8, {pointer}, {wide}")
        live = self.splat(mask, lanes) if mask is not None else self.const(BOOL.wide(lanes), 1)
        t = type.wide(lanes)
        align = Val(self, I32, str(max(t.bits // 8, 1) if t.bits <= 32 else 4))
        return self.call(t, f"llvm.masked.gather.{t.suffix}.v{lanes}p0", pointers, align, live, self.const(t, 0))

    def scatter(self, value: Val, pointer: Val, offsets: Val, mask: Val) -> None:
        """Lane k of `mask` stores its element at `pointer` + offsets[k] bytes; of equal addresses the highest lane wins."""
        lanes = offsets.type.lanes
        if scalarize.is_better(self, lanes):
            scalarize.scatter(self, value, pointer, offsets, mask)
            return
        wide = offsets.zext(I64) if offsets.type.bits == 32 else offsets
        pointers = self.pure(PTR.wide(lanes), f"getelementptr i8, {pointer}, {wide}")
        align = Val(self, I32, "4")
        self.call(None, f"llvm.masked.scatter.{value.type.suffix}.v{lanes}p0", value, pointers, align, mask)
