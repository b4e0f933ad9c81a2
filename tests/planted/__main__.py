"""Plant faults in copies of the tree, one at a time, and tell which tests find them: ``python -m tests.planted --seed 1 --count 300``.

Two copies work side by side. ``--state FILE`` keeps the results, a line each, and a later call with the same seed goes on from there;
``--part K/N`` takes each Nth fault. The report lists what no test found, each with a test that runs the place: exit code 1 if that is more
than a tenth.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

from tests.planted.copies import Copy
from tests.planted.covering import covering_tests
from tests.planted.faults import Fault, chosen

GOAL = 0.9


@dataclass(frozen=True)
class Result:
    """Outcome of a fault. by: the first test that failed; empty: none found it. reached: then, a test that runs the place."""

    number: int
    fault: str
    new: str
    by: str
    seconds: float
    reached: str = ""


def results(numbered: Sequence[tuple[int, Fault]], workers: int) -> Iterator[Result]:
    """Results of faults as they come."""
    waiting, ready = SimpleQueue[tuple[int, Fault]](), SimpleQueue[Result | BaseException]()
    for item in numbered:
        waiting.put(item)

    def work(folder: Path) -> None:
        try:
            copy = Copy(folder, folder.parent)
            while True:
                number, fault = waiting.get_nowait()
                begin = time.monotonic()
                found = copy.look(fault, covering_tests(fault.module))
                seconds = round(time.monotonic() - begin, 1)
                ready.put(Result(number, str(fault), fault.new, found.by, seconds, found.reached))
        except Empty:
            pass
        except BaseException as error:
            ready.put(error)

    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        threads = [threading.Thread(target=work, args=(Path(folder) / str(number),), daemon=True) for number in range(workers)]
        for thread in threads:
            thread.start()
        for _ in numbered:
            result = ready.get()
            if isinstance(result, BaseException):
                raise result
            yield result


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant faults. Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.planted", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--part", default="1/1", help="K/N: each Nth fault, from the Kth on")
    parser.add_argument("--state", type=Path, help="file of results, a line each")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    first, step = map(int, options.part.split("/"))
    faults = list(enumerate(chosen(options.seed, options.count)))[first - 1 :: step]
    known: dict[int, Result] = {}
    if options.state is not None and options.state.exists():
        lines = [Result(**json.loads(line)) for line in options.state.read_text(encoding="utf-8").splitlines()]
        known = {item.number: item for item in lines if dict(faults).get(item.number) and str(dict(faults)[item.number]) == item.fault}
    for result in results([item for item in faults if item[0] not in known], options.workers):
        known[result.number] = result
        print(f"{result.number:4} {result.fault} -> {result.new[:60]!r}: {result.by or 'NOT FOUND'} ({result.seconds} s)", flush=True)
        if options.state is not None:
            with options.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(result)) + "\n")
    missed = [known[number] for number in sorted(known) if not known[number].by]
    share = 1 - len(missed) / max(len(known), 1)
    print(f"{len(known)} faults, {share:.0%} found")
    for item in missed:
        print(f"  not found: {item.fault} -> {item.new[:100]}")
    return 0 if share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
