"""Peak memory of a 1920x1080 frame, in a fresh process: `python -m benchmarks --memory`."""

from __future__ import annotations

import argparse
import resource

from benchmarks.ours import Ours

FRAMES = 3


def main() -> None:
    """Render a few frames of one workload and print the peak memory of the process in MB of 10^6 bytes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory")
    parser.add_argument("workload")
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    ours = Ours(threads=arguments.threads)
    job = ours.prepare(arguments.workload)
    for _ in range(FRAMES):
        job.frame()
    ours.close()
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6:.1f}")


if __name__ == "__main__":
    main()
