"""python -m benchmarks.accuracy [--functions A,B] [--engines jit,interp] [--samples N] [--exhaustive] [--jobs N] [--markdown] [--json FILE]

Errors of the transcendental functions and of conversions to and from half, measured through `tgsi.run` and judged by mpmath.

The reference of a first look is float64 (numpy). It finds the inputs with the largest errors; their errors, which the table shows, are
computed again by mpmath with 256 bits. The float64 reference itself is compared with mpmath on a stratified sample: `reference` is its
largest error in the same unit, so that the true maximum over the inputs is at most the sum of both.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import tgsi
from benchmarks.accuracy_functions import FUNCTIONS, Doubles, MeasuredFunction, Words, sample
from benchmarks.accuracy_halves import measure_halves

CHUNK = 1 << 22
CANDIDATES = 24
REFERENCE_SAMPLES = 3000
PRECISION = 256
SEED = 20261121
ENGINES = ("jit", "interp")


@dataclass
class Row:
    """What was found of one function in one engine. Errors are in units of the last place, or absolute; `at` are input words."""

    name: str
    engine: str
    bound: float
    absolute: bool
    count: int = 0
    worst: float = 0.0
    at: tuple[int, ...] = ()
    mean: float = 0.0
    wrong: int = 0
    reference: float = 0.0
    candidates: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """The bound holds, and every special value is right."""
        return self.worst <= self.bound and not self.wrong

    def merge(self, other: Row) -> None:
        """Take what was found over other inputs."""
        total = self.count + other.count
        self.mean = (self.mean * self.count + other.mean * other.count) / max(1, total)
        self.count, self.wrong = total, self.wrong + other.wrong
        self.candidates = sorted([*self.candidates, *other.candidates], reverse=True)[:CANDIDATES]


def evaluate(function: MeasuredFunction, inputs: Sequence[Words], engine: str) -> Words:
    """Results of all inputs, by `tgsi.run`."""
    count = len(inputs[0])
    padded = np.zeros((len(inputs), -(-count // 4) * 4), np.uint32)
    for row, words in zip(padded, inputs):
        row[:count] = words
    given = padded.reshape(len(inputs), -1, 4).transpose(1, 0, 2)
    return tgsi.run(tgsi.parse(function.text), given, engine=engine).outputs[:, 0].reshape(-1)[:count]


def unit_of(exact: Doubles) -> Doubles:
    """A unit in the last place of a float32 near each number: 2^-149 for subnormal ones."""
    size = np.clip(np.abs(exact), 2.0**-149, 2.0**127)
    return np.asarray(np.ldexp(1.0, np.maximum(np.frexp(size)[1] - 1, -126) - 23))


def measure(function: MeasuredFunction, inputs: Sequence[Words], engine: str) -> Row:
    """Errors by the float64 reference, and the candidates for the largest; results that are wrongly NaN or finite count as `wrong`."""
    row = Row(function.name, engine, function.bound, function.absolute, count=len(inputs[0]))
    if not row.count:
        return row
    got = evaluate(function, inputs, engine).view(np.float32).astype(np.float64)
    with np.errstate(all="ignore"):
        expected = function.reference(*(words.view(np.float32).astype(np.float64) for words in inputs))
        limited, result = np.clip(expected, -(2.0**128), 2.0**128), np.clip(got, -(2.0**128), 2.0**128)
        error = np.abs(result - limited)
        if not function.absolute:
            error /= unit_of(limited)
    invalid = np.isnan(got) != np.isnan(expected)
    row.wrong = int(invalid.sum())
    error[np.isnan(error)] = 0.0
    row.mean = float(error.mean())
    best = np.argpartition(error, -min(CANDIDATES, row.count))[-CANDIDATES:]
    row.candidates = [(float(error[k]), tuple(int(words[k]) for words in inputs)) for k in best]
    return row


def count_wrong_specials(function: MeasuredFunction, engine: str) -> int:
    """How many of the special values do not come out bit for bit."""
    if not function.specials:
        return 0
    inputs = [np.array([given[k] for given, _ in function.specials], np.uint32) for k in range(function.arguments)]
    got = evaluate(function, inputs, engine)
    nan = np.isnan(got.view(np.float32))
    return sum(not nan[k] if wanted is None else int(got[k]) != wanted for k, (_, wanted) in enumerate(function.specials))


def exact_error(function: MeasuredFunction, given: tuple[int, ...], got: float) -> float | None:
    """The error of one result by mpmath; None where the function has no finite value."""
    import mpmath

    mp = mpmath.mp
    with mp.workprec(PRECISION):
        numbers = [mp.mpf(float(np.uint32(word).view(np.float32))) for word in given]
        try:
            exact = function.exact(mp, *numbers)
        except (ZeroDivisionError, ValueError):
            return None
        if isinstance(exact, mpmath.mpc) or not mp.isfinite(exact):
            return None
        exact = max(min(mp.mpf(exact), mp.mpf(2) ** 128), -(mp.mpf(2) ** 128))
        error = abs(mp.mpf(max(min(got, 2.0**128), -(2.0**128))) - exact)
        if not function.absolute:
            exponent = max(int(mp.frexp(min(abs(exact), mp.mpf(2) ** 127))[1]) - 1, -126) if exact else -126
            error /= mp.mpf(2) ** (exponent - 23)
        return float(error)


def settle(row: Row) -> None:
    """The largest error, by mpmath, among the candidates."""
    function = FUNCTIONS[row.name]
    given = [inputs for _, inputs in row.candidates]
    got = evaluate(function, [np.array(words, np.uint32) for words in zip(*given)], row.engine).view(np.float32)
    for (found, inputs), result in zip(row.candidates, got.astype(np.float64).tolist()):
        error = exact_error(function, inputs, result) if np.isfinite(found) else found
        if error is not None and (error > row.worst or not row.at):
            row.worst, row.at = error, inputs


def reference_error(function: MeasuredFunction) -> float:
    """The largest error of the float64 reference against mpmath on a stratified sample."""
    inputs = sample(function, REFERENCE_SAMPLES, SEED + 1)
    keep = np.random.default_rng(0).permutation(len(inputs[0]))[:REFERENCE_SAMPLES]
    given = [words[keep] for words in inputs]
    with np.errstate(all="ignore"):
        expected = function.reference(*(words.view(np.float32).astype(np.float64) for words in given))
    worst = 0.0
    for words, value in zip(zip(*(words.tolist() for words in given)), expected.tolist()):
        if np.isfinite(value) and all(np.isfinite(np.uint32(word).view(np.float32)) for word in words):
            worst = max(worst, exact_error(function, words, value) or 0.0)
    return worst


def _all_inputs(stride: int) -> Iterator[tuple[int, int]]:
    yield from ((start, min(CHUNK * stride, (1 << 32) - start)) for start in range(0, 1 << 32, CHUNK * stride))


def _chunk(task: tuple[str, str, int, int, int]) -> Row:
    name, engine, start, size, stride = task
    words = (np.arange(0, size, stride, dtype=np.uint64) + np.uint64(start)).astype(np.uint32)
    return measure(FUNCTIONS[name], (words,), engine)


def measure_function(name: str, engine: str, *, samples: int, stride: int = 0, jobs: int = 1) -> Row:
    """The row of one function: over a sample, and over every `stride`-th input where that is not 0 (pairs: 64 times the sample)."""
    function = FUNCTIONS[name]
    rows: Iterable[Row]
    if stride and function.arguments == 1:
        tasks = [(name, engine, start, size, stride) for start, size in _all_inputs(stride)]
        with ProcessPoolExecutor(jobs) as pool:
            rows = list(_progress(name, pool.map(_chunk, tasks), len(tasks)))
    else:
        rows = [measure(function, sample(function, min(samples, CHUNK), SEED + k), engine) for k in range(2, 66 if stride else 3)]
    whole = Row(name, engine, function.bound, function.absolute)
    for row in rows:
        whole.merge(row)
    known = measure(function, sample(function, 8, SEED), engine)  # edges and the worst that is known, in any case
    whole.merge(known)
    whole.wrong += count_wrong_specials(function, engine)
    settle(whole)
    return whole


def _progress(name: str, rows: Iterable[Row], count: int) -> Iterator[Row]:
    begin = time.monotonic()
    for number, row in enumerate(rows, 1):
        print(f"\r{name}: {number} of {count}, {time.monotonic() - begin:.0f} s", end="", file=sys.stderr, flush=True)
        yield row
    print(file=sys.stderr)


HEADER = ("function", "engine", "inputs", "worst error", "at", "mean", "bound", "reference", "")


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table as texts."""
    unit = "" if row.absolute else " ULP"
    shown = f"2^{np.log2(row.worst):.3f}" if row.absolute and row.worst else f"{row.worst:.3f}{unit}"
    mean = f"2^{np.log2(row.mean):.1f}" if row.absolute and row.mean else f"{row.mean:.3f}"
    bound = f"2^{np.log2(row.bound):.0f}" if row.absolute else f"{row.bound:g}{unit}" if row.bound else "exact"
    reference = "exact" if row.reference == 0 else f"2^{np.log2(row.reference):.0f}{unit}"
    verdict = "holds" if row.holds else f"{row.wrong} wrong" if row.wrong else "MISSED"
    place = " ".join(f"{word:08x}" for word in row.at) if row.worst else "-"
    return row.name, row.engine, f"{row.count:,}", "exact" if row.worst == 0 else shown, place, mean, bound, reference, verdict


