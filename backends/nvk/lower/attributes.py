"""Outputs of a mesh program as attributes: which words a vertex and a primitive have, and where each lies."""

from __future__ import annotations

from backends.nvk.isbe.attributes import ATTRIBUTES, Attributes, attribute_address
from backends.nvk.isbe.index_map import MAX_INDEX
from backends.nvk.isbe.mesh_output import MeshOutput
from backends.nvk.isbe.regions import IsbeError
from backends.nvk.lower.code import OutputWord
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.ir import Declaration
from tgsi.language.mesh import MeshLayout, mesh_layout
from tgsi.language.program import Program
from tgsi.language.record import record

VIEWPORT, MASK, CULL, INDICES = "VIEWPORT_INDEX", "VIEWPORT_MASK", "CULL_PRIMITIVE", "PRIMITIVE_INDICES"
"""Outputs without a separate attribute: the first three form the mask of viewports, the last goes to MAP."""

SHADOW_BYTES = 8
"""Bytes of shared memory for each primitive: its mask of viewports, and 0 unless it is culled."""


@record(kw_only=True)
class MeshParts:
    """Layout of the outputs of a mesh program.

    Attributes:
        layout: registers, and the greatest numbers of vertices and primitives.
        output: layout of output ATTR.
        vertex_words, primitive_words: places of outputs with separate attributes.
        mask: registers by name of the outputs that form the mask of viewports.
        shared_bytes: bytes of the program's own shared memory; shadow copies follow.
    """

    layout: MeshLayout
    output: MeshOutput
    vertex_words: tuple[OutputWord, ...]
    primitive_words: tuple[OutputWord, ...]
    mask: tuple[tuple[str, int], ...]
    shared_bytes: int

    @property
    def shadow_start(self) -> int:
        """Address in ATTR of the shadow copies."""
        return self.output.shared_start + shadow_offset(self.shared_bytes)

    def attribute(self, per_primitive: bool, register: int, component: int) -> int | None:
        """Attribute of one channel of an OUT register, None if the hardware keeps no such channel."""
        words = self.primitive_words if per_primitive else self.vertex_words
        return next((word.attribute for word in words if (word.register, word.component) == (register, component)), None)


def shadow_offset(shared_bytes: int) -> int:
    """Byte of shared memory at which the shadow copies start."""
    return -(-shared_bytes // SHADOW_BYTES) * SHADOW_BYTES


def mesh_parts(program: Program) -> MeshParts:
    """The layout of a mesh program's outputs.

    Raises:
        UnsupportedError: an output has no attribute, two have the same one, or there are more vertices than MAP can number.
    """
    layout = mesh_layout(program)
    if layout.max_vertices > MAX_INDEX + 1:
        raise UnsupportedError.at(
            "B071", f"{layout.max_vertices} vertices: MAP holds 8-bit vertex numbers, at most {MAX_INDEX + 1} vertices"
        )
    vertex: list[OutputWord] = []
    primitive: list[OutputWord] = []
    mask: list[tuple[str, int]] = []
    for item in program.declared(File.OUT):
        name = item.semantic.name if item.semantic is not None else ""
        if name in (VIEWPORT, MASK, CULL):
            mask.append((name, item.first))
        elif name != INDICES:
            (primitive if item.per_primitive else vertex).extend(_words(item))
    if VIEWPORT in dict(mask) and MASK in dict(mask):
        raise UnsupportedError.at(
            "B070", f"{VIEWPORT} and {MASK} in one program: both set the mask of viewports", hint=f"write {MASK} only"
        )
    addresses = [word.attribute for word in primitive] + ([attribute_address(MASK)] if mask else [])
    shared = program.property("MS_SHARED_BYTES")
    output = MeshOutput(
        _attributes(program, [word.attribute for word in vertex]),
        _attributes(program, addresses),
        layout.max_vertices,
        layout.max_primitives,
        shadow_offset(shared) + SHADOW_BYTES * layout.max_primitives if mask else shared,
    )
    return MeshParts(
        layout=layout,
        output=output,
        vertex_words=tuple(vertex),
        primitive_words=tuple(primitive),
        mask=tuple(mask),
        shared_bytes=shared,
    )


def _words(item: Declaration) -> list[OutputWord]:
    if item.semantic is None:
        raise UnsupportedError.at("B070", "an output without a semantic has no attribute", item.span)
    words = []
    for number, register in enumerate(range(item.first, item.last + 1)):
        row = ATTRIBUTES.get(item.semantic.name)
        for component in range(row.scalars if row is not None else 1):
            try:
                address = attribute_address(item.semantic.name, item.semantic.index + number, component)
            except IsbeError as error:
                raise UnsupportedError.at("B070", f"{item.semantic}: {error}", item.span) from None
            words.append(OutputWord(register, component, address))
    return words


def _attributes(program: Program, addresses: list[int]) -> Attributes:
    ordered = tuple(sorted(set(addresses)))
    if len(ordered) != len(addresses):
        twice = next(address for address in ordered if addresses.count(address) > 1)
        raise UnsupportedError.at("B070", f"two outputs of the {program.processor.name} program lie at attribute 0x{twice:03x}")
    return Attributes(ordered)
