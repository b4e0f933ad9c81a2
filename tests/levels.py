"""Lane counts and x86-64 levels for tests that run all of them, as far as this machine can."""

from __future__ import annotations

import pytest

from backends.llvm.targets.machines import require_runnable

LANES = (4, 8, 16, 32, 64)
LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")


def need(level: str) -> None:
    """Skip the test on a machine that cannot run the code of a level."""
    try:
        require_runnable(level)
    except ValueError as error:
        pytest.skip(str(error))
