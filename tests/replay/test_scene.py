"""The reader of scenes: accepted values, and messages about all others."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from backends.formats import Format
from backends.pipe.enums import BlendFactor, Face, ShaderType, TextureTarget
from tests.replay.conftest import scene_value
from tgsi.tools.replay.background import background
from tgsi.tools.replay.fields import SceneError
from tgsi.tools.replay.ops import OPS, read_command
from tgsi.tools.replay.scene import Scene, load_scene, read_scene


def read(**changes: Any) -> Scene:
    return read_scene(scene_value(**changes), Path("small.json"))


def complaint(**changes: Any) -> str:
    with pytest.raises(SceneError) as caught:
        read(**changes)
    return str(caught.value)


def test_a_scene_is_read_with_its_commands_in_order() -> None:
    scene = read(commands=[{"op": "flush"}, {"op": "rasterizer", "cull_face": 2, "scissor": 1}], queries=[{"id": 3, "result": [7, 8]}])
    assert [c.op for c in scene.commands] == ["flush", "rasterizer"]
    assert scene.commands[1].values == {"cull_face": Face.BACK, "scissor": True}
    assert scene.queries == {3: (7, 8)}
    assert scene.fb.cbufs == (Format.R8G8B8A8_UNORM,)


def test_names_become_gallium_values() -> None:
    view = {"op": "sampler_view", "stage": "FRAG", "slot": 1, "texture": 0, "target": "CUBE_ARRAY", "swizzle": "wx10"}
    values = read_command(view, 0).values
    assert (values["stage"], values["target"], values["swizzle"]) == (ShaderType.FRAGMENT, TextureTarget.TEXTURE_CUBE_ARRAY, (3, 0, 5, 4))
    blend = read_command({"op": "blend_rt", "rt": 0, "rgb_src": "INV_SRC1_COLOR"}, 0).values
    assert blend == {"rt": 0, "rgb_src": BlendFactor.INV_SRC1_COLOR}


@pytest.mark.parametrize(
    "stipple", [["ff00ff00"] * 32, "ff00ff00" * 32, [0xFF00FF00] * 32, ["0xff00ff00"] * 32], ids=["words", "text", "numbers", "prefixed"]
)
@pytest.mark.parametrize("name", ["stipple", "words", "rows32"])
def test_a_stipple_is_32_words_in_any_spelling(name: str, stipple: Any) -> None:
    assert read_command({"op": "polygon_stipple", name: stipple}, 0).values["stipple"] == (0xFF00FF00,) * 32


def test_unknown_fields_are_noted_and_ignored() -> None:
    assert read_command({"op": "flush", "mood": "good", "note": "n"}, 0).ignored == ("mood",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"commands": 5}, "commands: expected a list, not 5"),
        ({"commands": [7]}, "command 0: expected an object, not 7"),
        ({"commands": [{}]}, "command 0: the field 'op' is missing"),
        ({"commands": [{"op": "explode"}]}, "command 0: 'explode' is not a known op"),
        ({"commands": [{"op": "flush"}, {"op": "vs"}]}, "command 1 (vs): the field 'text' is missing"),
        ({"commands": [{"op": "vs", "text": 5}]}, "command 0 (vs), text: expected a string, not 5"),
        ({"commands": [{"op": "blend_color", "color": [1, 2, 3]}]}, "command 0 (blend_color), color: expected 4 entries, not 3"),
        ({"commands": [{"op": "blend_color", "color": [1, 2, 3, "x"]}]}, "command 0 (blend_color), color[3]: expected a number, not 'x'"),
        (
            {"commands": [{"op": "blend_color", "color": [1, 2, 3, 1e300]}]},
            "command 0 (blend_color), color[3]: the number is beyond float32",
        ),
        ({"commands": [{"op": "draw", "mode": "TRIANGELS", "count": 3}]}, "mode: 'TRIANGELS' is not a Primitive; did you mean TRIANGLES?"),
        ({"commands": [{"op": "draw", "mode": "POINTS", "count": -1}]}, "command 0 (draw), count: -1 is out of range 0 .. 2147483648"),
        ({"commands": [{"op": "draw", "mode": "POINTS", "count": 10**400}]}, "command 0 (draw), count: the number is out of range"),
        ({"commands": [{"op": "rasterizer", "scissor": 2}]}, "command 0 (rasterizer), scissor: expected 0 or 1, not 2"),
        ({"commands": [{"op": "constant_buffer", "stage": "FRAG", "slot": 0, "data": "0g"}]}, "data: these are not pairs of hexadecimal"),
        ({"commands": [{"op": "constant_buffer", "stage": "FRAGMENT", "slot": 0, "data": ""}]}, "stage: expected one of VERT, FRAG, GEOM"),
        ({"commands": [{"op": "vertex_element", "src_offset": 0, "format": "R8_UNROM"}]}, "did you mean R8_UNORM"),
        (
            {"commands": [{"op": "clear", "buffers": ["colour"]}]},
            "command 0 (clear), buffers: expected color, color0 to color7, depth or stencil",
        ),
        ({"fb": None}, "fb: expected an object, not None"),
        ({"fb": {"width": 4, "height": 4}}, "fb: the field 'cbufs' is missing"),
        ({"fb": {"width": 0, "height": 4, "cbufs": []}}, "fb.width: 0 is out of range 1 .. 16384"),
        ({"fb": {"width": 8192, "height": 8192, "cbufs": []}}, "fb: more than 16777216 pixels"),
        ({"fb": {"width": 4, "height": 4, "cbufs": ["Z16_UNORM"]}}, "fb.cbufs[0]: Z16_UNORM is not a color format"),
        ({"fb": {"width": 4, "height": 4, "cbufs": [], "zs": "R8_UNORM"}}, "fb.zs: R8_UNORM is not a depth or stencil format"),
        ({"outputs": {"c1": "x.raw"}}, "outputs: the scene has no c1"),
        ({"outputs": {"moon": "x.raw"}}, "outputs: 'moon' is not the name of an output"),
        ({"outputs": {"c0": "../../etc/passwd"}}, "outputs.c0: expected the name of a file next to the scene"),
        ({"outputs": [1]}, "outputs: expected an object, not [1]"),
        ({"queries": [{"id": 0}]}, "queries[0]: the field 'result' is missing"),
        ({"deterministic": "yes"}, "deterministic: expected 0 or 1, not 'yes'"),
    ],
)
def test_complaints_name_the_place(changes: dict[str, Any], message: str) -> None:
    assert message in complaint(**changes)


def test_memory_is_bounded_in_all() -> None:
    big = {"op": "texture", "id": 0, "target": "2D", "format": "R32G32B32A32_FLOAT", "width": 8192, "height": 8192, "data": []}
    assert "the scene asks for more than" in complaint(commands=[big])


def test_a_file_that_is_no_scene(tmp_path: Path) -> None:
    def say(path: Path) -> str:
        with pytest.raises(SceneError) as caught:
            load_scene(path)
        return str(caught.value)

    assert say(tmp_path / "none.json") == "no such file"
    assert say(tmp_path) == "a directory, not a scene file"
    path = tmp_path / "x.json"
    path.write_text("{")
    assert say(path).startswith("the file begins as neither a trace nor a stream, and is not the JSON of a scene: Expecting property name")
    path.write_text("")
    assert say(path) == "the file is empty"
    path.write_bytes(b"\xff\xfe\x00")
    assert say(path) == "the file begins as neither a trace nor a stream, and is not the JSON of a scene: it is not UTF-8 text"
    path.write_text("[" * 100_000)
    assert "JSON" in say(path)
    path.write_text("1" * 10_000)
    assert say(path).startswith("JSON that cannot be read")
    path.write_text("[]")
    assert say(path) == "scene: expected an object, not []"
    path.write_text("{}")
    assert say(path) == "not a scene: the field 'fb' is missing"
    os.mkfifo(tmp_path / "pipe.json")
    assert say(tmp_path / "pipe.json") == "not a regular file"


def test_every_entry_of_every_command_may_be_nonsense() -> None:
    """The reader survives every JSON value in every field of every op."""
    everything: list[Any] = [None, True, -1, 2**70, 1e308, float("nan"), "", "x" * 50, [], [[]], {}, [None], {"a": 1}]
    for op, fields in OPS.items():
        for name in fields:
            for nonsense in everything:
                value = {"op": op, **dict.fromkeys(fields, 0), name: nonsense}
                with suppress(SceneError):
                    read_command(json.loads(json.dumps(value)), 0)


def test_the_background_is_what_clears_leave() -> None:
    clear = {"op": "clear", "buffers": ["color", "depth"], "color": [1.0, 0.0, 0.0, 1.0], "color_raw": None, "depth": 0.5, "stencil": 3}
    part = {"op": "clear_render_target", "cbuf": 0, "color": [0, 1, 0, 0], "x": 1, "y": 0, "w": 1, "h": 2}
    fb = {"width": 2, "height": 2, "layers": 1, "cbufs": ["R8G8B8A8_UNORM"], "zs": "Z24_UNORM_S8_UINT"}
    scene = read(fb=fb, commands=[clear, part], outputs={"c0": "a", "zs": "b"})
    layouts = [scene.image_layout(name) for name in ("c0", "zs")]
    assert layouts[0] is not None
    assert layouts[1] is not None
    red, green = "ff0000ff", "00ff0000"
    assert background(scene, "c0", layouts[0]).hex() == (red + green) * 2
    assert background(scene, "zs", layouts[1]).hex() == "00008000" * 4


def test_integer_targets_are_cleared_with_raw_words() -> None:
    clear = {"op": "clear", "buffers": ["color"], "color": None, "color_raw": [7, 2147483648, 4294967295, 300]}
    scene = read(fb={"width": 1, "height": 1, "cbufs": ["R8G8B8A8_SINT"]}, commands=[clear])
    layout = scene.image_layout("c0")
    assert layout is not None
    assert background(scene, "c0", layout).hex() == "0780ff7f"
