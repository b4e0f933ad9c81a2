"""Sources of a fragment program: inputs, constants, textures; and which of them nothing feeds."""

from __future__ import annotations

from typing import Any

from backends.device.stage_state import StageState
from backends.pipe.enums import ShaderType
from tgsi.insight.fragment_log import FragmentLog
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program


def sources_of(context: Any, log: FragmentLog) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sources in words, and those that are missing, each with the way out."""
    program, state = log.program, context.state
    sources, missing = _bound(context, state.fragment, program, "FRAGMENT")
    last = state.last_shader()
    if last is not None and not state.link.mapping:
        missing += context.made_once(program, ("unfed", id(last.program)), lambda: _unfed_inputs(last.program, program))
    before: list[str] = []
    for stage in state.drawn_stages():
        shader = stage.shader
        if shader is not None and shader.program.processor is not Processor.FRAG:
            before += _bound(context, stage, shader.program, ShaderType(stage.processor).name)[1]
    before += unfed_attributes(context)
    return tuple(sources), (*missing, *before) if log.fragments else (*before, *missing)


def _bound(context: Any, stage: StageState, program: Program, name: str) -> tuple[list[str], list[str]]:
    """Constants and textures that a stage reads, and those that are missing."""
    sources, missing = [], []
    units = context.made_once(program, ("units",), lambda: _sampled_units(program))
    constants, views, samplers = stage.constants, stage.views if units else [], stage.samplers if units else []
    for buffer in context.made_once(program, ("constants",), lambda: _constant_buffers(program)):
        found = constants[buffer] if buffer < len(constants) else None
        if found is not None and found.size:
            sources.append(f"constant buffer {buffer} of {name}, {found.size} bytes")
        else:
            missing.append(f"no constant buffer is bound to slot {buffer} of {name}, so uniforms read 0 (set_constant_buffer)")
    for unit in units:
        if unit >= len(views) or views[unit] is None:
            missing.append(f"no texture is bound to unit {unit} of {name}, so samples read 0, 0, 0, 1 (set_sampler_views, set_textures)")
        elif unit >= len(samplers) or samplers[unit] is None:
            missing.append(f"no sampler is bound to unit {unit} of {name} (bind_sampler_states)")
        else:
            sources.append(f"texture unit {unit} of {name}")
    return sources, missing


def unfed_attributes(context: Any) -> list[str]:
    """Inputs of the vertex program that no vertex element, or no buffer, feeds."""
    state = context.state
    shader = state.vertex.shader
    if shader is None or state.mesh.shader is not None:
        return []
    elements, buffers = state.vertex_elements, state.vertex_buffers
    found = []
    for k in sorted({k for d in shader.program.declared(File.IN) for k in range(d.first, d.last + 1)}):
        if k >= len(elements):
            found.append(f"no vertex element feeds IN[{k}] of the VERT program, so it reads 0, 0, 0, 1 (create_vertex_elements_state)")
            continue
        slot = elements[k].vertex_buffer_index
        if slot >= len(buffers) or buffers[slot] is None:
            found.append(f"no vertex buffer is bound to slot {slot}, which feeds IN[{k}] of the VERT program (set_vertex_buffers)")
        elif elements[k].src_offset + elements[k].src_format.block_bytes > buffers[slot].size:
            found.append(f"vertex buffer {slot} has {buffers[slot].size} bytes, too few for IN[{k}] of the VERT program")
    return list(dict.fromkeys(found))


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


def _unfed_inputs(last: Program, program: Program) -> list[str]:
    """Inputs of the fragment program that `last`, the program before, does not write."""
    written = {
        str(d.semantic) if d.first == d.last else f"{d.semantic.name}[{d.semantic.index + k}]"
        for d in last.declared(File.OUT)
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
                found.append(f"nothing writes the input {name}: the {last.processor.name} program has no such output")
    return found
