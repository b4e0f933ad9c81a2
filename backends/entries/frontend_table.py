"""The FrontendTable of this process, and the compiled functions that find it."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping
from functools import cache

from backends.abi.records import layout_digest
from backends.device.commands.bound_record import BoundRecord, ConstantSlot, DrawCall
from backends.entries.frontend import Form, build_frontend
from backends.entries.frontend_records import SYMBOL, FrontendState, FrontendTable, Place, Uniforms
from backends.entries.install import fits
from backends.llvm.engine.engine import Library, provide
from backends.llvm.engine.kernel_cache import KernelCache
from backends.system import ExecutableMemory, has_executable_memory, machine

_LAYOUT = layout_digest(BoundRecord, ConstantSlot, DrawCall, FrontendState, FrontendTable, Place, Uniforms)
_kept: list[Library] = []
_HALF = (1 << 16) - 1


def is_possible() -> bool:
    """True if this interpreter and this machine have native functions."""
    return fits() and has_executable_memory()


@cache
def table() -> FrontendTable:
    """The table of this process. Generated code finds it by a function of a few instructions that returns its address."""
    functions = FrontendTable()
    for field, name in (("thread", "PyThread_get_thread_ident"), ("ensure", "PyGILState_Ensure"), ("release", "PyGILState_Release")):
        setattr(functions, field, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value)
    code = _return_address(ctypes.addressof(functions))
    _returner.append(code)
    provide(SYMBOL, code.address)
    return functions


_returner: list[ExecutableMemory] = []


def _return_address(address: int) -> ExecutableMemory:
    """A function that returns a number: mov rax, NUMBER; ret, or movz and movk x0 and ret."""
    if machine() == "x86_64":
        return ExecutableMemory(b"\x48\xb8" + struct.pack("<Q", address) + b"\xc3")
    words = [(0xD2800000 if k == 0 else 0xF2800000) | k << 21 | (address >> 16 * k & _HALF) << 5 for k in range(4)]
    return ExecutableMemory(struct.pack("<5I", *words, 0xD65F03C0))


def frontend_library(kernels: KernelCache, forms: Mapping[str, Form]) -> Library:
    """The compiled functions of these forms."""
    table()
    key = ("frontend", _LAYOUT, tuple((name, form.name, form.arguments, form.result, form.number) for name, form in forms.items()))
    library = kernels.keep(key, tuple(forms), lambda module: build_frontend(module, forms))
    _kept.append(library)
    return library