def table(rows: Sequence[Row], markdown: bool) -> str:
    """All rows, aligned, or as a Markdown table."""
    lines = [HEADER, *map(cells, rows)]
    if markdown:
        lines.insert(1, ("---",) * len(HEADER))
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADER))]
    return "".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() + "\n" for line in lines)


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description="Errors of transcendental functions against mpmath.")
    parser.add_argument("--functions", help=f"names, separated by commas (default: all of {', '.join(FUNCTIONS)})")
    parser.add_argument("--engines", default="jit,interp", help="jit, interp or both (default)")
    parser.add_argument("--samples", type=int, default=1 << 20, help="inputs of a sample (default 2^20)")
    parser.add_argument("--exhaustive", action="store_true", help="all 2^32 inputs of functions of one number: minutes each (jit only)")
    parser.add_argument("--stride", type=int, default=1, help="with --exhaustive: only every so many inputs; an odd number is wise")
    parser.add_argument("--jobs", type=int, default=1, help="with --exhaustive: processes (default 1)")
    parser.add_argument("--markdown", action="store_true", help="the table as it stands in docs/accuracy.md")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    options = parser.parse_args(arguments)
    options.names = options.functions.split(",") if options.functions else list(FUNCTIONS)
    if unknown := [name for name in options.names if name not in FUNCTIONS]:
        parser.error(f"--functions: {', '.join(unknown)} is none of {', '.join(FUNCTIONS)}")
    options.engines = ["jit"] if options.exhaustive else options.engines.split(",")
    if unknown := [name for name in options.engines if name not in ENGINES]:
        parser.error(f"--engines: {', '.join(unknown)} is none of {', '.join(ENGINES)}")
    if min(options.samples, options.stride, options.jobs) < 1:
        parser.error("--samples, --stride and --jobs are at least 1")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where a bound does not hold."""
    options = parse_arguments(arguments)
    rows: list[Row] = []
    for name in options.names:
        known = reference_error(FUNCTIONS[name])
        for engine in options.engines:
            stride = options.stride if options.exhaustive else 0
            rows.append(measure_function(name, engine, samples=options.samples, stride=stride, jobs=options.jobs))
            rows[-1].reference = known
    print(table(rows, options.markdown), end="")
    halves = [] if options.functions else [line for engine in options.engines for line in measure_halves(engine)]
    if halves:
        print("\n" + "\n".join(map(str, halves)))
    if options.json is not None:
        found = [{key: value for key, value in asdict(row).items() if key != "candidates"} for row in rows]
        options.json.write_text(json.dumps({"functions": found, "halves": [asdict(line) for line in halves]}, indent=1) + "\n")
    return int(not all(row.holds for row in rows) or any(line.wrong for line in halves))


if __name__ == "__main__":
    raise SystemExit(main())
