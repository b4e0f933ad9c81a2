"""The compiled kernels of compute grids, kept by the process-wide cache (`backends.llvm.engine.kernel_cache`)."""

from __future__ import annotations

from backends.abi.records import BufferRecord, SamplerRecord, ShaderEnv, TextureRecord, layout_digest
from backends.llvm.engine.engine import Library
from backends.llvm.engine.kernel_cache import KernelCache
from backends.llvm.kernels.grids import GridKey, GridRecord, build_grid_kernel
from tgsi.language.program import Program

_LAYOUT = layout_digest(GridRecord, ShaderEnv, TextureRecord, SamplerRecord, BufferRecord)


def grid_kernel(kernels: KernelCache, program: Program, key: GridKey) -> Library:
    """Return the library with `launch(record)`, which takes a GridRecord, and `state_bytes()`, the bytes that a vector keeps at a barrier.

    Programs of one canonical text share a kernel. UnsupportedError for programs that the generator cannot build.
    """
    parts = ("grid", program.text, key, _LAYOUT)
    return kernels.get(parts, ("launch", "state_bytes"), lambda: build_grid_kernel(program, key, kernels.cpu))
