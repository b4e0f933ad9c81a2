"""EGL without windows: displays, configurations, pbuffers, contexts. (EGL 1.5)"""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from typing import Any

from tgsi.opengl.calls import current, make_current, threads_of
from tgsi.opengl.context import COMPATIBILITY, CORE, ES, Context
from tgsi.opengl.doors import egl_refused
from tgsi.opengl.doors.egl_state import (
    BAD_ACCESS,
    BAD_ATTRIBUTE,
    BAD_CONFIG,
    BAD_CONTEXT,
    BAD_DISPLAY,
    BAD_MATCH,
    BAD_NATIVE_WINDOW,
    BAD_PARAMETER,
    BAD_SURFACE,
    SUCCESS,
    Surface,
)
from tgsi.opengl.doors.egl_state import state as _egl
from tgsi.opengl.doors.exports import commands
from tgsi.opengl.doors.library import Library, load_library
from tgsi.opengl.doors.loader import PROFILES
from tgsi.opengl.doors.screen import shared_screen, watched
from tgsi.opengl.interrupts import uninterrupted
from tgsi.opengl.memory import ints, text, write
from tgsi.opengl.offer import load
from tgsi.opengl.registry import enums as GL

SONAME = "libEGL.so.1"
LIBRARIES = ("libGL.so.1", "libOpenGL.so.0", "libGLESv2.so.2")
"""Libraries with only the OpenGL commands, loaded together with libEGL."""

NONE, OPENGL_ES_API, OPENGL_API = 0x3038, 0x30A0, 0x30A2
WIDTH, HEIGHT, DEPTH_SIZE, STENCIL_SIZE, SAMPLES, CONFIG_ID = 0x3057, 0x3056, 0x3025, 0x3026, 0x3031, 0x3028
MAJOR, MINOR, PROFILE_MASK, CORE_BIT = 0x3098, 0x30FB, 0x30FD, 1
DISPLAY, DEVICE = 0x10, 0x20
"""The only display and the only device, as handles."""

CONFIG_ATTRIBUTES = {
    0x3020: 32, 0x3021: 8, 0x3022: 8, 0x3023: 8, 0x3024: 8, 0x3027: 0x3038, 0x3029: 0, 0x302A: 16384, 0x302B: 1 << 28, 0x302C: 16384,
    0x302D: 0, 0x302E: 0, 0x302F: 0x3038, 0x3033: 0x0001, 0x3034: 0x3038, 0x303F: 0x308E, 0x3040: 0x0040 | 0x0008 | 0x0004, 0x3042: 0x004C,
    0x3039: 0, 0x303A: 0, 0x303B: 0, 0x303C: 1,
}  # fmt: skip
"""Attributes that all configurations share: 8 bits per color, only pbuffers, OpenGL and OpenGL ES 2 and 3."""

CONFIGS = [(depth, stencil, samples) for depth, stencil in ((24, 8), (24, 0), (0, 0)) for samples in (0, 2, 4, 8, 16)]
"""Depth, stencil and samples of each configuration; its number is its position, from 1 on."""


def _attributes(address: int | None) -> dict[int, int]:
    attributes: dict[int, int] = {}
    place = address or 0
    while place and (name := ints(place, 1)[0]) != NONE:
        attributes[name] = ints(place + 4, 1)[0]
        place += 8
    return attributes


def get_display(native: int | None) -> int:
    """eglGetDisplay: the only display, for any argument."""
    return _egl.done(DISPLAY)


def get_platform_display(platform: int, native: int | None, attributes: int | None) -> int:
    """eglGetPlatformDisplay: the only display, for any platform."""
    return _egl.done(DISPLAY)


def initialize(display: int | None, major: int | None, minor: int | None) -> int:
    """eglInitialize."""
    if display != DISPLAY:
        return _egl.fail(BAD_DISPLAY)
    load()
    write("i", major, [1])
    write("i", minor, [5])
    return _egl.done()


def terminate(display: int | None) -> int:
    """eglTerminate: current objects stay alive."""
    return _egl.done() if display == DISPLAY else _egl.fail(BAD_DISPLAY)


