"""Stream output: the primitives after the last stage before the rasterizer are written to the bound targets in order."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import field

from backends.device.stream_target import StreamTarget
from backends.geometry.records import OutputRecord
from backends.geometry.shaded import Shaded
from backends.llvm.engine.engine import Entry, entry_address
from backends.pipe.limits import MAX_STREAM_OUTPUT_TARGETS, MAX_VERTEX_STREAMS
from backends.pipe.state import StreamOutputInfo
from tgsi.language.record import record


@record(frozen=False)
class StreamOutputWriter:
    """The stream output of one draw.

    needed: number of primitives of each stream; written: number of those that fit into their targets.
    """

    info: StreamOutputInfo
    targets: Sequence[StreamTarget | None]
    kernel: Entry
    needed: list[int] = field(default_factory=lambda: [0] * MAX_VERTEX_STREAMS)
    written: list[int] = field(default_factory=lambda: [0] * MAX_VERTEX_STREAMS)
    _records: dict[int, OutputRecord] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for output in self.info.output:
            r = self._records.setdefault(output.stream, OutputRecord())
            k = r.num_outputs
            r.source[k] = 16 * output.register_index + 4 * output.start_component
            r.size[k], r.target[k], r.place[k] = 4 * output.num_components, output.output_buffer, 4 * output.dst_offset
            r.num_outputs = k + 1
        for r in self._records.values():
            r.stride[: len(self.info.stride)] = [4 * words for words in self.info.stride]

    @property
    def records(self) -> dict[int, OutputRecord]:
        """The records of streams, without the values of a piece."""
        return self._records

    @property
    def address(self) -> int:
        """Address of the kernel."""
        return entry_address(self.kernel)

    @property
    def streams(self) -> tuple[int, ...]:
        """The streams with outputs to write."""
        return tuple(sorted(self._records))

    def write(self, shaded: Shaded) -> None:
        """Write the primitives of a piece of the last stage's output."""
        for stream, r in self._records.items():
            primitives = shaded.lists.get(stream)
            if primitives is None:  # streams other than 0 exist for geometry shaders only
                continue
            r.vertices, r.vertex_size, r.rows = shaded.vertices, shaded.size, shaded.rows
            r.corners, r.count = primitives.corners, primitives.count
            for k in range(MAX_STREAM_OUTPUT_TARGETS):
                target = self.targets[k] if k < len(self.targets) else None
                r.limit[k] = target.size if target is not None else -1
                if target is not None:
                    r.base[k], r.offset[k] = target.address, target.offset
            self.kernel(ctypes.addressof(r))
            for k, target in enumerate(self.targets[:MAX_STREAM_OUTPUT_TARGETS]):
                if target is not None and r.offset[k] != target.offset:
                    target.offset, target.stride = r.offset[k], r.stride[k]
            self.needed[stream] += primitives.count
            self.written[stream] += r.written
