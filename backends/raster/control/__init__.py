"""Once a flush: native threads, windows of batches, phases.

`pool` (Python) owns the threads and their memory; `scheduler` (generated code) hands out batches to the front end and tiles to the tile
walk; `at_once` runs tiles beside pending work. Semaphores and phases are here and nowhere else in the rasterizer.

Imports the records of `raster`, sizes from `raster.samples` and `tile.lists`, and `backends.llvm`. `scheduler` calls the functions of
`front.frontend` and `tile.walk` by name: `raster.kernels` puts all three into one module of generated code.
Next stops: `backends.raster.front.frontend`, then `backends.raster.tile.walk`.
"""
