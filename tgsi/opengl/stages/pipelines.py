"""Commands of program pipelines. (OpenGL 4.6 core, 7.4)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.commands.shaders import program_named
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.gets.values import VALUES
from tgsi.opengl.memory import Pointer, uints, write, write_text
from tgsi.opengl.objects.pipeline import Pipeline
from tgsi.opengl.objects.program import STAGES
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

BITS = {
    GL.VERTEX_SHADER_BIT: GL.VERTEX_SHADER,
    GL.TESS_CONTROL_SHADER_BIT: GL.TESS_CONTROL_SHADER,
    GL.TESS_EVALUATION_SHADER_BIT: GL.TESS_EVALUATION_SHADER,
    GL.GEOMETRY_SHADER_BIT: GL.GEOMETRY_SHADER,
    GL.FRAGMENT_SHADER_BIT: GL.FRAGMENT_SHADER,
    GL.COMPUTE_SHADER_BIT: GL.COMPUTE_SHADER,
}


def named(gl: Context, name: int) -> Pipeline:
    """The pipeline of a name, created at first use."""
    pipeline = gl.pipelines.get(name)
    if pipeline is None:
        if name not in gl.pipelines.objects:
            raise bad_operation(f"pipeline: {name} is not the name of a program pipeline")
        pipeline = gl.pipelines.put(name, Pipeline(name))
    return pipeline


@command("glGenProgramPipelines")
def gen_program_pipelines(gl: Context, n: int, pipelines: Pointer) -> None:
    """Fresh names."""
    not_negative("n", n)
    write("I", pipelines, gl.pipelines.generate(n))


@command("glCreateProgramPipelines")
def create_program_pipelines(gl: Context, n: int, pipelines: Pointer) -> None:
    """Fresh names with their objects."""
    not_negative("n", n)
    write("I", pipelines, gl.pipelines.create(n, Pipeline))


@command("glDeleteProgramPipelines")
def delete_program_pipelines(gl: Context, n: int, pipelines: Pointer) -> None:
    """Free names; the bound pipeline is unbound."""
    not_negative("n", n)
    for name in uints(pipelines, n):
        item = gl.pipelines.drop(name)
        if item is not None and gl.pipeline is item:
            gl.pipeline = None
            gl.dirty |= dirty.PROGRAM | dirty.FIXED


@command("glIsProgramPipeline")
def is_program_pipeline(gl: Context, pipeline: int) -> int:
    """1 if the name has an object."""
    return int(gl.pipelines.get(pipeline) is not None)


@command("glBindProgramPipeline")
def bind_program_pipeline(gl: Context, pipeline: int) -> None:
    """Draw with a pipeline while no program is in use."""
    if gl.capture.is_active and not gl.capture.is_paused:
        raise bad_operation("pipeline: transform feedback is active")
    gl.pipeline = named(gl, pipeline) if pipeline else None
    gl.subroutines.clear()
    gl.dirty |= dirty.PROGRAM | dirty.FIXED


@command("glUseProgramStages")
def use_program_stages(gl: Context, pipeline: int, stages: int, program: int) -> None:
    """Use stages of a program; program 0 removes them."""
    known = sum(BITS)
    if stages != GL.ALL_SHADER_BITS and stages & ~known:
        raise bad_value(f"stages: {stages:#x} has unknown bits")
    item = program_named(gl, program) if program else None
    if item is not None and (item.linked is None or not item.status):
        raise bad_operation(f"program: {program} is not linked")
    if item is not None and not (item.linked is not None and item.linked.is_separable):
        raise bad_operation(f"program: {program} was not linked as separable")
    if gl.capture.is_active and not gl.capture.is_paused and gl.pipeline is gl.pipelines.get(pipeline):
        raise bad_operation("pipeline: transform feedback is active")
    target = named(gl, pipeline)
    for bit, stage in BITS.items():
        if stages & bit:
            if gl.pipeline is target:
                gl.subroutines.pop(stage, None)
            target.stages.pop(stage, None)
            if item is not None and item.linked is not None and stage in item.linked.programs:
                target.stages[stage] = item
    gl.dirty |= dirty.PROGRAM | dirty.FIXED


@command("glActiveShaderProgram")
def active_shader_program(gl: Context, pipeline: int, program: int) -> None:
    """Set the program for glUniform."""
    item = program_named(gl, program) if program else None
    if item is not None and not item.status:
        raise bad_operation(f"program: {program} is not linked")
    named(gl, pipeline).active = item


@command("glGetProgramPipelineiv")
def get_program_pipeline(gl: Context, pipeline: int, pname: int, params: Pointer) -> None:
    """A parameter of a pipeline."""
    item = named(gl, pipeline)
    if pname in STAGES:
        program = item.stages.get(pname)
        value = program.name if program is not None else 0
    elif pname == GL.ACTIVE_PROGRAM:
        value = item.active.name if item.active is not None else 0
    elif pname == GL.VALIDATE_STATUS:
        value = int(item.is_valid)
    elif pname == GL.INFO_LOG_LENGTH:
        value = len(item.log.encode()) + 1 if item.log else 0
    else:
        raise bad_enum("pname", pname)
    write("i", params, [value])


@command("glValidateProgramPipeline")
def validate_program_pipeline(gl: Context, pipeline: int) -> None:
    """Check if a pipeline could draw now."""
    item = named(gl, pipeline)
    item.log = item.check()
    item.is_valid = not item.log


@command("glGetProgramPipelineInfoLog")
def get_program_pipeline_info_log(gl: Context, pipeline: int, size: int, length: Pointer, log: Pointer) -> None:
    """The info log."""
    not_negative("bufSize", size)
    write_text(named(gl, pipeline).log, size, length, log)


VALUES[GL.PROGRAM_PIPELINE_BINDING] = "i", lambda gl: gl.pipeline.name if gl.pipeline is not None else 0
