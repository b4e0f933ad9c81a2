"""The module of all native entries."""

from __future__ import annotations

from collections.abc import Callable

from backends.entries.arguments import build_common
from backends.entries.bindings import build_bind_entry, build_single_entry, build_unit_entry
from backends.entries.buffers import build_index_buffer_entry, build_vertex_buffer_entry
from backends.entries.choosing import build_choose_stages
from backends.entries.clears import build_clear_entry
from backends.entries.constants import build_constant_entry
from backends.entries.draws import build_draw_entry
from backends.entries.guards import build_guard
from backends.entries.names import (
    BEGIN_QUERY,
    CLEAR,
    CONSTANTS,
    DRAW,
    END_QUERY,
    ENTRIES,
    INDEX_BUFFER,
    OUTPUTS,
    QUERY_RESULT,
    READ,
    RECORDED,
    SINGLES,
    TARGETS,
    UNITS,
    UPLOAD,
    VERTEX_BUFFERS,
)
from backends.entries.outputs import build_output_entry
from backends.entries.python_table import TUPLE_ITEMS
from backends.entries.queries import build_query_entry, build_result_entry
from backends.entries.reads import build_read_entry
from backends.entries.recording import build_make_room
from backends.entries.targets import build_target_entry
from backends.entries.uploads import build_upload_entry
from backends.llvm.builder.module import Module


def build_entries(module: Module, slot_offset: int, items: int = TUPLE_ITEMS[0]) -> None:
    """One function for each of ENTRIES, and GUARD.

    slot_offset: place of the slot `_native` in a context. items: place of the first item in a tuple (`python_table.items_offset`).
    """
    build_common(module)
    build_choose_stages(module)
    builders: dict[str, Callable[..., None]] = {DRAW: build_draw_entry, CONSTANTS: build_constant_entry}
    builders |= {VERTEX_BUFFERS: build_vertex_buffer_entry, INDEX_BUFFER: build_index_buffer_entry, UPLOAD: build_upload_entry}
    builders |= {TARGETS: build_target_entry, CLEAR: build_clear_entry, READ: build_read_entry, OUTPUTS: build_output_entry}
    builders |= dict.fromkeys((BEGIN_QUERY, END_QUERY), build_query_entry) | {QUERY_RESULT: build_result_entry}
    builders |= dict.fromkeys(UNITS, build_unit_entry) | dict.fromkeys(SINGLES, build_single_entry)
    for number, name in enumerate(ENTRIES):
        builders.get(name, build_bind_entry)(module, name, number, slot_offset)
    build_guard(module, slot_offset, items)


def build_observed_entries(module: Module, slot_offset: int, items: int = TUPLE_ITEMS[0]) -> None:
    """One function for each of RECORDED, which appends what it has carried out, and GUARD."""
    build_common(module)
    build_make_room(module)
    builders = {DRAW: build_draw_entry, CONSTANTS: build_constant_entry}
    for number, name in enumerate(RECORDED):
        builders[name](module, name, number, slot_offset, records=True)
    build_guard(module, slot_offset, items)
