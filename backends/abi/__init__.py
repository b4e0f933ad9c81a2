"""The binary interface between generated code and its callers: records, static keys, and shared constants.

`records`: a `ctypes.Structure` for each record that a shader kernel reads (textures, samplers, buffers, ShaderEnv); generated code takes
offsets from the same class, and `layout_digest` puts them into the keys of objects on disk. `keys`: the part of a texture, image or sampler
that changes generated code. `limits`: lanes of a vector, pixels of a tile.

May import: pipe, formats and the floors below. Next: backends/llvm/builder/record.py (records in generated code),
backends/device/environment.py (fills records for a draw), backends/run/textures.py (for `tgsi.run`).
"""
