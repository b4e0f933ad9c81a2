"""Speed of the optimiser on one core: ``python -m benchmarks.optimiser [--against DIR] [--lines N] [--rounds N] [--corpus DIRECTORY]``.

Instructions that `tgsi.optimize` takes a second, of the programs of the corpus and of one long program. With `--against`, the optimisers
of two checkouts run by turns, ten programs at a time. Times are CPU times of one thread with the garbage collector off; of each program
the least of all rounds counts, and every round begins with programs that no pass has seen. Programs that the two optimise to other texts
are counted, with the instructions of both.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"
STEP = 10
"""Programs of a turn."""


def long_program(count: int) -> str:
    """Text of a straight program of `count` instructions, some of which a pass can remove."""
    choose = random.Random(1)
    lines = ["FRAG", "DCL IN[0..3], GENERIC[0], PERSPECTIVE", "DCL OUT[0], COLOR", "DCL CONST[0..63]", "DCL TEMP[0..63]"]
    lines.append("IMM[0] FLT32 {0.0, 1.0, 0.5, 2.0}")
    sources = {"MOV": 1, "RCP": 1, "MUL": 2, "ADD": 2, "MAX": 2, "DP3": 2, "MAD": 3}
    for number in range(count - 66):
        opcode = choose.choice(("MOV", "MOV", "MUL", "ADD", "MAX", "DP3", "MAD", "RCP"))
        mask = choose.choice(("", ".x", ".xyz", ".y", ".zw"))
        read = [
            f"{choose.choice(('', '', '-'))}{file}[{choose.randrange(size)}].{''.join(choose.choices('xyzw', k=4))}"
            for file, size in choose.choices((("TEMP", 64), ("CONST", 64), ("IN", 4), ("IMM", 1)), weights=(6, 2, 1, 1), k=sources[opcode])
        ]
        lines.append(f"{opcode} TEMP[{number % 64}]{mask}, {', '.join(read)}")
    lines += [f"ADD TEMP[0], TEMP[0], TEMP[{number}]" for number in range(64)]
    return "\n".join([*lines, "MOV OUT[0], TEMP[0]", "END"])


class Side:
    """One checkout's optimiser, in a process of its own. `counts` has the instructions of each program."""

    def __init__(self, tree: Path, texts: Sequence[str]) -> None:
        self.tree = tree
        variables = {**os.environ, "PYTHONPATH": str(tree)}
        command = [sys.executable, str(Path(__file__).resolve()), "--worker"]
        self._process = subprocess.Popen(command, cwd=tree, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.counts: list[int] = self._ask(texts)
        self.best = [sys.maxsize] * len(texts)

    def measure(self, first: int, end: int) -> None:
        """Optimise some programs, and note the least nanoseconds of each."""
        for number, taken in enumerate(self._ask([first, end, "ns"]), first):
            self.best[number] = min(self.best[number], taken)

    def results(self, first: int, end: int) -> list[tuple[str, int]]:
        """Return the text of each optimised program, and the number of its instructions."""
        return [(text, count) for text, count in self._ask([first, end, "texts"])]

    def rate(self, first: int, end: int) -> float:
        """Return instructions per second."""
        return sum(self.counts[first:end]) / sum(self.best[first:end]) * 1e9

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _ask(self, question: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(question), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


def work() -> None:
    """Answer the questions of `Side`, on standard input."""
    import tgsi
    from tgsi.language.program import Program

    programs = [tgsi.parse(text) for text in json.loads(sys.stdin.readline())]
    print(json.dumps([len(program.instructions) for program in programs]), flush=True)
    fields = ("processor", "declarations", "immediates", "properties", "instructions", "source", "notes", "interface")
    gc.collect()
    gc.freeze()
    gc.disable()
    for line in sys.stdin:
        first, end, wanted = json.loads(line)
        found: list[Any] = []
        for program in programs[first:end]:
            fresh = Program(**{name: getattr(program, name) for name in fields if hasattr(program, name)})
            start = time.thread_time_ns()
            made = tgsi.optimize(fresh)
            taken = time.thread_time_ns() - start
            found.append(taken if wanted == "ns" else (str(made), len(made.instructions)))
        gc.collect()
        print(json.dumps(found), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.optimiser", description=(__doc__ or "").splitlines()[0])
    options.add_argument("--against", type=Path, metavar="DIR", help="another checkout, whose optimiser runs by turns with this one's")
    options.add_argument("--lines", type=int, default=100_000, help="instructions of the long program; 0: none")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--corpus", type=Path, default=CORPUS)
    options.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args(arguments)
    if chosen.worker:
        work()
        return 0
    corpus = [path.read_text() for path in sorted(chosen.corpus.glob("*.tgsi"))]
    texts = [*corpus, long_program(chosen.lines)] if chosen.lines else corpus
    sides = [Side(tree.resolve(), texts) for tree in (ROOT, chosen.against) if tree is not None]
    for name, first, end, rounds in (("corpus", 0, len(corpus), chosen.rounds), ("long", len(corpus), len(texts), 1)):
        if first == end:
            continue
        for _ in range(rounds):
            for start in range(first, end, STEP):
                for side in sides:
                    side.measure(start, min(start + STEP, end))
        for side in sides:
            ratio = side.rate(first, end) / sides[-1].rate(first, end)
            print(
                f"{name:8} {sum(side.counts[first:end]):8d} instructions {side.rate(first, end):10,.0f} a second {ratio:6.2f}  {side.tree}"
            )
        answers = [side.results(first, end) for side in sides]
        others = [pair for pair in zip(*answers) if len({text for text, _ in pair}) > 1]
        counts = [sum(count for _, count in answer) for answer in answers]
        print(f"{name:8} {' and '.join(map(str, counts))} instructions are left" + f"; {len(others)} other texts" * (len(sides) > 1))
    for side in sides:
        side.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
