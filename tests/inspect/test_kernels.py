"""The kernels of a page are those that draws and grids run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.inspect.test_pages import inspect
from tests.replay.many_draws import draw_many
from tests.replay.traced_examples import trace_example
from tests.unit.gallium.recording_device import Recorder
from tests.unit.gallium.test_traces import Traced
from tgsi.tools.inspect.sources import load
from tgsi.tools.inspect.writing import write_page

pytestmark = pytest.mark.light

GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0], POSITION
DCL OUT[0], POSITION
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
EMIT IMM[0].xxxx
END
"""
COMPUTE = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 4
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {4, 0, 0, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
STORE BUFFER[0].x, TEMP[0].xxxx, SV[0].xxxx
END
"""
_OF_PROCESS = ("commands", "common", "entries", "poll", "reading", "shared")
"""Kernels of no single call."""


def of_kind(data: dict[str, Any], kind: str) -> list[dict[str, list[str]]]:
    """The views of kernels whose names begin so."""
    found = [item for item in data["kernels"] if item["name"].startswith(f"{kind}-")]
    return [{view["name"]: view["lines"] for view in item["views"]} for item in found]


def has_code(kernel: dict[str, list[str]]) -> bool:
    return any(line.strip().startswith("ret") for line in kernel["assembly"])


def test_kernels_of_shaders_have_the_assembly_that_draws(tmp_path: Path) -> None:
    data = inspect(draw_many(tmp_path / "a.trace", 10, white=7)).data
    (shade,), (vertex,) = of_kind(data, "shade"), of_kind(data, "vertex_shader")
    assert has_code(shade)
    assert has_code(vertex)
    assert "  0: MOV OUT[0], CONST[0][0]" in shade["key"]
    assert {item["draws"] for item in data["kernels"]} == {10}


def test_kernels_depend_on_the_state_and_stages_have_theirs(tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, tmp_path / "a.trace")
        ctx = stage.ctx
        stage.state(ctx)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.bind_blend_state(ctx.create_blend_state(rt=[{"blend_enable": True, "rgb_dst_factor": "ONE"}]))
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.draw_vbo(mode="TRIANGLES", index=np.array([0, 1, 2], np.uint16))
        ctx.bind_gs_state(ctx.create_gs_state(GEOMETRY))
        for _ in range(2):
            ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.set_shader_buffers("COMPUTE", [{"buffer": stage.uniforms, "writable": True}])
        ctx.bind_compute_state(ctx.create_compute_state(COMPUTE))
        ctx.launch_grid(grid=(1, 1, 1), block=(4, 1, 1))
        ctx.destroy()
    data = inspect(tmp_path / "a.trace").data
    calls = [row for row in data["draws"] if row["call"] in ("draw_vbo", "launch_grid")]
    plain, blended, indexed, staged, again, grid = (row["kernels"] for row in calls)
    names = [item["name"] for item in data["kernels"]]
    differing = {names[number] for number in {*plain} ^ {*blended}}
    assert len(differing) == 2
    assert all(name.startswith("shade-") for name in differing)
    assert indexed == blended
    assert staged == again
    (geometry,), (dispatched,) = of_kind(data, "geometry"), of_kind(data, "grid")
    assert any(names[number].startswith("geometry-") for number in staged)
    assert [names[number].partition("-")[0] for number in grid] == ["grid"]
    assert has_code(geometry)
    assert has_code(dispatched)


def test_a_device_without_kernels_lists_none(tmp_path: Path) -> None:
    from tests.inspect.parsed import Parsed

    path = draw_many(tmp_path / "a.trace", 2)
    with tgsi.Screen(device=Recorder()) as screen:
        write_page(screen, load(path), tmp_path / "a.html")
    data = Parsed((tmp_path / "a.html").read_text()).data
    assert [row["kernels"] for row in data["draws"] if row["call"] == "draw_vbo"] == [None, None]


def check_kernels(trace: Path, folder: Path) -> None:
    """The kernels of a page are those that a replay by a new process writes."""
    data, target = inspect(trace).data, folder / "kernels"
    code = f"from tgsi.tools.replay.cli import main; main([{str(trace)!r}, '--threads', '0'])"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env={**os.environ, "TGSI_DUMP": str(target)})
    numbers = {number for row in data["draws"] for number in row.get("kernels") or ()}
    assert len(numbers) == len(data["kernels"])
    listed, written = {data["kernels"][number]["name"] for number in numbers}, {path.stem for path in target.glob("*.key")}
    assert {name for name in listed ^ written if name.partition("-")[0] not in _OF_PROCESS} == set()


@pytest.mark.nightly
def test_draws_have_the_kernels_that_the_replay_compiles(tmp_path: Path) -> None:
    check_kernels(draw_many(tmp_path / "a.trace", 10, white=7), tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["geometry", "tessellation", "meshlets", "particles"])
def test_examples_have_the_kernels_that_the_replay_compiles(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, trace in enumerate(trace_example(name, tmp_path, monkeypatch)):
        check_kernels(trace, tmp_path / str(number))
