"""Texture sampling as generated code: coordinates, level of detail, filters, gathers, fetches, image access.

`sample` is the entry for filtered reads, `fetch` for single texels, `image` for images. `shared_sampling` compiles a way to sample
once and shares it between kernels. Static keys of textures and samplers are in `backends.abi.keys`.

May import `backends.llvm.library`, `engine` and `builder`; never a program. It runs once a kernel. The interpreter's counterpart,
which must give the same bits, is `backends.interp.sampling`. Read next: `sample`.
"""
