"""Runs pytest, or Python, on an emulated machine: ``python -m tests.emulation MACHINE [pytest arguments]``.

    python -m tests.emulation aarch64 tests/images -k torus
    python -m tests.emulation nehalem --folder /tmp/emulation tests/emulation/digests.py
    python -m tests.emulation aarch64 --python -c "import platform; print(platform.machine())"

The first run downloads qemu (60 MB), Debian's Python for AArch64 and its wheels (100 MB) into a folder, which later runs use.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from tests.emulation.machines import MACHINES, ROOT, VARIABLE, AbsentError, default_folder, prepare, python_of


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.emulation", description="Tests on an emulated machine.")
    parser.add_argument("machine", choices=MACHINES)
    parser.add_argument("--folder", help=f"where packages are kept (default: {VARIABLE}, or {default_folder()})")
    parser.add_argument("--python", action="store_true", help="the arguments are those of Python instead of pytest's")
    options, rest = parser.parse_known_args()
    folder, machine = type(default_folder())(options.folder).resolve() if options.folder else default_folder(), MACHINES[options.machine]
    try:
        prepare(folder, machine)
    except AbsentError as error:
        print(f"tests.emulation: {error}", file=sys.stderr)
        return 2
    python, environment = python_of(folder, machine)
    start = [] if options.python else ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run([python, *start, *rest], cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
