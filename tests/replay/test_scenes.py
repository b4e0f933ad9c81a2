"""Recorded scenes: close to Mesa's pictures, and identical to our own on other machines, threads and lanes."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tgsi import gallium as g
from tgsi.tools.replay.compare import Tolerance
from tgsi.tools.replay.replay import Options, Report, replay

GOLDEN = Path(__file__).parents[1] / "golden"
ARCHIVE, DIGESTS = GOLDEN / "scenes.zip", GOLDEN / "scenes.json"

with zipfile.ZipFile(ARCHIVE) as _archive:
    NAMES = sorted(name.removesuffix(".json") for name in _archive.namelist() if name.endswith(".json"))

AS_RECORDED = Options(Tolerance(max_diff=1, max_pixels=0.02))

DEVIATIONS = {"lines_axis_aligned": ["c0: 51 pixels differ"]}
"""Scenes that differ on purpose: softpipe draws vertical lines exactly between two columns into the right one, OpenGL into the left one."""

EVERY_STAGE = (
    "big_random_tris_u8",
    "flushed_blend_eqs_u8",
    "interp_PERSPECTIVE_f32",
    "kill_checker",
    "mrt_independent1",
    "points_per_vertex_size",
    "stencil_INCR",
    "tex_lod_minlod",
    "vfmt_R32_UINT",
)
"""Scenes that run with other widths, too. The last one once hit a store that promised more alignment than 8 lanes have."""


@pytest.fixture(scope="session")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("scenes")
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(directory)
    return directory


def play(path: Path, threads: int, lanes: int | None = None) -> Report:
    with g.Screen(threads=threads, lanes=lanes) as screen:
        return replay(screen, path, AS_RECORDED)


def check_digests(name: str, found: dict[str, str], update: bool) -> None:
    known = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    if update and "PYTEST_XDIST_WORKER" not in os.environ:  # test workers would overwrite each other's entries
        DIGESTS.write_text(json.dumps({n: d for n, d in sorted({**known, name: found}.items()) if n in NAMES}, indent=1) + "\n")
        return
    assert found == known.get(name)


BY_NIGHT = ("flushed_blend_factors_x8", "flushed_blend_factors_565")
"""Scenes that are drawn for seconds, and differ from another one in the format of the target alone."""


def marked(name: str) -> Any:
    marks = [pytest.mark.light] * (name not in EVERY_STAGE) + [pytest.mark.nightly] * (name in BY_NIGHT)
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [marked(name) for name in NAMES])
def test_scene_is_near_the_recording_and_the_same_everywhere(name: str, scenes: Path, request: pytest.FixtureRequest) -> None:
    report = play(scenes / f"{name}.json", threads=0)
    assert [reason.partition(" (")[0] for reason in report.reasons] == DEVIATIONS.get(name, [])
    check_digests(name, report.digests, request.config.getoption("--update-golden"))
    assert play(scenes / f"{name}.json", threads=2).digests == report.digests


@pytest.mark.light
@pytest.mark.parametrize(("threads", "lanes"), [(1, 8), (7, 16), (2, 32)])
@pytest.mark.parametrize("name", EVERY_STAGE)
def test_scene_is_the_same_for_all_threads_and_lanes(name: str, threads: int, lanes: int, scenes: Path) -> None:
    assert play(scenes / f"{name}.json", threads, lanes).digests == json.loads(DIGESTS.read_text())[name]
