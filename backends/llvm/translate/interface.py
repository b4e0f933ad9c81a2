"""What surrounds a translated program: the kernel that it is part of implements this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from backends.abi.keys import SamplerKey, TextureKey
from backends.llvm.builder.function import Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.translate.emission import EmissionBuffer
from backends.llvm.translate.rows import RowFile
from tgsi.language.facts.enums import File, MemoryType


@runtime_checkable
class Partial(Protocol):
    """What an Interface also is where some lanes may be no invocations."""

    def present(self) -> Val:
        """The lanes that are invocations, as an i1 vector; only they vote, and only their writes to memory count."""
        ...


@runtime_checkable
class Covered(Protocol):
    """What an Interface also is where some lanes only compute for their neighbors."""

    def counted(self) -> Val:
        """The lanes whose writes to memory count, as an i1 vector."""
        ...


@runtime_checkable
class Threaded(Protocol):
    """What an Interface also is where it knows whether other threads run the program on the same memory."""

    @property
    def is_threaded(self) -> bool:
        """They may."""
        ...


@runtime_checkable
class Handles(Protocol):
    """What an Interface also is where ShaderEnv has tables of what handles name; elsewhere handles are numbers of units.

    Units from MAX_UNITS on are kinds then: their keys are static facts of all entries of a table that have this kind.
    """

    @property
    def has_handles(self) -> bool:
        """There are tables."""
        ...


@runtime_checkable
class Memory(Protocol):
    """What an Interface also is where programs may use BUFFER and CONSTBUF resources."""

    def buffers(self) -> Val:
        """Pointer to an array of MAX_BUFFERS BufferRecords."""
        ...


@runtime_checkable
class Counters(Protocol):
    """What an Interface also is where programs may use HWATOMIC counters."""

    def counters(self) -> Val:
        """Pointer to an array of MAX_BUFFERS BufferRecords."""
        ...


@dataclass(frozen=True, slots=True)
class Words:
    """`count` words (i32) that each lane sees: those `offset` bytes (u32 lanes; None: 0) behind `base`."""

    base: Val
    count: Val
    offset: Val | None = None


@runtime_checkable
class GridMemory(Protocol):
    """What an Interface also is where programs may use MEMORY."""

    def memory(self, kind: MemoryType) -> Words:
        """The words of a kind."""
        ...


@runtime_checkable
class Rows(Protocol):
    """What an Interface also is where registers have a row for each vertex."""

    def row_file(self, file: File) -> RowFile:
        """The registers of a file with rows."""
        ...


@runtime_checkable
class Emitting(Protocol):
    """What an Interface also is where programs emit vertices."""

    @property
    def emission(self) -> EmissionBuffer:
        """Where they go."""
        ...


class Interface(Protocol):
    """What surrounds the translated program.

    `env` points to a ShaderEnv. `input` and `system_value` give one channel of a register as a vector of all lanes, f32 (system
    values: f32 or i32); inputs are asked for once, where the program starts. Keys are None where nothing is bound.
    """

    @property
    def lane_map(self) -> LaneMap:
        """The order of the lanes."""
        ...

    @property
    def env(self) -> Val:
        """Pointer to a ShaderEnv."""
        ...

    def input(self, register: int, channel: int) -> Val:
        """A channel of an IN register."""
        ...

    def system_value(self, register: int, channel: int) -> Val:
        """A channel of an SV register."""
        ...

    def texture_key(self, unit: int) -> TextureKey | None:
        """Static part of the sampler view."""
        ...

    def sampler_key(self, unit: int) -> SamplerKey | None:
        """Static part of the sampler."""
        ...
