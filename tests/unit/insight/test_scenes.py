"""Random pixels of recorded scenes are those of the reference interpreter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.gallium.screen.screen import Screen
from tests.images.test_images import SCENES
from tests.unit.insight.compared_pixels import BY_PROOF, BY_VALUES, EACH, Compared, compare, recordings, row
from tgsi.insight import history_of_pixel
from tgsi.insight.fragment_log import log_fragments
from tgsi.insight.history_of_pixel import PixelWatcher
from tgsi.insight.place import Place

SHORT = ("clipped", "layers", "styles", "samples_coverage", "mesh_appended", "fetched", "meshlets")


@pytest.fixture
def screen() -> Iterator[Screen]:
    with tgsi.Screen(threads=0) as screen:
        yield screen


@pytest.mark.light
@pytest.mark.parametrize("name", SHORT)
def test_a_pixel_of_a_scene_is_that_of_the_reference_interpreter(name: str, screen: Screen) -> None:
    counts = compare(screen, name, 1)
    assert (counts[BY_VALUES], counts[BY_PROOF]) == (1, 0)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SCENES)
def test_two_thousand_pixels_are_those_of_the_reference_interpreter(name: str, screen: Screen) -> None:
    assert EACH * len(SCENES) >= 2000
    counts = compare(screen, name)
    print(row(name, counts))
    assert (counts[BY_VALUES], counts[BY_PROOF]) == (EACH, 0)


@pytest.mark.light
def test_a_wrong_value_would_be_found(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """One step of red too much in a fragment's output: the proof of the explanation fails, and so does the interpreter's comparison."""
    parts = recordings(SCENES["clipped"])
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


@pytest.mark.light
def test_a_wrong_input_would_be_found(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs that are a hundredth too large no longer come from a primitive, whatever the program makes of them."""
    (recorded, targets), *_ = recordings(SCENES["clipped"])
    plain = log_fragments

    def wrong(*args: Any, **given: Any) -> Any:
        log = plain(*args, **given)
        inputs = [(item.inputs.view(np.float32) * np.float32(1.01) + np.float32(0.01)).view(np.uint32) for item in log.fragments]
        return replace(log, fragments=tuple(replace(item, inputs=words) for item, words in zip(log.fragments, inputs)))

    monkeypatch.setattr(history_of_pixel, "log_fragments", wrong)
    compared = Compared(screen, recorded.data, Place(targets[0][0], 0, 0, 75, 55))
    compared.counts = Counter()
    with pytest.raises(AssertionError, match=r"\(75, 55\)"):
        compared.run()
