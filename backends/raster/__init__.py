"""The tile rasterizer, by when its parts run.

`draw` is Python, once a draw; `front` is generated code, once a batch; `tile` is generated code, once a tile.
"""
