"""Objects of EGL by handle, and the error of each thread. (EGL 1.5, chapter 3)"""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

SUCCESS, BAD_ALLOC, BAD_ATTRIBUTE, BAD_CONFIG, BAD_CONTEXT = 0x3000, 0x3003, 0x3004, 0x3005, 0x3006
BAD_DISPLAY, BAD_MATCH, BAD_NATIVE_WINDOW, BAD_PARAMETER, BAD_SURFACE, BAD_ACCESS = 0x3008, 0x3009, 0x300B, 0x300C, 0x300D, 0x3002
BAD_NATIVE_PIXMAP = 0x300A


@dataclass
class Surface:
    """A pbuffer."""

    config: int
    width: int
    height: int


class State:
    """Surfaces and contexts by handle, and the error and the API of each thread."""

    def __init__(self) -> None:
        self.surfaces: dict[int, Surface] = {}
        self.contexts: dict[int, Context] = {}
        self.current: dict[int, tuple[int, int]] = {}
        self.errors: dict[int, int] = {}
        self.apis: dict[int, int] = {}
        self.numbers = itertools.count(0x1000, 16)
        self.strings: dict[str, Any] = {}

    def fail(self, code: int) -> int:
        """Store an error for eglGetError, and return 0."""
        self.errors[threading.get_ident()] = code
        return 0

    def done(self, value: int = 1) -> int:
        """Store EGL_SUCCESS, and return a value."""
        self.errors[threading.get_ident()] = SUCCESS
        return value


state = State()
