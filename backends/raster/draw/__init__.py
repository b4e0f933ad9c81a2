"""Once a draw, in Python: bound state (`DrawState`, `DrawInfo`) becomes a `Draw` record and the kernels that it names.

`builder` is asked first: it recognizes draws that come again (`cache`), which need new environments at most (`environments`). For others
`writer` lists all steps: facts of the shaders (`link`) and of rasterizer state (`topology`, `style`, `varyings`), then the groups of the
record, each filled by one function of `vertex_inputs`, `viewport`, `varyings`, `style` or `fragments`, then the kernels.
The result is a `Packet`, which `backends.software.renderer` cuts into batches.

Imports the keys of `front` and `tile`, never a module that writes generated code there but through `raster.kernels`.
Next stop: `backends.raster.control.scheduler`.
"""
