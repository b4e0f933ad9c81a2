"""Speed of the language on one core: ``python -m benchmarks.language [--lines N] [--corpus DIRECTORY]``.

Times are CPU times, the least of several runs. Rates count lines of text; for printing and tokens, statements of the same programs. For
comparison plain Lark parses a sample with the same grammar into a tree, in the same run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

from tgsi.language.program import Program
from tgsi.language.text import parser
from tgsi.language.text import reader as builders
from tgsi.language.text.parser import parse
from tgsi.language.text.syntax import syntax
from tgsi.language.tokens.decoder import decode
from tgsi.language.tokens.encoder import encode
from tgsi.tools.parsing import Parser

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
FILES = ("TEMP", "CONST", "IN", "OUT")
SWIZZLES = ["".join(letters) for letters in product("xyzw", repeat=4)]


@dataclass(frozen=True, slots=True)
class Row:
    """Measurement: name, number of lines, seconds of CPU time."""

    name: str
    lines: int
    seconds: float

    @property
    def rate(self) -> float:
        """Lines per second."""
        return self.lines / self.seconds


def forget() -> None:
    """Empty the caches that earlier texts filled. Values from the tables of facts stay."""
    parser._operands.cache_clear()
    for values in builders._VALUES.values():
        values.clear()


def least(work: Callable[[], object], runs: int, before: Callable[[], None] = lambda: None) -> float:
    best = float("inf")
    for _ in range(runs):
        before()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return max(best, 1e-9)


def distinct_lines(count: int) -> str:
    """Text in which all lines differ but operands repeat, like a large shader."""
    lines = ["FRAG", "DCL TEMP[0..63]", "DCL CONST[0..63]", "IMM[0] FLT32 {0.0, 1.0, 2.0, 3.0}"]
    for number in range(count - len(lines) - 1):
        a, b, c = number % 64, number // 64 % 64, number // 4096 % 64
        lines.append(f"{number:3d}: MAD TEMP[{a}].xyz, TEMP[{b}].{SWIZZLES[c]}, CONST[{c}], -IMM[0].xyxy")
    return "\n".join([*lines, "END"])


def distinct_operands(count: int) -> str:
    """Text in which no operand occurs twice."""
    lines = ["FRAG"]
    for number in range(count - 2):
        index, order = number % 32768, SWIZZLES[number // 32768]
        lines.append(f"{number:3d}: ADD TEMP[{number}], CONST[{index}].{order}, -TEMP[{index}].{order}")
    return "\n".join([*lines, "END"])


def rows(count: int, corpus: Path, runs: int) -> list[Row]:
    """All measurements, in the order of the report."""
    syntax()
    found: list[Row] = []
    texts = [path.read_text() for path in sorted(corpus.glob("*.tgsi"))]
    if texts:
        found += of_corpus(texts, runs)
    large = distinct_lines(count)
    for name, text, times in (
        (f"{count} distinct lines", large, runs),
        (f"{count // 10} distinct lines", distinct_lines(count // 10), runs + 2),
        (f"{count} statements in one line", large.replace("\n", " "), runs),
        (f"{count} lines of distinct operands", distinct_operands(count), runs),
    ):
        size = count if "one line" in name else text.count("\n") + 1
        found.append(Row(f"parse {name}", size, least(partial(parse, text), times, forget)))
    program = parse(large)
    words = encode(program)
    found.append(Row(f"print {count} distinct lines", count, least(lambda: str(program), runs)))
    found.append(Row(f"encode {count} distinct lines", count, least(lambda: encode(program), runs)))
    found.append(Row(f"decode {count} distinct lines", count, least(lambda: decode(words), runs)))
    return found


def of_corpus(texts: Sequence[str], runs: int) -> list[Row]:
    lines = sum(text.count("\n") for text in texts)
    cold = float("inf")
    for _ in range(runs):
        total = 0.0
        for text in texts:
            forget()
            start = time.process_time()
            parse(text)
            total += time.process_time() - start
        cold = min(cold, total)
    programs: list[Program] = [parse(text) for text in texts]
    streams = [encode(program) for program in programs]
    sample = texts[::20]
    sample_lines = sum(text.count("\n") for text in sample)
    lark = syntax().lark
    return [
        Row("parse corpus, every parse the first", lines, cold),
        Row("parse corpus", lines, least(lambda: [parse(text) for text in texts], runs)),
        Row("print corpus", lines, least(lambda: [str(program) for program in programs], runs)),
        Row("encode corpus", lines, least(lambda: [encode(program) for program in programs], runs)),
        Row("decode corpus", lines, least(lambda: [decode(words) for words in streams], runs)),
        Row("plain Lark, a sample of the corpus", sample_lines, least(lambda: [lark.parse(t, start="program") for t in sample], 2)),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    options = Parser(prog="python -m benchmarks.language", description=(__doc__ or "").splitlines()[0])
    options.add_argument("--lines", type=int, default=200_000)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--corpus", type=Path, default=CORPUS)
    chosen = options.parse_args(arguments)
    found = rows(chosen.lines, chosen.corpus, chosen.runs)
    for row in found:
        print(f"{row.name:44} {row.lines:8d} lines {row.seconds:8.3f} s {row.rate:10,.0f} lines/s")
    seconds = {row.name: row.seconds for row in found}
    ratio = seconds[f"parse {chosen.lines} distinct lines"] / seconds[f"parse {chosen.lines // 10} distinct lines"]
    print(f"time at {chosen.lines} lines: {ratio:.1f} times that at {chosen.lines // 10}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
