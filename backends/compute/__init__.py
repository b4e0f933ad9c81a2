"""Compute grids on native threads: `Context.launch_grid` ends here.

`dispatch`, once a launch: it copies bindings into records, requests the kernel, and lets threads take pieces of the grid. `needs`, once a
program: the kinds of memory that it uses, and whether its threads wait for each other. `kernels`, once a program and key: the compiled
kernel, which backends/llvm/kernels/grids.py generates.

May import: device and llvm and the floors below; not raster. Next: backends/llvm/kernels/grids.py (blocks inside generated code).
"""
