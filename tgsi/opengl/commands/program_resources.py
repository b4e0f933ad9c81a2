"""Resources of a program's interfaces. (OpenGL 4.6 core, 7.3.1)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import command
from tgsi.opengl.commands.program_queries import (
    NOTHING,
    get_attrib_location,
    get_frag_data_index,
    get_frag_data_location,
    get_uniform_location,
    uniform_property,
)
from tgsi.opengl.commands.shaders import program_named
from tgsi.opengl.commands.subroutines import SUBROUTINES, UNIFORMS, get_subroutine_uniform_location
from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.memory import Pointer, text, uints, write, write_text
from tgsi.opengl.objects.linked import BlockPlace, CounterBuffer, Linked, Uniform
from tgsi.opengl.objects.subroutines import StageSubroutines, Subroutine, SubroutineUniform
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def resources(linked: Linked, interface: int) -> list[Any]:
    """The active resources of an interface."""
    tables: dict[int, list[Any]] = {
        GL.UNIFORM: linked.uniforms,
        GL.UNIFORM_BLOCK: linked.blocks,
        GL.SHADER_STORAGE_BLOCK: linked.storage,
        GL.PROGRAM_INPUT: linked.attributes,
        GL.PROGRAM_OUTPUT: linked.outputs,
        GL.BUFFER_VARIABLE: list(_buffer_variables(linked)),
        GL.TRANSFORM_FEEDBACK_VARYING: [Uniform(name, kind, size) for name, kind, size in linked.feedback],
        GL.ATOMIC_COUNTER_BUFFER: linked.counters,
    }
    if interface in SUBROUTINES or interface in UNIFORMS:
        subroutines = linked.subroutines.get((SUBROUTINES | UNIFORMS)[interface], StageSubroutines())
        return subroutines.functions if interface in SUBROUTINES else subroutines.uniforms
    if interface not in tables:
        raise bad_enum("programInterface", interface)
    return tables[interface]


def _buffer_variables(linked: Linked) -> Iterator[Uniform]:
    from tgsi.opengl.objects.glsl_types import type_of

    for index, block in enumerate(linked.storage):
        members = block.item.members if block.item is not None else {}
        for variable in members.values():
            name = f"{variable.name}[0]" if variable.sizes else variable.name
            count = variable.sizes[0] if variable.sizes else 1
            yield Uniform(name, type_of(variable.type), count, block=index, variable=variable, stages=block.stages)


@command("glGetProgramInterfaceiv")
def get_program_interface(gl: Context, program: int, interface: int, pname: int, params: Pointer) -> None:
    """Number of an interface's resources, and the length of their names."""
    items = resources(program_named(gl, program).linked or NOTHING, interface)
    values = {
        GL.ACTIVE_RESOURCES: len(items),
        GL.MAX_NAME_LENGTH: max((len(item.name.encode()) + 1 for item in items), default=0),
        GL.MAX_NUM_ACTIVE_VARIABLES: max((len(getattr(item, "members", ())) for item in items), default=0),
        GL.MAX_NUM_COMPATIBLE_SUBROUTINES: max((len(getattr(item, "compatible", ())) for item in items), default=0),
    }
    if pname not in values:
        raise bad_enum("pname", pname)
    write("i", params, [values[pname]])


@command("glGetProgramResourceIndex")
def get_program_resource_index(gl: Context, program: int, interface: int, name: Pointer) -> int:
    """The index of a resource by name."""
    word = text(name)
    items = resources(program_named(gl, program).linked or NOTHING, interface)
    return next((k for k, item in enumerate(items) if word in (item.name, item.name.removesuffix("[0]"))), GL.INVALID_INDEX)


@command("glGetProgramResourceName")
def get_program_resource_name(gl: Context, program: int, interface: int, index: int, size: int, length: Pointer, name: Pointer) -> None:
    """The name of a resource."""
    items = resources(program_named(gl, program).linked or NOTHING, interface)
    if index >= len(items):
        raise bad_value(f"index: {index} is not below {len(items)}")
    write_text(items[index].name, size, length, name)


@command("glGetProgramResourceLocation")
def get_program_resource_location(gl: Context, program: int, interface: int, name: Pointer) -> int:
    """The location of a resource by name."""
    if interface == GL.UNIFORM:
        return get_uniform_location(gl, program, name)
    if interface == GL.PROGRAM_INPUT:
        return get_attrib_location(gl, program, name)
    if interface == GL.PROGRAM_OUTPUT:
        return get_frag_data_location(gl, program, name)
    if interface in UNIFORMS:
        return get_subroutine_uniform_location(gl, program, UNIFORMS[interface], name)
    raise bad_enum("programInterface", interface)


