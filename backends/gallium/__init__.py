"""Gallium: pipe_screen, pipe_context and pipe_resource as classes, over any device.

This package checks every argument, keeps the bound state, decides when pending work has to be finished, and moves bytes that need no
kernel. It draws nothing: a context hands its `DrawState` to the device of its screen, which it uses only through the Protocols of
`backends.device.interface` (tests plug in a device that only records). Nothing here runs more often than once a call.

It may import `backends.device` and the floors below it (pipe, abi, run, formats), linkage, passes and tgsi.language.
Inside, imports run down: screen > context > resource. Public names are in `tgsi.gallium`.
A draw enters at `context/draws.py` and leaves through `Device.draw`; the next stop is `backends/software/renderer.py`.
"""
