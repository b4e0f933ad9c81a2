"""No compute program makes a launch access memory that is not bound to it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.fuzz.hostile import ROOT

pytestmark = pytest.mark.usefixtures("light_code")

_FAULT = """
import sys
from backends.device import tables
from tests.fuzz.hostile_grids import guarded
from tests.unit.gallium.compute_cases import ADD_ONE, launch, zeros
from tgsi import gallium as g
put = tables.BufferTable.put
def changed(self, number, item):
    put(self, number, item)
    if item is not None:
        self._records[number].words += int(sys.argv[1])
tables.BufferTable.put = changed
with guarded() as guard, g.Screen(threads=0).context_create() as ctx:
    launch(ctx, ADD_ONE, zeros(ctx, 40), block=(64, 1, 1))
    guard.release()
"""


def _hunt(kind: str, begin: int, end: int, lanes: int) -> None:
    command = [sys.executable, "-m", "tests.fuzz.hostile_grids", kind, str(begin), str(end), "--lanes", str(lanes)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-20:] + done.stderr[-2000:]


@pytest.mark.parametrize(("kind", "lanes"), [("valid", 16), ("mutated", 8)])
def test_a_sample_of_hostile_grids_stays_in_its_memory(kind: str, lanes: int) -> None:
    _hunt(kind, 0, 10 if kind == "valid" else 100, lanes)


@pytest.mark.nightly
@pytest.mark.parametrize("begin", range(0, 10_000, 1000))
@pytest.mark.parametrize("kind", ["valid", "mutated"])
def test_hostile_grids_stay_in_their_memory(kind: str, begin: int) -> None:
    _hunt(kind, begin, begin + (24 if kind == "valid" else 120), (8, 16, 32, 64)[begin // 1000 % 4])


@pytest.mark.parametrize(("words", "status"), [(0, 0), (1, -signal.SIGSEGV)])
def test_the_guard_ends_what_goes_beyond_a_buffer(words: int, status: int) -> None:
    done = subprocess.run([sys.executable, "-c", _FAULT, str(words)], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == status
