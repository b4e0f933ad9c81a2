"""Resources: textures and buffers as memory, and the ways in which they are seen.

`layout` places levels, layers and samples; `resource` holds the bytes and shows them as numpy arrays; `view` makes sampler views,
surfaces and framebuffers of them; `transfer` maps boxes for the CPU; `multisampled` resolves samples; `format_support` says which
format can be used for what; `screen_core` is the part of a screen that makes resources.

Resources know their screen and their context by small Protocols (`ResourceOwner`, `MappingOwner`), so this floor imports neither.
It may import `backends.device` and what is below. Next: `backends/gallium/context`.
"""
