"""A campaign of bombs: whatever a shader of up to 1 MB contains, it is compiled or refused within 10 s of processor time and 500 MB.

Each seed is a text and a way to compile it, in a process of its own: ``tgsi.run``, or a context that creates the shader and draws. By hand:
``python -m tests.fuzz.hunt_bombs 0 100``.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

import tgsi
from tests.fuzz.bombs import BOMBS, HEAD, TAIL, count_of
from tests.unit.picture import PASS, WHITE, Picture
from tgsi.language.diagnostics import DiagnosticError

MOST_S, MOST_MB = 10.0, 500
MOST_BYTES = 1_000_000
ADDRESS_SPACE = 4 << 30
PATIENCE_S = 60  # of processor time, after which the system ends the process


def text_of(seed: int) -> tuple[str, str, str]:
    """The text of a seed, the way to compile it, and the names of its constructs."""
    chance = random.Random(f"bombs {seed}")
    size = chance.choice((MOST_BYTES, MOST_BYTES // 2, chance.randrange(20_000, MOST_BYTES)))
    names = list(BOMBS)
    name = names[seed % len(names)]
    if seed // len(names) % 2:  # several constructs in turn
        found = [name, *chance.sample(names, chance.choice((1, 2, 5)))]
        parts = [_inside(BOMBS[each](chance.randrange(2, 400))) for each in found]
        unit = "".join(parts)
        return HEAD + unit * max(1, size // max(1, len(unit))) + TAIL, chance.choice(("run", "fragments", "vertices")), " + ".join(found)
    text, way = BOMBS[name](count_of(BOMBS[name], size)), chance.choice(("run", "fragments", "vertices"))
    return text, way if text.startswith("FRAG") else "run", name


def _inside(text: str) -> str:
    """The instructions of a bomb, without its declarations."""
    return text[len(HEAD) :].removesuffix(TAIL) if text.startswith(HEAD) else ""


def as_vertices(text: str) -> str:
    """A bomb as a vertex program."""
    text = text.replace("FRAG\n", "VERT\n", 1).replace(", GENERIC[0], PERSPECTIVE", "", 1)
    return text.replace("OUT[0], COLOR", "OUT[0], POSITION", 1)


def _run(text: str) -> None:
    program = tgsi.parse(text)
    tgsi.validate(program)
    inputs = program.file_size(tgsi.File.IN)
    shape = (1, 1) if program.processor is tgsi.Processor.GEOM else (1,)
    tgsi.run(program, np.zeros((*shape, inputs, 4), np.float32) if inputs else None, fuel=2)


def _draw_fragments(text: str) -> None:
    Picture().draw(text, PASS).pixels()


def _draw_vertices(text: str) -> None:
    Picture().draw(WHITE, as_vertices(text)).pixels()


WAYS: dict[str, Callable[[str], None]] = {"run": _run, "fragments": _draw_fragments, "vertices": _draw_vertices}


def measure(text: str, way: str) -> tuple[str, float, int]:
    """Outcome, seconds of processor time and peak MB of a text in a process of its own. The outcome is "ran" or a code.

    The peak counts from the memory that this process has when it is forked.

    AssertionError if the process died, RuntimeError for another error than a `DiagnosticError`.
    """
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(readable)
        try:
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
            resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE_S, PATIENCE_S))
            os.environ["TGSI_CACHE"] = "off"
            begin, had = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            try:
                WAYS[way](text)
                outcome = "ran"
            except DiagnosticError as error:
                outcome = error.diagnostics[0].code
            except BaseException as error:
                outcome = f"error {error!r:.200}"
            spent = time.process_time() - begin
            peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - had) // 1024
            os.write(writable, json.dumps((outcome, spent, peak)).encode())
        finally:
            os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    assert told, f"the process ended with status {status}"
    outcome, spent, peak = json.loads(told)
    if outcome.startswith("error "):
        raise RuntimeError(outcome)
    return outcome, spent, peak


def given(seed: int) -> str:
    """The case of a seed, for the report of a finding."""
    text, way, names = text_of(seed)
    return f"{way}: {names}, {len(text)} bytes"


def attempt(seed: int) -> Counter[str]:
    """Compile the text of a seed. Any exception is a finding."""
    text, way, _ = text_of(seed)
    outcome, spent, peak = measure(text, way)
    assert spent < MOST_S, f"{given(seed)}: {spent:.1f} s, {outcome}"
    assert peak < MOST_MB, f"{given(seed)}: {peak} MB, {outcome}"
    return Counter({"compiled" if outcome == "ran" else "refused": 1})


def run(seeds: Iterable[int]) -> Counter[str]:
    """Attempt seeds, and count the outcomes. The first finding ends it with its exception."""
    return sum((attempt(seed) for seed in seeds), Counter())


if __name__ == "__main__":
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        source, how, constructs = text_of(number)
        try:
            result = measure(source, how)
            bad = result[1] > MOST_S or result[2] > MOST_MB
            print("BAD " if bad else "    ", number, how, len(source), constructs, *result, flush=True)
        except (AssertionError, RuntimeError) as found:
            print("BAD ", number, how, len(source), constructs, found, flush=True)
