"""Cheap code for daily tests: level 0 of LLVM's code generator, which takes half the time.

Their subject is our translator; LLVM gets the same text at each level. Tests over generated programs use the fixture `light_code`; their
nightly parts run at the level of production. Other tests have the mark `light`; `./dev nightly` repeats them at the level of production.
By day the images (whose kernels share much between numbers of lanes), nine of Mesa's scenes, the examples, a sample of generated programs
and measured vectors for all lanes up to 16 and all CPU levels, and most draws of the unit tests run at the level of production. Processes
that a test starts learn the level from the environment.
"""

from __future__ import annotations

import os

import pytest

from backends.llvm.engine import engine, kernel_cache, opt_level
from backends.llvm.engine.engine import Library
from backends.llvm.engine.kernel_cache import KernelCache
from backends.llvm.engine.variants import VariantCache
from backends.llvm.kernels import run

VARIABLE = "TGSI_TESTS_LEVEL"

_shared: dict[tuple[str, str], Library] = {}
"""Shared functions of level 0, kept apart from those of production; likewise the kernels of runs and of screens."""

_kernels = VariantCache(run._compile, max_weight=16 << 20, weight=lambda library: len(library.image))
_screens: dict[tuple[str, str], KernelCache] = {}


def lower(patch: pytest.MonkeyPatch) -> None:
    """Compile at level 0, here and in processes that call `follow`, until `patch` ends."""
    patch.setattr(opt_level, "DEFAULT", 0)
    patch.setattr(engine, "_shared_libraries", _shared)
    patch.setattr(run, "_kernels", _kernels)
    patch.setattr(kernel_cache, "_shared", _screens)
    patch.setenv(VARIABLE, "0")
    patch.setenv("TGSI_READY_MADE", "off")  # faults that a test plants in generators must reach the code
    if place := os.environ.get("TGSI_CACHE_DIR"):  # the key of an object does not name the level: other tests must not find these
        patch.setenv("TGSI_CACHE_DIR", f"{place}-level-0")


def follow() -> None:
    """Compile at the level of the test that started this process."""
    opt_level.DEFAULT = int(os.environ.get(VARIABLE, opt_level.DEFAULT))
