"""Traces in tgsi-replay: played, compared, printed; the examples play to the same pictures."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tgsi
from backends.gallium.screen.screen import Screen
from tests.unit.gallium.test_traces import Traced
from tgsi import gallium as g
from tgsi.tools.replay.cli import main

pytestmark = pytest.mark.light

Captured = pytest.CaptureFixture[str]
EXAMPLES = Path(__file__).parents[2] / "examples"


def run(capsys: Captured, *arguments: object) -> tuple[int, list[str], str]:
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out.splitlines(), err


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, tmp_path / "small.trace")
        stage.calls(stage.ctx)
        stage.ctx.flush()
        stage.pixels()
        stage.ctx.destroy()
    return tmp_path / "small.trace"


def test_a_trace_passes(trace: Path, capsys: Captured) -> None:
    assert run(capsys, trace, "-o", trace.parent) == (0, ["pass small (4 digests)", "1 passed, 0 failed"], "")


def test_digests_are_those_of_every_machine_setting(trace: Path, capsys: Captured) -> None:
    first = run(capsys, trace, "--digest", "-o", trace.parent, "--threads", 0, "--lanes", 8)
    assert first == run(capsys, trace, "--digest", "-o", trace.parent, "--threads", 2, "--lanes", 16)
    digests = [line.split("  ")[1].split(":")[0] for line in first[1][1:-1]]
    assert digests == ["0 flush", "1 texture_read", "2 end", "3 end", "4 end"]
    assert first[1][1][:64] != "0" * 64


def test_the_commands_are_printed_as_json(trace: Path, capsys: Captured) -> None:
    code, lines, _ = run(capsys, trace, "--print")
    shown = [json.loads(line) for line in lines]
    assert code == 0
    assert [item["command"] for item in shown] == list(range(len(shown)))
    draw = next(item for item in shown if item["name"] == "DRAW")
    assert draw["arguments"]["mode"] == int(g.Prim.TRIANGLE_STRIP)
    clear = next(item for item in shown if item["name"] == "CLEAR")
    assert clear["arguments"]["color"] == [0, 0, 0.5, 1]
    assert shown[-1]["name"] == "END"


def test_a_trace_that_differs_says_where(tmp_path: Path, capsys: Captured) -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, tmp_path / "a.trace")
        stage.state(stage.ctx)
        stage.buffer.blocks()[...] = 9  # behind the context
        stage.ctx.destroy()
    code, lines, _ = run(capsys, tmp_path / "a.trace", "-o", tmp_path)
    assert code == 1
    assert lines[0].startswith("FAIL a: end: <Resource BUFFER R8_UNORM 48 bytes, 1 level>, handle ")
    assert "it was written outside of the traced context" in lines[0]


@pytest.mark.parametrize("option", ["--print", "--digest"])
def test_a_file_that_was_cut_off_is_an_error(trace: Path, option: str, capsys: Captured) -> None:
    trace.write_bytes(trace.read_bytes()[:403])
    code, lines, err = run(capsys, trace, option, "-o", trace.parent)
    assert code == 2
    assert "the recording ends at byte 403, inside of a word: it was cut off" in "\n".join([*lines, err])


def test_a_program_that_ends_without_destroying_its_context_leaves_its_calls(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "ended.trace"
    program = (
        "import tgsi\n"
        "screen = tgsi.Screen(threads=0)\n"
        f"context = screen.context_create(trace={str(path)!r})\n"
        "context.clear_texture(screen.resource_create(width0=8, height0=8), bytes(4))\n"
        "raise SystemExit(3)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 3
    lines = run(capsys, path, "--print")[1]
    assert [json.loads(line)["call"] for line in lines] == ["resource_create", "clear_texture"]
    _, lines, err = run(capsys, path)
    assert "without END: it was cut off, and played up to there" in "\n".join([*lines, err])


def test_scenes_are_not_printed(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "a.json").write_text("{}")
    code, _, err = run(capsys, tmp_path / "a.json", "--print")
    assert code == 2
    assert "a recording begins with" in err


@pytest.mark.parametrize("name", ["triangle", "cube", "transparency", "particles", "geometry", "tessellation"])
def test_examples_are_played_to_the_same_bytes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    create: Callable[..., Any] = Screen.context_create
    paths: list[Path] = []

    def traced(self: Screen, *given: Any, **named: Any) -> Any:
        paths.append(tmp_path / f"{len(paths)}.trace")
        return create(self, *given, trace=paths[-1], **named)

    monkeypatch.setattr(Screen, "context_create", traced)
    monkeypatch.setattr("sys.argv", [f"{name}.py", "-o", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    monkeypatch.setattr(Screen, "context_create", create)
    capsys.readouterr()
    assert paths
    code, lines, _ = run(capsys, *paths, "-o", tmp_path)
    assert code == 0, lines
