"""Process of one first frame: python -m benchmarks.cold.process ours|peer NAME [--preload FILE] [--threads N] [--lanes N]

Prints a JSON line: processor time before the clock started, processor and wall time of the frame, a summary of its picture, and the
names of all modules that are loaded then; or the reason why it cannot be drawn. `--preload` names modules that are imported before the
clock starts.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks import geometry
from benchmarks.cold.clock import Clock
from benchmarks.side import Side, Unsupported


def draw_workload(side: str, name: str, clock: Clock, **options: Any) -> dict[str, Any]:
    """Draw the first frame of a workload of the catalog."""
    make: Callable[[], Side]
    if side == "peer":
        from benchmarks.peer import Peer

        make = Peer
    else:
        from benchmarks.ours import Ours

        make = functools.partial(Ours, cache_dir=None, **options)
    clock.leave_out(geometry)
    clock.start()
    job = make().prepare(name)
    job.frame()
    times = clock.stop()
    return times | (_summary(job.check()) if job.check is not None else {})


def draw_scene(side: str, name: str, clock: Clock, **options: Any) -> dict[str, Any]:
    """Draw a scene of the examples, read back."""
    if side == "peer":
        from benchmarks.cold.peer_scenes import SCENES
    else:
        from benchmarks.cold.our_scenes import SCENES
    picture = SCENES[name](clock, **options)
    times = clock.stop()
    return times | _summary(geometry.check(picture.reshape(-1, picture.shape[-1])))


def _summary(check: Any) -> dict[str, Any]:
    return {"mean": list(check.mean), "covered": check.covered}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold.process")
    parser.add_argument("side", choices=["ours", "peer"])
    parser.add_argument("name")
    parser.add_argument("--preload", type=Path)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--lanes", type=int)
    arguments = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not mix with the answer
    options = {} if arguments.side == "peer" else {"threads": arguments.threads, "lanes": arguments.lanes}
    for module in arguments.preload.read_text().split() if arguments.preload else ():
        with suppress(ImportError):  # a module that another one removes again
            importlib.import_module(module)
    draw = draw_scene if arguments.name in ("triangle", "vase") else draw_workload
    try:
        answer = draw(arguments.side, arguments.name, Clock(), **options)
    except Unsupported as reason:
        answer = {"unsupported": str(reason)}
    answer["modules"] = [name for name in sys.modules if not name.startswith("__")]
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
