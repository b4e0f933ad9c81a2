"""Fake side for tests of the process protocol: `python -m tests.benchmarks.fake_serve`. Workload "crash" kills the process."""

from __future__ import annotations

import os
import sys

from benchmarks.catalog import Check
from benchmarks.serve import serve
from benchmarks.side import Job, Unsupported


class FakeSide:
    def describe(self) -> str:
        return f"fake {os.environ.get('FAKE_NAME', '')}".strip()

    def prepare(self, name: str) -> Job:
        if name == "mrt4_rgba16f":
            raise Unsupported("half floats")
        if name == "raymarch":
            raise RuntimeError("no rays")
        if name == "crash":
            os._exit(3)
        return Job(lambda: None, lambda: Check((0.25, 0.5, 0.75, 1.0), 1.0))

    def close(self) -> None:
        pass


if __name__ == "__main__":
    serve(FakeSide, sys.stdin, sys.stdout)
