"""`python -m tests.piglit [--side ours|reference] ...`: run cases of an installed piglit through a server, or print what came of them.

python -m tests.piglit --results ours.tsv --names ../shared/peers/piglit.json --shard 1/20     goes on where the file ended
python -m tests.piglit --side reference --results reference.tsv --against ours.tsv             what did not pass there
python -m tests.piglit --side reference --results reference.tsv --among ours.tsv --sample 1000  the same cases there, some of them
python -m tests.piglit --results more.tsv --go-on                                              what kept.txt does not have
python -m tests.piglit --keep ours.tsv                                                         adds outcomes to kept.txt
python -m tests.piglit --table ours.tsv ../shared/peers/piglit.json reference.tsv              later files of the reference win
"""

from __future__ import annotations

import argparse
import datetime
import json
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial, reduce
from pathlib import Path

from tests.piglit.cases import Case, Unit, matching, ordered, read_cases, shard
from tests.piglit.kept import KEPT, keep, kept
from tests.piglit.page import PAGE, page, tree_here
from tests.piglit.results import Results, read_any
from tests.piglit.runner import remaining, run
from tests.piglit.sides import SIDES, alone, missing
from tests.piglit.table import PASSED, better, table, unknown, worse
from tests.shader_test.runs import folder

SEED = 15


def names_in(path: Path) -> list[str]:
    """Names in a file: lines, or keys of the objects in a file of JSON."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".json":
        return text.splitlines()
    return list(dict.fromkeys(name for part, found in json.loads(text).items() if part != "meta" for name in found))


def _shard(text: str) -> tuple[int, int]:
    number, count = text.split("/")
    return int(number), int(count)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.piglit", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--side", choices=SIDES, default="ours")
    parser.add_argument("--results", type=Path, help="file that gets the results; cases that it has are not run again")
    parser.add_argument("--names", type=Path, help="file of names that are run first: lines, or piglit.json")
    parser.add_argument("--only", help="regular expression: cases whose names have it")
    parser.add_argument("--against", type=Path, help="results of the other side: only cases that did not pass there")
    parser.add_argument("--go-on", action="store_true", help=f"leave out cases that {KEPT.name} has")
    parser.add_argument("--among", type=Path, help="results: only cases that they have")
    parser.add_argument("--sample", type=int, help="this many of the cases, by chance and the seed")
    parser.add_argument("--again", help="outcomes that are run again, as fail,hang")
    parser.add_argument("--shard", type=_shard, default=(1, 1), help="K/N: every N-th unit from the K-th on")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the order ({SEED})")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="time of the run")
    parser.add_argument("--log", type=Path, help="file that gets what our server says")
    files = ("OURS", "REFERENCE")
    parser.add_argument("--keep", type=Path, metavar="OURS", help=f"add results to {KEPT.name}, as those of the tree that is checked out")
    parser.add_argument("--table", nargs="+", type=Path, metavar=files, help="print the table of files of results, or of a piglit.json")
    parser.add_argument("--page", nargs="+", type=Path, metavar=files, help=f"write {PAGE.name} in docs from such files")
    return parser.parse_args(arguments)


def chosen(cases: dict[str, Case], given: argparse.Namespace, results: Results) -> list[Unit]:
    """The units requested by a command line, without finished ones."""
    first = names_in(given.names) if given.names else []
    wanted = matching(cases, given.only) if given.only else cases
    if given.against:
        others = read_any(given.against)
        wanted = {name: case for name, case in wanted.items() if name in others.found and others.found[name].kind not in PASSED}
    if given.among:
        known = read_any(given.among).found
        wanted = {name: case for name, case in wanted.items() if name in known}
    if given.sample is not None:
        drawn = set(random.Random(given.seed).sample(sorted(wanted), min(given.sample, len(wanted))))
        wanted = {name: case for name, case in wanted.items() if name in drawn}
    again = set(results.names(*given.again.split(","))) if given.again else set()
    done = results.found.keys() | (kept(wanted).keys() if given.go_on else ())
    return remaining(shard(ordered(wanted, first, given.seed), *given.shard), done - again)


def show(cases: dict[str, Case], ours: Results, reference: Results) -> int:
    """Print the table. Returns 1 if the reference passes what we do not, or a case crashed or hung."""
    print(table(cases, ours.found, reference.found))
    for title, names, side in (
        ("only the reference passes", worse(ours.found, reference.found), ours),
        ("only ours passes", better(ours.found, reference.found), reference),
        ("not passed, and not run on the reference", unknown(ours.found, reference.found), ours),
    ):
        print(f"\n{title}: {len(names)}")
        print("\n".join(f"  {name}: {side.found[name].kind} {side.found[name].words}" for name in names))
    return int(bool(worse(ours.found, reference.found)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns its exit code."""
    given = parse(arguments)
    root = folder()
    if root is None:
        print("piglit is not installed", file=sys.stderr)
        return 2
    cases = read_cases(root)
    if given.keep:
        keep(Results(given.keep).found, tree_here())
        return 0
    if files := given.table or given.page:
        ours, reference = Results(files[0]), reduce(Results.merged, map(read_any, files[1:]), Results())
        ours.found = kept(cases) | ours.found
        if given.page:
            trees = Counter(outcome.words for outcome in kept(cases).values())
            PAGE.write_text(page(cases, ours.found, reference.found, trees, datetime.datetime.now(datetime.UTC).date()))
        return show(cases, ours, reference)
    if lacks := missing(given.side):
        print(f"missing: {', '.join(lacks)}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the server and the displays are ended, too
    results = Results(given.results)
    units = chosen(cases, given, results)
    left, begin = sum(map(len, units)), time.monotonic()
    print(f"{left:,} cases in {len(units):,} units", flush=True)
    told = [begin]

    def tell(count: int) -> None:
        if time.monotonic() > told[0] + 30:
            told[0] = time.monotonic()
            print(f"{count:,} results, {told[0] - begin:.0f} s", flush=True)

    starter = partial(alone, given.side, given.log)
    run(units, root, results, starter, jobs=given.jobs, seconds=given.seconds, tell=tell)
    print({kind: len(results.names(kind)) for kind in sorted({outcome.kind for outcome in results.found.values()})})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
