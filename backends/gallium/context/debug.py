"""Debugging: time, sample positions, messages, the bound state as text."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from backends.device.counters import FlushReason
from backends.device.interface import Device
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.layout import SAMPLE_COUNTS
from backends.gallium.resource.screen_core import ScreenCore
from backends.pipe.checks import integer
from backends.pipe.enums import ResetStatus
from backends.run.textures import STANDARD_POSITIONS
from tgsi.language.facts.enums import Processor

DebugCallback = Callable[[str, str], None]


_CAUSES = {
    FlushReason.CLEAR: "a clear had to wait for it",
    FlushReason.RESOLVE: "a resolve had to wait for it",
    FlushReason.MEMORY: "memory that it uses was read, written or mapped",
    FlushReason.DRAW: "a draw had to wait for it",
    FlushReason.FULL: "it took too much memory",
}
"""Reasons to carry out pending work that a program can avoid, as "perf_info" names them."""


class Debug(ContextCore):
    """Facts and messages for debugging: get_timestamp, get_sample_position, debug and reset callbacks, dump_debug_state."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._debug_callback: DebugCallback | None = None
        self._costs = dict[str, int]()
        self._reset_callback: Callable[[ResetStatus], None] | None = None
        self._log: Any = None

    def get_timestamp(self) -> int:
        """Return nanoseconds of the same clock as TIMESTAMP queries. (p_context.h)"""
        return time.monotonic_ns()

    def get_sample_position(self, sample_count: int, sample_index: int = 0) -> tuple[float, float]:
        """Return the place of a sample in its pixel: x and y from 0 to 1, y downwards.

        Several samples have the standard patterns, one is central.

        (p_context.h)
        """
        name = "get_sample_position"
        count = max(1, integer(sample_count, f"{name}: sample_count", 0, 16))
        if count not in SAMPLE_COUNTS:
            raise ValueError(f"{name}: sample_count: {count} is not one of {', '.join(map(str, SAMPLE_COUNTS))}")
        index = integer(sample_index, f"{name}: sample_index", 0, count - 1)
        x, y = STANDARD_POSITIONS[count][index] if count > 1 else (8, 8)
        return (x / 16, y / 16)

    def set_debug_callback(self, callback: DebugCallback | None) -> None:
        """Call ``callback(kind, text)`` with messages; None stops that. (p_context.h)

        Kinds: "marker", a text of `emit_string_marker`; "shader_info", the size of a shader that was created; "mesh", a fault of the
        programs of a `draw_mesh_tasks` call, with its count; "perf_info", work that cost time, after the name of a method: kernels that
        were compiled (for any context of the process), and pending work that had to be carried out early. Messages about generated code
        arrive after the next call in Python, a flush at the latest.
        """
        if callback is not None and not callable(callback):
            raise TypeError("set_debug_callback: callback: expected a callable")
        self._debug_callback = callback
        self._gate.listen(None if callback is None else self._report_costs)
        if callback is not None:
            self._costs = self._count_costs()

    def _count_costs(self) -> dict[str, int]:
        """Running totals of the device's work for "perf_info"."""
        totals = self.device.statistics(flushes=False)
        return {name: getattr(totals, name) for name in ("kernels_compiled", "compile_ns", *(reason.value for reason in _CAUSES))}

    def _report_costs(self, method: str) -> None:
        """Pass a "perf_info" for each kind of work that was done since the last call, the latest of them by `method`."""
        old, new = self._costs, self._count_costs()
        self._costs = new
        grown = {name: new[name] - old[name] for name in new}
        if number := grown["kernels_compiled"]:
            kernels = "a kernel was" if number == 1 else f"{number} kernels were"
            self._report("perf_info", f"{method}: {kernels} compiled in {grown['compile_ns'] / 1e6:.1f} ms")
        for reason, cause in _CAUSES.items():
            if number := grown[reason.value]:
                self._report("perf_info", f"{method}: pending work was carried out{f' {number} times' * (number > 1)}: {cause}")

    def emit_string_marker(self, text: str) -> None:
        """Pass a remark to the debug callback. (p_context.h)"""
        self._report("marker", str(text))

    @property
    def _wants_reports(self) -> bool:
        """True if there is a debug callback. (an extension)"""
        return self._debug_callback is not None

    def _report(self, kind: str, text: str) -> None:
        """Pass a message to the debug callback, if there is one. (an extension)"""
        if self._debug_callback is not None:
            self._debug_callback(kind, text)

    def set_device_reset_callback(self, callback: Callable[[ResetStatus], None] | None) -> None:
        """Keep a callable for the loss of the device, which never happens to this one. (p_context.h)"""
        self._reset_callback = callback

    def get_device_reset_status(self) -> ResetStatus:
        """Return NO_RESET. (p_context.h)"""
        return ResetStatus.NO_RESET

    def set_log_context(self, log: Any) -> None:
        """Keep a log object for `dump_debug_state`: anything with a ``write`` method. (p_context.h)"""
        self._log = log

    def dump_debug_state(self, stream: Any = None, *, flags: int = 0) -> str:
        """Return the bound state and shaders as text; it is also written to `stream` (or the log object). (p_context.h)"""
        target = stream if stream is not None else self._log
        if target is not None and not callable(getattr(target, "write", None)):
            raise TypeError(f"dump_debug_state: stream: expected an object with a method `write`, not {type(target).__name__}")
        rows = {
            name: getattr(self.state, name)
            for name in ("rasterizer", "blend", "depth_stencil_alpha", "vertex_elements", "viewports", "scissors")
        }
        size = self.targets.framebuffer
        text = "\n".join([f"framebuffer: {size.width}x{size.height}", *(f"{k}: {v}" for k, v in rows.items())])
        from tgsi.language.info import summary
        from tgsi.language.printer import print_program

        for stage in Processor:
            shader = self.state.stage[stage].shader
            if shader is not None:
                text += f"\nshader {shader.serial}, {summary(shader.program)}:\n{print_program(shader.program).rstrip()}"
        if target is not None:
            target.write(text + "\n")
        return text
