"""Protocols between a translated program and the kernel around it.

A kernel implements `Interface` and those of the others that apply to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from backends.abi.keys import SamplerKey, TextureKey
from backends.llvm.builder.function import Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.translate.emission import EmissionBuffer
from backends.llvm.translate.rows import RegisterRows
from tgsi.language.facts.enums import File, MemoryType
from tgsi.language.ir import Instruction
from tgsi.language.record import record


@runtime_checkable
class Partial(Protocol):
    """Interface of kernels in which some lanes may not be invocations."""

    def present(self) -> Val:
        """Lanes that are invocations, as an i1 vector. Only they vote and write memory."""
        ...


@runtime_checkable
class Covered(Protocol):
    """Interface of kernels with helper lanes, which only compute derivatives for their neighbors."""

    def counted(self) -> Val:
        """Lanes that write memory, as an i1 vector."""
        ...


@runtime_checkable
class Threaded(Protocol):
    """Interface of kernels that may run on several threads."""

    @property
    def is_threaded(self) -> bool:
        """True if other threads may run the program on the same memory at the same time."""
        ...


@runtime_checkable
class Handles(Protocol):
    """Interface of kernels whose ShaderEnv has tables of the textures and images that handles name. In other kernels, handles are unit
    numbers.

    With tables, units from MAX_UNITS on are kinds: `texture_key` and the like return the facts that all entries of one kind share.
    """

    @property
    def has_handles(self) -> bool:
        """True if the ShaderEnv has tables."""
        ...


@runtime_checkable
class Consumed(Protocol):
    """Interface of kernels that use some outputs only as numbers. Without it, the exact bits of all outputs matter."""

    def exposed_outputs(self) -> int:
        """Bit r is set if the exact bits of OUT register r leave the kernel, so that a NaN in it must be canonical."""
        ...


@runtime_checkable
class Interpolated(Protocol):
    """Interface of kernels that compute inputs. Without it, all inputs are uninterpreted words."""

    def is_interpolated(self, register: int) -> bool:
        """True if the channels of an IN register are computed, so that a NaN in it may have arbitrary bits."""
        ...


@runtime_checkable
class Coordinates(Protocol):
    """Interface of translations that compute only coordinates of samples (`program.coordinates`). Nothing is sampled."""

    def keep_coordinates(self, instruction: Instruction, coords: Sequence[Val]) -> None:
        """Take the coordinates of a sample that depends on their differences."""
        ...


@runtime_checkable
class Scattered(Protocol):
    """Interface of kernels whose lanes are unrelated pixels, so that derivatives do not come from neighboring lanes."""

    def derivatives(self, instruction: Instruction, count: int) -> list[list[Val]]:
        """Derivatives of the first `count` coordinates of a sample along x, then along y."""
        ...


@runtime_checkable
class Oriented(Protocol):
    """Interface of kernels in which window y may grow against the rows. Without it, y grows with them."""

    def upward(self) -> Val | None:
        """1 if y grows with the rows, otherwise -1, as f32 lanes; None if the program counts rows."""
        ...


@runtime_checkable
class Memory(Protocol):
    """Interface of kernels whose programs may use BUFFER and CONSTBUF resources."""

    def buffers(self) -> Val:
        """Pointer to an array of MAX_BUFFERS BufferRecords."""
        ...


@runtime_checkable
class Counters(Protocol):
    """Interface of kernels whose programs may use HWATOMIC counters."""

    def counters(self) -> Val:
        """Pointer to an array of MAX_BUFFERS BufferRecords."""
        ...


@record
class Words:
    """Memory of each lane as words: `count` of them (i32), at `base` plus `offset` bytes (u32 lanes; None: 0)."""

    base: Val
    count: Val
    offset: Val | None = None


@runtime_checkable
class GridMemory(Protocol):
    """Interface of kernels whose programs may use MEMORY."""

    def memory(self, kind: MemoryType) -> Words:
        """Words of a kind of MEMORY."""
        ...


@runtime_checkable
class Rows(Protocol):
    """Interface of kernels in which registers have a row for each vertex."""

    def row_file(self, file: File) -> RegisterRows:
        """Registers of a file with rows."""
        ...


@runtime_checkable
class Emitting(Protocol):
    """Interface of kernels whose programs emit vertices."""

    @property
    def emission(self) -> EmissionBuffer:
        """Buffer for emitted vertices."""
        ...


@runtime_checkable
class GroupSizes(Protocol):
    """Interface of kernels whose programs set sizes for their workgroup: those of its launch or of its output."""

    def set_sizes(self, numbers: Sequence[Val], mask: Val) -> None:
        """Store the numbers (i32 lanes or scalars) from the workgroup's thread 0, if it is in `mask`."""
        ...


class Interface(Protocol):
    """Environment of a translated program, which every kernel provides.

    `input` and `system_value` return one channel of a register as a vector of all lanes, f32 (system values: f32 or i32). Inputs are
    requested once, at the start of the program. Keys are None for units without a binding.
    """

    @property
    def lane_map(self) -> LaneMap:
        """Order of the lanes in a vector."""
        ...

    @property
    def env(self) -> Val:
        """Pointer to a ShaderEnv."""
        ...

    def input(self, register: int, channel: int) -> Val:
        """Channel of an IN register."""
        ...

    def system_value(self, register: int, channel: int) -> Val:
        """Channel of an SV register."""
        ...

    def texture_key(self, unit: int) -> TextureKey | None:
        """Key of the sampler view of a unit."""
        ...

    def sampler_key(self, unit: int) -> SamplerKey | None:
        """Key of the sampler of a unit."""
        ...
