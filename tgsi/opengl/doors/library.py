"""In-process libraries that programs find by name, such as libOSMesa.so.8 and libGL.so.1, with our functions behind them."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from collections.abc import Mapping
from typing import Any

from tgsi.opengl.doors.elf import CONSTANTS, TABLE, machine, shared_object

_loaded: dict[str, Library] = {}


def is_possible() -> bool:
    """True if libraries in memory can be loaded on this system and machine."""
    return sys.platform.startswith("linux") and bool(machine()) and hasattr(os, "memfd_create")


def close_all() -> None:
    """Close every library, at the end of the interpreter."""
    for library in _loaded.values():
        library.close()


class Library:
    """A loaded library. `fill` writes addresses into its table; exports without an address do nothing and return 0."""

    def __init__(self, soname: str, functions: Mapping[str, Any], last: Mapping[str, int]) -> None:
        self._last = last
        self.soname = soname
        self.names = list(functions)
        self._functions = dict(functions)
        self._handle = os.memfd_create(soname, getattr(os, "MFD_CLOEXEC", 1))
        with os.fdopen(os.dup(self._handle), "wb") as file:
            file.write(shared_object(soname, self.names))
        self.library = ctypes.CDLL(self.path, mode=ctypes.RTLD_GLOBAL)
        self._table = (ctypes.c_void_p * len(self.names)).in_dll(self.library, TABLE)
        self._index = {name: k for k, name in enumerate(self.names)}
        self.fill(functions)

    @property
    def path(self) -> str:
        """The path of the library in this process."""
        return f"/proc/{os.getpid()}/fd/{self._handle}"

    def fill(self, functions: Mapping[str, Any]) -> None:
        """Put functions into the table."""
        for name, function in functions.items():
            self._table[self._index[name]] = ctypes.cast(function, ctypes.c_void_p).value

    def close(self) -> None:
        """Replace every export by a function that does nothing, because C++ destructors call OpenGL after Python has ended."""
        constants = {value: ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value for value, name in CONSTANTS.items()}
        for index, name in enumerate(self.names):
            self._table[index] = constants[self._last.get(name, 0)]

    def reopen(self) -> None:
        """Restore the functions."""
        self.fill(self._functions)

    def address(self, name: str) -> int:
        """The address of an export; 0 if there is none."""
        if name not in self._index:
            return 0
        return ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value or 0


def load_library(soname: str, functions: Mapping[str, Any], last: Mapping[str, int] | None = None) -> Library:
    """Load a library of that name once, with these functions as its exports.

    last: return values of functions after the library is closed, if not 0.

    Raises:
        OSError: this system or machine is not supported; the message lists those that are.
    """
    library = _loaded.get(soname)
    if library is None:
        if not is_possible():
            raise OSError(f"{soname}: libraries in memory are for Linux on x86-64 and AArch64; use tgsi.opengl.create() instead")
        if not _loaded:
            atexit.register(close_all)
        library = _loaded[soname] = Library(soname, functions, last or {})
    return library
