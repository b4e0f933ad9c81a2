"""Results of a run, the same for both engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, field, fields
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from backends.pipe.limits import MAX_VERTEX_STREAMS
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction
from tgsi.language.record import record

Bits = NDArray[np.uint32]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


def as_meant(words: Bits) -> Bits | Floats:
    """Words as float32 if each looks like one (0 or a normal number); otherwise unchanged.

    Numbers, flags and addresses up to 2^23, and negative ones close to 0, are denormal floats or NaNs.
    """
    exponents = words >> np.uint32(23) & np.uint32(255)
    return words.view(np.float32) if ((words == 0) | ((exponents > 0) & (exponents < 255))).all() else words


@record
class TraceStep:
    """One executed instruction: the lanes that were active, and the whole destination registers after it.

    `number` counts instructions from 0 in the order of the text. `writes` holds (file, register, (invocations, 4) words). A destination
    that is addressed per lane appears once for each register that an active lane wrote.
    """

    number: int
    instruction: Instruction
    active: Mask
    writes: tuple[tuple[File, int, Bits], ...]


@record(eq=False)
class Emission:
    """The vertices that the invocations of a geometry program emitted.

    counts: (invocations,), the number of vertices that each emitted. words: (vertices, OUT registers, invocations, 4), of which only the
    first `counts` vertices of an invocation have a meaning. marks: (vertices, invocations), the stream of each vertex, plus 4 where the
    vertex begins a primitive of its stream.
    """

    counts: NDArray[np.int64]
    words: Bits
    marks: Bits

    def collect(self) -> tuple[tuple[Bits, ...], tuple[NDArray[np.int64], ...]]:
        """Vertices of each stream, (n, OUT registers, 4), and the lengths of its primitives, in the order of the invocations."""
        vertex, invocation = np.nonzero(np.arange(len(self.marks))[:, None] < self.counts)
        order = np.lexsort((vertex, invocation))
        vertex, invocation = vertex[order], invocation[order]
        marks = self.marks[vertex, invocation]
        emitted, strips = [], []
        for stream in range(MAX_VERTEX_STREAMS):
            chosen = np.flatnonzero(marks & np.uint32(3) == stream)
            place, owner = vertex[chosen], invocation[chosen]
            emitted.append(self.words[place, :, owner])
            begins = (marks[chosen] & np.uint32(4)).astype(np.bool_)
            begins |= np.diff(owner, prepend=-1) != 0
            starts = np.flatnonzero(begins)
            strips.append(np.diff(starts, append=len(chosen)).astype(np.int64))
        return tuple(emitted), tuple(strips)


@record(eq=False)
class Mesh:
    """The vertices and primitives that one workgroup of a mesh program output.

    vertices: (V, registers, 4) words, OUT registers 0 to the last that exists once a vertex. indices: (P, n), vertices of each primitive.
    primitives: (P, registers, 4) words, from the first OUT register that exists once a primitive to the last. V and P are the numbers that
    the program set, or their maxima. faults: texts that describe mistakes of the program: numbers above their maxima, and primitives with
    an index that is not a vertex, which draws drop.
    """

    vertices: Bits
    indices: Bits
    primitives: Bits
    faults: tuple[str, ...] = ()


@record(slots=False)
class RunResult:
    """Registers and memory after a run; `np.asarray(result)` is `outputs`.

    outputs: (invocations, output registers, 4) 32-bit words; channels that were never written are 0.
    alive: (invocations,); False where a fragment was killed.
    exhausted: (invocations,); True where a loop ended because its fuel had run out: results of such invocations are cut short.
    emitted: for a geometry program, the vertices of each of the four streams: (vertices, output registers, 4) words.
    strips: for each stream, the lengths in vertices of the primitives that those vertices form.
    buffers, counters: the contents of every buffer that was passed, after the run, as bytes and as words.
    images: the texels of every image that was passed, after the run: (layers, height, width, block_bytes) of uint8.
    memory: GLOBAL and INPUT memory after the run, as bytes.
    tasks: for a task program, (workgroups, 3) words: the mesh workgroups that each launched along x, y and z.
    payload: for a task program, (workgroups, bytes) of uint8, passed to the mesh workgroups that it launched.
    meshes: for a mesh program, the outputs of each workgroup. Workgroups are numbered along x first.
    faults: texts that describe mistakes of task and mesh programs, each with its workgroup.
    trace: the interpreter's executed instructions, if a trace was asked for.
    """

    outputs: Bits
    alive: Mask
    exhausted: Mask
    _: KW_ONLY
    emitted: Sequence[Bits] = ()
    strips: Sequence[NDArray[np.int64]] = ()
    buffers: Mapping[int, NDArray[np.uint8]] = field(default_factory=dict)
    images: Mapping[int, NDArray[np.uint8]] = field(default_factory=dict)
    counters: Mapping[int, Bits] = field(default_factory=dict)
    memory: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
    tasks: Bits = field(default_factory=lambda: np.zeros((0, 3), np.uint32))
    payload: NDArray[np.uint8] = field(default_factory=lambda: np.zeros((0, 0), np.uint8))
    meshes: Sequence[Mesh] = ()
    faults: Sequence[str] = ()
    trace: Sequence[TraceStep] = ()

    @property
    def floats(self) -> Floats:
        """The outputs' bits as float32: a view, without conversion."""
        return self.outputs.view(np.float32)

    def __repr__(self) -> str:
        """Each output register separately, as floats if its words look like floats, and all further results."""
        parts = [f"OUT[{k}]={as_meant(self.outputs[:, k])!r}" for k in range(self.outputs.shape[1] if self.outputs.ndim == 3 else 0)]
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name not in ("outputs", "exhausted") and len(value):
                parts.append(f"{item.name}={value!r}")
        if self.exhausted.any():
            parts.append(f"exhausted={self.exhausted!r}")
        return f"RunResult({', '.join(parts)})"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is not None and np.dtype(dtype) != self.outputs.dtype:
            return self.outputs.astype(dtype)
        return self.outputs.copy() if copy else self.outputs
