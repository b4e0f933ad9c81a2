"""Memory is returned to the system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from backends.device.region import reserved

STATM = Path("/proc/self/statm")
_CONTEXTS = """
import mmap, pathlib
from tests.unit import picture
from tgsi import gallium as g
own = g.Screen(threads=2)
picture.screen = lambda: own
found = []
for number in range(15):
    drawn = picture.Picture(32, 32).draw()
    assert drawn.pixels().any()
    drawn.ctx.destroy()
    del drawn
    found.append(int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE)
print(found[-1] - found[2])
"""


@pytest.mark.skipif(not STATM.exists(), reason="no /proc")
def test_contexts_that_are_gone_hold_no_memory() -> None:
    found = subprocess.run([sys.executable, "-c", _CONTEXTS], capture_output=True, text=True, check=True)
    assert int(found.stdout) < 24 << 20


def test_reserved_memory_is_zero_and_in_place() -> None:
    memory = reserved(100_000)
    assert memory.size == 100_000
    assert memory.ctypes.data % 64 == 0
    assert not memory.any()
    memory[:] = 1
