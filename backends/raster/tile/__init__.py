"""Once a tile, generated code: coverage, depth and stencil tests, fragment shading, blending.

`walk` takes a tile, clears it, and goes through the bins of each batch in turn: a coverage kernel (`coverage`, `coverage_samples`, with
the depth bound of `hiz`) turns triangles into a list of pixel blocks (`lists`), and a shading kernel (`shade`, `shade_samples`) walks
the list. `fragment` has everything that a shading kernel depends on (`FragmentInfo` of the program, `FragmentKey` of the state). `inputs`
and `sample_inputs` compute the inputs of the fragment program; `depth`, `blend` and `surfaces` test and store its results, in
the order that `pixel_block` gives them. `resolves`
averages the samples of a finished tile while they are still in the cache.

A shading kernel fuses tests, program, blending and stores of one variant, and has two copies of this code: one for rows of fully covered
pixels, one for packed quads at the edges of triangles. If a program needs neighbors at most for levels of detail, packed quads are only
tested; `pixel_queue` collects their surviving pixels from many triangles until they fill vectors, and `queued_pixels` shades them.
Targets with several samples store one plane for each sample.

Imports records, `raster.samples`, `backends.llvm`, `backends.device`, and from `front` the conventions of bins, setup records
and place slots; never `control` or `draw`. The path of a draw ends here: the pixels are in memory.
"""
