"""The factory of CPU devices: from a screen's settings to a renderer, a dispatcher of grids, and a lister of their kernels.

This module is loaded with the first context, so that a screen can answer queries without loading the code of a device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.llvm.engine.kernel_cache import kernels_for
from backends.llvm.engine.object_cache import Cache, recall_host
from backends.llvm.targets.machines import require_runnable
from backends.software.renderer import Renderer

if TYPE_CHECKING:
    from backends.compute.dispatch import Dispatcher
    from backends.device.interface import Settings
    from backends.software.kernel_lister import KernelLister


def make_device(settings: Settings) -> Renderer:
    """Make the renderer of a context. ValueError if this machine cannot run code for the `cpu` of the settings."""
    recall_host(_cache(settings))
    try:
        require_runnable(settings.cpu)
    except ValueError as error:
        raise ValueError(f"context_create: {error}") from None
    return Renderer(settings.threads, settings.lanes, settings.cpu, cache=_cache(settings), is_limited=settings.time_limit is not None)


def make_dispatcher(settings: Settings) -> Dispatcher:
    """Make the dispatcher that runs the grids of a context."""
    from backends.compute.dispatch import Dispatcher

    return Dispatcher(settings.threads, settings.lanes, kernels_for(settings.cpu, _cache(settings)))


def make_kernel_lister(settings: Settings) -> KernelLister:
    """Make the lister of the kernels of a screen's calls."""
    from backends.software.kernel_lister import KernelLister

    return KernelLister(settings.threads, settings.lanes, kernels_for(settings.cpu, _cache(settings)))


def _cache(settings: Settings) -> Cache:
    return False if settings.cache_dir is None else settings.cache_dir
