"""Textures that a sampler cannot read: unbound, incomplete, of another kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from tgsi.opengl.drawing.programs import target_of
from tgsi.opengl.objects.sampler import FILTERS, Sampler
from tgsi.opengl.objects.texture import ARRAYS, ONE_LEVEL, Texture, level_size
from tgsi.opengl.pixels.internal_formats import is_integer
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.watching.command_text import enum_text
from tgsi.validation.findings import Finding

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.objects.linked import Linked


def textures(gl: Context, linked: Linked, deleted: Mapping[tuple[int, int], int] = MappingProxyType({})) -> Iterator[Finding]:
    """Samplers of a program without a complete texture. deleted: textures that were deleted while bound, by unit and target."""
    names = {
        (stage, unit.binding + k): item.name.removesuffix("[0]")
        for item in linked.uniforms
        for stage, unit in item.units
        for k in range(unit.size)
    }
    for stage, units in linked.texture_units.items():
        used = {k for d in linked.programs[stage].declarations if d.file.name == "SAMP" for k in range(d.first, d.last + 1)}
        for slot, (unit, kind) in units.items():
            if slot in used and unit < len(gl.units):
                name = names.get((stage, slot), f"SAMP[{slot}]")
                text = _wrong(gl, unit, kind, deleted)
                if text:
                    yield Finding("gl texture", (linked.number, name, text), f"the sampler {name!r} reads unit {unit}, and {text}")


def _wrong(gl: Context, unit: int, kind: str, deleted: Mapping[tuple[int, int], int]) -> str:
    """The reason why a sampler cannot read its unit, or empty."""
    target = target_of(kind)
    place = gl.units[unit]
    texture = place.textures.get(target) or gl.default_textures[target]
    sampler = place.sampler or texture.sampler
    if target == GL.TEXTURE_BUFFER:
        return "" if texture.buffer is not None else "no buffer is attached to its buffer texture: glTexBuffer; it reads 0"
    if not texture.name and not texture.images:
        lost = deleted.get((unit, target))
        more = f"; texture {lost} was bound, and glDeleteTextures deleted it" if lost else _elsewhere(gl, unit, target)
        return f"no texture is bound to {enum_text(target)} there, so it reads 0, 0, 0, 1{more}"
    if not texture.complete(gl, sampler):
        return f"{_title(texture)} is incomplete, so it reads 0, 0, 0, 1: {incomplete(texture, sampler)}"
    base = texture.base_image()
    is_depth = base is not None and base.row.base in (GL.DEPTH_COMPONENT, GL.DEPTH_STENCIL)
    if kind.endswith("Shadow") and is_depth and sampler.compare_mode == GL.NONE:
        return f"{_title(texture)} is not compared: GL_TEXTURE_COMPARE_MODE has to be GL_COMPARE_REF_TO_TEXTURE for {kind}"
    if not kind.endswith("Shadow") and is_depth and sampler.compare_mode != GL.NONE:
        return f"{_title(texture)} has GL_TEXTURE_COMPARE_MODE, whose result {kind} leaves undefined: GL_NONE, or {kind}Shadow"
    return ""


def _title(texture: Texture) -> str:
    return f"texture {texture.name}" + (f" {texture.label!r}" if texture.label else "")


def _elsewhere(gl: Context, unit: int, target: int) -> str:
    """A guess at the intended unit."""
    others = [enum_text(key) for key, item in gl.units[unit].textures.items() if item.name and key != target]
    if others:
        return f"; the unit has a texture of {others[0]}"
    bound = [number for number, item in enumerate(gl.units) if (texture := item.textures.get(target)) is not None and texture.name]
    for number in bound:
        if gl.units[number].textures[target].name == unit:
            return f"; texture {unit} is bound to unit {number}, and glUniform1i takes the number of the unit, not the name of the texture"
    return f"; unit {bound[0]} has one" if bound else ": glBindTexture"


def incomplete(texture: Texture, sampler: Sampler) -> str:
    """The reason why a texture is incomplete. (OpenGL 4.6 core, 8.17)"""
    base = texture.base_image()
    if base is None:
        have = sorted({level for _, level in texture.images})
        return f"it has no image of level {texture.base_level}" + (
            f", GL_TEXTURE_BASE_LEVEL; it has {have[0]}" if have else ": glTexImage2D"
        )
    if is_integer(base.row.format) and "LINEAR" in (FILTERS[sampler.min_filter][0], FILTERS[sampler.mag_filter][0]):
        return f"{enum_text(base.internal)} holds integers, which cannot be filtered: GL_NEAREST for both filters"
    first = texture.base_level
    if first > texture.max_level:
        return f"GL_TEXTURE_BASE_LEVEL {first} is above GL_TEXTURE_MAX_LEVEL {texture.max_level}"
    if texture.target == GL.TEXTURE_CUBE_MAP:
        if base.size[0] != base.size[1]:
            return f"faces of {base.size[0]} x {base.size[1]} are not square"
        for face in range(6):
            image = texture.images.get((face, first))
            if image is None:
                return f"the face {enum_text(GL.TEXTURE_CUBE_MAP_POSITIVE_X + face)} has no image"
            if image.size != base.size or image.row != base.row:
                return f"the face {enum_text(GL.TEXTURE_CUBE_MAP_POSITIVE_X + face)} has another size or format than the first one"
    return _levels(texture, sampler, first)


def _levels(texture: Texture, sampler: Sampler, first: int) -> str:
    """The reason why a level makes the texture incomplete."""
    base = texture.base_image()
    assert base is not None
    extents = base.size if texture.target == GL.TEXTURE_3D else base.size[:1] if texture.target == GL.TEXTURE_1D_ARRAY else base.size[:2]
    last = min(first + max(extents).bit_length() - 1, texture.max_level)
    if FILTERS[sampler.min_filter][1] == "NONE" or texture.target in ONE_LEVEL:
        return "its images do not fit together"
    name = enum_text(sampler.min_filter)
    for level in range(first, last + 1):
        image = texture.images.get((0, level))
        if image is None:
            return f"GL_TEXTURE_MIN_FILTER is {name}, and level {level} of {last} is missing: glGenerateMipmap, or GL_LINEAR"
        wanted = level_size(texture.target, base.size, level - first)
        if image.size != wanted:
            return f"level {level} is {_size(image.size, texture)}, and {_size(wanted, texture)} follows from level {first}"
        if image.row != base.row:
            return f"level {level} is {enum_text(image.internal)}, and level {first} is {enum_text(base.internal)}"
    return "its images do not fit together"


def _size(size: tuple[int, int, int], texture: Texture) -> str:
    return " x ".join(map(str, size if texture.target in ARRAYS or texture.target == GL.TEXTURE_3D else size[:2]))
