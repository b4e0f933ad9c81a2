"""The public Screen: Gallium's screen with the software device, unless another device is given."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from backends.gallium.screen.screen import Screen as GalliumScreen

if TYPE_CHECKING:
    from backends.device.interface import Device, DeviceFactory, Dispatcher, Settings


class _Software:
    """The software device. Its modules, and llvmlite, load with the first context, not with a screen."""

    def make_device(self, settings: Settings) -> Device:
        from backends.software.device import make_device

        return make_device(settings)

    def make_dispatcher(self, settings: Settings) -> Dispatcher:
        from backends.software.device import make_dispatcher

        return make_dispatcher(settings)


SOFTWARE: DeviceFactory = _Software()
"""The only mention of the software device in `tgsi`."""


class Screen(GalliumScreen):
    """A software device. Thread-safe; contexts made from it are not.

    Args:
        threads: native worker threads in addition to the caller; None takes TGSI_THREADS, otherwise one less than the CPUs.
        lanes: vector lanes of shaders, 8, 16, 32 or 64; None takes TGSI_LANES, otherwise a width is chosen for each shader.
        cpu: "host" or an x86-64 level such as "x86-64-v2"; TGSI_CPU changes the default.
        cache_dir: directory of compiled shaders, by default the user's cache; TGSI_CACHE_DIR changes that. An empty string,
            or TGSI_CACHE=off, turns the cache off. A directory that others can write is not used (RuntimeWarning).
        memory_limit: the most bytes that living resources may hold together; None: no limit but the machine's. `resource_create` raises
            MemoryError at the limit.
        time_limit: the most seconds that one call of a context may take, compiling included; None: no limit. A call that takes longer
            ends with TimeLimitError; pending draws are dropped, and the context can be used as before.
        device: makes the devices of contexts (`backends.device.interface.DeviceFactory`); None: the software device.

    The first four do not change the picture.

    Raises:
        TypeError, ValueError: an argument, or the environment variable that stands for it, is wrong.
    """

    def __init__(
        self,
        threads: int | None = None,
        *,
        lanes: int | None = None,
        cpu: str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        memory_limit: int | None = None,
        time_limit: float | None = None,
        device: DeviceFactory | None = None,
    ) -> None:
        made = SOFTWARE if device is None else device
        super().__init__(threads, lanes=lanes, cpu=cpu, cache_dir=cache_dir, memory_limit=memory_limit, time_limit=time_limit, device=made)
