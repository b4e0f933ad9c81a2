"""Shader objects: handles made from checked programs or their texts."""

from __future__ import annotations

from typing import Any

from backends.device import bound as packet
from backends.device.commands.bound_record import shader_word
from backends.device.commands.known_objects import MIDDLE, Kind
from backends.gallium.context.core import ContextCore
from backends.gallium.context.stream_output import checked_info
from backends.gallium.resource.screen_core import ScreenCore
from tgsi.language.diagnostics import ParseError, UnsupportedError
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.stages import STAGES
from tgsi.language.program import Program
from tgsi.language.source import is_glsl

_KNOWN = {Processor.VERT: Kind.VERTEX_SHADER, **MIDDLE, Processor.FRAG: Kind.FRAGMENT_SHADER}
"""Stages whose shaders have native entries."""


def create_shader(context: ContextCore, source: Any, stage: Processor, stream_output: Any = None) -> packet.Shader:
    """A shader of a stage from a program or its text."""
    name = f"create_{STAGES[stage].call}_state"
    program = read_program(source, name, stage)
    if program.processor is not stage:
        raise ValueError(wrong_stage(name, stage, program.processor))
    shader = packet.Shader(program, owner=context.screen, stream_output=checked_info(stream_output, program, name))
    if context._wants_reports:
        from tgsi.language.info import summary

        context._report("shader_info", f"shader {shader.serial}: {summary(program)}")
    return shader


def bind_shader(context: ContextCore, shader: packet.Shader | None, stage: Processor) -> None:
    """Bind a shader to a stage; None unbinds."""
    checked = None if shader is None else check_shader(shader, stage, context.screen, f"bind_{STAGES[stage].call}_state")
    state = context.state
    state.bind(stage, checked)
    if stage is not Processor.FRAG:
        context._choose_stages()
    kind = _KNOWN.get(stage)
    if kind is not None and checked is not None:
        state.known.learn(checked, kind, state.record.words[shader_word(stage)], end=checked.ended)


def destroy_shader(context: ContextCore, shader: packet.Shader, stage: Processor) -> None:
    """Mark a shader as destroyed: later uses are refused."""
    check_shader(shader, stage, context.screen, f"destroy_{STAGES[stage].call}_state").end()
    context.state.known.forget(shader)


def read_program(source: Any, name: str, stage: Processor) -> Program:
    """A valid program from a text of TGSI or GLSL, a module of SPIR-V, or a program. Errors as in `create_vs_state`."""
    if isinstance(source, bytes | bytearray) or (isinstance(source, str) and is_glsl(source)):
        from frontends.programs import compile_program, stage_elsewhere  # loaded only when other languages than TGSI are read

        try:
            source = compile_program(source, name, stage=stage)
        except ParseError:
            meant = stage_elsewhere(source, stage) if isinstance(source, str) else None
            if meant is not None:
                raise ValueError(wrong_stage(name, stage, meant)) from None
            raise
    elif isinstance(source, str):
        from tgsi.language.text.parser import parse  # loaded only when a text is read

        source = parse(source, name=name)
    if not isinstance(source, Program):
        raise TypeError(f"{name}: program: expected a Program, a text of TGSI or GLSL, or a SPIR-V module, not {type(source).__name__}")
    from passes.fitting import fitted
    from passes.validate import validate

    validate(source)
    _check_semantics(source, name)
    if source.interface is not None:
        from frontends.orientation import oriented  # loaded only for programs of other languages

        source = _shortened(oriented(source))
    return fitted(source)


def wrong_stage(name: str, stage: Processor, actual: Processor) -> str:
    """The message about a program of another stage, with the method that takes it."""
    return f"{name}: program: expected a {stage.name} program, not {actual.name}, which create_{STAGES[actual].call}_state takes"


def _shortened(program: Program) -> Program:
    """A program that a reader of another language made, after the passes that compilers of GLSL run before they hand over TGSI.

    Results stay bit for bit. LLVM takes less time for fewer instructions, about as much less as the passes take.
    """
    from passes.pipeline import Pipeline
    from passes.registry import FOR_CODE

    return Pipeline.parse(FOR_CODE).run(program, is_valid=True)


_UNSET = "CS_USER_DATA_AMD"
"""A system value that no call of Gallium sets."""

_BROADCAST = "VIEWPORT_MASK"
"""An output that this driver takes from mesh programs alone."""


def _check_semantics(program: Program, name: str) -> None:
    """Raise UnsupportedError for semantics of later Mesa that the language has and this driver does not."""
    for item in program.declarations:
        semantic = "" if item.semantic is None else item.semantic.name
        if semantic == _UNSET and item.file is File.SV:
            raise UnsupportedError.at(
                "B004", f"{name}: {semantic} is not supported: no call sets it", item.span, hint="use a constant buffer"
            )
        if semantic == _BROADCAST and item.file is File.OUT and not STAGES[program.processor].is_mesh:
            text = f"{name}: {semantic} of a {program.processor.name} program is not supported"
            raise UnsupportedError.at("B004", text, item.span, hint="VIEWPORT_INDEX names one viewport; mesh programs may write a mask")


def check_shader(shader: Any, stage: Processor, screen: ScreenCore, name: str) -> packet.Shader:
    """Return a shader that may be bound to a stage of any context of a screen. Messages of TypeError and ValueError begin with `name`."""
    if not isinstance(shader, packet.Shader):
        creator = f"create_{STAGES[stage].call}_state"
        raise TypeError(f"{name}: expected an object from {creator}, not {type(shader).__name__}")
    if shader.program.processor is not stage:
        raise ValueError(f"{name}: expected a {stage.name} shader, not {shader.program.processor.name}")
    if shader.owner is not screen:
        raise ValueError(f"{name}: the shader belongs to another screen")
    if shader.is_destroyed:
        raise ValueError(f"{name}: the shader was destroyed")
    return shader
