"""OpenGL clients of Python on `tgsi.opengl` and on Debian's libOSMesa (llvmpipe), by turns:

    python -m benchmarks.clients [--only a,b] [--rounds N] [--budget S] [--json FILE]

Each round starts one process of each side, which imports the client, draws frames for a slice of the budget, and keeps one picture.
Ratios are medians of the rounds, of wall time and of processor time; above 1, ours takes less. The pictures must agree: their mean
difference is at most 1 of 255. `pyvista_first` counts the first picture after imports, with empty caches (`cold`) and with those of the
run before (`warm`). Clients that are not installed are named and left out: pip install moderngl mujoco gymnasium pyvista PyOpenGL;
apt-get install libosmesa6.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clients.drawing import WORKLOADS
from benchmarks.processes import ROOT
from tgsi.tools.parsing import Parser

PATIENCE = 600.0
TOLERANCE = 1.0
"""Largest mean difference of two pictures, of 255."""
_PEER = {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"}
_HEADER = f"{'workload':22} {'ours, ms':>10} {'osmesa, ms':>10} {'ratio':>7} {'p10..p90':>13} {'processor':>9}  difference"


def run(side: str, name: str, seconds: float, folder: Path) -> tuple[dict[str, float], np.ndarray[Any, Any]]:
    """Run one side's process. folder: its home, which keeps its caches. RuntimeError with the last line that it printed."""
    out = folder / "picture.npz"
    home = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "TGSI_CACHE_DIR": str(folder / "kernels")}
    environment = {**os.environ, **home, **(_PEER if side == "osmesa" else {}), "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])}
    words = [sys.executable, "-m", "benchmarks.clients.child", side, name, str(seconds), str(out)]
    ended = subprocess.run(words, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if ended.returncode:
        raise RuntimeError(f"{side}: exit code {ended.returncode}: {(ended.stderr.strip().splitlines() or ['no message'])[-1]}")
    with np.load(out) as kept:
        return json.loads(ended.stdout.strip().splitlines()[-1]), kept["picture"]


def measure(name: str, rounds: int, seconds: float) -> dict[str, dict[str, Any]]:
    """The rows of a workload, by name."""
    kinds = ("cold", "warm") if WORKLOADS[name].is_first else ("",)
    rows: dict[str, dict[str, Any]] = {f"{name} {kind}".strip(): {"ours": [], "peer": [], "difference": 0.0, "note": ""} for kind in kinds}
    for turn in range(rounds):
        with tempfile.TemporaryDirectory(prefix="tgsi-clients-") as place:
            pictures = {}
            for side in ("tgsi", "osmesa") if turn % 2 == 0 else ("osmesa", "tgsi"):
                folder = Path(place, side)
                folder.mkdir()
                for title, row in rows.items():
                    try:
                        figures, pictures[title, side] = run(side, name, seconds, folder)
                    except (RuntimeError, subprocess.TimeoutExpired, OSError) as error:
                        return {title: {**row, "note": str(error)}}
                    row["ours" if side == "tgsi" else "peer"].append(figures)
            for title, row in rows.items():
                ours, theirs = (pictures[title, side].astype(int) for side in ("tgsi", "osmesa"))
                row["difference"] = max(row["difference"], float(abs(ours - theirs).mean()))
    return rows


def line(title: str, row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A row of the table, and its figures."""
    if row["note"] or not row["ours"]:
        return f"{title:22} {row['note']}", {"note": row["note"]}
    ratios = {
        kind: sorted(theirs[kind] / ours[kind] for ours, theirs in zip(row["ours"], row["peer"], strict=True)) for kind in ("wall", "cpu")
    }
    wall, cpu = (statistics.median(ratios[kind]) for kind in ("wall", "cpu"))
    ours, theirs = (1000 * statistics.median(figures["wall"] for figures in row[side]) for side in ("ours", "peer"))
    agrees = row["difference"] <= TOLERANCE
    figures = {"ours_ms": ours, "peer_ms": theirs, "ratio": wall, "cpu_ratio": cpu, "difference": row["difference"], "check_ok": agrees}
    spread = f"{ratios['wall'][0]:.2f}..{ratios['wall'][-1]:.2f}"
    check = f"{row['difference']:.3f}" if agrees else f"{row['difference']:.3f} DIFFERS"
    return f"{title:22} {ours:10.2f} {theirs:10.2f} {wall:6.2f}x {spread:>13} {cpu:8.2f}x  {check}", figures


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="python -m benchmarks.clients", description="OpenGL clients of Python on tgsi.opengl and on libOSMesa, by turns.")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(WORKLOADS), metavar="A,B", help=", ".join(WORKLOADS))
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="processes of each side (default 3)")
    parser.add_argument("--budget", type=float, default=2.0, metavar="SECONDS", help="of each process (default 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.only if name not in WORKLOADS]
    if unknown:
        parser.error(f"--only: {', '.join(unknown)}: the workloads are {', '.join(WORKLOADS)}")
    print(_HEADER, flush=True)
    figures: dict[str, Any] = {}
    for name in options.only:
        missing = [package for package in WORKLOADS[name].needs if importlib.util.find_spec(package) is None]
        if missing:
            print(f"{name:22} not installed: {', '.join(missing)}", flush=True)
            continue
        for title, row in measure(name, options.rounds, options.budget).items():
            text, figures[title] = line(title, row)
            print(text, flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    return int(any(row.get("note") or not row["check_ok"] for row in figures.values()))


if __name__ == "__main__":
    sys.exit(main())
