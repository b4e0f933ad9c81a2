"""Runs of cases in processes of their own, which go on where an earlier run ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import tgsi
from backends.system import end_with_parent
from tgsi.language.record import record
from tgsi.tools.verify.cases import LANES, NAMES, THREADS, Result, Way, first_difference, known, place, run_case

LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
ROTATING = 30
"""Cases that run in every way; each rotation takes the next ones."""
Task = tuple[str, Way]
DIED = "its process died"


@record
class Failure:
    """A case with a wrong result, or one that raised. text: what differs, or the error."""

    name: str
    way: Way
    text: str


def levels() -> list[str]:
    """Levels of x86-64 that this machine runs."""
    names = []
    for level in LEVELS:
        try:
            tgsi.run("VERT\nEND", cpu=level)
        except ValueError:
            continue
        names.append(level)
    return names


def tasks(rotation: int, everything: bool) -> list[Task]:
    """Every case as the defaults run it, then some, or all, by each number of threads, width and level."""
    step = rotation * ROTATING
    chosen = NAMES if everything else [NAMES[(step + k * 17) % len(NAMES)] for k in range(ROTATING)]
    ways = [*(Way(threads=n) for n in THREADS), *(Way(lanes=n) for n in LANES), *(Way(cpu=level) for level in levels())]
    more = [(name, way) for name in chosen for way in ways if way.threads is None or name.startswith("scene")]
    return [*((name, Way()) for name in NAMES), *more]


def sample(names: Sequence[str], count: int) -> list[Task]:
    """Up to `count` of the cases, spread evenly over them, as the defaults run them."""
    count = min(count, len(names))
    return [(names[k * len(names) // count], Way()) for k in range(count)]


def run_tasks(wanted: Sequence[Task], jobs: int, done: Callable[[Task, str], None], cached: bool = False) -> list[Failure]:
    """Run tasks in processes, which Ctrl-C ends. After each task, `done` is called with the mismatch as a text, empty if there is none.

    If a process dies, the tasks that it may have run are repeated, each in a process of its own, which finds the one that ends it.
    """
    failures, remaining = [], dict.fromkeys(wanted)

    def note(task: Task, text: str) -> None:
        del remaining[task]
        if text:
            failures.append(Failure(*task, text))
        done(task, text)

    while remaining:
        try:
            _run(list(remaining), jobs, note, cached)
        except BrokenExecutor:
            for task in list(remaining)[: 3 * jobs]:  # tasks start in order, and a process has at most one more in its queue
                try:
                    _run([task], 1, note, cached)
                except BrokenExecutor:
                    note(task, DIED)
    return failures


def _run(wanted: Sequence[Task], jobs: int, note: Callable[[Task, str], None], cached: bool) -> None:
    """Run tasks in a pool. BrokenExecutor if one of its processes dies."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(cached,)) as pool:
        try:
            waiting: dict[Future[str], Task] = {pool.submit(check, *task): task for task in wanted}
            for future in as_completed(waiting):
                note(waiting[future], future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _begin(cached: bool) -> None:
    """Prepare a worker. cached: it may use compiled kernels of the disk instead of compiling every one anew."""
    end_with_parent()
    if not cached:
        os.environ["TGSI_CACHE"] = "off"


def check(name: str, way: Way) -> str:
    """Run a case. Returns an empty text, or what is wrong: the first pixel that differs, and the kernels of the case."""
    digest, marks = known()[name]
    try:
        result = run_case(name, way)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if result.digest == digest:
        return ""
    return f"{_difference(name, way, result, digest, marks)}; kernels: {', '.join(kernels(name, way)) or 'none'}"


def _difference(name: str, way: Way, actual: Result, digest: bytes, marks: bytes) -> str:
    """The first pixel that differs from a run in another way with the right digest; without one, the first place whose mark differs."""
    for other in _others(way):
        try:
            right = run_case(name, other)
        except (ValueError, tgsi.TgsiError):
            continue
        if right.digest == digest:
            return f"{first_difference(name, actual, right)}, as by {other}"
    differing = [number for number, (a, b) in enumerate(zip(actual.marks, marks)) if a != b]
    return f"{place(name, differing[0])} differs, in every way of this machine" if differing else "depth alone differs"


def _others(way: Way) -> Iterator[Way]:
    """Other ways of running a case, the plainest first."""
    ways = [Way(threads=0, lanes=8, cpu="x86-64"), Way(threads=0), Way(threads=0, lanes=16), Way()]
    yield from (item for item in ways if item != way)


def kernels(name: str, way: Way) -> list[str]:
    """Kernels that a case uses, by the names of their files in TGSI_DUMP."""
    with tempfile.TemporaryDirectory() as folder:
        code = f"from tgsi.tools.verify.cases import Way, run_case; run_case({name!r}, Way({way.threads!r}, {way.lanes!r}, {way.cpu!r}))"
        path = os.pathsep.join(item for item in sys.path if item)
        environment = {**os.environ, "TGSI_DUMP": folder, "PYTHONPATH": path}
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
        return sorted(file.stem for file in Path(folder).glob("*.key"))


class Progress:
    """Tasks that are done, in a file that the next run reads: `--resume`."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        """OSError: the file cannot be read and written."""
        self.done: dict[str, str] = {}
        if path is not None:
            path.open("a", encoding="utf-8").close()
            self.done = _read(path)

    @staticmethod
    def key(task: Task) -> str:
        """The name of a task in the file."""
        return f"{task[0]} {task[1]}"

    def note(self, task: Task, text: str) -> None:
        """Note a task that is done. A line is written at once, so that nothing is lost."""
        self.done[self.key(task)] = text
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([self.key(task), text, _state()]) + "\n")


def _read(path: Path) -> dict[str, str]:
    """Tasks of a file that this version and its digests did."""
    results = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            key, text, state = json.loads(line)
        except (ValueError, TypeError):
            continue  # the last line of a run that was killed, or a line of another file
        if state == _state():
            results[key] = text
    return results


def _state() -> str:
    import hashlib

    digests = b"".join(digest for digest, _ in known().values())
    return f"{tgsi.__version__} {hashlib.sha256(digests).hexdigest()[:8]}"
