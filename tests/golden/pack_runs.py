"""Convert the recorded compute scenes into `runs.json`: programs, memory before, and memory as Mesa 18.1 left it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

OUT = Path(__file__).with_name("runs.json")


def packed(folder: Path, path: Path) -> dict[str, Any]:
    """Scene as JSON: text, grid, buffers and images by slot with their bytes in hexadecimal, before and after."""
    scene = json.loads(path.read_text())
    found: dict[str, Any] = {"name": scene["name"], "buffers": {}, "images": {}}
    for command in scene["commands"]:
        if command["op"] == "cs":
            found["text"] = command["text"]
        elif command["op"] == "launch_grid":
            found["grid"] = command["grid"]
        elif command["op"] in ("shader_buffer", "shader_image"):
            kind, output = ("buffers", "ssbo") if command["op"] == "shader_buffer" else ("images", "img")
            after = (folder / scene["outputs"][f"{output}{command['slot']}"]).read_bytes().hex()
            before = command["data"] if kind == "buffers" else "".join(command["data"])
            shape = {key: command[key] for key in ("format", "width", "height") if kind == "images"}
            found[kind][str(command["slot"])] = {**shape, "before": before, "after": after}
    return found


def main(folder: Path) -> None:
    """Pack the scenes of a folder."""
    OUT.write_text(json.dumps([packed(folder, path) for path in sorted(folder.glob("compute_*.json"))], indent=0) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
