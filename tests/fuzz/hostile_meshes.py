"""Run hostile task and mesh programs by the kernels of draws, with guard pages after all memory that a launch accesses.

By hand: ``python -m tests.fuzz.hostile_meshes mutated 0 1000 --lanes 16``. Stops at the first finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import tgsi
from tests.fuzz import hostile
from tests.fuzz.command import run_command
from tests.fuzz.guard import Guard
from tests.fuzz.mutants import mutant
from tests.property import mesh_launches
from tests.property.fitting import fitting_arguments
from tests.property.programs import generate
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.stages import STAGES
from tgsi.language.program import Program

MESH_STAGES = tuple(stage.name for stage, row in STAGES.items() if row.is_mesh)


@contextmanager
def guarded() -> Iterator[Guard]:
    """Guard arguments, tables, scratch memory and results of launches."""
    import pytest

    with hostile.guarded() as guard, pytest.MonkeyPatch.context() as patch:
        launches: Any = mesh_launches
        prepare = launches.prepare
        patch.setattr(mesh_launches, "prepare", lambda *given, **options: guard.copied(prepare(*given, **options)))
        patch.setattr(mesh_launches, "layout_of", launches.layout_of.__wrapped__)
        patch.setattr(mesh_launches, "allocate", lambda size: guard.zeros(max(size, 4), np.uint8)[:size])
        patch.setattr(mesh_launches, "MARGIN", 0)
        yield guard


def _program(kind: str, number: int) -> tuple[Program, dict[str, Any]] | None:
    if kind == "valid":
        generated = generate(number, MESH_STAGES)
        return tgsi.parse(generated.text), dict(generated.arguments)
    program = mutant(number, MESH_STAGES)
    if program is None or not STAGES[program.processor].is_mesh:
        return None
    return program, fitting_arguments(program, number)


def hunt(kind: str, begin: int, end: int, lanes: int) -> Counter[str]:
    """Verdicts on the programs with these numbers. Unexpected results raise an exception, or end the process."""
    verdicts: Counter[str] = Counter()
    with guarded() as guard:
        for number in range(begin, end):
            found = _program(kind, number)
            if found is not None:
                print(f"{number}", flush=True)
                verdicts[_run(guard, *found, lanes)] += 1
    return verdicts


def _run(guard: Guard, program: Program, arguments: dict[str, Any], lanes: int) -> str:
    given = dict(arguments)
    grid, payload = given.pop("grid"), np.asarray(given.pop("payload", b"")).tobytes()
    given.pop("fuel", None)
    halves = [mesh_launches.Part(grid=grid, first=first, blocks=1, payload=payload) for first in range(2)]
    verdict = "ran"
    try:
        mesh_launches.launch(program, halves, lanes=lanes, **given)
    except (UnsupportedError, ValueError) as error:
        verdict = type(error).__name__
    guard.release()
    return verdict


if __name__ == "__main__":
    run_command(hunt, __doc__)
