"""Arguments and results of `tgsi.run`, for both engines; a run is a program, its inputs, and memory given as arrays.

`arguments.prepare` checks and converts all that a caller gives, once a run; `words` turns arrays into 32-bit words; `shapes` says how many
invocations there are and how they form quads, primitives, patches and blocks; `textures` lays texels out in memory;
`system_values` computes what a program may ask of its place; `result` holds outputs, killed lanes and emitted vertices.

May import: abi, pipe, formats, linkage, passes, tgsi.language. Next: backends/interp/run.py (numpy, the definition) and
backends/llvm/kernels/run.py (generated code), which take the same `Arguments`.
"""
