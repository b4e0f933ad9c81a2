"""Measured verdicts, tokens and dumps of Mesa 18.1's text reader, one row per text."""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any, TypedDict


class Row(TypedDict):
    """Measurement of one text.

    `parses`: the reader accepts it; `sane`: the checker accepts it (None: not parsed); tokens are hexadecimal words.
    """

    name: str
    text: str
    parses: bool
    sane: bool | None
    tokens: list[str] | None
    dump: str | None
    scan: dict[str, Any] | None


@cache
def rows() -> tuple[Row, ...]:
    data = lzma.decompress(Path(__file__).with_name("accept.json.xz").read_bytes())
    return tuple(json.loads(data))
