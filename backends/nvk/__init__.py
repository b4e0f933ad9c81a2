"""Mesh shading as NVIDIA hardware of Turing and later wants it: staging memory, methods, lowered programs, and an emulator of the memory.

The package knows no engine. Sources: Mesa's NVK notes on mesh shading and its page on the layout of ISBE, and NVIDIA's class headers.
`docs/mesh.md` says what these leave open, and what this package does there.
"""
