"""The comparison through virpipe: its measurements, its reading of glmark2's output, and the servers that it starts and ends."""

from __future__ import annotations

import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.glmark import SCENES, Glmark, processors_busy, seconds_a_frame
from benchmarks.levels import own_variables, width_variables
from benchmarks.processes import SideFailed
from benchmarks.programs import PROGRAMS, Program, Programs, Run, frames_told, shortened
from benchmarks.virpipe import DRAWS, Server, cpu_ratio, main, parse_arguments

SERVER = "import socket, sys, time; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); sum(range(10**7)); time.sleep(60)"


def test_a_name_stands_for_all_that_begin_with_it() -> None:
    assert parse_arguments(["--only", "bump,draw_first,build-vbo"]).names == [
        "draw_first",
        "build-vbo",
        "bump-high-poly",
        "bump-normals",
        "bump-height",
    ]
    assert parse_arguments([]).names == [*DRAWS, *SCENES, *PROGRAMS]


def test_a_level_limits_both_servers() -> None:
    assert parse_arguments(["--cpu", "x86-64-v3"]).cpu == "x86-64-v3"
    assert own_variables("x86-64-v3") == {"TGSI_CPU": "x86-64-v3"}
    assert width_variables("x86-64-v3") == {"LP_NATIVE_VECTOR_WIDTH": "256"}
    assert width_variables("x86-64-v2") == {"LP_NATIVE_VECTOR_WIDTH": "128", "GALLIUM_OVERRIDE_CPU_CAPS": "sse4.1"}
    assert own_variables(None) == width_variables(None) == {}


def test_an_unknown_name_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_arguments(["--only", "bumb"])
    assert "nothing begins with bumb" in capsys.readouterr().err


def test_list_names_scenes_and_workloads(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [*DRAWS, *SCENES, *PROGRAMS]


def test_no_scene_has_the_name_of_a_workload_and_all_workloads_of_draws_are_there() -> None:
    assert not set(DRAWS) & set(SCENES)
    assert not set(PROGRAMS) & {*DRAWS, *SCENES}
    assert {"draw_calls", "draw_restart", "draw_meshes"} <= set(DRAWS)


def test_seconds_come_from_the_time_of_a_frame() -> None:
    assert seconds_a_frame("[build] use-vbo=false: FPS: 3 FrameTime: 333.25 ms\n") == pytest.approx(0.33325)


def test_a_run_without_a_time_fails_with_its_last_words() -> None:
    with pytest.raises(SideFailed, match="Could not initialize canvas"):
        seconds_a_frame("glmark2 2021.02\nError: main: Could not initialize canvas\n")
    with pytest.raises(SideFailed):
        seconds_a_frame("[build] <default>: FPS: 0 FrameTime: 0.000 ms")


def test_busy_processors_are_counted_in_the_latter_half_of_a_scene() -> None:
    used = [(0.0, 5.0), (1.0, 9.0), (2.0, 9.5), (2.5, 10.0), (3.0, 10.5)]
    assert processors_busy(used, 2.0) == 1.0
    assert processors_busy(used, 0.1) == pytest.approx(5.5 / 3.0)
    assert processors_busy(used[:1], 2.0) == 0.0


@pytest.fixture
def glmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Glmark:
    """A side whose glmark2 writes down its arguments, finds the pictures of `shadow` wrong, and takes 2 ms for each frame."""
    program = tmp_path / "glmark2"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> "{tmp_path}/calls"\n'
        'case "$*" in *--validate*shadow*) echo "Validation: Failure";; *) echo "FPS: 500 FrameTime: 2.000 ms";; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return Glmark("ours", ["env"], {}, size="64x48", cpu=lambda: 0.0)


def test_a_round_is_a_run_of_one_scene_off_screen(glmark: Glmark, tmp_path: Path) -> None:
    assert glmark.ask("prepare", name="build-vbo") == {"first": 0.002}
    answer = glmark.ask("round", budget=1.5)
    assert answer["wall"] == [0.002]
    assert answer["cpu"][0] >= 0.0
    assert glmark.ask("check") == {}
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[0] == "--off-screen --size 64x48 --validate -b build:use-vbo=true"
    assert calls[-1] == "--off-screen --size 64x48 -b build:use-vbo=true:duration=1.50"


def test_a_picture_that_glmark2_finds_wrong_is_a_failure(glmark: Glmark) -> None:
    with pytest.raises(SideFailed, match="picture wrong"):
        glmark.ask("prepare", name="shadow")


def test_a_server_ends_with_its_context_and_its_processor_time_is_counted(tmp_path: Path) -> None:
    with Server("sleeper", [sys.executable, "-c", SERVER, str(tmp_path / "s.sock")], tmp_path / "s.sock", {}) as server:
        while server.cpu() == 0.0:
            pass
        assert Path(f"/proc/{server.pid}").exists()
    assert not Path(f"/proc/{server.pid}").exists()


def test_a_server_that_does_not_start_is_named_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="broken did not start: no such driver"):
        Server("broken", [sys.executable, "-c", "print('no such driver')"], tmp_path / "s.sock", {})


def test_the_ratio_of_processor_times_is_theirs_by_ours() -> None:
    assert cpu_ratio({"ours_cpu_ms": 2.0, "peer_cpu_ms": 3.0}) == 1.5
    assert cpu_ratio({"ours_cpu_ms": 2.0}) is None


def test_a_demo_is_cut_between_messages_and_ends_with_its_mark() -> None:
    messages = [struct.pack("<2i", k, 10) + bytes([k]) * 10 for k in range(5)]
    end = struct.pack("<2i", -1, -1)
    whole = b"".join(messages) + end
    assert shortened(whole, 40) == b"".join(messages[:2]) + end
    assert shortened(whole, 1000) == whole
    assert shortened(whole[:50], 1000) == b"".join(messages[:2]) + end


def test_programs_tell_frames_and_seconds() -> None:
    assert frames_told("loading\n120 frames 4.0 seconds 30.0 fps\n") == 4.0 / 120
    assert frames_told("qml: 50 frames in 2.5 seconds") == 0.05
    with pytest.raises(SideFailed, match="gave no time: could not open the display"):
        frames_told("could not open the display\n")


def test_programs_that_are_not_installed_are_named() -> None:
    program = Program("a program", lambda: {"here": True, "there": False}, lambda start, folder, seconds: Run(1.0))
    assert program.missing() == ["there"]


def test_a_round_is_one_run_of_a_program_and_ends_with_all_that_it_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done, written = threading.Event(), tmp_path / "pid"

    def show(start: Callable[..., str], folder: Path, seconds: float) -> Run:
        if seconds == 0.5:
            return Run(frames_told(start(["sh", "-c", "echo $FRAMES frames in 1.0 seconds"], {"FRAMES": "20"})), 3.0)
        threading.Timer(0.3, done.set).start()
        start(["sh", "-c", f"sleep 60 & echo $! > {written}; wait"], {}, until=done)
        return Run(0.25)

    monkeypatch.setitem(PROGRAMS, "quick", Program("a program", dict, show))
    side = Programs("ours", [], {}, cpu=time.monotonic)
    assert side.ask("prepare", name="quick") == {"first": 3.0}
    answer = side.ask("round", budget=1.0)
    assert answer["wall"] == [0.25]
    assert answer["cpu"] == [pytest.approx(0.25, rel=0.2)]
    pid, end = int(written.read_text()), time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
        assert time.monotonic() < end
        time.sleep(0.05)
