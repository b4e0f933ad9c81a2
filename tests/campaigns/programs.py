"""Hostile programs in compiled code: valid ones and mutants, with all memory that they may reach right before guard pages."""

from __future__ import annotations

from collections import Counter
from typing import Any

import tgsi
from tests.effort import follow
from tests.fuzz import hostile, hostile_grids, hostile_meshes
from tests.fuzz.mutants import mutant
from tests.property.fitting import fitting_arguments
from tests.property.programs import generate
from tgsi.language.diagnostics import UnsupportedError

WIDTHS = (8, 16, 4, 32)
FEWEST_OF_SCREENS = 8  # lanes


def prepare() -> None:
    """Code of the level that the caller wants; shared functions are compiled unguarded."""
    follow()
    tgsi.run(tgsi.parse("VERT\nDCL OUT[0], POSITION\nEND\n"))


def attempt(seed: int) -> Counter[str]:
    """Run one program by `tgsi.run`, or in a grid or a mesh launch, in turns."""
    number, lanes = seed // 3, WIDTHS[seed // 6 % len(WIDTHS)]
    kind = ("valid", "mutated")[number % 2]
    if seed % 3 == 1:
        return Counter(hostile_grids.hunt(kind, number, number + 1, max(lanes, FEWEST_OF_SCREENS)))
    if seed % 3 == 2:
        return Counter(hostile_meshes.hunt(kind, number, number + 1, lanes))
    return _run(kind, number, lanes)


def _run(kind: str, number: int, lanes: int) -> Counter[str]:
    generated = generate(number) if kind == "valid" else None
    program = mutant(number) if generated is None else tgsi.parse(generated.text)
    if program is None:
        return Counter()
    given: dict[str, Any] = fitting_arguments(program, number) if generated is None else dict(generated.arguments)
    with hostile.guarded() as guard:
        try:
            tgsi.run(program, lanes=lanes, **given)
            guard.release()
        except UnsupportedError:
            return Counter(unsupported=1)
        except ValueError:
            if generated is not None:
                raise
            return Counter(refused=1)
        finally:
            guard.release()
    return Counter(ran=1)


def given(seed: int) -> str:
    """The program."""
    number = seed // 3
    return str(mutant(number)) if number % 2 else generate(number).text
