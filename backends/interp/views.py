"""SAMPLE and its relatives: view and sampler are separate operands, and the target is that of the view's declaration.

The swizzle of the view operand orders the channels of the result. A view whose number comes from an address or a handle must be declared;
a view that is named and not declared is 2D.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backends.interp.registry import performs
from backends.interp.sampling.fetch import fetch, query_size, sample_count, sample_positions, standard_positions
from backends.interp.sampling.lod import LodMode
from backends.interp.sampling.sample import gather, query_lod, sample
from backends.interp.state import State
from backends.interp.texture import WITHOUT_LEVELS, lod_mode_of, texel_offset, texel_offsets
from backends.interp.units import NUMBERED, for_each_unit, in_order, known_target, numbers_of
from backends.interp.values import F32
from backends.pipe.state import SamplerState
from backends.run.result import Bits, Mask
from backends.run.textures import TextureData
from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.ir import Declaration, Instruction, SrcOperand
from tgsi.language.record import record

Viewed = Callable[[TextureData | None, str], Bits]
Sampled = Callable[[TextureData | None, SamplerState, str], Bits]


@record(slots=False)
class Covered:
    """The numbers of declared registers; there may be billions."""

    declarations: tuple[Declaration, ...]

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and any(declaration.covers(number) for declaration in self.declarations)


def _declared_target(state: State, number: int) -> str:
    """The target of a view; 2D without a declaration."""
    declared = (d.view.target for d in state.program.declared(File.SVIEW) if d.covers(number) and d.view is not None)
    return next(declared, "2D")


def _for_each_view(state: State, operand: SrcOperand, words_of: Viewed, instruction: Instruction) -> Bits:
    """(lanes, 4) words: the result of `words_of` for the texture and target of each lane's view."""
    return _for_each(state, instruction, operand, None, lambda texture, _, target: words_of(texture, target))


def _for_each(state: State, instruction: Instruction, view: SrcOperand, sampler: SrcOperand | None, words_of: Sampled) -> Bits:
    """(lanes, 4) words, as `_for_each_view`, with samplers. Each operand is independent; without a sampler there is no texture either."""
    register, textures = view.register, state.textures
    direct = register.file in NUMBERED and register.indirect is None
    views = register.index if direct else numbers_of(state, register, Covered(state.program.declared(File.SVIEW)), view.swizzle[0])
    samplers = 0 if sampler is None else numbers_of(state, sampler.register, state.samplers, sampler.swizzle[0])

    def of_numbers(view_number: int, sampler_number: int) -> Bits:
        target = known_target(_declared_target(state, view_number), instruction).name
        chosen = SamplerState() if sampler is None else state.samplers.get(sampler_number)
        return words_of(None if chosen is None else textures.get(view_number), chosen or SamplerState(), target)

    return for_each_unit(state.arguments.lanes, of_numbers, views, samplers)


def _floats(state: State, instruction: Instruction, source: int) -> F32:
    return state.source(instruction, source, "float").view(np.float32)


def _store(state: State, instruction: Instruction, words: Bits, active: Mask) -> None:
    state.store(instruction, 0, in_order(instruction.src[1], words), active)


def _sample(
    state: State,
    instruction: Instruction,
    active: Mask,
    lod_mode: LodMode,
    *,
    lod: F32 | None = None,
    reference: F32 | None = None,
    derivatives: tuple[F32, F32] | None = None,
) -> None:
    """Sample. With `reference`, views of all targets are compared with it; SHADOW targets are sampled like others without one."""
    coords, offsets = _floats(state, instruction, 0), texel_offset(state, instruction)
    mode = lod_mode_of(state, lod_mode)

    def words_of(texture: TextureData | None, sampler: SamplerState, target: str) -> Bits:
        axes = TARGETS[target].dimensions
        changes = None if derivatives is None else (derivatives[0][:, :axes], derivatives[1][:, :axes])
        return sample(
            texture,
            sampler,
            target,
            coords,
            lod_mode=mode,
            lod=lod,
            derivatives=changes,
            offsets=offsets,
            reference=reference,
        )

    _store(state, instruction, _for_each(state, instruction, instruction.src[1], instruction.src[2], words_of), active)


@performs("SAMPLE")
def sample_implicit(state: State, instruction: Instruction, active: Mask) -> None:
    """Level of detail from the quad's derivatives."""
    _sample(state, instruction, active, "implicit")


@performs("SAMPLE_B")
def sample_b(state: State, instruction: Instruction, active: Mask) -> None:
    """The level of SAMPLE plus f.x."""
    _sample(state, instruction, active, "bias", lod=_floats(state, instruction, 3)[:, 0])


@performs("SAMPLE_L")
def sample_l(state: State, instruction: Instruction, active: Mask) -> None:
    """Level f.x."""
    _sample(state, instruction, active, "explicit", lod=_floats(state, instruction, 3)[:, 0])


@performs("SAMPLE_D")
def sample_d(state: State, instruction: Instruction, active: Mask) -> None:
    """Derivatives are given: f by window x, g by window y."""
    _sample(state, instruction, active, "gradient", derivatives=(_floats(state, instruction, 3), _floats(state, instruction, 4)))


