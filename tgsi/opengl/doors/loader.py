"""The loader object that moderngl and zengl take: ``moderngl.create_context(context=tgsi.opengl.create())``."""

from __future__ import annotations

import ctypes
from types import TracebackType

from tgsi.gallium import Screen
from tgsi.opengl.calls import current, function_for, make_current
from tgsi.opengl.context import COMPATIBILITY, CORE, ES, Context
from tgsi.opengl.offer import load

PROFILES = {CORE: (4, 3), COMPATIBILITY: (4, 3), ES: (3, 1)}
"""Profiles, and the version that each has."""


class Loader:
    """A context with its functions by name. It is current in the thread that made it, and in any that enters it.

    Attributes:
        context: the context of OpenGL, with the Gallium context in `context.pipe`.
    """

    def __init__(self, context: Context) -> None:
        self.context = context

    def load_opengl_function(self, name: str) -> int:
        """The address of a command's C function; 0 if it is not offered."""
        function = function_for(name)
        return ctypes.cast(function, ctypes.c_void_p).value or 0 if function is not None else 0

    load = load_opengl_function

    def __enter__(self) -> Loader:
        self._before = current()
        make_current(self.context)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        make_current(self._before)

    def release(self) -> None:
        """Destroy the context."""
        if current() is self.context:
            make_current(None)
        self.context.destroy()


def create(
    profile: str = CORE,
    *,
    size: tuple[int, int] = (0, 0),
    samples: int = 0,
    share: Loader | None = None,
    screen: Screen | None = None,
    debug: bool = False,
) -> Loader:
    """Make a context of OpenGL and make it current in this thread.

    Args:
        profile: "core" (4.3), "compatibility" (4.3) or "es" (3.1).
        size: width and height of the default framebuffer; (0, 0): there is none, as in headless contexts.
        samples: samples of a pixel of the default framebuffer.
        share: a loader whose buffers, textures and programs the new context shares.
        screen: the screen to draw with; by default a new one.
        debug: report errors to the debug log from the beginning.

    Raises:
        ValueError: `profile` is not one of the three.
    """
    if profile not in PROFILES:
        raise ValueError(f"create: profile: {profile!r} is not one of {', '.join(PROFILES)}")
    load()
    owner = share.context if share is not None else None
    found = owner.screen if owner is not None else screen or Screen()
    context = Context(found, profile=profile, version=PROFILES[profile], share=owner.share if owner is not None else None, is_debug=debug)
    make_current(context)
    if size[0] and size[1]:
        context.resize(*size, samples=samples)
    return Loader(context)
