"""Patches as a draw goes through them: control shader, tessellator, evaluation shader, one chunk at a time."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from backends.llvm.engine import Library
from backends.raster.memory import Region
from backends.stream.kernels import Entry
from backends.stream.shaded import Primitives, Shaded, Worker
from backends.stream.stages import input_sources
from backends.tessellation.control import Arrangement, written_vertices
from backends.tessellation.key import MAX_POINTS, MAX_PRIMITIVES, SLACK, Tessellator, TessRecord
from backends.tessellation.records import INNER, OUTER, ControlRecord, EvaluationRecord, RowsRecord
from tgsi.enums import File
from tgsi.ir import Program

PIECE_POINTS, PIECE_PRIMITIVES = 4 * MAX_POINTS, 4 * MAX_PRIMITIVES
"""Room for what is tessellated at once."""
_TYPICAL_POINTS, _TYPICAL_PRIMITIVES = 33 * 33, 2 * 32 * 32
"""Of a patch of level 32; the highest levels give four times as much."""
_LEVELS = {"TESSOUTER": OUTER, "TESSINNER": INNER}

Levels = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A stage's native function of one record, the address of its ShaderEnv, its lanes, and what must live as long."""

    entry: Entry
    environment: int
    lanes: int
    keep: Library


@dataclass(frozen=True, slots=True)
class _Levels:
    """Where levels lie: an address and bytes to the next patch, for the outer and the inner ones."""

    outer: int
    inner: int
    outer_stride: int = 0
    inner_stride: int = 0

    def write(self, record: RowsRecord | TessRecord | EvaluationRecord) -> None:
        """Into a record."""
        record.outer, record.inner = self.outer, self.inner
        record.outer_stride, record.inner_stride = self.outer_stride, self.inner_stride


class _Rows:
    """The rows of patches that a stage reads."""

    def __init__(self, entry: Entry, producer: Program, consumer: Program, rows: int) -> None:
        self._entry = entry
        self.row_bytes, self.rows = 16 * consumer.file_size(File.IN), rows
        r = self._template = RowsRecord()
        r.rows, r.registers, r.vertex_size = rows, consumer.file_size(File.IN), 16 * producer.file_size(File.OUT)
        for register, source in enumerate(input_sources(producer, consumer)):
            r.source[register] = source
        for declaration in consumer.declared(File.IN):
            code = _LEVELS.get(declaration.semantic.name) if declaration.semantic is not None else None
            for register in range(declaration.first, declaration.last + 1) if code is not None else ():
                r.source[register] = code

    def run(self, target: int, vertices: int, corners: int | None, patches: Primitives, levels: _Levels) -> None:
        """Write those of all patches to `target`."""
        r = RowsRecord.from_buffer_copy(self._template)
        r.target, r.vertices, r.corners, r.numbers, r.patches = target, vertices, corners, patches.numbers, patches.count
        levels.write(r)
        self._entry(ctypes.addressof(r))


