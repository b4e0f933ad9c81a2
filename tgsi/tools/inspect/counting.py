"""Cost of draws: invocations by the pipeline's counters, time, and the fragments of each tile.

A second draw counts the fragments in a stencil. It uses the draw's own programs without colors and depth test, and counts every fragment
that covers a pixel and is not discarded. It is left out if a second run would have side effects: for programs that write memory, stream
output, and active queries.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.abi.limits import TILE
from backends.device.counters import IN_PIPELINE
from backends.gallium.tracing.steps import Step
from backends.pipe.enums import StencilOp
from tgsi.tools.inspect.states import StateTracker
from tgsi.tools.replay.played import PlayedTrace

MOST_TILES = 48
"""Number of listed tiles of a draw, those with most fragments."""
_MOST_PIXELS = 1 << 25
_OURS = ("set_framebuffer_state", "bind_depth_stencil_alpha_state", "bind_blend_state")
"""State that a counting draw replaces."""


class DrawCounter:
    """Measures the costs of a trace's draws during playback.

    Attributes: reasons: why draws were not counted by tiles, with their numbers.
        overdraw: fragments of each pixel, by width and height of the targets.
    """

    def __init__(self, trace: PlayedTrace, state: StateTracker) -> None:
        self._trace, self._state, self._context = trace, state, trace.context
        self._query = self._context.create_query("PIPELINE_STATISTICS")
        self._targets: dict[tuple[int, int, int, int], Any] = {}
        self._is_querying = 0
        self._counting = self._context.create_depth_stencil_alpha_state(
            stencil=[
                {"enabled": True, "func": "ALWAYS", "valuemask": 255, "writemask": 255}
                | dict.fromkeys(("fail_op", "zfail_op", "zpass_op"), StencilOp.INCR)
            ]
        )
        self.reasons: dict[str, int] = {}
        self.overdraw: dict[tuple[int, int], NDArray[np.uint32]] = {}

    def play(self, number: int, writes_memory: bool) -> dict[str, Any]:
        """Play a draw, clear, copy or grid, and return its numbers. writes_memory: a bound program does."""
        step = self._trace.steps[number]
        self._trace.play(number)
        self._trace.finish()
        self._context.begin_query(self._query)
        began = time.perf_counter()
        try:
            self._trace.play(number + 1)
            self._trace.finish()
        finally:
            spent = time.perf_counter() - began
            self._context.end_query(self._query)
        result = self._context.get_query_result(self._query)
        values: Any = result if isinstance(result, (tuple, list)) else ()
        numbers: dict[str, Any] = {"ms": round(spent * 1e3, 3)}
        numbers |= {name: int(value) for name, value in zip(IN_PIPELINE, values) if value}
        if step.name.startswith("draw"):
            numbers |= self._tiles(step, writes_memory)
        return numbers

    def note(self, step: Step) -> None:
        """Follow a call: queries that begin and end."""
        self._is_querying += {"begin_query": 1, "end_query": -1}.get(step.name, 0)

    def _tiles(self, step: Step, writes_memory: bool) -> dict[str, Any]:
        reason = self._reason(writes_memory)
        counts = None
        if not reason:
            try:
                counts = self._count(step)
            except (ValueError, TypeError, MemoryError, RuntimeError) as error:
                reason = str(error).splitlines()[0]
        if counts is None:
            self.reasons[reason] = self.reasons.get(reason, 0) + 1
            return {}
        height, width = counts.shape
        total = self.overdraw.setdefault((width, height), np.zeros((height, width), np.uint32))
        drawn = np.flatnonzero(counts.any(axis=1))
        if not len(drawn):
            return {"fragments": 0, "most": 0, "tiles": [], "columns": -(-width // TILE)}
        first = int(drawn[0]) // TILE * TILE
        counts = counts[first : int(drawn[-1]) + 1]  # whole rows of tiles, up to the last row of pixels
        total[first : first + len(counts)] += counts
        rows, columns = (np.arange(0, length, TILE) for length in counts.shape)
        tiles = np.add.reduceat(np.add.reduceat(counts, rows, axis=0, dtype=np.uint32), columns, axis=1).reshape(-1)
        before = first // TILE * -(-width // TILE)
        order = np.argsort(-tiles.astype(np.int64), kind="stable")[:MOST_TILES]
        shown = sorted((before + int(k), int(tiles[k])) for k in order if tiles[k])
        return {"fragments": int(counts.sum()), "most": int(counts.max()), "tiles": shown, "columns": -(-width // TILE)}

    def _reason(self, writes_memory: bool) -> str:
        if writes_memory:
            return "its programs write memory"
        if self._is_querying > 0:
            return "a query is active"
        streams = self._state.last.get("set_stream_output_targets")
        if streams is not None and any(streams.named.get("targets", ())):
            return "it has stream output"
        return ""

    def _count(self, step: Step) -> NDArray[np.uint8] | None:
        """Fragments of each pixel, up to 255."""
        context: Any = self._context
        bound = context.targets.framebuffer
        size = bound.width, bound.height, max(1, bound.layers), max(1, bound.samples)
        if not size[0] or not size[1]:
            raise ValueError("no target is bound")
        if size[0] * size[1] * size[2] > _MOST_PIXELS:
            raise ValueError(f"the targets have more than {_MOST_PIXELS} pixels")
        stencil = self._stencil(*size)
        try:
            context.clear_texture(stencil.texture, b"\0")
            context.set_framebuffer_state(zsbuf=stencil, width=size[0], height=size[1])
            context.bind_depth_stencil_alpha_state(self._counting)
            context.bind_blend_state(None)
            self._trace.repeat(step)
            self._trace.finish()
            data: NDArray[np.uint8] = stencil.texture.blocks(0).reshape(-1, size[1], size[0])
            if len(data) == 1:
                only: NDArray[np.uint8] = data[0].copy()
                return only
            summed: NDArray[np.uint32] = data.sum(axis=0, dtype=np.uint32)
            return np.minimum(summed, 255).astype(np.uint8)
        finally:
            for name in _OURS:
                last = self._state.last.get(name)
                if last is not None:
                    self._trace.repeat(last)
                else:
                    getattr(context, name)(**({} if name == "set_framebuffer_state" else {"handle": None}))

    def _stencil(self, width: int, height: int, layers: int, samples: int) -> Any:
        key = width, height, layers, samples
        if key not in self._targets:
            if len(self._targets) >= 16:
                self._targets.clear()
            texture = self._context.screen.resource_create(
                target="TEXTURE_2D_ARRAY" if layers > 1 else "TEXTURE_2D",
                format="S8_UINT",
                width0=width,
                height0=height,
                array_size=layers,
                nr_samples=samples if samples > 1 else 0,
                bind="DEPTH_STENCIL",
            )
            self._targets[key] = self._context.create_surface(texture)
        return self._targets[key]
