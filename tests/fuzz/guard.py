"""Memory that ends at an inaccessible guard page, so that an access beyond an array ends the process.

The bytes before an array, down to the guard page below, hold a pattern that must be intact afterwards.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pytest

PAGE = mmap.PAGESIZE
MARGIN = 16 * PAGE
"""Bytes of inaccessible memory on both sides of an array."""
PATTERN = 0xA5
_PROT_NONE = 0

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
_libc.mmap.restype = ctypes.c_void_p
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)


def replace_everywhere(patch: pytest.MonkeyPatch, function: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Put `other` in the place of a function in every module of the project that has imported it."""
    for name, module in list(sys.modules.items()):
        if name.startswith("backends.") and getattr(module, function.__name__, None) is function:
            patch.setattr(module, function.__name__, other)


class Guard:
    """Allocator of guarded arrays, which it frees together."""

    def __init__(self) -> None:
        self._regions: list[tuple[int, int, int]] = []  # start, whole size, bytes of pattern in front of the array

    def memory(self, size: int) -> int:
        """Address of `size` zeroed bytes that end, rounded up to 4, at a guard page."""
        rounded = -(-size // 4) * 4
        pages = max(1, -(-rounded // PAGE))
        whole = pages * PAGE + 2 * MARGIN
        start = _libc.mmap(None, whole, _PROT_NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        if start in (None, ctypes.c_void_p(-1).value):
            raise MemoryError("mmap")
        if _libc.mprotect(start + MARGIN, pages * PAGE, mmap.PROT_READ | mmap.PROT_WRITE):
            raise MemoryError("mprotect")
        slack = pages * PAGE - rounded
        ctypes.memset(start + MARGIN, PATTERN, slack)
        self._regions.append((start, whole, slack))
        return int(start + MARGIN + slack)

    def zeros(self, shape: Any, dtype: Any = np.float64) -> NDArray[Any]:
        """Guarded counterpart of `numpy.zeros`."""
        kind = np.dtype(dtype)
        sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
        count = int(np.prod(sizes, dtype=np.int64))
        if not count:
            return np.zeros(sizes, kind)
        block = (ctypes.c_char * (count * kind.itemsize)).from_address(self.memory(count * kind.itemsize))
        return np.frombuffer(block, kind).reshape(sizes)

    def copy(self, array: NDArray[Any]) -> NDArray[Any]:
        """Guarded copy of an array."""
        result = self.zeros(array.shape, array.dtype)
        result[...] = array
        return result

    def copied(self, value: Any) -> Any:
        """Copy of a value with every array, also in containers and dataclasses, replaced by a guarded copy."""
        if isinstance(value, np.ndarray):
            return self.copy(value)
        if isinstance(value, dict):
            return {key: self.copied(item) for key, item in value.items()}
        if isinstance(value, tuple) and type(value) is tuple:
            return tuple(self.copied(item) for item in value)
        if is_dataclass(value) and not isinstance(value, type) and type(value).__name__ in ("Arguments", "TextureData", "ImageData"):
            own = {item.name: self.copied(getattr(value, item.name)) for item in fields(value) if item.init and item.name[0] != "_"}
            return replace(value, **own)
        return value

    def release(self) -> None:
        """Free all arrays. Raises AssertionError if a pattern was overwritten."""
        broken = 0
        for start, whole, slack in self._regions:
            broken += ctypes.string_at(start + MARGIN, slack) != bytes([PATTERN]) * slack
            _libc.munmap(start, whole)
        self._regions.clear()
        assert not broken, f"{broken} arrays were written in front of their beginning"


class GuardedNumpy(ModuleType):
    """Stand-in for the module numpy whose allocations are guarded."""

    def __init__(self, guard: Guard) -> None:
        super().__init__("numpy")
        self._guard = guard

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def zeros(self, shape: Any, dtype: Any = np.float64) -> NDArray[Any]:
        return self._guard.zeros(shape, dtype)

    def empty(self, shape: Any, dtype: Any = np.float64) -> NDArray[Any]:
        return self._guard.zeros(shape, dtype)

    def full(self, shape: Any, value: Any, dtype: Any = None) -> NDArray[Any]:
        return self._guard.copy(np.full(shape, value, dtype))

    def ascontiguousarray(self, array: Any, dtype: Any = None) -> NDArray[Any]:
        return self._guard.copy(np.ascontiguousarray(array, dtype))
