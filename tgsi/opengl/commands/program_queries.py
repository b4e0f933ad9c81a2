"""Names, locations and types of a program's interface. (OpenGL 4.6 core, 7.3.1 and 7.6)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.commands.shaders import program_named
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value
from tgsi.opengl.memory import Pointer, text, texts, uints, write, write_text
from tgsi.opengl.objects.linked import BlockPlace, Linked, Uniform
from tgsi.opengl.objects.program import Program
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import CONVENTIONAL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

NOTHING = Linked()
"""Placeholder for a program that was never linked."""


def linked_of(program: Program) -> Linked:
    """The linked program; GL_INVALID_OPERATION without one."""
    if program.linked is None or not program.status:
        raise bad_operation(f"program: {program.name} is not linked")
    return program.linked


def note_bindings(gl: Context, linked: Linked) -> None:
    """Note that units or binding points of a program changed, so that other contexts rebind them."""
    if linked.user != gl.number:
        linked.user = 0
        gl.share.forget_natives()


def program_parameter_of(program: Program, name: int) -> list[int]:
    """The values of a parameter of a program."""
    linked = program.linked or NOTHING
    uniforms, blocks = linked.uniforms, linked.blocks
    names = {
        GL.ACTIVE_UNIFORM_MAX_LENGTH: [item.name for item in uniforms],
        GL.ACTIVE_ATTRIBUTE_MAX_LENGTH: [item.name for item in linked.attributes],
        GL.ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH: [item.name for item in blocks],
        GL.TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH: [item[0] for item in linked.feedback],
    }
    if name in names:
        return [max((len(item.encode()) + 1 for item in names[name]), default=0)]
    values: dict[int, int] = {
        GL.DELETE_STATUS: int(program.is_deleted),
        GL.LINK_STATUS: int(program.status),
        GL.VALIDATE_STATUS: int(program.is_valid),
        GL.INFO_LOG_LENGTH: len(program.log.encode()) + 1 if program.log else 0,
        GL.ATTACHED_SHADERS: len(program.shaders),
        GL.ACTIVE_ATTRIBUTES: len(linked.attributes),
        GL.ACTIVE_UNIFORMS: len(uniforms),
        GL.ACTIVE_UNIFORM_BLOCKS: len(blocks),
        GL.ACTIVE_ATOMIC_COUNTER_BUFFERS: len(linked.counters),
        GL.TRANSFORM_FEEDBACK_BUFFER_MODE: program.varying_mode,
        GL.TRANSFORM_FEEDBACK_VARYINGS: len(linked.feedback),
        GL.PROGRAM_SEPARABLE: int(program.is_separable),
        GL.PROGRAM_BINARY_RETRIEVABLE_HINT: int(program.is_retrievable),
        GL.PROGRAM_BINARY_LENGTH: 0,
    }
    if name in values:
        return [values[name]]
    return _stage_parameter(linked, name)


def _stage_parameter(linked: Linked, name: int) -> list[int]:
    """Properties declared in a shader: size of workgroups, primitives of a geometry shader."""
    if name == GL.COMPUTE_WORK_GROUP_SIZE:
        sizes = _property(linked, GL.COMPUTE_SHADER, "CS_FIXED_BLOCK_WIDTH", "CS_FIXED_BLOCK_HEIGHT", "CS_FIXED_BLOCK_DEPTH")
        return [value or 1 for value in sizes]
    prims = {0: GL.POINTS, 1: GL.LINES, 3: GL.LINE_STRIP, 4: GL.TRIANGLES, 5: GL.TRIANGLE_STRIP, 10: GL.LINES_ADJACENCY}
    prims[12] = GL.TRIANGLES_ADJACENCY
    rows = {
        GL.GEOMETRY_VERTICES_OUT: "GS_MAX_OUTPUT_VERTICES",
        GL.GEOMETRY_INPUT_TYPE: "GS_INPUT_PRIMITIVE",
        GL.GEOMETRY_OUTPUT_TYPE: "GS_OUTPUT_PRIMITIVE",
        GL.GEOMETRY_SHADER_INVOCATIONS: "GS_INVOCATIONS",
    }
    if name in rows:
        value = _property(linked, GL.GEOMETRY_SHADER, rows[name])[0]
        return [prims.get(value, GL.TRIANGLES) if rows[name].endswith("PRIMITIVE") else value]
    if name == GL.TESS_CONTROL_OUTPUT_VERTICES:
        return _property(linked, GL.TESS_CONTROL_SHADER, "TCS_VERTICES_OUT")
    raise bad_enum("pname", name)


def _property(linked: Linked, stage: int, *names: str) -> list[int]:
    program = linked.programs.get(stage)
    if program is None:
        raise bad_operation("program: it has no such stage")
    values = {item.name: item.value for item in program.properties}
    return [int(values.get(name, 0)) for name in names]


# -- attributes and outputs
@command("glGetAttribLocation")
def get_attrib_location(gl: Context, program: int, name: Pointer) -> int:
    """The location of a vertex input; -1 if it is not used."""
    word = text(name)
    for item in linked_of(program_named(gl, program)).attributes:
        stem, _, index = word.removesuffix("]").partition("[")
        if item.name == stem and item.name not in CONVENTIONAL and word.endswith("]") == bool(index):
            number = int(index) if index.isdecimal() else 0
            return item.location + number * item.shape.columns if number < item.shape.elements else -1
    return -1


@command("glGetActiveAttrib")
def get_active_attrib(
    gl: Context, program: int, index: int, size: int, length: Pointer, count: Pointer, type: Pointer, name: Pointer
) -> None:
    """Name and type of a vertex input."""
    items = (program_named(gl, program).linked or NOTHING).attributes
    if index >= len(items):
        raise bad_value(f"index: {index} is not below {len(items)}")
    item = items[index]
    write("i", count, [item.shape.elements])
    write("I", type, [item.type])
    write_text(item.name, size, length, name)


@command("glGetFragDataLocation")
def get_frag_data_location(gl: Context, program: int, name: Pointer) -> int:
    """The color number of a fragment output; -1 if there is none."""
    word = text(name)
    return next((item.location for item in linked_of(program_named(gl, program)).outputs if item.name == word), -1)


@command("glGetFragDataIndex")
def get_frag_data_index(gl: Context, program: int, name: Pointer) -> int:
    """The index of a fragment output; -1 if there is none."""
    word = text(name)
    return next((item.index for item in linked_of(program_named(gl, program)).outputs if item.name == word), -1)


# -- uniforms
@command("glGetUniformLocation")
def get_uniform_location(gl: Context, program: int, name: Pointer) -> int:
    """The location of a uniform or of one element; -1 if it is not used or lies in a block."""
    match = linked_of(program_named(gl, program)).find(text(name))
    if match is None or match[0].location < 0:
        return -1
    return match[0].location + match[1]


def _uniform(program: Program, index: int) -> Uniform:
    items = (program.linked or NOTHING).uniforms
    if index >= len(items):
        raise bad_value(f"index: {index} is not below {len(items)}")
    return items[index]


@command("glGetActiveUniform")
def get_active_uniform(
    gl: Context, program: int, index: int, size: int, length: Pointer, count: Pointer, type: Pointer, name: Pointer
) -> None:
    """Name, type and size of a uniform."""
    item = _uniform(program_named(gl, program), index)
    write("i", count, [item.size])
    write("I", type, [item.type])
    write_text(item.name, size, length, name)


@command("glGetActiveUniformName")
def get_active_uniform_name(gl: Context, program: int, index: int, size: int, length: Pointer, name: Pointer) -> None:
    """The name of a uniform."""
    write_text(_uniform(program_named(gl, program), index).name, size, length, name)


@command("glGetUniformIndices")
def get_uniform_indices(gl: Context, program: int, count: int, names: Pointer, indices: Pointer) -> None:
    """Indices of uniforms by name."""
    linked = linked_of(program_named(gl, program))
    write("I", indices, [_index_of(linked, word) for word in texts(count, names, None)])


def _index_of(linked: Linked, word: str) -> int:
    for index, item in enumerate(linked.uniforms):
        if word in (item.name, item.name.removesuffix("[0]")):
            return index
    return GL.INVALID_INDEX


def uniform_property(item: Uniform, name: int) -> int:
    """A property of a uniform. (OpenGL 4.6 core, table 7.6)"""
    variable = item.variable
    values = {
        GL.UNIFORM_TYPE: item.type,
        GL.UNIFORM_SIZE: item.size,
        GL.UNIFORM_NAME_LENGTH: len(item.name.encode()) + 1,
        GL.UNIFORM_BLOCK_INDEX: item.block,
        GL.UNIFORM_OFFSET: variable.offset if variable is not None else item.offset,
        GL.UNIFORM_ARRAY_STRIDE: (4 if item.is_array else 0)
        if item.counter >= 0
        else -1
        if variable is None
        else variable.strides[0]
        if variable.strides
        else 0,
        GL.UNIFORM_MATRIX_STRIDE: -1 if variable is None else variable.matrix_stride if variable.columns > 1 else 0,
        GL.UNIFORM_IS_ROW_MAJOR: int(variable is not None and variable.row_major and variable.columns > 1),
        GL.UNIFORM_ATOMIC_COUNTER_BUFFER_INDEX: item.counter,
    }
    if name not in values:
        raise bad_enum("pname", name)
    return values[name]


@command("glGetActiveUniformsiv")
def get_active_uniforms(gl: Context, program: int, count: int, indices: Pointer, pname: int, params: Pointer) -> None:
    """A property of several uniforms."""
    item = program_named(gl, program)
    write("i", params, [uniform_property(_uniform(item, index), pname) for index in uints(indices, count)])


# -- blocks
def _block(items: list[BlockPlace], index: int) -> BlockPlace:
    if index >= len(items):
        raise bad_value(f"index: {index} is not below {len(items)}")
    return items[index]


@command("glGetUniformBlockIndex")
def get_uniform_block_index(gl: Context, program: int, name: Pointer) -> int:
    """The index of a uniform block."""
    word = text(name)
    blocks = linked_of(program_named(gl, program)).blocks
    return next((k for k, item in enumerate(blocks) if word in (item.name, item.name.removesuffix("[0]"))), GL.INVALID_INDEX)


@command("glGetActiveUniformBlockiv")
def get_active_uniform_block(gl: Context, program: int, index: int, pname: int, params: Pointer) -> None:
    """A parameter of a uniform block."""
    item = _block(linked_of(program_named(gl, program)).blocks, index)
    stages = {stage for stage, _ in item.slots}
    referenced = {
        GL.UNIFORM_BLOCK_REFERENCED_BY_VERTEX_SHADER: GL.VERTEX_SHADER,
        GL.UNIFORM_BLOCK_REFERENCED_BY_TESS_CONTROL_SHADER: GL.TESS_CONTROL_SHADER,
        GL.UNIFORM_BLOCK_REFERENCED_BY_TESS_EVALUATION_SHADER: GL.TESS_EVALUATION_SHADER,
        GL.UNIFORM_BLOCK_REFERENCED_BY_GEOMETRY_SHADER: GL.GEOMETRY_SHADER,
        GL.UNIFORM_BLOCK_REFERENCED_BY_FRAGMENT_SHADER: GL.FRAGMENT_SHADER,
        GL.UNIFORM_BLOCK_REFERENCED_BY_COMPUTE_SHADER: GL.COMPUTE_SHADER,
    }
    if pname == GL.UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES:
        write("i", params, item.members)
        return
    values = {
        GL.UNIFORM_BLOCK_BINDING: item.binding,
        GL.UNIFORM_BLOCK_DATA_SIZE: item.size,
        GL.UNIFORM_BLOCK_NAME_LENGTH: len(item.name.encode()) + 1,
        GL.UNIFORM_BLOCK_ACTIVE_UNIFORMS: len(item.members),
    } | {name: int(stage in stages) for name, stage in referenced.items()}
    if pname not in values:
        raise bad_enum("pname", pname)
    write("i", params, [values[pname]])


@command("glGetActiveUniformBlockName")
def get_active_uniform_block_name(gl: Context, program: int, index: int, size: int, length: Pointer, name: Pointer) -> None:
    """The name of a uniform block."""
    write_text(_block(linked_of(program_named(gl, program)).blocks, index).name, size, length, name)


@command("glUniformBlockBinding")
def uniform_block_binding(gl: Context, program: int, index: int, binding: int) -> None:
    """The binding point that feeds a uniform block."""
    if binding >= len(gl.uniform_buffers):
        raise bad_value(f"uniformBlockBinding: {binding} is not below {len(gl.uniform_buffers)}")
    linked = linked_of(program_named(gl, program))
    _block(linked.blocks, index).binding = binding
    gl.dirty |= dirty.UNIFORM_BUFFERS
    note_bindings(gl, linked)


@command("glShaderStorageBlockBinding")
def shader_storage_block_binding(gl: Context, program: int, index: int, binding: int) -> None:
    """The binding point that feeds a shader storage block."""
    if binding >= len(gl.storage_buffers):
        raise bad_value(f"storageBlockBinding: {binding} is not below {len(gl.storage_buffers)}")
    linked = linked_of(program_named(gl, program))
    _block(linked.storage, index).binding = binding
    gl.dirty |= dirty.STORAGE
    note_bindings(gl, linked)


@command("glGetTransformFeedbackVarying")
def get_transform_feedback_varying(
    gl: Context, program: int, index: int, size: int, length: Pointer, count: Pointer, type: Pointer, name: Pointer
) -> None:
    """Name, type and size of a captured output."""
    items = linked_of(program_named(gl, program)).feedback
    if index >= len(items):
        raise bad_value(f"index: {index} is not below {len(items)}")
    word, kind, elements = items[index]
    write("i", count, [elements])
    write("I", type, [kind])
    write_text(word, size, length, name)
