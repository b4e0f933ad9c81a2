"""Facts about shaders: inputs that nothing feeds, missing textures, uniforms and memory, outputs that are not there."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from backends.device.bound import DrawState
from backends.device.memory import Constants, Memory
from backends.device.needs import needs_of
from backends.device.shader import Shader
from backends.device.stage_state import StageState
from linkage.link import link
from passes.analysis import facts
from passes.analysis.operands import registers_of
from passes.lint import lint
from tgsi.language.diagnostics import LinkError
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.traits import Trait
from tgsi.language.interface import Block
from tgsi.language.program import Program
from tgsi.validation.declared import NAN_CAUSES, end_of, has_nan, padding_hint, registers, semantics
from tgsi.validation.findings import Finding

_WORDS = {Processor.VERT: "vertex", Processor.FRAG: "fragment", Processor.GEOM: "geometry", Processor.COMP: "compute"}
_MOST_LINTED = 5000
_SPRITES = ("GENERIC", "TEXCOORD", "PCOORD")


def shown(program: Program) -> str:
    """The stage of a program, as messages say it."""
    stage = program.processor
    return f"the {_WORDS.get(stage, stage.name.lower().replace('_', ' '))} shader"


def stores(shader: Shader | None) -> bool:
    """True if a shader writes memory, or streams out."""
    return shader is not None and (needs_of(shader).effects.writes or shader.stream_output is not None)


def last_stage(shader: Shader) -> Iterator[Finding]:
    """A program without a position."""
    program = shader.program
    if program.processor is Processor.MESH or "POSITION" in semantics(program, File.OUT) or shader.stream_output is not None:
        return
    text = f"{shown(program)} writes no POSITION, so its primitives have no place: " + (
        "assign gl_Position" if program.interface is not None else "declare OUT[0], POSITION and write it"
    )
    yield Finding("position", shader.serial, text, not stores(shader))


def fragment_outputs(shader: Shader | None, has_colors: bool, masks: int) -> Iterator[Finding]:
    """Draws to color buffers without a color."""
    if not has_colors or not masks:
        return
    if shader is None:
        yield Finding("fragment", "none", "no fragment shader is bound, so no color is written: bind_fs_state")
        return
    written = semantics(shader.program, File.OUT)
    if "COLOR" not in written and not stores(shader) and not written & {"POSITION", "STENCIL", "SAMPLEMASK"} and not _kills(shader.program):
        hint = "declare `out vec4 color;` and assign it" if shader.program.interface is not None else "declare OUT[0], COLOR and write it"
        yield Finding("color", shader.serial, f"the fragment shader writes no color, and a color buffer is bound: {hint}")


def unwritten(shader: Shader) -> Iterator[Finding]:
    """Registers that instructions read, and that none can have written before. Long programs are not looked at."""
    program = shader.program
    for item in lint(program) if len(program.instructions) <= _MOST_LINTED else ():
        if item.code == "L001":
            where = f" ({item.span})" if item.span is not None else ""
            yield Finding("unwritten", (shader.serial, item.message), f"{shown(program)}{where}: {item.message}")


def noted(shader: Shader) -> Iterator[Finding]:
    """Warnings of the compiler about numbers that are surely not meant."""
    for item in shader.program.notes:
        if item.code == "G003":
            where = f" ({item.span})" if item.span is not None else ""
            text = f"{shown(shader.program)}{where}: {item.message}" + (f"; {item.hint}" if item.hint else "")
            yield Finding("noted", (shader.serial, item.message, where), text)


def _kills(program: Program) -> bool:
    return any(Trait.KILL in item.opcode.traits for item in program.instructions)


def varyings(state: DrawState, before: Shader, fragment: Shader) -> Iterator[Finding]:
    """Inputs of the fragment shader that the stage before does not write, but for those that points or the state replace."""
    try:
        table = link(before.program, fragment.program, "software", state=state.link)
    except LinkError:
        return  # the draw raises it
    for item in table.findings:
        is_replaced = state.rasterizer.sprite_coord_enable and any(word in item.message for word in _SPRITES)
        if item.code == "K010" and not is_replaced:
            text = f"the fragment shader's {item.message}: is the name or the semantic of the two shaders the same?"
            yield Finding("varying", (before.serial, fragment.serial, item.message), text)


def units(stage: StageState, shader: Shader) -> Iterator[Finding]:
    """Textures, samplers and memory that a program uses and that are not bound."""
    program, who = shader.program, shown(shader.program)
    interface = program.interface
    textures = {} if interface is None else {unit.binding + k: unit.name for unit in interface.samplers.values() for k in range(unit.size)}
    views, samplers = stage.views, stage.samplers
    for number in _used(program, File.SAMP):
        name = textures.get(number, "")
        title = f"texture {name!r} (unit {number})" if name else f"texture unit {number}"
        if number >= len(views) or views[number] is None:
            text = f"{who} samples {title}, and no sampler view is bound: it reads (0, 0, 0, 1); set_sampler_views, or set_textures"
            yield Finding("texture", (shader.serial, number), text)
        elif number >= len(samplers) or samplers[number] is None:
            text = f"{who} samples {title}, and no sampler is bound: bind_sampler_states, or set_textures"
            yield Finding("sampler", (shader.serial, number), text)
    for file, table, word in ((File.BUFFER, stage.buffers, "set_shader_buffers"), (File.IMAGE, stage.images, "set_shader_images")):
        for number in _used(program, file):
            if number >= len(table.items) or table.items[number] is None:
                text = f"{who} uses {file.name}[{number}], which is not bound: it reads 0, and stores are lost; {word}"
                yield Finding("memory", (shader.serial, file, number), text)


def _used(program: Program, file: File) -> list[int]:
    """Numbers of units that instructions name; all that are declared where an address chooses one."""
    named = [item for instruction in program.instructions for item in registers_of(instruction) if item.file is file]
    if any(item.indirect is not None for item in named):
        return registers(program, file)
    return sorted({item.index for item in named})


def constants(stage: StageState, shader: Shader) -> Iterator[Finding]:
    """Constant buffers that are missing or too small, and matrices of zeros."""
    program, who = shader.program, shown(shader.program)
    interface = program.interface
    blocks = {}
    if interface is not None:
        blocks = {block.binding: block for block in (*interface.blocks.values(), *((interface.uniforms,) if interface.uniforms else ()))}
    for slot, rows in facts.of(program, _constant_rows).items():
        block, memory = blocks.get(slot), stage.constant(slot)
        named = ", ".join(list(block.members)[:4]) if block is not None else ""
        title = f"the uniform{'s' * (',' in named)} {named}" if named else f"CONST[{slot}]"
        if memory is None:
            hint = f"use set_{'uniforms' if named else 'constant_buffer'}"
            yield Finding("constants", (shader.serial, slot), f"{who} reads {title}, which nothing has set: 0 is read; {hint}")
            continue
        if block is None and rows and memory.size < rows * 16:
            text = f"{who} reads {rows} rows of CONST[{slot}], and the constant buffer has {memory.size} bytes: 0 is read beyond them"
            yield Finding("constants", (shader.serial, slot, memory.size), text)
        if block is not None and interface is not None and block is not interface.uniforms and memory.size < end_of(block):
            text = f"the uniform block {block.name!r} of {who} has {end_of(block)} bytes, and constant buffer {slot} has {memory.size}"
            yield Finding("constants", (shader.serial, slot, memory.size), f"{text}: 0 is read beyond them{padding_hint(block)}")
        if block is not None:
            yield from _not_numbers(block, memory, shader, who)
            content = ctypes.string_at(memory.address, min(memory.size, block.size))
            for member in block.members.values():
                end = member.offset + member.columns * member.matrix_stride
                if member.columns > 1 and not member.sizes and end <= len(content) and not any(content[member.offset : end]):
                    text = f"the matrix {member.name!r} of {who} is all zeros: it was never set, or set to 0; set_uniforms"
                    yield Finding("matrix", (shader.serial, member.name), text)


def _not_numbers(block: Block, memory: Memory | Constants, shader: Shader, who: str) -> Iterator[Finding]:
    """Uniforms of floats that hold NaN."""
    content = ctypes.string_at(memory.address, min(memory.size, block.size))
    for member in block.members.values():
        if member.scalar == "float" and not member.sizes and has_nan(content, member):
            text = f"the uniform {member.name!r} of {who} holds NaN: {NAN_CAUSES}"
            yield Finding("nan", (shader.serial, member.name), text)


def _constant_rows(program: Program) -> dict[int, int]:
    """Constant buffers that a program declares, with the rows that it reads by number; 0 where an address chooses."""
    found: dict[int, int] = {}
    for item in program.declared(File.CONST):
        buffer = item.dimension or 0
        found[buffer] = max(found.get(buffer, 0), item.last + 1)
    return found
