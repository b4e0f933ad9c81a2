"""No task or mesh program makes a launch access memory that is not its own."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest

from tests.fuzz.hostile import ROOT

pytestmark = pytest.mark.usefixtures("light_code")

_FAULT = """
import sys
from backends.run.meshes import MeshMemory
from tests.fuzz.hostile_meshes import guarded
from tests.property.mesh_launches import launch, whole
from tests.unit.mesh.support import mesh
text = mesh("MOV OUT[7][2], IMM[1]\\nMOV OUT[5][5], IMM[1]")
if sys.argv[1] == "1":
    MeshMemory.size = 64
with guarded() as guard:
    launch(text, whole((2, 1, 1)), lanes=8)
    guard.release()
"""


def _hunt(kind: str, begin: int, end: int, lanes: int) -> int:
    """Number of programs that ran."""
    command = [sys.executable, "-m", "tests.fuzz.hostile_meshes", kind, str(begin), str(end), "--lanes", str(lanes)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-20:] + done.stderr[-2000:]
    found = re.search(r"'ran': (\d+)", done.stdout)
    return int(found[1]) if found else 0


@pytest.mark.parametrize(("kind", "lanes"), [("valid", 16), ("mutated", 8)])
def test_a_sample_of_hostile_meshes_stays_in_its_memory(kind: str, lanes: int) -> None:
    assert _hunt(kind, 0, 10, lanes) >= 5


@pytest.mark.nightly
@pytest.mark.parametrize("begin", range(0, 10_000, 1000))
@pytest.mark.parametrize("kind", ["valid", "mutated"])
def test_hostile_meshes_stay_in_their_memory(kind: str, begin: int) -> None:
    assert _hunt(kind, begin, begin + 20, (8, 16, 32, 64)[begin // 1000 % 4]) > 10


@pytest.mark.parametrize(("wrong", "status"), [(0, 0), (1, -signal.SIGSEGV)])
def test_the_guard_ends_what_goes_beyond_the_rows(wrong: int, status: int) -> None:
    done = subprocess.run([sys.executable, "-c", _FAULT, str(wrong)], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == status, done.stderr.decode()[-2000:]
