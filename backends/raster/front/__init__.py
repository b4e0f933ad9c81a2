"""Once a batch, generated code: vertices become binned triangles.

`frontend` calls the steps in order: `assemble` (vertices of each primitive), `vertices` and `fetch` (attributes, vertex shader, clip
masks), `layers` (viewports that vertices name), `clip`; `points_lines`, `wide_lines` and `polygon_modes` for shapes other than filled
triangles; `setup` (edge equations, planes) and `bins`. One kernel serves all draws: state is data in the `Draw` record. Only vertex
shaders and formats of attributes have kernels of their own.

Imports the records of `raster` and `backends.llvm`, never `tile`, `control` or `draw`.
Next stop: `backends.raster.tile.walk`.
"""
