"""Installation of native entries as methods of a class, on supported interpreters."""

from __future__ import annotations

import ctypes
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from backends.abi.records import layout_digest
from backends.device.commands.bound_record import (
    BoundRecord,
    ClearCall,
    ConstantSlot,
    DrawCall,
    TextureSlot,
    VertexBufferSlot,
    python_cell,
)
from backends.device.commands.condition import QueryRecord
from backends.device.commands.known_objects import KnownSlot, TargetsKey, WordsSlot
from backends.device.stream_target import TargetRecord
from backends.entries.names import ENTRIES, GUARD, KEYWORDS
from backends.entries.python_table import BYTES_DATA, PythonTable, items_offset, make_table, unguarded

if TYPE_CHECKING:
    from backends.llvm.builder.module import Module
    from backends.llvm.engine.engine import Library
    from backends.llvm.engine.kernel_cache import KernelCache

SLOT = "_native"
"""The slot of a context that holds the address of its BoundRecord, as eight bytes."""
OLDEST, NEWEST = (3, 11), (3, 14)
_FLAGS = 0x80 | 0x02  # METH_FASTCALL | METH_KEYWORDS
_DESCRIPTOR_MEMBER, _MEMBER_OFFSET = 40, 16  # PyMemberDescrObject.d_member, PyMemberDef.offset
_RECORDS = (
    BoundRecord,
    ClearCall,
    ConstantSlot,
    DrawCall,
    KnownSlot,
    PythonTable,
    QueryRecord,
    TargetRecord,
    TargetsKey,
    TextureSlot,
    VertexBufferSlot,
    WordsSlot,
)
_LAYOUT = layout_digest(*_RECORDS)
_kept: list[object] = []
_installed: set[type] = set()


class _MethodDefinition(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


def fits() -> bool:
    """True if this interpreter is a CPython with supported object layouts: neither a debug build nor a build without the global
    interpreter lock.

    C's `long` must have 64 bits, so Windows does not fit.
    """
    is_known = sys.implementation.name == "cpython" and OLDEST <= sys.version_info[:2] <= NEWEST
    is_plain = not hasattr(sys, "gettotalrefcount") and "free-threading" not in sys.version
    return is_known and is_plain and ctypes.sizeof(ctypes.c_void_p) == ctypes.sizeof(ctypes.c_long) == 8


def install(owner: Any, cache: KernelCache, is_observed: bool = False) -> None:
    """Put entries into the place of the methods of `owner`, once. Nothing happens where the interpreter does not fit.

    The methods become the fallbacks of the entries; methods without an entry get GUARD in front. A subclass may override all of them as
    before. is_observed: entries append the calls that they carry out; see `BoundRecord.recorded_at`.
    The class has a `native_cell` then.
    """
    if owner in _installed:
        return
    _installed.add(owner)
    offset = slot_offset(owner) if fits() and items_offset() else 0
    if not offset:
        return
    cell = owner.native_cell if is_observed else python_cell
    library = entries_library(cache, is_observed, offset, items_offset())
    methods = [getattr(owner, name) for name in ENTRIES]
    table, objects = make_table(KEYWORDS, methods, [_silent(method) for method in methods] if is_observed else ())
    _kept.extend((library, table, objects))
    cell.value = ctypes.addressof(table)
    for name, method in zip(ENTRIES, methods):
        setattr(owner, name, _descriptor(owner, name, method, library.address[name]))
    table_bytes = cell.value.to_bytes(8, sys.byteorder)
    others = {name: method for name, method in vars(owner).items() if inspect.isfunction(method) and unguarded(method) is not method}
    kind = type(owner.__qualname__, (tuple,), {})  # CPython shows its name in front of the method's
    numbers = _numbers() if is_observed else {}
    functions = {
        method: kind((unguarded(method), method, owner, table_bytes, *_recording(method, numbers, is_observed)))
        for method in others.values()
    }
    guarded = {method: _guarded(method, library.address[GUARD], parts) for method, parts in functions.items()}
    for name, method in others.items():
        setattr(owner, name, guarded[method])


def entries_library(cache: KernelCache, is_observed: bool, offset: int, items: int) -> Library:
    """The compiled entries, for the offsets of `slot_offset` and `items_offset`."""

    def build(module: Module) -> None:
        from backends.entries.catalog import build_entries

        build_entries(module, offset, items, records=is_observed)

    return cache.keep(("entries", is_observed, offset, items, _LAYOUT), (*ENTRIES, GUARD), build)


def _numbers() -> Mapping[str, int]:
    from backends.device.calls.table import RECORDED_ALONE  # imported late, because unobserved contexts do not need the rows

    return RECORDED_ALONE


def _silent(method: Callable[..., Any]) -> Callable[..., Any]:
    """The variant of a method that does not record: the innermost of three, inside the recording one and the one that locks the context."""
    return unguarded(unguarded(method))


def _recording(method: Callable[..., Any], numbers: Mapping[str, int], is_observed: bool) -> tuple[Any, ...]:
    """Further items of a guard in observed contexts: the variant that does not record, and the number of the call as bytes (0: none)."""
    if not is_observed:
        return ()
    return _silent(method), numbers.get(method.__name__, 0).to_bytes(4, sys.byteorder)


def slot_offset(owner: type) -> int:
    """Byte offset of the slot `_native` in instances of a class; 0 if it does not lie where this module expects it."""
    member = inspect.getattr_static(owner, SLOT, None)
    if not inspect.ismemberdescriptor(member):
        return 0
    definition = ctypes.c_uint64.from_address(id(member) + _DESCRIPTOR_MEMBER).value
    offset = ctypes.c_int64.from_address(definition + _MEMBER_OFFSET).value
    probe: object = object.__new__(owner)
    mark = (123456789).to_bytes(8, sys.byteorder)
    setattr(probe, SLOT, mark)
    is_there = 0 < offset < 4096 and ctypes.c_uint64.from_address(id(probe) + offset).value == id(mark)
    is_there = is_there and ctypes.c_uint64.from_address(id(mark) + BYTES_DATA).value == 123456789
    return offset if is_there else 0


def _descriptor(owner: type, name: str, method: Callable[..., Any], address: int) -> Any:
    """A method descriptor over generated code, with the signature and the documentation of the method."""
    definition = _definition(name, method, "$self", address)
    make = ctypes.pythonapi.PyDescr_NewMethod
    make.restype, make.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_void_p]
    return make(owner, ctypes.addressof(definition))


