"""Templates: the draws that generated code makes again, each made once from a packet of `DrawBuilder`."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable
from typing import Any

from backends.device.bound import DrawState, StageState
from backends.device.commands.bound_record import PLAIN_WORDS
from backends.device.environment import make_resources
from backends.device.needs import ShaderNeeds, needs_of
from backends.device.region import Region, aligned
from backends.llvm.engine.engine import Library
from backends.pipe.state import DrawInfo
from backends.raster.draw.packet import Packet
from backends.raster.draw.sample_state import tell_samples
from backends.raster.draw.topology import TOPOLOGIES, topology_of
from backends.raster.draw_record import Draw
from backends.software.commands.hashing import hash_of
from backends.software.commands.records import EnvironmentRecipe, ReadRange, TemplateRecord, TemplateSlot, draw_kind

_DRAW_SIZE = ctypes.sizeof(Draw)
_CHUNK = 4096  # bytes of a template's own memory that are requested at once


class Template:
    """One template.

    Attributes:
        record: read and written by generated code.
        kept: kernels and memory that the record names.
        hash: of the combination.
        numbers: of the values that it was made of.
    """

    def __init__(
        self, state: DrawState, info: DrawInfo, packet: Packet, framebuffer: int, samples: int, kept: list[Any], stages: int = 0
    ) -> None:
        """Copy a packet, which must be repeatable. `framebuffer`: number of the bound one. `kept`: what the packet keeps alive.

        `stages`: see `key_of`. The numbers of a state keep its views alive, and with them their memory.
        """
        self._region = Region(_CHUNK)
        self.kept = [thing for thing in kept if isinstance(thing, Library)]
        self.record = t = TemplateRecord()
        ctypes.memmove(t.words, state.record.words, 8 * PLAIN_WORDS)
        t.kind, t.framebuffer = kind_of(info, packet) | stages, framebuffer
        self.hash = hash_of(t.words, t.kind, t.framebuffer)
        self.numbers = frozenset(t.words)
        self._content = aligned(_DRAW_SIZE)
        ctypes.memmove(self._content.ctypes.data, packet.address, _DRAW_SIZE)
        t.content, t.is_layered = self._content.ctypes.data, packet.is_layered
        topology = topology_of(info.mode, state.rasterizer.flatshade_first)
        t.corners, t.shift, t.closes = len(topology.multiply), topology.shift, topology.closes
        t.multiply[:], t.offset[:] = topology.multiply, (*topology.even, *topology.odd)
        content = Draw.from_address(self._content.ctypes.data)
        t.prim_shift, t.is_polygon = topology.shift, content.assembly.is_polygon
        self._write_attributes(state, content.fetch.num_attributes)
        reads: list[tuple[int, int]] = []
        self._write_recipe(t.vertex, state.vertex, reads)
        self._write_recipe(t.fragment, state.fragment, reads)
        if samples > 1:
            tell_samples(t.fragment.content, samples)
        self._reads = (ReadRange * len(reads))(*(ReadRange(*found) for found in reads))
        t.reads, t.num_reads = ctypes.addressof(self._reads), len(reads)

    @property
    def address(self) -> int:
        """Address of the record."""
        return ctypes.addressof(self.record)

    @property
    def key(self) -> bytes:
        """The combination."""
        return bytes(memoryview(self.record).cast("B")[: 8 * (PLAIN_WORDS + 2)])

    def _write_attributes(self, state: DrawState, count: int) -> None:
        t, elements = self.record, state.vertex_elements
        t.num_attributes = count
        for a in range(count):
            e = elements[a] if a < len(elements) else None
            t.buffer[a] = e.vertex_buffer_index if e is not None else -1
            t.source_offset[a], t.element_bytes[a] = (e.src_offset, e.src_format.block_bytes) if e is not None else (0, 0)

    def _write_recipe(self, recipe: EnvironmentRecipe, stage: StageState, reads: list[tuple[int, int]]) -> None:
        needs: ShaderNeeds = needs_of(stage.shader)
        recipe.stage, recipe.num_constants, recipe.frame = stage.processor, len(needs.constants), -1
        for k, (slot, declared, is_whole) in enumerate(needs.constants):
            recipe.slot[k], recipe.declared[k], recipe.is_whole[k] = slot, declared, is_whole
        recipe.content = make_resources(self._region, needs, stage, reads)


def is_repeatable(packet: Packet) -> bool:
    """True if a template can be made of a packet. Line stipples depend on the strips of a draw."""
    return packet.is_repeatable and packet.primitives > 0 and not Draw.from_address(packet.address).line_stipple.is_on


def key_of(state: DrawState, info: DrawInfo, packet: Packet, framebuffer: int, stages: int = 0) -> bytes:
    """The combination of a draw, as `Template.key`. stages: STAGED for draws with more stages."""
    return ctypes.string_at(ctypes.addressof(state.record), 8 * PLAIN_WORDS) + struct.pack(
        "QQ", kind_of(info, packet) | stages, framebuffer
    )


def kind_of(info: DrawInfo, packet: Packet) -> int:
    """The part of a draw that belongs to its combination."""
    is_written_out = TOPOLOGIES[info.mode][0].closes or (info.index_size > 0 and info.primitive_restart)
    return draw_kind(info.mode, info.index_size, is_written_out, packet.size)


class TemplateTable:
    """All templates of a renderer, as the hash table that generated code searches.

    Attributes:
        slots: TemplateSlot entries, at most half of them in use.
    """

    def __init__(self) -> None:
        self._templates: dict[bytes, Template] = {}
        self.slots: Any = (TemplateSlot * 64)()
        self._replaced: list[Template] = []  # pending draws name their memory

    def __len__(self) -> int:
        return len(self._templates)

    def find(self, key: bytes) -> Template | None:
        """The template of a combination."""
        return self._templates.get(key)

    def add(self, template: Template) -> None:
        """Add a template. `slots` may be another array afterwards."""
        old = self._templates.get(template.key)
        self._templates[template.key] = template
        if old is not None:
            self._replaced.append(old)
            self._rebuild(len(self.slots))
        elif 2 * len(self._templates) > len(self.slots):
            self._rebuild(2 * len(self.slots))
        else:
            self._enter(template)

    def templates(self) -> Iterable[Template]:
        """All templates."""
        return self._templates.values()

    def end_frame(self) -> None:
        """Let go of templates that gave way to others: no draw is pending."""
        self._replaced.clear()

    def sweep(self, oldest: int) -> None:
        """Forget templates that were last drawn before the frame `oldest`."""
        kept = {key: template for key, template in self._templates.items() if template.record.frame >= oldest}
        if len(kept) < len(self._templates):
            self._templates = kept
            self._rebuild(max(64, 1 << (4 * len(kept)).bit_length()))

    def numbers(self) -> set[int]:
        """Numbers of all values that templates were made of."""
        return set().union(*(template.numbers for template in self._templates.values()))

    def framebuffers(self) -> set[int]:
        """Numbers of the framebuffers that templates were made for."""
        return {template.record.framebuffer for template in self._templates.values()}

    def _rebuild(self, size: int) -> None:
        self.slots = (TemplateSlot * size)()
        for template in self._templates.values():
            self._enter(template)

    def _enter(self, template: Template) -> None:
        mask, hashed = len(self.slots) - 1, template.hash
        place = hashed & mask
        while self.slots[place].template:
            place = place + 1 & mask
        self.slots[place].hash, self.slots[place].template = hashed, template.address
