"""Every field of the bound state reaches a kernel, through its key or through the draw record, or is listed as having no effect."""

from __future__ import annotations

import ctypes
import dataclasses
from enum import Enum
from typing import Any

import numpy as np
import pytest

from backends.device.bound import DrawState
from backends.formats import Format
from backends.pipe.enums import BlendFactor, BlendFunc, CompareFunc, ConservativeRaster, LogicOp, PolygonMode, Prim, StencilOp
from backends.pipe.state import (
    AlphaState,
    BlendState,
    DepthState,
    DepthStencilAlphaState,
    DrawInfo,
    RasterizerState,
    RenderTargetBlend,
    StencilState,
)
from backends.raster.draw_record import Draw
from backends.raster.kernels import Kernels
from tests.unit.raster.canvas import Canvas, changed, with_shaders
from tgsi.language.diagnostics import UnsupportedError

# Reasons why a field has no effect.
RASTERIZER = {
    "clamp_fixed_only": "matters only with float color buffers (tests/unit/gallium/test_links.py)",
    "multisample": "targets have one sample",
    "force_persample_interp": "targets have one sample",
    "quads_provoke_last": "matters to quads alone (tests/unit/raster/test_primitives.py)",
    "tile_raster_order_fixed": "a promise to the driver",
    "tile_raster_order_increasing_x": "a promise to the driver",
    "tile_raster_order_increasing_y": "a promise to the driver",
    "rasterizer_discard": "nothing is drawn",
}
BLEND = {
    "dither": "stored colors are rounded to nearest",
    "alpha_to_coverage": "targets have one sample",
    "alpha_to_one": "targets have one sample",
}

VS = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], BCOLOR\nDCL OUT[3].x, PSIZE\nDCL OUT[4], GENERIC[0]\n"
VS += "".join(f"MOV OUT[{k}], IN[0]\n" for k in range(5)) + "END\n"
FS = "FRAG\nDCL IN[0], COLOR, COLOR\nDCL IN[1], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR[0]\nDCL OUT[1], COLOR[1]\n"
FS += "ADD OUT[0], IN[0], IN[1]\nMOV OUT[1], IN[0]\nEND\n"

STENCIL = StencilState(
    enabled=True,
    func=CompareFunc.LESS,
    fail_op=StencilOp.INCR,
    zpass_op=StencilOp.DECR,
    zfail_op=StencilOp.ZERO,
    valuemask=15,
    writemask=240,
)
BASES: dict[str, Any] = {
    "rasterizer": RasterizerState(offset_tri=True, offset_units=1.0, offset_scale=1.0),
    "blend": BlendState((RenderTargetBlend(blend_enable=True, rgb_src_factor=BlendFactor.SRC_ALPHA),) * 2),
    "rt": RenderTargetBlend(blend_enable=True, rgb_src_factor=BlendFactor.SRC_ALPHA, alpha_dst_factor=BlendFactor.DST_ALPHA),
    "depth": DepthState(True, True, CompareFunc.LESS, True, 0.25, 0.75),
    "stencil": STENCIL,
    "alpha": AlphaState(True, CompareFunc.LESS, 0.5),
}
IGNORED = {"rasterizer": RASTERIZER, "blend": BLEND}


@pytest.fixture(scope="module")
def canvas(request: pytest.FixtureRequest) -> Any:
    with Canvas(64, 64, color=(Format.R8G8B8A8_UNORM,) * 2, depth=Format.Z24_UNORM_S8_UINT) as c:
        yield c


