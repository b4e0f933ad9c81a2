"""Register files of kernels, stored as one vector of lanes for each channel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from backends.abi.keys import ImageKey, SamplerKey, TextureKey
from backends.abi.records import ShaderEnv
from backends.llvm.builder.function import F32, I32, I64, Function, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.llvm.kernels.system_values import SystemValues
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.record import record


@record(kw_only=True)
class Registers:
    """An Interface that reads register files stored as vectors: channel c of register r is vector number 4 * r + c."""

    f: Function
    lane_map: LaneMap
    env: Val
    inputs: Val
    system: Val
    textures: Mapping[int, TextureKey]
    samplers: Mapping[int, SamplerKey]

    def vector(self, pointer: Val, number: int, integer: bool = False) -> Val:
        """Vector `number` of an array of vectors."""
        lanes = self.lane_map.lanes
        return self.f.load((I32 if integer else F32).wide(lanes), pointer, number * 4 * lanes)

    def input(self, register: int, channel: int) -> Val:
        """Channel of an input register."""
        return self.vector(self.inputs, 4 * register + channel)

    def system_value(self, register: int, channel: int) -> Val:
        """Channel of a system value."""
        return self.vector(self.system, 4 * register + channel, integer=True)

    def texture_key(self, unit: int) -> TextureKey | None:
        """Key of a sampler view."""
        return self.textures.get(unit)

    def sampler_key(self, unit: int) -> SamplerKey | None:
        """Key of a sampler."""
        return self.samplers.get(unit)


@record(kw_only=True)
class DrawRegisters(SystemValues, Registers):
    """Common Interface of the stages of draws before the rasterizer: memory, through ShaderEnv, and a table of system values."""

    images: Mapping[int, ImageKey]
    program: Program
    is_threaded: ClassVar[bool] = True
    has_handles: ClassVar[bool] = True

    def image_key(self, unit: int) -> ImageKey | None:
        """Static part of an image."""
        return self.images.get(unit)

    def buffers(self) -> Val:
        """Pointer to the BufferRecords."""
        return Record(self.f, self.env, ShaderEnv).get("buffers")

    def counters(self) -> Val:
        """Pointer to the BufferRecords of counters."""
        return Record(self.f, self.env, ShaderEnv).get("counters")


@record(kw_only=True)
class RunRegisters(Registers):
    """Interface of a run kernel, for vector number `index` (i32) of a RunRecord."""

    program: Program
    record: Record
    index: Val
    images: Mapping[int, ImageKey]

    def part(self, field: str, size: int) -> Val:
        """Pointer to the vector's part of a staged array with `size` bytes for each vector."""
        return vector_part(self.record, field, self.index, size)

    def numbers(self, field: str) -> Val:
        """Vector of a staged array with one number for each lane, i32."""
        lanes = self.lane_map.lanes
        return self.f.load(I32.wide(lanes), self.part(field, 4 * lanes))

    def image_key(self, unit: int) -> ImageKey | None:
        """Static part of an image."""
        return self.images.get(unit)

    def present(self) -> Val:
        """Lanes that are invocations, as an i1 vector."""
        return self.numbers("alive").ne(0)

    def buffers(self) -> Val:
        """Pointer to the BufferRecords."""
        return Record(self.f, self.env, ShaderEnv).get("buffers")

    def counters(self) -> Val:
        """Pointer to the BufferRecords of counters."""
        return self.record.get("counters")


def vector_part(record: Record, field: str, index: Val, size: int) -> Val:
    """Pointer to element `index` (i32) of the array at a record's field; elements have `size` bytes."""
    return record.f.at(record.get(field), index.zext(I64) * size)


def file_bytes(program: Program, file: File, lanes: int) -> int:
    """Bytes of a register file for one vector."""
    return program.file_size(file) * 16 * lanes
