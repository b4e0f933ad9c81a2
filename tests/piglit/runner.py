"""Units on a side, a few at once. Each thread has its own display, since cases look at their windows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from tests.piglit.cases import Unit
from tests.piglit.outcomes import PATIENCE, Start, run_unit
from tests.piglit.results import Results


def remaining(units: Iterable[Unit], done: Iterable[str]) -> list[Unit]:
    """Units without the cases that are done."""
    known = set(done)
    left = (tuple(case for case in unit if case.name not in known) for unit in units)
    return [unit for unit in left if unit]


def run(
    units: Sequence[Unit],
    root: Path,
    results: Results,
    starter: Callable[[], AbstractContextManager[Start]],
    *,
    jobs: int = 1,
    seconds: float = float("inf"),
    patience: float = PATIENCE,
    tell: Callable[[int], None] = lambda count: None,
) -> None:
    """Run units until all are done or the time is over. tell: gets the number of cases that are done."""
    end, waiting, lock = time.monotonic() + seconds, iter(units), threading.Lock()
    errors: list[BaseException] = []

    def next_units() -> Iterator[Unit]:
        while time.monotonic() < end and not errors:
            with lock:
                unit = next(waiting, None)
            if unit is None:
                return
            yield unit

    def work() -> None:
        try:
            with starter() as start:
                for unit in next_units():
                    results.add(run_unit(unit, root, start, patience))
                    tell(len(results.found))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException as error:  # Ctrl-C: what has begun is finished, and kept
        errors.append(error)
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
