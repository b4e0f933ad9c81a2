"""Pages of `tgsi-inspect`: their content is that of the trace, and nothing of a trace can become script."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tgsi
from backends.formats import Format
from backends.gallium.tracing.steps import read_steps, write_steps
from tests.inspect.parsed import Parsed
from tests.replay.many_draws import draw_many
from tests.unit.gallium.test_bundles import SIZE, f4
from tests.unit.gallium.test_traces import Traced
from tgsi.tools.inspect.cli import main
from tgsi.tools.inspect.page import as_json, page
from tgsi.tools.inspect.pictures import shown as picture_of_bytes

pytestmark = pytest.mark.light


def inspect(path: Path, *more: str, code: int = 0) -> Parsed:
    target = path.with_suffix(".html")
    assert main([str(path), "-o", str(target), "--threads", "0", *more]) == code
    return Parsed(target.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def shown(folder: Path, request: pytest.FixtureRequest) -> Parsed:
    with pytest.MonkeyPatch.context() as patch:
        from tests.effort import lower

        lower(patch)
        return inspect(draw_many(folder / "a.trace", 10, white=7), "--pixel", "14,14", "--pixel", "47,0")


def picture_after(data: dict[str, Any], number: int) -> np.ndarray[Any, Any]:
    """The picture of the only target as the page shows it."""
    found = None
    for draw in data["draws"][:number]:
        for item in draw["pictures"]:
            with Image.open(io.BytesIO(base64.b64decode(data["images"][item["image"]]))) as image:
                patch = np.array(image.convert("RGBA"))
            if found is None or item["whole"]:
                found = np.zeros((item["height"], item["width"], 3), np.uint8)
            place = found[item["y"] : item["y"] + len(patch), item["x"] : item["x"] + patch.shape[1]]
            place[patch[..., 3] > 0] = patch[patch[..., 3] > 0][:, :3]
    assert found is not None
    return found


def test_each_draw_has_the_picture_after_it(shown: Parsed, folder: Path) -> None:
    steps = list(read_steps(bytearray((folder / "a.trace").read_bytes())))
    draws = [k for k, step in enumerate(steps) if step.name in ("clear", "draw_vbo")]
    assert len(shown.data["draws"]) == len(draws) == 11
    from tgsi.tools.replay.played import PlayedTrace

    with tgsi.Screen(threads=0) as screen, PlayedTrace(screen, steps) as trace:
        for number, k in enumerate(draws):
            trace.play(k + 1)
            assert (picture_after(shown.data, number + 1) == trace.targets()[0].data()[0, ..., :3]).all()


def test_equal_pictures_are_stored_once(shown: Parsed) -> None:
    images = shown.data["images"]
    assert len(set(images)) == len(images)


def test_state_is_what_changed_since_the_draw_before(shown: Parsed) -> None:
    first, second, third = (shown.data["draws"][k]["state"] for k in (1, 2, 3))
    assert "viewport 0" in first
    assert first["vs"]["object"].startswith("vs #")
    assert set(second) == {"VERTEX constant buffer 0", "FRAGMENT constant buffer 0", "blend"}
    assert second["blend"]["object"].startswith("blend #")
    assert third["blend"] is None
    assert second["FRAGMENT constant buffer 0"]["buffer"] == "16 bytes: 0.05 0.25 0 1"


def test_fragments_are_counted_by_tile_and_pixel(shown: Parsed) -> None:
    draw = shown.data["draws"][3]
    changed = (picture_after(shown.data, 4) != picture_after(shown.data, 3)).any(axis=-1).sum()
    cost = draw["cost"]
    assert cost["fragments"] == sum(count for _, count in cost["tiles"])
    assert cost["fragments"] >= changed > 0
    assert cost["most"] == 1
    assert cost["vs_invocations"] == 3
    assert shown.data["overdraw"][0]["most"] >= 2
    total = sum(draw["cost"].get("fragments", 0) for draw in shown.data["draws"])
    assert round(shown.data["overdraw"][0]["average"] * SIZE * SIZE) == pytest.approx(total, rel=1e-2)


def test_pixels_have_their_history(shown: Parsed) -> None:
    first, second = shown.data["pixels"]
    assert (first["x"], first["y"]) == (14, 14)
    assert first["events"][0] == {"draw": 1, "target": "c0", "before": "", "after": "0 0 128 255"}
    for event, later in zip(first["events"], first["events"][1:]):
        assert event["after"] == later["before"]
    assert len(second["events"]) == 1
    assert first["explanation"]["sentence"].startswith("the shader wrote this: draw ")
    told = first["explanation"]["events"][-1]
    assert told["text"].startswith(f"draw {told['draw']}: draw_vbo(")
    assert f"draw {first['events'][-1]['draw']} wrote" in first["explanation"]["sentence"]
    assert shown.data["draws"][told["draw"] - 1]["call"] == "draw_vbo"
    assert second["explanation"]["sentence"].startswith("nothing drew there: ")


def test_shaders_have_views_whose_lines_belong_together(shown: Parsed) -> None:
    vertex = next(item for item in shown.data["shaders"] if item["stage"] == "vs")
    views = {view["name"]: view for view in vertex["views"]}
    assert views["source"]["lines"][4] == "ADD OUT[0], IN[0], CONST[0][0]"
    assert views["source"]["from"][4] == 5
    line = next(k for k, text in enumerate(views["TGSI"]["lines"]) if "ADD" in text)
    assert views["TGSI"]["from"][line] == 5
    assert any(text.strip().startswith("ret") for text in views["assembly"]["lines"])
    assert vertex["draws"] == 10


def test_links_are_drawn(shown: Parsed) -> None:
    link = shown.data["links"][shown.data["draws"][2]["link"]]
    assert base64.b64decode(link["svg"]).startswith(b"<svg ")


def test_resources_are_listed_with_pictures_and_content(shown: Parsed) -> None:
    rows = {row["target"]: row for row in shown.data["resources"]}
    assert rows["TEXTURE_2D"]["format"] == "R8G8B8A8_UNORM"
    assert rows["TEXTURE_2D"]["width"] == SIZE
    assert "48 bytes: -0.5 -0.5 0 1" in json.dumps(shown.data["resources"])


def test_the_page_runs_nothing_but_its_one_script(shown: Parsed) -> None:
    assert shown.tags.count("script") == 2
    kind, script = shown.scripts[1]
    assert kind == ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in shown.policy
    style = base64.b64encode(hashlib.sha256(shown.style.encode()).digest()).decode()
    assert f"style-src 'sha256-{style}'" in shown.policy
    assert "default-src 'none'" in shown.policy
    assert "unsafe" not in shown.policy
    assert shown.scripts[0][0] == "application/json"
    assert shown.handlers == []
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", script)


EVIL = "</script><script>window.injected = 1</script><img src=x onerror='window.injected = 1'>\u2028--><!--"


def test_texts_of_a_trace_stay_texts(tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, tmp_path / "a.trace")
        stage.ctx.emit_string_marker(EVIL)
        stage.state(stage.ctx)
        shader = stage.ctx.create_fs_state(
            f"FRAG\n# {EVIL.splitlines()[0]}\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nMOV OUT[0], CONST[0][0]\nEND\n"
        )
        stage.ctx.bind_fs_state(shader)
        stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
        stage.ctx.destroy()
    path = tmp_path / "a<img src=x onerror=1>.trace"
    (tmp_path / "a.trace").rename(path)
    found = inspect(path)
    assert "onerror='window.injected" in json.dumps(found.data["shaders"])
    assert found.tags.count("script") == 2
    assert found.tags.count("img") == 0
    assert found.data["title"] == path.name


def test_home_folders_and_numbers_that_json_lacks_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/frank"))
    text = as_json({"a": "in /home/frank/x", "b": [float("nan"), 1.5], "c": "\ud800&"})
    assert json.loads(text) == {"a": "in ~/x", "b": ["nan", 1.5], "c": "\ufffd&"}
    assert "frank" not in page("t", {"a": "/home/frank"})


def test_a_trace_that_was_cut_off_is_shown_as_far_as_it_goes(folder: Path, shown: Parsed) -> None:
    steps = list(read_steps(bytearray((folder / "a.trace").read_bytes())))
    wrong = next(k for k, step in enumerate(steps) if step.name == "bind_vs_state")
    path = folder / "refused.trace"
    path.write_bytes(write_steps([*steps[:wrong], *steps[wrong + 1 :]]))
    found = inspect(path, code=1)
    assert "could not be played to its end: command" in found.data["notes"][0]
    assert [draw["call"] for draw in found.data["draws"]] == ["clear"]


def test_wrong_files_and_options_are_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.trace").write_bytes(b"something else")
    assert main([str(tmp_path / "a.trace"), "-o", str(tmp_path / "a.html")]) == 2
    assert main([str(tmp_path / "none.trace")]) == 2
    with pytest.raises(SystemExit) as error:
        main([str(tmp_path / "a.trace"), "--pixel", "1;2"])
    assert error.value.code == 2
    assert "is not a pixel" in capsys.readouterr().err


def test_programs_that_write_memory_are_not_run_twice(tmp_path: Path) -> None:
    store = (
        "FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 1, 0, 0}\nDCL TEMP[0]\n"
        "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\nEND\n"
    )
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, tmp_path / "a.trace")
        stage.state(stage.ctx)
        stage.ctx.set_constant_buffer("VERTEX", f4([0, 0, 0, 0]))
        stage.ctx.bind_fs_state(stage.ctx.create_fs_state(store))
        stage.ctx.set_shader_buffers("FRAGMENT", [{"buffer": stage.uniforms, "writable": True}])
        stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
        stage.ctx.destroy()
    found = inspect(tmp_path / "a.trace")
    assert found.data["notes"] == ["Fragments by tile are missing for 1 draws: its programs write memory."]


@pytest.mark.parametrize("format", [Format.R8G8B8A8_UNORM, Format.B8G8R8A8_UNORM, Format.B8G8R8X8_SRGB, Format.R8_UNORM, Format.A8_UNORM])
def test_bytes_are_shown_as_values_are(format: Format) -> None:
    from tgsi.tools.replay.images import display
    from tgsi.tools.replay.scene import Layout

    data = np.random.default_rng(1).integers(0, 256, (5, 7, format.block_bytes), np.uint8)
    assert (picture_of_bytes(format, data) == display(Layout(format, 7, 5, 1), data.tobytes())).all()
