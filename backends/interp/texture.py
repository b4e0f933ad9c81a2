"""Texture opcodes: coordinates, level of detail and offsets in the order of each one. The filters are in `sampling`.

The last source names texture and sampler by one number, see `units`. A texture without a sampler counts as absent.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backends.interp.registry import performs
from backends.interp.sampling.fetch import fetch, query_size, sample_count
from backends.interp.sampling.lod import LodMode
from backends.interp.sampling.sample import gather, query_lod, sample
from backends.interp.state import State
from backends.interp.units import NUMBERED, Numbers, for_each_unit, known_target, numbers_of
from backends.interp.values import F32, I32
from backends.pipe.state import SamplerState
from backends.run.result import Bits, Mask
from backends.run.textures import TextureData
from tgsi.language.facts.enums import Processor, TargetInfo
from tgsi.language.ir import Instruction

WITHOUT_LEVELS = frozenset({"BUFFER", "RECT", "SHADOWRECT", "2D_MSAA", "2D_ARRAY_MSAA"})
GATHER_OFFSETS = 4
"""As many texel offsets give each texel of a gather its own."""


def _target(instruction: Instruction) -> TargetInfo:
    return known_target(instruction.texture or "2D", instruction)


def _units(state: State, instruction: Instruction) -> Numbers:
    """The resource numbers of the last source. A texture reached through a handle must have the shape of the instruction's target."""
    operand = instruction.src[-1]
    if operand.register.file in NUMBERED:
        return numbers_of(state, operand.register, state.textures)
    target = _target(instruction).name.removeprefix("SHADOW")
    fitting = {unit for unit, targets in state.handle_targets.items() if target in targets}
    return numbers_of(state, operand.register, fitting, operand.swizzle[0])


def _store_each(state: State, instruction: Instruction, active: Mask, words_of: Callable[[TextureData | None, SamplerState], Bits]) -> None:
    """Store the words that each lane gets from the texture and sampler of its unit; without a sampler there is no texture either."""

    def of_unit(unit: int) -> Bits:
        sampler = state.samplers.get(unit)
        return words_of(None if sampler is None else state.textures.get(unit), sampler or SamplerState())

    state.store(instruction, 0, for_each_unit(len(active), of_unit, _units(state, instruction)), active)


def _store_each_texture(state: State, instruction: Instruction, active: Mask, words_of: Callable[[TextureData | None], Bits]) -> None:
    """Store the words that each lane gets from the texture of its unit, for operations that need no sampler."""
    words = for_each_unit(len(active), lambda unit: words_of(state.textures.get(unit)), _units(state, instruction))
    state.store(instruction, 0, words, active)


def texel_offsets(state: State, instruction: Instruction) -> list[list[I32]]:
    """Texel offsets of each lane by axis. Instructions have one, or gathers four; of other numbers only the first counts."""
    count = len(instruction.offsets)
    gathers = instruction.opcode.name in ("TG4", "GATHER4") and count == GATHER_OFFSETS
    offsets = []
    for offset in instruction.offsets if gathers else instruction.offsets[:1]:
        words = state.registers.read(offset.register)
        offsets.append([np.ascontiguousarray(words[:, channel]).view(np.int32) for channel in offset.swizzle])
    return offsets


def texel_offset(state: State, instruction: Instruction) -> list[I32]:
    """The texel offset of each lane, by axis; empty without offsets."""
    return [axis for offset in texel_offsets(state, instruction) for axis in offset]


def _floats(state: State, instruction: Instruction, source: int) -> F32:
    return state.source(instruction, source, "float").view(np.float32)


def lod_mode_of(state: State, lod_mode: LodMode) -> LodMode:
    """The mode of the level of detail. Vertices have no derivatives, so their implicit level is 0."""
    if state.program.processor is Processor.FRAG or lod_mode not in ("implicit", "bias"):
        return lod_mode
    return "explicit" if lod_mode == "bias" else "zero"


def _sample(
    state: State,
    instruction: Instruction,
    active: Mask,
    coords: F32,
    lod_mode: LodMode,
    lod: F32 | None = None,
    derivatives: tuple[F32, F32] | None = None,
) -> None:
    """Sample with the unit that the last source names."""
    mode = lod_mode_of(state, lod_mode)
    name, offsets = _target(instruction).name, texel_offset(state, instruction)

    def words_of(texture: TextureData | None, sampler: SamplerState) -> Bits:
        return sample(texture, sampler, name, coords, lod_mode=mode, lod=lod, derivatives=derivatives, offsets=offsets)

    _store_each(state, instruction, active, words_of)


@performs("TEX")
def tex(state: State, instruction: Instruction, active: Mask) -> None:
    """Level of detail from the quad's derivatives."""
    _sample(state, instruction, active, _floats(state, instruction, 0), "implicit")


