"""Code generation: a staged vector builder over LLVM, and the TGSI translator on top of it.

Packages, from the bottom up: `targets` (machines and their features), `builder` (Python that writes LLVM text), `engine` (text to running
code, and the caches), `library` (mathematics and pixel formats), `sampling` (textures), `program` (analyses of a program), `translate`
(TGSI instructions), `kernels` (kernels of `tgsi.run`). The kernels of draws and grids are in backends/raster, geometry and compute.

Only this package imports llvmlite. `builder` does not depend on graphics; `translate` does not depend on LLVM's text. Code is generated
once for each variant of a program. Next: `builder.function`, then `translate.translator`.
"""
