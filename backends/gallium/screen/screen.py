"""The screen: what the device can do, and the resources that contexts share."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import Any

from platformdirs import user_cache_path

from backends.formats import Format
from backends.gallium.context.context import Context
from backends.gallium.context.extras import refuse
from backends.gallium.context.fence import Fence
from backends.gallium.resource.layout import CUBES, Template, check
from backends.gallium.resource.resource import Accounting, Box, Resource
from backends.gallium.screen.capabilities import Answers
from backends.gallium.screen.format_support import UNSUPPORTED_BINDS, supported_binds
from backends.pipe.checks import flags as as_flags
from backends.pipe.checks import integer, pixel_format
from backends.pipe.enums import Bind, ContextFlags, ResourceFlags, TextureTarget, Usage, lookup

CPU_LEVELS = ("host", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
LANES = (8, 16, 32, 64)
INFINITE = (1 << 64) - 1
"""PIPE_TIMEOUT_INFINITE."""


class Screen(Answers):
    """A software device. Thread-safe; contexts made from it are not.

    Args:
        threads: native worker threads beside the caller; None takes TGSI_THREADS, else one less than the CPUs.
        lanes: vector lanes of shaders, 8, 16, 32 or 64; None takes TGSI_LANES, else picks a width for each shader.
        cpu: "host" or an x86-64 level such as "x86-64-v2"; TGSI_CPU changes the default.
        cache_dir: directory of compiled shaders, by default the user's cache; TGSI_CACHE_DIR changes that; an empty string is none.

    The picture is the same whatever these are.

    Raises:
        TypeError, ValueError: an argument, or the variable behind it, is wrong.
    """

    def __init__(
        self,
        threads: int | None = None,
        *,
        lanes: int | None = None,
        cpu: str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        self.threads = _number(threads, "threads", 0, 256)
        self.lanes = _number(lanes, "lanes", 4, 64)
        if self.lanes is not None and self.lanes not in LANES:
            raise ValueError(f"Screen: lanes: {self.lanes} is none of {', '.join(map(str, LANES))}")
        self.cpu = os.environ.get("TGSI_CPU", "host") if cpu is None else cpu
        if self.cpu not in CPU_LEVELS:
            close = get_close_matches(str(self.cpu), CPU_LEVELS, 1)
            raise ValueError(
                f"Screen: cpu: {self.cpu!r} is none of {', '.join(CPU_LEVELS)}" + (f"; did you mean {close[0]}?" if close else "")
            )
        found = os.environ.get("TGSI_CACHE_DIR") if cache_dir is None else os.fspath(cache_dir)
        default = user_cache_path("tgsi") / "objects"
        self.cache_dir: Path | None = default if found is None else Path(found) if found else None
        self.memory = Accounting()
        self._lock = threading.RLock()
        self._contexts: weakref.WeakSet[Context] = weakref.WeakSet()
        self._is_destroyed = False

    def __repr__(self) -> str:
        return f"<Screen {self.get_name()!r}>"

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.destroy()

    def destroy(self) -> None:
        """Destroy the screen's contexts and refuse further work."""
        with self._lock:
            self._is_destroyed = True
            contexts = list(self._contexts)
        for context in contexts:
            context.destroy()

    # -- resources -------------------------------------------------------------------------------------------------------
    def resource_create(
        self,
        template: Template | None = None,
        *,
        target: TextureTarget | int | str = TextureTarget.TEXTURE_2D,
        format: Format | str | None = None,
        width0: int = 1,
        height0: int = 1,
        depth0: int = 1,
        array_size: int | None = None,
        last_level: int = 0,
        nr_samples: int = 0,
        bind: Bind | int | str | Sequence[str] | None = None,
        usage: Usage | int | str = Usage.DEFAULT,
        flags: ResourceFlags | int | str | Sequence[str] = ResourceFlags.NONE,
    ) -> Resource:
        """A texture or a buffer, zero-filled.

        Args:
            template: all fields at once, instead of the keywords.
            target: TEXTURE_2D, BUFFER, ...
            format: R8G8B8A8_UNORM by default, R8_UNORM for buffers.
            width0: width in texels; size in bytes for buffers. height0, depth0: likewise.
            height0: see width0.
            depth0: see width0.
            array_size: layers; six for a cube, the default there.
            last_level: the smallest mip level.
            nr_samples: samples a pixel: 0 or 1, or 2, 4, 8, 16 of a 2D texture or array of one level.
            bind: what it will be used for; all that format and target can do when omitted.
            usage: a hint.
            flags: MAP_PERSISTENT, MAP_COHERENT, ...

        Raises:
            TypeError, ValueError: a field is wrong, too large, or the format cannot be used as `bind` says.
        """
        if template is not None:
            if not isinstance(template, Template):
                raise TypeError(f"resource_create: template: a Template is wanted, not {type(template).__name__}")
            return self._create(template, None)
        return self._create(
            self._template(target, format, (width0, height0, depth0), array_size, last_level, nr_samples, bind, usage, flags), None
        )

    def resource_from_user_memory(
        self,
        memory: Any,
        template: Template | None = None,
        *,
        target: TextureTarget | int | str = TextureTarget.BUFFER,
        format: Format | str | None = None,
        width0: int | None = None,
        height0: int = 1,
        bind: Bind | int | str | Sequence[str] | None = None,
    ) -> Resource:
        """A resource over memory of the caller: any contiguous buffer, rows without padding.

        The bytes are read when work that uses the resource begins, and written back when rendering to it is flushed.
        width0 of a buffer defaults to all of the memory.
        """
        if template is None:
            kind = lookup(TextureTarget, target, "resource_from_user_memory: target")
            size = memoryview(memory).nbytes if width0 is None and kind is TextureTarget.BUFFER else width0
            if size is None:
                raise TypeError("resource_from_user_memory: width0: it is needed for textures")
            template = self._template(kind, format, (size, height0, 1), None, 0, 0, bind, Usage.STREAM, 0)
        return self._create(template, memory)

    def _template(
        self,
        target: Any,
        format: Any,
        sizes: tuple[int, int, int],
        array_size: int | None,
        last_level: int,
        nr_samples: int,
        bind: Any,
        usage: Any,
        flags: Any,
    ) -> Template:
        name = "resource_create"
        kind = lookup(TextureTarget, target, f"{name}: target")
        default = Format.R8_UNORM if kind is TextureTarget.BUFFER else Format.R8G8B8A8_UNORM
        seen = default if format is None else pixel_format(format, f"{name}: format")
        width, height, depth = (integer(v, f"{name}: {f}") for f, v in zip(("width0", "height0", "depth0"), sizes))
        return Template(
            width,
            height,
            depth,
            integer((6 if kind in CUBES else 1) if array_size is None else array_size, f"{name}: array_size"),
            kind,
            seen,
            integer(last_level, f"{name}: last_level"),
            integer(nr_samples, f"{name}: nr_samples", 0, 32),
            supported_binds(seen, kind, nr_samples) if bind is None else as_flags(Bind, bind, f"{name}: bind"),
            lookup(Usage, usage, f"{name}: usage"),
            as_flags(ResourceFlags, flags, f"{name}: flags"),
        )

    def _create(self, template: Template, memory: Any) -> Resource:
        name = "resource_create"
        if self._is_destroyed:
            raise ValueError(f"{name}: the screen was destroyed")
        check(template, name)
        lacking = template.bind & ~supported_binds(template.format, template.target, template.nr_samples)
        if lacking:
            if lacking & UNSUPPORTED_BINDS:
                refuse(f"{name}: bind {(lacking & UNSUPPORTED_BINDS).name}")
            raise ValueError(f"{name}: bind: {template.format} {template.target.name} cannot be used as {lacking.name}")
        return Resource(self, template, memory)

    def resource_destroy(self, resource: Resource) -> None:
        """Destroy a resource. Its memory is freed when nothing pending, mapped or bound uses it any more."""
        if not isinstance(resource, Resource):
            raise TypeError(f"resource_destroy: resource: a Resource is wanted, not {type(resource).__name__}")
        resource.destroy()

    def resource_changed(self, resource: Resource) -> None:
        """Memory behind a resource was changed by somebody else."""
        if not isinstance(resource, Resource):
            raise TypeError(f"resource_changed: resource: a Resource is wanted, not {type(resource).__name__}")
        resource.pull()

    def check_resource_capability(self, resource: Resource, bind: Bind | int | str | Sequence[str]) -> bool:
        """The resource could also be used as `bind` says: it was made so."""
        wanted = as_flags(Bind, bind, "check_resource_capability: bind")
        return not wanted & ~resource.bind

    def resource_create_front(self, template: Template, data: Any = None) -> Resource:
        """`resource_create`; a headless device has no window to draw to directly."""
        return self.resource_create(template)

    def resource_create_with_modifiers(self, template: Template, modifiers: Sequence[int] = ()) -> Resource:
        """`resource_create`; ValueError for modifiers other than 0 (linear)."""
        if any(modifiers):
            raise ValueError("resource_create_with_modifiers: modifiers: only 0 (linear) exists here")
        return self.resource_create(template)

    # -- contexts and fences ---------------------------------------------------------------------------------------------
    def context_create(self, priv: Any = None, *, flags: ContextFlags | int | str = ContextFlags.NONE) -> Context:
        """A new rendering context. `priv` is kept as `Context.priv`."""
        from backends.software.device import make_renderer  # llvmlite loads with the first context, not with a screen

        how = as_flags(ContextFlags, flags, "context_create: flags")
        with self._lock:
            if self._is_destroyed:
                raise ValueError("context_create: the screen was destroyed")
            context = Context(self, make_renderer(self), priv=priv, flags=int(how))
            self._contexts.add(context)
        return context

    def fence_finish(self, fence: Fence, *, timeout: int = INFINITE, context: Context | None = None) -> bool:
        """The fence is signaled (True), after carrying out its work unless `timeout` (nanoseconds) is 0."""
        if not isinstance(fence, Fence):
            raise TypeError(f"fence_finish: fence: a Fence is wanted, not {type(fence).__name__}")
        if integer(timeout, "fence_finish: timeout", 0, INFINITE) == 0:
            return fence.is_signaled
        return fence.finish()

    def fence_reference(self, fence: Fence | None) -> Fence | None:
        """The fence itself: Python counts references."""
        return fence

    def flush_frontbuffer(
        self, resource: Resource, *, level: int = 0, layer: int = 0, winsys: Any = None, box: Box | Sequence[int] | None = None
    ) -> None:
        """Present a resource: ``winsys(array)`` is called with its texels, if given. Flush the context first."""
        if not isinstance(resource, Resource):
            raise TypeError(f"flush_frontbuffer: resource: a Resource is wanted, not {type(resource).__name__}")
        if resource.samples > 1:
            raise ValueError("flush_frontbuffer: resource: it has several samples; blit it to one that is shown")
        region = resource.box(level, box, "flush_frontbuffer")
        if callable(winsys):
            winsys(resource.region(level, Box(region.x, region.y, layer, region.width, region.height, 1)))


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
