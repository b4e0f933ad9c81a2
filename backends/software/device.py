"""From a screen's settings to a renderer. Apart, so that a screen answers questions without loading llvmlite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.compute.dispatch import Dispatcher
from backends.llvm.targets.machines import cpu_features
from backends.raster.kernels import Cache
from backends.software.renderer import Renderer

if TYPE_CHECKING:
    from backends.device.interface import Settings


def make_renderer(screen: Settings) -> Renderer:
    """A renderer of its own for a context. ValueError if the machine cannot run code for the screen's `cpu`."""
    missing = cpu_features(screen.cpu) - cpu_features("host")
    if missing:
        raise ValueError(f"context_create: code for cpu {screen.cpu!r} cannot run here; this machine lacks {', '.join(sorted(missing))}")
    return Renderer(screen.threads, screen.lanes, screen.cpu, cache=_cache(screen))


def make_dispatcher(screen: Settings) -> Dispatcher:
    """What runs the grids of a context."""
    return Dispatcher(screen.threads, screen.lanes, screen.cpu, _cache(screen))


def _cache(screen: Settings) -> Cache:
    return False if screen.cache_dir is None else screen.cache_dir
