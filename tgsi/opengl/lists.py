"""Display lists: commands with their values, and whole primitives. (OpenGL 2.1, 5.4)"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from tgsi.opengl.errors import GLError
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.host import Host

F = TypeVar("F", bound=Callable[..., None])


class DisplayList:
    """An open or finished list: functions with their arguments. `known` has the attribute values set so far."""

    __slots__ = ("executes", "items", "known", "number")

    def __init__(self, number: int, executes: bool) -> None:
        self.number = number
        self.executes = executes
        self.items: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self.known: dict[int, tuple[float, float, float, float]] = {}

    def run(self, gl: Host) -> None:
        """Execute the commands; a failing command records its error, and execution continues."""
        for function, values in self.items:
            try:
                function(gl, *values)
            except GLError as error:
                gl.report(error.code, "glCallList", str(error))
            except (ArithmeticError, ValueError, TypeError) as error:  # values that no command accepts, such as NaN
                gl.report(GL.INVALID_OPERATION, "glCallList", f"{type(error).__name__}: {error}")


def listed(function: F) -> F:
    """Wrap a function of values: it is added to the open list, if there is one, and executed unless the list is only compiled."""

    @wraps(function)
    def call(gl: Host, *values: Any) -> None:
        open_list: DisplayList | None = getattr(gl, "list", None)
        if open_list is not None:
            open_list.items.append((function, values))
            if not open_list.executes:
                return
        function(gl, *values)

    return call  # type: ignore[return-value]


NOT_LISTED = {
    "glAreTexturesResident", "glClientActiveTexture", "glColorPointer", "glDeleteLists", "glDeleteTextures", "glDisableClientState",
    "glEdgeFlagPointer", "glEnableClientState", "glFeedbackBuffer", "glFinish", "glFlush", "glFogCoordPointer", "glGenLists",
    "glGenTextures", "glIndexPointer", "glInterleavedArrays", "glNormalPointer", "glPixelStoref", "glPixelStorei",
    "glPopClientAttrib", "glPushClientAttrib", "glReadPixels", "glRenderMode", "glSecondaryColorPointer", "glSelectBuffer",
    "glTexCoordPointer", "glVertexPointer", "glNewList", "glEndList", "glBindBuffer", "glBufferData", "glBufferSubData",
    "glMapBuffer", "glUnmapBuffer", "glCreateShader", "glCreateProgram", "glShaderSource", "glCompileShader", "glLinkProgram",
    "glAttachShader", "glDetachShader", "glDeleteShader", "glDeleteProgram", "glBindAttribLocation", "glBindFramebuffer",
    "glBindRenderbuffer", "glRenderbufferStorage", "glRenderbufferStorageMultisample", "glFramebufferTexture2D",
    "glFramebufferRenderbuffer", "glGenerateMipmap", "glBindVertexArray", "glVertexAttribPointer", "glEnableVertexAttribArray",
    "glDisableVertexAttribArray", "glCheckFramebufferStatus", "glFenceSync", "glDeleteSync",
}  # fmt: skip
"""Commands without pointers that are executed immediately while a list is open, like queries and commands with pointers."""


_INSIDE = re.compile(
    r"gl(Begin|End|CallLists?|ArrayElement\w*|EdgeFlagv?|Eval(Coord|Point)\w+|Material\w+|"
    r"(Vertex|Color|SecondaryColor|Normal|FogCoord|TexCoord|MultiTexCoord|Index)(P?\d|[bsifdu])\w*|VertexAttrib[INLP]?\d\w*)"
)


def is_inside(name: str) -> bool:
    """True if a command may be called between glBegin and glEnd. (OpenGL 2.1, 2.6.3)"""
    return _INSIDE.fullmatch(name) is not None


def is_listed(name: str, result: str, kinds: str) -> bool:
    """True if a command can be stored in a display list: it has no result and no pointers."""
    return result == "v" and "p" not in kinds and name not in NOT_LISTED and not name.startswith(("glGet", "glIs"))
