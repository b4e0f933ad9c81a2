"""One hook for all that can be refused: counts requests to the system in a call, and fails the n-th.

Kinds:

- `numpy`: memory of arrays, wherever numpy asks for some;
- `mapping`: mmap, and what comes from it: arenas, code;
- `python`: memory of Python objects (lists, records, strings, ctypes structures), through CPython's hook before its allocators;
- `thread`: the start of a thread;
- `file`: opening, writing, renaming and linking of files, and making of directories;
- `process`: fork.
"""

from __future__ import annotations

import builtins
import ctypes
import errno
import gc
import mmap
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from backends.llvm.builder.function import I64, PTR, Function, Module
from backends.llvm.builder.record import Record
from backends.llvm.engine.engine import Library, compile_module

KINDS = ("numpy", "mapping", "python", "thread", "file", "process")
FILE_CALLS = ("open", "write", "rename", "replace", "link", "mkdir", "fsync")
NO_MEMORY, NO_SPACE, BUSY = (OSError(number, os.strerror(number)) for number in (errno.ENOMEM, errno.ENOSPC, errno.EAGAIN))
_DOMAINS = (1, 2)  # PYMEM_DOMAIN_MEM and PYMEM_DOMAIN_OBJ
_CAPSULE = b"mem_handler"
_SET_HANDLER, _GET_HANDLER = 304, 305  # PyDataMem_SetHandler and PyDataMem_GetHandler in numpy's table of functions (NEP 49)
_POINTER = ctypes.c_void_p


class Counter:
    """Requests of one kind. fails: number of the one that is refused, from 0 on; None: none is."""

    def __init__(self, fails: int | None = None) -> None:
        self.fails, self.count = fails, 0

    @property
    def is_hit(self) -> bool:
        """True if the refusal has happened."""
        return self.fails is not None and self.count > self.fails

    def __call__(self) -> bool:
        """Count a request; True if it is to be refused."""
        self.count += 1
        return self.count - 1 == self.fails


class _Hook(ctypes.Structure):
    """A record for the functions of the hook: whether they count calls, the counts, and the allocator that they wrap."""

    _fields_ = [
        ("is_armed", ctypes.c_int64),
        ("count", ctypes.c_int64),
        ("fails", ctypes.c_int64),
        *((name, _POINTER) for name in ("context", "malloc", "calloc", "realloc", "free")),
    ]


class _Allocator(ctypes.Structure):
    """PyMemAllocatorEx of CPython, and the same part of numpy's PyDataMem_Handler."""

    _fields_ = [(name, _POINTER) for name in ("context", "malloc", "calloc", "realloc", "free")]


class _Handler(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("allocator", _Allocator)]


_ARGUMENTS = {"malloc": (PTR, I64), "calloc": (PTR, I64, I64), "realloc": (PTR, PTR, I64), "free": (PTR, PTR, I64)}


@cache
def _functions() -> Library:
    """Machine code of the hook. A function of Python would need memory itself, and would lose the errors of its callers."""
    module = Module("faults")
    for name, types in _ARGUMENTS.items():
        f = Function(module, name, list(types), None if name == "free" else PTR, shared=True)
        hook = Record(f, f.args[0], _Hook)
        if name != "free":
            with f.if_(hook.get("is_armed").ne(0)):
                number = hook.get("count")
                hook.set("count", number + 1)
                with f.leaving(number.eq(hook.get("fails"))):
                    f.ret(f.const(I64, 0).as_pointer())
        made = f.call_pointer(None if name == "free" else PTR, hook.get(name), hook.get("context"), *f.args[1:])
        f.ret(*(() if name == "free" else (made,)))
    return compile_module(module)


