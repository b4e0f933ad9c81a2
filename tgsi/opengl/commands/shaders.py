"""Shader objects. (OpenGL 4.6 core, 7.1)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, texts, write, write_text
from tgsi.opengl.objects.program import STAGES, Program, Shader
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def shader_named(gl: Context, name: int) -> Shader:
    """The shader of a name."""
    item = gl.share.programs.get(name)
    if isinstance(item, Shader):
        return item
    raise (bad_value if item is None else bad_operation)(f"shader: {name} is not a shader")


def program_named(gl: Context, name: int) -> Program:
    """The program of a name."""
    item = gl.share.programs.get(name)
    if isinstance(item, Program):
        return item
    raise (bad_value if item is None else bad_operation)(f"program: {name} is not a program")


@command("glCreateShader")
def create_shader(gl: Context, type: int) -> int:
    """A shader without text."""
    if type not in STAGES:
        raise bad_enum("type", type)
    name = gl.share.programs.generate(1)[0]
    gl.share.programs.put(name, Shader(name, type))
    return name


@command("glIsShader")
def is_shader(gl: Context, shader: int) -> int:
    """1 if the name is a shader's."""
    return int(isinstance(gl.share.programs.get(shader), Shader))


@command("glDeleteShader")
def delete_shader(gl: Context, shader: int) -> None:
    """Delete a shader, once it is not attached to any program."""
    if not shader:
        return
    item = shader_named(gl, shader)
    item.is_deleted = True
    release(gl, item)


def release(gl: Context, item: Shader) -> None:
    """Free the name of a deleted shader that no program has."""
    if item.is_deleted and not item.users:
        gl.share.programs.drop(item.name)


@command("glShaderSource")
def shader_source(gl: Context, shader: int, count: int, string: Pointer, length: Pointer) -> None:
    """The text of a shader, in pieces."""
    not_negative("count", count)
    shader_named(gl, shader).source = "".join(texts(count, string, length))


@command("glCompileShader")
def compile_shader(gl: Context, shader: int) -> None:
    """Compile a shader; the info log has the messages with carets."""
    item = shader_named(gl, shader)
    item.compile(fixed_names=not gl.is_core())
    if not item.status:
        gl.message(GL.DEBUG_SOURCE_SHADER_COMPILER, GL.DEBUG_TYPE_ERROR, shader, GL.DEBUG_SEVERITY_HIGH, item.log)


@command("glGetShaderiv")
def get_shader(gl: Context, shader: int, pname: int, params: Pointer) -> None:
    """A parameter of a shader."""
    item = shader_named(gl, shader)
    values = {
        GL.SHADER_TYPE: item.type,
        GL.DELETE_STATUS: int(item.is_deleted),
        GL.COMPILE_STATUS: int(item.status),
        GL.INFO_LOG_LENGTH: len(item.log.encode()) + 1 if item.log else 0,
        GL.SHADER_SOURCE_LENGTH: len(item.source.encode()) + 1 if item.source else 0,
        GL.SPIR_V_BINARY: 0,
    }
    if pname not in values:
        raise bad_enum("pname", pname)
    write("i", params, [values[pname]])


@command("glGetShaderInfoLog")
def get_shader_info_log(gl: Context, shader: int, size: int, length: Pointer, log: Pointer) -> None:
    """The info log."""
    not_negative("bufSize", size)
    write_text(shader_named(gl, shader).log, size, length, log)


@command("glGetShaderSource")
def get_shader_source(gl: Context, shader: int, size: int, length: Pointer, source: Pointer) -> None:
    """The text."""
    not_negative("bufSize", size)
    write_text(shader_named(gl, shader).source, size, length, source)


@command("glShaderBinary")
def shader_binary(gl: Context, count: int, shaders: Pointer, format: int, binary: Pointer, length: int) -> None:
    """Refuse: there are no formats of binaries, as GL_NUM_SHADER_BINARY_FORMATS says."""
    not_negative("count", count, length)
    raise bad_enum("binaryFormat", format)


@command("glGetShaderPrecisionFormat")
def get_shader_precision_format(gl: Context, shadertype: int, precisiontype: int, range_: Pointer, precision: Pointer) -> None:
    """Range and precision of numbers: always 32 bits, because precision qualifiers are ignored."""
    if precisiontype in (GL.LOW_FLOAT, GL.MEDIUM_FLOAT, GL.HIGH_FLOAT):
        write("i", range_, [127, 127])
        write("i", precision, [23])
    elif precisiontype in (GL.LOW_INT, GL.MEDIUM_INT, GL.HIGH_INT):
        write("i", range_, [31, 30])
        write("i", precision, [0])
    else:
        raise bad_enum("precisiontype", precisiontype)
