"""python -m benchmarks.accuracy [--functions A,B] [--engines jit,interp] [--samples N] [--exhaustive] [--markdown] [--json FILE]

Errors of the transcendental functions and of conversions to and from half, measured through `tgsi.run` against mpmath.

A first pass uses float64 (numpy) as reference and finds the inputs with the largest errors. Their errors, which the table shows, are
computed again by mpmath with 256 bits. The float64 reference itself is compared with mpmath on a stratified sample: `reference` is its
largest error in the same unit, so the true maximum over the inputs is at most the sum of both. With --exhaustive all 2^32 inputs are
measured by generated code that has a reference of its own (`scan`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import tgsi
from benchmarks.accuracy.functions import FUNCTIONS, Doubles, MeasuredFunction, Words, sample
from benchmarks.accuracy.halves import measure_halves
from benchmarks.accuracy.scan import BINADES, LANES, REFERENCES, SIZE, Scan
from tgsi.tools.parsing import Parser

CHUNK = 1 << 22
CANDIDATES = 24
REFERENCE_SAMPLES = 3000
PRECISION = 256
SEED = 20261121
ENGINES = ("jit", "interp")


@dataclass
class Row:
    """Measurement of one function in one engine. Errors are in units in the last place, or absolute; `at` holds input words."""

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
        """True if the worst error is within the bound and every special value is right."""
        return self.worst <= self.bound and not self.wrong

    def merge(self, other: Row) -> None:
        """Add the measurement of other inputs."""
        total = self.count + other.count
        self.mean = (self.mean * self.count + other.mean * other.count) / max(1, total)
        self.count, self.wrong = total, self.wrong + other.wrong
        self.candidates = sorted([*self.candidates, *other.candidates], reverse=True)[:CANDIDATES]


def evaluate(function: MeasuredFunction, inputs: Sequence[Words], engine: str) -> Words:
    """Results of `tgsi.run` for all inputs."""
    count = len(inputs[0])
    padded = np.zeros((len(inputs), -(-count // 4) * 4), np.uint32)
    for row, words in zip(padded, inputs):
        row[:count] = words
    given = padded.reshape(len(inputs), -1, 4).transpose(1, 0, 2)
    return tgsi.run(tgsi.parse(function.text), given, engine=engine).outputs[:, 0].reshape(-1)[:count]


def unit_of(exact: Doubles) -> Doubles:
    """Unit in the last place of a float32 near each number; 2^-149 for subnormal numbers."""
    size = np.clip(np.abs(exact), 2.0**-149, 2.0**127)
    return np.asarray(np.ldexp(1.0, np.maximum(np.frexp(size)[1] - 1, -126) - 23))


def measure(function: MeasuredFunction, inputs: Sequence[Words], engine: str) -> Row:
    """Errors against the float64 reference, and the candidates for the largest error.

    A result that wrongly is or is not NaN counts as `wrong`.
    """
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
    """Number of special values whose results are not bit for bit as promised."""
    if not function.specials:
        return 0
    inputs = [np.array([given[k] for given, _ in function.specials], np.uint32) for k in range(function.arguments)]
    got = evaluate(function, inputs, engine)
    nan = np.isnan(got.view(np.float32))
    return sum(not nan[k] if wanted is None else int(got[k]) != wanted for k, (_, wanted) in enumerate(function.specials))


def exact_error(function: MeasuredFunction, given: tuple[int, ...], got: float) -> float | None:
    """Error of one result against mpmath, or None if the function has no finite value there."""
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
    """Compute the largest error among the candidates with mpmath."""
    function = FUNCTIONS[row.name]
    given = [inputs for _, inputs in row.candidates]
    got = evaluate(function, [np.array(words, np.uint32) for words in zip(*given)], row.engine).view(np.float32)
    for (found, inputs), result in zip(row.candidates, got.astype(np.float64).tolist()):
        error = exact_error(function, inputs, result) if np.isfinite(found) else found
        if error is not None and (error > row.worst or not row.at):
            row.worst, row.at = error, inputs


def reference_error(function: MeasuredFunction) -> float:
    """Largest error of the float64 reference against mpmath on a stratified sample."""
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


def scan_all(name: str) -> Row:
    """Measure all 2^32 inputs in compiled code against the reference of `scan`, and that reference against mpmath."""
    function = FUNCTIONS[name]
    scan, whole = Scan(name, function.absolute), Row(name, "jit", function.bound, function.absolute)
    for number in range(BINADES):
        found = scan.binade(number)
        part = Row(name, "jit", function.bound, function.absolute, found.count, mean=found.mean, wrong=found.wrong)
        part.candidates = [(error, (word,)) for error, word in found.candidates]
        whole.merge(part)
        print(f"\r{name}: {number + 1} of {BINADES} binades", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    whole.reference = scan_reference_error(function, scan)
    return whole


def scan_reference_error(function: MeasuredFunction, scan: Scan) -> float:
    """Largest error of the scan's reference against mpmath, on some inputs of each binade."""
    worst = 0.0
    for number, start in enumerate(np.random.default_rng(SEED).integers(0, SIZE // LANES, BINADES).tolist()):
        values = scan.reference_values(number, LANES * start, LANES)
        for lane in range(0, LANES, 3):
            if np.isfinite(values[lane]) and number % 256 != 255:
                worst = max(worst, exact_error(function, (number * SIZE + LANES * start + lane,), float(values[lane])) or 0.0)
    return worst


def measure_function(name: str, engine: str, *, samples: int, exhaustive: bool = False) -> Row:
    """Measure one function over a sample, or over all inputs.

    Functions without a scan (those of pairs, for example) get 64 samples instead.
    """
    function = FUNCTIONS[name]
    if exhaustive and name in REFERENCES:
        whole = scan_all(name)
    else:
        whole = Row(name, engine, function.bound, function.absolute, reference=reference_error(function))
        for k in range(2, 66 if exhaustive else 3):
            whole.merge(measure(function, sample(function, min(samples, CHUNK), SEED + k), engine))
    known = measure(function, sample(function, 8, SEED), engine)  # always include edges and the known worst inputs
    whole.merge(known)
    whole.wrong += count_wrong_specials(function, engine)
    settle(whole)
    return whole


HEADER = ("function", "engine", "inputs", "worst error", "at", "mean", "bound", "reference", "")


def cells(row: Row) -> tuple[str, ...]:
    """Texts of a row's cells."""
    unit = "" if row.absolute else " ULP"
    shown = f"2^{np.log2(row.worst):.3f}" if row.absolute and row.worst else f"{row.worst:.3f}{unit}"
    mean = f"2^{np.log2(row.mean):.1f}" if row.absolute and row.mean else f"{row.mean:.3f}"
    bound = f"2^{np.log2(row.bound):.0f}" if row.absolute else f"{row.bound:g}{unit}" if row.bound else "exact"
    reference = "exact" if row.reference == 0 else f"2^{np.log2(row.reference):.0f}{unit}"
    verdict = "holds" if row.holds else f"{row.wrong} wrong" if row.wrong else "MISSED"
    place = " ".join(f"{word:08x}" for word in row.at) if row.worst else "-"
    return row.name, row.engine, f"{row.count:,}", "exact" if row.worst == 0 else shown, place, mean, bound, reference, verdict


def table(rows: Sequence[Row], markdown: bool) -> str:
    """Table of all rows, aligned or in Markdown."""
    lines = [HEADER, *map(cells, rows)]
    if markdown:
        lines.insert(1, ("---",) * len(HEADER))
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADER))]
    return "".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() + "\n" for line in lines)


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = Parser(prog="python -m benchmarks.accuracy", description="Errors of transcendental functions against mpmath.")
    parser.add_argument("--functions", help=f"names, separated by commas (default: all of {', '.join(FUNCTIONS)})")
    parser.add_argument("--engines", default="jit,interp", help="jit, interp or both (default)")
    parser.add_argument("--samples", type=int, default=1 << 20, help="inputs of a sample (default 2^20)")
    parser.add_argument("--exhaustive", action="store_true", help=f"all 2^32 inputs of {', '.join(REFERENCES)} (jit only)")
    parser.add_argument("--markdown", action="store_true", help="print the table in the form of docs/accuracy.md")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to FILE")
    options = parser.parse_args(arguments)
    options.names = options.functions.split(",") if options.functions else list(REFERENCES if options.exhaustive else FUNCTIONS)
    if unknown := [name for name in options.names if name not in FUNCTIONS]:
        parser.error(f"--functions: {', '.join(unknown)} is not one of {', '.join(FUNCTIONS)}")
    options.engines = ["jit"] if options.exhaustive else options.engines.split(",")
    if unknown := [name for name in options.engines if name not in ENGINES]:
        parser.error(f"--engines: {', '.join(unknown)} is not one of {', '.join(ENGINES)}")
    if options.samples < 1:
        parser.error("--samples is at least 1")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table. Returns 1 if a bound is exceeded or a result is wrong."""
    options = parse_arguments(arguments)
    rows: list[Row] = []
    for name in options.names:
        for engine in options.engines:
            rows.append(measure_function(name, engine, samples=options.samples, exhaustive=options.exhaustive))
    print(table(rows, options.markdown), end="")
    halves = [] if options.functions or options.exhaustive else [line for engine in options.engines for line in measure_halves(engine)]
    if halves:
        print("\n" + "\n".join(map(str, halves)))
    if options.json is not None:
        found = [{key: value for key, value in asdict(row).items() if key != "candidates"} for row in rows]
        options.json.write_text(json.dumps({"functions": found, "halves": [asdict(line) for line in halves]}, indent=1) + "\n")
    return int(not all(row.holds for row in rows) or any(line.wrong for line in halves))
