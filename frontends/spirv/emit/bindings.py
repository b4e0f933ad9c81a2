"""New numbers for buffers, textures and images whose bindings are equal (TGSI has no descriptor sets) or too large."""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from frontends.spirv.emit.opaque import units
from frontends.spirv.module.module import Tables
from frontends.spirv.module.types import Image, Pointer, SampledImage, Struct, Type, array_sizes, inner
from tgsi.language.facts.limits import SOFTWARE

_IN_STRUCTS = "textures and images"
"""The file of a uniform with structs of textures or images: its numbers are unused by both."""

_ENDS = {
    "textures": SOFTWARE.samplers,
    "images": SOFTWARE.images,
    "buffers": SOFTWARE.buffers,
    "blocks": SOFTWARE.constant_buffers - 1,  # the first has the default uniforms
    _IN_STRUCTS: SOFTWARE.samplers,
}
"""Number of registers of each file."""


def _kind(tables: Tables, storage: str, kind: Type) -> tuple[str, int]:
    """The register file of a variable, and the number of registers that it occupies; no file if it has no number."""
    whole, size, kind = kind, prod(max(item, 1) for item in array_sizes(kind)), inner(kind)
    if storage == "UniformConstant":
        if isinstance(kind, Struct):
            return _IN_STRUCTS, units(whole)
        if not isinstance(kind, Image | SampledImage):
            return "", 0
        return "images" if isinstance(kind, Image) and kind.storage else "textures", size
    if not isinstance(kind, Struct) or storage not in ("Uniform", "StorageBuffer"):
        return "", 0
    is_buffer = storage == "StorageBuffer" or "BufferBlock" in tables.decorations.get(kind.id, {})
    return "buffers" if is_buffer else "blocks", size


def separated(tables: Tables, bound: Collection[str] | None = None) -> dict[int, int]:
    """New numbers for variables that conflict with a variable of a lower set or binding. Variables of equal set and binding share a number.

    bound: names of variables whose bindings the program states; by default, all. glslang numbers all others, and also counts default
    uniforms, which need no binding. If its numbers exceed the limit of a register file, these variables get the lowest free ones.
    """
    found: dict[int, int] = {}
    taken: dict[str, dict[int, tuple[int, int]]] = {}
    wanted = []
    for id, op in tables.globals.items():
        pointer = tables.types.get(op.type, op)
        binding = tables.decoration(id, "Binding")
        if isinstance(pointer, Pointer) and binding is not None:
            file, size = _kind(tables, pointer.storage, tables.types.get(pointer.target, op))
            if file and 0 < size <= 64:
                wanted.append((file == _IN_STRUCTS, tables.decoration(id, "DescriptorSet") or 0, binding, id, file, size))
    free = {id for _, _, _, id, _, _ in wanted if bound is not None and (tables.names.get(id) or "anon") not in bound}
    full = {file for _, _, binding, id, file, size in wanted if id in free and binding + size > _ENDS[file]}
    late = {id for _, _, _, id, file, _ in wanted if id in free and file in full}
    # structs last: a struct has one binding, but each of its textures needs a number of its own
    for is_struct, group, binding, id, file, size in sorted(wanted, key=lambda item: (item[0], item[3] in late, item)):
        owners = [taken.setdefault(name, {}) for name in (("textures", "images") if is_struct else (file,))]
        own = group, binding
        first = 0 if id in late else binding
        known = None if is_struct else next((number for number, owner in owners[0].items() if owner == own), None)
        if known is not None:
            first = known
        else:
            while any(number in numbers for numbers in owners for number in range(first, first + size)):
                first += 1
        for numbers in owners:
            for number in range(first, first + size):
                numbers.setdefault(number, own)
        if first != binding:
            found[id] = first
    return found
