"""The list of ready-made kernels: a line for each, with its levels, name and arguments."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum, Flag
from functools import cache
from pathlib import Path
from typing import Any

from backends.device.blit_key import BlitKey
from backends.formats import Format, WideFormat
from backends.geometry.mesh.gather import GatherKey
from backends.geometry.tessellation.key import Spacing, Tessellator
from backends.llvm.engine.ready_made import AARCH64
from backends.pipe.enums import ColorMask, CompareFunc, Face, Prim, StencilOp
from backends.pipe.state import RenderTargetBlend
from backends.raster.front.attributes import Attribute
from backends.raster.layouts import Shape
from backends.raster.samples import Pattern
from backends.raster.tile.buffer_keys import DepthKey, FaceKey, TargetKey
from backends.raster.tile.fragment import FragmentKey, Marks
from tgsi.language.record import record

LIST = Path(__file__).parent / "requests.txt"

CLASSES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (Attribute, BlitKey, ColorMask, CompareFunc, DepthKey, Face, Format, FaceKey, FragmentKey, GatherKey)
    + (Marks, Pattern, Prim, RenderTargetBlend, Shape, Spacing, StencilOp, TargetKey, Tessellator, WideFormat)
}
"""Classes of arguments, by name."""

RECORDED = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
"""Levels that the list names. AArch64 has vectors as long as the first of them, and its kernels."""


@record
class Row:
    """One kernel: name and arguments of `makers.MAKERS`. levels: members of `RECORDED` for which it is built."""

    name: str
    arguments: tuple[Hashable, ...]
    levels: frozenset[str]

    def __str__(self) -> str:
        levels = " ".join(sorted(level.removeprefix("x86-64-") for level in self.levels))
        return f"{levels}: {self.name} {json.dumps(encode(self.arguments))}"

    @classmethod
    def parse(cls, line: str) -> Row:
        """Read a line of the list."""
        levels, _, rest = line.partition(": ")
        name, _, arguments = rest.partition(" ")
        return cls(name, decode(json.loads(arguments)), frozenset(f"x86-64-{level}" for level in levels.split()))


def encode(value: object) -> object:
    """Arguments as JSON types; `decode` is the inverse. ValueError for a class that `CLASSES` lacks."""
    if value is None or isinstance(value, str) or (isinstance(value, int) and not isinstance(value, Enum)):
        return value
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    name = type(value).__name__
    if CLASSES.get(name) is not type(value):
        raise ValueError(f"a kernel's key has a {name}: add it to CLASSES in backends/ready_made/rows.py")
    if isinstance(value, Flag):
        return {name: value.value}
    if isinstance(value, Enum):
        return {name: value.name}
    assert is_dataclass(value)
    contents = ((item, getattr(value, item.name)) for item in fields(value))
    return {name: {item.name: encode(content) for item, content in contents if item.default is MISSING or content != item.default}}


def decode(value: Any) -> Any:
    """The arguments that `encode` encoded."""
    if isinstance(value, list):
        return tuple(decode(item) for item in value)
    if not isinstance(value, dict):
        return value
    ((name, content),) = value.items()
    kind = CLASSES[name]
    if isinstance(content, dict):
        return kind(**{item: decode(inner) for item, inner in content.items()})
    return kind[content] if isinstance(content, str) else kind(content)


@cache
def all_rows() -> tuple[Row, ...]:
    """The whole list."""
    return tuple(Row.parse(line) for line in LIST.read_text(encoding="ascii").splitlines() if line and not line.startswith("#"))


def rows_of(level: str) -> Iterator[Row]:
    """The kernels of a level."""
    wanted = RECORDED[0] if level == AARCH64 else level
    return (row for row in all_rows() if wanted in row.levels)


def write(rows: Iterable[Row]) -> None:
    """Write the list."""
    lines = ["# Kernels that come ready-made. Recorded by `python -m tests.ready_made`; do not edit.", *sorted(map(str, rows))]
    LIST.write_text("\n".join(lines) + "\n", encoding="ascii")
