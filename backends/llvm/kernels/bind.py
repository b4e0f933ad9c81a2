"""Textures, samplers and buffers of a run, as the records and keys that generated code reads."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.abi.keys import GALLIUM_TARGETS, ImageKey, SamplerKey, TextureKey, texture_key
from backends.abi.records import BufferRecord, SamplerRecord, ShaderEnv, TextureRecord
from backends.pipe.enums import TextureTarget
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES
from backends.run.arguments import Arguments
from backends.run.textures import ImageData, TextureData, handle_targets, row_bytes, texture_targets
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.record import record

SLACK = 64
"""Readable bytes after the last texel."""


@record(slots=False)
class BoundTexture:
    """A texture in memory in the layout that kernels read. `memory` must live as long as `record` is used."""

    key: TextureKey
    record: TextureRecord
    memory: NDArray[np.uint8]


def bind_texture(texture: TextureData, targets: frozenset[str] = frozenset({"2D"}), handles: frozenset[str] | None = None) -> BoundTexture:
    """Lay out a checked texture with rows of multiples of 64 bytes. The key is valid for each of `targets`. `handles`: see TextureKey."""
    record, size = TextureRecord(), texture.format.block_bytes
    end = 0
    for k, level in enumerate(texture.levels):
        planes, height = level.shape[:2]
        stride = row_bytes(level)
        record.level_offset[k], record.row_stride[k], record.layer_stride[k] = end, stride, stride * height
        end += stride * height * planes
    memory = np.zeros(end + SLACK, np.uint8)
    for k, level in enumerate(texture.levels):
        planes, height, width, _ = level.shape
        start, stride = record.level_offset[k], record.row_stride[k]
        rows = memory[start : start + stride * height * planes].reshape(planes, height, stride)
        rows[:, :, : width * size] = level.reshape(planes, height, width * size)
    width, height, depth = (int(n) for n in texture.sizes[0])
    record.base, record.size = memory.ctypes.data, end
    record.width, record.height, record.depth = width, height, depth
    record.last_level, record.samples = len(texture.levels) - 1, texture.samples
    record.sample_stride = record.layer_stride[0] * depth
    kinds = [GALLIUM_TARGETS[target] for target in sorted(targets) if target in GALLIUM_TARGETS] or [TextureTarget.TEXTURE_2D]
    keys = [
        texture_key(
            texture.format, kind, texture.swizzle, width=width, height=height, depth=depth, last_level=record.last_level, size=record.size
        )
        for kind in kinds
    ]
    common = next((key for key in keys if not key.pot), keys[0])
    if handles is not None:
        common = replace(common, handles=tuple(sorted(handles)))
    return BoundTexture(common, record, memory)


def bind_image(image: ImageData) -> tuple[ImageKey, TextureRecord]:
    """Move an image's texels to memory that kernels may read and write. `image.texels` is that memory from then on."""
    planes, height, width, size = image.texels.shape
    memory = np.zeros(image.texels.size + SLACK, np.uint8)
    memory[: image.texels.size] = image.texels.reshape(-1)
    image.texels = memory[: image.texels.size].reshape(image.texels.shape)
    record = TextureRecord(memory.ctypes.data, image.texels.size, width, height, planes // image.samples)
    record.samples = image.samples
    record.row_stride[0], record.layer_stride[0] = width * size, width * size * height
    record.sample_stride = record.layer_stride[0] * record.depth
    return ImageKey(image.format), record


def _has_handles(program: Program) -> bool:
    """True if an instruction names its texture by a value register."""
    return any(i.texture is not None and bool(i.src) and i.src[-1].register.file is not File.SAMP for i in program.instructions)


class Environment:
    """A ShaderEnv over copies of a run's constants and textures, and over its buffers and images themselves."""

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
        targets, handles = texture_targets(program), handle_targets(program, arguments.textures) if _has_handles(program) else {}
        bound = {}
        for unit, texture in arguments.textures.items():
            bound[unit] = bind_texture(texture, targets.get(unit, handles.get(unit, frozenset())), handles.get(unit))
        images = {unit: bind_image(image) for unit, image in sorted(arguments.images.items())}
        self.texture_keys = tuple((unit, bound[unit].key) for unit in sorted(bound))
        self.sampler_keys = tuple((unit, SamplerKey.of(state)) for unit, state in sorted(arguments.samplers.items()))
        self.image_keys = tuple((unit, key) for unit, (key, _) in images.items())
        textures = (TextureRecord * (max(bound, default=0) + 1))()
        samplers = (SamplerRecord * (max(arguments.samplers, default=0) + 1))()
        buffers = (BufferRecord * MAX_SHADER_BUFFERS)()
        image_records = (TextureRecord * MAX_SHADER_IMAGES)()
        for unit, item in bound.items():
            textures[unit] = item.record
            self._keep.append(item.memory)
        for unit, state in arguments.samplers.items():
            samplers[unit] = SamplerRecord.of(state)
        for number, data in arguments.buffers.items():
            buffers[number] = BufferRecord(data.ctypes.data, data.size)
        for unit, (_, image) in images.items():
            image_records[unit] = image
        positions = np.ascontiguousarray(arguments.sample_positions)
        self._keep += [textures, samplers, buffers, image_records, positions]
        self.record.textures = ctypes.addressof(textures)
        self.record.samplers = ctypes.addressof(samplers)
        self.record.buffers = ctypes.addressof(buffers)
        self.record.images = ctypes.addressof(image_records)
        self.record.sample_positions, self.record.samples = positions.ctypes.data, len(positions)

    @property
    def address(self) -> int:
        """Address of the record."""
        return ctypes.addressof(self.record)
