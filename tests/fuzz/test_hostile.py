"""No valid program makes compiled code crash, hang, or access memory that is not its own."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.fuzz.hostile import KINDS, ROOT, hunt
from tests.fuzz.mutants import mutant

pytestmark = pytest.mark.usefixtures("light_code")

CI_PROGRAMS = 50
NIGHTLY_PROGRAMS = 1000
BATCH = 100
WIDTHS = (8, 16, 4, 8, 32, 16, 8, 4, 16, 64)
"""Numbers of lanes of the batches, weighted because wide code takes long to compile."""


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
    _check(kind, begin, begin + BATCH, WIDTHS[begin // BATCH % len(WIDTHS)])


def test_mutants_are_valid_and_none_is_like_another() -> None:
    texts = [str(program) for program in map(mutant, range(20)) if program is not None]
    assert len(set(texts)) == len(texts) > 15


# Possible mistakes of an engine. `run` is the argument of kernels, `record` the record that its `env` points to.
_SCRIPT = """
import sys
import numpy as np
import tgsi
from backends.llvm.kernels import chunks
from backends.abi.records import BufferRecord, ShaderEnv, TextureRecord
from tests.fuzz.hostile import guarded
from tests.property.fitting import fitting_arguments

DECLARED = ["IN[0]", "OUT[0], POSITION", "BUFFER[0]", "CONST[0][0..9]", "ADDR[0]"]
DECLARED += ["SAMP[0]", "SVIEW[0], 2D, FLOAT", "IMAGE[0], 2D, WR", "HWATOMIC[0][0]"]
HEADER = "VERT\\n" + "".join(f"DCL {item}\\n" for item in DECLARED)
LARGE = "t.height = t.width = t.size = 1 << 20"
FAULTS = {
    "none": ("LOAD OUT[0], BUFFER[0], IN[0].xxxx", ""),
    "load": ("LOAD OUT[0], BUFFER[0], IN[0].xxxx", "BufferRecord.from_address(record.buffers).words += 8"),
    "store": ("STORE BUFFER[0].x, IN[0].yyyy, IN[0]", "BufferRecord.from_address(record.buffers).base -= 4"),
    "counter": (
        "UARL ADDR[0], IN[0]\\nATOMUADD OUT[0], HWATOMIC[0][ADDR[0].w], IN[0].wwww, IN[0].wwww",
        "BufferRecord.from_address(run.counters).words += 1 << 20",
    ),
    "constant": ("UARL ADDR[0], IN[0]\\nMOV OUT[0], CONST[ADDR[0].z]", "record.constant_words[0] += 1 << 20"),
    "texel": ("TXF OUT[0], IN[0].zzyy, SAMP[0], 2D", f"t = TextureRecord.from_address(record.textures); {LARGE}"),
    "image": ("LOAD OUT[0], IMAGE[0], IN[0].zzyy, 2D", f"t = TextureRecord.from_address(record.images); {LARGE}"),
    "input": ("MOV OUT[0], IN[0]", "run.inputs += 4"),
    "output": ("MOV OUT[0], IN[0]", "run.outputs += 4"),
    "output before": ("MOV OUT[0], IN[0]", "run.outputs -= 4"),
}
statement, fault = FAULTS[sys.argv[1]]
with guarded() as guard:
    call = chunks.Run._call
    def broken(self):
        run = self._record
        record = ShaderEnv.from_address(run.env)
        exec(fault)
        call(self)
    chunks.Run._call = broken
    program = tgsi.parse(f"{HEADER}{statement}\\nEND\\n")
    given = fitting_arguments(program, 1)
    size = given["buffers"][0].size
    given["inputs"] = np.tile(np.array([4 * size, 0, 300, 4 * given["counters"][0].size], np.uint32), (8, 1, 1))
    tgsi.run(program, lanes=8, **given)
    guard.release()
"""


@pytest.mark.parametrize("fault", ["load", "counter", "constant", "texel", "image", "input", "output"])
def test_the_guard_ends_what_goes_beyond_an_array(fault: str) -> None:
    assert _ends(fault).returncode == -signal.SIGSEGV


@pytest.mark.parametrize("fault", ["store", "output before"])
def test_the_guard_sees_what_is_written_in_front_of_an_array(fault: str) -> None:
    assert "in front of their beginning" in _ends(fault).stderr


def test_the_guard_is_content_with_what_is_right() -> None:
    assert _ends("none").returncode == 0


def _ends(fault: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", _SCRIPT, fault], cwd=ROOT, capture_output=True, text=True, check=False)
