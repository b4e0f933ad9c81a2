"""The templates of a renderer, for draws that generated code repeats, and their hash table."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from backends.device.region import aligned
from backends.software.commands.hashing import numbers_of
from backends.software.commands.part_records import Block
from backends.software.commands.records import ExecutorRecord, TemplateRecord, TemplateSlot

if TYPE_CHECKING:
    from backends.software.commands.staged_templates import StagedTemplate

GROWTH = 64
"""Blocks that are allocated at a time."""


class TemplateTable:
    """At most `most` templates, as entries of an ExecutorRecord. Generated code adds the templates that it composes in Blocks."""

    def __init__(self, record: ExecutorRecord, most: int) -> None:
        self._record, self._most = record, most
        self._slots = (TemplateSlot * (1 << (2 * most).bit_length()))()
        self._blocks: list[NDArray[np.uint8]] = []  # of GROWTH blocks each; the last may have less
        self._spare = (ctypes.c_uint64 * most)()
        self._staged: dict[int, StagedTemplate] = {}  # by address
        self._replaced: list[StagedTemplate] = []  # pending draws name their memory
        record.slots, record.mask, record.most_templates = ctypes.addressof(self._slots), len(self._slots) - 1, most
        record.spare = ctypes.addressof(self._spare)

    def __len__(self) -> int:
        return int(self._record.num_templates)

    def grow(self) -> None:
        """Make room for more composed templates."""
        count = min(GROWTH, self._most - GROWTH * len(self._blocks))
        size = ctypes.sizeof(Block)
        blocks = aligned(size * count)
        self._blocks.append(blocks)
        first = int(blocks.ctypes.data)
        self._free([first + size * k for k in range(count)])

    def _free(self, addresses: list[int]) -> None:
        first = self._record.num_spare
        for place, address in enumerate(addresses, first):
            self._spare[place] = address
        self._record.num_spare += len(addresses)

    def staged(self) -> dict[int, StagedTemplate]:
        """The templates of draws with more stages, by address."""
        return self._staged

    def put(self, template: StagedTemplate, old: int) -> None:
        """Add a template, replacing the one at the address `old`, unless that is 0. The latest search must have ended at its slot."""
        if old:
            self._replaced.append(self._staged.pop(old))
        else:
            self._record.num_templates += 1
        self._staged[template.address] = template
        self._slots[self._record.place] = TemplateSlot(template.address, self._record.hash)
        self._record.template = 0

    def end_frame(self) -> None:
        """Release replaced templates. No draw is pending."""
        self._replaced.clear()

    def sweep(self, oldest: int) -> None:
        """Evict templates that were last drawn before the frame `oldest`. No draw is pending."""
        remaining: list[tuple[int, int]] = []
        for address, hashed in self._entries():
            if TemplateRecord.from_address(address).frame >= oldest:
                remaining.append((address, hashed))
            elif self._staged.pop(address, None) is None:
                self._free([address])
        ctypes.memset(ctypes.addressof(self._slots), 0, ctypes.sizeof(self._slots))
        mask = len(self._slots) - 1
        for address, hashed in remaining:
            place = hashed & mask
            while self._slots[place].template:
                place = place + 1 & mask
            self._slots[place] = TemplateSlot(address, hashed)
        self._record.num_templates, self._record.template = len(remaining), 0

    def _entries(self) -> Iterator[tuple[int, int]]:
        """Address and hash of each template."""
        slots = np.frombuffer(memoryview(self._slots), [("template", "u8"), ("hash", "i4"), ("pad", "i4")])
        for slot in slots[slots["template"] != 0]:
            yield int(slot["template"]), int(slot["hash"])

    def numbers(self) -> set[int]:
        """Numbers of all values in templates."""
        heads = (TemplateRecord.from_address(address).head for address, _ in self._entries())
        return set().union(*(numbers_of(bytes(head)) for head in heads))

    def framebuffers(self) -> set[int]:
        """Numbers of the kinds of framebuffers of all templates."""
        return {int(TemplateRecord.from_address(address).framebuffer) for address, _ in self._entries()}

    def parts(self) -> set[int]:
        """Addresses of all parts of composed templates."""
        blocks = (Block.from_address(address) for address, _ in self._entries() if address not in self._staged)
        return set().union(*(block.parts for block in blocks))
