"""Findings of validation about the draws of a recording, each made once for draws with the same state."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from backends.pipe.state import DrawInfo
from tgsi.insight.replaying import Draw
from tgsi.language.record import record
from tgsi.validation import facts, settings
from tgsi.validation.findings import Finding

_MOST = 500


@record(eq=False)
class _Bindings:
    """Parts of the findings about bindings. kept: objects whose addresses are in the key. writes: the draw changes memory."""

    parts: tuple[facts.Part, ...]
    kept: tuple[object, ...]
    writes: bool


class KnownFindings:
    """Findings of one context. Numbers in the words of its record are never used again (`Numbers`), so that they name the bound objects."""

    def __init__(self) -> None:
        self.writes = False  # the latest draw changes memory
        self._bindings: dict[Hashable, _Bindings] = {}
        self._vertices: dict[Hashable, tuple[list[Finding], tuple[object, ...]]] = {}

    def note_memory(self) -> None:
        """Note that the bytes of vertices and indices may change."""
        self._vertices.clear()

    def of_draw(self, context: Any, draw: Draw) -> list[Finding]:
        """The findings about a draw with the bound state."""
        state, words = context.state, bytes(context.state.record.words)
        found = [] if draw.info is None else [*self._of_vertices(state, draw.info, words)]
        framebuffer, memory, targets = context.targets.framebuffer, state.memory, state.stream_targets
        kept = framebuffer, memory, *targets
        key = words, bool(context.counting.active), tuple(map(id, kept))
        known = self._bindings.get(key)
        if known is None:
            if len(self._bindings) >= _MOST:
                self._bindings.clear()
            parts = tuple(facts.parts_of_bindings(context, state))
            known = self._bindings[key] = _Bindings(parts, kept, facts.writes_memory(state))
        for part in known.parts:
            found += part() if callable(part) else part
        self.writes = known.writes
        if known.writes:
            self.note_memory()
        return found

    def _of_vertices(self, state: Any, info: DrawInfo, words: bytes) -> list[Finding]:
        kept = state.vertex_buffers, state.index_buffer
        key = words, info, state.record.patch_vertices, id(kept[0]), id(kept[1])
        known = self._vertices.get(key)
        if known is None:
            if len(self._vertices) >= _MOST:
                self._vertices.clear()
            found = [*facts.of_vertices(state, info), *settings.leftovers(state, info, few=False)]
            known = self._vertices[key] = found, kept
        return known[0]
