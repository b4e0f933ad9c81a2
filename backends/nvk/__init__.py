"""Mesh shading in the form that NVIDIA hardware of Turing and later needs: staging memory, methods, lowered programs, and an emulator of
the memory.

The package imports no engine. Sources: Mesa's NVK notes on mesh shading and its page on the layout of ISBE, and NVIDIA's class headers.
`docs/mesh.md` lists the gaps in these sources, and the choices of this package.
"""
