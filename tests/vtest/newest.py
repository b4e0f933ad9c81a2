"""The newest Mesa that Debian's archive offers, in a system of its own below one folder, since it wants a newer libc than others may have.

debootstrap makes the system once; later runs bring its packages up to date. Its programs are the clients of a server outside.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "TGSI_NEWEST_MESA"
MIRROR, SUITE = "http://deb.debian.org/debian", "sid"
PACKAGES = (
    *("libegl1", "libgl1", "libegl-mesa0", "libglx-mesa0", "libgl1-mesa-dri", "mesa-utils", "piglit"),
    *("python3", "python3-numpy", "python3-moderngl", "ca-certificates"),
)
SOCKET = "tmp/.virgl_test"
_APT = "apt-get -q -o Acquire::Check-Valid-Until=false -y --no-install-recommends"  # a mirror may be weeks behind


class AbsentError(Exception):
    """Raised if such a system cannot be made, with the reason."""


def default_folder() -> Path:
    """Folder of the system: TGSI_NEWEST_MESA, or one in the user's cache."""
    if VARIABLE in os.environ:
        return Path(os.environ[VARIABLE])
    from platformdirs import user_cache_path

    return user_cache_path("tgsi") / "newest_mesa"


def _do(command: list[str], seconds: int) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise AbsentError(f"{command[0]}: it took more than {seconds} s") from None
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines() or [f"exit status {done.returncode}"]
        raise AbsentError(f"{command[0]}: {lines[-1]}")


@dataclass(frozen=True)
class System:
    """A system below `root`."""

    root: Path

    def command(self, *words: str, **variables: str) -> list[str]:
        """The command that runs a program in the system, with the server's socket at the path that Mesa knows."""
        mounts = "".join(f'mount --bind /{name} "$0/{name}" && ' for name in ("proc", "dev"))
        given = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C", "LIBGL_ALWAYS_SOFTWARE=1"]
        given += [f"{name}={value}" for name, value in variables.items()]
        return ["unshare", "-m", "sh", "-c", f'{mounts}exec chroot "$0" env -i "$@"', str(self.root), *given, *words]

    def run(self, *words: str, driver: str = "virpipe", seconds: int = 300, **variables: str) -> str:
        """Output of a program that has to succeed."""
        command = self.command(*words, GALLIUM_DRIVER=driver, **variables)
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout


def prepare(folder: Path, packages: Mapping[str, str] | None = None) -> System:
    """The system below a folder, made or brought up to date. AbsentError where root, a program or the archive is missing.

    packages: suite and mirror, if others than Debian's unstable ones.
    """
    where = {"suite": SUITE, "mirror": MIRROR, **(packages or {})}
    if os.geteuid() != 0:
        raise AbsentError("only root can make it")
    for program in ("debootstrap", "unshare", "chroot"):
        if shutil.which(program) is None:
            raise AbsentError(f"{program} is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    system, mark = System(folder / "root"), folder / "made"
    with (folder / "lock").open("w") as lock:  # several tests may request it at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        if mark.exists():
            _do(system.command("sh", "-c", f"{_APT} update && {_APT} install {' '.join(PACKAGES)}"), 1800)
        else:
            shutil.rmtree(system.root, ignore_errors=True)
            chosen = ["--variant=minbase", f"--include={','.join(PACKAGES)}"]
            _do(["debootstrap", *chosen, where["suite"], str(system.root), where["mirror"]], 3600)
            mark.touch()
    return system
