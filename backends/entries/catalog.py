"""The module of all native entries."""

from __future__ import annotations

from collections.abc import Callable

from backends.entries.arguments import Entry, build_common
from backends.entries.bindings import build_setter_entry
from backends.entries.buffers import build_index_buffer_entry, build_vertex_buffer_entry
from backends.entries.call_words import build_call_words
from backends.entries.choosing import build_choose_stages
from backends.entries.clears import build_clear_entry
from backends.entries.constants import build_constant_entry
from backends.entries.draws import build_draw_entry
from backends.entries.guards import build_call_recorded, build_guard
from backends.entries.names import ENTRIES
from backends.entries.outputs import build_output_entry
from backends.entries.python_table import TUPLE_ITEMS
from backends.entries.queries import build_query_entry, build_result_entry
from backends.entries.reads import build_read_entry
from backends.entries.recording import build_copy_data, build_make_room
from backends.entries.targets import build_target_entry
from backends.entries.uploads import build_upload_entry
from backends.llvm.builder.module import Module

_BUILDERS: dict[str, Callable[[Entry], None]] = {
    "draw_vbo": build_draw_entry,
    "set_constant_buffer": build_constant_entry,
    "set_vertex_buffers": build_vertex_buffer_entry,
    "set_index_buffer": build_index_buffer_entry,
    "buffer_subdata": build_upload_entry,
    "set_framebuffer_state": build_target_entry,
    "clear": build_clear_entry,
    "texture_read": build_read_entry,
    "set_stream_output_targets": build_output_entry,
    "begin_query": build_query_entry,
    "end_query": build_query_entry,
    "get_query_result": build_result_entry,
}
"""Builders of entries that do more than their row says."""


def build_entries(module: Module, slot_offset: int, items: int = TUPLE_ITEMS[0], *, records: bool = False) -> None:
    """One function for each of ENTRIES, and GUARD.

    slot_offset: place of the slot `_native` in a context. items: place of the first item in a tuple (`python_table.items_offset`).
    records: for observed contexts; every function appends its call to the recording.
    """
    if records:
        build_make_room(module)
        build_copy_data(module)
        build_call_words(module)
        build_call_recorded(module)
    build_common(module, records=records)
    build_choose_stages(module)
    for number, name in enumerate(ENTRIES):
        _BUILDERS.get(name, build_setter_entry)(Entry(module, name, number, slot_offset, records=records))
    build_guard(module, slot_offset, items, records=records)
