"""LOAD, STORE, atomics and RESQ on images.

The target of the instruction says which coordinates there are, the format is that of the image bound. Coordinates are signed integers; a
texel outside, or without an image, reads 0, is not written, and an atomic on it gives 0. An alpha that the format of an image lacks is 1
outside, too. Lanes act one after the other, in the order of their numbers. Killed lanes and helpers read, but change nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.formats.arrays import pack, unpack
from backends.interp.atomics import new_word
from backends.interp.state import State
from backends.interp.units import for_each_unit, in_order, known_target, numbers_of
from backends.interp.values import I32
from backends.run.result import Bits, Mask
from backends.run.textures import ImageData
from tgsi.language.facts.enums import TargetInfo
from tgsi.language.ir import XYZW, Instruction

Texels = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Plane, row and column of each lane's texel."""

ATOMIC_FORMATS = {
    Format.R32_UINT: None,
    Format.R32_SINT: None,
    Format.R32_FLOAT: frozenset({"ATOMXCHG", "ATOMFADD"}),
}
"""Formats that have atomics, and which (None: all)."""

VIEWS: dict[str, type[np.generic]] = {"float": np.float32, "uint": np.uint32, "sint": np.int32}


def _target(instruction: Instruction) -> TargetInfo:
    return known_target(instruction.memory.target if instruction.memory is not None else "BUFFER", instruction)


def _find(image: ImageData, target: TargetInfo, coords: I32) -> tuple[Mask, Texels]:
    """The lanes whose coordinates (lanes, 4) lie inside, and the texels' indices; (0, 0, 0) for lanes outside.

    In arrays the layer follows the other coordinates, cubes count their faces as layers, and multisampled images have the sample in w.
    """
    planes, height, width = image.texels.shape[:3]
    layers = planes // image.samples
    x, y, z, w = (coords[:, k].astype(np.int64) for k in range(4))
    none = np.zeros_like(x)
    if target.layered and target.dimensions == 1:
        row, layer = none, y
    else:
        row, layer = (y if target.coords > 1 else none), (z if target.coords > 2 else none)
    sample = w if "MSAA" in target.name else none
    inside = (x >= 0) & (x < width) & (row >= 0) & (row < height) & (layer >= 0) & (layer < layers)
    inside &= (sample >= 0) & (sample < image.samples)
    plane = sample * layers + layer
    return inside, (np.where(inside, plane, 0), np.where(inside, row, 0), np.where(inside, x, 0))


def load(state: State, instruction: Instruction, active: Mask) -> None:
    """A texel, in the order of the image operand's swizzle; integers stay integers."""
    operand, target = instruction.src[0], _target(instruction)
    images = state.arguments.images
    coords = state.source(instruction, 1, "int").view(np.int32)

    def words_of(number: int) -> Bits:
        words = np.zeros((len(active), 4), np.uint32)
        if number in images:
            inside, texels = _find(images[number], target, coords)
            blocks = images[number].texels[texels]
            blocks[~inside] = 0
            words[:] = unpack(images[number].format, blocks.reshape(-1)).view(np.uint32)
        return words

    words = for_each_unit(len(active), words_of, numbers_of(state, operand.register, images, operand.swizzle[0]))
    state.store(instruction, 0, in_order(operand, words), active)


def store(state: State, instruction: Instruction, active: Mask) -> None:
    """Channels outside of the write mask keep their bits."""
    operand, target = instruction.dst[0], _target(instruction)
    images = state.arguments.images
    numbers = numbers_of(state, operand.register, images)
    coords = state.source(instruction, 0, "int").view(np.int32)
    values = state.source(instruction, 1, "untyped")
    for number in set(np.atleast_1d(numbers).tolist()) & set(images):
        image = images[number]
        inside, texels = _find(image, target, coords)
        lanes = np.flatnonzero(active & state.alive & inside & (np.asarray(numbers) == number))
        chosen = tuple(index[lanes] for index in texels)
        new = pack(image.format, values[lanes].view(VIEWS[image.format.kind])).reshape(-1, image.format.block_bytes)
        written = _written_bits(image.format, operand.write_mask)
        image.texels[chosen] = image.texels[chosen] & ~written | new & written  # of equal places the last is kept, the highest lane


def _written_bits(format: Format, write_mask: int) -> NDArray[np.uint8]:
    """The bits of a block that a write mask covers.

    Luminance and intensity follow red. Padding is covered by the full mask alone. A shared exponent makes one of all channels.
    """
    if write_mask == XYZW or (write_mask and format.is_shared_exponent):
        return np.full(format.block_bytes, 0xFF, np.uint8)
    component = {"R": 0, "G": 1, "B": 2, "A": 3, "L": 0, "I": 0}
    bits = 0
    for channel in format.channels:
        if channel.letter in component and write_mask >> component[channel.letter] & 1:
            bits |= ((1 << channel.size) - 1) << channel.shift
    return np.frombuffer(bits.to_bytes(format.block_bytes, "little"), np.uint8)


def atomic(state: State, instruction: Instruction, active: Mask) -> None:
    """The old word goes to all channels of the destination. Formats outside of ATOMIC_FORMATS are not changed and return 0."""
    name, operand, target = instruction.opcode.name, instruction.src[0], _target(instruction)
    images = state.arguments.images
    numbers = np.broadcast_to(numbers_of(state, operand.register, images, operand.swizzle[0]), (len(active),))
    coords = state.source(instruction, 1, "int").view(np.int32)
    operands = [
        state.source(instruction, number, instruction.opcode.src_types[number])[:, 0].tolist() for number in range(2, len(instruction.src))
    ]
    old_words = np.zeros(len(active), np.uint32)
    changing = (active & state.alive).tolist()
    for number in set(numbers.tolist()) & set(images):
        image = images[number]
        if image.format not in ATOMIC_FORMATS or name not in (ATOMIC_FORMATS[image.format] or {name}):
            continue
        inside, (planes, rows, columns) = _find(image, target, coords)
        words = image.texels.view(np.uint32)[..., 0]
        for lane in np.flatnonzero(inside & (numbers == number)).tolist():
            place = planes[lane], rows[lane], columns[lane]
            old = int(words[place])
            old_words[lane] = old
            if changing[lane]:
                words[place] = new_word(name, old, [values[lane] for values in operands])
    state.store(instruction, 0, np.repeat(old_words[:, None], 4, axis=1), active)


def resq(state: State, instruction: Instruction, active: Mask) -> None:
    """Width, height, depth or layers as TXQ orders them (cube arrays count cubes), and the number of samples; 0 without an image."""
    operand, target = instruction.src[0], _target(instruction)
    images = state.arguments.images

    def words_of(number: int) -> Bits:
        words = np.zeros((len(active), 4), np.uint32)
        if number in images:
            words[:] = _sizes(images[number], target)
        return words

    words = for_each_unit(len(active), words_of, numbers_of(state, operand.register, images, operand.swizzle[0]))
    state.store(instruction, 0, words, active)


def _sizes(image: ImageData, target: TargetInfo) -> list[int]:
    planes, height, width = image.texels.shape[:3]
    layers = planes // image.samples
    cube = "CUBE" in target.name
    sizes = [width, height, layers][: 2 if cube else target.dimensions]
    if target.layered:
        sizes.append(layers // 6 if cube else layers)
    return [*sizes, 0, 0, 0][:3] + [image.samples]
