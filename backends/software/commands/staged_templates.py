"""Templates of small draws through a geometry shader, made from such a draw that Python carried out."""

from __future__ import annotations

import ctypes

from backends.device.bound import DrawState
from backends.device.region import aligned
from backends.geometry.repeat import Repeat, copied
from backends.geometry.shaded import Worker
from backends.pipe.state import DrawInfo
from backends.raster.draw_record import Draw
from backends.software.commands.hashing import Combination
from backends.software.commands.records import StagedRecord
from backends.software.commands.templates import Template
from tgsi.language.facts.enums import Processor

_DRAW_SIZE = ctypes.sizeof(Draw)


class StagedTemplate(Template):
    """One template, for draws of at most `most` input primitives.

    Memory that only one draw at a time needs comes from `scratch`; templates share it.
    """

    def __init__(self, combination: Combination, state: DrawState, info: DrawInfo, repeat: Repeat, samples: int, scratch: Worker) -> None:
        super().__init__(combination, state, info, repeat.input, samples, list(repeat.kept))
        t, self._staged = self.record, StagedRecord()
        self.most = repeat.most
        t.is_layered, t.staged = repeat.stored.is_layered, ctypes.addressof(self._staged)
        s = self._staged
        self._stored = aligned(_DRAW_SIZE)
        ctypes.memmove(self._stored.ctypes.data, repeat.stored.address, _DRAW_SIZE)
        s.content, s.most = self._stored.ctypes.data, self.most
        s.assemble, s.shade, s.gather = repeat.kernels
        copied(repeat.vertex, s.vertex)
        copied(repeat.geometry, s.geometry)
        self._memory = repeat.place(scratch, s.vertex, s.geometry)
        self._write_recipe(s.environment, state.stage[Processor.GEOM])
