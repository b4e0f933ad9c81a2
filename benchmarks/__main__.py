"""python -m benchmarks [--only a,b] [--json FILE] [--budget S] [--rounds N] [--cpu LEVEL] [--no-peer | --against DIR] [--cold | ..]"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks import history
from benchmarks.catalog import WORKLOADS
from benchmarks.cold import turns as cold
from benchmarks.cold.command import measure_cold
from benchmarks.levels import LEVEL_CAPS, LEVEL_WIDTHS, VECTOR_WIDTHS, own_variables
from benchmarks.load.busy import measure_busy
from benchmarks.load.processors import Processors
from benchmarks.load.scale import measure_scale
from benchmarks.measure import Result, run_workload
from benchmarks.processes import ROOT, SideDied, SideFailed, SideProcess
from benchmarks.report import HEADER, row
from tgsi.tools.parsing import Parser

MEMORY_WORKLOADS = ("mesh_torus", "tex_bilinear")


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = Parser(
        prog="python -m benchmarks",
        description="Measure our renderer and llvmpipe in turn, in one run.",
        epilog="Exit codes: 0 all pictures agree, 1 a workload failed or a picture differs, 2 an option is wrong.",
    )
    parser.add_argument("--only", metavar="NAMES", help="workload names, separated by commas")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to FILE")
    parser.add_argument("--budget", type=float, default=2.0, metavar="SECONDS", help="seconds per side and workload (default 2)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="turns into which the budget is divided (default 5)")
    parser.add_argument("--threads", type=int, metavar="N", help="worker threads in addition to the calling one (default: CPUs - 1)")
    parser.add_argument("--lanes", type=int, metavar="N", help="vector width in lanes (default: chosen per shader)")
    parser.add_argument("--peer-threads", type=int, default=os.cpu_count() or 1, metavar="N", help="LP_NUM_THREADS (default: CPUs)")
    parser.add_argument("--cpu", choices=LEVEL_WIDTHS, help="a level of x86-64 that limits both sides (default: what the machine has)")
    peer = parser.add_mutually_exclusive_group()
    peer.add_argument("--no-peer", action="store_true", help="measure our side alone, checked against the recorded pictures")
    peer.add_argument("--against", type=Path, metavar="DIR", help="measure the renderer of another checkout instead of llvmpipe")
    parser.add_argument("--cold", action="store_true", help="measure first frames of fresh processes; --only also takes triangle and vase")
    parser.add_argument("--busy", action="store_true", help="measure frames a second on a busy and on an idle machine")
    parser.add_argument(
        "--scale", action="store_true", help="measure phases on one and on two threads, and project them to more processors"
    )
    parser.add_argument("--history", action="store_true", help="measure frames of contexts that keep their calls, in turn with others")
    parser.add_argument("--memory", action="store_true", help="measure peak memory of a 1920x1080 frame instead of times")
    parser.add_argument("--list", action="store_true", help="describe the workloads")
    options = parser.parse_args(arguments)
    known, default = (cold.NAMES, cold.DEFAULT) if options.cold else (tuple(WORKLOADS), tuple(WORKLOADS))
    if options.history:
        known, default = history.NAMES, history.DEFAULT
    names = options.only.split(",") if options.only else list(default)
    if unknown := [n for n in names if n not in known]:
        parser.error(f"--only: no workload named {', '.join(unknown)}; --list names them")
    if options.rounds < 1 or options.budget <= 0:
        parser.error("--rounds and --budget: at least one round, and more than no time")
    needed = Path("benchmarks", "cold", "process.py") if options.cold else Path("benchmarks", "serve.py")
    if options.against is not None and not (options.against / needed).is_file():
        parser.error(f"--against: {options.against} is not a checkout of this repository: it has no {needed}")
    options.names = names
    return options


def list_workloads() -> None:
    for w in WORKLOADS.values():
        print(f"{w.name:20} {w.unit:12} {w.what}")


def peak_memory(threads: int | None) -> dict[str, Any]:
    """Peak memory in MB by workload, each measured in a process of its own."""
    out: dict[str, Any] = {}
    for name in MEMORY_WORKLOADS:
        command = [sys.executable, "-m", "benchmarks.memory", name, *_option("--threads", threads)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            out[name] = float(done.stdout)
            print(f"{name:20} {out[name]:8.1f} MB", flush=True)
        else:
            out[name] = None
            print(f"{name:20} failed: {done.stderr.strip().splitlines()[-1:] or done.returncode}", flush=True)
    return out


def peer_variables(threads: int, cpu: str | None, width: int | None = None) -> dict[str, str]:
    """Environment variables of llvmpipe for a level and a vector width (default: the first one of the level). Needs moderngl."""
    from benchmarks.peer import environment

    return environment(threads, width or LEVEL_WIDTHS.get(cpu or "", VECTOR_WIDTHS)[0]) | LEVEL_CAPS.get(cpu or "", {})


def start_peers(threads: int, cpu: str | None, stack: ExitStack) -> tuple[list[SideProcess], dict[str, str]]:
    """Working peer processes, and for each peer its description or the reason why it is missing."""
    said: dict[str, str] = {}
    if importlib.util.find_spec("moderngl") is None:
        return [], {"llvmpipe": "not measured: moderngl is not installed"}
    working = []
    for width in VECTOR_WIDTHS if cpu is None else LEVEL_WIDTHS[cpu]:
        variables = peer_variables(threads, cpu, width)
        side = stack.enter_context(SideProcess(f"llvmpipe-{width}", ["peer"], variables))
        try:
            said[side.name] = side.ask("describe")["describe"]
            side.ask("prepare", name="fill_flat")  # a width that the CPU or Mesa's LLVM does not support fails at the first shader
            side.ask("prepare", name="tex_bilinear")
        except (SideDied, SideFailed) as error:
            said[side.name] = f"not measured: {error}"
            continue
        working.append(side)
    return working, said


def start_other(root: Path, arguments: list[str], variables: dict[str, str], stack: ExitStack) -> tuple[list[SideProcess], dict[str, str]]:
    """The renderer of another checkout as the only peer, and its description."""
    side = stack.enter_context(SideProcess("other", arguments, variables, root=root.resolve()))
    return [side], {"other": f"{side.ask('describe')['describe']} of {root}"}


def _option(name: str, value: int | None) -> list[str]:
    return [] if value is None else [name, str(value)]


def start_sides(options: argparse.Namespace, stack: ExitStack) -> tuple[SideProcess, list[SideProcess], dict[str, str]]:
    """Our side, the working peers, and for each side its description or the reason why it is missing."""
    arguments = ["ours", *_option("--threads", options.threads), *_option("--lanes", options.lanes)]
    variables = own_variables(options.cpu)
    if options.against is not None:
        sides, said = start_other(options.against, arguments, variables, stack)
    else:
        sides, said = ([], {}) if options.no_peer else start_peers(options.peer_threads, options.cpu, stack)
    ours = stack.enter_context(SideProcess("tgsi", arguments, variables))
    return ours, sides, {"tgsi": ours.ask("describe")["describe"], **said}


def measure(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Run the workloads. Yields ("_run", description of the sides) first, then a pair (name, Result) per workload."""
    with ExitStack() as stack:
        ours, sides, said = start_sides(options, stack)
        yield (
            "_run",
            {"sides": said, "cpus": os.cpu_count(), "cpu": options.cpu, "load": os.getloadavg()[0], "peer_threads": options.peer_threads},
        )
        for name in options.names:
            yield name, run_workload(WORKLOADS[name], ours, sides, budget=options.budget, rounds=options.rounds, processors=Processors())


