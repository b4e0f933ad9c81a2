"""Bombs: whatever a shader of up to 1 MB contains, it is compiled or refused within 10 s of processor time and 500 MB.

Each seed is a text, a way to compile it and the level of x86 that it is compiled for, in a process of its own: ``tgsi.run``, or a
context that creates the shader and draws. Even seeds repeat one construct, odd ones several in turn; 636 seeds take every construct first
in both.
"""

from __future__ import annotations

import functools
import json
import os
import random
import resource
import time
from collections import Counter
from dataclasses import dataclass

import numpy as np

import tgsi
from backends.llvm.targets.machines import LEVELS, require_runnable
from tests.fuzz.bombs import BOMBS, HEAD, TAIL, count_of
from tests.unit.picture import PASS, WHITE, Picture
from tgsi.language.diagnostics import DiagnosticError

MOST_S, MOST_MB = 10.0, 500
MOST_BYTES = 1_000_000
ADDRESS_SPACE = 4 << 30
PATIENCE_S = 60  # of processor time, after which the system ends the process
WAYS = ("run", "fragments", "vertices")
STEP = 5
"""Neighbours among the seeds are different constructs, so that a few seeds take some of every kind; no factor of their number."""


@dataclass(frozen=True)
class Case:
    """A text, the way to compile it, the level it is compiled for, and the names of its constructs."""

    text: str
    way: str
    cpu: str
    names: str


@functools.cache
def levels() -> tuple[str, ...]:
    """Levels of x86 with vectors of different widths that this machine can run; "host" alone on others."""
    found = []
    for name in LEVELS:
        try:
            require_runnable(name)
            found.append(name)
        except ValueError:
            continue
    return tuple(found[1:]) or ("host",)


def case_of(seed: int) -> Case:
    """The case of a seed."""
    chance = random.Random(f"bombs {seed}")
    size = chance.choice((MOST_BYTES, MOST_BYTES // 2, chance.randrange(20_000, MOST_BYTES)))
    names = list(BOMBS)
    turn, mixed = divmod(seed, 2)
    name = names[turn * STEP % len(names)]
    cpu = levels()[(turn + turn // len(names)) % len(levels())]
    way = chance.choice(WAYS)
    if mixed:
        found = [name, *chance.sample(names, chance.choice((1, 2, 5)))]
        unit = "".join(_inside(BOMBS[each](chance.randrange(2, 400))) for each in found)
        return Case(HEAD + unit * max(1, size // max(1, len(unit))) + TAIL, way, cpu, " + ".join(found))
    text = BOMBS[name](count_of(BOMBS[name], size))
    return Case(text, way if text.startswith("FRAG") else "run", cpu, name)


def _inside(text: str) -> str:
    """The instructions of a bomb, without its declarations."""
    return text[len(HEAD) :].removesuffix(TAIL) if text.startswith(HEAD) else ""


def as_vertices(text: str) -> str:
    """A bomb as a vertex program."""
    text = text.replace("FRAG\n", "VERT\n", 1).replace(", GENERIC[0], PERSPECTIVE", "", 1)
    return text.replace("OUT[0], COLOR", "OUT[0], POSITION", 1)


def _run(text: str, cpu: str) -> None:
    program = tgsi.parse(text)
    tgsi.validate(program)
    inputs = program.file_size(tgsi.File.IN)
    shape = (1, 1) if program.processor is tgsi.Processor.GEOM else (1,)
    tgsi.run(program, np.zeros((*shape, inputs, 4), np.float32) if inputs else None, fuel=2, cpu=cpu)


def _compile(text: str, way: str, cpu: str) -> None:
    """Compile a text in a way. A draw is not carried out: its loops may go on for as long as it likes."""
    os.environ |= {"TGSI_CACHE": "off", "TGSI_CPU": cpu}
    match way:
        case "run":
            _run(text, cpu)
        case "fragments":
            Picture().draw(text, PASS)
        case _:
            Picture().draw(WHITE, as_vertices(text))


def measure(text: str, way: str, cpu: str = "host") -> tuple[str, float, int]:
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
            begin, had = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            try:
                _compile(text, way, cpu)
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
    case = case_of(seed)
    return f"{case.way}, {case.cpu}: {case.names}, {len(case.text)} bytes"


def attempt(seed: int) -> Counter[str]:
    """Compile the text of a seed. Any exception is a finding."""
    case = case_of(seed)
    outcome, spent, peak = measure(case.text, case.way, case.cpu)
    assert spent < MOST_S, f"{given(seed)}: {spent:.1f} s, {outcome}"
    assert peak < MOST_MB, f"{given(seed)}: {peak} MB, {outcome}"
    return Counter({"compiled" if outcome == "ran" else "refused": 1})
