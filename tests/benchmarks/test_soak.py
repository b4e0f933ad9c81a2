"""The watch over memory: growth is that of the last quarter, and processes that a server makes are counted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import soak


def test_growth_compares_the_last_two_quarters() -> None:
    assert soak.growth([100, 200, 300, 300]) == 0
    assert soak.growth([0, 0, 0, 0, 100, 300, 210, 210]) == pytest.approx(0.05)
    with pytest.raises(ValueError, match="3 samples say nothing"):
        soak.growth([1, 1, 1])


def test_memory_of_a_process_and_of_those_that_it_made() -> None:
    code = "print('here', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"  # before that it may not have Python's memory yet
        assert process.pid in soak.children(os.getpid())
        assert 1 < soak.resident(process.pid) < 1000
        process.communicate(b"\n")
    assert process.pid not in soak.children(os.getpid())
    assert soak.resident(process.pid) == 0


@pytest.mark.nightly
@pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("glmark2", "Xvfb", "unshare")), reason="glmark2, Xvfb or unshare is not installed"
)
def test_a_short_soak_has_a_sample_of_each_process(tmp_path: Path) -> None:
    soak.main(["--glmark2", "--minutes", "0.3", "--every", "3", "--size", "64x48", "--json", str(tmp_path / "rows.json")])
    found = json.loads((tmp_path / "rows.json").read_text())
    assert found["ended"] == ""
    assert len(found["rows"]) == 6
    assert all(cell > 1 for cell in found["rows"][-1])


@pytest.mark.nightly
@pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("Xvfb", "unshare")) or find_spec("moderngl") is None,
    reason="Xvfb, unshare or moderngl is not installed",
)
def test_a_program_that_makes_and_frees_objects_is_watched(tmp_path: Path) -> None:
    soak.main(["--minutes", "0.3", "--every", "3", "--json", str(tmp_path / "rows.json")])
    found = json.loads((tmp_path / "rows.json").read_text())
    assert found["ended"] == ""
    assert all(cell > 1 for cell in found["rows"][-1])
