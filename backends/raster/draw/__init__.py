"""Once a draw, in Python: bound state (`DrawState`, `DrawInfo`) becomes a `Draw` record and the kernels that it names.

`builder` comes first: it recognizes repeated draws (`cache`), which need new environments at most (`environments`). For other draws
`writer` lists all steps: facts of the shaders (`link`) and of rasterizer state (`topology`, `style`, `varyings`), then the groups of the
record, each filled by one function of `vertex_inputs`, `viewport`, `varyings`, `style` or `fragments`, then the kernels.
The result is a `Packet`, which `backends.software.renderer` cuts into batches.

The highest floor of the rasterizer. Imports the keys of `front` and `tile` (`attributes`; `buffer_keys`, `fragment`, `coarse`) and
`raster.kernels`, which alone imports the modules that write generated code. Next stop: `backends.raster.control.scheduler`.
"""
