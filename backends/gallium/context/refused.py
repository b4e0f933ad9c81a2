"""Methods of pipe_context that this driver refuses with a message that names them."""

from __future__ import annotations

from typing import Any, NoReturn

from backends.gallium.context.core import ContextCore
from backends.gallium.context.fence import Fence
from backends.gallium.unsupported import refuse


class Refused(ContextCore):
    """Sample locations, file descriptors of fences, signals, video."""

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
