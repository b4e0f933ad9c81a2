"""The list of ready-made kernels has what frames of usual state request, and no kernel changes a picture."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

import tgsi
from backends.llvm.engine import ready_made
from backends.ready_made import rows
from tests.levels import need
from tests.ready_made import frames
from tests.ready_made.record import ROOT, requests


def missing_of(draw: Callable[[tgsi.Screen], object], level: str) -> list[str]:
    """Kernels that a frame requests and the list lacks."""
    need(level)
    with tgsi.Screen(threads=1, cpu=level) as screen, requests() as noted:
        draw(screen)
    assert noted
    known = {(row.name, row.arguments) for row in rows.rows_of(level)}
    return [str(rows.Row(name, arguments, frozenset([level]))) for name, arguments in noted if (name, arguments) not in known]


def _picture(screen: tgsi.Screen) -> None:
    with frames.Frame(screen, frames.COLORS[0], frames.DEPTHS[0], 4) as frame:
        frame.draw()
    with frames.Frame(screen, frames.COLORS[1]) as frame:
        frame.programs(frames.vertex_program(3), frames.PASS)
        frame.draw(("R32G32B32_FLOAT", "R32G32_FLOAT", "R8G8B8A8_UNORM"))


@pytest.mark.parametrize("level", rows.RECORDED)
def test_frames_of_usual_state_find_their_kernels_in_the_list(level: str) -> None:
    assert missing_of(_picture, level) == []


@pytest.mark.nightly
@pytest.mark.parametrize("level", rows.RECORDED)
def test_the_list_has_what_its_frames_request(level: str) -> None:
    for frame in frames.FRAMES:
        assert missing_of(frame, level) == [], "python -m tests.ready_made records the list again"


@pytest.mark.slow
@pytest.mark.skipif(ready_made.level_of("host") is None, reason="this machine has no ready-made kernels")
def test_pictures_are_the_same_with_and_without_ready_made_kernels() -> None:
    level = ready_made.level_of("host")
    assert level is not None
    if ready_made.current(level) is None:
        pytest.skip("the ready-made kernels of this checkout are stale or missing; python -m backends.ready_made build makes them")
    script = (
        "import hashlib, tgsi\nfrom tests.images.scenes import SCENES\n"
        "with tgsi.Screen(threads=1) as screen:\n"
        "    print([hashlib.sha256(SCENES[name](screen)).hexdigest() for name in ('triangles', 'lines_and_points', 'fetched')])\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, env={**os.environ, "TGSI_READY_MADE": way}, capture_output=True, check=True
        )
        for way in ("on", "off")
    ]
    assert said[0].stdout == said[1].stdout != b""
