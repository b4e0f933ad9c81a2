"""Another operating system, pretended: run as ``python -m tests.systems.pretend darwin|win32 PROGRAM``.

Takes from Python what the system does not have, adds what it has instead, and runs a file. Libraries of others are loaded before, since
those for the other system are other files. Windows' calls for memory are carried out by those of Linux.
"""

from __future__ import annotations

import ctypes
import importlib
import mmap
import os
import pathlib
import platform
import runpy
import sys
import sysconfig
import types
from typing import Any

FOREIGN = (
    *("numpy", "llvmlite.binding", "lark", "platformdirs", "PIL.Image"),
    *("concurrent.futures.thread", "tempfile", "subprocess", "random", "inspect", "shutil"),
)
POSIX_MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "syslog")
ONLY_LINUX = ("sched_getaffinity", "memfd_create", "MFD_CLOEXEC", "MFD_ALLOW_SEALING", "pidfd_open", "eventfd")
ONLY_POSIX = (
    *("fork", "forkpty", "register_at_fork", "getuid", "geteuid", "getgid", "getegid", "uname", "sysconf", "mkfifo", "fchmod"),
    *("chown", "wait", "waitpid", "killpg", "setsid", "getloadavg", "nice"),
    *("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "WNOHANG"),
)
Address = ctypes.c_void_p | int | None


class _Kernel32:
    """Windows' functions for memory, over mprotect."""

    class _Allocate:
        restype: Any = None

        def __call__(self, at: Address, size: ctypes.c_size_t, how: int, protection: int) -> int:
            assert (at, how, protection) == (None, 0x3000, 0x04)
            assert self.restype is ctypes.c_void_p
            memory = _MMAP(-1, size.value)
            base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
            _mapped[base] = memory
            return base

    def __init__(self) -> None:
        self.VirtualAlloc = _Kernel32._Allocate()

    def VirtualProtect(self, at: ctypes.c_void_p, size: ctypes.c_size_t, protection: int, before: object) -> int:
        assert protection == 0x20
        assert at.value in _mapped
        return int(not _MPROTECT(at, size, _READ_EXECUTE))

    def VirtualFree(self, at: ctypes.c_void_p, size: ctypes.c_size_t, how: int) -> int:
        assert (size.value, how) == (0, 0x8000)
        _freed.append(at.value)
        return 1

    def FlushInstructionCache(self, process: object, at: object, size: object) -> int:
        return 1


_MMAP, _MPROTECT = mmap.mmap, ctypes.CDLL(None).mprotect
_READ_EXECUTE = mmap.PROT_READ | mmap.PROT_EXEC
_NO_SEMAPHORE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint)(lambda *arguments: -1)
_mapped: dict[int, mmap.mmap] = {}
_freed: list[int | None] = []


def _take(module: types.ModuleType, names: tuple[str, ...]) -> None:
    for name in names:
        if hasattr(module, name):
            delattr(module, name)


def become_macos() -> None:
    """Leave POSIX, without what Linux alone has, and with semaphores that cannot be made."""

    class Library(ctypes.CDLL):
        def __getattr__(self, name: str) -> Any:
            if name == "sem_init":
                return _NO_SEMAPHORE
            return super().__getattr__(name)

    sys.platform, platform.machine = "darwin", lambda: "x86_64"
    _take(os, ONLY_LINUX)
    ctypes.CDLL = Library  # type: ignore[misc]


def become_windows() -> None:
    """Take everything of POSIX."""

    class Library(ctypes.CDLL):
        def __init__(self, name: str | None = None, *arguments: Any, **options: Any) -> None:
            if name is None:
                raise TypeError("LoadLibrary() argument 1 must be str, not None")
            super().__init__(name, *arguments, **options)

    def memory(handle: int, size: int) -> mmap.mmap:
        return _MMAP(handle, size)

    pathlib.os = types.SimpleNamespace(**vars(os))  # type: ignore[attr-defined]  # paths stay those of the files that are here
    sys.platform, platform.machine, os.name = "win32", lambda: "AMD64", "nt"
    _take(os, ONLY_LINUX + ONLY_POSIX)
    _take(mmap, tuple(name for name in dir(mmap) if name.startswith(("MAP_", "PROT_", "MADV_"))))
    for name in POSIX_MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for module, name, value in ((mmap, "mmap", memory), (ctypes, "CDLL", Library), (ctypes, "c_long", ctypes.c_int)):
        setattr(module, name, value)
    ctypes.windll = types.SimpleNamespace(kernel32=_Kernel32(), ntdll=types.SimpleNamespace())  # type: ignore[attr-defined]


if __name__ == "__main__":
    for foreign in FOREIGN:
        importlib.import_module(foreign)
    sysconfig.get_config_vars()
    {"darwin": become_macos, "win32": become_windows}[sys.argv[1]]()
    sys.argv[:] = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")
