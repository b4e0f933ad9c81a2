"""Calls of a context and its screen: plausible ones with hostile values, and any method with any arguments.

Resources lie between guard pages.
"""

from __future__ import annotations

import inspect
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.gallium.resource import layout
from tests.fuzz.guard import Guard, replace_everywhere
from tests.unit.gallium.test_hostile import Storm
from tests.unit.gallium.test_misuse import CALLED, FILES, METHODS, NO_CALLS, made, staged
from tests.unit.gallium.wrong_values import OfTheCallerError, wrong_values
from tgsi import gallium as g
from tgsi.language.diagnostics import TgsiError, UnsupportedError

STEPS, CALLS = 6, 60
"""Draws with the calls before them, and calls of any method, of a seed."""

MEMORY = 1 << 26  # bytes of resources of a screen
LINE = 64  # bytes that kernels may read after an array
CLEAN = (TypeError, ValueError, MemoryError, BlockingIOError, TgsiError, OfTheCallerError)
_TIMED = {"fence_finish"}  # wait as long as the caller says


@contextmanager
def guarded() -> Iterator[Guard]:
    """Place the memory of resources, and of what a context copies, right before guard pages."""
    guard = Guard()

    def allocated(size: int) -> NDArray[np.uint8]:
        return guard.zeros(size + LINE, np.uint8)[:size]

    with pytest.MonkeyPatch.context() as patch:
        replace_everywhere(patch, layout.allocate, allocated)
        yield guard


@cache
def _methods() -> list[tuple[str, str, list[inspect.Parameter]]]:
    owners = {"context": g.Context, "screen": g.Screen}
    found = []
    for owner, name in METHODS:
        wanted = [*inspect.signature(getattr(owners[owner], name)).parameters.values()][1:]
        if name not in NO_CALLS | _TIMED:
            found.append((owner, name, [p for p in wanted if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]))
    return found


@cache
def _values() -> list[Any]:
    return list(wrong_values().values())


def _any_call(stage: dict[str, Any], chance: random.Random) -> str:
    """Call a method with one or more wrong arguments. Returns what happened."""
    owner, name, wanted = chance.choice(_methods())
    if not wanted:
        return "not called"
    ctx = stage["context"]
    given = {p.name: made(ctx, p.name, stage) for p in wanted if p.default is p.empty or (p.name in stage and chance.random() < 0.3)}
    wrong = chance.sample(wanted, min(len(wanted), chance.choice((1, 1, 2, 3))))
    for p in wrong:
        value = chance.choice(_values())
        if (name, p.name) != FILES or not isinstance(value, (str, Path)):
            given[p.name] = value
    places = [given.pop(p.name) for p in wanted if p.kind is p.POSITIONAL_ONLY and p.name in given]
    try:
        getattr(stage[owner], name)(*places, **given)
    except CLEAN as error:
        del error
        return "refused"
    except Exception as error:
        if name == CALLED[0] and CALLED[1] in given:
            return "refused"  # the error of a function of the caller
        raise AssertionError(f"{owner}.{name}: {', '.join(f'{key}={str(value)[:200]}' for key, value in given.items())}") from error
    return "taken"


def attempt(seed: int) -> Counter[str]:
    """Draws of plausible state, then calls of any method, on contexts of one screen."""
    counts: Counter[str] = Counter()
    chance = random.Random(f"calls {seed}")
    with guarded() as guard:
        with g.Screen(threads=chance.randrange(3), memory_limit=MEMORY) as screen:
            with screen.context_create() as ctx:
                counts["taken"] += _storm(Storm(screen, ctx, seed), counts)
            with screen.context_create() as ctx:
                stage = staged(screen, ctx)
                for _ in range(CALLS):
                    counts[_any_call(stage, chance)] += 1
                    if chance.random() < 0.05:
                        stage = staged(screen, ctx)
        del counts["not called"]
        stage.clear()
        guard.release()
    return counts


def _storm(storm: Storm, counts: Counter[str]) -> int:
    """Call plausible methods. Returns the number of those that were taken."""
    storm.shaders()
    calls = [storm.targets, storm.viewport, storm.rasterizer, storm.blend, storm.depth_stencil, storm.shaders]
    calls += [storm.vertices, storm.constants, storm.textures, storm.clear, storm.blit]
    taken = 1
    for _ in range(STEPS):
        for call in (*storm.r.sample(calls, 5), storm.draw):
            try:
                call()
                taken += 1
            except (UnsupportedError, MemoryError):
                counts["refused"] += 1
    storm.ctx.flush()
    return taken


def given(seed: int) -> str:
    """A description of what the seed makes."""
    return f"Storm of seed {seed}, then {CALLS} calls that Random('calls {seed}') chooses"