def resource_property(item: Any, name: int) -> list[int]:
    """The values of a property of a resource."""
    if name == GL.NAME_LENGTH:
        return [len(item.name.encode()) + 1]
    if isinstance(item, SubroutineUniform):
        properties = {GL.ARRAY_SIZE: [item.size], GL.LOCATION: [item.location], GL.COMPATIBLE_SUBROUTINES: [*item.compatible]}
        properties[GL.NUM_COMPATIBLE_SUBROUTINES] = [len(item.compatible)]
        if name not in properties:
            raise bad_enum("props", name)
        return properties[name]
    if isinstance(item, Subroutine):
        raise bad_enum("props", name)
    if name == GL.LOCATION:
        return [getattr(item, "location", -1)]
    if name == GL.LOCATION_INDEX:
        return [getattr(item, "index", -1)]
    if name == GL.TYPE and hasattr(item, "type"):
        return [item.type]
    if isinstance(item, BlockPlace | CounterBuffer):
        values = {GL.BUFFER_BINDING: [item.binding], GL.BUFFER_DATA_SIZE: [item.size], GL.NUM_ACTIVE_VARIABLES: [len(item.members)]}
        values[GL.ACTIVE_VARIABLES] = item.members
        return values[name] if name in values else [_referenced(name, item.stages)]
    if isinstance(item, Uniform):
        same = {GL.ARRAY_SIZE: GL.UNIFORM_SIZE, GL.OFFSET: GL.UNIFORM_OFFSET, GL.BLOCK_INDEX: GL.UNIFORM_BLOCK_INDEX}
        same |= {GL.ARRAY_STRIDE: GL.UNIFORM_ARRAY_STRIDE, GL.MATRIX_STRIDE: GL.UNIFORM_MATRIX_STRIDE}
        same |= {GL.IS_ROW_MAJOR: GL.UNIFORM_IS_ROW_MAJOR, GL.ATOMIC_COUNTER_BUFFER_INDEX: GL.UNIFORM_ATOMIC_COUNTER_BUFFER_INDEX}
        if name in same:
            return [uniform_property(item, same[name])]
        if name in (GL.TOP_LEVEL_ARRAY_SIZE, GL.TOP_LEVEL_ARRAY_STRIDE):
            return [1 if name == GL.TOP_LEVEL_ARRAY_SIZE else 0]
        return [_referenced(name, item.stages)]
    if name == GL.ARRAY_SIZE:
        return [1]
    if name == GL.IS_PER_PATCH:
        return [0]
    raise bad_enum("props", name)


@command("glGetActiveAtomicCounterBufferiv")
def get_active_atomic_counter_buffer(gl: Context, program: int, index: int, pname: int, params: Pointer) -> None:
    """A parameter of a buffer of atomic counters."""
    items = (program_named(gl, program).linked or NOTHING).counters
    if index >= len(items):
        raise bad_value(f"bufferIndex: {index} is not below {len(items)}")
    item = items[index]
    values = {
        GL.ATOMIC_COUNTER_BUFFER_BINDING: [item.binding],
        GL.ATOMIC_COUNTER_BUFFER_DATA_SIZE: [item.size],
        GL.ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTERS: [len(item.members)],
        GL.ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTER_INDICES: item.members,
    }
    for bit, stage in enumerate(("VERTEX", "TESS_CONTROL", "TESS_EVALUATION", "GEOMETRY", "FRAGMENT", "COMPUTE")):
        values[getattr(GL, f"ATOMIC_COUNTER_BUFFER_REFERENCED_BY_{stage}_SHADER")] = [item.stages >> bit & 1]
    if pname not in values:
        raise bad_enum("pname", pname)
    write("i", params, values[pname])


@command("glGetProgramResourceLocationIndex")
def get_program_resource_location_index(gl: Context, program: int, interface: int, name: Pointer) -> int:
    """The index of a fragment output by name."""
    if interface != GL.PROGRAM_OUTPUT:
        raise bad_enum("programInterface", interface)
    return get_frag_data_index(gl, program, name)


def _referenced(name: int, stages: int) -> int:
    order: tuple[int, ...] = (GL.REFERENCED_BY_VERTEX_SHADER, GL.REFERENCED_BY_TESS_CONTROL_SHADER, GL.REFERENCED_BY_TESS_EVALUATION_SHADER)
    order += (GL.REFERENCED_BY_GEOMETRY_SHADER, GL.REFERENCED_BY_FRAGMENT_SHADER, GL.REFERENCED_BY_COMPUTE_SHADER)
    if name not in order:
        raise bad_enum("props", name)
    return stages >> order.index(name) & 1


@command("glGetProgramResourceiv")
def get_program_resource(
    gl: Context, program: int, interface: int, index: int, count: int, props: Pointer, size: int, length: Pointer, params: Pointer
) -> None:
    """Properties of a resource."""
    items = resources(program_named(gl, program).linked or NOTHING, interface)
    if index >= len(items):
        raise bad_value(f"index: {index} is not below {len(items)}")
    values = [value for name in uints(props, count) for value in resource_property(items[index], name)][:size]
    write("i", length, [len(values)])
    write("i", params, values)
