"""Traces in tgsi-replay: played, compared, printed; the examples play to the same pictures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tgsi
from tests.replay.traced_examples import trace_example
from tests.unit.gallium.test_traces import Traced
from tests.vtest.encoder import COVER, Commands, draw, target, vertices
from tgsi import gallium as g
from tgsi.tools.replay.cli import main

pytestmark = pytest.mark.light

Captured = pytest.CaptureFixture[str]


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
    assert run(capsys, trace) == (0, ["pass small (4 digests)", "1 passed, 0 failed"], "")


def test_digests_are_those_of_every_machine_setting(trace: Path, capsys: Captured) -> None:
    first = run(capsys, trace, "--digest", "--threads", 0, "--lanes", 8)
    assert first == run(capsys, trace, "--digest", "--threads", 2, "--lanes", 16)
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
    code, lines, _ = run(capsys, tmp_path / "a.trace")
    assert code == 1
    assert lines[0].startswith("FAIL a: end: <Resource BUFFER R8_UNORM 48 bytes, 1 level>, handle ")
    assert "it was written outside of the traced context" in lines[0]


@pytest.mark.parametrize("option", ["--print", "--digest"])
def test_a_file_that_was_cut_off_is_an_error(trace: Path, option: str, capsys: Captured) -> None:
    trace.write_bytes(trace.read_bytes()[:403])
    code, lines, err = run(capsys, trace, option)
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
    assert "the file is not a trace, as context_create(trace=...) and tgsi-vtest --trace write: it has 2 bytes" in err


@pytest.mark.parametrize("name", ["triangle", "cube", "transparency", "particles", "geometry", "tessellation"])
def test_examples_are_played_to_the_same_bytes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    paths = trace_example(name, tmp_path, monkeypatch)
    capsys.readouterr()
    assert paths
    code, lines, _ = run(capsys, *paths)
    assert code == 0, lines


# -- pictures -------------------------------------------------------------------------------------------------------------------
RGBA = "R8G8B8A8_UNORM"
COLORS = {"flush-0001.handle-1": (255, 0, 0), "flush-0002.handle-1": (0, 255, 0), "read-0001.handle-1": (0, 0, 255)}


def frames(path: Path) -> None:
    """A trace with two flushes, a read, and a target that is left after the last flush."""
    with tgsi.Screen(threads=0) as screen:
        ctx = screen.context_create(trace=path)
        window, depth, other = (screen.resource_create(format=name, width0=8, height0=4) for name in (RGBA, "Z24_UNORM_S8_UINT", RGBA))
        ctx.set_framebuffer_state(cbufs=[window], zsbuf=depth)
        ctx.clear(color=(1, 0, 0, 1), depth=0.5, stencil=3)
        ctx.flush()
        ctx.clear("COLOR", color=(0, 1, 0, 1))
        ctx.flush()
        ctx.clear("COLOR", color=(0, 0, 1, 1))
        ctx.texture_read(window, np.zeros(128, np.uint8))
        ctx.clear_render_target(ctx.create_surface(other), color=(1, 1, 0, 1), x=0, y=0, width=4, height=4)
        ctx.destroy()


def test_every_target_becomes_a_picture_at_each_flush_when_it_is_read_and_at_the_end(tmp_path: Path, capsys: Captured) -> None:
    frames(tmp_path / "a.trace")
    folder = tmp_path / "pictures"
    code, lines, err = run(capsys, tmp_path / "a.trace", "-o", folder)
    names = {path.name.removeprefix("a.").removesuffix(".png") for path in folder.iterdir()}
    assert (code, err) == (0, "")
    assert lines[0].endswith(f"digests, {len(names)} pictures in {folder})")
    assert names == {*COLORS, "flush-0001.handle-2", "flush-0001.handle-2.stencil", "end.handle-3"}
    for name, color in COLORS.items():
        with Image.open(folder / f"a.{name}.png") as image:
            assert (image.size, image.getpixel((7, 3))) == ((8, 4), color)
    with Image.open(folder / "a.end.handle-3.png") as image:
        assert (image.getpixel((3, 0)), image.getpixel((4, 0))) == ((255, 255, 0), (0, 0, 0))


def test_a_trace_writes_no_picture_unless_a_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    frames(tmp_path / "a.trace")
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "a.trace")[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["a.trace"]


@pytest.mark.parametrize(
    "format", ["B8G8R8X8_UNORM", "R16G16B16A16_FLOAT", "R32_UINT", "A8_UNORM", "R11G11B10_FLOAT", "Z32_FLOAT", "S8_UINT"]
)
def test_targets_of_every_kind_become_pictures(format: str, tmp_path: Path, capsys: Captured) -> None:
    with tgsi.Screen(threads=0) as screen:
        ctx = screen.context_create(trace=tmp_path / "a.trace")
        layered = screen.resource_create(target="TEXTURE_2D_ARRAY", format=format, width0=8, height0=4, array_size=3, last_level=1)
        surface = ctx.create_surface(layered, level=1, first_layer=1, last_layer=2)
        is_depth = format[0] in "ZS"
        ctx.set_framebuffer_state(cbufs=[] if is_depth else [surface], zsbuf=surface if is_depth else None)
        ctx.clear("DEPTHSTENCIL" if is_depth else "COLOR")
        ctx.destroy()
    assert run(capsys, tmp_path / "a.trace", "-o", tmp_path)[0] == 0
    (path,) = tmp_path.glob("*.png")
    with Image.open(path) as image:
        assert image.size == (4, 4)  # two layers below each other


def test_multisampled_targets_become_resolved_pictures(tmp_path: Path, capsys: Captured) -> None:
    with tgsi.Screen(threads=0) as screen:
        ctx = screen.context_create(trace=tmp_path / "a.trace")
        target = screen.resource_create(format=RGBA, width0=8, height0=4, nr_samples=4)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.clear("COLOR", color=(0, 1, 0, 1))
        ctx.destroy()
    assert run(capsys, tmp_path / "a.trace", "-o", tmp_path)[0] == 0
    with Image.open(tmp_path / "a.end.handle-1.png") as image:
        assert (image.size, image.getpixel((0, 0))) == ((8, 4), (0, 255, 0))


def test_until_ends_after_the_command_of_that_number(tmp_path: Path, capsys: Captured) -> None:
    frames(tmp_path / "a.trace")
    shown = [json.loads(line) for line in run(capsys, tmp_path / "a.trace", "--print")[1]]
    first_clear = next(item["command"] for item in shown if item["name"] == "CLEAR")
    assert [json.loads(line) for line in run(capsys, tmp_path / "a.trace", "--print", "--until", first_clear)[1]] == shown[
        : first_clear + 1
    ]
    assert run(capsys, tmp_path / "a.trace", "-o", tmp_path / "out", "--until", first_clear)[0] == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {f"a.end.handle-{name}.png" for name in ("1", "2", "2.stencil")}
    with Image.open(tmp_path / "out" / "a.end.handle-1.png") as image:
        assert image.getpixel((0, 0)) == (255, 0, 0)


def test_until_beyond_the_end_plays_all(trace: Path, capsys: Captured) -> None:
    assert run(capsys, trace, "--until", 10**9) == run(capsys, trace)


def test_options_that_traces_do_not_know_are_named(trace: Path, capsys: Captured) -> None:
    code, _, err = run(capsys, trace, "--compare")
    assert code == 0
    assert f"{trace}: warning: --compare is ignored: " in err


# -- streams of tgsi-vtest ------------------------------------------------------------------------------------------------------
def stream(path: Path, last: bytes = b"") -> Path:
    """A stream of a client that sends its name and requests the caps."""
    name = b"client\0"
    path.write_bytes(len(name).to_bytes(4, "little") + (8).to_bytes(4, "little") + name + bytes(4) + (9).to_bytes(4, "little") + last)
    return path


def test_a_stream_of_vtest_is_recognized_and_played(tmp_path: Path, capsys: Captured) -> None:
    assert run(capsys, stream(tmp_path / "a.bin")) == (0, ["pass a (a stream of tgsi-vtest)", "1 passed, 0 failed"], "")


def test_a_wrong_stream_fails(tmp_path: Path, capsys: Captured) -> None:
    code, lines, _ = run(capsys, stream(tmp_path / "a.bin", bytes([0, 0, 0, 0, 99, 0, 0, 0])))
    assert code == 1
    assert lines[0].startswith("FAIL a: ")
    assert "message 99 does not exist" in lines[0]


def test_print_of_a_stream_says_what_prints_it(tmp_path: Path, capsys: Captured) -> None:
    code, _, err = run(capsys, stream(tmp_path / "a.bin"), "--print")
    assert code == 2
    assert "it is a stream: tgsi-vtest --replay" in err


def test_a_pixel_of_a_stream_of_an_opengl_program_is_explained(tmp_path: Path, capsys: Captured) -> None:
    commands = Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())
    (tmp_path / "gl.bin").write_bytes(bytes(target().buffer(2, vertices(*COVER)).submit(commands).data))
    code, lines, _ = run(capsys, tmp_path / "gl.bin", "--explain", "3,4")
    assert code == 0
    assert lines[0].startswith("pixel (3, 4) of <Resource TEXTURE_2D ")
    assert lines[0].endswith(" 16x16x1, 1 level>: the shader wrote this.")
    assert lines[1].startswith("draw 0 (call ")


def test_a_stream_that_draws_nothing_has_nothing_to_explain(tmp_path: Path, capsys: Captured) -> None:
    code, _, err = run(capsys, stream(tmp_path / "a.bin"), "--explain", "3,4")
    assert (code, err) == (2, f"tgsi-replay: {tmp_path / 'a.bin'}: no GL context of the stream draws anything\n")
