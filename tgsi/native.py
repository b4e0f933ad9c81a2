"""C functions of a frontend of Gallium that need no Python where state is known: values of uniforms, repeated bindings, errors, draws.

A frontend names its functions with forms (`Form`), gives each a fallback of the same C signature, and describes a context's state in a
`State`: the values that are bound, where uniforms lie, which primitives can be drawn. A function that finds all of this does its work on
the context's bound record; everything else goes to the fallback. `tgsi.opengl` is such a frontend.
"""

import atexit
import ctypes
import threading
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from backends.device.commands.bound_record import BoundRecord
from backends.entries.frontend import Form
from backends.entries.frontend_records import (
    DRAWS,
    MOST_FUNCTIONS,
    NOTED,
    NOTES,
    PLACES,
    VERTICES,
    FrontendState,
    Place,
    kind_of,
    slot_of,
)
from backends.entries.frontend_records import Uniforms as _Uniforms
from backends.entries.frontend_table import frontend_library, is_possible, table
from backends.gallium.context.context import Context
from backends.gallium.resource.resource import Resource
from backends.llvm.engine.kernel_cache import kernels_for

__all__ = ["DRAWS", "NOTED", "NOTES", "PLACES", "VERTICES", "Form", "State", "Uniforms", "close", "functions", "is_possible", "kind_of"]

_names: dict[str, int] = {}
_ROOM = 1 << 16
"""Numbers for which a context has room between two calls of the fallback."""


def functions(forms: Mapping[str, Form], fallbacks: Mapping[str, int]) -> dict[str, int]:
    """Addresses of C functions by name. Call it once a process.

    Args:
        forms: at most 256.
        fallbacks: addresses of functions with the same arguments and results; they live as long as the process.

    Raises:
        ValueError: there are functions already, or too many forms.
    """
    if _names or len(forms) > MOST_FUNCTIONS:
        raise ValueError(f"functions: forms: {len(forms)}; one call with at most {MOST_FUNCTIONS} a process")
    atexit.register(close)
    library = frontend_library(kernels_for("host", None), forms)
    for number, name in enumerate(forms):
        _names[name] = number
        table().fallbacks[number] = fallbacks[name]
    return {name: library.address[name] for name in forms}


def close() -> None:
    """Let every function do nothing and return 0 from now on: C++ calls them after Python has ended."""
    if _names:
        table().fallbacks[:] = [0] * MOST_FUNCTIONS
        table().states[:] = [0] * len(table().states)


class Uniforms:
    """Places of the uniforms of a program, by location.

    Args:
        blocks: constants of each of Gallium's stages by its number; they keep their size.
        places: for each location the letter, columns and rows of its type, how many elements follow, bytes of an element, and one or two
            pairs of a stage and an offset. None leaves a location to the fallback.
    """

    def __init__(
        self, blocks: Mapping[int, bytearray], places: Sequence[tuple[tuple[str, int, int], int, int, Sequence[tuple[int, int]]] | None]
    ) -> None:
        self._views = {stage: (ctypes.c_char * len(data)).from_buffer(data) for stage, data in blocks.items() if data}
        size = ctypes.sizeof(_Uniforms) + len(places) * ctypes.sizeof(Place)
        self._memory = ctypes.create_string_buffer(size)
        self.address = ctypes.addressof(self._memory)
        self._head = _Uniforms.from_buffer(self._memory)
        self._head.count = len(places)
        for stage, view in self._views.items():
            self._head.blocks[stage].address, self._head.blocks[stage].size = ctypes.addressof(view), len(view)
        rows = (Place * len(places)).from_buffer(self._memory, ctypes.sizeof(_Uniforms))
        for row, place in zip(rows, places, strict=True):
            if place is None:
                continue
            kind, row.most, row.bytes, offsets = place
            row.kind = kind_of(*kind)
            for number, (stage, offset) in enumerate(offsets):
                row.addresses[number] = ctypes.addressof(self._views[stage]) + offset
                row.stages |= 1 << stage

    def take_stale(self) -> int:
        """Stages whose constants native functions changed, one bit each; from now on there are none."""
        stale, self._head.stale = self._head.stale, 0
        return int(stale)

    def note_stale(self, stages: int) -> None:
        """Note stages whose constants the device lacks, one bit each."""
        self._head.stale |= stages


