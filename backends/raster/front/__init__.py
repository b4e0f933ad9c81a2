"""Once a batch, generated code: vertices become binned triangles.

`frontend` calls the steps in order: `assemble` (vertices of each primitive), `vertices` and `fetch` (attributes, vertex shader, clip
masks), `layers` (viewports that vertices name), `clip`; `points_lines`, `wide_lines` and `polygon_modes` for shapes other than filled
triangles; `setup` (edge equations, planes) and `bins`. State is data in the `Draw` record, so one kernel serves all draws. Only vertex
shaders and formats of attributes have separate kernels, and rare steps are compiled by the first draw that needs them.

Edges are exact: corners snap to 1/256 pixel, and edge functions are 64-bit integers that include the top-left rule (32-bit inside a tile).
So two triangles that share an edge cover each of its pixels exactly once. Interpolation is a closed formula from the triangle's own anchor
pixel, never incremental. If a draw names layers, every layer of the framebuffer has its own tiles.

Imports the records of `raster` and `backends.llvm`, never `tile`, `control` or `draw`.
Next stop: `backends.raster.tile.walk`.
"""
