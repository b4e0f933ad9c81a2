"""Textures and images of `tgsi.run`, for both engines: a format and arrays of texels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.formats.arrays import unpack
from backends.pipe.checks import convert, make
from backends.pipe.enums import Swizzle
from backends.pipe.limits import MAX_BUFFER_BYTES, MAX_SHADER_IMAGES, MAX_TEXTURE_LEVELS
from backends.pipe.state import SamplerState
from tgsi.language._forks import cached_property
from tgsi.language.facts.enums import File
from tgsi.language.ir import RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record

_Swizzles = tuple[Swizzle, Swizzle, Swizzle, Swizzle]
IDENTITY = (Swizzle.X, Swizzle.Y, Swizzle.Z, Swizzle.W)
ROW_BYTES = 64
MAX_UNITS = 128
MAX_SAMPLES = 32

STANDARD_POSITIONS: Mapping[int, tuple[tuple[int, int], ...]] = MappingProxyType(
    {
        2: ((12, 12), (4, 4)),
        4: ((6, 2), (14, 6), (2, 10), (10, 14)),
        8: ((9, 5), (7, 11), (13, 9), (5, 3), (3, 13), (1, 7), (11, 15), (15, 1)),
        16: ((9, 9), (7, 5), (5, 10), (12, 7), (3, 6), (10, 13), (13, 11), (11, 3))
        + ((6, 14), (8, 1), (4, 2), (2, 12), (0, 8), (15, 4), (14, 15), (1, 0)),
    }
)
"""Number of samples to their positions, x and y in 1/16 pixel: Direct3D's patterns. Other counts put every sample at the center."""


