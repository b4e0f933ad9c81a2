"""Methods of pipe_context that this driver refuses with a message that names them."""

from __future__ import annotations

from typing import Any, NoReturn

from backends.gallium.context.core import ContextCore
from backends.gallium.threads.fence import Fence
from backends.pipe.checks import refuse


class Refused(ContextCore):
    """Refusals: file descriptors of fences, signals, video."""

    def create_fence_fd(self, fd: int) -> NoReturn:
        """Refuse fences as file descriptors: NATIVE_FENCE_FD is 0. (p_context.h)"""
        refuse("create_fence_fd")

    def fence_server_signal(self, fence: Fence) -> NoReturn:
        """Refuse signals: FENCE_SIGNAL is 0. (p_context.h)"""
        refuse("fence_server_signal")

    def create_video_codec(self, template: Any = None) -> NoReturn:
        """Refuse video codecs. (p_context.h)"""
        refuse("create_video_codec")

    def create_video_buffer(self, template: Any = None) -> NoReturn:
        """Refuse video buffers. (p_context.h)"""
        refuse("create_video_buffer")
