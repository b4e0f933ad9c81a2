"""Whole kernels around one translated program: runs of `tgsi.run`, vertex stages, fragments, grids of threads.

Each module writes the code that reads a record, sets up the interface of a program, calls `translate`, and stores the results.

May import everything of `backends.llvm`; never the rasterizer. The generated code runs once for each batch of lanes. Read next: `run`, then
`registers`, the interfaces that the kernels share.
"""
