"""The context (pipe_context): a class and a module for each of its parts, all flat on `ContextCore`.

`core` holds the device, the bound state and the objects of `shared`, and declares as abstract the few names that parts need from each
other. A part derives from it alone, has its own `__init__`, and keeps its private attributes to itself; `context` joins the parts. Parts
follow the sections of the Gallium document context.rst: state_objects (CSO State), buffers and framebuffer (Resource Binding State),
parameters (Non-CSO State), sampler_views, stream_output, clears, draws, queries, flushing, blits, transfers, compute.

The package may import `backends.gallium.resource` and the floors below, never the screen. Everything here runs once a call. A draw goes
`draws` -> `Order.prepare` in `shared` -> `backends/device/interface.py`, `Device.draw`.
"""
