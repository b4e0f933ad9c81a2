"""Runs of piglit's files: which ones, in which order, and the outcome of each.

``python -m tests.shader_test.runs --count 2000 --results results.jsonl`` goes on where it ended.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from frontends.glsl.extensions import KNOWN
from tests.shader_test.machine import Machine
from tests.shader_test.probes import LacksError, ProbeError
from tests.shader_test.programs import compile_script
from tests.shader_test.texts import NotGlslError, read_script
from tgsi import gallium as g
from tgsi.language.diagnostics import DiagnosticError

SEED = 16
FAMILY = 40
"""Files of a family of generated tests that are taken at most: those of one folder for one stage, as their names begin."""
PLACES = ("/usr/lib/x86_64-linux-gnu/piglit", "/usr/lib/aarch64-linux-gnu/piglit", "/usr/lib/piglit")
COUNTED = ("pass", "fail", "unsupported", "lacks", "error")
"""Outcomes of files whose GLSL glslang accepts and that have probes."""


def folder() -> Path | None:
    """The folder of piglit's files; None where it is not installed."""
    return next((path for path in map(Path, PLACES) if path.is_dir()), None)


def drawn_files(root: Path, seed: int = SEED) -> Iterator[Path]:
    """Files in the order in which they are taken: one of each folder in turn, at most `FAMILY` of a generated family."""
    by_folder: dict[str, list[Path]] = collections.defaultdict(list)
    for path in sorted(root.glob("*tests/**/*.shader_test")):
        by_folder[str(path.parent)].append(path)
    chance = random.Random(seed)
    queues = []
    for name in sorted(by_folder):
        found = by_folder[name]
        chance.shuffle(found)
        queues.append(_limited(found) if "generated_tests" in name else found)
    for place in range(max(map(len, queues), default=0)):
        yield from (queue[place] for queue in queues if place < len(queue))


def _limited(found: list[Path]) -> list[Path]:
    taken: collections.Counter[str] = collections.Counter()
    made = []
    for path in found:
        family = path.name.partition("-")[0]
        taken[family] += 1
        if taken[family] <= FAMILY:
            made.append(path)
    return made


def outcome(path: Path, screen: g.Screen) -> tuple[str, str]:
    """Outcome of a file, and what says why: pass, fail, unsupported (TGSI has no words), lacks (the runner has no such command), error;
    and not counted: refused (glslang makes no SPIR-V of it, or an extension is not offered), other (not GLSL), quiet (without a probe)."""
    try:
        script = read_script(path)
    except NotGlslError as error:
        return "other", str(error)
    if absent := script.extensions & KNOWN:  # shader_runner skips such a file, too
        return "refused", f"{min(absent)} is not offered"
    if not any(re.match(r"(relative )?probe (?!warn)", line) for line in script.commands):
        return "quiet", "no probe"
    try:
        programs = compile_script(script, path.stem)
    except DiagnosticError as error:
        item = error.diagnostics[0]
        return ("refused" if item.code.startswith("G") else "unsupported"), f"{item.code} {item.message}"
    except Exception as error:
        return "error", f"compile: {type(error).__name__}: {error}"
    try:
        machine = Machine(screen, script, programs)
        with machine.ctx:
            machine.play()
    except ProbeError as error:
        return "fail", str(error)
    except LacksError as error:
        return "lacks", str(error)
    except Exception as error:
        return "error", f"{type(error).__name__}: {error}"
    return "pass", ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run files until so many are counted, and print how often each outcome and reason came."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--shard", default="0/1", help="number of this process / number of processes")
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args(arguments)
    root = folder()
    if root is None:
        print("piglit is not installed")
        return 1
    known = {}
    if given.results is not None and given.results.exists():
        known = {item[0]: item[1:] for item in map(json.loads, given.results.read_text().splitlines())}
    shard, shards = map(int, given.shard.split("/"))
    made: dict[str, tuple[str, str]] = {}
    with g.Screen(threads=0) as screen:
        for number, path in enumerate(given.files or drawn_files(root)):
            name = str(path.relative_to(root)) if path.is_absolute() and root in path.parents else str(path)
            if number % shards != shard:
                continue
            if name not in known or given.files:
                known[name] = outcome(path if path.is_absolute() else root / path, screen)
                if given.results is not None:
                    with given.results.open("a") as file:
                        file.write(json.dumps([name, *known[name]]) + "\n")
                if given.files:
                    print(*known[name], name)
            made[name] = (known[name][0], known[name][1])
            if not given.files and sum(item[0] in COUNTED for item in made.values()) >= given.count // shards:
                break
    print(report(made))
    return 0


def report(made: dict[str, tuple[str, str]]) -> str:
    """Counts of outcomes, and the reasons of all but the passed ones, the most frequent first."""
    kinds = collections.Counter(item[0] for item in made.values())
    counted = sum(kinds[kind] for kind in COUNTED)
    lines = [f"{kinds['pass']} of {counted} pass: {100 * kinds['pass'] / max(counted, 1):.1f} %  {dict(kinds)}"]
    reasons = collections.Counter((kind, _short(reason)) for kind, reason in made.values() if kind not in ("pass", "fail"))
    lines += [f"{count:5} {kind} {reason}" for (kind, reason), count in reasons.most_common(60)]
    return "\n".join(lines)


def _short(reason: str) -> str:
    return re.sub(r"[\w\-.]+\.(vert|frag|geom|tesc|tese|comp), word \d+", "", re.sub(r"\d{2,}", "#", reason))[:150]


if __name__ == "__main__":
    sys.exit(main())
