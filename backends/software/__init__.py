"""The device made of CPUs: the one implementation of `backends.device.interface.Device`.

`device` opens it for a screen (and a dispatcher of grids). `renderer` takes draws, clears and resolves in order, waits with them as long as
nobody looks at their results, and carries them out in one flush: the native part. `scaling` is blits with scaling.

May import: raster, geometry, compute and all below; `tgsi.Screen` names this device,
and backends/gallium knows its interface only.
Next: backends/raster/draw/builder.py (once a draw), then backends/raster/control/scheduler.py (once a flush).
"""
