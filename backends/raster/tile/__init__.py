"""Once a tile, generated code: coverage, depth and stencil tests, fragment shading, blending.

`walk` takes a tile, clears it, and goes through the bins of each batch in turn: a coverage kernel (`coverage`, `coverage_samples`, with
the depth bound of `hiz`) turns triangles into a list of pixel blocks (`lists`), a shading kernel (`shade`, `shade_samples`) walks the
list. `fragment` says what a kernel depends on (`FragmentInfo` of the program, `FragmentKey` of the state); `inputs` and `sample_inputs`
are what the fragment program reads, `depth`, `blend` and `surfaces` what becomes of it. `resolves` averages samples at the end.

Imports `raster.records`, `raster.samples`, `backends.llvm`, and from `front` the layout of bins and of setup records.
The end of the way: pixels lie in memory.
"""
