"""Subroutines: functions that the application selects between draws. (OpenGL 4.6 core, 7.10)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.commands.program_queries import NOTHING, linked_of
from tgsi.opengl.commands.shaders import program_named
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, text, uints, write, write_text
from tgsi.opengl.objects.linked import Linked
from tgsi.opengl.objects.program import STAGES
from tgsi.opengl.objects.subroutines import StageSubroutines, SubroutineUniform
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


SUBROUTINES = dict(zip(range(GL.VERTEX_SUBROUTINE, GL.COMPUTE_SUBROUTINE + 1), STAGES, strict=True))
UNIFORMS = dict(zip(range(GL.VERTEX_SUBROUTINE_UNIFORM, GL.COMPUTE_SUBROUTINE_UNIFORM + 1), STAGES, strict=True))
"""Program interfaces of subroutines and of subroutine uniforms, with the stage of each."""


def _of(linked: Linked, stage: int) -> StageSubroutines:
    """The subroutines of a stage; empty if the program lacks the stage."""
    if stage not in STAGES:
        raise bad_enum("shadertype", stage)
    return linked.subroutines.get(stage, StageSubroutines())


def _current(gl: Context, stage: int) -> StageSubroutines:
    """The subroutines of the stage that draws now use; GL_INVALID_OPERATION without such a stage."""
    linked = gl.own_linked()
    parts = [part for part in linked.leaves() if stage in part.programs] if linked is not None and stage in linked.programs else []
    if stage in STAGES and gl.program is None and gl.pipeline is not None:
        item = gl.pipeline.stages.get(stage)
        parts = [item.linked] if item is not None and item.linked is not None else []
    if stage in STAGES and not parts:
        raise bad_operation("shadertype: no program with this stage is in use")
    return _of(parts[0] if parts else NOTHING, stage)


@command("glGetSubroutineIndex")
def get_subroutine_index(gl: Context, program: int, stage: int, name: Pointer) -> int:
    """The number of a function by name."""
    word = text(name)
    return next(
        (item.number for item in _of(linked_of(program_named(gl, program)), stage).functions if item.name == word), GL.INVALID_INDEX
    )


@command("glGetSubroutineUniformLocation")
def get_subroutine_uniform_location(gl: Context, program: int, stage: int, name: Pointer) -> int:
    """The location of a subroutine uniform, or of an element of one, by name; -1 if it is not used."""
    return location_of(_of(linked_of(program_named(gl, program)), stage), text(name))


def location_of(subroutines: StageSubroutines, word: str) -> int:
    """The location of a subroutine uniform by name; -1 if there is none."""
    for location, item, element in subroutines.elements():
        stem = item.name.removesuffix("[0]")
        if word == (f"{stem}[{element}]" if item.is_array else stem) or (word == stem and element == 0):
            return location
    return -1


@command("glGetActiveSubroutineName")
def get_active_subroutine_name(gl: Context, program: int, stage: int, index: int, size: int, length: Pointer, name: Pointer) -> None:
    """The name of a function by its number."""
    not_negative("bufSize", size)
    names = [item.name for item in _of(linked_of(program_named(gl, program)), stage).functions if item.number == index]
    if not names:
        raise bad_value(f"index: {index} does not belong to a subroutine")
    write_text(names[0], size, length, name)


def _uniform(gl: Context, program: int, stage: int, index: int) -> SubroutineUniform:
    uniforms = _of(linked_of(program_named(gl, program)), stage).uniforms
    if index >= len(uniforms):
        raise bad_value(f"index: {index} is not below {len(uniforms)}")
    return uniforms[index]


@command("glGetActiveSubroutineUniformName")
def get_active_subroutine_uniform_name(
    gl: Context, program: int, stage: int, index: int, size: int, length: Pointer, name: Pointer
) -> None:
    """The name of a subroutine uniform."""
    not_negative("bufSize", size)
    write_text(_uniform(gl, program, stage, index).name, size, length, name)


@command("glGetActiveSubroutineUniformiv")
def get_active_subroutine_uniform(gl: Context, program: int, stage: int, index: int, pname: int, values: Pointer) -> None:
    """A property of a subroutine uniform."""
    item = _uniform(gl, program, stage, index)
    properties = {
        GL.NUM_COMPATIBLE_SUBROUTINES: [len(item.compatible)],
        GL.COMPATIBLE_SUBROUTINES: [*item.compatible],
        GL.UNIFORM_SIZE: [item.size],
        GL.UNIFORM_NAME_LENGTH: [len(item.name.encode()) + 1],
    }
    if pname not in properties:
        raise bad_enum("pname", pname)
    write("i", values, properties[pname])


@command("glGetProgramStageiv")
def get_program_stage(gl: Context, program: int, stage: int, pname: int, values: Pointer) -> None:
    """A number about the subroutines of a stage."""
    subroutines = _of(program_named(gl, program).linked or NOTHING, stage)
    numbers = {
        GL.ACTIVE_SUBROUTINES: len(subroutines.functions),
        GL.ACTIVE_SUBROUTINE_UNIFORMS: len(subroutines.uniforms),
        GL.ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS: subroutines.locations,
        GL.ACTIVE_SUBROUTINE_MAX_LENGTH: max((len(item.name.encode()) + 1 for item in subroutines.functions), default=0),
        GL.ACTIVE_SUBROUTINE_UNIFORM_MAX_LENGTH: max((len(item.name.encode()) + 1 for item in subroutines.uniforms), default=0),
    }
    if pname not in numbers:
        raise bad_enum("pname", pname)
    write("i", values, [numbers[pname]])


@command("glUniformSubroutinesuiv")
def uniform_subroutines(gl: Context, stage: int, count: int, indices: Pointer) -> None:
    """Select a function for every location of a stage, until another program is used."""
    subroutines = _current(gl, stage)
    if count != subroutines.locations:
        raise bad_value(f"count: {count} is not {subroutines.locations}, the number of locations of subroutine uniforms")
    chosen = uints(indices, count)
    for location, item, _ in subroutines.elements():
        if chosen[location] >= subroutines.numbers:
            raise bad_value(f"indices[{location}]: {chosen[location]} is not below {subroutines.numbers}")
        if chosen[location] not in item.compatible:
            raise bad_operation(f"indices[{location}]: subroutine {chosen[location]} has another type than {item.name}")
    gl.subroutines[stage] = [*chosen]
    gl.dirty |= dirty.SUBROUTINES


@command("glGetUniformSubroutineuiv")
def get_uniform_subroutine(gl: Context, stage: int, location: int, params: Pointer) -> None:
    """The function that is chosen for a location."""
    subroutines = _current(gl, stage)
    if not 0 <= location < subroutines.locations:
        raise bad_value(f"location: {location} is not below {subroutines.locations}")
    write("I", params, [gl.subroutines.get(stage, subroutines.initial())[location]])
