"""Random pixels of recorded scenes: fragments as the reference interpreter computes them, and the stored pixel as merging computes it.

`python -m tests.unit.insight.compared_pixels [NUMBER] [SCENE ...]` compares pixels until NUMBER of each scene (61, so 2,013 of the 33
scenes) have fragments that were compared by values, and prints how many there were of each kind.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import tgsi
from backends.gallium.screen.screen import Screen
from backends.gallium.tracing.history import HistoryContext, Recorded
from tests.images.test_images import SCENES
from tests.unit.insight.reference import Reference, corners_of_draw
from tgsi.insight.events import Fate
from tgsi.insight.history_of_pixel import PixelWatcher
from tgsi.insight.place import Place

Target = tuple[int, int, int, int, int, int]
"""Handle, level, first and last layer, width and height."""
SEED = 40
"""Seed of the pixels, together with the name of the scene."""
EACH = 61
"""Pixels of each scene that are compared by values."""
MOST_TRIES = 20
"""Pixels that are tried for each of them; a few scenes are mostly empty."""
BY_VALUES, BY_PROOF, EMPTY = "pixels by values", "pixels by proof only", "pixels without a fragment"
COLUMNS = (BY_VALUES, BY_PROOF, EMPTY, "fragments", "fragments with compared inputs", "vertices", "coverages")


@contextmanager
def recorded_targets() -> Iterator[list[tuple[Recorded, list[Target]]]]:
    """The calls of each context that ends in the block, with its last targets."""
    kept: list[tuple[Recorded, list[Target]]] = []
    end = HistoryContext.destroy

    def destroy(self: HistoryContext) -> None:
        if not self.is_destroyed:
            recorded = self.recorded_parts()[0]
            surfaces = [(s, s.living_texture) for s in self.targets.surfaces if s is not None]
            targets = [
                (recorded.handles[id(texture)], s.level, s.first_layer, s.last_layer, s.width, s.height)
                for s, texture in surfaces
                if texture is not None
            ]
            kept.append((recorded, targets))
        end(self)

    HistoryContext.destroy = destroy  # type: ignore[method-assign, assignment]
    try:
        yield kept
    finally:
        HistoryContext.destroy = end  # type: ignore[method-assign]


def recordings(scene: Callable[[Any], bytes]) -> list[tuple[Recorded, list[Target]]]:
    """The calls of each context of a scene, and its last targets."""
    with recorded_targets() as kept, tgsi.Screen(threads=0, history=True) as screen:
        scene(screen)
    return kept


class Compared(PixelWatcher):
    """A watcher that runs the reference interpreter over each fragment, too. counts: of fragments and checks, by kind."""

    logs_quads = True
    counts: Counter[str]

    def _fragments(self, draw: Any, attachment: Any, event: Any, away: Any) -> Any:
        self._watched, self._reference = attachment.index, None
        self._primitives = corners_of_draw(self.replay.context, draw)
        return super()._fragments(draw, attachment, event, away)

    def _merge(self, draw: Any, merger: Any, log: Any, item: Any) -> Any:
        if merger.attachment.index == self._watched:
            Reference(self.replay.context, draw, merger, log, self._primitives, self.counts).check(item)
        return super()._merge(draw, merger, log, item)


def check(screen: Screen, recorded: Recorded, targets: list[Target], rng: random.Random) -> Counter[str]:
    """Explain a random pixel, and compare each of its fragments. Returns counts of the things that were compared."""
    handle, level, first, last, width, height = rng.choice(targets)
    place = Place(handle, level, rng.randint(first, last), rng.randrange(width), rng.randrange(height))
    watcher = Compared(screen, recorded.data, place, recorded.programs)
    watcher.counts = counts = Counter[str]()
    history = watcher.run()
    assert [event.proof for event in history.events if event.proof] == [], place
    assert not history.ended
    draws = [event for event in history.events if event.kind == "draw"]
    refused = any(text.startswith("not run") for text in counts)
    counts[BY_PROOF if refused else BY_VALUES if counts["fragments"] else EMPTY] += 1
    counts["pixels of layers"] += last > first
    counts["pixels that are blended"] += any(f.detail and f.fate is Fate.PASSED for event in draws for f in event.fragments)
    counts["pixels of several samples"] += any(len(f.samples) > 1 for event in draws for f in event.fragments)
    return counts


def compare(screen: Screen, name: str, number: int = EACH) -> Counter[str]:
    """Compare random pixels of a scene, the same ones in each run, until there are enough by values. Returns counts."""
    rng, counts = random.Random(f"{SEED} {name}"), Counter[str]()
    parts = [part for part in recordings(SCENES[name]) if part[1]]
    assert parts
    for _ in range(number * MOST_TRIES):
        counts += check(screen, *rng.choice(parts), rng)
        if counts[BY_VALUES] == number:
            break
    return counts


def row(title: str, counts: Counter[str]) -> str:
    """A line of the table."""
    return f"{title:22}" + "".join(f"{counts[name]:>{len(name) + 2}}" for name in COLUMNS)


def main(arguments: list[str]) -> None:
    """Print the table."""
    number = int(arguments[0]) if arguments else EACH
    print(" " * 22 + "".join(f"  {name}" for name in COLUMNS))
    total = Counter[str]()
    with tgsi.Screen(threads=0) as screen:
        for name in arguments[1:] or SCENES:
            counts = compare(screen, name, number)
            total += counts
            print(row(name, counts), flush=True)
    print(row("all", total))
    rest = [f"{value} {name}" for name, value in sorted(total.items()) if name not in COLUMNS]
    print(f"seed {SEED}; {', '.join(rest)}")


if __name__ == "__main__":
    main(sys.argv[1:])
