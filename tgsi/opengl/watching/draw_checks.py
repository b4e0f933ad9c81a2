"""Checks of OpenGL's state at a draw: missing programs, arrays, uniforms and buffers."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING, Any

from backends.pipe.enums import Prim
from tgsi.opengl.objects.vertex_array import MAX_ATTRIBUTES
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.registry.table import command
from tgsi.opengl.watching.command_text import enum_text
from tgsi.validation.declared import NAN_CAUSES, end_of, has_nan, padding_hint
from tgsi.validation.findings import Finding
from tgsi.validation.vertices import least_count

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.objects.linked import BlockPlace, Linked, Uniform

_UNSET = (0.0, 0.0, 0.0, 1.0)
"""The initial value of an attribute."""


def programs(gl: Context) -> Iterator[Finding]:
    """Draws without a usable program."""
    if not gl.is_core() and gl.own_linked() is None and gl.program is None:
        return
    if gl.program is None and gl.pipeline is None:
        yield Finding("gl program", "none", "no program is in use, so nothing is drawn: glUseProgram")
        return
    linked = gl.own_linked()
    if linked is None:
        reason = gl.program.log.strip().splitlines() if gl.program is not None else []
        name = f"program {gl.program.name}" if gl.program is not None else "the program pipeline"
        text = f"{name} is in use and was not linked, so nothing is drawn" + (f": {reason[0]}" if reason else ": glLinkProgram")
        yield Finding("gl program", name, text)
    elif GL.VERTEX_SHADER not in linked.shaders and gl.is_core():
        yield Finding("gl program", linked.number, "the program has no vertex shader, so nothing is drawn")


def arrays(gl: Context, linked: Linked) -> Iterator[Finding]:
    """Vertex inputs that no array feeds."""
    array = gl.vertex_array
    for item in linked.attributes:
        for location in range(item.location, item.location + item.locations):
            if item.name.startswith("gl_") or not 0 <= location < MAX_ATTRIBUTES:
                continue
            attribute = array.attributes[location]
            buffer = array.bindings[attribute.binding].buffer
            name = f"{item.name!r} (location {location})"
            if attribute.is_enabled:
                if buffer is None and not attribute.pointer:
                    way = "glBindBuffer(GL_ARRAY_BUFFER, ...) before glVertexAttribPointer"
                    text = f"the attribute {name} is enabled, and no buffer feeds it: {way}"
                    yield Finding("gl array", (linked.number, array.name, location, "buffer"), text)
                elif buffer is not None and buffer.resource is None:
                    text = f"the attribute {name} reads buffer {buffer.name}, which has no bytes: glBufferData"
                    yield Finding("gl array", (linked.number, array.name, location, "bytes"), text)
            elif gl.attributes[location][1] == _UNSET and gl.is_core():
                way = f"glEnableVertexAttribArray({location})" if buffer is not None or attribute.pointer else "glVertexAttribPointer"
                text = f"the attribute {name} has no enabled array, so every vertex reads 0, 0, 0, 1: {way}"
                yield Finding("gl array", (linked.number, array.name, location, "enabled"), text)


def uniforms(linked: Linked, named: Container[str], hint: Callable[[Linked, str], str] = lambda linked, name: "") -> Iterator[Finding]:
    """Float uniforms that were never set, except for elements of arrays of structures, which programs may leave unset.

    hint: returns the reason why a uniform was never set, or nothing.
    """
    unset = [item for item in linked.uniforms if _is_unset(linked, item, named)]
    if not unset:
        return
    variable, names = unset[0].places[0][1], ", ".join(repr(item.name.removesuffix("[0]")) for item in unset[:4])
    what = f"the uniform {names} ({variable.type}) was" if len(unset) == 1 else f"the uniforms {names}{' and more' * (len(unset) > 4)} were"
    call = f"glUniformMatrix{variable.columns}fv" if variable.columns > 1 else f"glUniform{variable.rows}f"
    reads = "reads" if len(unset) == 1 else "read"
    yield Finding("gl uniform", (linked.number, names), f"{what} never set, and {reads} 0: {call}{hint(linked, unset[0].name)}")


def not_numbers(linked: Linked) -> Iterator[Finding]:
    """Float uniforms that hold NaN."""
    for item in linked.uniforms:
        for stage, variable in item.places if item.block < 0 else ():
            if variable.scalar == "float" and not variable.sizes and has_nan(linked.constants[stage], variable):
                text = f"the uniform {item.name!r} ({variable.type}) holds NaN: {NAN_CAUSES}"
                yield Finding("gl uniform", (linked.number, item.name, "nan"), text)


def _is_unset(linked: Linked, item: Uniform, named: Container[str]) -> bool:
    stem = item.name.removesuffix("[0]")
    if not item.places or stem in named or "[" in stem or stem.startswith("gl_") or item.block >= 0:
        return False
    is_float = item.places[0][1].scalar in ("float", "double")
    return is_float and not any(_has_value(linked, stage, place) for stage, place in item.places)


def _has_value(linked: Linked, stage: int, variable: Any) -> bool:
    """True if a uniform has an initial value."""
    size = variable.columns * variable.matrix_stride if variable.columns > 1 else 4 * variable.rows
    return any(linked.constants[stage][variable.offset : variable.offset + size])


def units(linked: Linked, named: Container[str]) -> Iterator[Finding]:
    """Samplers that share a unit because it was never set, or that cannot share a unit."""
    seen: dict[int, tuple[Uniform, str]] = {}
    for item in linked.uniforms:
        if item.is_image or not item.units:
            continue
        stage, unit = item.units[0]
        number, kind = linked.texture_units.get(stage, {}).get(unit.binding, (-1, ""))
        other, other_kind = seen.setdefault(number, (item, kind))
        if other is item:
            continue
        names = f"the samplers {other.name!r} and {item.name!r}"
        if kind.removesuffix("Shadow") != other_kind.removesuffix("Shadow"):
            text = f"{names} are {other_kind} and {kind}, and both read unit {number}: glUniform1i with a unit for each"
            yield Finding("gl units", (linked.number, number, kind), text)
        elif other.name not in named and item.name not in named:
            text = f"{names} both read unit {number}, because neither was given a unit: glUniform1i"
            yield Finding("gl units", (linked.number, number, item.name), text)


def blocks(gl: Context, linked: Linked) -> Iterator[Finding]:
    """Uniform blocks and storage blocks with no buffer or a too small one."""
    for table, places, target in (
        (linked.blocks, gl.uniform_buffers, GL.UNIFORM_BUFFER),
        (linked.storage, gl.storage_buffers, GL.SHADER_STORAGE_BUFFER),
    ):
        for block in table:
            yield from _block(linked, block, places, target)


def has_array(gl: Context, register: int) -> bool:
    """True if an enabled array feeds the input in a register."""
    linked = gl.own_linked()
    for item in linked.attributes if linked is not None else ():
        if item.register <= register < item.register + item.registers and 0 <= item.location < MAX_ATTRIBUTES:
            return gl.vertex_array.attributes[item.location].is_enabled
    return True


def _block(linked: Linked, block: BlockPlace, places: list[Any], target: int) -> Iterator[Finding]:
    kind = "uniform block" if target == GL.UNIFORM_BUFFER else "storage block"
    place = places[block.binding] if block.binding < len(places) else None
    if place is None or place.buffer is None or place.buffer.resource is None:
        way = f"glBindBufferBase({enum_text(target)}, {block.binding}, ...)"
        text = f"the {kind} {block.name!r} reads binding {block.binding}, which has no buffer, so it reads 0: {way}"
        yield Finding("gl block", (linked.number, block.name), text)
    elif target == GL.UNIFORM_BUFFER and block.item is not None and place.length() < (end := end_of(block.item)):
        text = f"the {kind} {block.name!r} has {end} bytes, and binding {block.binding} has {place.length()}: 0 is read beyond"
        text += padding_hint(block.item)
        yield Finding("gl block", (linked.number, block.name, place.length()), text)


def images(gl: Context, linked: Linked) -> Iterator[Finding]:
    """Image uniforms without an image."""
    for item in linked.uniforms:
        for stage, unit in item.units if item.is_image else ():
            number = linked.image_units.get(stage, {}).get(unit.binding, -1)
            if 0 <= number < len(gl.image_units) and gl.image_units[number] is None:
                text = (
                    f"the image {item.name!r} uses unit {number}, which has no image: it reads 0, and stores are lost; glBindImageTexture"
                )
                yield Finding("gl image", (linked.number, item.name), text)


def counts(gl: Context, name: str, values: tuple[Any, ...]) -> Iterator[Finding]:
    """Draws with fewer vertices than a primitive needs."""
    row = command(name)
    arguments = {item.name: value for value, item in zip(values, row.parameters)} if row is not None else {}
    mode, count = arguments.get("mode"), arguments.get("count")
    if mode in set(Prim) and isinstance(count, int):
        least = least_count(Prim(mode), gl.raster.patch_vertices)
        if 0 < count < least:
            way = ": glPatchParameteri" if mode == GL.PATCHES else ""
            text = f"the count is {count}, and the first primitive of GL_{Prim(mode).name} has {least} vertices, so nothing is drawn{way}"
            yield Finding("gl count", (mode, count, least), text)
