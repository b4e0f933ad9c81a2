"""Templates of small draws through a geometry shader, made from such a draw that Python carried out."""

from __future__ import annotations

import ctypes

from backends.device.bound import DrawState
from backends.device.needs import needs_of
from backends.device.region import aligned
from backends.geometry.repeat import Repeat, copied
from backends.geometry.shaded import Worker
from backends.pipe.enums import Prim
from backends.pipe.state import DrawInfo
from backends.raster.draw.packet import Packet
from backends.raster.draw.topology import TOPOLOGIES, topology_of
from backends.raster.draw_record import Draw
from backends.software.commands.hashing import Combination
from backends.software.commands.records import STAGED, StagedRecord, TemplateRecord, draw_kind
from backends.software.commands.template_fields import write_attributes, write_recipe, write_topology
from tgsi.language.facts.enums import Processor

_DRAW_SIZE = ctypes.sizeof(Draw)


def staged_kind(info: DrawInfo, packet: Packet) -> int:
    """The `draw_kind` of a draw. packet: of the vertex stage."""
    is_written_out = TOPOLOGIES[Prim(info.mode)][0].closes or (info.index_size > 0 and info.primitive_restart)
    return draw_kind(info.mode, info.index_size, is_written_out, packet.size) | STAGED


class StagedTemplate:
    """One template, for draws of at most `most` input primitives.

    Memory that only one draw at a time needs comes from `scratch`; templates share it.
    """

    def __init__(self, combination: Combination, state: DrawState, info: DrawInfo, repeat: Repeat, samples: int, scratch: Worker) -> None:
        """Copy the records of a draw. samples: of the bound framebuffer."""
        self.record, self._staged = TemplateRecord(), StagedRecord()
        self.most = repeat.most
        t, s, stages = self.record, self._staged, state.stage
        ctypes.memmove(t.head, combination.head, len(combination.head))
        self._classes = (ctypes.c_uint32 * len(combination.classes))(*combination.classes)
        self._content, self._stored = Draw(), aligned(_DRAW_SIZE)
        ctypes.memmove(ctypes.addressof(self._content), repeat.input.address, _DRAW_SIZE)
        ctypes.memmove(self._stored.ctypes.data, repeat.stored.address, _DRAW_SIZE)
        t.classes, t.kind, t.framebuffer = ctypes.addressof(self._classes), combination.kind, combination.framebuffer
        t.content, t.is_layered, t.staged = ctypes.addressof(self._content), repeat.stored.is_layered, ctypes.addressof(s)
        r = state.rasterizer
        write_topology(t, topology_of(info.mode, r.flatshade_first, r.quads_provoke_last), info.mode)
        write_attributes(t, state.vertex_elements, self._content.fetch.num_attributes)
        self._environments = [
            write_recipe(t.vertex, Processor.VERT, needs_of(state.vertex.shader)),
            write_recipe(t.fragment, Processor.FRAG, needs_of(state.fragment.shader), samples, state.sample_locations),
            write_recipe(s.environment, Processor.GEOM, needs_of(stages[Processor.GEOM].shader)),
        ]
        s.content, s.most, s.has_loops = self._stored.ctypes.data, self.most, repeat.has_loops
        s.assemble, s.shade, s.gather = repeat.kernels
        copied(repeat.vertex, s.vertex)
        copied(repeat.geometry, s.geometry)
        self._memory, self._kept = repeat.place(scratch, s.vertex, s.geometry), list(repeat.kept)

    @property
    def address(self) -> int:
        """Address of the record."""
        return ctypes.addressof(self.record)
