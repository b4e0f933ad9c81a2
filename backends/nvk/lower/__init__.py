"""Task and mesh programs as NVIDIA hardware runs them: outputs, payload and shared memory become reads and writes of ISBE.

Sources: Mesa's NVK notes on mesh shading, and the lowering passes of its compiler NAK and of NVK, described in `docs/mesh.md`.
"""
