"""Run hostile compute programs through a Context, with guard pages after all memory that a launch accesses.

By hand: ``python -m tests.fuzz.hostile_grids mutated 0 1000 --lanes 16``. Stops at the first finding.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from tests.fuzz.command import run_command
from tests.fuzz.guard import Guard, GuardedNumpy
from tests.fuzz.mutants import mutant
from tests.property.fitting import fitting_arguments
from tests.property.grids import compute_arguments, run_grid
from tests.property.programs import generate
from tgsi import gallium as g
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program

SLACK = 64
"""Readable bytes after textures."""
FUEL = 300


class _Region:
    """Region whose pieces end at guard pages."""

    watch = 0

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def allocate(self, size: int) -> int:
        return self._guard.memory(max(size, 4))

    def copy(self, address: int, size: int, padded: int = 0) -> int:
        target = self.allocate(max(size, padded))
        ctypes.memmove(target, address, size)
        return target

    def keep(self, thing: Any) -> None:
        pass

    keep_latest = keep

    def reset(self) -> None:
        pass


@contextmanager
def guarded() -> Iterator[Guard]:
    """Guard resources, tables, scratch memory and environments of launches."""
    import pytest

    from backends.compute import dispatch
    from backends.gallium.resource import layout, screen_core
    from backends.llvm.kernels import grid_layout
    from backends.llvm.kernels.grids import GridKey

    guard, is_buffer = Guard(), [False]
    create = screen_core.ScreenCore._make

    def created(self: screen_core.ScreenCore, name: str, template: g.Template, memory: Any) -> g.Resource:
        is_buffer[0] = template.is_buffer
        return create(self, name, template, memory)

    def allocated(size: int) -> NDArray[np.uint8]:
        return guard.zeros(size if is_buffer[0] else size + SLACK, np.uint8)[:size]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(screen_core.ScreenCore, "_make", created)
        patch.setattr(layout, "allocate", allocated)
        patch.setattr(dispatch, "GridKey", partial(GridKey, fuel=FUEL))
        patch.setattr(grid_layout, "np", GuardedNumpy(guard))
        patch.setattr(dispatch, "layout_of", grid_layout.layout_of.__wrapped__)
        patch.setattr(dispatch, "aligned", lambda size: guard.zeros(max(size, 4), np.uint8))
        patch.setattr(dispatch, "Region", lambda size, watch=0: _Region(guard))
        yield guard


def _program(kind: str, number: int) -> tuple[Program, dict[str, Any]] | None:
    if kind == "valid":
        generated = generate(number, ("COMP",))
        return tgsi.parse(generated.text), compute_arguments(generated.arguments)
    program = mutant(number)
    if program is None or program.processor is not Processor.COMP:
        return None
    return program, compute_arguments(fitting_arguments(program, number))


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
    verdict = "ran"
    with g.Screen(threads=0, lanes=lanes, cache_dir="").context_create() as ctx:
        try:
            run_grid(ctx, program, arguments)
        except (UnsupportedError, ValueError) as error:
            verdict = type(error).__name__
        guard.release()
    return verdict


if __name__ == "__main__":
    run_command(hunt, __doc__)
