"""Lane counts and x86-64 levels for tests that run all of them, as far as this machine can."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

LANES = (4, 8, 16, 32, 64)
LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")

# CPU features that a level adds to the one before it.
_FEATURES = {
    "x86-64": (),
    "x86-64-v2": ("popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"),
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}


def need(level: str) -> None:
    """Skip the test on a machine that cannot run the code of a level."""
    host = llvm.get_host_cpu_features()
    missing = [name for known in LEVELS[: LEVELS.index(level) + 1] for name in _FEATURES[known] if not host.get(name)]
    if missing:
        pytest.skip(f"this machine is below {level}: it lacks {', '.join(missing)}")