@performs("TEX2")
def tex2(state: State, instruction: Instruction, active: Mask) -> None:
    """TEX with the reference value in b.x."""
    coords = np.concatenate([_floats(state, instruction, 0), _floats(state, instruction, 1)[:, :1]], axis=1)
    _sample(state, instruction, active, coords, "implicit")


@performs("TEX_LZ")
def tex_lz(state: State, instruction: Instruction, active: Mask) -> None:
    """Level 0."""
    _sample(state, instruction, active, _floats(state, instruction, 0), "zero")


@performs("TXB")
def txb(state: State, instruction: Instruction, active: Mask) -> None:
    """The level of TEX plus a.w."""
    coords = _floats(state, instruction, 0)
    _sample(state, instruction, active, coords, "bias", coords[:, 3])


@performs("TXB2")
def txb2(state: State, instruction: Instruction, active: Mask) -> None:
    """The level of TEX plus b.x."""
    _sample(state, instruction, active, _floats(state, instruction, 0), "bias", _floats(state, instruction, 1)[:, 0])


@performs("TXL")
def txl(state: State, instruction: Instruction, active: Mask) -> None:
    """Level a.w."""
    coords = _floats(state, instruction, 0)
    _sample(state, instruction, active, coords, "explicit", coords[:, 3])


@performs("TXL2")
def txl2(state: State, instruction: Instruction, active: Mask) -> None:
    """Level b.x."""
    _sample(state, instruction, active, _floats(state, instruction, 0), "explicit", _floats(state, instruction, 1)[:, 0])


@performs("TXP")
def txp(state: State, instruction: Instruction, active: Mask) -> None:
    """Coordinates and reference divided by a.w."""
    coords = _floats(state, instruction, 0)
    projected: F32 = coords / coords[:, 3:]
    _sample(state, instruction, active, projected, "implicit")


@performs("TXD")
def txd(state: State, instruction: Instruction, active: Mask) -> None:
    """Derivatives are given: b by window x, e by window y."""
    axes = _target(instruction).dimensions
    derivatives = _floats(state, instruction, 1)[:, :axes], _floats(state, instruction, 2)[:, :axes]
    _sample(state, instruction, active, _floats(state, instruction, 0), "gradient", derivatives=derivatives)


@performs("TG4")
def tg4(state: State, instruction: Instruction, active: Mask) -> None:
    """Component b.x (its two low bits) of four texels. For SHADOWCUBEARRAY b.x is the reference value."""
    name, offsets = _target(instruction).name, texel_offsets(state, instruction)
    coords = np.concatenate([_floats(state, instruction, 0), _floats(state, instruction, 1)[:, :1]], axis=1)
    component = (state.source(instruction, 1, "int")[:, 0] & np.uint32(3)).astype(np.int64)

    def words_of(texture: TextureData | None, sampler: SamplerState) -> Bits:
        return gather(texture, sampler, name, coords, component=component, offsets=offsets)

    _store_each(state, instruction, active, words_of)


@performs("LODQ")
def lodq(state: State, instruction: Instruction, active: Mask) -> None:
    """x: the level of detail that TEX would access, y: the one that it computes; z, w: 0."""
    name, coords = _target(instruction).name, _floats(state, instruction, 0)
    mode = lod_mode_of(state, "implicit")
    _store_each(state, instruction, active, lambda texture, sampler: query_lod(texture, sampler, name, coords, lod_mode=mode))


def _fetch(state: State, instruction: Instruction, active: Mask, *, level_zero: bool) -> None:
    coords = state.source(instruction, 0, "int").view(np.int32)
    name, offsets = _target(instruction).name, texel_offset(state, instruction)
    chosen = None if level_zero else coords[:, 3]
    lod, number = (chosen if name not in WITHOUT_LEVELS else None), (chosen if "MSAA" in name else None)
    _store_each_texture(state, instruction, active, lambda texture: fetch(texture, name, coords, lod=lod, sample=number, offsets=offsets))


@performs("TXF")
def txf(state: State, instruction: Instruction, active: Mask) -> None:
    """The texel at integer coordinates of level, or of sample, a.w."""
    _fetch(state, instruction, active, level_zero=False)


@performs("TXF_LZ")
def txf_lz(state: State, instruction: Instruction, active: Mask) -> None:
    """The texel at integer coordinates of level and sample 0."""
    _fetch(state, instruction, active, level_zero=True)


@performs("TXQ")
def txq(state: State, instruction: Instruction, active: Mask) -> None:
    """Sizes of level a.x and the number of levels."""
    name = _target(instruction).name
    lod = None if name in WITHOUT_LEVELS else state.source(instruction, 0, "int").view(np.int32)[:, 0]
    _store_each_texture(state, instruction, active, lambda texture: query_size(texture, name, len(active), lod=lod))


@performs("TXQS")
def txqs(state: State, instruction: Instruction, active: Mask) -> None:
    """The number of samples in all channels: 1 for a texture without multisampling, 0 without a texture."""
    _store_each_texture(state, instruction, active, lambda texture: np.full((len(active), 4), sample_count(texture), np.uint32))