class Recorder:
    """Stand-in for the kernels that records requested keys and compiles nothing."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels, self.keys = kernels, list[Any]()

    def __getattr__(self, name: str) -> Any:
        if name in ("fragment", "fragment_lanes", "vertex_lanes", "setup_lanes", "native"):
            return getattr(self.kernels, name)

        def ask(*given: Any, **named: Any) -> Any:
            key = (*given, *named.items())
            self.keys.append((name, [k for k in key if not hasattr(k, "program") or isinstance(k.program, int)]))
            return dataclasses.make_dataclass("L", ["address", "exports"])({"x": 0}, ("x",))

        return ask


def trace(c: Canvas, state: DrawState, mode: Prim) -> Any:
    """Keys that a draw would compile, and values for its kernels; None if nothing is drawn."""
    maker = c._maker.writer
    recorder = Recorder(maker.kernels)
    maker.kernels, kept = recorder, maker.kernels  # type: ignore[assignment]
    try:
        packet = maker.write(state, DrawInfo(mode=mode, count=6), c._passes.framebuffer)
    finally:
        maker.kernels = kept
    if packet is None:
        return None
    c._region.reset()
    return recorder.keys, ctypes.string_at(packet.address, ctypes.sizeof(Draw))


def other(value: Any) -> Any:
    """Different value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Enum):
        members = [m for m in type(value) if m is not value]
        wanted: dict[Any, Any] = {
            BlendFactor: BlendFactor.DST_COLOR,
            BlendFunc: BlendFunc.SUBTRACT,
            LogicOp: LogicOp.XOR,
            PolygonMode: PolygonMode.LINE,
        }
        return wanted.get(type(value), members[-1])
    return value + 3 if isinstance(value, int) else value + (1.125 if value >= 1 else 0.125)


def states(kind: str, value: Any) -> dict[str, Any]:
    """Fields of a DrawState in which `value` matters."""
    if kind == "rt":
        return {"blend": BlendState((value,))}
    dsa = DepthStencilAlphaState(BASES["depth"], (STENCIL, StencilState()), BASES["alpha"])
    if kind in ("depth", "alpha"):
        return {"depth_stencil_alpha": dataclasses.replace(dsa, **{kind: value})}
    if kind == "stencil":
        return {"depth_stencil_alpha": dataclasses.replace(dsa, stencil=(value, StencilState()))}
    return {kind: value, "depth_stencil_alpha": dsa}


def cases() -> list[tuple[str, str]]:
    return [(kind, f.name) for kind, base in BASES.items() for f in dataclasses.fields(base) if f.name != "rt"]


@pytest.mark.parametrize(("kind", "name"), cases())
def test_every_field_counts_or_is_excused(canvas: Canvas, kind: str, name: str) -> None:
    base = BASES[kind]
    if name == "logicop_func":
        base = dataclasses.replace(base, logicop_enable=True)
    if name == "independent_blend_enable":
        base = dataclasses.replace(base, rt=(base.rt[0], RenderTargetBlend()))
    if name in ("offset_point", "offset_line"):  # these apply to polygons drawn as points or lines
        base = dataclasses.replace(base, fill_front=PolygonMode.LINE, fill_back=PolygonMode.POINT, offset_tri=False)
    if name in ("conservative_raster_dilate", "subpixel_precision_x", "subpixel_precision_y"):
        base = dataclasses.replace(base, conservative_raster_mode=ConservativeRaster.POST_SNAP)
    other_value = dataclasses.replace(base, **{name: other(getattr(base, name))})
    common: dict[str, Any] = {
        "polygon_stipple": (5,) * 32,
        "clip_planes": ((1.0, 0.0, 0.0, 0.5),) * 4,
        "scissors": (),
    }
    found = []
    for mode in (Prim.TRIANGLES, Prim.LINES, Prim.POINTS):
        traces: list[Any] = []
        for value in (base, other_value):
            try:
                traces.append(trace(canvas, with_shaders(changed(canvas.state, **common, **states(kind, value)), VS, FS), mode))
            except UnsupportedError as error:
                traces.append(str(error))
        found.append(traces[0] != traces[1])
    excuses = IGNORED.get(kind, {})
    assert any(found) or name in excuses, f"{kind}.{name} is read nowhere"
    if name in excuses and name != "rasterizer_discard":
        assert not any(found), f"{kind}.{name} makes a difference now"


def test_excuses_name_fields() -> None:
    assert set(RASTERIZER) <= {f.name for f in dataclasses.fields(RasterizerState)}
    assert set(BLEND) <= {f.name for f in dataclasses.fields(BlendState)}
    assert np.all([isinstance(v, str) for v in RASTERIZER.values()])
