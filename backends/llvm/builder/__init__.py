"""The staged builder: running Python writes LLVM IR as text.

From the bottom: `types`, `values` (a value that will exist when the kernel runs), `module`, `blocks` (lines, labels, branches),
`operations`, `rounding` and `scalarize` (for machines without such instructions), `function`. Above them are helpers for kernels:
`record`, `masks`, `lanes`, `scratch`, `environment`.

May import `backends.llvm.targets` and `backends.abi`; knows neither graphics nor TGSI, and not llvmlite. It runs once a kernel.
Read next: `function`, then `values`.
"""
