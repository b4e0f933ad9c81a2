"""Buffers that a draw to come reads, although the client takes them for free.

Mesa's driver (22.3) sends its commands when they fill their space, and that can be between the binding of buffers and the draw that reads
them. It notes the buffers of a draw for the message that has the binding, so it knows of none that the next message reads. A buffer that
the program frees right after such a draw is asked about, filled anew for another draw, and read last. So what is bound where a full message
ends counts as busy until the next draw.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.device.bound import DrawState
    from backends.device.commands.reader import Buffers
    from backends.device.commands.waits import Waits
    from tgsi.tools.vtest.commands.subcontext import SubContext

FULL = 1 << 16
"""Words of a message from which on it may be cut. Mesa has room for 1,024 more, and sends what it has before a command that finds none."""


class Cuts:
    """The buffers of a client that are bound where messages were cut.

    Args:
        buffers: all buffers of the client by handle.
        waits: requests that generated code answers, None: Python answers all.
    """

    def __init__(self, buffers: Buffers, waits: Waits | None) -> None:
        self._buffers, self._waits = buffers, waits
        self._read: dict[SubContext, set[int]] = {}
        self._drawn: dict[SubContext, int] = {}  # number of draws up to the cut
        self._unanswered: dict[int, tuple[int, int]] = {}  # what generated code is to answer for again

    def note(self, sub: SubContext, words: int) -> None:
        """Note that a sub-context has carried out a message of so many words."""
        if words >= FULL and sub.context is not None:
            self.let_go(sub)
            self._hold(sub, self._buffers.around(sorted(_addresses(sub.context.state))))
        elif sub in self._read and sub.drawn != self._drawn[sub]:  # messages of transfers alone may come before the draw
            self.let_go(sub)

    def _hold(self, sub: SubContext, handles: Iterable[int]) -> None:
        self._read[sub], self._drawn[sub] = set(handles), sub.drawn
        if self._waits is None:
            return
        for handle in self._read[sub]:
            known = self._waits.memory.range_of(handle)
            if known is not None:
                self._unanswered[handle] = known
                self._waits.memory.remove(handle)

    def let_go(self, sub: SubContext) -> None:
        """Note that all draws of a sub-context that were begun are there."""
        self._drawn.pop(sub, None)
        for handle in self._read.pop(sub, ()):
            known = None if self.are_read(handle) else self._unanswered.pop(handle, None)
            if known is not None and self._waits is not None:
                self._waits.memory.put(handle, *known)

    def forget(self, handle: int) -> None:
        """Forget a handle, which another resource may have from now on."""
        self._unanswered.pop(handle, None)
        for handles in self._read.values():
            handles.discard(handle)

    def are_read(self, handle: int) -> bool:
        """True if a draw to come may read the buffer."""
        return any(handle in handles for handles in self._read.values())


def _addresses(state: DrawState) -> set[int]:
    """Places in the memory of all buffers that draws read."""
    record = state.record
    vertices = (record.vertex_buffers[slot].address for slot in range(record.num_vertex_buffers))
    constants = (slot.address for slot in record.constants)
    return {record.index_address, *vertices, *constants}
