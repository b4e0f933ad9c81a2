"""Run hostile programs in compiled code, in processes of their own, with guard pages after all memory that they may access.

By hand: ``python -m tests.fuzz.hostile mutated 0 10000 --lanes 16``. A process that dies or takes too long costs only its program: the
program's text is stored next to the report, and the next process continues with the program after it.
"""

from __future__ import annotations

import argparse
import faulthandler
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.effort import follow
from tests.fuzz.guard import Guard, GuardedNumpy

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("valid", "mutated")
LIMIT_S = 5.0
"""Longest processor time of a program in seconds, including compilation."""

PATIENCE_S = 60.0
"""Seconds after which a process counts as hung. Generous, because other work may slow the process down."""


@dataclass
class Report:
    """Number of programs by verdict, and the findings by the program's number."""

    verdicts: Counter[str] = field(default_factory=Counter)
    findings: dict[int, str] = field(default_factory=dict)
    slowest_s: float = 0.0

    @property
    def ran(self) -> int:
        return self.verdicts["ran"]

    def __str__(self) -> str:
        lines = [f"{dict(self.verdicts)}, the slowest {self.slowest_s:.2f} s, {len(self.findings)} findings"]
        return "\n".join([*lines, *(f"{number}: {text}" for number, text in sorted(self.findings.items()))])


@contextmanager
def guarded() -> Iterator[Guard]:
    """Guard all memory that compiled runs allocate for their programs, and copies of their arguments."""
    import pytest

    from backends.llvm.kernels import bind, placement, run

    guard = Guard()
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("backends.llvm.") and hasattr(module, "np")]
    prepare, initialize = vars(run)["prepare"], bind.Environment.__init__

    def prepared(*given: Any, **options: Any) -> Any:
        return guard.copied(prepare(*given, **options))

    def bound(self: Any, *given: Any, **options: Any) -> None:
        initialize(self, *given, **options)
        _guard_records(guard, self)

    stage = placement.Placement.stage_numbers

    def staged(*given: Any) -> Any:
        return guard.copy(stage(*given))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(placement.Placement, "stage_numbers", staged)
        for module in modules:
            patch.setattr(module, "np", GuardedNumpy(guard))
        patch.setattr(run, "prepare", prepared)
        patch.setattr(bind.Environment, "__init__", bound)
        yield guard


def _guard_records(guard: Guard, environment: Any) -> None:
    """Move the arrays of records that the environment points to before guard pages."""
    import ctypes

    moved = {}
    for item in environment._keep:
        if isinstance(item, ctypes.Array) and issubclass(item._type_, ctypes.Structure):
            size = ctypes.sizeof(item)
            moved[ctypes.addressof(item)] = place = guard.memory(size)
            ctypes.memmove(place, ctypes.addressof(item), size)
    assert moved, "where are the records?"
    for name, kind in environment.record._fields_:
        if kind is ctypes.c_void_p and getattr(environment.record, name) in moved:
            setattr(environment.record, name, moved[getattr(environment.record, name)])


def _work(kind: str, begin: int, end: int, lanes: int, place: Path) -> None:
    """Run programs in the child process. Prints the number of each program before it starts, and its result."""
    import tgsi
    from tests.fuzz.mutants import mutant
    from tests.property.fitting import fitting_arguments
    from tests.property.programs import generate
    from tgsi.language.diagnostics import UnsupportedError

    tgsi.run(tgsi.parse("VERT\nDCL OUT[0], POSITION\nEND\n"))
    with guarded() as guard:
        for number in range(begin, end):
            generated = generate(number) if kind == "valid" else None
            program = mutant(number) if generated is None else tgsi.parse(generated.text)
            if program is None:
                print(f"none {number} 0", flush=True)
                continue
            place.write_text(f"{program}")
            given = fitting_arguments(program, number) if generated is None else dict(generated.arguments)
            print(f"begin {number} 0", flush=True)
            start, verdict = time.process_time(), "ran"
            try:
                tgsi.run(program, lanes=lanes, **given)
                guard.release()
            except UnsupportedError:
                verdict = "unsupported"
            except ValueError as error:
                verdict = f"refused: {error}" if generated is None else f"raised {error!r}"
            except Exception as error:  # every other exception is a finding
                verdict = f"raised {error!r}"
            guard.release()
            print(f"{verdict.splitlines()[0]}\t{number}\t{time.process_time() - start:.3f}", flush=True)


def hunt(kind: str, begin: int, end: int, lanes: int = 8, keep: Path | None = None) -> Report:
    """Run the programs with these numbers. `keep`: directory for the texts of programs with findings."""
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "program.tgsi"
        while begin < end:
            begin = _batch(kind, begin, end, lanes, place, report, keep)
    return report


def _batch(kind: str, begin: int, end: int, lanes: int, place: Path, report: Report, keep: Path | None) -> int:
    """Run one process. Returns the number of the program to continue with."""
    command = [sys.executable, "-m", "tests.fuzz.hostile", kind, str(begin), str(end), "--lanes", str(lanes), "--worker", str(place)]
    errors = place.with_suffix(".err")
    with errors.open("wb") as log, subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, bufsize=0) as process:
        assert process.stdout is not None
        running, done = begin - 1, begin - 1
        for line in _lines(process):
            if line.startswith(("begin ", "none ")):
                running = int(line.split()[1])
                if line.startswith("none "):
                    report.verdicts["none"] += 1
                    done = running
                continue
            verdict, number, seconds = line.split("\t")
            done = int(number)
            report.verdicts[verdict.split()[0].rstrip(":")] += 1
            report.slowest_s = max(report.slowest_s, float(seconds))
            if verdict.startswith("raised"):
                _found(report, done, verdict, place, keep)
            elif float(seconds) > LIMIT_S:
                _found(report, done, f"took {seconds} s", place, keep)
        if process.poll() is None:
            process.kill()
            _found(report, running, f"hung for {PATIENCE_S} s", place, keep)
        elif process.returncode:
            _found(report, running, f"ended with {process.returncode}: {errors.read_text()[-600:]}", place, keep)
        elif done + 1 < end:
            _found(report, running, "ended early", place, keep)
        else:
            return end
    return max(running, begin) + 1


def _lines(process: subprocess.Popen[bytes]) -> Iterator[str]:
    """Lines of a process's output, until it ends or stays silent for too long."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(PATIENCE_S):
            line = process.stdout.readline()
            if not line:
                process.wait()
                return
            yield line.decode().rstrip("\n")


def _found(report: Report, number: int, what: str, place: Path, keep: Path | None) -> None:
    report.verdicts["found"] += 1
    report.findings[number] = what
    if keep is not None and place.exists():
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{number}.tgsi").write_text(place.read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("begin", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--lanes", type=int, default=8)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker is None:
        print(hunt(given.kind, given.begin, given.end, given.lanes, given.keep))
        return
    faulthandler.enable()
    follow()
    _work(given.kind, given.begin, given.end, given.lanes, given.worker)


if __name__ == "__main__":
    main()
