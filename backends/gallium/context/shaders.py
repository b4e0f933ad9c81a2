"""Shader objects: handles made from checked programs or their texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backends.device import bound as packet
from backends.device.commands.bound_record import shader_word
from backends.device.commands.known_objects import MIDDLE, Kind
from backends.gallium.context.core import ContextCore
from backends.gallium.context.stream_output import checked_info
from backends.gallium.resource.screen_core import ScreenCore
from backends.pipe.state import StreamOutputInfo
from tgsi.language.diagnostics import ParseError, UnsupportedError, shown_at_caller
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.stages import STAGES
from tgsi.language.program import Program
from tgsi.language.source import is_glsl

_KNOWN = {Processor.VERT: Kind.VERTEX_SHADER, **MIDDLE, Processor.FRAG: Kind.FRAGMENT_SHADER}
"""Stages whose shaders have native entries."""


class Shaders(ContextCore):
    """Shaders of the seven stages of draws: create_, bind_ and destroy_ for each."""

    def _create_shader(self, source: Any, stage: Processor, stream_output: Any = None) -> packet.Shader:
        """A shader of a stage from a program or its text."""
        name = f"create_{STAGES[stage].call}_state"
        program = read_program(source, name, stage)
        if program.processor is not stage:
            raise ValueError(wrong_stage(name, stage, program.processor))
        made = packet.Shader(program, owner=self.screen, stream_output=checked_info(stream_output, program, name))
        if self._wants_reports:
            from tgsi.language.info import summary

            self._report("shader_info", f"shader {made.serial}: {summary(program)}")
        return made

    def _bind_shader(self, shader: packet.Shader | None, stage: Processor) -> None:
        """Bind a shader to a stage; None unbinds."""
        found = None if shader is None else check_shader(shader, stage, self.screen, f"bind_{STAGES[stage].call}_state")
        self.state.bind(stage, found)
        if stage is not Processor.FRAG:
            self._choose_stages()
        kind = _KNOWN.get(stage)
        if kind is not None and found is not None:
            self.state.known.learn(found, kind, self.state.record.words[shader_word(stage)], end=found.ended)

    def _destroy_shader(self, shader: packet.Shader, stage: Processor) -> None:
        """Mark a shader as destroyed: later uses are refused."""
        check_shader(shader, stage, self.screen, f"destroy_{STAGES[stage].call}_state").end()
        self.state.known.forget(shader)

    def set_uniforms(self, values: Mapping[str, Any]) -> None:
        """Set uniforms of the bound shaders by name, in every stage that uses them. (an extension)

        Other uniforms keep what was set for their shader.

        Args:
            values: name -> number, nested numbers, or an array. A vector has its components, a matrix its rows outside, as numpy's have
                (GLSL's `m * v` is `m @ v`), an array its elements. Members of blocks and structs are ``"Block.member"``, or a mapping in
                the place of a value; a member of a block also goes by its own name, an element of an array is ``"lights[2]"``.
                `Program.interface` lists them.

        The values become constant buffers: bind shaders first, and call this again after another shader was bound. Default uniforms that
        were never set get the initial values of the text; ``set_uniforms({})`` sets nothing else.

        Raises:
            TypeError, ValueError: no bound shader uses a name, or a value does not fit; nothing is set then.
        """
        from backends.device.uniforms import changed_buffers  # loaded only when uniforms are set by name

        for stage, slot, data in changed_buffers(self._bound_shaders(), values):
            self.set_constant_buffer(stage, data, index=slot)

    @shown_at_caller
    def create_vs_state(self, program: Program | str | bytes, *, stream_output: StreamOutputInfo | None = None) -> packet.Shader:
        """Create a vertex shader from a program, a text of TGSI or GLSL, or a SPIR-V module. (context.rst, "CSO State")

        Raises:
            ParseError, ValidationError: the text has errors, or breaks a rule; every finding is in the exception.
            UnsupportedError: GLSL needs the extra ``tgsi[glsl]``, or TGSI has no words for the shader.
            ValueError: the program is of another stage, or `stream_output` is wrong; the message names the field.
        """
        return self._create_shader(program, Processor.VERT, stream_output)

    def bind_vs_state(self, shader: packet.Shader | None) -> None:
        """Bind a vertex shader. With None, draws are refused. (context.rst, "CSO State")"""
        self._bind_shader(shader, Processor.VERT)

    def destroy_vs_state(self, shader: packet.Shader) -> None:
        """Destroy a vertex shader; pending draws keep it. (context.rst, "CSO State")"""
        self._destroy_shader(shader, Processor.VERT)

    delete_vs_state = destroy_vs_state

    @shown_at_caller
    def create_fs_state(self, program: Program | str | bytes) -> packet.Shader:
        """Create a fragment shader from a program or its text; errors as `create_vs_state`. (context.rst, "CSO State")"""
        return self._create_shader(program, Processor.FRAG)

    def bind_fs_state(self, shader: packet.Shader | None) -> None:
        """Bind a fragment shader. With None, only depth and stencil are written. (context.rst, "CSO State")"""
        self._bind_shader(shader, Processor.FRAG)

    def destroy_fs_state(self, shader: packet.Shader) -> None:
        """Destroy a fragment shader; pending draws keep it. (context.rst, "CSO State")"""
        self._destroy_shader(shader, Processor.FRAG)

    delete_fs_state = destroy_fs_state

    @shown_at_caller
    def create_gs_state(self, program: Program | str | bytes, *, stream_output: StreamOutputInfo | None = None) -> packet.Shader:
        """Create a geometry shader from a program or its text; arguments and errors as `create_vs_state`. (context.rst, "CSO State")"""
        return self._create_shader(program, Processor.GEOM, stream_output)

    def bind_gs_state(self, shader: packet.Shader | None) -> None:
        """Bind a geometry shader. With None, primitives go unchanged to the rasterizer. (context.rst, "CSO State")"""
        self._bind_shader(shader, Processor.GEOM)

    def destroy_gs_state(self, shader: packet.Shader) -> None:
        """Destroy a geometry shader; pending draws keep it. (context.rst, "CSO State")"""
        self._destroy_shader(shader, Processor.GEOM)

    delete_gs_state = destroy_gs_state

    @shown_at_caller
    def create_tcs_state(self, program: Program | str | bytes) -> packet.Shader:
        """Create a tessellation control shader from a program or its text; errors as `create_vs_state`. (context.rst, "CSO State")"""
        return self._create_shader(program, Processor.TESS_CTRL)

    def bind_tcs_state(self, shader: packet.Shader | None) -> None:
        """Bind a tessellation control shader. With None, patches stay unchanged and have the levels of `set_tess_state`.

        (context.rst, "CSO State")
        """
        self._bind_shader(shader, Processor.TESS_CTRL)

    def destroy_tcs_state(self, shader: packet.Shader) -> None:
        """Destroy a tessellation control shader; pending draws keep it. (context.rst, "CSO State")"""
        self._destroy_shader(shader, Processor.TESS_CTRL)

    delete_tcs_state = destroy_tcs_state

    @shown_at_caller
    def create_tes_state(self, program: Program | str | bytes, *, stream_output: StreamOutputInfo | None = None) -> packet.Shader:
        """Create a tessellation evaluation shader from a program or its text; arguments and errors as `create_vs_state`.

        (context.rst, "CSO State")
        """
        return self._create_shader(program, Processor.TESS_EVAL, stream_output)

    def bind_tes_state(self, shader: packet.Shader | None) -> None:
        """Bind a tessellation evaluation shader; draws then need PATCHES. None turns tessellation off. (context.rst, "CSO State")"""
        self._bind_shader(shader, Processor.TESS_EVAL)

    def destroy_tes_state(self, shader: packet.Shader) -> None:
        """Destroy a tessellation evaluation shader; pending draws keep it. (context.rst, "CSO State")"""
        self._destroy_shader(shader, Processor.TESS_EVAL)

    delete_tes_state = destroy_tes_state

    @shown_at_caller
    def create_ts_state(self, program: Program | str | bytes) -> packet.Shader:
        """Create a task shader from a program or its text; errors as `create_vs_state`. (p_context.h)"""
        return self._create_shader(program, Processor.TASK)

    def bind_ts_state(self, shader: packet.Shader | None) -> None:
        """Bind a task shader. With None, the grid of `draw_mesh_tasks` is that of the mesh shader. (p_context.h)"""
        self._bind_shader(shader, Processor.TASK)

    def destroy_ts_state(self, shader: packet.Shader) -> None:
        """Destroy a task shader; pending draws keep it. (p_context.h)"""
        self._destroy_shader(shader, Processor.TASK)

    delete_ts_state = destroy_ts_state

    @shown_at_caller
    def create_ms_state(self, program: Program | str | bytes) -> packet.Shader:
        """Create a mesh shader from a program or its text; errors as `create_vs_state`. It has no stream output. (p_context.h)"""
        return self._create_shader(program, Processor.MESH)

    def bind_ms_state(self, shader: packet.Shader | None) -> None:
        """Bind a mesh shader: `draw_mesh_tasks` draws, and `draw_vbo` is refused. With None it is the other way around. (p_context.h)"""
        self._bind_shader(shader, Processor.MESH)

    def destroy_ms_state(self, shader: packet.Shader) -> None:
        """Destroy a mesh shader; pending draws keep it. (p_context.h)"""
        self._destroy_shader(shader, Processor.MESH)

    delete_ms_state = destroy_ms_state


def read_program(source: Any, name: str, stage: Processor) -> Program:
    """A valid program from a text of TGSI or GLSL, a module of SPIR-V, or a program. Errors as in `Shaders.create_vs_state`."""
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
        raise TypeError(f"{name}: program: a Program, a text of TGSI or GLSL, or a SPIR-V module is wanted, not {type(source).__name__}")
    from passes.fitting import fitted
    from passes.validate import validate

    validate(source)
    _check_semantics(source, name)
    if source.interface is not None:
        from frontends.orientation import oriented  # loaded only for programs of other languages

        source = _shortened(oriented(source))
    return fitted(source)


def wrong_stage(name: str, stage: Processor, given: Processor) -> str:
    """The message about a program of another stage, with the method that takes it."""
    return f"{name}: program: a {stage.name} program is wanted, not {given.name}, which create_{STAGES[given].call}_state takes"


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
        made = f"create_{STAGES[stage].call}_state"
        raise TypeError(f"{name}: what {made} returned is wanted, not {type(shader).__name__}")
    if shader.program.processor is not stage:
        raise ValueError(f"{name}: a {stage.name} shader is wanted, not {shader.program.processor.name}")
    if shader.owner is not screen:
        raise ValueError(f"{name}: the shader belongs to another screen")
    if shader.is_destroyed:
        raise ValueError(f"{name}: the shader was destroyed")
    return shader
