"""Program objects: attached shaders, linking, use. (OpenGL 4.6 core, 7.3)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.commands.shaders import program_named, release, shader_named
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, text, texts, write, write_text
from tgsi.opengl.objects.captures import LinkFailure
from tgsi.opengl.objects.linking import link
from tgsi.opengl.objects.program import STAGES, Program, Shader
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


@command("glCreateProgram")
def create_program(gl: Context) -> int:
    """A program without shaders."""
    name = gl.share.programs.generate(1)[0]
    gl.share.programs.put(name, Program(name))
    return name


@command("glIsProgram")
def is_program(gl: Context, program: int) -> int:
    """1 if the name is a program's."""
    return int(isinstance(gl.share.programs.get(program), Program))


@command("glDeleteProgram")
def delete_program(gl: Context, program: int) -> None:
    """Free a program, once it is no longer in use."""
    if not program:
        return
    item = program_named(gl, program)
    item.is_deleted = True
    if gl.program is not item:
        _free(gl, item)


def _free(gl: Context, item: Program) -> None:
    gl.share.programs.drop(item.name)
    for shader in item.shaders:
        shader.users -= 1
        release(gl, shader)
    item.shaders = []


@command("glAttachShader")
def attach_shader(gl: Context, program: int, shader: int) -> None:
    """Give a program a shader."""
    item, attached = program_named(gl, program), shader_named(gl, shader)
    if attached in item.shaders:
        raise bad_operation(f"shader: {shader} is attached already")
    item.shaders.append(attached)
    attached.users += 1


@command("glDetachShader")
def detach_shader(gl: Context, program: int, shader: int) -> None:
    """Take a shader away from a program."""
    item, detached = program_named(gl, program), shader_named(gl, shader)
    if detached not in item.shaders:
        raise bad_operation(f"shader: {shader} is not attached")
    item.shaders.remove(detached)
    detached.users -= 1
    release(gl, detached)


@command("glLinkProgram")
def link_program(gl: Context, program: int) -> None:
    """Link a program; a failed link does not affect a program in use."""
    item = program_named(gl, program)
    if gl.capture.is_active and gl.program is item:
        raise bad_operation("program: transform feedback captures it")
    link_item(gl, item)


def link_item(gl: Context, item: Program) -> None:
    """Link, and store log and status."""
    item.log, item.status = "", False
    try:
        linked = link(gl, item, has_fixed=not gl.is_core())
    except LinkFailure as failure:
        item.log = str(failure)
        gl.message(GL.DEBUG_SOURCE_SHADER_COMPILER, GL.DEBUG_TYPE_ERROR, item.name, GL.DEBUG_SEVERITY_HIGH, item.log)
        if gl.program is not item:
            item.linked = None
        return
    item.linked, item.status = linked, True
    if gl.program is item or (gl.pipeline is not None and item in gl.pipeline.stages.values()):
        gl.subroutines.clear()
    gl.dirty |= dirty.PROGRAM


@command("glUseProgram")
def use_program(gl: Context, program: int) -> None:
    """Make a program current; 0 selects the fixed-function pipeline, or none in core profiles."""
    if gl.capture.is_active and not gl.capture.is_paused:
        raise bad_operation("program: transform feedback is active")
    now = gl.program
    if now is not None and now.name == program and now.status and not now.is_deleted:
        return
    item = program_named(gl, program) if program else None
    if item is not None and (not item.status or item.linked is None):
        raise bad_operation(f"program: {program} is not linked")
    before, gl.program = gl.program, item
    if before is not item:
        gl.subroutines.clear()
        gl.dirty |= dirty.PROGRAM | (dirty.FIXED if item is None else 0)
        if before is not None and before.is_deleted:
            _free(gl, before)


@command("glValidateProgram")
def validate_program(gl: Context, program: int) -> None:
    """Check if a program could draw now."""
    item = program_named(gl, program)
    item.is_valid = item.status
    item.log = "" if item.status else "the program is not linked"


