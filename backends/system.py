"""Operating systems: files, memory, executable memory, functions and semaphores of the process, processors. All that differs between them.

Linux, macOS and Windows are told apart by the functions that exist at run time, not by their names. A missing function is replaced by one
of Python's, and a step without a replacement raises OSError. Nothing of POSIX is needed to import this module.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import itertools
import mmap
import os
import platform
import time
from _thread import interrupt_main
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from queue import SimpleQueue

SEMAPHORE_BYTES = 64
"""At least the bytes of a sem_t."""
_COMMIT, _READ_WRITE, _EXECUTE_READ, _RELEASE = 0x3000, 0x04, 0x20, 0x8000  # of Windows' VirtualAlloc, VirtualProtect and VirtualFree


def cpu_count() -> int:
    """Number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cache_bytes(level: int) -> int | None:
    """Bytes of the data cache of a level that the first processor has; None where the system does not say."""
    for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        with contextlib.suppress(OSError, ValueError):
            if int((index / "level").read_text()) == level and (index / "type").read_text().strip() != "Instruction":
                return int((index / "size").read_text().strip().removesuffix("K")) << 10
    return None


def end_with_parent() -> None:
    """End this process, a worker of multiprocessing, once its parent has ended. Otherwise, workers of a killed program wait forever."""
    import multiprocessing
    import multiprocessing.connection
    import threading

    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="end_with_parent", daemon=True).start()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in one step: other processes find its old content or the new one, never a part. OSError."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def private_memory(size: int) -> mmap.mmap:
    """Zeroed bytes mapped directly from the system, which child processes do not share."""
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
    return mmap.mmap(-1, size, **private)


# -- functions of the process -------------------------------------------------------------------------------------------
@functools.cache
def library() -> Any:
    """The functions of this process, where the system lets them be found by name; otherwise None."""
    try:
        return ctypes.CDLL(None, use_errno=True)
    except (TypeError, OSError):
        return None


def _kernel32() -> Any:
    return getattr(getattr(ctypes, "windll", None), "kernel32", None)


def _named(place: Any, name: str) -> int:
    """Address of a function, or 0."""
    with contextlib.suppress(AttributeError, OSError):
        return ctypes.cast(getattr(place, name), ctypes.c_void_p).value or 0
    return 0


def address_of(name: str) -> int:
    """Address of a function of this process; 0 if it does not exist, or if functions cannot be looked up by name."""
    return _named(library(), name)


@functools.cache
def symbol(name: str) -> int:
    """Address of a function that generated code may call; ValueError if this system does not have it.

    Without POSIX semaphores, Python's are used; without functions by name, Python copies and fills memory.
    """
    if name in ("sem_post", "sem_wait") and not has_posix_semaphores():
        return _named(_substitutes(), name)
    address = address_of(name)
    if not address and name == "memcpy":
        address = ctypes.cast(ctypes.memmove, ctypes.c_void_p).value or 0
    elif not address and name == "memset":
        address = ctypes.cast(ctypes.memset, ctypes.c_void_p).value or 0
    elif not address and name == "sched_yield":
        address = _named(_kernel32(), "SwitchToThread") or _named(_substitutes(), name)
    elif not address and name == "__chkstk":
        address = _named(getattr(getattr(ctypes, "windll", None), "ntdll", None), name)
    if not address:
        raise ValueError(f"this process has no function {name}")
    return address


# -- semaphores ---------------------------------------------------------------------------------------------------------
@functools.cache
def has_posix_semaphores() -> bool:
    """True if the C library has semaphores in memory; macOS has their names only."""
    memory = ctypes.create_string_buffer(SEMAPHORE_BYTES)
    clib = library()
    return all(_named(clib, name) for name in ("sem_init", "sem_post", "sem_wait")) and not clib.sem_init(memory, 0, 0)


class _Substitutes:
    """Functions of the C library that Python carries out. A handle of a semaphore is a number."""

    def __init__(self) -> None:
        self.semaphores: dict[int, SimpleQueue[None]] = {}
        self.serial = itertools.count(1)
        make: Callable[..., Any] = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
        self.sem_post, self.sem_wait = make(self._post), make(self._wait)
        self.sched_yield = ctypes.CFUNCTYPE(ctypes.c_int)(self._yield)

    def _post(self, handle: int) -> int:
        self.semaphores[handle].put(None)
        return 0

    def _wait(self, handle: int) -> int:
        is_interrupted = False
        while True:  # the caller relies on it: Ctrl-C is handed on afterwards
            try:
                self.semaphores[handle].get()
                break
            except KeyboardInterrupt:
                is_interrupted = True
        if is_interrupted:
            interrupt_main()
        return 0

    def _yield(self) -> int:
        time.sleep(0)
        return 0


@functools.cache
def _substitutes() -> _Substitutes:
    return _Substitutes()


