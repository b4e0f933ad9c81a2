"""The rest of a context's methods: barriers, debugging, what older documents name, and what is politely refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from backends.gallium.context.bindings import Bindings
from backends.gallium.context.fence import Fence
from backends.gallium.context.link_states import LinkStates
from backends.gallium.context.transfers import Transfers
from backends.gallium.resource.layout import SAMPLE_COUNTS
from backends.gallium.resource.resource import Box, Resource
from backends.gallium.unsupported import refuse
from backends.pipe.checks import flags, integer
from backends.pipe.enums import Barrier, ResetStatus, TextureBarrier
from backends.run.textures import STANDARD_POSITIONS

DebugCallback = Callable[[str, str], None]


class Extras(LinkStates, Transfers, Bindings):
    """Order, debugging, legacy names, and refusals."""

    _debug_callback: DebugCallback | None = None
    _reset_callback: Callable[[ResetStatus], None] | None = None

    # -- order -----------------------------------------------------------------------------------------------------------
    def texture_barrier(self, flags_: TextureBarrier | int | str = TextureBarrier.SAMPLER) -> None:
        """What was rendered so far is seen by samples of later draws, of the bound targets too."""
        flags(TextureBarrier, flags_, "texture_barrier: flags")
        self.synchronize()

    def memory_barrier(self, flags_: Barrier | int | str | Sequence[str] = Barrier.ALL) -> None:
        """Make writes visible as PIPE_BARRIER flags say. Mapped memory is the memory that is rendered with, so only work waits."""
        flags(Barrier, flags_, "memory_barrier: flags")
        self.synchronize()

    def flush_resource(self, resource: Resource) -> None:
        """Finish what reads or writes a resource, so that others may use its memory."""
        self.finish_uses(self.check_resource(resource, "flush_resource: resource"))

    def invalidate_resource(self, resource: Resource) -> None:
        """The content of a resource is no longer needed (a hint; it stays as it is)."""
        self.check_resource(resource, "invalidate_resource: resource")

    def resource_commit(self, resource: Resource, *, level: int = 0, box: Box | Sequence[int] | None = None, commit: bool = True) -> bool:
        """Commit memory of a sparse resource: there are none, so False."""
        self.check_resource(resource, "resource_commit: resource")
        return False

    def is_resource_referenced(self, resource: Resource, *, level: int = 0, layer: int = 0) -> bool:
        """Pending work reads or writes the resource (older documents)."""
        return self.is_busy(self.check_resource(resource, "is_resource_referenced: resource"))

    def fence_server_sync(self, fence: Fence) -> None:
        """Later work waits for a fence."""
        if not isinstance(fence, Fence):
            raise TypeError(f"fence_server_sync: fence: a Fence is wanted, not {type(fence).__name__}")
        fence.finish()

    # -- debugging -------------------------------------------------------------------------------------------------------
    def get_timestamp(self) -> int:
        """Nanoseconds of the same clock as TIMESTAMP queries."""
        return time.monotonic_ns()

    def get_sample_position(self, sample_count: int, sample_index: int = 0) -> tuple[float, float]:
        """Where in the pixel a sample lies, x and y from 0 to 1, y as rows go: the standard patterns; one sample is at the center."""
        name = "get_sample_position"
        count = max(1, integer(sample_count, f"{name}: sample_count", 0, 16))
        if count not in SAMPLE_COUNTS:
            raise ValueError(f"{name}: sample_count: {count} is none of {', '.join(map(str, SAMPLE_COUNTS))}")
        index = integer(sample_index, f"{name}: sample_index", 0, count - 1)
        x, y = STANDARD_POSITIONS[count][index] if count > 1 else (8, 8)
        return (x / 16, y / 16)

    def set_debug_callback(self, callback: DebugCallback | None) -> None:
        """Have ``callback(kind, text)`` called with messages; None ends that."""
        if callback is not None and not callable(callback):
            raise TypeError("set_debug_callback: callback: a callable is wanted")
        self._debug_callback = callback

    def emit_string_marker(self, text: str) -> None:
        """Give a remark to the debug callback."""
        if self._debug_callback is not None:
            self._debug_callback("marker", str(text))

    def set_device_reset_callback(self, callback: Callable[[ResetStatus], None] | None) -> None:
        """Have a callable called when the device is lost, which never happens to this one."""
        self._reset_callback = callback

    def get_device_reset_status(self) -> ResetStatus:
        """NO_RESET."""
        return ResetStatus.NO_RESET

    def set_log_context(self, log: Any) -> None:
        """Keep a log object for `dump_debug_state`: anything with a ``write`` method."""
        self._log = log

    _log: Any = None

    def dump_debug_state(self, stream: Any = None, *, flags: int = 0) -> str:
        """The bound state as text; also written to `stream` (or the log object)."""
        rows = {
            name: getattr(self.state, name)
            for name in ("rasterizer", "blend", "depth_stencil_alpha", "vertex_elements", "viewports", "scissors")
        }
        text = "\n".join([f"framebuffer: {self.framebuffer.width}x{self.framebuffer.height}", *(f"{k}: {v}" for k, v in rows.items())])
        target = stream if stream is not None else self._log
        if target is not None:
            target.write(text + "\n")
        return text

    # -- older names -----------------------------------------------------------------------------------------------------
    def transfer_inline_write(
        self,
        resource: Resource,
        data: Any,
        *,
        level: int = 0,
        usage: Any = 0,
        box: Any = None,
        stride: int | None = None,
        layer_stride: int | None = None,
    ) -> None:
        """`texture_subdata` and `buffer_subdata` by their name in older documents."""
        self.check_resource(resource, "transfer_inline_write: resource")
        if resource.is_buffer:
            self.buffer_subdata(resource, data, offset=0 if box is None else resource.box(0, box, "transfer_inline_write").x, usage=usage)
        else:
            self.texture_subdata(resource, data, level=level, box=box, stride=stride, layer_stride=layer_stride, usage=usage)

    # -- refusals --------------------------------------------------------------------------------------------------------
    def set_sample_locations(self, locations: bytes = b"") -> None:
        """Standard sample locations; others are refused (PROGRAMMABLE_SAMPLE_LOCATIONS is 0)."""
        if locations:
            refuse("set_sample_locations")

    def create_fence_fd(self, fd: int) -> NoReturn:
        """Refused: NATIVE_FENCE_FD is 0."""
        refuse("create_fence_fd")

    def fence_server_signal(self, fence: Fence) -> NoReturn:
        """Refused: FENCE_SIGNAL is 0."""
        refuse("fence_server_signal")

    def create_video_codec(self, template: Any = None) -> NoReturn:
        """Refused: no video."""
        refuse("create_video_codec")

    def create_video_buffer(self, template: Any = None) -> NoReturn:
        """Refused: no video."""
        refuse("create_video_buffer")
