"""Sources of a fragment program: inputs, constants, textures; and which of them nothing feeds."""

from __future__ import annotations

from typing import Any

from tgsi.insight.fragment_log import FragmentLog
from tgsi.language.facts.enums import File
from tgsi.language.program import Program


def sources_of(context: Any, log: FragmentLog) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sources in words, and those that are missing, each with the way out."""
    program, state = log.program, context.state
    stage = state.fragment
    sources, missing = [], []
    constants = stage.constants
    for buffer in _constant_buffers(program):
        if buffer < len(constants) and constants[buffer] is not None and constants[buffer].size:
            sources.append(f"constant buffer {buffer} of FRAGMENT, {constants[buffer].size} bytes")
        else:
            missing.append(
                f"no constant buffer is bound to slot {buffer} of FRAGMENT, so uniforms read 0; set_constant_buffer or set_uniforms"
            )
    for unit in _sampled_units(program):
        views, samplers = stage.views, stage.samplers
        if unit >= len(views) or views[unit] is None:
            missing.append(f"no texture is bound to unit {unit} of FRAGMENT, so samples read 0, 0, 0, 1; set_sampler_views or set_textures")
        elif unit >= len(samplers) or samplers[unit] is None:
            missing.append(f"no sampler is bound to unit {unit} of FRAGMENT; bind_sampler_states")
        else:
            sources.append(f"texture unit {unit} of FRAGMENT")
    missing += _unfed_inputs(state, program)
    return tuple(sources), tuple(missing)


def _constant_buffers(program: Program) -> list[int]:
    found = {
        0 if s.register.dimension is None else s.register.dimension.index
        for i in program.instructions
        for s in i.src
        if s.register.file is File.CONST
    }
    return sorted(found)


def _sampled_units(program: Program) -> list[int]:
    found = {s.register.index for i in program.instructions for s in i.src if s.register.file is File.SAMP}
    return sorted(found)


def _unfed_inputs(state: Any, program: Program) -> list[str]:
    """Inputs of the fragment program that the stage before does not write."""
    last = state.last_shader()
    if last is None or state.link.mapping:
        return []
    written = {
        str(d.semantic) if d.first == d.last else f"{d.semantic.name}[{d.semantic.index + k}]"
        for d in last.program.declared(File.OUT)
        if d.semantic is not None
        for k in range(d.last - d.first + 1)
    }
    found = []
    own = {"POSITION", "FACE", "PRIM_ID", "PCOORD", "LAYER", "VIEWPORT_INDEX"}
    for d in program.declared(File.IN):
        if d.semantic is None or d.semantic.name in own:
            continue
        for k in range(d.last - d.first + 1):
            name = str(d.semantic) if d.first == d.last else f"{d.semantic.name}[{d.semantic.index + k}]"
            if name not in written:
                found.append(f"nothing writes the input {name}: the {last.program.processor.name} program has no such output")
    return found
