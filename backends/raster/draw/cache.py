"""Cache of recent draws, by the identity of the objects from which they were made."""

from __future__ import annotations

from typing import Any

from backends.device.bound import DrawState
from backends.device.framebuffer import Framebuffer
from backends.pipe.state import DrawInfo
from backends.raster.draw.packet import Packet
from tgsi.language.record import record


@record(frozen=False)
class CachedDraw:
    """A cached draw. A draw of the identical objects has the same record.

    Attributes:
        known: the objects, see `identity`.
        content: bytes of the `Draw` record.
        kept: objects that the record needs alive.
    """

    known: tuple[object, ...]
    content: bytes
    packet: Packet
    kept: list[Any]


def identity(state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> tuple[object, ...]:
    """All objects from which a draw record is made, except constants.

    Draws here have a vertex and a fragment shader; `DrawBuilder.make_stored` adds the last stage of draws with other stages."""
    vertex, fragment = state.vertex, state.fragment
    return (
        state.vertex_buffers,
        state.index_buffer,
        info,
        vertex.shader,
        fragment.shader,
        state.rasterizer,
        state.blend,
        state.depth_stencil_alpha,
        state.vertex_elements,
        state.blend_color,
        state.stencil_ref,
        state.viewports,
        state.scissors,
        state.polygon_stipple,
        state.window_rectangles,
        state.clip_planes,
        state.sample_mask,
        state.min_samples,
        state.sample_locations,
        state.count_samples,
        state.count_statistics,
        state.link,
        framebuffer,
        *vertex.views,
        None,
        *vertex.samplers,
        None,
        *fragment.views,
        None,
        *fragment.samplers,
    )


MOST_REPEATS = 1024
LIFE = 32  # flushes


class DrawCache:
    """Recent draws. A draw that was not repeated for `LIFE` to 2 * `LIFE` flushes is evicted.

    Keys are addresses of objects, which live as long as the entry does."""

    def __init__(self) -> None:
        self._recent: dict[tuple[int, ...], CachedDraw] = {}
        self._older: dict[tuple[int, ...], CachedDraw] = {}
        self._flushes = 0

    def find(self, known: tuple[object, ...]) -> CachedDraw | None:
        """The cached draw of identical objects, or None."""
        key = tuple(map(id, known))
        cached = self._recent.get(key)
        if cached is None and self._older:
            cached = self._older.pop(key, None)
            if cached is not None:
                self._recent[key] = cached
        return cached

    def add(self, repeat: CachedDraw) -> None:
        """Add a draw."""
        if len(self._recent) >= MOST_REPEATS:
            self._turn()
        self._recent[tuple(map(id, repeat.known))] = repeat

    def flushed(self) -> None:
        """End a frame, after a flush."""
        self._flushes += 1
        if self._flushes >= LIFE:
            self._turn()

    def clear(self) -> None:
        """Forget all draws, with the memory that they keep."""
        self._older, self._recent = {}, {}

    def _turn(self) -> None:
        self._flushes = 0
        self._older, self._recent = self._recent, {}
