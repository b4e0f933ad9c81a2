"""The watcher of a context: it notes each command for the history, and checks for likely mistakes."""

from __future__ import annotations

import atexit
import re
import sys
import weakref
from typing import TYPE_CHECKING, Any, cast

from tgsi.insight.events import COMMAND
from tgsi.opengl.watching.callers import caller, shown, unraisable
from tgsi.opengl.watching.command_text import command_text

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.objects.framebuffer import Attachment
    from tgsi.opengl.watching.mistakes import Mistakes

CHANGING = re.compile(
    r"gl(Draw|MultiDraw|Clear$|ClearBuffer|ClearNamed|ClearTex|Blit|Copy|(Compressed)?(Tex|MultiTex|Texture)(Sub)?Image|"
    r"(Tex|Texture)Storage|Generate(Texture|MultiTex)?Mipmap|Dispatch|End$|Rect[sifd]|Bitmap|CallList|EvalMesh|Accum$|Material|Invalidate)"
)
"""Commands that can change a picture."""
READING = re.compile(r"gl(Readn?Pixels|Get(n|Compressed)?(Tex|Texture)(Sub)?Image|Flush$|Finish$)")
"""Commands that execute pending work or read results."""

asked: list[tuple[int, int]] = []
"""Pixels whose histories are printed when a context ends."""

_living: weakref.WeakSet[Context] = weakref.WeakSet()


def _end_all() -> None:
    """End the watchers of remaining contexts at the end of the program, before threads and devices end."""
    for gl in list(_living):
        if gl.watch is not None and not gl.is_destroyed:
            gl.watch.end(gl)


class Watch:
    """The watcher of a context.

    Attributes:
        name, values: the current command.
        picture: the attachment that glReadPixels last read, unless there were draws after that.
    """

    def __init__(self, gl: Context) -> None:
        self.has_history = gl.screen.history
        self.name, self.values = "", cast(tuple[Any, ...], ())
        self.picture: Attachment | None = None
        self.mistakes: Mistakes | None = None
        if gl.screen.validates:
            from tgsi.opengl.watching.mistakes import Mistakes

            self.mistakes = Mistakes(gl)
            gl.is_debug = True
        self.is_ended = False
        self._marked = ""
        self._kinds: dict[str, tuple[bool, bool]] = {}
        if not _living:
            atexit.unregister(_end_all)
            atexit.register(_end_all)  # the function registered last runs first
        _living.add(gl)

    def begin(self, gl: Context, name: str, values: tuple[Any, ...]) -> None:
        """Note a command before it is executed."""
        kinds = self._kinds.get(name)
        if kinds is None:
            kinds = self._kinds[name] = CHANGING.match(name) is not None, READING.match(name) is not None
        changes, reads = kinds
        if changes:
            self.picture = None
        elif reads and name in ("glReadPixels", "glReadnPixels"):
            self._note_picture(gl)
        if self.has_history and (changes or reads):
            self._mark(gl, name, values)
        self.name, self.values = name, values
        if self.mistakes is not None:
            try:
                self.mistakes.begin(gl, name, values)
            except Exception as error:  # an exception in a check must not prevent the command
                unraisable(error)

    def error(self, gl: Context, code: int, name: str, text: str) -> None:
        """Note an error that glGetError will return."""
        if self.mistakes is not None:
            try:
                self.mistakes.error(gl, code, name, self.values, text)
            except Exception as error:
                unraisable(error)

    def _note_picture(self, gl: Context) -> None:
        framebuffer = gl.read_framebuffer
        self.picture = framebuffer.color(framebuffer.read_buffer)

    def _mark(self, gl: Context, name: str, values: tuple[Any, ...]) -> None:
        """Record the command and its line, unless it equals the previous one."""
        text = command_text(name, values)
        if name == "glEnd" and gl.batch is not None:
            text = f"{command_text('glBegin', (gl.batch.mode,))} ... {text}"
        text += f" at {shown(caller())}"
        if text != self._marked:  # a flush starts a new part of the recording, even between two equal commands
            self._marked = text
            gl.pipe.emit_string_marker(COMMAND + text)

    def end(self, gl: Context) -> None:
        """Print the requested histories before the context is destroyed."""
        if self.is_ended:
            return
        self.is_ended = True
        if self.mistakes is not None:
            self.mistakes.end(gl)
        for x, y in asked if self.has_history else ():
            from tgsi.opengl.watching.explaining import explain

            try:
                print(explain(gl, x, y), flush=True)
            except (RuntimeError, ValueError) as error:
                print(error, file=sys.stderr)
