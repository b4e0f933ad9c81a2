"""Compute grids on native threads: `Context.launch_grid` ends here.

`dispatch`, once a launch, copies bindings into records, requests the kernel, and lets threads take pieces of the grid. `needs`, once a
program: the kinds of memory that it uses, and whether its threads wait for each other. `kernels`, once a program and key: the compiled
kernel, which backends/llvm/kernels/grids.py generates.

A unit of work is one block, or a vector that several small blocks share. Pieces grow until a native call takes a tenth of a second. They
are spread over threads only if the results cannot depend on the order: atomics outside of SHARED memory must commute, no instruction may
use the values that they return, and no other binding may name the same memory.

May import: device and llvm and the floors below; not raster. Next: backends/llvm/kernels/grids.py (blocks inside generated code).
"""
