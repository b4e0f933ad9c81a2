"""python -m benchmarks --history: frames of contexts that record their calls, by turns with frames of contexts that do not.

`longer` is the median of the rounds' ratios: 1.2 means that a frame with `Screen(history=True)` takes 1.2 times as long.
"""

from __future__ import annotations

import argparse
import json
import statistics
from contextlib import ExitStack
from typing import Any

from benchmarks.catalog import DRAWS, HABITS, UPLOADS, WORKLOADS, Workload
from benchmarks.levels import own_variables
from benchmarks.load.processors import Processors
from benchmarks.measure import Result, percentile, run_workload
from benchmarks.processes import SideProcess

MOST = 1.5
"""Largest allowed ratio of a recorded frame's time to that of an unrecorded one."""
WARM_UP = 0.5
"""Seconds of a first round that does not count: a history takes new memory from the system until it uses its old memory again."""
DEFAULT = (
    *("draw_bindings", "draw_states", "draw_calls", "draw_constants", "draw_uploads", "draw_targets", "draw_queries", "draw_patches"),
    *("small_frames", "scene_frame", "large_uploads", "draw_maps", "draw_views"),
)
HEADER = f"{'workload':20} {'off, ms':>9} {'on, ms':>9} {'longer':>8} {'p10..p90':>13}  check"
_OWN = (
    (
        *("draw_bindings", "draw/s", DRAWS),
        "512x512, clear, 10,000 draws of one triangle; a vertex buffer, a blend state, a viewport, a scissor and a uniform before each.",
    ),
    (
        "large_uploads",
        "upload/s",
        2 * UPLOADS,
        "64x64, clear, 100 draws; 64 KiB of texels and 64 KiB of vertices are uploaded for each.",
    ),
    ("draw_maps", "draw/s", HABITS, "512x512, clear, 2,000 draws of one triangle, whose vertices are written into a mapping before each."),
    ("draw_views", "draw/s", HABITS, "64x64, clear, 2,000 textured draws with a new sampler view each."),
)
OWN = {name: Workload(name, unit, amount, None, text) for name, unit, amount, text in _OWN}
"""Workloads that only this command runs; `our_draws` draws them."""
NAMES = (*OWN, *WORKLOADS)


def row(result: Result) -> str:
    """Row of the table."""
    on, off, name = result.ours, result.peer, result.workload.name
    if result.ratio is None or off is None or off.seconds is None or on.seconds is None:
        return f"{name:20} {'-':>9} {'-':>9} {'-':>8} {'-':>13}  {result.note}"
    ratios = longer(result)
    spread = f"{percentile(ratios, 0.1):.2f}..{percentile(ratios, 0.9):.2f}"
    times = f"{off.seconds * 1e3:9.3g} {on.seconds * 1e3:9.3g} {statistics.median(ratios):7.2f}x {spread:>13}"
    return f"{name:20} {times}  {'ok' if result.check_ok else 'DIFFERS'}{f'  {result.note}' if result.note else ''}"


def longer(result: Result) -> list[float]:
    """Times of recorded frames divided by those of others, round by round."""
    return [on / off for on, off in zip(result.ours.rounds, result.peer.rounds if result.peer else [], strict=False)]


def measure_history(options: argparse.Namespace) -> int:
    """Measure the workloads and print a row for each. Returns 0 if no frame takes more than MOST times as long, and pictures agree."""
    arguments = [
        "ours",
        *(word for name in ("threads", "lanes") if getattr(options, name) for word in (f"--{name}", str(getattr(options, name)))),
    ]
    variables, out, is_bad = own_variables(options.cpu), dict[str, Any](), False
    with ExitStack() as stack:
        on, off = (stack.enter_context(SideProcess(*side, variables)) for side in (("on", [*arguments, "--history"]), ("off", arguments)))
        print(f"{on.ask('describe')['describe']}; history on and off\n\n{HEADER}", flush=True)
        for name in options.names:
            workload = OWN.get(name) or WORKLOADS[name]
            more: dict[str, Any] = {"processors": Processors(), "warm_up": WARM_UP}
            result = run_workload(workload, on, [off], budget=options.budget, rounds=options.rounds, **more)
            times = longer(result)
            out[name] = result.as_json() | {"longer": statistics.median(times) if times else None}
            is_bad |= not times or statistics.median(times) > MOST or result.check_ok is False
            print(row(result), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(out, indent=1) + "\n")
    return int(is_bad)