def geometric_means(rows: list[dict[str, Any]]) -> str:
    """A sentence with the geometric means of all ratios, by the clock and by processor time."""
    clock = [item["ratio"] for item in rows if item["ratio"]]
    if not clock:
        return "no ratios"
    cpu = [item["peer_cpu_ms"] / item["ours_cpu_ms"] for item in rows if item["ratio"] and item["ours_cpu_ms"]]
    mean = statistics.geometric_mean
    return f"geometric mean of {len(clock)} ratios: {mean(clock):.3f}, of processor time {mean(cpu):.3f}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command. Returns 0 if every workload ran and every picture agrees, otherwise 1."""
    options = parse_arguments(arguments)
    if options.list:
        list_workloads()
        return 0
    if options.cold:
        return measure_cold(options, peer_variables)
    if options.busy:
        return measure_busy(options, start_sides)
    if options.scale:
        return measure_scale(options)
    if options.history:
        return history.measure_history(options)
    out: dict[str, Any] = {}
    bad = False
    if options.memory:
        out["_memory_mb"] = peak_memory(options.threads)
        bad = None in out["_memory_mb"].values()
    else:
        for name, result in measure(options):
            if isinstance(result, Result):
                out[name] = result.as_json()
                bad |= result.check_ok is not True
                print(row(result), flush=True)
            else:
                out[name] = result
                for side, text in result["sides"].items():
                    print(f"{side}: {text}")
                print(f"\n{HEADER}", flush=True)
        rows = [item for name, item in out.items() if name != "_run"]
        print(f"\n{geometric_means(rows)}; {sum(item['rejected'] for item in rows)} rounds rejected, in which others took a processor")
    if options.json is not None:
        options.json.write_text(json.dumps(out, indent=1) + "\n")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
