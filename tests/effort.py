"""Cheap code for tests over generated programs: level 0 of LLVM's code generator, which takes half the time.

Their subject is our translator; LLVM gets the same text at each level. The corpus, the images, the unit tests and every nightly test run at
the level of production. Processes that a test starts learn the level from the environment.
"""

from __future__ import annotations

import os

import pytest

from backends.llvm.engine import engine, opt_level
from backends.llvm.engine.engine import Library

VARIABLE = "TGSI_TESTS_LEVEL"

_shared: dict[tuple[str, str], Library] = {}
"""Shared functions of level 0, kept apart from those of production."""


def lower(patch: pytest.MonkeyPatch) -> None:
    """Compile at level 0, here and in processes that call `follow`, until `patch` ends."""
    patch.setattr(opt_level, "DEFAULT", 0)
    patch.setattr(engine, "_shared_libraries", _shared)
    patch.setenv(VARIABLE, "0")
    if place := os.environ.get("TGSI_CACHE_DIR"):  # the key of an object does not name the level: other tests must not find these
        patch.setenv("TGSI_CACHE_DIR", f"{place}-level-0")


def follow() -> None:
    """Compile at the level of the test that started this process."""
    opt_level.DEFAULT = int(os.environ.get(VARIABLE, opt_level.DEFAULT))
