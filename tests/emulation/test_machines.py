"""The same bytes on emulated machines: AArch64, and x86 processors without AVX2 or AVX-512."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.emulation.machines import MACHINES, ROOT, AbsentError, Machine, default_folder, prepare, python_of

PARTS = {
    "images": ("tests/images/test_images.py", "-k", "scene_has_its_bytes and (0-None or 2-16)"),
    "targets": ("tests/images/test_targets.py",),
    "engines": ("tests/golden", "tests/property/test_run_engines.py", "tests/property/test_jit_equals_interpreter.py"),
    "mode": ("tests/unit/llvm/test_determinism.py", "tests/unit/raster/test_determinism.py", "-k", "mode or caller"),
}


@pytest.fixture(scope="session")
def folder() -> Path:
    return default_folder()


def run(machine: Machine, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        prepare(folder, machine)
    except AbsentError as error:
        pytest.skip(f"no emulated {machine.processor}: {error}")
    python, environment = python_of(folder, machine)
    environment = {name: value for name, value in environment.items() if not name.startswith("PYTEST_XDIST")}  # plugins ask for them
    return subprocess.run([python, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "part"),
    [
        *(("aarch64", part) for part in PARTS),
        ("cortex-a57", "mode"),
        *((name, part) for name in ("nehalem", "haswell") for part in ("images", "mode")),
    ],
)
def test_an_emulated_machine_passes(name: str, part: str, folder: Path) -> None:
    done = run(MACHINES[name], folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PARTS[part])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert int(done.stdout.rpartition(" passed")[0].split()[-1]) > 0


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "lanes"), [("aarch64", 4), ("nehalem", 4), ("haswell", 8)])
def test_emulation_shows_the_processor_that_it_claims(name: str, lanes: int, folder: Path) -> None:
    code = "from backends.llvm.targets.machines import native_lanes; import platform; print(platform.machine(), native_lanes('host'))"
    done = run(MACHINES[name], folder, "-c", code)
    assert done.stdout.split() == [MACHINES[name].qemu, str(lanes)], done.stderr
