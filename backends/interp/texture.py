"""Texture opcodes: coordinates, level of detail and offsets as each one orders them. The filters are in `sampling`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from backends.gallium.state import SamplerState
from backends.interp.registry import performs
from backends.interp.sampling import LodMode, TextureData, fetch, query_size, sample
from backends.interp.values import F32, I32
from backends.result import Mask
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import TARGETS, File, Processor, TargetInfo
from tgsi.ir import Instruction

if TYPE_CHECKING:
    from backends.interp.machine import Machine

WITHOUT_LEVELS = frozenset({"BUFFER", "RECT", "SHADOWRECT"})


def _target(instruction: Instruction) -> TargetInfo:
    info = TARGETS[instruction.texture or "2D"]
    if not info.coords or "MSAA" in info.name:
        raise UnsupportedError.at("B051", f"the interpreter does not sample {info.name} targets yet", instruction.span)
    return info


def _unit(instruction: Instruction, source: int) -> int:
    register = instruction.src[source].register
    if register.file is not File.SAMP or register.indirect is not None or register.dimension is not None:
        raise UnsupportedError.at("B051", "the interpreter takes only SAMP[number] as a sampler", instruction.span)
    return register.index


def _bound(machine: Machine, instruction: Instruction, source: int) -> tuple[TextureData | None, SamplerState]:
    """Texture and sampler of a unit; without a sampler there is no texture either."""
    unit = _unit(instruction, source)
    sampler = machine.samplers.get(unit)
    return (None, SamplerState()) if sampler is None else (machine.textures.get(unit), sampler)


def _offsets(machine: Machine, instruction: Instruction) -> list[I32]:
    if len(instruction.offsets) > 1:
        raise UnsupportedError.at("B051", "several texel offsets are not supported by the interpreter yet", instruction.span)
    return [
        np.ascontiguousarray(machine.registers.read(offset.register)[:, channel]).view(np.int32)
        for offset in instruction.offsets
        for channel in offset.swizzle
    ]


def _floats(machine: Machine, instruction: Instruction, source: int) -> F32:
    return machine.source(instruction, source, "float").view(np.float32)


def _sample(
    machine: Machine,
    instruction: Instruction,
    active: Mask,
    coords: F32,
    mode: LodMode,
    lod: F32 | None = None,
    derivatives: tuple[F32, F32] | None = None,
) -> None:
    """Sample with the unit that the last source names. Vertices have no derivatives: their implicit level is 0."""
    texture, sampler = _bound(machine, instruction, len(instruction.src) - 1)
    if machine.program.processor is not Processor.FRAG and mode in ("implicit", "bias"):
        mode = "explicit" if mode == "bias" else "zero"
    words = sample(
        texture,
        sampler,
        _target(instruction).name,
        coords,
        lod_mode=mode,
        lod=lod,
        derivatives=derivatives,
        offsets=_offsets(machine, instruction),
    )
    machine.store(instruction, 0, words, active)


@performs("TEX")
def tex(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Level of detail from the quad's derivatives."""
    _sample(machine, instruction, active, _floats(machine, instruction, 0), "implicit")


@performs("TEX2")
def tex2(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """As TEX; the reference value is b.x."""
    coords = np.concatenate([_floats(machine, instruction, 0), _floats(machine, instruction, 1)[:, :1]], axis=1)
    _sample(machine, instruction, active, coords, "implicit")


@performs("TEX_LZ")
def tex_lz(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Level 0."""
    _sample(machine, instruction, active, _floats(machine, instruction, 0), "zero")


@performs("TXB")
def txb(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The level of TEX plus a.w."""
    coords = _floats(machine, instruction, 0)
    _sample(machine, instruction, active, coords, "bias", coords[:, 3])


@performs("TXB2")
def txb2(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The level of TEX plus b.x."""
    _sample(machine, instruction, active, _floats(machine, instruction, 0), "bias", _floats(machine, instruction, 1)[:, 0])


@performs("TXL")
def txl(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Level a.w."""
    coords = _floats(machine, instruction, 0)
    _sample(machine, instruction, active, coords, "explicit", coords[:, 3])


@performs("TXL2")
def txl2(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Level b.x."""
    _sample(machine, instruction, active, _floats(machine, instruction, 0), "explicit", _floats(machine, instruction, 1)[:, 0])


@performs("TXP")
def txp(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Coordinates and reference divided by a.w."""
    coords = _floats(machine, instruction, 0)
    projected: F32 = coords / coords[:, 3:]
    _sample(machine, instruction, active, projected, "implicit")


@performs("TXD")
def txd(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Derivatives are given: b by window x, e by window y."""
    axes = _target(instruction).dimensions
    derivatives = _floats(machine, instruction, 1)[:, :axes], _floats(machine, instruction, 2)[:, :axes]
    _sample(machine, instruction, active, _floats(machine, instruction, 0), "gradient", derivatives=derivatives)


def _fetch(machine: Machine, instruction: Instruction, active: Mask, *, with_level: bool) -> None:
    coords = machine.source(instruction, 0, "int").view(np.int32)
    info = _target(instruction)
    lod = coords[:, 3] if with_level and info.name not in WITHOUT_LEVELS else None
    texture = machine.textures.get(_unit(instruction, 1))
    machine.store(instruction, 0, fetch(texture, info.name, coords, lod=lod, offsets=_offsets(machine, instruction)), active)


@performs("TXF")
def txf(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The texel at integer coordinates of level a.w."""
    _fetch(machine, instruction, active, with_level=True)


@performs("TXF_LZ")
def txf_lz(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The texel at integer coordinates of level 0."""
    _fetch(machine, instruction, active, with_level=False)


@performs("TXQ")
def txq(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Sizes of level a.x and the number of levels."""
    info = _target(instruction)
    lod = None if info.name in WITHOUT_LEVELS else machine.source(instruction, 0, "int").view(np.int32)[:, 0]
    words = query_size(machine.textures.get(_unit(instruction, 1)), info.name, len(active), lod=lod)
    machine.store(instruction, 0, words, active)


@performs("TXQS")
def txqs(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Number of samples: 1, as multisampled textures are not there yet."""
    _unit(instruction, 0)
    machine.store(instruction, 0, np.ones((len(active), 4), np.uint32), active)
