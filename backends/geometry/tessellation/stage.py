"""The stage of patches in a draw: control shader, tessellator, evaluation shader, one chunk at a time."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence

from backends.device.region import Region
from backends.geometry.records import HandRecord
from backends.geometry.shaded import Primitives, Provide, Shaded, Step, Worker
from backends.geometry.tessellation.control import Arrangement
from backends.geometry.tessellation.key import MAX_POINTS, MAX_PRIMITIVES, SLACK, TessRecord
from backends.geometry.tessellation.layout import PatchLayout, RowsLayout
from backends.geometry.tessellation.levels import INNER_LEVELS, OUTER_LEVELS
from backends.geometry.tessellation.records import ControlRecord, EvaluationRecord, PatchesRecord, RowsRecord
from backends.llvm.engine.engine import Entry, Library, entry_address
from tgsi.language.facts.enums import Processor
from tgsi.language.record import record

PIECE_POINTS, PIECE_PRIMITIVES = 4 * MAX_POINTS, 4 * MAX_PRIMITIVES
"""Points and primitives that are tessellated at a time."""


@record
class Compiled:
    """A stage's native function of one record, the address of its ShaderEnv, its lanes, and the library that keeps the function alive."""

    entry: Entry
    environment: int
    lanes: int
    keep: Library


@record
class _Levels:
    """The location of levels: for the outer and the inner ones, an address and the bytes from one patch to the next."""

    outer: int
    inner: int
    outer_stride: int = 0
    inner_stride: int = 0

    def write(self, record: RowsRecord | TessRecord | EvaluationRecord) -> None:
        """Write the location into a record."""
        record.outer, record.inner = self.outer, self.inner
        record.outer_stride, record.inner_stride = self.outer_stride, self.inner_stride


