"""Command tgsi-replay: its lines, messages and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.replay.conftest import CLEAR, SceneWriter
from tests.texts import VS_POSITION
from tgsi.tools.replay.cli import main
from tgsi.tools.replay.player import HANDLERS

Captured = pytest.CaptureFixture[str]

RED = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"


def draw_commands() -> list[dict[str, Any]]:
    """Commands that draw a red triangle over the lower right half of the target."""
    corners = np.array([[1, -1, 0, 1], [1, 1, 0, 1], [-1, 1, 0, 1]], np.float32)
    return [
        {"op": "viewport", "index": 0, "scale": [2.0, 2.0, 0.5], "translate": [2.0, 2.0, 0.5]},
        dict(CLEAR),
        {"op": "vertex_element", "src_offset": 0, "format": "R32G32B32A32_FLOAT"},
        {"op": "vertex_buffer", "stride": 16, "offset": 0, "data": corners.tobytes().hex()},
        {"op": "vs", "text": VS_POSITION},
        {"op": "fs", "text": RED},
        {"op": "draw", "mode": "TRIANGLES", "start": 0, "count": 3, "indexed": 0},
    ]


def run(capsys: Captured, *arguments: object) -> tuple[int, list[str], str]:
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out.splitlines(), err


def test_a_scene_that_matches_passes(write_scene: SceneWriter, capsys: Captured) -> None:
    assert run(capsys, write_scene(), "--compare") == (0, ["pass small", "1 passed, 0 failed"], "")


def test_a_scene_that_differs_says_where_and_how_much(write_scene: SceneWriter, capsys: Captured) -> None:
    raw = bytearray(bytes((0, 128, 255, 255)) * 16)
    raw[4 * 6 : 4 * 6 + 4] = bytes((0, 118, 255, 255))
    code, lines, _ = run(capsys, write_scene(raw=bytes(raw)), write_scene("other"), "--compare", "--max-diff", 1)
    assert code == 1
    assert lines == [
        "FAIL small: c0: 1 pixels differ (0 of 1 drawn may), G by up to 10 steps;"
        " first at (2, 1): (0 128 255 255) instead of (0 118 255 255)",
        "pass other",
        "1 passed, 1 failed",
    ]


def test_pictures_and_difference_images_are_written(write_scene: SceneWriter, capsys: Captured, tmp_path: Path) -> None:
    directory = tmp_path / "new" / "folder"
    code, _, _ = run(capsys, write_scene(raw=bytes(64)), "--compare", "-o", directory)
    assert code == 1
    assert sorted(p.name for p in directory.iterdir()) == ["small.c0.diff.png", "small.c0.png"]
    with Image.open(directory / "small.c0.png") as image:
        assert image.size == (4, 4)
        assert image.getpixel((0, 0)) == (0, 128, 255)


def test_without_compare_only_pictures_are_made(write_scene: SceneWriter, capsys: Captured, tmp_path: Path) -> None:
    path = write_scene(raw=None, commands=draw_commands())
    code, lines, _ = run(capsys, path, "-o", tmp_path)
    assert (code, lines) == (0, ["pass small", "1 passed, 0 failed"])
    with Image.open(tmp_path / "small.c0.png") as image:
        assert image.getpixel((3, 3)) == (255, 0, 0)
        assert image.getpixel((0, 0)) == (0, 128, 255)


def test_json_holds_the_same_facts(write_scene: SceneWriter, capsys: Captured) -> None:
    code, lines, _ = run(capsys, write_scene(), write_scene("bad", raw=bytes(64)), "--compare", "--format", "json")
    value = json.loads("\n".join(lines))
    assert code == 1
    assert (value["passed"], value["failed"]) == (1, 1)
    good, bad = value["scenes"]
    assert (good["scene"], good["passed"], good["reasons"]) == ("small", True, [])
    assert (bad["outputs"][0]["differing"], bad["outputs"][0]["worst"]) == (16, 255.0)


@pytest.mark.parametrize("threads", [0, 2])
@pytest.mark.parametrize("lanes", [8, 32])
def test_threads_and_lanes_change_nothing(write_scene: SceneWriter, capsys: Captured, tmp_path: Path, threads: int, lanes: int) -> None:
    path = write_scene(raw=None, commands=draw_commands())
    run(capsys, path, "-o", tmp_path, "--threads", threads, "--lanes", lanes)
    with Image.open(tmp_path / "small.c0.png") as image:
        pixels = np.array(image)
    red = (pixels == (255, 0, 0)).all(axis=2)
    assert red[3].all()
    assert not red[0, :3].any()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.json", None, "no such file"),
        ("folder.json", "", "a directory, not a scene file"),
        (
            "text.json",
            "triangle",
            "the file begins as neither a trace nor a stream, and is not the JSON of a scene: Expecting value: line 1 column 1 (char 0)",
        ),
        ("list.json", "[]", "scene: expected an object, not []"),
    ],
)
def test_what_cannot_be_read_is_said_and_the_rest_goes_on(
    write_scene: SceneWriter, capsys: Captured, tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    path = tmp_path / name
    if content == "":
        path.mkdir()
    elif content is not None:
        path.write_text(content)
    code, lines, err = run(capsys, path, write_scene(), "--compare")
    assert (code, err) == (2, "")
    assert lines == [f"FAIL {path}: {message}", "pass small", "1 passed, 1 failed"]


def test_a_raw_file_of_another_size_or_missing_is_named(write_scene: SceneWriter, capsys: Captured) -> None:
    code, lines, _ = run(capsys, write_scene(raw=bytes(60)), "--compare")
    assert (code, lines[0].split(": ", 1)[1]) == (2, "c0: small.c0.raw has 60 bytes instead of 64")
    code, lines, _ = run(capsys, write_scene("other", raw=None), "--compare")
    assert (code, lines[0].split(": ", 1)[1]) == (2, "c0: other.c0.raw is not there")


def test_a_png_of_the_scenes_name_stands_in_for_the_raw_file(write_scene: SceneWriter, capsys: Captured) -> None:
    path = write_scene(raw=None)
    Image.frombytes("RGBA", (4, 4), bytes((0, 128, 255, 255)) * 16).save(path.with_suffix(".png"))
    assert run(capsys, path, "--compare")[0] == 0


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ([{"op": "vs", "text": "VERT\nMVO OUT[0], IN[0]\nEND\n"}], "command 0 (vs): P"),
        ([{"op": "vs", "text": RED}], "command 0 (vs): create_vs_state: program: expected a VERT program, not FRAG"),
        ([{"op": "draw", "mode": "POINTS", "count": 1, "indexed": 1}], "command 0 (draw): indexed: there is no index buffer"),
        ([{"op": "draw", "mode": "POINTS", "count": 1 << 30}], "command 0 (draw): the scene draws more than 16777216 vertices"),
        (
            [{"op": "sampler_view", "stage": "FRAG", "slot": 0, "texture": 5}],
            "command 0 (sampler_view): texture: no texture has the number 5",
        ),
        ([{"op": "end_query", "id": 5}], "command 0 (end_query): no command began query 5"),
        ([{"op": "blend_global", "key": "mood", "value": 1}], "command 0 (blend_global): key: 'mood' is not one of independent"),
        ([{"op": "index_buffer", "index_size": 3, "data": ""}], "command 0 (index_buffer): index_size: expected 1, 2 or 4, not 3"),
        (
            [{"op": "texture", "id": 0, "target": "2D", "format": "R8_UNORM", "width": 2, "height": 2, "data": [["00"]]}],
            "command 0 (texture): data[0][0]: expected 4 bytes, not 1",
        ),
        ([{"op": "clear_render_target", "cbuf": 3, "color": [0] * 4, "x": 0, "y": 0, "w": 1, "h": 1}], "cbuf: there is no color buffer 3"),
        ([{"op": "clear_render_target", "cbuf": 0, "color": [0] * 4, "x": 3, "y": 0, "w": 2, "h": 1}], "command 0 (clear_render_target): "),
    ],
)
def test_a_command_that_cannot_be_carried_out_is_named(
    write_scene: SceneWriter, capsys: Captured, commands: list[dict[str, Any]], reason: str
) -> None:
    code, lines, _ = run(capsys, write_scene(commands=commands), "--compare")
    assert code == 1
    assert lines[0].startswith("FAIL small: command 0")
    assert reason in lines[0]
    assert lines[1:] == ["0 passed, 1 failed"]


def test_a_draw_without_a_vertex_shader_draws_nothing(write_scene: SceneWriter, capsys: Captured) -> None:
    commands = [dict(CLEAR), {"op": "draw", "mode": "TRIANGLES", "count": 3}]
    assert run(capsys, write_scene(commands=commands), "--compare")[0] == 0


def test_outputs_that_change_every_time_are_not_compared(write_scene: SceneWriter, capsys: Captured) -> None:
    code, lines, _ = run(capsys, write_scene(raw=bytes(64), nondeterministic_outputs=["c0"]), "--compare")
    assert (code, lines[0]) == (0, "pass small (c0 not compared: results vary from run to run)")


def test_a_scene_without_results_says_so(write_scene: SceneWriter, capsys: Captured) -> None:
    assert run(capsys, write_scene(outputs={}), "--compare")[1][0] == "pass small (nothing is recorded)"


def test_unknown_fields_are_warned_of(write_scene: SceneWriter, capsys: Captured) -> None:
    code, _, err = run(capsys, write_scene(commands=[{**CLEAR, "mood": 1}]), "--compare")
    assert code == 0
    assert err.endswith("small.json: warning: command 0 (clear): ignored: mood\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--max-diff", "-1", "--compare"], "--max-diff: -1 is not a number from 0 on"),
        (["--max-diff", "nan", "--compare"], "--max-diff: nan is not a number from 0 on"),
        (["--max-pixels", "2", "--compare"], "--max-pixels: 2 is not in 0 .. 1"),
        (["--max-diff", "1"], "--max-diff and --max-pixels need --compare"),
        (["--lanes", "7"], "--lanes: unknown value `7`; it is one of 8, 16, 32, 64"),
        (["--threads", "many"], "--threads: 'many' is not a number"),
        (["--colour"], "unknown option `--colour`"),
    ],
)
def test_wrong_options_are_named(write_scene: SceneWriter, capsys: Captured, arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main([str(write_scene()), *arguments])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_an_output_folder_that_is_a_file_is_named(write_scene: SceneWriter, capsys: Captured) -> None:
    path = write_scene()
    with pytest.raises(SystemExit) as caught:
        main([str(path), "-o", str(path)])
    assert caught.value.code == 2
    assert "small.json: cannot be created" in capsys.readouterr().err


def test_a_mistake_of_the_renderer_fails_one_scene_only(
    write_scene: SceneWriter, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object) -> None:
        raise KeyError("tile")

    monkeypatch.setitem(HANDLERS, "flush", stumble)
    code, lines, _ = run(capsys, write_scene(commands=[dict(CLEAR), {"op": "flush"}]), write_scene("other"), "--compare")
    assert code == 1
    assert lines[0].startswith("FAIL small: internal error: KeyError: 'tile' (test_cli.py:")
    assert lines[1:] == ["pass other", "1 passed, 1 failed"]


def test_scenes_of_one_name_do_not_overwrite_each_others_pictures(write_scene: SceneWriter, capsys: Captured, tmp_path: Path) -> None:
    path = write_scene()
    directory = tmp_path / "out"
    code, lines, _ = run(capsys, path, path, "-o", directory)
    assert (code, lines[:2]) == (0, ["pass small", "pass small-2"])
    assert sorted(p.name for p in directory.iterdir()) == ["small-2.c0.png", "small.c0.png"]


def test_a_wrong_environment_variable_is_a_usage_error(write_scene: SceneWriter, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_THREADS", "many")
    with pytest.raises(SystemExit) as caught:
        main([str(write_scene()), "--compare"])
    assert caught.value.code == 2
    assert "TGSI_THREADS is 'many', not a number" in capsys.readouterr().err
