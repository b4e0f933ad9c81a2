"""Device that records calls and draws nothing. It implements all that Gallium requires of a device, so a Screen accepts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from backends.device.bound import DrawState
from backends.device.commands.many_draws import ManyDraws
from backends.device.copy_job import Copy
from backends.device.counters import FlushReason, Intervals, Statistics
from backends.device.framebuffer import Framebuffer
from backends.device.grid import ComputeBindings, ComputeShader, Grid, MeshDraw
from backends.device.resolve_job import Resolve
from backends.device.scale_job import Scale
from backends.pipe.limits import MOST_INTERVALS
from backends.pipe.state import DrawInfo
from tgsi.language.program import Program

if TYPE_CHECKING:
    from backends.device.interface import Device, DeviceFactory, Dispatcher, Settings

FAULTS = ("no vertex 9", "no primitive 3")  # a draw reports those from its number on
SAMPLES = 7  # samples that every draw reports as passed
LANES = 8


@dataclass
class Recorder:
    """Factory of devices, with a record of their calls: names in order, and the jobs that were passed."""

    names: list[str] = field(default_factory=list)
    jobs: list[object] = field(default_factory=list)

    def note(self, name: str, *job: object) -> None:
        self.names.append(name)
        self.jobs.extend(job)

    def take(self) -> list[str]:
        """Return and forget the calls since the last take."""
        names, self.names[:] = list(self.names), []
        return names

    def make_device(self, settings: Settings) -> RecordingDevice:
        self.note("make_device", settings)
        return RecordingDevice(self)

    def make_dispatcher(self, settings: Settings) -> RecordingDispatcher:
        self.note("make_dispatcher", settings)
        return RecordingDispatcher(self)

    def make_kernel_lister(self, settings: Settings) -> None:
        self.note("make_kernel_lister", settings)


class RecordingDevice:
    """Device whose work waits until `flush`. Waiting work is reported to use all memory."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._waiting, self._counted = 0, np.zeros(MOST_INTERVALS, np.int64)
        self.intervals = Intervals([self._counted])
        self.runs = 0

    @property
    def pending(self) -> bool:
        return self._waiting > 0

    @property
    def targets(self) -> RecordingDevice:
        return self

    def reader_entry(self, name: str = "read") -> int:
        return 0

    def note_compilations(self, note: object) -> None:
        """Note nothing: this device compiles nothing."""

    def attach(self, state: DrawState) -> None:
        """Take no note: this device has no generated code."""

    def install_entries(self, owner: type, *, is_observed: bool = False) -> None:
        """Leave the methods as they are."""

    def prepare(self, framebuffer: Framebuffer) -> int:
        return 0

    def end(self, address: int) -> None:
        raise AssertionError("nothing was prepared")

    def set_framebuffer(self, framebuffer: Framebuffer) -> None:
        self._recorder.note("set_framebuffer", framebuffer)

    def let_go(self) -> None:
        """Do nothing: this device caches no objects."""

    def draw(self, state: DrawState, info: DrawInfo) -> None:
        self._waiting += 1
        self._counted[state.record.interval] += SAMPLES
        self._recorder.note("draw", (state.vertex.shader, state.vertex_buffers, info))

    def draw_many(self, state: DrawState, many: ManyDraws) -> None:
        """Leave every row to `draw`."""

    def draw_mesh(self, state: DrawState, draw: MeshDraw) -> Sequence[str]:
        self._waiting += 1
        self._counted[state.record.interval] += SAMPLES
        self._recorder.note("draw_mesh", (state.task.shader, state.mesh.shader, draw))
        return FAULTS[draw.number :]

    def clear(self, buffers: int, color: Sequence[int], depth: float, stencil: int) -> None:
        self._waiting += 1
        self._recorder.note("clear", (buffers, tuple(color), depth, stencil))

    def resolve(self, job: Resolve, *, waits: bool = True) -> None:
        self._waiting += waits
        self._recorder.note("resolve", job)

    def scale(self, job: Scale) -> None:
        self._recorder.note("scale", job)

    def copy(self, job: Copy) -> None:
        self._recorder.note("copy", job)

    def upload(self, job: Copy, owner: object) -> bool:
        """Take no writes."""
        return False

    def uses(self, address: int, size: int, *, for_reading: bool = False) -> bool:
        return self.pending

    def flush(self, reason: FlushReason = FlushReason.ASKED) -> None:
        self._recorder.note("flush")
        self.runs += self.pending
        self._waiting = 0

    def use_pause(self) -> None:
        """Go on waiting."""

    def statistics(self, *, flushes: bool = True) -> Statistics:
        self._recorder.note("statistics")
        return Statistics()

    def close(self) -> None:
        self._recorder.note("close")


class RecordingDispatcher:
    """Dispatcher that runs no grids."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def lanes_for(self, program: Program) -> int:
        self._recorder.note("lanes_for", program)
        return LANES

    def launch(self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid) -> None:
        self._recorder.note("launch", (program, grid))

    def close(self) -> None:
        self._recorder.note("close_dispatcher")


if TYPE_CHECKING:  # mypy checks both against the Protocols
    _factory: DeviceFactory = Recorder()
    _device: Device = RecordingDevice(Recorder())
    _dispatcher: Dispatcher = RecordingDispatcher(Recorder())