def _guarded(method: Callable[..., Any], address: int, parts: tuple[Any, ...]) -> Any:
    """A method behind the guard; for `parts` see `backends.entries.guards`."""
    make, bind = ctypes.pythonapi.PyCFunction_NewEx, ctypes.pythonapi.PyInstanceMethod_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    bind.restype, bind.argtypes = ctypes.py_object, [ctypes.py_object]
    definition = _definition(method.__name__, method, "self", address)
    return bind(make(ctypes.addressof(definition), parts, method.__module__))


def _definition(name: str, method: Callable[..., Any], this: str, address: int) -> _MethodDefinition:
    """A definition that lives as long as the process. this: the first parameter's name in the signature."""
    text = f"{name}{_signature(inspect.unwrap(method), this)}\n--\n\n{method.__doc__ or ''}"
    definition = _MethodDefinition(name.encode(), address, _FLAGS, text.encode())
    _kept.append(definition)
    return definition


def _signature(function: Any, this: str) -> str:
    """The parameters of a Python function as text, as `inspect.signature` would write them, without annotations."""
    code, named = function.__code__, function.__kwdefaults__ or {}
    places = code.co_varnames[: code.co_argcount]
    values = function.__defaults__ or ()
    defaults = dict(zip(places[len(places) - len(values) :], values)) | named
    words = [this, *(_parameter(name, defaults) for name in places[1:])]
    if code.co_posonlyargcount:
        words.insert(code.co_posonlyargcount, "/")
    rest = code.co_varnames[code.co_argcount :]
    only = rest[: code.co_kwonlyargcount]
    takes_all, takes_names = bool(code.co_flags & inspect.CO_VARARGS), bool(code.co_flags & inspect.CO_VARKEYWORDS)
    more = rest[len(only) :]
    if takes_all or only:
        words.append(f"*{more[0]}" if takes_all else "*")
    words.extend(_parameter(name, defaults) for name in only)
    if takes_names:
        words.append(f"**{more[takes_all]}")
    return f"({', '.join(words)})"


def _parameter(name: str, defaults: dict[str, Any]) -> str:
    """A parameter with its default. Members of enumerations are written as numbers, because signatures of builtins have literals only."""
    if name not in defaults:
        return name
    value = defaults[name]
    return f"{name}={int(value) if isinstance(value, int) and not isinstance(value, bool) else value!r}"
