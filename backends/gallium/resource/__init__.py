"""Resources: textures and buffers as memory, and the forms in which shaders, the rasterizer and the CPU access them.

`layout` places levels, layers and samples, and counts the bytes of a screen's resources; `resource` holds the bytes and shows them as numpy
arrays; `view` makes sampler views, surfaces and framebuffers of them; `reference` keeps them alive; `transfer` maps boxes for the CPU;
`multisampled` resolves samples; `format_support` lists the uses of each format; `screen_core` is the part of a screen that makes resources.

When memory runs out or much of it is pinned by pending work, the screen asks its idle contexts for room. They carry out pending work and
release everything that is cached and not bound. Calls that allocate nothing never pay for this.

Resources use their screen and their context through small Protocols (`ResourceOwner`, `MappingOwner`), so this floor imports neither. It
may import `backends.device` and the floors below. Everything runs once a call. Read next: `backends/gallium/context`.
"""
