"""The handle of a shader: a program that contexts bind."""

from __future__ import annotations

import ctypes
import itertools
from dataclasses import field
from typing import TYPE_CHECKING

from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.pipe.state import StreamOutputInfo
    from tgsi.language.program import Program

_serials = itertools.count(1)


@record(frozen=False, eq=False, weakref=True)
class Shader:
    """The handle that create_vs_state and create_fs_state return: a validated program and a number that is never reused.

    The renderer keeps the compiled variants of a program by that number. owner: the screen whose contexts may bind the shader.
    uniforms: bytes of constant buffers that were set by name.
    """

    program: Program
    serial: int = field(default_factory=lambda: next(_serials))
    stream_output: StreamOutputInfo | None = None
    owner: object = field(default=None, repr=False)
    uniforms: dict[int, bytes] = field(default_factory=dict, repr=False)
    ended: ctypes.c_int32 = field(default_factory=ctypes.c_int32, repr=False)  # read by generated code: 1 once the shader is destroyed

    def __repr__(self) -> str:
        return f"<Shader {self.serial}: {self.program!r}{', destroyed' if self.is_destroyed else ''}>"

    @property
    def is_destroyed(self) -> bool:
        """True once a context has destroyed the shader, which several may share."""
        return bool(self.ended.value)

    def end(self) -> None:
        """Destroy the shader: contexts refuse to bind it from now on."""
        self.ended.value = 1
