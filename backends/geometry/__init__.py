"""The stages between vertex shader and rasterizer: tessellation, geometry shader, stream output. Each leaves shaded vertices in memory.

A draw comes here when it has such a stage, when it writes stream output, or when its vertex shader writes memory. `pipeline`, once a draw:
it makes the stages and cuts the draw into chunks of primitives. `stages`, once a chunk: assemble, shade, gather; the last stage's vertices
go back to the rasterizer as a draw whose vertices lie in memory. `stage_kinds` has a row a stage. `records`, `vertices`,
`geometry_shader`, `gather` and `output` are the records and the generated code; `chunk_threads` runs chunks side by side and keeps their
order; `totals` counts for queries.

May import: raster and the floors below; not compute. Next: `tessellation`, and backends/raster/draw/builder.py (`make_stored`).
"""