def query_string(display: int | None, name: int) -> int:
    """eglQueryString."""
    extensions = "EGL_EXT_client_extensions EGL_EXT_device_base EGL_EXT_platform_base EGL_EXT_platform_device EGL_MESA_platform_surfaceless"
    if display:
        extensions = "EGL_KHR_create_context EGL_KHR_surfaceless_context EGL_KHR_no_config_context EGL_KHR_get_all_proc_addresses"
    words = {0x3053: "tgsi", 0x3054: "1.5 tgsi", 0x3055: extensions, 0x308D: "OpenGL OpenGL_ES"}
    if name not in words:
        _egl.fail(BAD_PARAMETER)
        return 0
    if words[name] not in _egl.strings:
        _egl.strings[words[name]] = ctypes.create_string_buffer(words[name].encode())
    return _egl.done(ctypes.addressof(_egl.strings[words[name]]))


def get_error() -> int:
    """eglGetError."""
    return _egl.errors.pop(threading.get_ident(), SUCCESS)


def _config(number: int, name: int) -> int | None:
    depth, stencil, samples = CONFIGS[number - 1]
    own = {DEPTH_SIZE: depth, STENCIL_SIZE: stencil, SAMPLES: samples, 0x3032: int(samples > 0), CONFIG_ID: number}
    return own.get(name, CONFIG_ATTRIBUTES.get(name))


def _fits(number: int, wanted: dict[int, int]) -> bool:
    for name, value in wanted.items():
        have = _config(number, name)
        if value == -1 or have is None:
            continue
        if name in (0x3033, 0x3040, 0x3042):
            if have & value != value:
                return False
        elif name in (0x3027, 0x303F, CONFIG_ID):
            if have != value:
                return False
        elif have < value:
            return False
    return True


def choose_config(display: int | None, attributes: int | None, configs: int | None, size: int, count: int | None) -> int:
    """eglChooseConfig: the smallest matching configuration first."""
    if display != DISPLAY:
        return _egl.fail(BAD_DISPLAY)
    wanted = _attributes(attributes)
    numbers = [number for number in range(1, len(CONFIGS) + 1) if _fits(number, wanted)]
    numbers.sort(key=lambda number: (CONFIGS[number - 1][2], CONFIGS[number - 1][0], CONFIGS[number - 1][1]))
    if configs:
        numbers = numbers[: max(0, size)]
        write("Q", configs, numbers)
    write("i", count, [len(numbers)])
    return _egl.done()


def get_configs(display: int | None, configs: int | None, size: int, count: int | None) -> int:
    """eglGetConfigs."""
    return choose_config(display, None, configs, size, count)


def get_config_attrib(display: int | None, config: int | None, name: int, value: int | None) -> int:
    """eglGetConfigAttrib."""
    if not config or not 1 <= config <= len(CONFIGS):
        return _egl.fail(BAD_CONFIG)
    number = _config(config, name)
    if number is None:
        return _egl.fail(BAD_ATTRIBUTE)
    write("i", value, [number])
    return _egl.done()


def create_pbuffer_surface(display: int | None, config: int | None, attributes: int | None) -> int:
    """eglCreatePbufferSurface."""
    if not config or not 1 <= config <= len(CONFIGS):
        return _egl.fail(BAD_CONFIG)
    wanted = _attributes(attributes)
    width, height = wanted.get(WIDTH, 0), wanted.get(HEIGHT, 0)
    if not 0 <= width <= 16384 or not 0 <= height <= 16384:
        return _egl.fail(BAD_ATTRIBUTE)
    number = next(_egl.numbers)
    _egl.surfaces[number] = Surface(config, width, height)
    return _egl.done(number)


def create_window_surface(display: int | None, config: int | None, window: int | None, attributes: int | None) -> int:
    """eglCreateWindowSurface: there are no windows."""
    return _egl.fail(BAD_NATIVE_WINDOW)


