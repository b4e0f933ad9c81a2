"""Once a flush: native threads, windows of batches, phases.

`pool` (Python) owns the threads and their memory; `scheduler` (generated code) hands out batches to the front end and tiles to the tile
walk; `windows` ends a window when the results of its batches fill the cache; `passes` lists the render targets of pending work, so that a
change of targets needs no flush; `waking` wakes sleeping workers; `at_once` runs tiles while other work is pending. All semaphores and
phases of the rasterizer are here.

A window runs its batches first (fetch, shade, clip, set up, bin), then every tile, with batches in order. A tile belongs to one worker for
a whole window, so color and depth need no locks. A batch whose arena is full ends its window and runs again in the next one, with the same
bytes. If a CPU is idle, workers begin with full batches before the flush. They do not begin early if pending programs write memory: windows
must not depend on timing where the order of draws can be observed.

Imports the records of `raster`, sizes from `raster.samples` and `tile.lists`, and `backends.llvm`. `scheduler` calls the functions of
`front.frontend` and `tile.walk` by name: `raster.kernels` puts all three into one module of generated code.
Next stops: `backends.raster.front.frontend`, then `backends.raster.tile.walk`.
"""
