"""Templates of draws with more stages or stream output, created from a draw that Python carried out."""

from __future__ import annotations

import ctypes
from typing import Any

from backends.device.bound import DrawState
from backends.device.needs import needs_of
from backends.device.region import aligned
from backends.geometry.repeat import Repeat
from backends.geometry.shaded import Worker
from backends.pipe.enums import Prim
from backends.pipe.state import DrawInfo
from backends.raster.draw_record import Draw
from backends.software.commands.hashing import Combination
from backends.software.commands.reached import has_tables
from backends.software.commands.records import (
    PATCH_AT,
    STAGED,
    STREAMED,
    EnvironmentRecipe,
    StagedRecord,
    StageEnvironment,
    TemplateRecord,
    draw_kind,
)
from backends.software.commands.template_fields import write_attributes, write_copied_recipe, write_recipe, write_topology
from tgsi.language.facts.enums import Processor

_DRAW_SIZE = ctypes.sizeof(Draw)


def staged_kind(info: DrawInfo, repeat: Repeat) -> int:
    """The `draw_kind` of such a draw."""
    kind = draw_kind(info.mode, info.index_size, repeat.input.is_written_out, repeat.input.size) | STAGED
    patch = len(repeat.topology.multiply) if info.mode is Prim.PATCHES else 0
    return kind | patch << PATCH_AT | STREAMED * (repeat.output is not None)


class StagedTemplate:
    """A template for draws of at most `most` input primitives.

    Templates share `scratch` memory, which only one draw at a time needs.
    """

    def __init__(self, combination: Combination, state: DrawState, info: DrawInfo, repeat: Repeat, samples: int, scratch: Worker) -> None:
        """Copy the records of a draw. samples: of the bound framebuffer."""
        self.record, self._staged = TemplateRecord(), StagedRecord()
        self.most = repeat.most
        t, s, stored = self.record, self._staged, repeat.stored
        ctypes.memmove(t.head, combination.head, len(combination.head))
        self._classes = (ctypes.c_uint32 * len(combination.classes))(*combination.classes)
        self._content = Draw()
        ctypes.memmove(ctypes.addressof(self._content), repeat.input.address, _DRAW_SIZE)
        t.classes, t.kind, t.framebuffer = ctypes.addressof(self._classes), combination.kind, combination.framebuffer
        t.content, t.staged = ctypes.addressof(self._content), ctypes.addressof(s)
        write_topology(t, repeat.topology)
        write_attributes(t, state.vertex_elements, self._content.fetch.num_attributes)
        s.most, s.chunk, s.has_loops, s.follows = self.most, repeat.chunk, repeat.has_loops, repeat.follows
        environments, self._kept = repeat.place(s.run, scratch)
        s.run.owner = ctypes.addressof(s)
        s.num_environments, self._environments = len(environments), (StageEnvironment * len(environments))()
        s.environments = ctypes.addressof(self._environments)
        for own, (stage, place) in zip(self._environments, environments.items()):
            recipe, needs = EnvironmentRecipe(), needs_of(state.stage[stage].shader)
            self._kept += [recipe, *write_recipe(recipe, stage, needs)]
            own.recipe, own.place = ctypes.addressof(recipe), place
            own.reaches, own.writes = has_tables(needs), needs.effects.writes
        if stored is not None:
            self._store(stored.address, state, samples)
            t.is_layered = stored.is_layered

    def _store(self, address: int, state: DrawState, samples: int) -> None:
        """Copy the record of the last stage's output."""
        stored: Any = aligned(_DRAW_SIZE)
        ctypes.memmove(stored.ctypes.data, address, _DRAW_SIZE)
        self._staged.content = stored.ctypes.data
        needs = needs_of(state.fragment.shader)
        fragment = write_copied_recipe(self.record.fragment, Processor.FRAG, needs, samples, state.sample_locations)
        self._kept += [stored, *fragment]

    @property
    def address(self) -> int:
        """Address of the record."""
        return ctypes.addressof(self.record)
