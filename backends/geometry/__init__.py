"""The stages between vertex shader and rasterizer: tessellation, geometry shader, stream output. Each leaves shaded vertices in memory.

A draw comes here when it has such a stage, when it writes stream output, or when its vertex shader writes memory. For each draw, `pipeline`
creates the stages and cuts the draw into chunks of primitives. For each chunk, `stages` assembles, shades and gathers; the last stage's
vertices go back to the rasterizer as a draw with vertices in memory. `stage_kinds` has a row for each stage. `records`, `vertices`,
`geometry_shader`, `gather` and `output` are the records and the generated code; `chunk_threads` runs chunks in parallel and keeps their
order; `totals` counts for queries.

Each chunk runs on one thread. An invocation of a geometry shader is a lane; a scalar loop after each vector packs the emitted vertices,
so their order is that of the invocations. A wave of chunks ends when it has filled its memory; then stream output copies the results in
the order of the draw. Small draws of known combinations run on the caller's thread without Python (`steps`).

May import: raster and the floors below; not compute. Next: `tessellation`, and backends/raster/draw/builder.py (`make_stored`).
"""
