"""Parts of templates: the bytes that a step of writing a draw produced for some facts, cached for all combinations with the same facts.

The first use of a combination of known state is composed from parts by generated code (`compose`). Python runs only the steps whose facts
are new.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np

from backends.device.bound import DrawState
from backends.device.commands.bound_record import HEAD_WORDS, IMAGE_WORDS, sampler_word, shader_word, units_of, view_word
from backends.device.commands.numbers import CLASS_SHIFT
from backends.device.commands.slot_table import SlotTable
from backends.device.framebuffer import Framebuffer
from backends.llvm.engine.engine import Library
from backends.pipe.enums import Prim
from backends.pipe.limits import MAX_VIEWPORTS
from backends.raster.draw.facts import Fact, facts_of
from backends.raster.draw.steps import WRITING, Step
from backends.raster.draw.style import has_stippled_lines
from backends.raster.draw.writer import DrawWriter
from backends.raster.draw_record import Draw, ValueRules, View
from backends.raster.kernels import Kernels
from backends.software.commands.hashing import MIX, UNIT_MIX
from backends.software.commands.part_records import Block, PartRecord, PartSlot, Run
from backends.software.commands.reached import may_have_tables
from backends.software.commands.records import ExecutorRecord, call_facts
from backends.software.commands.template_fields import FIELDS, STEPS

_NEEDS = (Fact.VERTEX_NEEDS, Fact.FRAGMENT_NEEDS)
_WORD = 4
_HALF = (1 << 32) - 1
Key = tuple[int, ...]
"""The number of a step, the numbers of its facts, and the keys of images and the classes of views and samplers of its stage."""


class _Options:
    """`backends.raster.draw.steps.Options` that collect the kernels of a part."""

    def __init__(self, kernels: Kernels, lanes: int | None, setup_lanes: int | None) -> None:
        self.kernels, self.lanes, self.setup_lanes = kernels, lanes, setup_lanes
        self.kept: list[Any] = []

    def use(self, library: Library) -> int:
        """The entry point of a kernel, kept alive by the part."""
        self.kept.append(library)
        return library.address[library.exports[0]]


class Part:
    """The result of a step: runs of words of a Block, and conclusions with their numbers.

    Attributes:
        rules: bytes of the group `Draw.rules`, as a number.
    """

    def __init__(self, key: Key, block: Block, conclusions: tuple[Any, ...], numbers: tuple[int, ...], held: list[Any]) -> None:
        """Copy all nonzero words of `block`. held: kernels and memory that these name."""
        self.conclusions, self.numbers, self._kept = conclusions, numbers, held
        words = np.frombuffer(memoryview(block).cast("B"), np.uint32)
        places = np.flatnonzero(words)
        runs: list[list[int]] = []  # first word and number of words
        for place in places.tolist():
            if runs and place == sum(runs[-1]):
                runs[-1][1] += 1
            else:
                runs.append([place, 1])
        self._runs = (Run * len(runs))(*[Run(_WORD * first, count) for first, count in runs])
        self._data, self._key = words[places], (ctypes.c_uint64 * (len(key) - 1))(*key[1:])
        self.rules = int.from_bytes(block.draw.rules, "little")
        self.record = r = PartRecord(length=len(key) - 1, step=key[0], num_runs=len(runs))
        r.key, r.runs, r.data = ctypes.addressof(self._key), ctypes.addressof(self._runs), self._data.ctypes.data
        r.conclusions[: len(numbers)] = numbers

    @property
    def address(self) -> int:
        """Address of the record."""
        return ctypes.addressof(self.record)


class PartTable:
    """The parts of a renderer, with the hash table that generated code searches."""

    def __init__(self, record: ExecutorRecord, writer: DrawWriter) -> None:
        self._record, self._writer = record, writer
        self._parts: dict[Key, Part] = {}
        self._by_address: dict[int, Part] = {}
        self._fact_numbers, self._found = (ctypes.c_uint64 * (max(Fact) + 1))(), (ctypes.c_uint64 * len(STEPS))()
        record.numbers, record.found = ctypes.addressof(self._fact_numbers), ctypes.addressof(self._found)
        self._numbers: dict[tuple[Fact, Any], int] = {}  # of conclusions, by value
        self._last_number = 0
        self._slots: SlotTable[Key] = SlotTable(PartSlot, _hash_of, self._place)
        self._scratch, self._views = Block(), (View * MAX_VIEWPORTS)()

    def __len__(self) -> int:
        return len(self._parts)

    def learn(self, state: DrawState, framebuffer: Framebuffer) -> bool:
        """Create the missing parts of the latest draw, from `ExecutorRecord.missing` on.

        Returns False if such a draw cannot have a template.

        Kernels are not requested while the draw has no pixel.

        Raises:
            UnsupportedError: the renderer lacks something that the draw needs.
        """
        kind, mode = framebuffer.kind, Prim(call_facts(int(self._record.kind))[Fact.MODE])
        vertex = state.vertex.shader
        if vertex is None or not kind.has_pixels or has_stippled_lines(state.rasterizer, mode, kind.samples > 1):
            return False
        facts: dict[Fact, Any] = {**facts_of(state, vertex, kind), **call_facts(int(self._record.kind)), Fact.MODE: mode}
        numbers, first, is_seen = self._fact_numbers, int(self._record.missing), False
        parts = [self._by_address[address] for address in self._found[:first]]
        for step, found in zip(STEPS, parts):
            facts.update(zip(step.concludes, found.conclusions))
        for number, step in enumerate(STEPS[first:], first):
            if not all(may_have_tables(facts[fact]) for fact in _NEEDS if fact in facts):
                return False  # reached only if a part is missing; otherwise generated code would have taken the draw
            key = (number, *map(numbers.__getitem__, step.facts), *_classes(state, step))
            part = self._parts.get(key)
            if part is None:
                if number >= len(WRITING) and not is_seen:
                    is_seen = self._has_pixel(parts, state, framebuffer, facts[Fact.TILE_SLOTS].has_viewport)
                    if not is_seen:
                        return False
                part = self._write(key, step, facts, state)
            parts.append(part)
            for fact, value, own in zip(step.concludes, part.conclusions, part.numbers):
                facts[fact], numbers[fact] = value, own
        return True

    def _has_pixel(self, parts: Iterable[Part], state: DrawState, framebuffer: Framebuffer, has_viewport: bool) -> bool:
        """True if a draw has a pixel or has to be counted without one. parts: of all steps that write rules."""
        rules = sum(part.rules for part in parts)  # their fields are disjoint
        draw = Draw(rules=ValueRules.from_buffer_copy(rules.to_bytes(ctypes.sizeof(ValueRules), "little")))
        views = ctypes.addressof(self._views) if has_viewport else 0
        return self._writer.values.write(ctypes.addressof(draw), state, framebuffer, views)

    def _write(self, key: Key, step: Step, facts: dict[Fact, Any], state: DrawState) -> Part:
        """Run a step and keep its output."""
        writer, block = self._writer, self._scratch
        ctypes.memset(ctypes.addressof(block), 0, ctypes.sizeof(block))
        options = _Options(writer.kernels, writer.lanes, writer.setup_lanes)
        arguments = [facts[fact] for fact in step.facts]
        bindings = () if step.stage is None else (state.stage[step.stage],)
        conclusions = step.run(options, block.draw, *arguments, *bindings)
        fields = FIELDS.get(step.name)
        if fields is not None:
            options.kept += fields(block.template, arguments, conclusions)
        numbers = tuple(self._number(fact, value) for fact, value in zip(step.concludes, conclusions))
        part = self._parts[key] = Part(key, block, conclusions, numbers, options.kept)
        self._by_address[part.address] = part
        part.record.frame = self._record.frame
        self._slots.put(key, part.address, ctypes.c_int32(_hash_of(key)).value)
        return part

    def _number(self, fact: Fact, value: Any) -> int:
        number = self._numbers.get((fact, value))
        if number is None:
            self._last_number += 1
            number = self._numbers[fact, value] = self._last_number
        return number

    def sweep(self, living: set[int], oldest: int) -> None:
        """Evict parts that were last used before the frame `oldest`, except those with addresses in `living`."""
        self._parts = {key: p for key, p in self._parts.items() if p.record.frame >= oldest or p.address in living}
        self._by_address = {part.address: part for part in self._parts.values()}
        self._slots.keep(self._parts.__contains__)
        used = {number for part in self._parts.values() for number in part.numbers}
        self._numbers = {content: number for content, number in self._numbers.items() if number in used}

    def numbers(self) -> set[int]:
        """Numbers of all values in parts."""
        return {number for key in self._parts for fact, number in zip(STEPS[key[0]].facts, key[1:]) if fact < HEAD_WORDS}

    def framebuffers(self) -> set[int]:
        """Numbers of the kinds of framebuffers of all parts."""
        return {number for key in self._parts for fact, number in zip(STEPS[key[0]].facts, key[1:]) if fact is Fact.FRAMEBUFFER}

    def _place(self, address: int, mask: int) -> None:
        self._record.part_slots, self._record.parts_mask = address, mask


def _classes(state: DrawState, step: Step) -> list[int]:
    """The number of the keys of images, and the classes of the view and of the sampler of each unit, that a step depends on."""
    if step.stage is None:
        return []
    words, stage = state.record.words, step.stage
    count = units_of(words[shader_word(stage)])
    views, samplers = (words[at : at + count] for at in (view_word(stage), sampler_word(stage)))
    return [words[IMAGE_WORDS[stage]]] + [
        view >> CLASS_SHIFT | sampler >> CLASS_SHIFT << CLASS_SHIFT for view, sampler in zip(views, samplers)
    ]


def _hash_of(key: Key) -> int:
    """The same hash as in generated code."""
    total = (key[0] + 1) * MIX & _HALF
    for word in key[1:]:
        total = (total ^ word & _HALF) * UNIT_MIX & _HALF
        total = (total ^ word >> 32) * UNIT_MIX & _HALF
    return total ^ total >> 15
