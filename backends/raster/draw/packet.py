"""A draw that is ready for the rasterizer."""

from __future__ import annotations

from dataclasses import KW_ONLY
from enum import IntEnum

from tgsi.language.record import record

FEW = 32  # primitives; draws up to this size are shaded in runs only, as compiling code for packed quads would cost more than it saves
TINY = 8  # vertices; draws up to this size are shaded in one vector of this width


class Size(IntEnum):
    """Classes of draw sizes, which have different kernels."""

    TINY = 0
    FEW = 1
    MANY = 2


@record(frozen=False)
class Packet:
    """One draw: the address of its `Draw` record, its numbers of primitives and vertices, and the memory that it reads later.

    Attributes:
        address: of the `Draw` record.
        primitives: triangles, lines and points of all instances; a quad counts as two triangles.
        vertices: vertices of the input assembler, for statistics.
        reads: (address, bytes) of vertex, index and texture memory. Its bytes must not change before the draw has run.
        environments: addresses of the ShaderEnv of the vertex and of the fragment shader.
        call: bytes of the `Call` record.
        assembled: number of primitives as the application counts them, where a quad or a polygon is one. polygon_triangles: number of
        triangles of polygons beyond the first of each.
        is_layered: its primitives name layers of the framebuffer.
        is_repeatable: a copy of the record is valid in a later frame. Only the environments and written-out vertex numbers have to be made
            again.
        is_written_out: the indices name the vertices of all primitives, corner after corner.
    """

    address: int
    primitives: int
    vertices: int
    reads: list[tuple[int, int]]
    _: KW_ONLY
    environments: tuple[int, int] = (0, 0)
    call: bytes = b""
    assembled: int = 0
    polygon_triangles: int = 0
    is_layered: bool = False
    is_repeatable: bool = True
    is_written_out: bool = False

    def placed(self, address: int) -> Packet:
        """The same packet for a copy of its record at `address`. (`dataclasses.replace` takes five times as long.)"""
        return Packet(
            address,
            self.primitives,
            self.vertices,
            self.reads,
            environments=self.environments,
            call=self.call,
            assembled=self.assembled,
            polygon_triangles=self.polygon_triangles,
            is_layered=self.is_layered,
            is_repeatable=self.is_repeatable,
            is_written_out=self.is_written_out,
        )

    @property
    def size(self) -> Size:
        """The size of the draw, by numbers of vertices and primitives."""
        return Size.MANY if self.primitives > FEW else Size.FEW if self.vertices > TINY else Size.TINY
