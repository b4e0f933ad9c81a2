"""Compute grids on native threads: `Context.launch_grid` ends here.

`dispatch`, once a launch: it copies bindings into records, asks for the kernel, and lets threads take pieces of the grid.
`needs`, once a program: the memory that it wants, and whether its threads wait for each other. `kernels`: the key of its kernel, which
backends/llvm/kernels/grids.py writes.

May import: device and llvm and the floors below; not raster. Next: backends/llvm/kernels/grids.py (blocks inside generated code).
"""