@performs("SAMPLE_C")
def sample_c(state: State, instruction: Instruction, active: Mask) -> None:
    """Texels are compared with f.x."""
    _sample(state, instruction, active, "implicit", reference=_floats(state, instruction, 3)[:, 0])


@performs("SAMPLE_C_LZ")
def sample_c_lz(state: State, instruction: Instruction, active: Mask) -> None:
    """Texels of level 0 are compared with f.x."""
    _sample(state, instruction, active, "zero", reference=_floats(state, instruction, 3)[:, 0])


@performs("GATHER4")
def gather4(state: State, instruction: Instruction, active: Mask) -> None:
    """Four texels; the x of the sampler operand's swizzle selects the component, red by default."""
    coords, offsets = _floats(state, instruction, 0), texel_offsets(state, instruction)
    view, sampler = instruction.src[1], instruction.src[2]

    def words_of(texture: TextureData | None, sampler: SamplerState, target: str) -> Bits:
        return gather(texture, sampler, target, coords, component=component, offsets=offsets)

    component = sampler.swizzle[0] if sampler.register.file in NUMBERED else 0
    _store(state, instruction, _for_each(state, instruction, view, sampler, words_of), active)


@performs("LOD")
def lod(state: State, instruction: Instruction, active: Mask) -> None:
    """x: the level of detail that SAMPLE would access, y: the one that it computes; z, w: 0; in the order of the view's swizzle."""
    coords, mode = _floats(state, instruction, 0), lod_mode_of(state, "implicit")

    def words_of(texture: TextureData | None, sampler: SamplerState, target: str) -> Bits:
        return query_lod(texture, sampler, target, coords, lod_mode=mode)

    _store(state, instruction, _for_each(state, instruction, instruction.src[1], instruction.src[2], words_of), active)


@performs("SAMPLE_I")
def sample_i(state: State, instruction: Instruction, active: Mask) -> None:
    """The texel at integer coordinates of level, or of sample, a.w."""
    coords, offsets = state.source(instruction, 0, "int").view(np.int32), texel_offset(state, instruction)

    def words_of(texture: TextureData | None, target: str) -> Bits:
        level = None if target in WITHOUT_LEVELS else coords[:, 3]
        number = coords[:, 3] if "MSAA" in target else None
        return fetch(texture, target, coords, lod=level, sample=number, offsets=offsets)

    _store(state, instruction, _for_each_view(state, instruction.src[1], words_of, instruction), active)


@performs("SAMPLE_I_MS")
def sample_i_ms(state: State, instruction: Instruction, active: Mask) -> None:
    """The texel at integer coordinates of sample e.x."""
    coords, offsets = state.source(instruction, 0, "int").view(np.int32), texel_offset(state, instruction)
    number = state.source(instruction, 2, "int").view(np.int32)[:, 0]

    def words_of(texture: TextureData | None, target: str) -> Bits:
        return fetch(texture, target, coords, sample=number, offsets=offsets)

    _store(state, instruction, _for_each_view(state, instruction.src[1], words_of, instruction), active)


@performs("SVIEWINFO")
def sviewinfo(state: State, instruction: Instruction, active: Mask) -> None:
    """Sizes of level a.x (0 if there is no such level) and the number of levels. The view's swizzle does not apply."""
    level = state.source(instruction, 0, "int").view(np.int32)[:, 0]
    words = _for_each_view(state, instruction.src[1], lambda t, target: query_size(t, target, len(active), lod=level), instruction)
    words[:, :3] = np.where((level.view(np.uint32) < words[:, 3])[:, None], words[:, :3], np.uint32(0))
    state.store(instruction, 0, words, active)


@performs("SAMPLE_INFO")
def sample_info(state: State, instruction: Instruction, active: Mask) -> None:
    """The number of samples of a view, or of the render targets for a register other than a view, in x; 0 in y, z, w. The swizzle
    follows."""
    operand = instruction.src[0]

    def of_count(count: int) -> Bits:
        return np.tile(np.array([count, 0, 0, 0], np.uint32), (len(active), 1))

    if operand.register.file is File.SVIEW:
        words = _for_each_view(state, operand, lambda texture, _: of_count(sample_count(texture)), instruction)
    else:
        words = of_count(len(state.arguments.sample_positions))
    state.store(instruction, 0, words[:, list(operand.swizzle)], active)


@performs("SAMPLE_POS")
def sample_pos(state: State, instruction: Instruction, active: Mask) -> None:
    """Position of sample b.x in a pixel in x, y; 0 in z, w. Views have the usual patterns; other registers refer to the render targets."""
    operand = instruction.src[0]
    index = state.source(instruction, 1, "int").view(np.int32)[:, 0]
    if operand.register.file is File.SVIEW:
        words = _for_each_view(state, operand, lambda texture, _: sample_positions(standard_positions(texture), index), instruction)
    else:
        words = sample_positions(state.arguments.sample_positions, index)
    state.store(instruction, 0, words[:, list(operand.swizzle)], active)