@command("glBindAttribLocation")
def bind_attrib_location(gl: Context, program: int, index: int, name: Pointer) -> None:
    """The location that a vertex input gets at the next link."""
    item, word = program_named(gl, program), text(name)
    if index >= 16:
        raise bad_value(f"index: {index} is not below 16")
    if word.startswith("gl_"):
        raise bad_operation(f"name: {word} is reserved")
    item.attributes[word] = index


@command("glBindFragDataLocation")
def bind_frag_data_location(gl: Context, program: int, color: int, name: Pointer) -> None:
    """The color number that a fragment output gets at the next link."""
    bind_frag_data_location_indexed(gl, program, color, 0, name)


@command("glBindFragDataLocationIndexed")
def bind_frag_data_location_indexed(gl: Context, program: int, color: int, index: int, name: Pointer) -> None:
    """The color number and index that a fragment output gets at the next link."""
    item, word = program_named(gl, program), text(name)
    if color >= 8 or index > 1:
        raise bad_value(f"colorNumber: {color}, index: {index}")
    if word.startswith("gl_"):
        raise bad_operation(f"name: {word} is reserved")
    item.outputs[word] = color, index


@command("glTransformFeedbackVaryings")
def transform_feedback_varyings(gl: Context, program: int, count: int, varyings: Pointer, mode: int) -> None:
    """The outputs that are captured after the next link."""
    item = program_named(gl, program)
    not_negative("count", count)
    if mode not in (GL.INTERLEAVED_ATTRIBS, GL.SEPARATE_ATTRIBS):
        raise bad_enum("bufferMode", mode)
    if mode == GL.SEPARATE_ATTRIBS and count > 4:
        raise bad_value(f"count: {count} is above 4")
    item.varyings, item.varying_mode = tuple(texts(count, varyings, None)), mode


@command("glProgramParameteri")
def program_parameter(gl: Context, program: int, pname: int, value: int) -> None:
    """Set whether a program can be used in a program pipeline."""
    item = program_named(gl, program)
    if pname == GL.PROGRAM_SEPARABLE:
        item.is_separable = bool(value)
    elif pname == GL.PROGRAM_BINARY_RETRIEVABLE_HINT:
        item.is_retrievable = bool(value)
    else:
        raise bad_enum("pname", pname)


@command("glCreateShaderProgramv")
def create_shader_program(gl: Context, type: int, count: int, strings: Pointer) -> int:
    """A separable program of one text."""
    if type not in STAGES:
        raise bad_enum("type", type)
    name = create_program(gl)
    item = program_named(gl, name)
    shader = Shader(0, type)
    shader.source = "".join(texts(count, strings, None))
    shader.compile(fixed_names=not gl.is_core())
    item.is_separable = True
    item.shaders = [shader]
    link_item(gl, item)
    item.shaders = []
    return name


@command("glGetProgramiv")
def get_program(gl: Context, program: int, pname: int, params: Pointer) -> None:
    """A parameter of a program. (OpenGL 4.6 core, 7.14)"""
    from tgsi.opengl.commands.program_queries import program_parameter_of

    write("i", params, program_parameter_of(program_named(gl, program), pname))


@command("glGetProgramInfoLog")
def get_program_info_log(gl: Context, program: int, size: int, length: Pointer, log: Pointer) -> None:
    """The info log."""
    not_negative("bufSize", size)
    write_text(program_named(gl, program).log, size, length, log)


@command("glGetAttachedShaders")
def get_attached_shaders(gl: Context, program: int, size: int, count: Pointer, shaders: Pointer) -> None:
    """Names of the attached shaders."""
    not_negative("maxCount", size)
    names = [shader.name for shader in program_named(gl, program).shaders][:size]
    write("i", count, [len(names)])
    write("I", shaders, names)


@command("glGetProgramBinary")
def get_program_binary(gl: Context, program: int, size: int, length: Pointer, format: Pointer, binary: Pointer) -> None:
    """Refuse: there is no format of binaries, since programs are cached by their texts."""
    program_named(gl, program)
    write("i", length, [0])
    raise bad_operation("program: no format of binaries is offered")


@command("glProgramBinary")
def program_binary(gl: Context, program: int, format: int, binary: Pointer, length: int) -> None:
    """Refuse: there is no format of binaries."""
    program_named(gl, program)
    raise bad_enum("binaryFormat", format)
