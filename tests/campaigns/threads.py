"""Threads with contexts of one screen that draw at the same time: each gets the pictures that it gets alone."""

from __future__ import annotations

import random
import threading
from collections import Counter

from tests.unit.gallium.test_hostile import Storm
from tgsi import gallium as g

THREADS, STEPS = 4, 4


def _work(screen: g.Screen, seed: int, found: dict[int, object], place: int) -> None:
    try:
        with screen.context_create() as ctx:
            storm = Storm(screen, ctx, seed)
            storm.rage(STEPS)
            found[place] = storm.color.texels().tobytes(), storm.depth.texels().tobytes()
    except Exception as error:
        found[place] = error


def attempt(seed: int) -> Counter[str]:
    """Draw in threads, then alone."""
    chance, found = random.Random(f"threads {seed}"), dict[int, object]()
    seeds = [chance.randrange(500) for _ in range(THREADS - 1)]
    seeds.append(seeds[0])
    with g.Screen(threads=chance.randrange(3)) as screen:
        threads = [threading.Thread(target=_work, args=(screen, own, found, place)) for place, own in enumerate(seeds)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for place, own in enumerate(seeds):
            alone = dict[int, object]()
            _work(screen, own, alone, place)
            error = found[place]
            if isinstance(error, Exception):
                raise AssertionError(f"storm {own}") from error
            assert found[place] == alone[place], f"storm {own} has other pictures in a thread"
    return Counter(drew=THREADS)


def given(seed: int) -> str:
    """A description of what the seed makes."""
    return f"{THREADS} threads of Storm, seeds by Random('threads {seed}')"
