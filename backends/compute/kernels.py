"""The compiled kernels of compute grids, among those that the process keeps (backends.llvm.engine.kernel_cache)."""

from __future__ import annotations

from backends.abi.records import BufferRecord, SamplerRecord, ShaderEnv, TextureRecord, layout_digest
from backends.llvm.engine.engine import Library
from backends.llvm.engine.kernel_cache import KernelCache
from backends.llvm.kernels.grids import GridKey, GridRecord, build_grid_kernel
from tgsi.language.program import Program

_LAYOUT = layout_digest(GridRecord, ShaderEnv, TextureRecord, SamplerRecord, BufferRecord)


def grid_kernel(kernels: KernelCache, program: Program, key: GridKey) -> Library:
    """launch(record) of a GridRecord, and state_bytes(): bytes that a vector of threads keeps at a barrier.

    Programs of one canonical text share a kernel. UnsupportedError for what the generator does not build.
    """
    parts = ("grid", program.text, key, _LAYOUT)
    return kernels.get(parts, ("launch", "state_bytes"), lambda: build_grid_kernel(program, key, kernels.cpu))
