"""No valid program, whatever it is, makes compiled code crash, hang, or touch memory that is not its own."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.fuzz.hostile import KINDS, ROOT, hunt
from tests.fuzz.mutants import mutant
from tests.property.settings import LANES

CI_PROGRAMS = 150
NIGHTLY_PROGRAMS = 10_000
BATCH = 1000


def _check(kind: str, begin: int, end: int, lanes: int) -> None:
    report = hunt(kind, begin, end, lanes)
    assert report.findings == {}, str(report)
    assert report.ran > (end - begin) * 0.9, str(report)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_of_hostile_programs_stays_in_its_memory(kind: str) -> None:
    _check(kind, 0, CI_PROGRAMS, 8)


@pytest.mark.nightly
@pytest.mark.parametrize("begin", range(0, NIGHTLY_PROGRAMS, BATCH))
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_programs_stay_in_their_memory(kind: str, begin: int) -> None:
    _check(kind, begin, begin + BATCH, LANES[begin // BATCH % len(LANES)])


def test_mutants_are_valid_and_none_is_like_another() -> None:
    texts = [str(program) for program in map(mutant, range(20)) if program is not None]
    assert len(set(texts)) == len(texts) > 15


# What an engine might get wrong, and how the process ends then.
_SCRIPT = """
import sys
import numpy as np
import tgsi
from backends.llvm import bind
from backends.llvm.abi import BufferRecord, TextureRecord
from tests.fuzz.hostile import guarded
from tests.property.fitting import fitting_arguments

DECLARED = ("IN[0]", "OUT[0], POSITION", "BUFFER[0]", "CONST[0][0..9]", "ADDR[0]", "SAMP[0]", "SVIEW[0], 2D, FLOAT")
HEADER = "VERT\\n" + "".join(f"DCL {item}\\n" for item in DECLARED)
TEXEL = "t = TextureRecord.from_address(record.textures); t.height = t.width = t.size = 1 << 20"
FAULTS = {
    "none": ("LOAD OUT[0], BUFFER[0], IN[0].xxxx", ""),
    "load": ("LOAD OUT[0], BUFFER[0], IN[0].xxxx", "BufferRecord.from_address(record.buffers).words += 8"),
    "store": ("STORE BUFFER[0].x, IN[0].yyyy, IN[0]", "BufferRecord.from_address(record.buffers).base -= 4"),
    "constant": ("UARL ADDR[0], IN[0]\\nMOV OUT[0], CONST[ADDR[0].z]", "record.constant_words[0] += 1 << 20"),
    "texel": ("TXF OUT[0], IN[0].zzyy, SAMP[0], 2D", TEXEL),
}
statement, fault = FAULTS[sys.argv[1]]
with guarded() as guard:
    bound = bind.Environment.__init__
    def broken(self, *given, **options):
        bound(self, *given, **options)
        record = self.record
        exec(fault)
    bind.Environment.__init__ = broken
    program = tgsi.parse(f"{HEADER}{statement}\\nEND\\n")
    given = fitting_arguments(program, 1)
    size = given["buffers"][0].size
    given["inputs"] = np.tile(np.array([4 * size, 0, 300, 0], np.uint32), (8, 1, 1))
    tgsi.run(program, **given)
    guard.release()
"""


@pytest.mark.parametrize(
    ("fault", "expected"), [("none", 0), ("load", -signal.SIGSEGV), ("constant", -signal.SIGSEGV), ("texel", -signal.SIGSEGV), ("store", 1)]
)
def test_the_guard_sees_every_access_outside(fault: str, expected: int) -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT, fault], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == expected, done.stderr
    assert expected != 1 or "in front of their beginning" in done.stderr
