"""Start a program in a sandbox: the given files only, no sockets or other processes, by Linux's Landlock and a filter of system calls.

Both restrict the calling thread and the processes that it starts, permanently. So a separate thread installs them, starts the program, and
ends; no other thread of this process is restricted.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from frontends.glsl.syscalls import filter_program
from tgsi.language._collector import collector_paused
from tgsi.language._forks import wait_before_fork
from tgsi.language.record import record

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""landlock_create_ruleset, landlock_add_rule, landlock_restrict_self: the same numbers on every architecture."""
_ASK_VERSION, _BENEATH = 1, 1
_SET_SECCOMP, _FILTER, _SET_NO_NEW_PRIVILEGES = 22, 2, 38

_EXECUTE, _WRITE, _READ, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 14
_FILE_RIGHTS = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 5: 0xFFFF}
"""Version of Landlock -> every right on files that it can withhold; versions in between have the rights of the next lower one."""
_TCP, _SCOPES = 0b11, 0b11
"""From version 4 on: to bind and to connect. From version 6 on: abstract sockets and signals to processes outside."""
_TOO_MANY_LAYERS = errno.E2BIG

SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")
"""Paths that the dynamic loader reads, if they exist. musl's loader also reads a file in /etc."""


@record
class Access:
    """Files that a program may open: paths that it may read and execute, each with what lies below it, and files that it may write."""

    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()


@functools.cache
def landlock_version() -> int:
    """Version of Landlock's interface in the kernel; 0 if Landlock is missing or switched off."""
    if not sys.platform.startswith("linux"):
        return 0
    try:
        return max(int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION)), 0)
    except (OSError, AttributeError):
        return 0


@functools.cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def start(command: Sequence[str], access: Access, **options: Any) -> subprocess.Popen[bytes]:
    """Start a program with no more than `access`, as far as the system can enforce it. `options` go to Popen.

    Raises:
        OSError: the program cannot be started, or the kernel has Landlock and refused the rules.
    """
    if not sys.platform.startswith("linux"):
        return subprocess.Popen(command, **options)
    filters = filter_program(os.uname().machine)
    with _ruleset(access) as rules:
        return _in_thread(lambda: _start_restricted(rules, filters, command, options))


def _start_restricted(rules: int | None, filters: bytes, command: Sequence[str], options: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Restrict this thread and start the program. Nothing here may open files by itself, nor run other code, such as finalizers."""
    with _no_collection():
        _restrict(rules, filters)
        return subprocess.Popen(command, **options)


def _restrict(rules: int | None, filters: bytes) -> None:
    libc = _libc()
    if libc.prctl(_SET_NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0))):
        return  # a kernel before 3.5, which has neither Landlock nor filters of system calls
    if rules is not None and libc.syscall(_RESTRICT, rules, 0):
        error = ctypes.get_errno()
        if error != _TOO_MANY_LAYERS:  # this process is in 16 sandboxes already, and a 17th is refused
            raise OSError(error, f"Landlock: {os.strerror(error)}")
    if filters:  # a kernel without seccomp refuses it; ignored, as it has no alternative
        memory = ctypes.create_string_buffer(filters, len(filters))
        program = ctypes.create_string_buffer(struct.pack("@HP", len(filters) // 8, ctypes.addressof(memory)))
        libc.prctl(_SET_SECCOMP, *map(ctypes.c_ulong, (_FILTER, ctypes.addressof(program), 0, 0)))


@contextlib.contextmanager
def _ruleset(access: Access) -> Iterator[int | None]:
    """A ruleset of Landlock as a file descriptor; None if the kernel has none."""
    version = landlock_version()
    if not version:
        yield None
        return
    handled = _FILE_RIGHTS[max(known for known in _FILE_RIGHTS if known <= version)]
    words = [handled, *([_TCP] if version >= 4 else []), *([_SCOPES] if version >= 6 else [])]
    attributes = struct.pack(f"={len(words)}Q", *words)
    rules = _checked(_libc().syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0))
    try:
        _allow(rules, access.readable, _READ | _EXECUTE)
        _allow(rules, access.writable, (_WRITE | _TRUNCATE) & handled)
        yield rules
    finally:
        os.close(rules)


def _allow(rules: int, paths: Iterable[str], rights: int) -> None:
    """Allow rights on files, and on everything below folders. A path that does not exist needs no rule."""
    for path in paths:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            _checked(_libc().syscall(_ADD, rules, _BENEATH, struct.pack("=Qi", rights, place), 0))
        finally:
            os.close(place)


def _checked(result: int) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"Landlock: {os.strerror(error)}")
    return int(result)


# -- threads and collections --------------------------------------------------------------------------------------------
def _in_thread(work: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """The process, started by a separate thread. An interrupt meanwhile leaves no process behind."""
    results: list[subprocess.Popen[bytes] | BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again by the caller
            results.append(error)

    thread = threading.Thread(target=run, name="tgsi-sandbox", daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, str(error)) from None
    try:
        thread.join()
    except BaseException:
        thread.join()
        for result in results:
            if isinstance(result, subprocess.Popen):
                result.kill()
                result.wait()
        raise
    if isinstance(results[0], BaseException):
        raise results[0]
    return results[0]


_starting = threading.RLock()
"""Held while a thread is restricted. A fork waits for it; otherwise the child would inherit a disabled collector."""
wait_before_fork(lambda: _starting)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Disable Python's collector: it could run arbitrary finalizers in this thread, where opening files fails."""
    with _starting, collector_paused(promote=False):
        yield
