"""Memory layout of levels and rows, derived from the programs of a draw of patches."""

from __future__ import annotations

from collections.abc import Mapping

from backends.geometry.stages import input_sources
from backends.geometry.tessellation.control import written_vertices
from backends.geometry.tessellation.key import Tessellator
from backends.geometry.tessellation.records import INNER, OUTER, RowsRecord
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.record import record

LEVELS: Mapping[str, int] = {"TESSOUTER": OUTER, "TESSINNER": INNER}
_TYPICAL_POINTS, _TYPICAL_PRIMITIVES = 33 * 33, 2 * 32 * 32
"""Points and primitives of a patch of level 32, a quarter of those of the highest level."""


@record(eq=False)
class RowsLayout:
    """The rows of patches that a stage reads.

    patch_bytes: bytes of the rows of a patch. template: a record that assigns outputs to inputs.
    """

    rows: int
    patch_bytes: int
    template: RowsRecord

    @staticmethod
    def of(producer: Program, consumer: Program, rows: int) -> RowsLayout:
        """Lay out rows for `consumer`, `rows` vertices a patch, from the outputs of `producer`."""
        registers, r = consumer.file_size(File.IN), RowsRecord()
        r.rows, r.registers, r.vertex_size = rows, registers, 16 * producer.file_size(File.OUT)
        for register, source in enumerate(input_sources(producer, consumer)):
            r.source[register] = source
        for declaration in consumer.declared(File.IN):
            code = LEVELS.get(declaration.semantic.name) if declaration.semantic is not None else None
            for register in range(declaration.first, declaration.last + 1) if code is not None else ():
                r.source[register] = code
        return RowsLayout(rows, 16 * rows * registers, r)


@record(eq=False, kw_only=True)
class PatchLayout:
    """The layout of the stages of a draw of patches.

    Attributes:
        key: the tessellator.
        control, evaluation: the rows that each stage reads; `control` is None without a control program.
        written: vertices of a patch that the control program writes, each of `written_size` bytes; without one, vertices of a patch.
        outer, inner: byte offsets of the levels in the first of these vertices, -1 if the program does not write them.
        size: bytes of a vertex of the evaluation shader.
        most_bytes: bytes of a patch of a high level, or of its intermediate rows, whichever is more.
    """

    key: Tessellator
    control: RowsLayout | None
    evaluation: RowsLayout
    written: int
    written_size: int
    outer: int
    inner: int
    size: int
    most_bytes: int

    @staticmethod
    def of(vertex: Program, control: Program | None, evaluation: Program, rows: int) -> PatchLayout:
        """Derive the layout for patches of `rows` vertices."""
        key, size = Tessellator.of(evaluation), 16 * evaluation.file_size(File.OUT)
        points = _TYPICAL_POINTS * size + _TYPICAL_PRIMITIVES * 4 * (key.vertices + 1)
        if control is None:
            only = RowsLayout.of(vertex, evaluation, rows)
            return PatchLayout(
                key=key,
                control=None,
                evaluation=only,
                written=rows,
                written_size=0,
                outer=-1,
                inner=-1,
                size=size,
                most_bytes=max(points, 2 * only.patch_bytes),
            )
        first, written = RowsLayout.of(vertex, control, rows), written_vertices(control)
        second, written_size = RowsLayout.of(control, evaluation, written), 16 * control.file_size(File.OUT)
        on_the_way = first.patch_bytes + written * written_size + second.patch_bytes
        outer, inner = (_place(control, name) for name in LEVELS)
        return PatchLayout(
            key=key,
            control=first,
            evaluation=second,
            written=written,
            written_size=written_size,
            outer=outer,
            inner=inner,
            size=size,
            most_bytes=max(points, on_the_way),
        )


def _place(program: Program, name: str) -> int:
    """Return the byte offset of an output in a vertex, -1 if it is not declared."""
    offsets = (16 * d.first for d in program.declared(File.OUT) if d.semantic is not None and d.semantic.name == name)
    return next(offsets, -1)
