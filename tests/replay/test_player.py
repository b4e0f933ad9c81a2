"""The player's table of handlers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tgsi.tools.replay.ops import OPS
from tgsi.tools.replay.replay import HANDLERS
from tgsi.tools.replay.scene import read_scene

DOCUMENT = (Path(__file__).parents[2] / "docs" / "scenes.md").read_text()


def test_every_op_has_a_handler_and_no_other() -> None:
    assert set(HANDLERS) == set(OPS)


def test_every_op_is_in_the_document_with_its_fields() -> None:
    rows = {op: line for line in DOCUMENT.splitlines() if line.startswith("| `") for op in re.findall("`(\\w+)`", line.split("|")[1])}
    named_elsewhere = {"sampler", "rasterizer", "cs", "begin_query", "render_condition"}
    for op, fields in OPS.items():
        assert op in rows
        missing = [name for name in fields if op not in named_elsewhere and name not in rows[op]]
        assert missing == []


def test_the_scene_of_the_document_is_one() -> None:
    example = re.search(r"```json\n(.*?)```", DOCUMENT, re.DOTALL)
    assert example is not None
    scene = read_scene(json.loads(example[1]), Path("small.json"))
    assert [c.op for c in scene.commands][-1] == "draw"
