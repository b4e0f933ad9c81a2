"""Table that is printed while the workloads run."""

from __future__ import annotations

from benchmarks.measure import Result, Track

HEADER = f"{'workload':20} {'unit':12} {'ours':>10} {'peer':>10} {'ratio':>7} {'p10..p90':>13} {'best':>7}  check"


def row(result: Result) -> str:
    """Row of the table."""
    w = result.workload
    ratio = "-" if result.ratio is None else f"{result.ratio:.2f}x"
    spread = "-" if result.spread is None else f"{result.spread[0]:.2f}..{result.spread[1]:.2f}"
    check = {True: "ok", False: "DIFFERS", None: "-"}[result.check_ok]
    best = "-" if result.best_ratio is None else f"{result.best_ratio:.2f}x"
    values = f"{_figure(result, result.ours):>10} {_figure(result, result.peer):>10}"
    line = f"{w.name:20} {w.unit:12} {values} {ratio:>7} {spread:>13} {best:>7}  {check}"
    return f"{line}  {result.note}" if result.note else line


def _figure(result: Result, track: Track | None) -> str:
    if track is None or track.seconds is None:
        return "-"
    value = result.workload.value(track.seconds)
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"
