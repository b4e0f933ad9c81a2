"""Linking: merge the names of a program's stages, assign locations, and create the Gallium shaders. (OpenGL 4.6 core, 7.3 and 7.6)"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import tgsi
from tgsi.opengl.objects.captures import LinkFailure, stream_output
from tgsi.opengl.objects.counters import find_counters
from tgsi.opengl.objects.declared import Declared, declared
from tgsi.opengl.objects.glsl_types import elements_of, shape_of, type_of
from tgsi.opengl.objects.linked import Attribute, BlockPlace, Linked, Output, Uniform
from tgsi.opengl.objects.program import STAGES, Program, Shader
from tgsi.opengl.objects.subroutines import StageSubroutines, subroutines_of
from tgsi.opengl.objects.vertex_array import MAX_ATTRIBUTES
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.fixed import CONVENTIONAL

if TYPE_CHECKING:
    from tgsi.language.interface import Block, Interface, Port, Unit, Variable
    from tgsi.opengl.host import Host

PIPE_STAGES = {
    GL.VERTEX_SHADER: "VERTEX",
    GL.TESS_CONTROL_SHADER: "TESS_CTRL",
    GL.TESS_EVALUATION_SHADER: "TESS_EVAL",
    GL.GEOMETRY_SHADER: "GEOMETRY",
    GL.FRAGMENT_SHADER: "FRAGMENT",
    GL.COMPUTE_SHADER: "COMPUTE",
}
CREATE = {
    GL.VERTEX_SHADER: "vs",
    GL.TESS_CONTROL_SHADER: "tcs",
    GL.TESS_EVALUATION_SHADER: "tes",
    GL.GEOMETRY_SHADER: "gs",
    GL.FRAGMENT_SHADER: "fs",
    GL.COMPUTE_SHADER: "compute",
}
STREAMED = (GL.GEOMETRY_SHADER, GL.TESS_EVALUATION_SHADER, GL.VERTEX_SHADER)


def link(gl: Host, program: Program, *, has_fixed: bool) -> Linked:
    """Link the program's shaders. `has_fixed`: stages may be missing, because the fixed-function pipeline completes them.

    Raises:
        LinkFailure: the shaders do not fit together; the text says why.
    """
    shaders = _by_stage(program, has_fixed=has_fixed)
    linked = Linked()
    linked.is_separable = program.is_separable
    live = {stage: "\n".join(shader.live_text() for shader in items) for stage, items in shaders.items()}
    texts = {stage: declared(text) for stage, text in live.items()}
    for stage in STAGES:
        if stage in shaders:
            linked.programs[stage] = _program(stage, shaders[stage], has_fixed=has_fixed)
    _find_uniforms(linked, texts)
    _find_blocks(linked, texts)
    find_counters(linked, live)
    if GL.VERTEX_SHADER in linked.programs:
        _place_attributes(linked, program, texts[GL.VERTEX_SHADER])
    if GL.FRAGMENT_SHADER in linked.programs:
        _place_outputs(linked, program, texts[GL.FRAGMENT_SHADER])
    _check_pair(linked)
    streams = stream_output(linked, program, linked.programs.get(last_stage(linked)))
    linked.streamed = frozenset(item.output_buffer for item in streams.output) if streams is not None else frozenset()
    for stage, item in linked.programs.items():
        create = getattr(gl.pipe, f"create_{CREATE[stage]}_state")
        more = {"stream_output": streams} if streams is not None and stage == last_stage(linked) else {}
        try:
            linked.shaders[stage] = create(item, **more)
        except Exception as error:  # a shader that Gallium refuses is an OpenGL link error with the same text
            raise LinkFailure(f"{PIPE_STAGES[stage].lower()} shader: {error}") from error
    gl.programs_linked += 1
    linked.number = gl.programs_linked
    return linked


def _check_pair(linked: Linked) -> None:
    """Refuse a fragment shader whose inputs do not fit the outputs of the stage before it, such as a vec4 that is a vec3 there."""
    before, fragment = linked.programs.get(last_stage(linked)), linked.programs.get(GL.FRAGMENT_SHADER)
    if before is None or fragment is None:
        return
    try:
        tgsi.link(before, fragment)
    except tgsi.LinkError as error:
        raise LinkFailure(str(error)) from error


def _program(stage: int, shaders: list[Shader], *, has_fixed: bool) -> tgsi.Program:
    """The program of a stage, compiled from one complete shader or from several parts."""
    if len(shaders) == 1 and shaders[0].program is not None:
        return shaders[0].program
    name = " and ".join(f"shader {item.name}" for item in shaders)
    try:
        return tgsi.compile(
            [item.compiled for item in shaders], stage=STAGES[stage], language="opengl", name=name, fixed_names=has_fixed
        )  # fmt: skip
    except tgsi.TgsiError as error:
        raise LinkFailure(str(error)) from error


def _by_stage(program: Program, *, has_fixed: bool) -> dict[int, list[Shader]]:
    if not program.shaders:
        raise LinkFailure("no shader is attached")
    by_stage: dict[int, list[Shader]] = {}
    for shader in program.shaders:
        if not shader.status:
            raise LinkFailure(f"shader {shader.name} was not compiled" + (":\n" + shader.log if shader.log else ""))
        by_stage.setdefault(shader.type, []).append(shader)
    if GL.COMPUTE_SHADER in by_stage and len(by_stage) > 1:
        raise LinkFailure("a compute shader does not link with shaders of other stages")
    if not (program.is_separable or has_fixed) and GL.COMPUTE_SHADER not in by_stage and GL.VERTEX_SHADER not in by_stage:
        raise LinkFailure("no vertex shader is attached")
    return by_stage


def _find_uniforms(linked: Linked, texts: dict[int, Declared]) -> None:
    """Default uniforms, samplers and images of all stages, with their locations and initial values."""
    table: dict[str, Uniform] = {}
    for stage, program in linked.programs.items():
        face = program.interface
        if face is None:
            continue
        if face.subroutines:
            linked.subroutines[stage] = _subroutines(face)
        if face.uniforms is not None:
            linked.constants[stage] = bytearray(face.uniforms.initial or bytes(face.uniforms.size))
            linked.stale.add(stage)
            for variable in sorted(face.uniforms.members.values(), key=lambda item: item.offset):
                if variable.name in face.subroutine_uniforms:
                    continue
                for name, part in elements_of(variable):
                    known = table.setdefault(name, Uniform(name, type_of(part.type), part.sizes[0] if part.sizes else 1))
                    if known.type != type_of(part.type):
                        raise LinkFailure(f"uniform {name} has different types in two stages")
                    known.places.append((stage, part))
                    known.stages |= 1 << list(STAGES).index(stage)
        for units, is_image in ((face.samplers, False), (face.images, True)):
            for name, unit in _units(units.values()):
                known = table.setdefault(name, Uniform(name, type_of(unit.type), unit.size, is_image=is_image))
                known.units.append((stage, unit))
                known.stages |= 1 << list(STAGES).index(stage)
    linked.uniforms = list(table.values())
    for uniform in linked.uniforms:
        _share_initial(linked, uniform)
    _place_uniforms(linked, texts)


def _subroutines(face: Interface) -> StageSubroutines:
    try:
        return subroutines_of(face)
    except ValueError as error:
        raise LinkFailure(str(error)) from error


def _units(units: Collection[Unit]) -> Iterator[tuple[str, Unit]]:
    """Samplers or images under their names in queries: arrays of arrays have one name per outer element."""
    first: dict[str, int] = {}
    for unit in units:
        stem = unit.name.partition(".")[0]
        first[stem] = min(unit.binding, first.get(stem, unit.binding))
    for unit in sorted(units, key=lambda item: first[item.name.partition(".")[0]]):  # members of a struct in declaration order
        sizes = unit.sizes
        if len(sizes) < 2:
            yield (f"{unit.name}[0]" if unit.is_array else unit.name), unit
            continue
        for number, outer in enumerate(product(*(range(size) for size in sizes[:-1]))):
            title = unit.name + "".join(f"[{index}]" for index in outer)
            yield f"{title}[0]", replace(unit, name=title, binding=unit.binding + number * sizes[-1], size=sizes[-1])


def _share_initial(linked: Linked, uniform: Uniform) -> None:
    """Give a uniform of several stages the initial value from the stage that declares one."""
    spans = [(linked.constants[stage], variable.offset, _bytes_of(variable)) for stage, variable in uniform.places]
    stated = next((bytes(data[at : at + size]) for data, at, size in spans if any(data[at : at + size])), None)
    for data, at, size in spans if stated is not None else ():
        if stated is not None and len(stated) == size and not any(data[at : at + size]):
            data[at : at + size] = stated


def _bytes_of(variable: Variable) -> int:
    """Bytes of a variable in its constants."""
    words = 8 if variable.scalar in ("double", "int64_t", "uint64_t") else 4
    one = (variable.columns - 1) * variable.matrix_stride + variable.rows * words
    return one + (variable.sizes[0] - 1) * variable.strides[0] if variable.sizes else one


def _place_uniforms(linked: Linked, texts: dict[int, Declared]) -> None:
    stated = {name: location for text in texts.values() for name, location in text.uniforms.items()}
    holders = {name: text for text in texts.values() for name in text.uniforms}
    taken: set[int] = set()
    later = []

    def place_of(uniform: Uniform) -> list[int]:
        """Its place among the parts of its variable, because locations are assigned in the order of declaration."""
        text = holders.get(_stem(uniform))
        return [] if text is None else text.structs.place_of(uniform.name)

    for uniform in sorted(linked.uniforms, key=place_of):
        stem = _stem(uniform)
        if stem not in stated or uniform.block >= 0:
            later.append(uniform)
        else:
            uniform.location = stated[stem]  # members of a struct and arrays in an array have consecutive locations
            stated[stem] += uniform.size
            taken |= set(range(uniform.location, stated[stem]))
    free = 0
    for uniform in later:
        if uniform.name.startswith("gl_"):
            continue
        while taken & set(range(free, free + uniform.size)):
            free += 1
        uniform.location = free
        free += uniform.size
    for uniform in linked.uniforms:
        for element in range(uniform.size if uniform.location >= 0 else 0):
            linked.locations[uniform.location + element] = uniform, element
        for stage, unit in uniform.units:
            first = texts[stage].bindings.get(uniform.name.partition("[")[0])
            for element in range(unit.size):
                initial = 0 if first is None else first + _element_of(uniform.name, unit.sizes) + element
                if uniform.is_image:
                    linked.image_units.setdefault(stage, {})[unit.binding + element] = initial
                else:
                    linked.texture_units.setdefault(stage, {})[unit.binding + element] = (initial, unit.type)


def _stem(uniform: Uniform) -> str:
    """The name of the variable that contains a uniform."""
    return uniform.name.partition(".")[0].partition("[")[0]


def _find_blocks(linked: Linked, texts: dict[int, Declared]) -> None:
    for stage, program in linked.programs.items():
        face = program.interface
        if face is None:
            continue
        for source, into in ((face.blocks, linked.blocks), (face.buffers, linked.storage)):
            for block in sorted(source.values(), key=lambda item: item.binding):
                place = next((item for item in into if item.name == block.name), None)
                if place is None:
                    stem = block.name.partition("[")[0]
                    stated = texts[stage].bindings.get(stem)
                    binding = 0 if stated is None else stated + _element_of(block.name, texts[stage].sizes.get(stem, ()))
                    place = BlockPlace(block.name, -(-block.size // 16) * 16 if into is linked.blocks else block.size, binding, item=block)
                    into.append(place)
                    if into is linked.blocks:
                        _add_members(linked, block, len(into) - 1, texts[stage].instances.get(stem, ""))
                place.slots.append((stage, block.binding))
                place.stages |= 1 << list(STAGES).index(stage)
    for item in linked.uniforms:
        if item.block >= 0:
            item.stages = linked.blocks[item.block].stages


def _element_of(name: str, sizes: Sequence[int]) -> int:
    """The number of a block in its array of arrays: ``B[1][2]`` of ``B[2][3]`` is 5."""
    number = 0
    for place, index in enumerate(name.replace("]", "").split("[")[1:]):
        number = number * (sizes[place] if place < len(sizes) else 1) + int(index)
    return number


def _add_members(linked: Linked, block: Block, index: int, instance: str) -> None:
    prefix = f"{block.name.partition('[')[0]}." if instance else ""
    for variable in sorted(block.members.values(), key=lambda item: item.offset):
        for name, part in elements_of(variable):
            title = prefix + name
            if any(item.name == title and item.block >= 0 for item in linked.uniforms):
                continue
            linked.blocks[index].members.append(len(linked.uniforms))
            linked.uniforms.append(Uniform(title, type_of(part.type), part.sizes[0] if part.sizes else 1, block=index, variable=part))


def _place_attributes(linked: Linked, program: Program, text: Declared) -> None:
    face = linked.programs[GL.VERTEX_SHADER].interface
    if face is None:
        return
    taken: set[int] = set()
    ports = sorted(face.inputs.values(), key=lambda item: item.location)

    def count(port: Port) -> int:
        shape = shape_of(port.type)
        return shape.columns * shape.elements

    def place(port: Port, location: int) -> None:
        taken.update(range(location, location + count(port)))
        linked.attributes.append(Attribute(port.name, type_of(port.type), port.type, location, port.location, port.registers))

    later = []
    if any(port.name == "gl_Vertex" for port in ports):
        taken.add(0)  # generic attribute 0 is also the position
    for port in ports:
        if port.name in CONVENTIONAL:
            place(port, CONVENTIONAL[port.name])
        elif port.variable in text.locations:
            place(port, text.locations[port.variable])
        elif port.name in program.attributes:
            place(port, program.attributes[port.name])
        else:
            later.append(port)
    for port in later:
        location = 0
        while taken & set(range(location, location + count(port))):
            location += 1
        place(port, location)
    if any(item.location + item.locations > MAX_ATTRIBUTES and item.name not in CONVENTIONAL for item in linked.attributes):
        raise LinkFailure("the vertex shader reads more attributes than there are locations, 16")
    linked.attributes.sort(key=lambda item: item.location)


def _place_outputs(linked: Linked, program: Program, text: Declared) -> None:
    """Number the fragment outputs; a number set by glBindFragDataLocation overrides the compiler's.

    The output of index 1 is color 1, because the second source of a blend has no other color beside it.
    """
    source = linked.programs[GL.FRAGMENT_SHADER]
    if source.interface is None:
        return
    moved: dict[int, int] = {}
    for port in sorted(source.interface.outputs.values(), key=lambda item: item.location):
        location, index = port.location, port.index
        if port.name in program.outputs and port.name not in text.locations:
            location, index = program.outputs[port.name]
        if location + index != port.location + port.index:
            moved[port.location + port.index] = location + index
        linked.outputs.append(Output(port.name, type_of(port.type), location, index))
    if moved:
        linked.programs[GL.FRAGMENT_SHADER] = _renumbered(source, moved)


def _renumbered(source: tgsi.Program, moved: dict[int, int]) -> tgsi.Program:
    """A fragment program whose color outputs have other numbers."""
    changed = []
    for item in source.declarations:
        semantic = item.semantic
        if item.file.name == "OUT" and semantic is not None and semantic.name == "COLOR":
            item = replace(item, semantic=replace(semantic, index=moved.get(semantic.index, semantic.index)))
        changed.append(item)
    return replace(source, declarations=tuple(changed))


def last_stage(linked: Linked) -> int:
    """The last stage before the rasterizer; 0 without one."""
    return next((stage for stage in STREAMED if stage in linked.programs), 0)
