"""The device made of CPUs: the only implementation of `backends.device.interface.Device`.

`device` creates it for a context of a screen, and a dispatcher of grids. `renderer` takes draws, clears and resolves in order, defers them
until their results are read, and carries them out in one native flush. `scaling` scales boxes of texels for
blits.

May import: raster, geometry, compute and all floors below. `tgsi.Screen` names this device; backends/gallium uses only its interface.
Next: backends/raster/draw/builder.py (once a draw), then backends/raster/control/scheduler.py (once a flush).
"""
