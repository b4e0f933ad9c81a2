"""The reference interpreter over the quad of a logged fragment, with the constants, textures and samplers that its draw has bound."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.memory import BoundView
from backends.interp.run import run
from backends.pipe.enums import TextureTarget
from backends.run.textures import TextureData
from tgsi.insight.fragment_log import FragmentLog, LoggedFragment
from tgsi.insight.logging_program import QUAD
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import OTHER_LANES, Trait
from tgsi.language.program import Program

Words = NDArray[np.uint32]


def can_run(program: Program, *, looks_around: bool) -> bool:
    """True for programs whose results follow from inputs, constants and textures of their quad alone; without `looks_around`, of a lane."""
    traits = {trait for i in program.instructions for trait in i.opcode.traits}
    own = {d.semantic.name for d in program.declared(File.IN) if d.semantic is not None} & {"POSITION", "PCOORD"}
    own |= {d.semantic.name for d in program.declared(File.SV) if d.semantic is not None} & {"SAMPLEPOS", "POSITION"}
    places = any(i.opcode.name.startswith("INTERP_") for i in program.instructions)
    around = not looks_around and traits & OTHER_LANES
    return not (traits & {Trait.MEM, Trait.FRAMEBUFFER, Trait.HELPER} or own or places or around)


def _bytes(address: int, size: int) -> NDArray[np.uint8]:
    return np.frombuffer(ctypes.string_at(address, size), np.uint8)


def _texture(view: BoundView) -> TextureData:
    record, key = view.record, view.key
    size, levels = key.format.block_bytes, []
    for level in range(record.last_level + 1):
        width, height = max(1, record.width >> level), max(1, record.height >> level)
        layers = max(1, record.depth >> level) if key.target is TextureTarget.TEXTURE_3D else record.depth
        rows = [
            _bytes(record.base + record.level_offset[level] + z * record.layer_stride[level] + y * record.row_stride[level], width * size)
            for z in range(layers)
            for y in range(height)
        ]
        levels.append(np.concatenate(rows).reshape(layers, height, width, size))
    return TextureData(key.format, tuple(levels), key.swizzle)


def outputs_of(context: Any, log: FragmentLog, item: LoggedFragment, x: int, y: int) -> tuple[Words, bool]:
    """Output registers, (registers, 4) words, and whether the fragment lives."""
    stage = context.state.fragment
    assert item.quad is not None
    lane = (x & 1) + 2 * (y & 1)
    registers = log.program.file_size(File.IN)
    inputs = np.zeros((4, registers, 4), np.uint32)
    for step, values in zip(((0, 0), *QUAD), (item.inputs, *item.quad)):
        inputs[lane ^ (step[0] + 2 * step[1]), list(log.layout.inputs)] = values
    constants = {k: _bytes(c.address, c.size // 16 * 16).view(np.uint32).reshape(-1, 4) for k, c in enumerate(stage.constants) if c}
    templates = {id(bound): state for state, bound in context._sampler_templates.items()}
    textures = {k: _texture(view) for k, view in enumerate(stage.views) if view is not None}
    samplers = {k: templates[id(bound)] for k, bound in enumerate(stage.samplers) if bound is not None}
    names = {d.semantic.name for d in log.program.declared(File.SV) if d.semantic is not None}
    system = {
        "PRIM_ID": item.primitive,
        "FACE": 0xFFFFFFFF if item.is_front else 0,
        "SAMPLEID": max(item.sample, 0),
        "SAMPLEMASK": item.mask,
    }
    given = {name: np.full(4, value, np.uint32) for name, value in system.items() if name in names}
    found = run(log.program, inputs if registers else None, constants=constants, textures=textures, samplers=samplers, system_values=given)
    lane = lane if len(found.outputs) == 4 else 0
    return found.outputs[lane][list(log.layout.outputs)], bool(found.alive[lane])


def differ(found: Words, wanted: Words) -> bool:
    """True if words differ by more than engines may: 2 units of the last place, or 2e-6."""
    a, b = (words.view(np.float32).astype(np.float64) for words in (found, wanted))
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= np.maximum(2e-6, np.abs(b) * 2.0**-22)
    return not bool(((found == wanted) | close).all())
