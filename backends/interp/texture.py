"""Texture opcodes: coordinates, level of detail and offsets as each one orders them. The filters are in `sampling`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from backends.gallium.state import SamplerState
from backends.interp.registry import performs
from backends.interp.sampling import LodMode, fetch, query_size, sample
from backends.interp.values import F32, I32
from backends.result import Bits, Mask
from tgsi.enums import TARGETS, File, Processor, TargetInfo
from tgsi.ir import Instruction

if TYPE_CHECKING:
    from backends.interp.machine import Machine

WITHOUT_LEVELS = frozenset({"BUFFER", "RECT", "SHADOWRECT"})


def _missing(instruction: Instruction) -> str:
    """Multisampled targets and several offsets are not there yet."""
    info, register = _target(instruction), instruction.src[-1].register
    if not info.coords or "MSAA" in info.name:
        return f"{instruction.opcode.name} of {info.name} targets"
    if register.file is not File.SAMP or register.dimension is not None:
        return "another sampler operand than SAMP[number]"
    return "several texel offsets" if len(instruction.offsets) > 1 else ""


def _target(instruction: Instruction) -> TargetInfo:
    return TARGETS[instruction.texture or "2D"]


def _for_each_unit(machine: Machine, instruction: Instruction, words_of: Callable[[int], Bits]) -> Bits:
    """The words that each lane gets from the unit that the last source names, which may differ between lanes."""
    register = instruction.src[-1].register
    unit = machine.registers.index(register.index, register.indirect)
    if isinstance(unit, int):
        return words_of(unit)
    result = np.zeros((len(unit), 4), np.uint32)
    for number in set(unit.tolist()):
        chosen = unit == number
        result[chosen] = words_of(number)[chosen]
    return result


def texel_offsets(machine: Machine, instruction: Instruction) -> list[I32]:
    """Of each lane, by axis."""
    return [
        np.ascontiguousarray(machine.registers.read(offset.register)[:, channel]).view(np.int32)
        for offset in instruction.offsets
        for channel in offset.swizzle
    ]


def _floats(machine: Machine, instruction: Instruction, source: int) -> F32:
    return machine.source(instruction, source, "float").view(np.float32)


def lod_mode_of(machine: Machine, lod_mode: LodMode) -> LodMode:
    """Vertices have no derivatives: their implicit level is 0."""
    if machine.program.processor is Processor.FRAG or lod_mode not in ("implicit", "bias"):
        return lod_mode
    return "explicit" if lod_mode == "bias" else "zero"


def _sample(
    machine: Machine,
    instruction: Instruction,
    active: Mask,
    coords: F32,
    lod_mode: LodMode,
    lod: F32 | None = None,
    derivatives: tuple[F32, F32] | None = None,
) -> None:
    """Sample with the unit that the last source names."""
    mode = lod_mode_of(machine, lod_mode)
    name, offsets = _target(instruction).name, texel_offsets(machine, instruction)

    def words_of(unit: int) -> Bits:
        """Without a sampler there is no texture either."""
        sampler = machine.samplers.get(unit)
        texture = None if sampler is None else machine.textures.get(unit)
        return sample(texture, sampler or SamplerState(), name, coords, lod_mode=mode, lod=lod, derivatives=derivatives, offsets=offsets)

    machine.store(instruction, 0, _for_each_unit(machine, instruction, words_of), active)


@performs("TEX", check=_missing)
def tex(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Level of detail from the quad's derivatives."""
    _sample(machine, instruction, active, _floats(machine, instruction, 0), "implicit")


@performs("TEX2", check=_missing)
def tex2(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """As TEX; the reference value is b.x."""
    coords = np.concatenate([_floats(machine, instruction, 0), _floats(machine, instruction, 1)[:, :1]], axis=1)
    _sample(machine, instruction, active, coords, "implicit")


@performs("TEX_LZ", check=_missing)
def tex_lz(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Level 0."""
    _sample(machine, instruction, active, _floats(machine, instruction, 0), "zero")


@performs("TXB", check=_missing)
def txb(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The level of TEX plus a.w."""
    coords = _floats(machine, instruction, 0)
    _sample(machine, instruction, active, coords, "bias", coords[:, 3])


@performs("TXB2", check=_missing)
def txb2(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The level of TEX plus b.x."""
    _sample(machine, instruction, active, _floats(machine, instruction, 0), "bias", _floats(machine, instruction, 1)[:, 0])


@performs("TXL", check=_missing)
def txl(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Level a.w."""
    coords = _floats(machine, instruction, 0)
    _sample(machine, instruction, active, coords, "explicit", coords[:, 3])


@performs("TXL2", check=_missing)
def txl2(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Level b.x."""
    _sample(machine, instruction, active, _floats(machine, instruction, 0), "explicit", _floats(machine, instruction, 1)[:, 0])


@performs("TXP", check=_missing)
def txp(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Coordinates and reference divided by a.w."""
    coords = _floats(machine, instruction, 0)
    projected: F32 = coords / coords[:, 3:]
    _sample(machine, instruction, active, projected, "implicit")


@performs("TXD", check=_missing)
def txd(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Derivatives are given: b by window x, e by window y."""
    axes = _target(instruction).dimensions
    derivatives = _floats(machine, instruction, 1)[:, :axes], _floats(machine, instruction, 2)[:, :axes]
    _sample(machine, instruction, active, _floats(machine, instruction, 0), "gradient", derivatives=derivatives)


def _fetch(machine: Machine, instruction: Instruction, active: Mask, *, with_level: bool) -> None:
    coords = machine.source(instruction, 0, "int").view(np.int32)
    info = _target(instruction)
    lod = coords[:, 3] if with_level and info.name not in WITHOUT_LEVELS else None
    offsets = texel_offsets(machine, instruction)

    def words_of(unit: int) -> Bits:
        return fetch(machine.textures.get(unit), info.name, coords, lod=lod, offsets=offsets)

    machine.store(instruction, 0, _for_each_unit(machine, instruction, words_of), active)


@performs("TXF", check=_missing)
def txf(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The texel at integer coordinates of level a.w."""
    _fetch(machine, instruction, active, with_level=True)


@performs("TXF_LZ", check=_missing)
def txf_lz(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The texel at integer coordinates of level 0."""
    _fetch(machine, instruction, active, with_level=False)


@performs("TXQ", check=_missing)
def txq(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Sizes of level a.x and the number of levels."""
    info = _target(instruction)
    lod = None if info.name in WITHOUT_LEVELS else machine.source(instruction, 0, "int").view(np.int32)[:, 0]

    def words_of(unit: int) -> Bits:
        return query_size(machine.textures.get(unit), info.name, len(active), lod=lod)

    machine.store(instruction, 0, _for_each_unit(machine, instruction, words_of), active)


@performs("TXQS", check=_missing)
def txqs(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Number of samples: 1, as multisampled textures are not there yet."""
    machine.store(instruction, 0, np.ones((len(active), 4), np.uint32), active)