def destroy_surface(display: int | None, surface: int | None) -> int:
    """eglDestroySurface."""
    return _egl.done() if _egl.surfaces.pop(surface or 0, None) is not None else _egl.fail(BAD_SURFACE)


def query_surface(display: int | None, surface: int | None, name: int, value: int | None) -> int:
    """eglQuerySurface."""
    item = _egl.surfaces.get(surface or 0)
    if item is None:
        return _egl.fail(BAD_SURFACE)
    write("i", value, [{WIDTH: item.width, HEIGHT: item.height, CONFIG_ID: item.config}.get(name, 0)])
    return _egl.done()


def bind_api(api: int) -> int:
    """eglBindAPI."""
    if api not in (OPENGL_API, OPENGL_ES_API):
        return _egl.fail(BAD_PARAMETER)
    _egl.apis[threading.get_ident()] = api
    return _egl.done()


def query_api() -> int:
    """eglQueryAPI."""
    return _egl.apis.get(threading.get_ident(), OPENGL_ES_API)


def create_context(display: int | None, config: int | None, share: int | None, attributes: int | None) -> int:
    """eglCreateContext."""
    if display != DISPLAY:
        return _egl.fail(BAD_DISPLAY)
    wanted, owner = _attributes(attributes), _egl.contexts.get(share or 0)
    if share and owner is None:
        return _egl.fail(BAD_CONTEXT)
    profile = ES
    if query_api() == OPENGL_API:
        is_core = wanted.get(PROFILE_MASK, CORE_BIT) == CORE_BIT and (wanted.get(MAJOR, 1), wanted.get(MINOR, 0)) >= (3, 2)
        profile = CORE if is_core else COMPATIBILITY
    if (wanted.get(MAJOR, 1), wanted.get(MINOR, 0)) > PROFILES[profile]:
        return _egl.fail(BAD_MATCH)
    others = owner.share if owner is not None else None
    context = watched(Context(shared_screen(), profile=profile, version=PROFILES[profile], share=others))
    number = next(_egl.numbers)
    _egl.contexts[number] = context
    return _egl.done(number)


def destroy_context(display: int | None, context: int | None) -> int:
    """eglDestroyContext."""
    item = _egl.contexts.pop(context or 0, None)
    if item is None:
        return _egl.fail(BAD_CONTEXT)
    if current() is item:
        make_current(None)
        _egl.current.pop(threading.get_ident(), None)
    item.destroy()
    return _egl.done()


def make_current_context(display: int | None, draw: int | None, read: int | None, context: int | None) -> int:
    """eglMakeCurrent."""
    if not context:
        make_current(None)
        _egl.current.pop(threading.get_ident(), None)
        return _egl.done()
    item = _egl.contexts.get(context)
    if item is None:
        return _egl.fail(BAD_CONTEXT)
    if any(thread != threading.get_ident() for thread in threads_of(item)):
        return _egl.fail(BAD_ACCESS)
    surface = _egl.surfaces.get(draw or 0)
    if draw and surface is None:
        return _egl.fail(BAD_SURFACE)
    make_current(item)
    _egl.current[threading.get_ident()] = context, draw or 0
    if surface is not None and item.bound.get("surface") is not surface:
        depth, stencil, samples = CONFIGS[surface.config - 1]
        internal = GL.DEPTH24_STENCIL8 if stencil else GL.DEPTH_COMPONENT24 if depth else 0
        item.resize(surface.width, surface.height, depth=internal, samples=samples)
        item.bound["surface"] = surface
    return _egl.done()


def get_current_context() -> int:
    """eglGetCurrentContext."""
    return _egl.current.get(threading.get_ident(), (0, 0))[0]


def get_current_surface(which: int) -> int:
    """eglGetCurrentSurface."""
    return _egl.current.get(threading.get_ident(), (0, 0))[1]


def get_current_display() -> int:
    """eglGetCurrentDisplay."""
    return DISPLAY if get_current_context() else 0


