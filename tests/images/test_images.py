"""Every scene has the same bytes for any number of threads and lanes, and on any machine: digests.json has their SHA-256.

`pytest tests/images --update-golden` rewrites the digests; look at the pictures before you commit them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.abi import records
from tests.alarms import alarms
from tests.images.coverage_rules import RULES
from tests.images.memory_scenes import STORED
from tests.images.meshed import MESHED
from tests.images.multisampled import MULTISAMPLED
from tests.images.scenes import SCENES as SINGLE
from tests.images.tessellated import TESSELLATED
from tests.levels import LANES, LEVELS, need

SCENES = SINGLE | MULTISAMPLED | STORED | TESSELLATED | MESHED | RULES
DIGESTS = Path(__file__).parent / "digests.json"


def digest(scene: str, threads: int, lanes: int | None, cpu: str | None = None) -> str:
    with tgsi.Screen(threads=threads, lanes=lanes, cpu=cpu) as screen:
        return hashlib.sha256(SCENES[scene](screen)).hexdigest()


MACHINES: list[tuple[int, int | None]] = [(0, None), (1, 8), (2, 16), (7, 32)]
"""Threads and lanes. Each scene is drawn by the first and one of the others, in rotation; nightly by all of them."""


def drawn_by() -> list[Any]:
    rows = []
    for number, scene in enumerate(SCENES):
        for k, machine in enumerate(MACHINES):
            marks = () if k in (0, 1 + number % 3) else pytest.mark.nightly
            rows.append(pytest.param(scene, *machine, marks=marks))
    return rows


@pytest.mark.parametrize(("scene", "threads", "lanes"), drawn_by())
def test_scene_has_its_bytes(scene: str, threads: int, lanes: int | None, request: pytest.FixtureRequest) -> None:
    known: dict[str, str] = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    found = digest(scene, threads, lanes)
    if request.config.getoption("--update-golden") and lanes is None:
        DIGESTS.write_text(json.dumps(known | {scene: found}, indent=1, sort_keys=True) + "\n")
        return
    assert found == known[scene]


@pytest.mark.parametrize("scene", SCENES)
def test_scene_shows_something(scene: str) -> None:
    with tgsi.Screen(threads=0) as screen:
        assert len(np.unique(np.frombuffer(SCENES[scene](screen), np.uint8))) > 20


@pytest.mark.nightly
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("lanes", LANES[1:])
def test_scenes_have_their_bytes_at_every_level(lanes: int, level: str) -> None:
    need(level)
    known: dict[str, str] = json.loads(DIGESTS.read_text())
    assert [scene for scene in SCENES if digest(scene, 1, lanes, level) != known[scene]] == []


def _digests_under_alarms(scenes: Iterable[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Digests of scenes while a handler runs every ten milliseconds, and whenever native code may let it run."""
    called: list[int] = []
    monkeypatch.setattr(records, "PERIOD", 0)
    with alarms(0.01, lambda: called.append(1)):
        found = {scene: digest(scene, threads, None) for threads, scene in enumerate(scenes)}
        for _ in range(100):  # quick scenes may end before the first alarm
            if called:
                break
            found = {scene: digest(scene, threads, None) for threads, scene in enumerate(scenes)}
    assert called
    return found


def test_signal_handlers_change_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, str] = json.loads(DIGESTS.read_text())
    found = _digests_under_alarms(("torus", *list(TESSELLATED)[:1], *list(MESHED)[:1], *list(STORED)[:1]), monkeypatch)
    assert found == {scene: known[scene] for scene in found}


@pytest.mark.nightly
def test_signal_handlers_change_no_byte_of_any_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, str] = json.loads(DIGESTS.read_text())
    for first in range(0, len(SCENES), 4):
        found = _digests_under_alarms(list(SCENES)[first : first + 4], monkeypatch)
        assert found == {scene: known[scene] for scene in found}