class _Memory:
    """A hook before one allocator of the process."""

    def __init__(self, before: _Allocator) -> None:
        code = _functions()
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))  # arrays may be freed later than all modules
        self.hook = _Hook(0, 0, -1, *(getattr(before, field[0]) for field in _Allocator._fields_))
        self.allocator = _Allocator(ctypes.addressof(self.hook), *(code.address[name] for name in _ARGUMENTS))

    @contextmanager
    def armed(self, counter: Counter) -> Iterator[None]:
        self.hook.count, self.hook.fails = 0, -1 if counter.fails is None else counter.fails
        self.hook.is_armed = 1
        try:
            yield
        finally:
            self.hook.is_armed = 0
            counter.count = self.hook.count


def _function_of_numpy(entry: int) -> Any:
    python = ctypes.pythonapi
    python.PyCapsule_GetPointer.restype = _POINTER
    python.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    table = python.PyCapsule_GetPointer(import_module("numpy._core._multiarray_umath")._ARRAY_API, None)
    return ctypes.cast(table, ctypes.POINTER(_POINTER))[entry]


@cache
def _of_numpy() -> tuple[_Memory, Any, Callable[[Any], Any]]:
    """The hook, the capsule that numpy wants, and the function that hands it to numpy."""
    python = ctypes.pythonapi
    python.PyCapsule_New.restype = ctypes.py_object
    python.PyCapsule_New.argtypes = (_POINTER, ctypes.c_char_p, _POINTER)
    setter = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(_function_of_numpy(_SET_HANDLER))
    usual = ctypes.PYFUNCTYPE(ctypes.py_object)(_function_of_numpy(_GET_HANDLER))()
    found = _Handler.from_address(python.PyCapsule_GetPointer(usual, _CAPSULE))
    memory = _Memory(found.allocator)
    handler = _Handler(b"faults", 1, memory.allocator)
    for kept in (memory.hook, handler):
        python.Py_IncRef(ctypes.py_object(kept))
    return memory, python.PyCapsule_New(ctypes.addressof(handler), _CAPSULE, None), setter


@contextmanager
def _numpy(counter: Counter) -> Iterator[None]:
    memory, capsule, setter = _of_numpy()
    before = setter(capsule)
    try:
        with memory.armed(counter):
            yield
    finally:
        setter(before)


@contextmanager
def _python(counter: Counter) -> Iterator[None]:
    """The hook before both allocators of objects, which are the same one, while it counts."""
    usual, python = _Allocator(), ctypes.pythonapi
    for domain in _DOMAINS:
        python.PyMem_GetAllocator(domain, ctypes.byref(usual))
    memory = _Memory(usual)
    gc.collect()
    for domain in _DOMAINS:
        python.PyMem_SetAllocator(domain, ctypes.byref(memory.allocator))
    try:
        with memory.armed(counter):
            yield
    finally:
        for domain in _DOMAINS:
            python.PyMem_SetAllocator(domain, ctypes.byref(usual))


def _refusing(counter: Counter, call: Callable[..., Any], error: Exception) -> Callable[..., Any]:
    def asked(*given: Any, **options: Any) -> Any:
        if counter():
            raise error
        return call(*given, **options)

    return asked


@contextmanager
def _patched(counter: Counter, *places: tuple[Any, str, Exception]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, error in places:
            patch.setattr(owner, name, _refusing(counter, getattr(owner, name), error))
        yield


def hooked(kind: str, counter: Counter) -> Any:
    """A context manager in which the counter decides about each request of a kind."""
    match kind:
        case "numpy":
            return _numpy(counter)
        case "mapping":
            return _patched(counter, (mmap, "mmap", NO_MEMORY))
        case "python":
            return _python(counter)
        case "thread":
            return _patched(counter, (threading.Thread, "start", RuntimeError("can't start new thread")))
        case "process":
            return _patched(counter, (os, "fork", BUSY))
        case _:
            files = [(os, name, NO_SPACE) for name in FILE_CALLS]
            return _patched(counter, *files, (builtins, "open", NO_SPACE))


def works() -> bool:
    """True if numpy takes the handler: its table of functions has the entry that is expected."""
    counter = Counter(0)
    with hooked("numpy", counter):
        try:
            np.zeros(1 << 12)
        except MemoryError:
            return True
    return False