def query_context(display: int | None, context: int | None, name: int, value: int | None) -> int:
    """eglQueryContext."""
    item = _egl.contexts.get(context or 0)
    if item is None:
        return _egl.fail(BAD_CONTEXT)
    write("i", value, [{MAJOR: item.version[0], 0x3097: OPENGL_ES_API if item.profile == ES else OPENGL_API}.get(name, 0)])
    return _egl.done()


def swap_buffers(display: int | None, surface: int | None) -> int:
    """eglSwapBuffers: finish the pbuffer's only buffer."""
    item = current()
    if item is not None:
        item.pipe.flush()
    return _egl.done()


def nothing_to_do(*values: Any) -> int:
    """eglWaitGL and related functions: nothing to do, because commands are executed in order."""
    return _egl.done()


def query_devices(most: int, devices: int | None, count: int | None) -> int:
    """eglQueryDevicesEXT."""
    if devices and most > 0:
        write("Q", devices, [DEVICE])
    write("i", count, [1])
    return _egl.done()


def get_proc_address(name: int | None) -> int:
    """eglGetProcAddress: the library's export, because it outlives Python, unlike the Python function behind it."""
    return open_doors()[-1].address(text(name))


@cache
def _functions() -> dict[str, Any]:
    """EGL's functions as C functions."""
    i, u, p = ctypes.c_int32, ctypes.c_uint32, ctypes.c_void_p
    table: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
        "eglGetDisplay": (get_display, p, (p,)),
        "eglGetPlatformDisplay": (get_platform_display, p, (u, p, p)),
        "eglGetPlatformDisplayEXT": (get_platform_display, p, (u, p, p)),
        "eglInitialize": (initialize, u, (p, p, p)),
        "eglTerminate": (terminate, u, (p,)),
        "eglQueryString": (query_string, p, (p, i)),
        "eglGetError": (get_error, i, ()),
        "eglChooseConfig": (choose_config, u, (p, p, p, i, p)),
        "eglGetConfigs": (get_configs, u, (p, p, i, p)),
        "eglGetConfigAttrib": (get_config_attrib, u, (p, p, i, p)),
        "eglCreatePbufferSurface": (create_pbuffer_surface, p, (p, p, p)),
        "eglCreateWindowSurface": (create_window_surface, p, (p, p, p, p)),
        "eglDestroySurface": (destroy_surface, u, (p, p)),
        "eglQuerySurface": (query_surface, u, (p, p, i, p)),
        "eglBindAPI": (bind_api, u, (u,)),
        "eglQueryAPI": (query_api, u, ()),
        "eglCreateContext": (create_context, p, (p, p, p, p)),
        "eglDestroyContext": (destroy_context, u, (p, p)),
        "eglMakeCurrent": (make_current_context, u, (p, p, p, p)),
        "eglGetCurrentContext": (get_current_context, p, ()),
        "eglGetCurrentSurface": (get_current_surface, p, (i,)),
        "eglGetCurrentDisplay": (get_current_display, p, ()),
        "eglQueryContext": (query_context, u, (p, p, i, p)),
        "eglSwapBuffers": (swap_buffers, u, (p, p)),
        "eglSwapInterval": (nothing_to_do, u, (p, i)),
        "eglWaitGL": (nothing_to_do, u, ()),
        "eglWaitClient": (nothing_to_do, u, ()),
        "eglReleaseThread": (nothing_to_do, u, ()),
        "eglQueryDevicesEXT": (query_devices, u, (i, p, p)),
        "eglGetProcAddress": (get_proc_address, p, (p,)),
        **egl_refused.FUNCTIONS,
    }
    return {name: ctypes.CFUNCTYPE(result, *kinds)(uninterrupted(function)) for name, (function, result, kinds) in table.items()}


@cache
def open_doors() -> list[Library]:
    """Load libEGL.so.1, and the libraries of OpenGL commands under their usual names, into this process."""
    opened = [load_library(name, commands()) for name in LIBRARIES]
    own = _functions()
    succeed = {name: 1 for name, function in own.items() if function.restype is ctypes.c_uint32}
    return [*opened, load_library(SONAME, {**own, **commands()}, {**succeed, "eglGetError": SUCCESS})]
