"""Rewrite the compressed copies of measured vectors: python tests/golden/pack.py DIRECTORY_OF_THE_MEASUREMENTS."""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path

SETS = ("opcodes", "flow", "random")


def pack(source: Path, target: Path) -> None:
    for name in SETS:
        data = json.loads((source / f"{name}.json").read_text())
        text = json.dumps(data, separators=(",", ":"))
        (target / f"{name}.json.xz").write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(__file__).parent)
