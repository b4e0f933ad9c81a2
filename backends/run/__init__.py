"""Arguments and results of `tgsi.run`, for both engines; a run is a program, its inputs, and memory given as arrays.

`arguments.prepare` checks and converts the caller's arguments, once a run; `words` turns arrays into 32-bit words; `shapes` arranges
invocations in quads, primitives, patches and blocks; `textures` checks texels and samplers; `system_values` supplies the system values
that the caller does not give; `result` holds outputs, killed invocations and emitted vertices.

May import: abi, pipe, formats, linkage, passes, tgsi.language. Next: backends/interp/run.py (numpy, the definition) and
backends/llvm/kernels/run.py (generated code), which take the same `Arguments`.
"""
