"""Texture sampling of the interpreter: coordinates to texels, level of detail, filters, seams of cubes, anisotropy.

It runs once a texture instruction, over all lanes of a run at once, with numpy. `sample` has the entry points `sample`, `gather` and
`query_lod`; `fetch` reads single texels and answers queries. Below them stand `anisotropic` and `filters`, then `cubes` and `wrapping`.
The compiled counterpart, which must give the same bits, is `backends.llvm.sampling`.

May import `backends.run`, `backends.pipe` and `backends.formats`, and `values` of the interpreter; never its opcodes or its state.
Read next: `backends.interp.texture` and `backends.interp.views`, whose opcodes call this package.
"""
