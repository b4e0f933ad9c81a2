"""Random pixels of recorded scenes: fragments as the reference interpreter computes them, and the stored pixel as merging computes it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.gallium.screen.screen import Screen
from backends.gallium.tracing.history import HistoryContext, Recorded
from tests.images.scenes import SCENES as SINGLE
from tests.images.test_images import SCENES
from tests.unit.insight.reference import Reference
from tgsi.insight import history_of_pixel
from tgsi.insight.events import Fate
from tgsi.insight.fragment_log import log_fragments
from tgsi.insight.history_of_pixel import PixelWatcher
from tgsi.insight.place import Place
from tgsi.insight.primitives import primitives_of

Target = tuple[int, int, int, int, int, int]
"""Handle, level, first and last layer, width and height."""
SHORT = ("clipped", "layers", "mesh_appended", "fetched", "meshlets")
NOT_RUN = {"samples_places": ["not run: INTERP in a clipped or thin triangle"]}
"""Scenes some of whose fragments the reference refuses, and why."""


def recordings(scene: Callable[[Any], bytes], monkeypatch: pytest.MonkeyPatch) -> list[tuple[Recorded, list[Target]]]:
    """The calls of each context of a scene, and its last targets."""
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

    monkeypatch.setattr(HistoryContext, "destroy", destroy)
    with tgsi.Screen(threads=0, history=True) as screen:
        scene(screen)
    return kept


class Compared(PixelWatcher):
    """A watcher that runs the reference interpreter over each fragment, too. counts: of fragments and checks, by kind."""

    logs_quads = True
    counts: Counter[str]

    def _fragments(self, draw: Any, attachment: Any, event: Any, away: Any) -> Any:
        self._watched, self._reference = attachment.index, None
        self._primitives = primitives_of(self.replay.context, draw)
        return super()._fragments(draw, attachment, event, away)

    def _merge(self, draw: Any, merger: Any, log: Any, item: Any) -> Any:
        if merger.attachment.index == self._watched:
            Reference(self.replay.context, draw, merger, log, self._primitives, self.counts).check(item)
        return super()._merge(draw, merger, log, item)


def check(screen: Screen, recorded: Recorded, targets: list[Target], rng: random.Random, counts: Counter[str]) -> None:
    """Explain a random pixel, and compare each of its fragments. counts: of what was compared, to which this adds."""
    handle, level, first, last, width, height = rng.choice(targets)
    place = Place(handle, level, rng.randint(first, last), rng.randrange(width), rng.randrange(height))
    watcher = Compared(screen, recorded.data, place, recorded.programs)
    watcher.counts = counts
    found = watcher.run()
    proofs = [event.proof for event in found.events if event.proof]
    assert proofs == [], place
    assert not found.ended
    draws = [event for event in found.events if event.kind == "draw"]
    counts["pixels"] += 1
    counts["pixels of layers"] += last > first
    counts["pixels that are blended"] += any(f.detail and f.fate is Fate.PASSED for event in draws for f in event.fragments)
    counts["pixels of several samples"] += any(len(f.samples) > 1 for event in draws for f in event.fragments)
    counts["pixels that a draw wrote"] += bool(draws)


@pytest.fixture
def screen() -> Iterator[Screen]:
    with tgsi.Screen(threads=0) as screen:
        yield screen


def compare(name: str, number: int, screen: Screen, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Compare random pixels of a scene, the same ones in each run."""
    rng, counts = random.Random(name), Counter[str]()
    parts = [part for part in recordings(SCENES[name], monkeypatch) if part[1]]
    assert parts
    for _ in range(number):
        check(screen, *rng.choice(parts), rng, counts)
    return counts


@pytest.mark.light
@pytest.mark.parametrize("name", SHORT)
def test_a_pixel_of_a_scene_is_that_of_the_reference_interpreter(name: str, screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(name, 1, screen, monkeypatch)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SCENES)
def test_two_thousand_pixels_are_those_of_the_reference_interpreter(name: str, screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = compare(name, -(-2000 // len(SCENES)), screen, monkeypatch)
    assert counts["pixels that a draw wrote"] or name in ("shrunk", "histogram")
    assert [text for text in counts if text.startswith("not run")] == NOT_RUN.get(name, [])


@pytest.mark.light
def test_a_wrong_value_would_be_found(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """One step of red too much in a fragment's output: the proof of the explanation fails, and so does the interpreter's comparison."""
    parts = recordings(SINGLE["clipped"], monkeypatch)
    plain = log_fragments

    def wrong(*args: Any, **given: Any) -> Any:
        log = plain(*args, **given)
        made = [replace(item, outputs=item.outputs ^ np.uint32(0x00700000)) for item in log.fragments]
        return replace(log, fragments=tuple(made))

    monkeypatch.setattr(history_of_pixel, "log_fragments", wrong)
    (recorded, targets), *_ = parts
    place = Place(targets[0][0], 0, 0, 75, 55)
    found = PixelWatcher(screen, recorded.data, place).run()
    assert any("computed" in event.proof for event in found.events)
    compared = Compared(screen, recorded.data, place)
    compared.counts = Counter()
    with pytest.raises(AssertionError):
        compared.run()