@record(slots=False)
class TextureData:
    """A sampler view with its texels.

    levels: one array for each mip level of the view, (layers, height, width, block_bytes) of uint8. `layers` counts the slices of a 3D
    texture, the layers of an array or the faces of cubes; for other textures it is 1.
    samples: more than 1 for a multisampled texture, which has one level; sample s of layer k is plane ``s * layers + k`` of the first axis.
    """

    format: Format
    levels: tuple[NDArray[np.uint8], ...]
    swizzle: _Swizzles = IDENTITY
    samples: int = 1
    _decoded: dict[int, NDArray[Any]] = field(init=False, default_factory=dict, repr=False, compare=False)

    def texels(self, level: int) -> NDArray[Any]:
        """Decoded texels of a level, (layers, height, width, 4) of float32, uint32 or int32 as `Format.kind` says; decoded once."""
        if level not in self._decoded:
            raw = self.levels[level]
            self._decoded[level] = unpack(self.format, np.ascontiguousarray(raw).reshape(-1)).reshape(*raw.shape[:3], 4)
        return self._decoded[level]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Width, height and layers of each level, (levels, 3)."""
        return np.array([[a.shape[2], a.shape[1], a.shape[0] // self.samples] for a in self.levels], np.int64)

    @property
    def one(self) -> int:
        """Word of a channel that is 1: the integer, or 1.0."""
        return 1 if self.format.is_integer else 0x3F800000


@record(frozen=False, eq=False)
class ImageData:
    """An image that a run writes. texels: (layers, height, width, block_bytes) of uint8; samples as in `TextureData`."""

    format: Format
    texels: NDArray[np.uint8]
    samples: int = 1


def row_bytes(level: NDArray[np.uint8]) -> int:
    """Bytes of a row of a level in memory, rounded up to a multiple of ROW_BYTES."""
    return -(-int(level.shape[2] * level.shape[3]) // ROW_BYTES) * ROW_BYTES


def texture_targets(program: Program) -> dict[int, frozenset[str]]:
    """Sampler unit or SVIEW register to the targets, without SHADOW, as which the program reads it.

    An instruction with an indirect unit counts for every declared unit.
    """
    targets_of: defaultdict[int, set[str]] = defaultdict(set)
    for declaration in program.declared(File.SVIEW):
        if declaration.view is not None:
            for unit in range(declaration.first, declaration.last + 1):
                targets_of[unit].add(_unshadowed(declaration.view.target))
    for instruction in program.instructions:
        if instruction.texture is None:
            continue
        for operand in instruction.src:
            if operand.register.file is File.SAMP:
                for unit in _units(program, operand.register):
                    targets_of[unit].add(_unshadowed(instruction.texture))
    return {unit: frozenset(targets) for unit, targets in targets_of.items()}


def handle_targets(program: Program, textures: Mapping[int, TextureData]) -> dict[int, frozenset[str]]:
    """Bound unit to the targets, without SHADOW, as which handles in value registers may read it. As any other target it reads as unbound.

    A unit that the program names by SAMP or SVIEW has the targets of those instructions and declarations. Any other unit has all targets
    of the program's handle instructions that its texture fits.
    """
    named = texture_targets(program)
    wanted = {_unshadowed(i.texture) for i in program.instructions if i.texture is not None and i.src[-1].register.file is not File.SAMP}
    return {
        unit: named[unit] if unit in named else frozenset(target for target in wanted if _fits(texture, target))
        for unit, texture in textures.items()
    }


def _fits(texture: TextureData, target: str) -> bool:
    try:
        _check_levels("", texture, frozenset({target}))
    except ValueError:
        return False
    return True


def _units(program: Program, register: RegisterRef) -> range:
    return range(program.file_size(File.SAMP)) if register.indirect is not None else range(register.index, register.index + 1)


def _unshadowed(target: str) -> str:
    return target.removeprefix("SHADOW")


def _check_units(name: str, items: Mapping[int, Any], kind: type[Any], limit: int) -> None:
    for unit, item in items.items():
        if not isinstance(unit, int) or not 0 <= unit < limit:
            raise ValueError(f"{name}: {unit!r} is not a unit from 0 to {limit - 1}")
        if not isinstance(item, kind):
            raise TypeError(f"{name}[{unit}] must be a {kind.__name__}, not {type(item).__name__}")


def check_textures(program: Program, textures: Mapping[int, TextureData]) -> None:
    """Check that every texture can be read as the targets that the program uses.

    Raises TypeError or ValueError, whose message names the argument, for wrong types, a unit out of range, levels that do not fit their
    format or each other, cubes without six square faces, or more than `MAX_BUFFER_BYTES`.
    """
    _check_units("textures", textures, TextureData, MAX_UNITS)
    targets = texture_targets(program)
    for unit, texture in textures.items():
        _check_levels(f"textures[{unit}]", texture, targets.get(unit, frozenset()))


def sampler_states(samplers: Mapping[int, SamplerState]) -> dict[int, SamplerState]:
    """Copies of sampler states in which enumerations given as numbers or names are members.

    Raises TypeError or ValueError, whose message names the argument and the field.
    """
    _check_units("samplers", samplers, SamplerState, MAX_UNITS)
    return {  # `make` would turn a border color's integers into floats, which are not exact
        unit: replace(make(SamplerState, state, {}, f"samplers[{unit}]"), border_color=state.border_color)
        for unit, state in samplers.items()
    }


def writable_images(images: Mapping[int, TextureData]) -> dict[int, ImageData]:
    """Copies of a run's images, which the run may write.

    Raises TypeError or ValueError, whose message names the argument, for wrong types, a unit out of range, a number of levels other than
    one, texels that do not fit their format, and formats of depth and stencil.
    """
    _check_units("images", images, TextureData, MAX_SHADER_IMAGES)
    copies = {}
    for unit, image in images.items():
        _check_levels(f"images[{unit}]", image, frozenset())
        if len(image.levels) != 1:
            raise ValueError(f"images[{unit}] must have one level, not {len(image.levels)}")
        if image.format.is_depth_stencil:
            raise ValueError(f"images[{unit}] cannot be {image.format.name}: images hold colors")
        copies[unit] = ImageData(image.format, np.array(image.levels[0], order="C"), image.samples)
    return copies


def _check_levels(name: str, texture: TextureData, targets: frozenset[str]) -> None:
    if not isinstance(texture.format, Format):
        raise TypeError(f"{name}: format must be a Format, not {type(texture.format).__name__}")
    if convert(_Swizzles, texture.swizzle, f"{name}: swizzle") != texture.swizzle:
        raise TypeError(f"{name}: swizzle must be four members of Swizzle")
    if not isinstance(texture.levels, tuple | list):
        raise TypeError(f"{name}: levels must be a tuple of arrays, not {type(texture.levels).__name__}")
    if not 1 <= len(texture.levels) <= MAX_TEXTURE_LEVELS:
        raise ValueError(f"{name} must have 1 to {MAX_TEXTURE_LEVELS} levels, not {len(texture.levels)}")
    for k, level in enumerate(texture.levels):
        if not isinstance(level, np.ndarray) or level.dtype != np.uint8:
            raise TypeError(f"{name}: level {k} must be an array of uint8")
        if level.ndim != 4 or level.shape[3] != texture.format.block_bytes or not level.size:
            shape = f"(layers, height, width, {texture.format.block_bytes})"
            raise ValueError(f"{name}: level {k} must have shape {shape} for {texture.format.name}, not {level.shape}")
    layers, height, width, _ = texture.levels[0].shape
    samples = texture.samples
    if not isinstance(samples, int) or not 1 <= samples <= MAX_SAMPLES or layers % samples:
        raise ValueError(f"{name}: samples must be from 1 to {MAX_SAMPLES} and divide the {layers} planes, not {samples!r}")
    if samples > 1 and (len(texture.levels) > 1 or any("MSAA" not in target for target in targets)):
        raise ValueError(f"{name} has {samples} samples: it has one level, and is read as 2D_MSAA or 2D_ARRAY_MSAA")
    for k, level in enumerate(texture.levels):
        depths = {layers if target != "3D" else max(1, layers >> k) for target in targets} or {level.shape[0]}
        if level.shape[1:3] != (max(1, height >> k), max(1, width >> k)) or depths != {level.shape[0]}:
            raise ValueError(f"{name}: level {k} has shape {level.shape}, which does not follow from level 0, {texture.levels[0].shape}")
    if sum(level.shape[0] * level.shape[1] * row_bytes(level) for level in texture.levels) > MAX_BUFFER_BYTES:
        raise ValueError(f"{name} takes more than {MAX_BUFFER_BYTES >> 20} MiB, rows rounded up to {ROW_BYTES} bytes")
    if any("CUBE" in target for target in targets) and (width != height or layers % 6):
        raise ValueError(f"{name} is read as a cube: faces are square and come in sixes, not {(layers, height, width)}")
