"""The tile rasterizer: a draw becomes a `Draw` record, its vertices become binned triangles, and tile by tile these become pixels.

Each folder has code that runs at one time:

    draw      Python, once a draw
    front     generated code, once a batch of primitives
    tile      generated code, once a tile of 64 x 64 pixels
    control   generated code, once a flush: threads, windows of batches, phases

`layouts`, `draw_record` and `records` have the structures that all folders share, `samples` the places of samples.
`kernels` looks up or compiles generated code by key. `clears` and `blits` fill and copy surfaces. Imports run down: draw, clears, kernels,
control and blits, tile, front, samples, records, draw_record, layouts.
Outside of itself, the rasterizer imports `backends.device`, `backends.llvm` and the floors below them, never `backends.gallium`.

A draw becomes spans of primitives, many for a long draw, one for a short one. A batch is a list of spans with one arena and one set of
bins, so ten thousand draws of one triangle are a few hundred batches. Spans of the same `Draw` record are set up together.

ARCHITECTURE.md has the path of a draw.
"""