class TessellationStage:
    """Patches of `rows` vertices to points, lines or triangles. `levels`: those of patches without control shader."""

    def __init__(
        self,
        producer: Program,
        control: tuple[Program, Compiled] | None,
        evaluation: tuple[Program, Compiled],
        *,
        copy_rows: Entry,
        tessellate: Entry,
        rows: int,
        levels: Levels,
    ) -> None:
        self._control, self._tessellate = control, tessellate
        program, self._evaluation = evaluation
        self._key = Tessellator.of(program)
        self._size = 16 * program.file_size(File.OUT)
        defaults = np.array([*levels[0], *levels[1]], np.float32)
        self._defaults = _Levels(defaults.ctypes.data, defaults.ctypes.data + 16)
        self._zeros = np.zeros(4, np.float32)
        self._keep = defaults
        self._before: _Rows | None = None
        self._written = {"TESSOUTER": -1, "TESSINNER": -1}
        if control is not None:
            first, compiled = control
            self._before = _Rows(copy_rows, producer, first, rows)
            self._arrangement = Arrangement(written_vertices(first), compiled.lanes)
            self._state = self._state_bytes(compiled)
            for declaration in first.declared(File.OUT):
                if declaration.semantic is not None and declaration.semantic.name in self._written:
                    self._written[declaration.semantic.name] = 16 * declaration.first
            producer, rows = first, written_vertices(first)
        self._rows = _Rows(copy_rows, producer, program, rows)

    @property
    def most_bytes(self) -> int:
        """Bytes that a patch of a high level becomes, or that its vertices take on the way."""
        on_the_way = 2 * sum(r.rows * r.row_bytes for r in (self._before, self._rows) if r is not None)
        return max(_TYPICAL_POINTS * self._size + _TYPICAL_PRIMITIVES * 4 * (self._key.vertices + 1), on_the_way)

    def run(self, worker: Worker, shaded: Shaded, memory: Region) -> Sequence[Shaded]:
        """What the evaluation shader makes of the patches of a chunk."""
        patches = shaded.lists[0]
        vertices, corners, levels = shaded.vertices, patches.corners or None, self._defaults
        if self._control is not None:
            vertices, levels = self._run_control(worker, shaded)
            corners = None
        inputs = worker.provide("evaluation inputs", patches.count * self._rows.rows * self._rows.row_bytes + 16)
        self._rows.run(inputs, vertices, corners, patches, levels)
        return list(self._pieces(worker, patches, inputs, levels, memory))

    def _state_bytes(self, compiled: Compiled) -> int:
        """What a vector keeps at barriers; 0 without them."""
        r = ControlRecord()
        r.env, r.patches = compiled.environment, 0
        compiled.entry(ctypes.addressof(r))
        return int(r.state_bytes)

    def _run_control(self, worker: Worker, shaded: Shaded) -> tuple[int, _Levels]:
        """Address of the rows that the control shader writes, and the levels among them."""
        assert self._control is not None
        assert self._before is not None
        (program, compiled), patches, before = self._control, shaded.lists[0], self._before
        r = ControlRecord()
        r.env, r.numbers, r.patches, r.rows = compiled.environment, patches.numbers, patches.count, before.rows
        r.inputs = worker.provide("control inputs", patches.count * before.rows * before.row_bytes + 16)
        before.run(r.inputs, shaded.vertices, patches.corners, patches, self._defaults)
        patch_bytes = written_vertices(program) * 16 * program.file_size(File.OUT)
        r.outputs = outputs = worker.provide("control outputs", patches.count * patch_bytes + 16)
        ctypes.memset(outputs, 0, patches.count * patch_bytes)
        if self._state:
            vectors = self._arrangement.vectors
            r.state = worker.provide("control state", self._state * vectors)
            r.stops = worker.provide("control stops", 4 * vectors * self._arrangement.units(patches.count))
        compiled.entry(ctypes.addressof(r))
        worker.counts["hs_invocations"] += patches.count
        places = [(outputs + at, patch_bytes) if at >= 0 else (self._zeros.ctypes.data, 0) for at in self._written.values()]
        (outer, outer_stride), (inner, inner_stride) = places
        return outputs, _Levels(outer, inner, outer_stride, inner_stride)

    def _pieces(self, worker: Worker, patches: Primitives, inputs: int, levels: _Levels, memory: Region) -> Iterator[Shaded]:
        """Points and primitives, as many patches at a time as have room."""
        compiled = self._evaluation
        t, e, corners = TessRecord(), EvaluationRecord(), self._key.vertices
        for r in (t, e):
            levels.write(r)
            r.numbers, r.patches = patches.numbers, patches.count
            r.u, r.v = (worker.provide(f"tessellator {name}", 4 * (PIECE_POINTS + SLACK)) for name in "uv")
            r.starts = worker.provide("tessellator starts", 4 * (patches.count + 1))
        t.indices = worker.provide("tessellator indices", 4 * (PIECE_PRIMITIVES * corners + SLACK))
        t.owners = worker.provide("tessellator owners", 4 * (PIECE_PRIMITIVES + SLACK))
        t.max_points, t.max_primitives = PIECE_POINTS, PIECE_PRIMITIVES
        e.env, e.inputs = compiled.environment, inputs
        while t.first < patches.count:
            e.first, t.points, t.primitives = t.first, 0, 0
            self._tessellate(ctypes.addressof(t))
            e.patches = t.first
            if not t.points:
                continue
            e.vertices = memory.allocate((t.points + compiled.lanes) * self._size)
            compiled.entry(ctypes.addressof(e))
            worker.counts["ds_invocations"] += t.points
            made = Primitives(memory.copy(t.indices, 4 * corners * t.primitives), memory.copy(t.owners, 4 * t.primitives), t.primitives)
            yield Shaded(e.vertices, self._size, t.points, corners, {0: made}, (t.primitives, 0, 0, 0))
