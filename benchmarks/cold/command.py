"""The command: python -m benchmarks --cold [--only a,b] [--rounds N] [--json FILE] [--cpu LEVEL] [--no-peer | --against DIR]"""

from __future__ import annotations

import argparse
import importlib.util
import json
from collections.abc import Callable
from typing import Any

from benchmarks.cold.turns import BASE, HEADER, ColdSide, import_seconds, measure_first_frames, row


def measure_cold(options: argparse.Namespace, peer_variables: Callable[[int, str | None], dict[str, str]]) -> int:
    """Measure first frames and print a row for each name. Returns 0 if all were drawn and their pictures agree, otherwise 1.

    peer_variables: returns llvmpipe's environment variables for a number of threads and a level of x86-64.
    """
    words = [word for name in ("threads", "lanes") if (value := getattr(options, name)) is not None for word in (f"--{name}", str(value))]
    variables = {} if options.cpu is None else {"TGSI_CPU": options.cpu}
    ours = ColdSide("tgsi", ("ours", *words), variables)
    peer: ColdSide | None = None
    if options.against is not None:
        peer = ColdSide("other", ours.arguments, variables, options.against.resolve())
    elif not options.no_peer and importlib.util.find_spec("moderngl") is not None:
        peer = ColdSide("llvmpipe", ("peer",), peer_variables(options.peer_threads, options.cpu))
    print(f"Processor time in ms, median of {options.rounds} processes; ratios of processor and of wall time, above 1: the peer takes less")
    print(HEADER, flush=True)
    out: dict[str, Any] = {}
    bad = False
    modules: list[str] = []
    for name in options.names:
        result = measure_first_frames(name, ours, peer, options.rounds)
        out[name] = result.as_json()
        bad |= result.check_ok is not True
        modules = modules or result.ours.modules
        print(row(result), flush=True)
    if modules:
        own, base = import_seconds(modules, ours, options.rounds)
        out["_imports_ms"] = {"ours": own * 1e3, "base": base * 1e3}
        print(f"\nimports of {options.names[0]}: {(own - base) * 1e3:.0f} ms of processor time above '{BASE}' ({base * 1e3:.0f} ms)")
    if options.json is not None:
        options.json.write_text(json.dumps(out, indent=1) + "\n")
    return int(bad)
