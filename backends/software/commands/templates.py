"""Templates: the draws that generated code makes again, each made once from a packet of `DrawBuilder`."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from backends.abi.records import ShaderEnv
from backends.device.bound import DrawState, StageState
from backends.device.commands.slot_table import SlotTable
from backends.device.needs import ShaderNeeds, needs_of
from backends.llvm.engine.engine import Library
from backends.pipe.state import DrawInfo
from backends.raster.draw.packet import Packet
from backends.raster.draw.sample_state import tell_samples
from backends.raster.draw.topology import TOPOLOGIES, topology_of
from backends.raster.draw_record import Draw
from backends.raster.layouts import NO_SLOT
from backends.software.commands.hashing import Combination, combination_of, numbers_of
from backends.software.commands.records import EnvironmentRecipe, ExecutorRecord, TemplateRecord, TemplateSlot, draw_kind

_DRAW_SIZE = ctypes.sizeof(Draw)


class Template:
    """One template.

    Attributes:
        record: read and written by generated code.
        kept: kernels and memory that the record names.
        combination: of everything that decides about its code.
    """

    def __init__(self, combination: Combination, state: DrawState, info: DrawInfo, packet: Packet, samples: int, kept: list[Any]) -> None:
        """Copy a packet, which must be repeatable. `samples`: of the bound framebuffer. `kept`: what the packet keeps alive."""
        self.combination = combination
        self.kept: list[Any] = [thing for thing in kept if isinstance(thing, Library)]
        self.record = t = TemplateRecord()
        ctypes.memmove(t.head, combination.head, len(combination.head))
        classes = (ctypes.c_uint32 * len(combination.classes))(*combination.classes)
        content = Draw.from_buffer_copy(ctypes.string_at(packet.address, _DRAW_SIZE))
        self.kept += (classes, content)
        t.classes, t.kind, t.framebuffer = ctypes.addressof(classes), combination.kind, combination.framebuffer
        t.content, t.is_layered = ctypes.addressof(content), packet.is_layered
        t.has_views = content.layers.viewport_slot != NO_SLOT
        r = state.rasterizer
        topology = topology_of(info.mode, r.flatshade_first, r.quads_provoke_last)
        t.corners, t.shift, t.closes = len(topology.multiply), topology.shift, topology.closes
        t.multiply[:], t.offset[:] = topology.multiply, (*topology.even, *topology.odd)
        t.prim_shift, t.is_polygon = topology.shift, content.assembly.is_polygon
        self._write_attributes(state, content.fetch.num_attributes)
        self._write_recipe(t.vertex, state.vertex)
        self._write_recipe(t.fragment, state.fragment)
        if samples > 1 or state.sample_locations is not None:
            self.kept.append(tell_samples(t.fragment.content, samples, state.sample_locations))

    @property
    def address(self) -> int:
        """Address of the record."""
        return ctypes.addressof(self.record)

    def _write_attributes(self, state: DrawState, count: int) -> None:
        t, elements = self.record, state.vertex_elements
        t.num_attributes = count
        for a in range(count):
            e = elements[a] if a < len(elements) else None
            t.buffer[a] = e.vertex_buffer_index if e is not None else -1
            t.source_offset[a], t.element_bytes[a] = (e.src_offset, e.src_format.block_bytes) if e is not None else (0, 0)

    def _write_recipe(self, recipe: EnvironmentRecipe, stage: StageState) -> None:
        needs: ShaderNeeds = needs_of(stage.shader)
        recipe.stage, recipe.num_constants, recipe.units = stage.processor, len(needs.constants), needs.units
        for k, (slot, declared, is_whole) in enumerate(needs.constants):
            recipe.slot[k], recipe.declared[k], recipe.is_whole[k] = slot, declared, is_whole
        content = ShaderEnv()
        self.kept.append(content)
        recipe.content = ctypes.addressof(content)


def is_repeatable(packet: Packet) -> bool:
    """True if a template can be made of a packet. Line stipples depend on the strips of a draw."""
    return packet.is_repeatable and packet.primitives > 0 and not Draw.from_address(packet.address).line_stipple.is_on


def combination(state: DrawState, info: DrawInfo, packet: Packet, framebuffer: int, stages: int = 0) -> Combination:
    """The combination of a draw. framebuffer: number of its class. stages: STAGED for draws with more stages."""
    is_written_out = TOPOLOGIES[info.mode][0].closes or (info.index_size > 0 and info.primitive_restart)
    kind = draw_kind(info.mode, info.index_size, is_written_out, packet.size) | stages
    return combination_of(state.record.words, kind, framebuffer)


class TemplateTable:
    """All templates of a renderer, with the hash table that generated code searches."""

    def __init__(self, record: ExecutorRecord) -> None:
        self._record = record
        self._templates: dict[Combination, Template] = {}
        self._slots: SlotTable[Combination] = SlotTable(TemplateSlot, _hash_of, self._place)
        self._replaced: list[Template] = []  # pending draws name their memory

    def __len__(self) -> int:
        return len(self._templates)

    def find(self, combination: Combination) -> Template | None:
        """The template of a combination."""
        return self._templates.get(combination)

    def add(self, template: Template) -> None:
        """Add a template, in place of another one of its combination."""
        key = template.combination
        old = self._templates.get(key)
        if old is not None:
            self._replaced.append(old)
        self._templates[key] = template
        self._slots.put(key, template.address, key.hash)
        self._record.template = 0

    def templates(self) -> Iterable[Template]:
        """All templates."""
        return self._templates.values()

    def end_frame(self) -> None:
        """Let go of templates that gave way to others: no draw is pending."""
        self._replaced.clear()

    def sweep(self, oldest: int) -> None:
        """Forget templates that were last drawn before the frame `oldest`."""
        self._templates = {key: template for key, template in self._templates.items() if template.record.frame >= oldest}
        self._slots.keep(self._templates.__contains__)
        self._record.template = 0

    def numbers(self) -> set[int]:
        """Numbers of all values that templates were made of."""
        return set().union(*(numbers_of(key.head) for key in self._templates))

    def framebuffers(self) -> set[int]:
        """Numbers of the classes of framebuffers that templates were made for."""
        return {key.framebuffer for key in self._templates}

    def _place(self, address: int, mask: int) -> None:
        self._record.slots, self._record.mask, self._record.template = address, mask, 0


def _hash_of(combination: Combination) -> int:
    return combination.hash
