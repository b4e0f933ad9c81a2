"""Drawing: draw_vbo and draw_mesh_tasks, which make checked records for the device from their arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from backends.device.commands.known_objects import Kind
from backends.device.grid import MeshDraw
from backends.device.interface import Device
from backends.gallium.context.buffers import index_memory
from backends.gallium.context.core import ContextCore
from backends.gallium.context.grid_info import (
    MESH,
    GridInfo,
    check_mesh_info,
    checked_mesh_grid,
    indirect_count,
    indirect_grids,
)
from backends.gallium.context.shared.checks import MAX_REMEMBERED
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.pipe.checks import Remembered, integer, make
from backends.pipe.enums import Prim, lookup
from backends.pipe.field_list import takes_fields
from backends.pipe.limits import MAX_DRAWS
from backends.pipe.ranges import INDEX_SIZES, RANGES
from backends.pipe.state import DrawInfo

if TYPE_CHECKING:
    from backends.pipe.keywords import DrawInfoFields, GridInfoFields

_FIELDS = tuple(item.name for item in fields(DrawInfo))
_RANGES = RANGES[DrawInfo]
_INFO_FIELDS = frozenset(item.name for item in fields(DrawInfo))


class Draws(ContextCore):
    """Drawing with the bound state: draw_vbo and draw_mesh_tasks."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._made: Remembered[DrawInfo] = Remembered(MAX_REMEMBERED)
        self._recorded: dict[tuple[int, bytes, int], tuple[DrawInfo, DrawInfo]] = {}  # of records in buffers, with what they complete
        self._grids: dict[tuple[Any, ...], MeshDraw] = {}

    @takes_fields(DrawInfo)
    def draw_vbo(
        self,
        info: DrawInfo | None = None,
        *,
        index: Any = None,
        index_offset: int = 0,
        indirect: Resource | None = None,
        indirect_offset: int = 0,
        indirect_stride: int = 0,
        draw_count: int = 1,
        indirect_draw_count: Resource | None = None,
        indirect_draw_count_offset: int = 0,
        count_from_stream_output: object | None = None,
        **keywords: Unpack[DrawInfoFields],
    ) -> None:
        """Draw primitives with the bound state. (context.rst, "Drawing")

        Args:
            info: a DrawInfo; its fields are also taken by keyword, e.g. ``draw_vbo(mode="TRIANGLES", count=3)``.
            index: an index buffer for this draw alone: a Resource (give index_size), or an array of uint8, uint16 or uint32, copied at
                once, whose size gives index_size and count. `start` counts indices from index_offset on.
            index_offset: first byte of the index buffer that is used.
            indirect: a buffer that holds count, instance count, start, (index bias,) start instance as 32-bit words for each
                of `draw_count` draws, `indirect_stride` bytes apart (0: tight), from `indirect_offset` on.
            indirect_offset: see `indirect`.
            indirect_stride: see `indirect`.
            draw_count: see `indirect`.
            indirect_draw_count: a buffer with the number of draws, a 32-bit word; draw_count is then the most that are drawn.
            indirect_draw_count_offset: the byte of that word.
            count_from_stream_output: a stream output target; as many vertices are drawn as it holds, instead of `count`.
            keywords: fields of DrawInfo.

        Raises:
            TypeError, ValueError: an argument is wrong, no vertex or a mesh shader is bound, or index_size has no index buffer.
            UnsupportedError: a bound object or state is not supported yet; the message names it, and nothing was drawn.
        """
        state, info = self.state, self._learned_info(info, keywords)
        if info.indexed:
            info = self._indexed(info, index)
        if count_from_stream_output is not None:
            info = replace(info, count=self._streamed_count(count_from_stream_output))
        if state.has_stages and state.mesh.shader is not None:
            raise ValueError("draw_vbo: a mesh shader is bound; draw with draw_mesh_tasks, or unbind it with bind_ms_state(None)")
        if state.vertex.shader is None:
            raise ValueError("draw_vbo: no vertex shader is bound")
        if draw_count != 1 or indirect_draw_count is not None:
            if indirect is None:
                raise ValueError("draw_vbo: indirect: several draws need it, a buffer of records")
            draw_count = self._draw_count(draw_count, indirect_draw_count, indirect_draw_count_offset)
        if index is not None:
            bound = state.index_buffer
            info = self._bind_index(index, index_offset, info)
            try:
                self._draw(info, indirect, indirect_offset, indirect_stride, draw_count)
            finally:
                state.index_buffer = bound
            return
        if info.index_size and state.index_buffer is None:
            raise ValueError("draw_vbo: index: index_size is set, but there is no index buffer")
        self._draw(info, indirect, indirect_offset, indirect_stride, draw_count)

    def _draw(self, info: DrawInfo, indirect: Resource | None, offset: int, stride: int, count: int) -> None:
        """Carry out a checked draw with the bound index buffer, or as many as an indirect one has."""
        if indirect is not None:
            self._draw_indirect(info, indirect, offset, stride, count)
            return
        state = self.state
        self.order.prepare()
        if self.counting.is_conditional and not self.counting.allows_rendering():
            return
        self.device.draw(state, info)
        if state.has_stages and state.stream_targets:
            self._show_streams()
        if self.order.persistent_maps:
            self.order.finish_draw()

    def _learned_info(self, info: DrawInfo | None, keywords: Mapping[str, Any]) -> DrawInfo:
        """The DrawInfo of a call, checked. The native entry recognizes it, or the name of its mode, from now on.

        Equal keywords give the same object, by which the device recognizes a repeated draw.
        """
        known = self.state.known
        if info is None:
            mode = keywords.get("mode")  # as the caller names it
            checked = self._made.of(self._info_of_items, (*keywords,), *keywords.values())
            if type(mode) in (str, Prim):
                known.learn(mode, Kind.PRIM, checked.mode + 1)
            return checked
        if keywords or self.checks.draws.get(id(info)) is not info:
            info = self._checked_info(info, keywords)
            if info is not self.checks.draws.get(id(info)):
                return info
        if not info.indexed:
            known.learn_draw(info)
        return info

    def _info_of_items(self, names: Sequence[str], *values: Any) -> DrawInfo:
        return self._info(dict(zip(names, values)))

    def _checked_info(self, info: DrawInfo, keywords: Mapping[str, Any]) -> DrawInfo:
        """A DrawInfo of the caller with every field checked. It is remembered if no field had to be changed."""
        if not isinstance(info, DrawInfo):
            raise TypeError(f"draw_vbo: info: expected a DrawInfo, not {type(info).__name__}")
        checked = self._info({name: getattr(info, name) for name in _FIELDS} | dict(keywords))
        if not keywords and checked == info and type(info.mode) is Prim:
            self.checks.accept_draw(checked := info)
        return checked

    def _checked_draw(self, keywords: Mapping[str, Any]) -> DrawInfo:
        """The DrawInfo of keywords, every field of which is checked."""
        return self._info(dict(keywords))

    @staticmethod
    def _info(keywords: dict[str, Any]) -> DrawInfo:
        for field, value in keywords.items():
            limits = _RANGES.get(field)
            if field == "index_size" and integer(value, "draw_vbo: index_size") not in INDEX_SIZES:
                raise ValueError(f"draw_vbo: index_size: 0, 1, 2 or 4 bytes, not {value}")
            if limits is not None:
                keywords[field] = integer(value, f"draw_vbo: {field}", *limits)
            elif field == "mode":
                keywords[field] = lookup(Prim, value, "draw_vbo: mode")
            elif field in ("primitive_restart", "indexed"):
                keywords[field] = bool(value)
            else:
                from backends.pipe.foreign_fields import field_hint  # loaded only for a message

                raise TypeError(f"draw_vbo: DrawInfo has no field {field}{field_hint('DrawInfo', field, keywords, _INFO_FIELDS)}")
        return DrawInfo(**keywords)

    def _indexed(self, info: DrawInfo, index: Any) -> DrawInfo:
        """A DrawInfo with `indexed` replaced by an index size: its own, or that of the bound index buffer."""
        size, (*place, known), r = info.index_size, self._sized_indices, self.state.record
        if not size and isinstance(index, np.ndarray):
            size = index.itemsize
        elif not size and not r.is_index_buffer_native and place == [r.index_address, r.index_bytes]:
            size = known
        if not size:
            raise ValueError("draw_vbo: indexed: bind an index buffer and give index_size, here or to set_index_buffer")
        return replace(info, indexed=False, index_size=size)

    def _bind_index(self, index: Any, offset: int, info: DrawInfo) -> DrawInfo:
        if isinstance(index, np.ndarray):
            if index.dtype.kind not in "ui" or index.itemsize not in (1, 2, 4):
                raise TypeError(f"draw_vbo: index: expected an array of uint8, uint16 or uint32, not {index.dtype}")
            count = info.count or index.size - info.start
            info = replace(info, index_size=index.itemsize, count=max(0, count))
        elif isinstance(index, (list, tuple)):
            wanted = "an array of uint8, uint16 or uint32"
            raise TypeError(f"draw_vbo: index: expected {wanted}, not {type(index).__name__}; numpy.array(index, numpy.uint32) makes one")
        elif not info.index_size:
            raise ValueError("draw_vbo: index_size: it must be given with an index buffer other than a numpy array")
        self.state.index_buffer = index_memory(self, index, offset, "draw_vbo")
        return info

    def _draw_count(self, most: int, buffer: Resource | None, offset: int) -> int:
        """The number of draws of an indirect call: `most`, or the word of a count buffer if that is less."""
        count = integer(most, "draw_vbo: draw_count", 0, MAX_DRAWS)
        if buffer is None:
            return count
        argument, at = "draw_vbo: indirect_draw_count", integer(offset, "draw_vbo: indirect_draw_count_offset")
        self.checks.resource(buffer, argument)
        if not buffer.is_buffer or at % 4 or at + 4 > buffer.size:
            raise ValueError(f"{argument}: a word at {at} does not fit {buffer!r}")
        self.order.finish_uses(buffer)
        buffer.pull()
        return min(count, int(buffer.storage[at : at + 4].view(np.uint32)[0]))

    def _draw_indirect(self, info: DrawInfo, buffer: Resource, offset: int, stride: int, count: int) -> None:
        name = "draw_vbo"
        self.checks.resource(buffer, f"{name}: indirect")
        words = 5 if info.index_size else 4
        size = words * 4
        start = integer(offset, f"{name}: indirect_offset")
        step = integer(stride, f"{name}: indirect_stride") or size
        if not buffer.is_buffer or (count and start + step * (count - 1) + size > buffer.size) or start % 4 or step % 4:
            raise ValueError(f"{name}: indirect: {count} records of {size} bytes at {start} do not fit {buffer!r}")
        self.order.finish_uses(buffer)
        buffer.pull()
        content = buffer.storage.data
        for number in range(count):
            at = start + number * step
            self.draw_vbo(self._recorded_draw(info, bytes(content[at : at + size]), number))

    def _recorded_draw(self, info: DrawInfo, words: bytes, number: int) -> DrawInfo:
        """Draw `number` of an indirect call, from the words of its record. Equal ones give the same object, as equal keywords do."""
        key = id(info), words, number
        held, drawn = self._recorded.get(key, (None, info))
        if held is not info:
            count, instances, start, *bias, first = memoryview(words).cast("I")
            drawn = replace(
                info,
                count=count,
                instance_count=instances,
                start=start,
                start_instance=first,
                index_bias=bias[0] - ((bias[0] >> 31) << 32) if bias else 0,
                drawid=info.drawid + number,
            )
            if len(self._recorded) >= MAX_REMEMBERED:
                self._recorded.clear()
            self._recorded[key] = info, drawn
        return drawn

    # -- meshes ----------------------------------------------------------------------------------------------------------
    @takes_fields(GridInfo)
    def draw_mesh_tasks(self, info: GridInfo | Mapping[str, Any] | None = None, **keywords: Unpack[GridInfoFields]) -> None:
        """Draw meshes: run a grid of workgroups of the task shader, or of the mesh shader if no task shader is bound. (p_context.h)

        Primitives are drawn in the order of the workgroups, x fastest; with tasks, in the order of the tasks. Only task, mesh and fragment
        shader are used. Faults of their programs go to the debug callback as messages of kind "mesh", each once a draw, with its count.

        Args:
            info: a GridInfo; its fields are also taken by keyword, e.g. ``draw_mesh_tasks(grid=(16, 1, 1))``. Fields: grid, or indirect
                with indirect_offset, indirect_stride, draw_count, indirect_draw_count and indirect_draw_count_offset. Record k of
                `indirect` is a draw with DRAWID k. `block` may be left out; the first program fixes it.
            keywords: fields of GridInfo.

        Raises:
            TypeError, ValueError: an argument is wrong, no mesh shader is bound, or a stream output target is bound. Nothing was drawn.
            UnsupportedError: a bound object or state is not supported yet; the message names it, and nothing was drawn.
        """
        state = self.state
        if state.mesh.shader is None:
            raise ValueError(f"{MESH}: no mesh shader is bound")
        if any(target is not None for target in state.stream_targets):
            raise ValueError(f"{MESH}: a stream output target is bound, and meshes have no stream output; unbind it first")
        draws = self._mesh_draws(info, keywords)
        self.order.prepare()
        if self.counting.is_conditional and not self.counting.allows_rendering():
            return
        faults = [(draw.number, fault) for draw in draws if draw.groups for fault in self.device.draw_mesh(state, draw)]
        for number, fault in faults:
            self._report("mesh", f"{MESH}: draw {number}: {fault}" if len(draws) > 1 else f"{MESH}: {fault}")
        if self.order.persistent_maps:
            self.order.finish_draw()

    def _mesh_draws(self, info: GridInfo | Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> Sequence[MeshDraw]:
        """The checked draws of a call. Equal plain grids give the same object."""
        grid = keywords.get("grid") if info is None and len(keywords) == 1 else None
        if type(grid) is tuple and len(grid) == 3 and all(type(size) is int for size in grid):
            known = self._grids.get(grid)
            if known is None:
                if len(self._grids) >= MAX_REMEMBERED:
                    self._grids.clear()
                known = self._grids[grid] = MeshDraw(checked_mesh_grid("grid", grid))
            return [known]
        state, wanted = self.state, make(GridInfo, info, keywords, MESH)
        first = state.task.shader or state.mesh.shader
        assert first is not None
        check_mesh_info(wanted, first.program)
        if wanted.indirect is None:
            return [MeshDraw(checked_mesh_grid("grid", wanted.grid))]
        buffer = self._read(wanted.indirect, "indirect")
        counter = wanted.indirect_draw_count
        count = indirect_count(wanted, None if counter is None else self._read(counter, "indirect_draw_count"))
        return [MeshDraw(size, number) for number, size in enumerate(indirect_grids(wanted, buffer, count))]

    def _read(self, buffer: Any, argument: str) -> Resource:
        """A buffer whose bytes are up to date."""
        resource = self.checks.resource(buffer, f"{MESH}: {argument}")
        self.order.finish_uses(resource)
        resource.pull()
        return resource
