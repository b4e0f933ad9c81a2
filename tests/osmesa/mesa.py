"""Debian's libOSMesa with llvmpipe, in a process of its own: ``python -m tests.osmesa.mesa OUT.npz [TOPIC ...]`` keeps its pictures."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.osmesa import fragments, geometry, rasters
from tests.osmesa.topics import SIZE, TOPICS, picture
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/libOSMesa.so.8")
MODULES = (geometry, rasters, fragments)
"""Modules that register topics."""


class Mesa(Binding):
    """A context of OSMesa with the calls of a binding."""

    def __init__(self) -> None:
        self._keep: dict[str, Any] = {}
        self._library = ctypes.CDLL(str(LIBRARY))
        for name in ("OSMesaCreateContextExt", "OSMesaGetProcAddress"):
            getattr(self._library, name).restype = ctypes.c_void_p
        self._context = self._library.OSMesaCreateContextExt(GL.RGBA, 24, 8, 16, None)
        self._memory = (ctypes.c_uint8 * (4 * SIZE * SIZE))()
        context = ctypes.c_void_p(self._context)
        assert self._library.OSMesaMakeCurrent(context, self._memory, GL.UNSIGNED_BYTE, SIZE, SIZE), "OSMesaMakeCurrent"

    def address(self, name: str) -> int:
        """The address of a command."""
        return self._library.OSMesaGetProcAddress(name.encode()) or 0

    def release(self) -> None:
        """Destroy the context."""
        self._library.OSMesaDestroyContext(ctypes.c_void_p(self._context))


def pictures(names: Sequence[str] = ()) -> dict[str, NDArray[np.uint8]]:
    """Pictures of topics that Mesa draws, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "pictures.npz")
        environment = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe", "MESA_SHADER_CACHE_DISABLE": "1"}
        subprocess.run([sys.executable, "-m", "tests.osmesa.mesa", str(out), *names], env=environment, check=True)
        return dict(np.load(out))


def main() -> None:
    """Draw topics and keep their pictures."""
    made = {}
    for name in sys.argv[2:] or TOPICS:
        gl = Mesa()
        made[name] = picture(gl, name)
        gl.release()
    np.savez(sys.argv[1], **made)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
