"""Outputs of mesh programs: attributes with SKEW, vertex numbers in MAP, and the mask of viewports.

A mask has bit i for viewport i, and is 0 for culled primitives. VIEWPORT_INDEX and CULL_PRIMITIVE may be written apart and in any order,
so shared memory holds a copy of both for each primitive, from which each write makes the mask anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from itertools import pairwise

from backends.nvk.isbe.attributes import attribute_address
from backends.nvk.isbe.index_map import COUNT_BYTES
from backends.nvk.isbe.regions import Region, Side
from backends.nvk.lower.attributes import CULL, INDICES, MASK, SHADOW_BYTES, VIEWPORT, MeshParts
from backends.nvk.lower.code import Access, Address
from backends.nvk.lower.context import Context
from backends.nvk.lower.writer import Writer, channel_of
from backends.pipe.limits import MAX_VIEWPORTS
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.ir import Declaration, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.record import record


@record
class Row:
    """Number of a vertex or primitive, constant or in a temporary; `inside` is the predicate of lanes whose row exists, None if all do.

    `products` are temporaries with the number times some bytes.
    """

    number: int | SrcOperand
    inside: SrcOperand | None
    products: dict[int, SrcOperand] = field(default_factory=dict)

    def address(self, w: Writer, start: int, row_bytes: int) -> Address:
        """Address of a byte of the row: `start` is that of row 0, and rows are `row_bytes` apart."""
        if isinstance(self.number, int):
            return Address(start + self.number * row_bytes)
        if row_bytes not in self.products:
            self.products[row_bytes] = w.op("UMUL", self.number, w.constant(row_bytes))
        return Address(start, self.products[row_bytes])


def write_output(c: Context, item: Instruction, register: RegisterRef, values: Mapping[int, SrcOperand]) -> None:
    """Write channels of ``OUT[row][register]``: channel to scalar. Rows beyond the last are not written."""
    mesh = _mesh(c)
    row = _row(c, register)
    if row is None:
        return
    declared = _declared(c, item, register)
    name = declared.semantic.name if declared.semantic is not None else ""
    if name == INDICES:
        for channel, value in values.items():
            if channel < mesh.layout.corners:
                c.writer.write(_index_access(c, mesh, row, channel), value, row.inside)
    elif name in (VIEWPORT, MASK, CULL):
        if 0 in values:
            _write_mask(c, mesh, row, name, values[0])
    else:
        for channel, value in values.items():
            attribute = _attribute(c, item, row, register, declared, channel)
            if attribute is not None:
                c.writer.write(attribute[0], value, attribute[1])


def read_output(c: Context, item: Instruction, register: RegisterRef, channel: int) -> SrcOperand:
    """Value of a channel of ``OUT[row][register]``; 0 where the row does not exist. Raises UnsupportedError for outputs that are not
    attributes."""
    row = _row(c, register)
    if row is None:
        return c.writer.constant(0)
    declared = _declared(c, item, register)
    name = declared.semantic.name if declared.semantic is not None else ""
    if name in (INDICES, VIEWPORT, MASK, CULL):
        raise UnsupportedError.at(
            "B070", f"{name} is read: it is not an attribute, but made of other words", item.span, hint="keep it in a TEMP"
        )
    attribute = _attribute(c, item, row, register, declared, channel)
    return c.writer.read(attribute[0], attribute[1]) if attribute is not None else c.writer.constant(0)


def initialise_mask(c: Context) -> None:
    """Write the shadow copies and the mask of every primitive: viewport 0, not culled. Lane 0 does all of them."""
    mesh, w = _mesh(c), c.writer
    start = w.constant(0 if MASK in dict(mesh.mask) else 1)
    w.flow("UIF", w.op("USEQ", c.lane, w.constant(0)))
    primitive = w.scalar()
    w.set(primitive, w.constant(0))
    with w.loop(primitive, mesh.layout.max_primitives, 1):
        shadow = w.op("UMUL", primitive, w.constant(SHADOW_BYTES))
        w.write(Access(side=Side.O, address=Address(mesh.shadow_start, shadow)), start)
        w.write(Access(side=Side.O, address=Address(mesh.shadow_start + 4, shadow)), w.constant(0))
        w.write(_mask_access(w, mesh, Row(primitive, None)), start)
    w.flow("ENDIF")


def _write_mask(c: Context, mesh: MeshParts, row: Row, name: str, value: SrcOperand) -> None:
    w = c.writer
    address = row.address(w, mesh.shadow_start, SHADOW_BYTES)
    viewports = Access(side=Side.O, address=address)
    culled = Access(side=Side.O, address=Address(address.offset + 4, address.base))
    if name == CULL:
        cull = value
        w.write(culled, cull, row.inside)
        bits = w.read(viewports, row.inside)
    else:
        bits = value
        if name == VIEWPORT:
            exists = w.op("USLT", value, w.constant(MAX_VIEWPORTS))
            bits = w.op("UCMP", exists, w.op("SHL", w.constant(1), value), w.constant(1))
        w.write(viewports, bits, row.inside)
        cull = w.read(culled, row.inside)
    w.write(_mask_access(w, mesh, row), w.op("UCMP", cull, w.constant(0), bits), row.inside)


def _mask_access(w: Writer, mesh: MeshParts, row: Row) -> Access:
    return _attribute_access(w, mesh, row, True, mesh.output.primitive.offset(attribute_address(MASK)))


def _index_access(c: Context, mesh: MeshParts, row: Row, corner: int) -> Access:
    address = row.address(c.writer, COUNT_BYTES + corner, mesh.layout.corners)
    return Access(side=Side.O, region=Region.MAP, bits=8, address=address)


def _attribute(
    c: Context, item: Instruction, row: Row, register: RegisterRef, declared: Declaration, channel: int
) -> tuple[Access, SrcOperand | None] | None:
    """Access to a channel of an output, and its predicate; None if the hardware keeps no such channel."""
    mesh, w = _mesh(c), c.writer
    part = mesh.output.primitive if declared.per_primitive else mesh.output.vertex
    if register.indirect is None:
        attribute = mesh.attribute(declared.per_primitive, register.index, channel)
        if attribute is None:
            return None
        return _attribute_access(w, mesh, row, declared.per_primitive, part.offset(attribute)), row.inside
    first = mesh.attribute(declared.per_primitive, declared.first, channel)
    if first is None:
        return None
    step, count = _step(mesh, item, declared, channel), declared.last - declared.first + 1
    number = w.op("UADD", _index_value(register.indirect), w.constant(register.index - declared.first))
    inside = w.both(row.inside, w.op("USLT", number, w.constant(count)))
    bytes_in = w.op("UMUL", number, w.constant(step))
    access = _attribute_access(w, mesh, row, declared.per_primitive, part.offset(first))
    base = bytes_in if access.address.base is None else w.op("UADD", access.address.base, bytes_in)
    moved = Access(side=Side.O, address=Address(access.address.offset, base), skew=True, per_primitive=access.per_primitive)
    return moved, inside


def _step(mesh: MeshParts, item: Instruction, declared: Declaration, channel: int) -> int:
    """Bytes from one register of an array to the next in a row. Raises UnsupportedError if they differ."""
    part = mesh.output.primitive if declared.per_primitive else mesh.output.vertex
    attributes = [mesh.attribute(declared.per_primitive, index, channel) for index in range(declared.first, declared.last + 1)]
    offsets = [part.offset(attribute) for attribute in attributes if attribute is not None]
    steps = {after - before for before, after in pairwise(offsets)}
    if len(steps) > 1 or len(offsets) != len(attributes):
        raise UnsupportedError.at("B070", "an indexed array of outputs whose attributes do not lie at equal distances", item.span)
    return steps.pop() if steps else 0


def _attribute_access(w: Writer, mesh: MeshParts, row: Row, per_primitive: bool, offset: int) -> Access:
    start = mesh.output.primitive_start if per_primitive else 0
    row_bytes = (mesh.output.primitive if per_primitive else mesh.output.vertex).row_bytes
    return Access(side=Side.O, address=row.address(w, start + offset, row_bytes), skew=True, per_primitive=per_primitive)


def _row(c: Context, register: RegisterRef) -> Row | None:
    """Row of an output; None if it cannot exist. Without a bracket it is the thread's own number."""
    mesh, w = _mesh(c), c.writer
    rows = mesh.layout.rows(mesh.layout.is_per_primitive(register))
    dimension = register.dimension
    if dimension is None:
        return Row(c.number, None if c.threads <= rows else w.op("USLT", c.number, w.constant(rows)))
    if dimension.indirect is None:
        return Row(dimension.index, None) if 0 <= dimension.index < rows else None
    number = _index_value(dimension.indirect)
    if dimension.index:
        number = w.op("UADD", number, w.constant(dimension.index))
    return Row(number, w.op("USLT", number, w.constant(rows)))


def _index_value(indirect: IndirectRef) -> SrcOperand:
    return channel_of(RegisterRef(indirect.file, indirect.index), indirect.component)


def _declared(c: Context, item: Instruction, register: RegisterRef) -> Declaration:
    """The declaration of an output. Raises UnsupportedError for indexed outputs without an array."""
    for declaration in c.program.declared(File.OUT):
        if register.indirect is None and declaration.covers(register.index):
            return declaration
        if register.indirect is not None and register.array_id and declaration.array_id == register.array_id:
            return declaration
    raise UnsupportedError.at("B070", "outputs are indexed without an array", item.span, hint="declare an array of OUT")


def _mesh(c: Context) -> MeshParts:
    assert c.mesh is not None
    return c.mesh
