"""The tile rasterizer: a draw becomes a `Draw` record, its vertices binned triangles, the triangles pixels, one tile after another.

Its folders are named by when they run:

    draw      Python, once a draw
    front     generated code, once a batch of primitives
    tile      generated code, once a tile of 64 x 64 pixels
    control   generated code, once a flush: threads, windows of batches, barriers

`records` has the structures that they share, `samples` the places of samples, `kernels` the compiled code. The rasterizer imports
`backends.device`, `backends.llvm` and the floors below them; it knows nothing of Gallium contexts.
The way of a draw: gallium/context/draws -> device/interface -> software/renderer -> draw/builder -> control/scheduler ->
front/frontend -> tile/walk -> tile/shade.
"""
