"""The compiled kernels of mesh draws."""

from __future__ import annotations

from backends.abi.records import BufferRecord, SamplerRecord, ShaderEnv, TextureRecord, layout_digest
from backends.device.bound import Shader
from backends.geometry.mesh.gather import GatherKey, build_gather
from backends.geometry.mesh.records import GatherRecord
from backends.llvm.engine.engine import Entry, Library
from backends.llvm.engine.kernel_cache import KernelCache
from backends.llvm.kernels.grids import GridKey, GridRecord
from backends.llvm.kernels.mesh_grids import MeshRecord, MeshRun, build_mesh_kernel

_LAYOUT = layout_digest(GatherRecord, GridRecord, MeshRecord, MeshRun)
_GROUP_LAYOUT = layout_digest(GridRecord, MeshRecord, MeshRun, ShaderEnv, TextureRecord, SamplerRecord, BufferRecord)


def group_kernel(kernels: KernelCache, shader: Shader, key: GridKey) -> Library:
    """Return the library with `launch(record)`, which takes a MeshRecord, and `state_bytes()`, the bytes that a vector keeps at a barrier.

    UnsupportedError for programs that the generator cannot build.
    """
    parts = ("group", shader.program.text, key, _GROUP_LAYOUT)
    return kernels.get(parts, ("launch", "state_bytes"), lambda: build_mesh_kernel(shader.program, key, kernels.cpu))


def gather_kernel(kernels: KernelCache, key: GatherKey) -> Entry:
    """Return `gather(record)`, which takes a GatherRecord."""
    return kernels.keep(("gather_groups", key, _LAYOUT), ("gather",), lambda module: build_gather(module, key)).entry("gather")
