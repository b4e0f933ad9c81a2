"""Every sample equals a single-sampled target that is drawn with the viewport moved so that pixel centers lie at the sample's position.

Corners lie on sixteenths of a pixel and each triangle has one depth and one color, so both must be equal to the bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.run.textures import STANDARD_POSITIONS
from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE, COUNT = 64, 70
VS = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
FS = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
KILL = FS.replace("MOV", "DCL TEMP[0]\nIMM[0] FLT32 {-0.4, 0, 0, 0}\nADD TEMP[0].x, IN[0].yyyy, IMM[0].xxxx\nKILL_IF TEMP[0].xxxx\nMOV")
DEEP = FS.replace("MOV", "DCL OUT[1], POSITION\nMOV OUT[1].z, IN[0].zzzz\nMOV")
FACE = {
    "enabled": True,
    "func": "GEQUAL",
    "zpass_op": "INCR",
    "zfail_op": "INVERT",
    "fail_op": "DECR_WRAP",
    "valuemask": 15,
    "writemask": 63,
}
LESS = {"depth": {"enabled": True, "writemask": True, "func": "LESS"}}
OVER = {"blend_enable": True, "rgb_src_factor": "SRC_ALPHA", "rgb_dst_factor": "INV_SRC_ALPHA", "alpha_dst_factor": "ONE"}

CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "blended bytes": {"blend": OVER},
    "blended floats": {"blend": OVER, "color": "R16G16B16A16_FLOAT"},
    "blended in 565": {"blend": OVER, "color": "B5G6R5_UNORM"},
    "masked": {"blend": {"colormask": "GA"}, "color": "R8G8B8A8_SRGB"},
    "logic": {"blend": {"logicop_enable": True, "logicop_func": "XOR"}},
    "depth": {"tests": LESS},
    "16-bit depth, kills": {"tests": LESS, "depth": "Z16_UNORM", "fs": KILL},
    "written depth": {"tests": LESS, "depth": "Z32_FLOAT", "fs": DEEP},
    "stencil": {"tests": {"stencil": [FACE, {**FACE, "func": "LESS", "zpass_op": "REPLACE"}]}},
    "stencil and depth": {"tests": LESS | {"stencil": [FACE, FACE]}, "depth": "Z32_FLOAT_S8X24_UINT", "fs": KILL},
    "alpha test": {"tests": {"alpha": {"enabled": True, "func": "GREATER", "ref_value": 0.5}} | LESS},
    "wide texels": {"color": "R32G32B32A32_FLOAT", "blend": OVER, "tests": LESS},
    "narrow texels": {"color": "R8_UNORM", "tests": LESS},
    "scissor and stipple": {"rasterizer": {"scissor": True, "poly_stipple_enable": True}},
}


def vertices(size: float) -> NDArray[np.float32]:
    """Rows of x, y, z, w and a color; all rows of a triangle have its depth and color."""
    rng = np.random.default_rng(11)
    pixels = rng.uniform(0, SIZE, (COUNT, 1, 2)) + rng.uniform(-size, size, (COUNT, 3, 2))
    xy = np.round(pixels * 16) / 16 / (SIZE / 2) - 1
    rest = [
        np.broadcast_to(v, (COUNT, 3, v.shape[-1]))
        for v in (rng.uniform(-0.9, 0.9, (COUNT, 1, 1)), np.ones((1, 1, 1)), rng.random((COUNT, 1, 4)))
    ]
    return np.concatenate([xy, *rest], 2).reshape(-1, 8).astype("f4")


def planes(
    screen: g.Screen, samples: int, case: dict[str, Any], data: NDArray[np.float32], shift: tuple[float, float]
) -> list[list[bytes]]:
    """Color and depth of each sample."""
    with screen.context_create() as ctx:
        color, depth = (
            screen.resource_create(format=case.get(name, default), width0=SIZE, height0=SIZE, nr_samples=samples, bind=bind)
            for name, default, bind in (("color", "R8G8B8A8_UNORM", "RENDER_TARGET"), ("depth", "Z24_UNORM_S8_UINT", "DEPTH_STENCIL"))
        )
        ctx.set_framebuffer_state(cbufs=[color], zsbuf=depth)
        half = SIZE / 2
        ctx.set_viewport_states([{"scale": (half, half, 0.5), "translate": (half + shift[0], half + shift[1], 0.5)}])
        ctx.set_scissor_states([{"minx": 5, "miny": 3, "maxx": 50, "maxy": 61}])
        ctx.set_polygon_stipple([0x55AA33CC >> k % 3 for k in range(32)])
        ctx.set_stencil_ref((5, 9))
        ctx.set_sample_locations(case.get("locations"))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**({"multisample": samples > 1} | case.get("rasterizer", {}))))
        ctx.bind_blend_state(ctx.create_blend_state(**_blend(case.get("blend", {}))))
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(**case.get("tests", {})))
        ctx.bind_vs_state(ctx.create_vs_state(VS))
        ctx.bind_fs_state(ctx.create_fs_state(case.get("fs", FS)))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))
        ctx.set_vertex_buffers([data])
        ctx.clear(color=(0.3, 0.6, 0.1, 0.8), depth=0.8, stencil=6)
        ctx.draw_vbo(mode="TRIANGLES", count=len(data))
        ctx.flush()
        return [[r.blocks(0, k).tobytes() for r in (color, depth)] for k in range(samples)]


def _blend(fields: dict[str, Any]) -> dict[str, Any]:
    whole = ("logicop_enable", "logicop_func")
    target = {k: v for k, v in fields.items() if k not in whole}
    if isinstance(target.get("colormask"), str):
        target["colormask"] = list(target["colormask"])
    return {k: v for k, v in fields.items() if k in whole} | {"rt": [target]}


@pytest.mark.parametrize("size", [6.0, 90.0])
@pytest.mark.parametrize("name", CASES)
def test_a_sample_is_a_pixel_that_lies_elsewhere(screen: g.Screen, name: str, size: float) -> None:
    data = vertices(size)
    for samples in (4,) if size < 50 else (2, 8):
        found = planes(screen, samples, CASES[name], data, (0.0, 0.0))
        for k, (x, y) in enumerate(STANDARD_POSITIONS[samples]):
            (expected,) = planes(screen, 1, CASES[name], data, ((8 - x) / 16, (8 - y) / 16))
            assert found[k] == expected, f"sample {k} of {samples}"
        assert found[0] != found[1]
