"""The screen: the settings of a device, and the contexts and fences that belong to it."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from backends.device.interface import Device, DeviceFactory, Dispatcher, KernelLister, weak_method
from backends.formats import AnyFormat
from backends.gallium.context.context import Context
from backends.gallium.resource.resource import Box, Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.screen.capabilities import Capabilities
from backends.gallium.threads.fence import Fence
from backends.pipe.checks import flags as as_flags
from backends.pipe.checks import integer, seconds, truth
from backends.pipe.enums import Bind, ContextFlags, TextureTarget
from tgsi.language._forks import freed_after_fork

CPU_LEVELS = ("host", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
LANES = (8, 16, 32, 64)
INFINITE = (1 << 64) - 1
"""PIPE_TIMEOUT_INFINITE."""


class WatchingDevice(Device, Protocol):
    """A device that checks what it is asked for."""

    def watch(self, context: Context) -> None:
        """Check the calls of a context from now on."""
        ...


class Validation(Protocol):
    """Puts checks in front of what draws and computes."""

    def device(self, device: Device) -> WatchingDevice:
        """A device behind checks."""
        ...

    def dispatcher(self, dispatcher: Dispatcher, device: Device) -> Dispatcher:
        """A dispatcher behind checks. device: that of its context, behind checks."""
        ...


class Screen(Capabilities, ScreenCore):
    """A screen over a device. Thread-safe; contexts made from it are not. `tgsi.Screen` is this class with the software device.

    Args:
        device: makes the devices of contexts (`backends.device.interface`); first used by `context_create`.
        insight: see `ScreenCore`.
        validation: puts checks in front of devices; None: nothing is checked.

    See `tgsi.Screen` for all other arguments.

    Raises:
        TypeError, ValueError: an argument, or its environment variable, is wrong.
    """

    def __init__(
        self,
        threads: int | None = None,
        *,
        device: DeviceFactory,
        lanes: int | None = None,
        cpu: str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        memory_limit: int | None = None,
        time_limit: float | None = None,
        history: bool = False,
        history_memory: int | None = None,
        insight: Any = None,
        validation: Validation | None = None,
    ) -> None:
        super().__init__(_number(memory_limit, "memory_limit", 0, 1 << 62))
        self.insight = insight
        self.history = truth(history, "Screen: history")
        self.history_memory = None if history_memory is None else integer(history_memory, "Screen: history_memory", 1 << 22, 1 << 40)
        self.time_limit = None if time_limit is None else seconds(time_limit, "Screen: time_limit")
        self._device_factory, self._validation, self.validates = device, validation, validation is not None
        self.threads = _number(threads, "threads", 0, 256)
        self.lanes = _number(lanes, "lanes", 4, 64)
        if self.lanes is not None and self.lanes not in LANES:
            raise ValueError(f"Screen: lanes: {self.lanes} is not one of {', '.join(map(str, LANES))}")
        self.cpu = os.environ.get("TGSI_CPU", "host") if cpu is None else cpu
        if self.cpu not in CPU_LEVELS:
            from difflib import get_close_matches

            close = get_close_matches(str(self.cpu), CPU_LEVELS, 1)
            raise ValueError(
                f"Screen: cpu: {self.cpu!r} is not one of {', '.join(CPU_LEVELS)}" + (f"; did you mean {close[0]}?" if close else "")
            )
        folder = os.environ.get("TGSI_CACHE_DIR") if cache_dir is None else os.fspath(cache_dir)
        is_cached = folder != "" and os.environ.get("TGSI_CACHE", "on").lower() != "off"
        self.cache_dir = _cache_path(folder) if is_cached else None
        self._lock = freed_after_fork(threading.RLock())
        self._contexts: weakref.WeakSet[Context] = weakref.WeakSet()
        self.memory.wanted = weak_method(self._make_room)

    def __repr__(self) -> str:
        return f"<Screen {self.get_name()!r}>"

    def _repr_html_(self) -> str:
        from tgsi.language import notebook

        limit = "" if self.memory.limit is None else f" of {self.memory.limit}"
        rows = (
            ("threads", "one less than the CPUs" if self.threads is None else self.threads),
            ("lanes", "chosen for each shader" if self.lanes is None else self.lanes),
            ("cpu", self.cpu),
            ("compiled shaders", "not kept" if self.cache_dir is None else self.cache_dir),
            ("resources", f"{self.memory.used}{limit} bytes, at most {self.memory.peak} so far"),
            ("contexts", sum(not context.is_destroyed for context in self._contexts)),
        )
        return notebook.heading(self.get_name(), "destroyed" if self.is_destroyed else "") + notebook.table((), rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.destroy()

    def destroy(self) -> None:
        """Destroy the screen's contexts and refuse further work. (p_screen.h)"""
        with self._lock:
            self.is_destroyed = True
            contexts = list(self._contexts)
        for context in contexts:
            context.destroy()

    # -- resources from arrays -------------------------------------------------------------------------------------------
    def texture_from(
        self,
        image: Any,
        *,
        target: TextureTarget | int | str | None = None,
        format: AnyFormat | str | None = None,
        srgb: bool = False,
        mipmaps: bool = False,
        bind: Bind | int | str | Sequence[str] | None = None,
    ) -> Resource:
        """Create a texture with the texels of an array or an image. (an extension)

        Args:
            image: an array of (height, width) or (height, width, 1 to 4 channels), row 0 first; with one more axis in front, layers. A
                Pillow image, and whatever has ``__array_interface__``, ``__dlpack__`` or a buffer. It is copied.
            target: TEXTURE_2D, or TEXTURE_2D_ARRAY for four axes, when omitted. TEXTURE_1D takes (width,), with or without channels; a
                volume, a cube (six faces) or layers take (layers, height, width), with or without channels.
            format: the format, of which the array has the elements and the channels in memory order. Chosen by the elements when omitted:
                uint8 and uint16 UNORM, int8 and int16 SNORM, float16 and float32 FLOAT, uint32 UINT, int32 SINT; R, RG, RGBX, RGBA. Three
                channels get a fourth that is 1. Gray images of Pillow get L or LA; palettes and other modes become RGB or RGBA.
            srgb: the numbers, of uint8, are stored with the sRGB curve (``R8G8B8A8_SRGB``): shaders read linear colors.
            mipmaps: make all smaller levels, each from the previous one (`Context.generate_mipmap`).
            bind: uses of the texture; all uses that format and target allow when omitted.

        Raises:
            TypeError: no array of numbers, or elements that the format does not take, such as floats for bytes, or float64.
            ValueError: a shape, target or format is wrong, or not possible.
            MemoryError: as for `resource_create`.
        """
        from backends.gallium.screen.uploads import texture_from

        texture = texture_from(self, image, target, format, srgb, bind, mipmaps)
        if texture.last_level:
            with self.context_create() as context:
                context.generate_mipmap(texture)
        return texture

    def buffer_from(self, data: Any, *, bind: Bind | int | str | Sequence[str] | None = None) -> Resource:
        """Create a buffer with the bytes of an array, of whatever shows its memory, or of bytes. (an extension)

        Args:
            data: elements of 8, 16 or 32 bits, or a structured array of them. It is copied.
            bind: uses of the buffer; all when omitted.

        Raises:
            TypeError: no array of numbers, or elements of 64 bits; ``data.view(numpy.uint8)`` gives their bytes unchanged.
            ValueError: there are no bytes.
            MemoryError: as for `resource_create`.
        """
        from backends.gallium.screen.uploads import buffer_from

        return buffer_from(self, data, bind)

    # -- contexts and fences ---------------------------------------------------------------------------------------------
    def context_create(
        self, priv: Any = None, *, flags: ContextFlags | int | str = ContextFlags.NONE, trace: str | os.PathLike[str] | None = None
    ) -> Context:
        """Create a rendering context. `priv` is kept as `Context.priv`. (screen.rst, "context_create")

        trace: a file that takes every call of the context, until `destroy`; ``tgsi-replay FILE`` makes the calls again.

        OSError if that file cannot be written.
        """
        how = as_flags(ContextFlags, flags, "context_create: flags")
        if trace is not None and not isinstance(trace, (str, os.PathLike)):
            raise TypeError(f"context_create: trace: expected the name of a file, not {type(trace).__name__}")
        if trace is not None and self.history:
            raise ValueError("context_create: trace: a Screen(history=True) records in memory; make the trace with another screen")
        with self._lock:
            if self.is_destroyed:
                raise ValueError("context_create: the screen was destroyed")
            device = self._device_factory.make_device(self)
            watcher = None if self._validation is None else self._validation.device(device)
            kind: type[Context] = Context
            more: dict[str, Any] = {}
            if trace is not None:
                from backends.gallium.tracing.traced_context import TracedContext

                kind, more = TracedContext, {"trace": trace}
            elif self.history:
                from backends.gallium.tracing.history import DEFAULT_BYTES, HistoryContext

                kind, more = HistoryContext, {"most": self.history_memory or DEFAULT_BYTES}
            if self.time_limit is not None:
                from backends.gallium.screen.limited import limited

                kind = limited(kind)
            context = kind(self, device if watcher is None else watcher, priv=priv, flags=int(how), **more)
            context.time_limit = self.time_limit
            if watcher is not None:
                watcher.watch(context)
            self._contexts.add(context)
        return context

    def make_dispatcher(self, device: Device) -> Dispatcher:
        """Make the dispatcher, which runs the grids of a context of this screen. device: the context's."""
        dispatcher = self._device_factory.make_dispatcher(self)
        return dispatcher if self._validation is None else self._validation.dispatcher(dispatcher, device)

    def make_kernel_lister(self) -> KernelLister | None:
        """Make an object that lists the kernels of calls to contexts of this screen; None if its device has no kernels. (an extension)"""
        return self._device_factory.make_kernel_lister(self)

    def fence_finish(self, fence: Fence, *, timeout: int = INFINITE, context: Context | None = None) -> bool:
        """Wait until a fence is signaled, at most `timeout` nanoseconds. True if it is. Any thread may call. (p_screen.h)

        The work of a deferred flush begins if there is time to wait, or if `context` made the fence; it runs between two methods of its
        context, and continues after the timeout.
        """
        name = "fence_finish"
        checked = self._fence(fence, name)
        wait = integer(timeout, f"{name}: timeout", 0, INFINITE)
        if context is not None and not isinstance(context, Context):
            raise TypeError(f"{name}: context: expected a Context, not {type(context).__name__}")
        if context is not None and context.screen is not self:
            raise ValueError(f"{name}: context: it belongs to another screen")
        if wait and not checked.is_signaled:
            from tgsi.language import budgets

            with budgets.limited(name, self.time_limit, "Screen(time_limit=...)"):
                return checked.finish(None if wait == INFINITE else wait / 1e9)
        if checked.is_of(context) and not checked.is_signaled:
            checked.begin()
        return checked.is_signaled

    def finish_writes(self, resource: Resource) -> None:
        """Carry out pending work of every context that writes a resource. Any thread may call. (an extension)

        Waits for a method of a context that another thread is in. Errors as those of `fence_finish`.
        """
        name = "finish_writes"
        self.own_resource(resource, name)
        with self._lock:
            contexts = list(self._contexts)
        for context in contexts:
            with context._gate.held() as is_open:
                if is_open:
                    self._finish_writes(context, resource, name)

    def _finish_writes(self, context: Context, resource: Resource, name: str) -> None:
        if self.time_limit is None:
            context.order.finish_uses(resource, for_reading=True)
            return
        from tgsi.language import budgets

        with budgets.limited(name, self.time_limit, "Screen(time_limit=...)"):
            context.order.finish_uses(resource, for_reading=True)

    def _make_room(self) -> None:
        """Let idle contexts flush pending work and release cached memory. Contexts in use by another thread are skipped."""
        with self._lock:
            contexts = list(self._contexts)
        for context in contexts:
            with context._gate.held_if_free() as is_free:
                if is_free:
                    context._make_room()

    def fence_reference(self, fence: Fence | None) -> Fence | None:
        """Return the fence itself: Python counts references. (p_screen.h)"""
        return None if fence is None else self._fence(fence, "fence_reference")

    def fence_get_fd(self, fence: Fence) -> int:
        """Return -1: fences have no file descriptors. (p_screen.h)"""
        self._fence(fence, "fence_get_fd")
        return -1

    def _fence(self, fence: Fence, name: str) -> Fence:
        """The checked fence of a call."""
        if not isinstance(fence, Fence):
            raise TypeError(f"{name}: fence: expected a Fence, not {type(fence).__name__}")
        if fence.screen is not self:
            raise ValueError(f"{name}: fence: it belongs to another screen")
        return fence

    def flush_frontbuffer(
        self, resource: Resource, *, level: int = 0, layer: int = 0, winsys: Any = None, box: Box | Sequence[int] | None = None
    ) -> None:
        """Present a resource: ``winsys(array)`` is called with its texels, if given. Flush the context first.

        ValueError for a resource that was made without bind DISPLAY_TARGET or SCANOUT, or with several samples.

        (screen.rst, "PIPE_BIND_*")
        """
        self.own_resource(resource, "flush_frontbuffer")
        if not resource.bind & (Bind.DISPLAY_TARGET | Bind.SCANOUT):
            raise ValueError("flush_frontbuffer: resource: it was not made with bind DISPLAY_TARGET")
        if resource.samples > 1:
            raise ValueError("flush_frontbuffer: resource: it has several samples; blit it to a resource with one sample, and show that")
        region = resource.box(level, box, "flush_frontbuffer")
        if callable(winsys):
            winsys(resource.region(level, Box(region.x, region.y, layer, region.width, region.height, 1)))


def _cache_path(directory: str | None) -> Path:
    if directory is not None:
        return Path(directory)
    from platformdirs import user_cache_path  # only where no directory is named

    return user_cache_path("tgsi") / "objects"


def _number(value: int | None, name: str, low: int, high: int) -> int | None:
    variable = f"TGSI_{name.upper()}"
    if value is None:
        text = os.environ.get(variable)
        if not text:
            return None
        try:
            value = int(text)
        except ValueError:
            raise ValueError(f"Screen: {name}: {variable} is {text!r}, not a number") from None
    return integer(value, f"Screen: {name}", low, high)
