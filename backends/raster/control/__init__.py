"""Once a flush: native threads, windows of batches, barriers.

`pool` (Python) owns the threads and their memory; `scheduler` (generated code) hands out batches to the front end and tiles to the tile
walk. This is the only code of the rasterizer that knows of semaphores and of the x86 control register.

Imports `raster.records` and what it calls: `front.frontend` and `tile.walk` are in the same module of generated code.
Next stops: `backends.raster.front.frontend`, then `backends.raster.tile.walk`.
"""
