"""Command that compiles the ready-made kernels and says whether they are used."""

from __future__ import annotations

import argparse
import sys
import time

from backends.llvm.engine import ready_made
from backends.llvm.engine.sources import own_sources
from backends.llvm.targets.host import host


def state_of(level: str) -> str:
    """One line about the file of a level."""
    path = ready_made.path_of(level)
    file = ready_made.ReadyMade.open(path)
    if file is None:
        return "damaged; it is ignored" if path.exists() else "none"
    size = f"{len(file.rows)} kernels, {path.stat().st_size >> 10} KiB"
    return f"{size}, current" if ready_made.current(level) is not None else f"{size}, stale: of other source or another LLVM; it is ignored"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m backends.ready_made", description=__doc__)
    parser.add_argument("action", nargs="?", choices=("state", "build"), default="state")
    parser.add_argument("levels", nargs="*", metavar="LEVEL", help=f"{', '.join(ready_made.LEVELS)}, or all (default: this machine's)")
    parser.add_argument("--missing", action="store_true", help="build only outdated kernels")
    parser.add_argument("--portable", action="store_true", help="for a wheel: note nothing that is true of this folder alone")
    options = parser.parse_args(arguments)
    own = ready_made.level_of("host")
    if options.levels == ["all"]:
        options.levels = list(ready_made.LEVELS)
    if unknown := sorted(set(options.levels) - set(ready_made.LEVELS)):
        parser.error(f"{unknown[0]}: the levels are {', '.join(ready_made.LEVELS)}")
    if options.action == "build":
        levels = options.levels or ([own] if own is not None else [])
        if options.missing:
            levels = [level for level in levels if ready_made.current(level) is None]
        begin = time.perf_counter()
        if levels:
            from backends.ready_made.build import build

            print(f"compiling the ready-made kernels for {', '.join(levels)}", file=sys.stderr)
            try:
                build(levels)
            except ValueError as error:
                print(f"python -m backends.ready_made: {error}", file=sys.stderr)
                return 1
            print(f"compiled in {time.perf_counter() - begin:.0f} s", file=sys.stderr)
        if not options.portable and ready_made.FOLDER.is_dir():
            ready_made.note_sources()
        return 0
    source = (own_sources().digest or "unknown")[:12]
    print(f"source {source}, LLVM {host().llvm}, this machine: {own or 'none of the levels'}")
    for level in ready_made.LEVELS:
        print(f"{level:10} {state_of(level)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
