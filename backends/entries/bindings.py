"""The entries of bind_*_state: a handle that was bound before."""

from __future__ import annotations

from backends.device.commands.bound_record import Hindrance
from backends.device.commands.known_objects import Kind
from backends.entries.arguments import Entry
from backends.entries.names import BINDINGS
from backends.llvm.builder.function import I32, Module


def build_bind_entry(module: Module, name: str, number: int, slot_offset: int) -> None:
    """bind_X_state(handle). A vertex shader decides about stream output, so stages are left to Python."""
    kind, word = BINDINGS[name]
    entry = Entry(module, name, number, slot_offset)
    entry.enter()
    f, b = entry.f, entry.record
    entry.fall_back(entry.count.ne(1) | entry.keywords.ne(0))
    if kind is Kind.VERTEX_SHADER:
        entry.fall_back((b.get("hindrances") & int(Hindrance.STAGES)).ne(0))
    found = entry.known(entry.argument(0), kind)
    entry.fall_back(found.eq(0))
    with f.if_(b.get("words", word).ne(found)):
        b.set("words", found, word)
        b.set("are_words_new", f.const(I32, 1))
    entry.done()
