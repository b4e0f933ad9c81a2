"""Once a draw, in Python: bound state (`DrawState`, `DrawInfo`) becomes a `Draw` record and the kernels that it names.

`builder` comes first: it looks up repeated draws (`cache`), which need new environments at most (`environments`). For other draws
`writer` runs all `steps`. A step reads a few `facts` of the state, fills one group of the record, and is implemented in `link`, `topology`,
`vertex_inputs`, `viewport`, `varyings`, `style`, `sample_state` or `fragments`. It reads nothing else, so its output can be reused by every
draw with the same facts. The result is a `Packet`, which `backends.software.renderer` cuts into batches.

The highest floor of the rasterizer. Imports the keys of `front` and `tile` (`attributes`; `buffer_keys`, `fragment`, `coarse`) and
`raster.kernels`, which alone imports the modules that write generated code. Next stop: `backends.raster.control.scheduler`.
"""
