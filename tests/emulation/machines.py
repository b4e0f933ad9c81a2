"""Emulated machines: an AArch64 system made of packages of Debian and PyPI, and older x86 processors. qemu runs them as plain programs.

Nothing is installed and nothing needs root: packages are downloaded and unpacked below one folder, and qemu finds the libraries of the
other machine there. apt keeps its lists in that folder, too.
"""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
VARIABLE = "TGSI_EMULATION"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
MIRROR, SUITE = "http://deb.debian.org/debian", "bookworm"
VERSION = "3.11"  # Debian's Python, and so that of the wheels
TESTERS = ("hypothesis", "mpmath", "pytest", "pytest-xdist")
ARM_PLATFORMS = ("manylinux2014_aarch64", *(f"manylinux_2_{minor}_aarch64" for minor in (17, 26, 27, 28, 34)))


class AbsentError(Exception):
    """Raised where emulation is impossible or a package cannot be had. The text gives the reason."""


@dataclass(frozen=True)
class Machine:
    """A machine to emulate: qemu's architecture and processor. system: whether it needs a system of its own."""

    qemu: str
    processor: str
    system: bool = False


MACHINES = {
    "aarch64": Machine("aarch64", "max", system=True),
    "cortex-a57": Machine("aarch64", "cortex-a57", system=True),
    "nehalem": Machine("x86_64", "Nehalem"),
    "haswell": Machine("x86_64", "Haswell"),
}


def default_folder() -> Path:
    """Folder of the unpacked systems: TGSI_EMULATION, or one in the user's cache."""
    if VARIABLE in os.environ:
        return Path(os.environ[VARIABLE])
    from platformdirs import user_cache_path

    return user_cache_path("tgsi") / "emulation"


def _do(*command: str | Path, folder: Path | None = None) -> None:
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"]
        raise AbsentError(f"{Path(command[0]).name}: {lines[-1]}")


def _apt(folder: Path, architecture: str, packages: tuple[str, ...], *, with_needs: bool) -> None:
    """Download packages of Debian and unpack them below `folder`. with_needs: also their dependencies."""
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise AbsentError(f"there is no {tool} here")
    state, archives = folder / "apt" / "state", folder / "apt" / "cache" / "archives"
    for place in (state / "lists" / "partial", archives / "partial"):
        place.mkdir(parents=True, exist_ok=True)
    (folder / "apt" / "status").touch()
    (folder / "apt" / "sources.list").write_text(f"deb [signed-by={KEYRING}] {MIRROR} {SUITE} main\n")
    (folder / "apt.conf").write_text(
        f'APT::Architecture "{architecture}";\nAPT::Architectures {{ "{architecture}"; }};\nAPT::Sandbox::User "";\n'
        f'Dir::State "{state}";\nDir::State::status "{folder}/apt/status";\nDir::Cache "{folder}/apt/cache";\n'
        f'Dir::Etc::SourceList "{folder}/apt/sources.list";\nDir::Etc::SourceParts "{folder}/none";\n'
        f'Debug::NoLocking "1";\n'
    )
    apt = ("apt-get", "-c", folder / "apt.conf", "-q")
    _do(*apt, "update", folder=folder)
    if with_needs:
        _do(*apt, "install", "-y", "--no-install-recommends", "--download-only", *packages, folder=folder)
    else:
        _do(*apt, "download", *packages, folder=archives)
    for package in sorted(archives.glob("*.deb")):
        _do("dpkg-deb", "-x", package, folder / "root")
    shutil.rmtree(folder / "apt")


def _requirements() -> list[str]:
    return [*tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"], *TESTERS]


def _wheels(target: Path) -> None:
    """Unpack the wheels that the project and its tests need, as pip chooses them for AArch64."""
    places = [word for name in ARM_PLATFORMS for word in ("--platform", name)]
    options = ("-q", "--disable-pip-version-check", "--only-binary=:all:", "--python-version", VERSION, *places)
    _do(sys.executable, "-m", "pip", "install", *options, "--target", target, *_requirements())


def _once(place: Path, make: str) -> bool:
    """True if `place` is to be made: it has no mark of an earlier run that came to its end with the same `make`."""
    mark = place / ".made"
    if mark.exists() and mark.read_text() == make:
        return False
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    return True


def prepare(folder: Path, machine: Machine) -> None:
    """Make what a machine needs below `folder`, unless it is there. AbsentError if a package or tool is missing."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise AbsentError("emulation needs Linux on x86-64")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:  # of several testing processes one makes the folder
        fcntl.flock(lock, fcntl.LOCK_EX)
        _prepare(folder, machine)


def _prepare(folder: Path, machine: Machine) -> None:
    tools, system = folder / "qemu", folder / "aarch64"
    if _once(tools, SUITE):
        _apt(tools, "amd64", ("qemu-user-static",), with_needs=False)
        wanted = {f"qemu-{machine.qemu}-static" for machine in MACHINES.values()}
        for program in (tools / "root" / "usr" / "bin").iterdir():
            if program.name not in wanted:
                program.unlink()
        (tools / ".made").write_text(SUITE)
    needs = " ".join(_requirements())
    if machine.system and _once(system, needs):
        _apt(system, "arm64", (f"python{VERSION}", "libstdc++6"), with_needs=True)
        _wheels(system / "site")
        (system / ".made").write_text(needs)


def python_of(folder: Path, machine: Machine) -> tuple[Path, dict[str, str]]:
    """The interpreter of a prepared machine, a script that every process of it can start, and its environment.

    Compiled code has a directory of its own for each machine.
    """
    qemu = folder / "qemu" / "root" / "usr" / "bin" / f"qemu-{machine.qemu}-static"
    script = folder / f"python-{machine.processor}"
    environment = {**os.environ, "TGSI_CACHE_DIR": str(folder / "objects" / machine.processor), "PYTHONDONTWRITEBYTECODE": "1"}
    if machine.system:
        root = folder / "aarch64" / "root"
        program = f'-L "{root}" -0 "$0" "{root}/usr/bin/python{VERSION}" "$@"'
        environment["PYTHONHOME"] = f"{root}/usr"
        paths = (folder / "aarch64" / "site", ROOT)
    else:  # a virtual environment is found by the name of its interpreter, so its packages are named here
        program = f'-0 "$0" "{Path(sys.executable).resolve()}" "$@"'
        environment["PYTHONHOME"] = sys.base_prefix
        paths = (Path(sysconfig.get_path("purelib")), ROOT)
    environment["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    text = f'#!/bin/sh\nexec "{qemu}" -cpu {machine.processor} {program}\n'
    if not script.exists() or script.read_text() != text:  # others may be running it
        script.write_text(text)
        script.chmod(0o755)
    return script, environment
