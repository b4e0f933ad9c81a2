"""A newcomer who follows `state` from Renderer.draw to the Draw record enters each module at most twice.

The measure: during the first draw of a state, every call of a function in backends/ that receives the DrawState is recorded, or one of
the objects that are bound in it (its fields, its stages, their shaders), as an argument or inside of a tuple, list or dataclass of this
house that is an argument. The calls, in their order, are the walk; `self` is not an argument, and functions without a name of their own
(lambdas, comprehensions) belong to the function that they stand in. Calls that follow each other in the same module are one visit.
Returns do not count: a module that calls ten others is visited once, unless it calls a function of its own in between. Nor do calls of the
next step, because a reader goes on in the table of steps.
"""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import backends
from backends.device.bound import DrawState
from backends.formats import Format
from backends.pipe.enums import CompareFunc, Prim
from backends.pipe.state import DepthState, DepthStencilAlphaState, DrawInfo, RasterizerState, ScissorState
from tests.unit.raster.canvas import ADD, FIELDS, Canvas

MOST_VISITS = 2
ROOT = Path(backends.__file__).parent

VS = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], GENERIC[0]\nDCL CONST[0]\n"
VS += "ADD OUT[0], IN[0], CONST[0]\nMOV OUT[1], IN[1]\nMOV OUT[2], IN[1]\nEND\n"
FS = "FRAG\nDCL IN[0], COLOR, COLOR\nDCL IN[1], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0]\nDCL TEMP[0]\n"
FS += "MUL TEMP[0], IN[0], IN[1]\nADD OUT[0], TEMP[0], CONST[0]\nEND\n"

RASTERIZER = RasterizerState(
    scissor=True,
    light_twoside=True,
    flatshade=True,
    offset_tri=True,
    offset_units=1.0,
    line_stipple_enable=True,
    line_stipple_pattern=0xF0F0,
    line_smooth=True,
    sprite_coord_enable=1,
    point_size_per_vertex=True,
    clip_plane_enable=1,
)
RICH: dict[str, Any] = {
    "rasterizer": RASTERIZER,
    "blend": ADD,
    "depth_stencil_alpha": DepthStencilAlphaState(depth=DepthState(True, True, CompareFunc.LESS)),
    "scissors": (ScissorState(0, 0, 60, 60),),
    "clip_planes": ((1.0, 0.0, 0.0, 2.0),),
    "blend_color": (0.5, 0.5, 0.5, 0.5),
    "window_rectangles": (True, (ScissorState(0, 0, 50, 50),)),
    "polygon_stipple": (0xAAAAAAAA,) * 32,
    "count_samples": True,
    "count_statistics": True,
}


ATTRIBUTES = ("device.commands.words", "device.bound")
"""Modules of the attributes of bound state."""
TABLES = ("raster.draw.steps", "software.commands.parts")
"""The module of the table of steps, and one that goes through it: functions of both are called once a step."""
END = "draw"
"""The function of the executor that takes the finished draw, after the parts of its template were made."""


class Walk:
    """Recorder of the modules of calls that receive bound state."""

    def __init__(self, state: DrawState) -> None:
        self.calls: list[tuple[str, str]] = []  # module, function
        self.is_over = False  # the Draw record is made
        values = [state, *(getattr(state, name) for name in FIELDS), *state.stage, *(s.shader for s in state.stage)]
        self._kept = [v for v in values if v not in (None, ()) and not isinstance(v, (int, float, str))]
        self._bound = set(map(id, self._kept))

    def _is_bound(self, value: Any, depth: int = 1) -> bool:
        if id(value) in self._bound:
            return True
        if isinstance(value, (tuple, list)):
            return any(self._is_bound(item, depth) for item in value)
        if depth and dataclasses.is_dataclass(value) and type(value).__module__.startswith(("backends.", "tgsi.gallium")):
            return any(self._is_bound(getattr(value, f.name, None), 0) for f in dataclasses.fields(value))
        return False

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(str(ROOT)) or code.co_name.startswith("<"):
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(self._is_bound(frame.f_locals[name]) for name in names if name not in ("self", "cls") and name in frame.f_locals):
            module = ".".join(Path(code.co_filename).relative_to(ROOT).with_suffix("").parts)
            self.is_over |= code.co_name == END and any(name == TABLES[1] for name, _ in self.calls)
            if module not in ATTRIBUTES and not self.is_over:
                self.calls.append((module, code.co_name))

    @property
    def visits(self) -> Counter[str]:
        """Number of visits by module."""
        modules = [module for module, _ in self.calls]
        modules = [name for k, name in enumerate(modules) if name not in TABLES or name not in modules[:k]]
        return Counter(name for k, name in enumerate(modules) if k == 0 or name != modules[k - 1])


class Followed(Canvas):
    """Renderer whose draws are recorded."""

    walk: Walk

    def draw(self, state: DrawState, info: DrawInfo) -> None:
        self.walk = Walk(state)
        before = sys.getprofile()
        sys.setprofile(self.walk)
        try:
            super().draw(state, info)
        finally:
            sys.setprofile(before)


def walk_of(mode: Prim, **changes: Any) -> Walk:
    """Walk of a first draw with primitive `mode`."""
    with Followed(64, 64, color=(Format.R8G8B8A8_UNORM,), depth=Format.Z24X8_UNORM) as canvas:
        canvas.draw_arrays(VS, FS, [np.zeros((6, 4), np.float32)] * 2, mode, constants=[1.0] * 4, **changes)
        return canvas.walk


@pytest.mark.parametrize("mode", [Prim.TRIANGLES, Prim.LINE_STRIP, Prim.POINTS])
@pytest.mark.parametrize("changes", [{}, RICH], ids=["plain", "rich"])
def test_each_module_is_entered_at_most_twice(mode: Prim, changes: dict[str, Any]) -> None:
    walk = walk_of(mode, **changes)
    assert {name: count for name, count in walk.visits.items() if count > MOST_VISITS} == {}, walk.calls


def test_the_walk_goes_the_documented_way() -> None:
    modules = list(walk_of(Prim.TRIANGLES, **RICH).visits)
    stops = ["software.renderer", "software.commands.executor", "software.commands.parts", "raster.draw.steps", "raster.draw.link"]
    stops += ["raster.draw.varyings", "raster.draw.vertex_inputs", "raster.draw.fragments"]
    assert [name for name in modules if name in stops] == stops
    assert len(modules) > len(stops)


def test_a_module_that_is_entered_in_turns_is_found() -> None:
    walk = Walk(DrawState())
    walk.calls = [(name, "f") for name in ("a", "a", "b", "a", "c", "a")]
    assert walk.visits == {"a": 3, "b": 1, "c": 1}