class Semaphores:
    """Semaphores of one process that generated code waits for, at first 0. `handles`: arguments of sem_post and sem_wait."""

    def __init__(self, count: int) -> None:
        self.handles: list[int] = []
        self._memory: NDArray[np.uint8] | None = None
        if has_posix_semaphores():
            self._memory = np.zeros((count + 1) * SEMAPHORE_BYTES, np.uint8)
            base = self._memory.ctypes.data + SEMAPHORE_BYTES - 1 & -SEMAPHORE_BYTES  # a line of the cache for each
            self.handles = [base + SEMAPHORE_BYTES * i for i in range(count)]
            for handle in self.handles:
                library().sem_init(ctypes.c_void_p(handle), 0, 0)
            return
        from queue import SimpleQueue  # Linux needs none

        functions = _substitutes()
        for _ in range(count):
            handle = next(functions.serial)
            functions.semaphores[handle] = SimpleQueue()
            self.handles.append(handle)

    def post(self, number: int) -> None:
        """Wake one thread that waits."""
        if self._memory is None:
            _substitutes().sem_post(self.handles[number])
        else:
            library().sem_post(ctypes.c_void_p(self.handles[number]))

    def close(self) -> None:
        """Destroy the semaphores; no thread may be waiting for them."""
        if self._memory is None:
            for handle in self.handles:
                _substitutes().semaphores.pop(handle, None)
        self.handles = []


# -- executable memory --------------------------------------------------------------------------------------------------
@functools.cache
def _refresh() -> Callable[[int, int], object] | None:
    """Function of an address and a size that lets processors see new code there; None if there is no such function.

    Processors of x86 need none. Windows requires it everywhere.
    """
    if (windows := _kernel32()) is not None:
        return lambda base, size: windows.FlushInstructionCache(ctypes.c_void_p(-1), ctypes.c_void_p(base), ctypes.c_size_t(size))
    if machine() == "x86_64":
        return lambda base, size: None
    apple = getattr(library(), "sys_icache_invalidate", None)
    if apple is not None:
        return lambda base, size: apple(ctypes.c_void_p(base), ctypes.c_size_t(size))
    try:
        clear = ctypes.CDLL("libgcc_s.so.1").__clear_cache
    except (OSError, AttributeError):
        return None
    return lambda base, size: clear(ctypes.c_void_p(base), ctypes.c_void_p(base + size))


@functools.cache
def machine() -> str:
    """Architecture of this process's code, by LLVM's name."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


@functools.cache
def has_executable_memory() -> bool:
    """True if `ExecutableMemory` can place code in this process."""
    is_known = machine() in ("x86_64", "aarch64") and ctypes.sizeof(ctypes.c_void_p) == 8
    has_way = _kernel32() is not None or bool(hasattr(mmap, "PROT_EXEC") and address_of("mprotect"))
    return is_known and has_way and _refresh() is not None


class ExecutableMemory:
    """Executable copy of code, freed with this object. `address` begins a page."""

    def __init__(self, code: bytes | bytearray) -> None:
        """OSError, with the reason, if the system lets no memory become executable."""
        windows, refresh = _kernel32(), _refresh()
        self._release: Callable[[], object] | None = None
        if windows is not None:
            self.address = self._of_windows(windows, code)
        else:
            self._memory, self.address = _of_posix(code)
        if refresh is not None:
            refresh(self.address, len(code))

    def _of_windows(self, windows: Any, code: bytes | bytearray) -> int:
        size, before = ctypes.c_size_t(len(code)), ctypes.c_uint32()
        windows.VirtualAlloc.restype = ctypes.c_void_p
        base = windows.VirtualAlloc(None, size, _COMMIT, _READ_WRITE)
        if not base:
            raise MemoryError("no memory for compiled code")
        self._release = functools.partial(windows.VirtualFree, ctypes.c_void_p(base), ctypes.c_size_t(0), _RELEASE)
        ctypes.memmove(base, bytes(code), len(code))
        if not windows.VirtualProtect(ctypes.c_void_p(base), size, _EXECUTE_READ, ctypes.byref(before)):
            raise OSError(f"this system lets no memory become executable (VirtualProtect): {_ADVICE}")
        return int(base)

    def __del__(self) -> None:
        release = getattr(self, "_release", None)
        if release is not None:
            release()


_ADVICE = 'engine="interp" runs programs without compiled code'


def _of_posix(code: bytes | bytearray) -> tuple[mmap.mmap, int]:
    """The first attempt is anonymous memory, made executable after it is written. Systems that forbid that may still map a file."""
    size = len(code)
    held = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE)
    held[:size] = code
    base = ctypes.addressof(ctypes.c_char.from_buffer(held))
    if not library().mprotect(ctypes.c_void_p(base), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_EXEC):
        return held, base
    refused = ctypes.get_errno()
    try:
        if not hasattr(os, "memfd_create"):
            raise OSError(refused, os.strerror(refused))
        file = os.memfd_create("tgsi", os.MFD_CLOEXEC)
        try:
            os.write(file, code)
            held = mmap.mmap(file, size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
        finally:
            os.close(file)
    except OSError as error:
        reasons = f"mprotect: {os.strerror(refused)}; a mapped memfd: {os.strerror(error.errno or 0)}"
        policy = "a policy such as SELinux's execmem or a seccomp filter may forbid it"
        raise OSError(refused, f"this system lets no memory become executable ({reasons}): {policy}; {_ADVICE}") from error
    return held, np.frombuffer(held, np.uint8).ctypes.data
