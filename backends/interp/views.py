"""SAMPLE and its relatives: view and sampler are operands of their own, the target is the one that the view was declared with.

The swizzle of the view operand picks among the channels read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from backends.gallium.state import SamplerState
from backends.interp.registry import performs
from backends.interp.sampling import LodMode, fetch, query_size, sample
from backends.interp.texture import WITHOUT_LEVELS, lod_mode_of, texel_offsets
from backends.interp.values import F32
from backends.result import Bits, Mask
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import TARGETS, File
from tgsi.ir import Instruction

if TYPE_CHECKING:
    from backends.interp.machine import Machine

REFERENCE = {"z": 2, "w": 3, "src1.x": 4}
"""Where the shadow targets expect the reference value."""


def _missing(instruction: Instruction) -> str:
    """Views chosen at run time and several offsets are not there yet."""
    views = [operand.register for operand in instruction.src if operand.register.file in (File.SVIEW, File.SAMP)]
    if not views or views[0].file is not File.SVIEW or any(register.indirect or register.dimension for register in views):
        return "another view operand than SVIEW[number]"
    return "several texel offsets" if len(instruction.offsets) > 1 else ""


def target_of(machine: Machine, instruction: Instruction) -> str:
    """The target that the declaration of an instruction's view names; 2D where there is none."""
    number = instruction.src[1].register.index
    declared = (d.view.target for d in machine.program.declared(File.SVIEW) if d.covers(number) and d.view is not None)
    return _known(next(declared, "2D"), instruction)


def _known(target: str, instruction: Instruction) -> str:
    if target not in TARGETS or not TARGETS[target].coords or "MSAA" in target:
        raise UnsupportedError.at("B051", f"the interpreter does not run {instruction.opcode.name} of {target} views yet", instruction.span)
    return target


def _floats(machine: Machine, instruction: Instruction, source: int) -> F32:
    return machine.source(instruction, source, "float").view(np.float32)


def _store(machine: Machine, instruction: Instruction, words: Bits, active: Mask) -> None:
    machine.store(instruction, 0, words[:, list(instruction.src[1].swizzle)], active)


def _sample(
    machine: Machine,
    instruction: Instruction,
    active: Mask,
    lod_mode: LodMode,
    *,
    lod: F32 | None = None,
    reference: F32 | None = None,
    derivatives: tuple[F32, F32] | None = None,
) -> None:
    coords, target = _floats(machine, instruction, 0), target_of(machine, instruction)
    if reference is not None:
        target = _known(f"SHADOW{target}", instruction)
        coords = np.concatenate([coords, coords[:, :1]], axis=1)
        coords[:, REFERENCE[TARGETS[target].shadow]] = reference
    sampler = machine.samplers.get(instruction.src[2].register.index)
    texture = None if sampler is None else machine.textures.get(instruction.src[1].register.index)
    words = sample(
        texture,
        sampler or SamplerState(),
        target,
        coords,
        lod_mode=lod_mode_of(machine, lod_mode),
        lod=lod,
        derivatives=derivatives,
        offsets=texel_offsets(machine, instruction),
    )
    _store(machine, instruction, words, active)


@performs("SAMPLE", check=_missing)
def sample_implicit(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Level of detail from the quad's derivatives."""
    _sample(machine, instruction, active, "implicit")


@performs("SAMPLE_B", check=_missing)
def sample_b(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The level of SAMPLE plus f.x."""
    _sample(machine, instruction, active, "bias", lod=_floats(machine, instruction, 3)[:, 0])


@performs("SAMPLE_L", check=_missing)
def sample_l(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Level f.x."""
    _sample(machine, instruction, active, "explicit", lod=_floats(machine, instruction, 3)[:, 0])


@performs("SAMPLE_D", check=_missing)
def sample_d(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Derivatives are given: f by window x, g by window y."""
    axes = TARGETS[target_of(machine, instruction)].dimensions
    derivatives = _floats(machine, instruction, 3)[:, :axes], _floats(machine, instruction, 4)[:, :axes]
    _sample(machine, instruction, active, "gradient", derivatives=derivatives)


@performs("SAMPLE_C", check=_missing)
def sample_c(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Texels are compared with f.x."""
    _sample(machine, instruction, active, "implicit", reference=_floats(machine, instruction, 3)[:, 0])


@performs("SAMPLE_C_LZ", check=_missing)
def sample_c_lz(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Texels of level 0 are compared with f.x."""
    _sample(machine, instruction, active, "zero", reference=_floats(machine, instruction, 3)[:, 0])


@performs("SAMPLE_I", check=_missing)
def sample_i(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The texel at integer coordinates of level a.w."""
    coords = machine.source(instruction, 0, "int").view(np.int32)
    target = target_of(machine, instruction)
    lod = None if target in WITHOUT_LEVELS else coords[:, 3]
    texture = machine.textures.get(instruction.src[1].register.index)
    _store(machine, instruction, fetch(texture, target, coords, lod=lod, offsets=texel_offsets(machine, instruction)), active)


@performs("SVIEWINFO", check=_missing)
def sviewinfo(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Sizes of level a.x, 0 where there is no such level, and the number of levels."""
    level = machine.source(instruction, 0, "int").view(np.int32)[:, 0]
    texture = machine.textures.get(instruction.src[1].register.index)
    words = query_size(texture, target_of(machine, instruction), len(active), lod=level)
    words[:, :3] = np.where((level.view(np.uint32) < words[:, 3])[:, None], words[:, :3], np.uint32(0))
    _store(machine, instruction, words, active)
