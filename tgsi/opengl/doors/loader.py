"""The loader object that moderngl and zengl take: ``moderngl.create_context(context=tgsi.opengl.create())``."""

from __future__ import annotations

import ctypes
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tgsi.gallium import Screen
from tgsi.opengl.calls import current, function_for, make_current
from tgsi.opengl.context import COMPATIBILITY, CORE, ES, Context
from tgsi.opengl.doors.screen import make_screen, watched
from tgsi.opengl.offer import load

if TYPE_CHECKING:
    from tgsi.insight.explanation import Explanation

PROFILES = {CORE: (4, 3), COMPATIBILITY: (4, 3), ES: (3, 1)}
"""Versions by profile."""


class Loader:
    """A context with its functions by name. It is current in the thread that created it, and in threads that enter it.

    Attributes:
        context: the context of OpenGL, with the Gallium context in `context.pipe`.
    """

    def __init__(self, context: Context) -> None:
        self.context = context

    def load_opengl_function(self, name: str) -> int:
        """The address of a command's C function; 0 if the command is not supported."""
        function = function_for(name)
        return ctypes.cast(function, ctypes.c_void_p).value or 0 if function is not None else 0

    load = load_opengl_function

    def __enter__(self) -> Loader:
        self._before = current()
        make_current(self.context)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        make_current(self._before)

    def explain(
        self,
        x: int,
        y: int,
        *,
        framebuffer: Any = None,
        attachment: int | None = None,
        texture: Any = None,
        level: int = 0,
        layer: int = 0,
        sample: int | None = None,
    ) -> Explanation:
        """See `tgsi.opengl.explain`; this is for the loader's own context."""
        more: dict[str, Any] = {"framebuffer": framebuffer, "attachment": attachment, "texture": texture, "level": level}
        return _explain(self.context, x, y, layer=layer, sample=sample, **more)

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
    history: bool | None = None,
    validate: bool | None = None,
) -> Loader:
    """Create an OpenGL context and make it current in this thread.

    Args:
        profile: "core" (4.3), "compatibility" (4.3) or "es" (3.1).
        size: width and height of the default framebuffer; (0, 0) means none.
        samples: samples per pixel of the default framebuffer.
        share: a loader whose buffers, textures and programs the new context shares.
        screen: the screen to draw with; by default a new one.
        debug: report errors to the debug log from the beginning.
        history: record the latest commands for `Loader.explain`, which makes commands slower; None: only if TGSI_OPENGL_HISTORY is set.
        validate: report likely mistakes as `ValidationWarning` and to the debug callback; None: only if TGSI_OPENGL_VALIDATE is set.

    Raises:
        ValueError: `profile` is not one of the three, or `screen` or `share` lacks the requested history or validation.
    """
    if profile not in PROFILES:
        raise ValueError(f"create: profile: {profile!r} is not one of {', '.join(PROFILES)}")
    load()
    owner = share.context if share is not None else None
    chosen = owner.screen if owner is not None else screen or make_screen(history=history, validate=validate)
    for name, is_wanted, has in (("history", history, chosen.history), ("validate", validate, chosen.validates)):
        if is_wanted and not has:
            raise ValueError(f"create: {name}: the given screen has none; make it with tgsi.Screen({name}=True)")
    context = Context(chosen, profile=profile, version=PROFILES[profile], share=owner.share if owner is not None else None, is_debug=debug)
    make_current(watched(context))
    if size[0] and size[1]:
        context.resize(*size, samples=samples)
    return Loader(context)


def _explain(context: Context | None, x: int, y: int, **where: Any) -> Explanation:
    from tgsi.opengl.watching.explaining import explain as explained

    return explained(context, x, y, **where)


def explain(
    x: int,
    y: int,
    *,
    framebuffer: Any = None,
    attachment: int | None = None,
    texture: Any = None,
    level: int = 0,
    layer: int = 0,
    sample: int | None = None,
) -> Explanation:
    """The history of a pixel in the calling thread's context: the commands that wrote it or could have, with their lines in the program.

    Args:
        x, y: column and row, row 0 at the bottom, as glReadPixels counts.
        framebuffer: name of a framebuffer, 0 for the default one, or an object with a name in `glo`. The default is the picture that
            glReadPixels last read, or the draw framebuffer if there were draws after that.
        attachment: GL_COLOR_ATTACHMENT0, ...; the default is the first draw buffer.
        texture, level: a texture instead of a framebuffer, by its name or an object with a name in `glo`.
        layer, sample: for pictures with several layers or samples.

    Raises:
        RuntimeError: no context is current in this thread, or it has no history.
        ValueError: there is no such picture, or the pixel is outside of it.
    """
    more: dict[str, Any] = {"framebuffer": framebuffer, "attachment": attachment, "texture": texture, "level": level}
    return _explain(None, x, y, layer=layer, sample=sample, **more)
