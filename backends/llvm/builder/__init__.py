"""The staged builder: running Python writes LLVM IR as text, several times faster than llvmlite.ir builds it from objects.

From the bottom: `types`, `values`, `module`, `blocks` (lines, labels, branches), `operations`, `rounding` and `scalarize` (for machines
without such instructions), `function`. Above them are helpers for kernels: `record`, `masks`, `lanes`, `scratch`, `environment`.

A `Val` is a scalar or vector at the run time of the kernel. Python's `if` chooses which code is generated; `f.if_` and `f.loop` generate
control flow. A `Val` has no truth value, so the two cannot be confused. The builder never moves code: emit a load where it should execute.

May import `backends.llvm.targets` and `backends.abi`; neither graphics, TGSI nor llvmlite. Read next: `function`, then `values`.
"""