class TessellationStage:
    """Patches to points, lines or triangles."""

    def __init__(
        self,
        layout: PatchLayout,
        control: Compiled | None,
        evaluation: Compiled,
        *,
        copy_rows: Entry,
        tessellate: Entry,
        levels: int,
    ) -> None:
        """Make the stage.

        control, evaluation: the compiled programs of `layout`. copy_rows, tessellate: kernels of RowsRecords and TessRecords. levels:
        address of the levels of patches without a control shader, four outer and two inner ones, followed by four zeros; a control shader
        reads the levels as system values.
        """
        self._layout, self._control, self._evaluation = layout, control, evaluation
        self._copy_rows, self._tessellate = copy_rows, tessellate
        self._given = levels
        self._defaults, self._nothing = _Levels(levels, levels + 4 * OUTER_LEVELS), levels + 4 * (OUTER_LEVELS + INNER_LEVELS)
        if control is not None:
            self._arrangement = Arrangement(layout.written, control.lanes)
            self._state = self._state_bytes(control)

    @property
    def most_bytes(self) -> int:
        """Output bytes of a patch with a high, but not the highest, level."""
        return self._layout.most_bytes

    def run(self, worker: Worker, shaded: Shaded, memory: Region) -> Sequence[Shaded]:
        """Tessellate the patches of a chunk; return the shaded vertices and primitives."""
        patches = shaded.lists[0]
        vertices, levels, corners = shaded.vertices, self._defaults, patches.corners or None
        if self._control is not None:
            vertices, levels = self._run_control(worker, shaded, self._control)
            corners = None
        inputs = self._rows(worker, "evaluation inputs", self._layout.evaluation, patches, vertices, corners, levels)
        return list(self._pieces(worker, patches, inputs, levels, memory))

    def _rows(
        self, worker: Worker, name: str, layout: RowsLayout, patches: Primitives, vertices: int, corners: int | None, levels: _Levels
    ) -> int:
        """Copy the rows of all patches and return their address."""
        r = RowsRecord.from_buffer_copy(layout.template)
        r.target = target = worker.provide(name, patches.count * layout.patch_bytes + 16)
        r.vertices, r.corners, r.numbers, r.patches = vertices, corners, patches.numbers, patches.count
        levels.write(r)
        self._copy_rows(ctypes.addressof(r))
        return target

    def _state_bytes(self, compiled: Compiled) -> int:
        """Return the bytes that a vector keeps at barriers; 0 without them."""
        r = ControlRecord()
        r.env, r.patches = compiled.environment, 0
        compiled.entry(ctypes.addressof(r))
        return int(r.state_bytes)

    def _run_control(self, worker: Worker, shaded: Shaded, compiled: Compiled) -> tuple[int, _Levels]:
        """Run the control shader. Return the address of the rows that it writes, and the location of levels among them."""
        layout, patches = self._layout, shaded.lists[0]
        assert layout.control is not None
        r = ControlRecord()
        r.env, r.numbers, r.patches, r.rows = compiled.environment, patches.numbers, patches.count, layout.control.rows
        r.levels = self._given
        r.inputs = self._rows(worker, "control inputs", layout.control, patches, shaded.vertices, patches.corners, self._defaults)
        patch_bytes = layout.written * layout.written_size
        r.outputs = outputs = worker.provide("control outputs", patches.count * patch_bytes + 16)
        ctypes.memset(outputs, 0, patches.count * patch_bytes)
        self._place_state(r, worker.provide, patches.count)
        compiled.entry(ctypes.addressof(r))
        worker.counts["hs_invocations"] += patches.count
        places = [(outputs + at, patch_bytes) if at >= 0 else (self._nothing, 0) for at in (layout.outer, layout.inner)]
        (outer, outer_stride), (inner, inner_stride) = places
        return outputs, _Levels(outer, inner, outer_stride, inner_stride)

    def _pieces(self, worker: Worker, patches: Primitives, inputs: int, levels: _Levels, memory: Region) -> Iterator[Shaded]:
        """Tessellate and shade patches, as many at a time as memory permits."""
        compiled, size = self._evaluation, self._layout.size
        t, e, corners = TessRecord(), EvaluationRecord(), self._layout.key.vertices
        for r in (t, e):
            levels.write(r)
            r.numbers, r.patches = patches.numbers, patches.count
        self._place_points(t, e, worker.provide, patches.count)
        e.env, e.inputs = compiled.environment, inputs
        while t.first < patches.count:
            e.first, t.points, t.primitives = t.first, 0, 0
            self._tessellate(ctypes.addressof(t))
            e.patches = t.first
            if not t.points:
                continue
            e.vertices = memory.allocate((t.points + compiled.lanes) * size)
            compiled.entry(ctypes.addressof(e))
            worker.counts["ds_invocations"] += t.points
            primitives = Primitives(
                memory.copy(t.indices, 4 * corners * t.primitives), memory.copy(t.owners, 4 * t.primitives), t.primitives
            )
            yield Shaded(e.vertices, size, t.points, corners, {0: primitives}, (t.primitives, 0, 0, 0))

    def _place_state(self, r: ControlRecord, provide: Provide, patches: int) -> None:
        """Give a record the memory for the state of vectors at barriers."""
        if self._state:
            vectors = self._arrangement.vectors
            r.state = provide("control state", self._state * vectors)
            r.stops = provide("control stops", 4 * vectors * self._arrangement.units(patches))

    def _place_points(self, t: TessRecord, e: EvaluationRecord, provide: Provide, patches: int) -> None:
        """Give the records of tessellator and evaluation shader memory for the points and primitives of a piece."""
        for r in (t, e):
            r.u, r.v = (provide(f"tessellator {name}", 4 * (PIECE_POINTS + SLACK)) for name in "uv")
            r.starts = provide("tessellator starts", 4 * (patches + 1))
        t.indices = provide("tessellator indices", 4 * (PIECE_PRIMITIVES * self._layout.key.vertices + SLACK))
        t.owners = provide("tessellator owners", 4 * (PIECE_PRIMITIVES + SLACK))
        t.max_points, t.max_primitives = PIECE_POINTS, PIECE_PRIMITIVES

    def step(self, provide: Provide, most: int) -> Step:
        """See `Stage.step`."""
        layout, control, evaluation = self._layout, self._control, self._evaluation
        p = PatchesRecord(outer=layout.outer, inner=layout.inner, lanes=evaluation.lanes)
        p.copy_rows, p.tessellate = entry_address(self._copy_rows), entry_address(self._tessellate)
        p.evaluation_shader, p.written_bytes = entry_address(evaluation.entry), layout.written * layout.written_size
        p.evaluation_rows = self._placed_rows("evaluation inputs", layout.evaluation, provide, most)
        p.evaluation.inputs = p.evaluation_rows.target
        self._place_points(p.points, p.evaluation, provide, most)
        at, held = ctypes.addressof(p), [evaluation.keep]
        environments: dict[int, int] = {Processor.TESS_EVAL: at + PatchesRecord.evaluation.offset + EvaluationRecord.env.offset}
        if control is not None and layout.control is not None:
            p.control_shader, p.control.rows = entry_address(control.entry), layout.control.rows
            p.control_rows = self._placed_rows("control inputs", layout.control, provide, most)
            p.control.inputs, p.control.outputs = p.control_rows.target, provide("control outputs", most * p.written_bytes + 16)
            self._place_state(p.control, provide, most)
            environments[Processor.TESS_CTRL] = at + PatchesRecord.control.offset + ControlRecord.env.offset
            held.append(control.keep)
        hand = HandRecord(size=layout.size, rows=layout.key.vertices)
        return Step(p, hand, (PIECE_POINTS + evaluation.lanes) * layout.size, environments, held)

    @staticmethod
    def _placed_rows(name: str, layout: RowsLayout, provide: Provide, most: int) -> RowsRecord:
        r = RowsRecord.from_buffer_copy(layout.template)
        r.target = provide(name, most * layout.patch_bytes + 16)
        return r
