"""EGL 1.5 functions that fail on a display without windows, pixmaps and images, and sync objects, which are signaled immediately.

Commands are executed in order, so every wait ends immediately. (EGL 1.5, 3.5, 3.8, 3.10)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from tgsi.opengl.doors.egl_state import BAD_ATTRIBUTE, BAD_MATCH, BAD_NATIVE_PIXMAP, BAD_NATIVE_WINDOW, BAD_PARAMETER, BAD_SURFACE, state
from tgsi.opengl.memory import write

SYNC_FENCE, SYNC_STATUS, SIGNALED, CONDITION_SATISFIED = 0x30F9, 0x30F1, 0x30F2, 0x30F6
_SYNC = {SYNC_STATUS: SIGNALED, 0x30F7: SYNC_FENCE, 0x30F8: 0x30F0}
_syncs: set[int] = set()


def refuse(code: int) -> Callable[..., int]:
    """A function that always fails with this error."""

    def function(*values: Any) -> int:
        return state.fail(code)

    return function


def create_sync(display: int | None, kind: int, attributes: int | None) -> int:
    """eglCreateSync: only fences."""
    if kind != SYNC_FENCE:
        return state.fail(BAD_ATTRIBUTE)
    number = next(state.numbers)
    _syncs.add(number)
    return state.done(number)


def destroy_sync(display: int | None, sync: int | None) -> int:
    """eglDestroySync."""
    if sync not in _syncs:
        return state.fail(BAD_PARAMETER)
    _syncs.discard(sync)
    return state.done()


def client_wait_sync(display: int | None, sync: int | None, flags: int, timeout: int) -> int:
    """eglClientWaitSync."""
    return state.done(CONDITION_SATISFIED) if sync in _syncs else state.fail(BAD_PARAMETER)


def wait_sync(display: int | None, sync: int | None, flags: int) -> int:
    """eglWaitSync."""
    return state.done() if sync in _syncs else state.fail(BAD_PARAMETER)


def get_sync_attrib(display: int | None, sync: int | None, name: int, value: int | None) -> int:
    """eglGetSyncAttrib, whose values have the size of a pointer."""
    if sync not in _syncs:
        return state.fail(BAD_PARAMETER)
    if name not in _SYNC:
        return state.fail(BAD_ATTRIBUTE)
    write("q", value, [_SYNC[name]])
    return state.done()


def get_sync_attrib_khr(display: int | None, sync: int | None, name: int, value: int | None) -> int:
    """eglGetSyncAttribKHR, whose values are integers."""
    if sync not in _syncs:
        return state.fail(BAD_PARAMETER)
    if name not in _SYNC:
        return state.fail(BAD_ATTRIBUTE)
    write("i", value, [_SYNC[name]])
    return state.done()


def _functions() -> dict[str, tuple[Any, Any, tuple[Any, ...]]]:
    i, u, p, t = ctypes.c_int32, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint64
    functions: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
        "eglCopyBuffers": (refuse(BAD_NATIVE_PIXMAP), u, (p, p, p)),
        "eglCreatePixmapSurface": (refuse(BAD_NATIVE_PIXMAP), p, (p, p, p, p)),
        "eglCreatePlatformPixmapSurface": (refuse(BAD_NATIVE_PIXMAP), p, (p, p, p, p)),
        "eglCreatePlatformPixmapSurfaceEXT": (refuse(BAD_NATIVE_PIXMAP), p, (p, p, p, p)),
        "eglCreatePlatformWindowSurface": (refuse(BAD_NATIVE_WINDOW), p, (p, p, p, p)),
        "eglCreatePlatformWindowSurfaceEXT": (refuse(BAD_NATIVE_WINDOW), p, (p, p, p, p)),
        "eglCreatePbufferFromClientBuffer": (refuse(BAD_PARAMETER), p, (p, u, p, p, p)),
        "eglBindTexImage": (refuse(BAD_SURFACE), u, (p, p, i)),
        "eglReleaseTexImage": (refuse(BAD_SURFACE), u, (p, p, i)),
        "eglSurfaceAttrib": (refuse(BAD_MATCH), u, (p, p, i, i)),
        "eglCreateImage": (refuse(BAD_PARAMETER), p, (p, p, u, p, p)),
        "eglDestroyImage": (refuse(BAD_PARAMETER), u, (p, p)),
        "eglWaitNative": (lambda engine: state.done(), u, (i,)),
        "eglGetSyncAttrib": (get_sync_attrib, u, (p, p, i, p)),
        "eglGetSyncAttribKHR": (get_sync_attrib_khr, u, (p, p, i, p)),
    }
    for end in ("", "KHR"):
        functions |= {
            f"eglCreateSync{end}": (create_sync, p, (p, u, p)),
            f"eglDestroySync{end}": (destroy_sync, u, (p, p)),
            f"eglClientWaitSync{end}": (client_wait_sync, i, (p, p, i, t)),
            f"eglWaitSync{end}": (wait_sync, i, (p, p, i)),
        }
    return functions


FUNCTIONS = _functions()
"""Functions with their results and the types of their arguments."""
