"""One side's process of one workload: ``python -m benchmarks.clients.child SIDE WORKLOAD SECONDS OUT.npz``."""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time

import numpy as np

from benchmarks.clients.drawing import WORKLOADS
from benchmarks.clients.sides import SIDES

WARM = 2
CHECKED = 1
"""Number of the frame whose picture is compared."""


def _spent() -> float:
    """Processor time of this process and of its ended children (glslang), in seconds."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    side, name, seconds, out = SIDES[sys.argv[1]](), sys.argv[2], float(sys.argv[3]), sys.argv[4]
    workload = WORKLOADS[name]
    if workload.is_first:
        for package in workload.needs:
            side.install()
            __import__(package)  # a first picture counts from the first call after imports
    wall, spent = time.perf_counter(), _spent()
    frame = workload.begin(side)
    picture = frame(0)
    first, first_spent = time.perf_counter() - wall, _spent() - spent
    walls, times = [first], [first_spent]
    if not workload.is_first:
        for number in range(1, 1 + WARM):
            frame(number)
        walls, times = [], []
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or len(walls) < 3:
            wall, spent = time.perf_counter(), _spent()
            frame(len(walls))
            walls.append(time.perf_counter() - wall)
            times.append(_spent() - spent)
        picture = frame(CHECKED)
    np.savez(out, picture=picture[..., :3])
    figures = {"wall": statistics.median(walls), "cpu": statistics.median(times), "first": first, "first_cpu": first_spent}
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
