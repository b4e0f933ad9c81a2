"""Functions that draw frames, which workers import."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import tgsi

CORNERS = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND"


def clear(frame: int) -> Any:
    """A gray picture, darker for each frame."""
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R8G8B8A8_UNORM", width0=8, height0=8)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.clear("COLOR", color=(frame / 8, 0, 0, 1))
        return target.pixels()


def resource(frame: int) -> Any:
    """A resource whose pixels are compared."""
    with tgsi.Screen(threads=0) as screen:
        return screen.resource_create(format="R8_UNORM", width0=frame + 1, height0=1)


def square(frame: int) -> int:
    """A number."""
    return frame * frame


def threads(frame: int) -> str:
    """The number of threads of a Screen in a worker."""
    return f"{os.getpid()} {os.environ.get('TGSI_THREADS')}"


def dies_once(frame: tuple[int, str]) -> int:
    """End the process at frame 2, the first time."""
    number, marker = frame
    if number == 2 and not Path(marker).exists():
        Path(marker).touch()
        os._exit(1)
    return number


def slow(frame: int) -> tuple[int, int]:
    """The frame and the process that drew it, after a while."""
    time.sleep(0.1)
    return frame, os.getpid()


def dies(frame: int) -> int:
    """End the process at frame 1, each time."""
    if frame == 1:
        os._exit(1)
    return frame


def raises(frame: int) -> int:
    """Raise at frame 3."""
    if frame == 3:
        raise ValueError("no third frame")
    return frame
