"""``--time-passes``: time spent in each stage of a command."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class Stopwatch:
    """Milliseconds by stage, in the order of first use. Times of a repeated stage are added up."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure the body of a `with` statement, even if it raises."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.add({name: (time.perf_counter() - begin) * 1e3})

    def add(self, times: Mapping[str, float]) -> None:
        """Add times that were measured elsewhere, in milliseconds by stage."""
        for name, spent in times.items():
            self.times[name] = self.times.get(name, 0.0) + spent

    @property
    def total(self) -> float:
        """Sum of all stages in milliseconds."""
        return sum(self.times.values())

    def text(self) -> str:
        """Table with the columns stage, milliseconds and percent of the total."""
        width = max([len("total"), *map(len, self.times)])
        rows = [f"{'stage':{width}}        ms  percent\n"]
        for name, spent in [*self.times.items(), ("total", self.total)]:
            rows.append(f"{name:{width}}  {spent:8.3f}  {self._percent(spent):7.1f}\n")
        return "".join(rows)

    def json(self) -> str:
        """JSON object of the same table: `times`, a list of `stage`, `ms` and `percent`, and `total_ms`."""
        import json

        rows = [{"stage": name, "ms": round(spent, 4), "percent": round(self._percent(spent), 2)} for name, spent in self.times.items()]
        return json.dumps({"times": rows, "total_ms": round(self.total, 4)}, indent=1) + "\n"

    def _percent(self, spent: float) -> float:
        return 100 * spent / self.total if self.total else 0.0