class State:
    """State of a context that native functions may rely on. `forget` it before anything else changes that context."""

    def __init__(self, context: Context) -> None:
        self._record = FrontendState()
        self._context = context
        self._record.bound = ctypes.addressof(context.state.record)
        assert isinstance(context.state.record, BoundRecord)
        self._uniforms: Uniforms | None = None
        self._index: Resource | None = None
        self.valid = memoryview(self._record).cast("B").cast("I")[FrontendState.valid.offset // 4 :][:1]
        """The bits NOTES, PLACES, DRAWS and VERTICES: which parts are right. Write 0 to forget."""
        self._rows = np.zeros(0, np.float32)
        self._row = np.zeros(0, np.float32)

    def enter(self, *, is_current: bool) -> None:
        """Make it the calling thread's state, or that of no thread."""
        thread = threading.get_ident()
        slot, address = slot_of(thread), ctypes.addressof(self._record)
        self.valid[0] = 0
        self._record.thread = thread if is_current else 0
        if is_current:
            table().states[slot] = address
        else:
            states = table().states
            for number, state in enumerate(states):
                if state == address:
                    states[number] = 0

    def note_error(self, is_there: bool) -> None:
        """Note if there is an error to be asked for."""
        self._record.has_error = is_there

    def put_uniforms(self, uniforms: Uniforms) -> None:
        """Give the places of the current program's uniforms, which are right from now on."""
        if self._uniforms is not uniforms:
            self._uniforms = uniforms
            self._record.places = uniforms.address
        self.valid[0] |= PLACES

    def put_draws(self, modes: int, noted: Sequence[int], index: Resource | None) -> None:
        """Give what the next draw needs besides constants, which is right from now on.

        Args:
            modes: primitives that may be drawn, one bit each.
            noted: the values that commands with the form "noted" would bind again.
            index: the index buffer; None leaves indexed draws to the fallback.
        """
        record = self._record
        record.modes = modes
        record.noted[: len(noted)] = noted
        if index is not self._index:
            self._index = index
            record.index_address = record.index_bytes = 0
        if index is not None and not record.index_address:
            is_known = index.was_bound and index.user is None
            self._context._learn_buffer(index)
            if is_known:
                record.index_address, record.index_bytes = index.address, index.size
        self.valid[0] |= DRAWS | NOTES

    def begin_rows(self, values: Mapping[int, Sequence[float]]) -> None:
        """Let native functions add vertices to the open primitive.

        Args:
            values: the current value of each of its attributes, four numbers by location. Other attributes go to the fallback.
        """
        record, size = self._record, 4 * (1 + len(values))
        if not self._rows.size:
            self._rows = np.zeros(_ROOM, np.float32)
        self._row = np.array([0.0, 0.0, 0.0, 1.0, *(number for value in values.values() for number in value)], np.float32)
        ctypes.memset(record.columns, 0, ctypes.sizeof(record.columns))
        for number, location in enumerate(values):
            record.columns[location] = 16 * (1 + number)
        record.row, record.row_bytes, record.next_row = self._row.ctypes.data, 4 * size, self._rows.ctypes.data
        record.end_row = record.next_row + _ROOM // size * 4 * size
        self.valid[0] |= VERTICES

    def take_rows(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The vertices since `begin_rows`, [vertex, 1 + attribute, 4], and the current values, [attribute, 4]."""
        self.valid[0] &= ~VERTICES
        size = self._row.size
        count = (self._record.next_row - self._rows.ctypes.data) // (4 * size)
        return self._rows[: count * size].reshape(count, size // 4, 4).copy(), self._row.reshape(-1, 4)[1:].copy()
