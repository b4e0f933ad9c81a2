"""Textures, samplers and buffers of a run as the records and keys that generated code reads."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.arguments import Arguments
from backends.formats import Format
from backends.gallium.enums import TextureTarget
from backends.gallium.state import SamplerState
from backends.llvm.abi import MAX_CONSTANT_BUFFERS, BufferRecord, SamplerRecord, ShaderEnv, TextureRecord
from backends.llvm.interface import MAX_BUFFERS
from backends.llvm.sampling.key import SamplerKey, TextureKey, texture_key
from backends.textures import TextureData, row_bytes, texture_targets
from tgsi.enums import File
from tgsi.ir import Program

SLACK = 64
"""Bytes behind the last texel that may be read."""

TARGETS: Mapping[str, TextureTarget] = {
    "1D": TextureTarget.TEXTURE_1D,
    "2D": TextureTarget.TEXTURE_2D,
    "3D": TextureTarget.TEXTURE_3D,
    "CUBE": TextureTarget.TEXTURE_CUBE,
    "RECT": TextureTarget.TEXTURE_RECT,
    "1D_ARRAY": TextureTarget.TEXTURE_1D_ARRAY,
    "2D_ARRAY": TextureTarget.TEXTURE_2D_ARRAY,
    "CUBEARRAY": TextureTarget.TEXTURE_CUBE_ARRAY,
    "BUFFER": TextureTarget.BUFFER,
}
"""The Gallium target that a TGSI target without SHADOW samples."""


@dataclass(frozen=True)
class BoundTexture:
    """A texture in memory as kernels see it; `memory` must live as long as `record` is used."""

    key: TextureKey
    record: TextureRecord
    memory: NDArray[np.uint8]


def bind_texture(texture: TextureData, targets: frozenset[str] = frozenset({"2D"})) -> BoundTexture:
    """Lay a checked texture out with rows of whole 64 bytes. The key holds for each of `targets`."""
    record, size = TextureRecord(), texture.format.block_bytes
    end = 0
    for k, level in enumerate(texture.levels):
        layers, height = level.shape[:2]
        stride = row_bytes(level)
        record.level_offset[k], record.row_stride[k], record.layer_stride[k] = end, stride, stride * height
        end += stride * height * layers
    memory = np.zeros(end + SLACK, np.uint8)
    for k, level in enumerate(texture.levels):
        layers, height, width, _ = level.shape
        start, stride = record.level_offset[k], record.row_stride[k]
        rows = memory[start : start + stride * height * layers].reshape(layers, height, stride)
        rows[:, :, : width * size] = level.reshape(layers, height, width * size)
    depth, height, width, _ = texture.levels[0].shape
    record.base, record.size = memory.ctypes.data, end
    record.width, record.height, record.depth = width, height, depth
    record.last_level, record.samples = len(texture.levels) - 1, 1
    kinds = [TARGETS[target] for target in sorted(targets) if target in TARGETS] or [TextureTarget.TEXTURE_2D]
    keys = [
        texture_key(texture.format, kind, texture.swizzle, width=width, height=height, depth=depth, last_level=record.last_level)
        for kind in kinds
    ]
    common = next((key for key in keys if not key.pot), keys[0])
    return BoundTexture(common, record, memory)


def sampler_record(state: SamplerState, format: Format | None) -> SamplerRecord:
    """The run-time part of a sampler for views of `format`."""
    record = SamplerRecord(state.lod_bias, state.min_lod, state.max_lod, state.max_anisotropy)
    integer = format is not None and format.is_integer
    for k, value in enumerate(state.border_color):
        record.border_color[k] = int(value) & 0xFFFFFFFF if integer else int(np.float32(value).view(np.uint32))
    return record


def sampler_key(state: SamplerState) -> SamplerKey:
    """The static part of a sampler."""
    return SamplerKey(
        state.wrap_s,
        state.wrap_t,
        state.wrap_r,
        state.min_img_filter,
        state.mag_img_filter,
        state.min_mip_filter,
        state.compare_mode,
        state.compare_func,
        state.normalized_coords,
        state.seamless_cube_map,
    )


class Environment:
    """A ShaderEnv over copies of a run's constants and textures, and over its buffers themselves."""

    def __init__(self, program: Program, arguments: Arguments) -> None:
        self.record = ShaderEnv()
        self._keep: list[Any] = []
        for buffer in range(MAX_CONSTANT_BUFFERS):
            words = arguments.constants[buffer].reshape(-1) if buffer in arguments.constants else np.zeros(0, np.uint32)
            storage = np.zeros(max(words.size, 4 * program.file_size(File.CONST, buffer)) + 4, np.uint32)
            storage[: words.size] = words
            self._keep.append(storage)
            self.record.constants[buffer] = storage.ctypes.data
            self.record.constant_words[buffer] = words.size
        targets = texture_targets(program)
        bound = {unit: bind_texture(texture, targets.get(unit, frozenset())) for unit, texture in arguments.textures.items()}
        self.texture_keys = tuple((unit, bound[unit].key) for unit in sorted(bound))
        self.sampler_keys = tuple((unit, sampler_key(state)) for unit, state in sorted(arguments.samplers.items()))
        textures = (TextureRecord * (max(bound, default=0) + 1))()
        samplers = (SamplerRecord * (max(arguments.samplers, default=0) + 1))()
        buffers = (BufferRecord * MAX_BUFFERS)()
        for unit, item in bound.items():
            textures[unit] = item.record
            self._keep.append(item.memory)
        for unit, state in arguments.samplers.items():
            samplers[unit] = sampler_record(state, bound[unit].key.format if unit in bound else None)
        for number, data in arguments.buffers.items():
            buffers[number] = BufferRecord(data.ctypes.data, data.size)
        self._keep += [textures, samplers, buffers]
        self.record.textures = ctypes.addressof(textures)
        self.record.samplers = ctypes.addressof(samplers)
        self.record.buffers = ctypes.addressof(buffers)

    @property
    def address(self) -> int:
        """Where the record lies."""
        return ctypes.addressof(self.record)
