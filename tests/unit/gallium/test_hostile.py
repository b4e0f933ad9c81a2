"""Random calls with hostile values are carried out, or refused with an error of the interface."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tgsi import UnsupportedError
from tgsi import gallium as g

pytestmark = pytest.mark.light

VERTEX = (
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], GENERIC[0]\n"
    "MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nMOV OUT[2], IN[0]\nEND\n",
    "VERT\nDCL IN[0]\nDCL CONST[0..3]\nDCL ADDR[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], PSIZE\nARL ADDR[0].x, IN[0].xxxx\n"
    "MOV OUT[0], IN[0]\nMOV OUT[1], CONST[ADDR[0].x]\nMOV OUT[2].x, IN[0].yyyy\nEND\n",
)
FRAGMENT = (
    "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n",
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL OUT[1], POSITION\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n"
    "TXB OUT[0], IN[0], SAMP[0], 2D\nMOV OUT[1].z, IN[0].xxxx\nEND\n",
    "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL IN[1], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\n"
    "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nF2I TEMP[0], IN[0]\nTXF OUT[0], TEMP[0], SAMP[0], 2D\nKILL_IF IN[0].xxxx\nEND\n",
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL CONST[0..1]\nDCL ADDR[0]\nDCL OUT[0], COLOR\nARL ADDR[0].x, IN[0].xxxx\n"
    "MOV OUT[0], CONST[ADDR[0].x+1]\nEND\n",
)
# Vertices and levels come unchanged from the vertex data.
CONTROL = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 5
DCL IN[][0], POSITION
DCL OUT[][0], POSITION
DCL OUT[1], TESSOUTER
DCL OUT[2], TESSINNER
DCL OUT[3], PATCH[0]
DCL SV[0], INVOCATIONID
DCL ADDR[0..1]
DCL TEMP[0]
IMM[0] FLT32 {8.0, 4.0, 0.0, 0.0}
UARL ADDR[0].x, SV[0].xxxx
MOV TEMP[0], IN[ADDR[0].x][0]
ARL ADDR[1].x, TEMP[0].xxxx
MOV OUT[ADDR[0].x][0], TEMP[0]
MOV OUT[ADDR[1].x][0], TEMP[0]
BARRIER
MIN OUT[1], TEMP[0], IMM[0].xxxx
MIN OUT[2], TEMP[0].wzyx, IMM[0].yyyy
MOV OUT[3], OUT[ADDR[1].x][0]
END
"""
EVALUATION = """TESS_EVAL
PROPERTY TES_PRIM_MODE {mode}
PROPERTY TES_SPACING {spacing}
PROPERTY TES_POINT_MODE {points}
DCL IN[][0], POSITION
DCL IN[1], PATCH[0]
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], GENERIC[0]
DCL ADDR[0..1]
DCL TEMP[0]
ADD TEMP[0], IN[0][0], SV[0]
ARL ADDR[0].x, IN[1].yyyy
ARL ADDR[1].x, TEMP[0].xxxx
MOV OUT[0], TEMP[0]
ADD OUT[1], IN[ADDR[0].x][0], IN[1]
MOV OUT[2], IN[ADDR[1].x][0]
END
"""
SPECIAL = (0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), float("-inf"), 1e30, -1e30, 1e-40, 3e38, 2.0**31, -(2.0**31), 255.5)
COLOR_FORMATS = ("R8G8B8A8_UNORM", "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT", "R8_UNORM", "B5G6R5_UNORM", "R32_UINT")
DEPTH_FORMATS = ("Z16_UNORM", "Z24_UNORM_S8_UINT", "Z32_FLOAT", "Z32_FLOAT_S8X24_UINT")


class Storm:
    """Generator of random calls on one context."""

    def __init__(self, screen: g.Screen, ctx: g.Context, seed: int) -> None:
        self.screen, self.ctx, self.r = screen, ctx, random.Random(seed)
        width, height = self.r.randint(1, 150), self.r.randint(1, 150)
        self.size = width, height
        self.color = screen.resource_create(width0=width, height0=height, format=self.pick(COLOR_FORMATS))
        self.depth = screen.resource_create(width0=width, height0=height, format=self.pick(DEPTH_FORMATS))

    def pick(self, items: Sequence[Any]) -> Any:
        return self.r.choice(items)

    def maybe(self, chance: float = 0.5) -> bool:
        return self.r.random() < chance

    def value(self) -> float:
        return float(self.pick(SPECIAL)) if self.maybe(0.3) else self.r.uniform(-3, 3)

    def floats(self, count: int) -> NDArray[np.float32]:
        return np.array([self.value() for _ in range(count)], np.float32)

    def targets(self) -> None:
        self.ctx.set_framebuffer_state(cbufs=self.pick(([self.color], [], [None, self.color])), zsbuf=self.pick((None, self.depth)))

    def viewport(self) -> None:
        w, h = self.size
        sane = {"scale": (w / 2, h / 2, 0.5), "translate": (w / 2, h / 2, 0.5)}
        wild = {"scale": [self.value() * w for _ in range(3)], "translate": [self.value() * h for _ in range(3)]}
        self.ctx.set_viewport_states([self.pick((sane, wild))])
        self.ctx.set_scissor_states([{"minx": self.r.randint(0, 200), "maxx": self.pick((0, 50, 65535)), "maxy": self.r.randint(0, 300)}])

    def rasterizer(self) -> None:
        given = {"cull_face": self.r.randint(0, 3), "point_size": self.pick((0, 1, 7.5, 1e30)), "line_width": self.pick((0, 1, 4.4, 1e30))}
        given |= {
            "offset_units": self.pick((0, -1e30)),
            "offset_scale": self.pick((0, 1e30)),
            "clip_plane_enable": self.pick((0, 0, 3, 255)),
        }
        names = ["scissor", "point_size_per_vertex", "flatshade", "depth_clip", "clip_halfz", "poly_stipple_enable", "offset_tri"]
        names += ["light_twoside", "flatshade_first", "half_pixel_center", "point_quad_rasterization", "bottom_edge_rule"]
        state = self.ctx.create_rasterizer_state(sprite_coord_enable=self.r.randint(0, 3), **given, **{n: self.maybe() for n in names})
        self.ctx.bind_rasterizer_state(state)

    def blend(self) -> None:
        factors = list(g.BlendFactor)
        given = {"rgb_src_factor": self.pick(factors), "rgb_dst_factor": self.pick(factors), "rgb_func": self.r.randint(0, 4)}
        state = self.ctx.create_blend_state(
            blend_enable=self.maybe(), colormask=self.r.randint(0, 15), logicop_enable=self.maybe(0.1), **given
        )
        self.ctx.bind_blend_state(state)

    def depth_stencil(self) -> None:
        stencil = {
            "enabled": self.maybe(0.3),
            "func": self.r.randint(0, 7),
            "zpass_op": self.r.randint(0, 7),
            "writemask": self.r.randint(0, 255),
        }
        depth = {"enabled": self.maybe(), "writemask": self.maybe(), "func": self.r.randint(0, 7)}
        alpha = {"enabled": self.maybe(0.2), "func": self.r.randint(0, 7), "ref_value": self.value()}
        self.ctx.bind_depth_stencil_alpha_state(self.ctx.create_depth_stencil_alpha_state(depth=depth, stencil=stencil, alpha=alpha))

    def shaders(self) -> None:
        self.ctx.bind_vs_state(self.ctx.create_vs_state(self.pick(VERTEX)))
        self.ctx.bind_fs_state(None if self.maybe(0.1) else self.ctx.create_fs_state(self.pick(FRAGMENT)))

    def vertices(self) -> None:
        formats = ("R32G32B32A32_FLOAT", "R32G32_FLOAT", "R8G8B8A8_UNORM", "R16G16_SSCALED")
        elements = [(self.pick((0, 4, 16, 65535)), self.pick(formats), self.r.randint(0, 3), self.pick((0, 0, 1, 3))) for _ in range(2)]
        self.ctx.bind_vertex_elements_state(self.ctx.create_vertex_elements_state(elements))
        strides, offsets = (0, 4, 16, 20, 2048), (0, 0, 8, 100000)
        buffers = [g.VertexBuffer(self.floats(self.pick((1, 7, 300))), self.pick(strides), self.pick(offsets)) for _ in range(3)]
        self.ctx.set_vertex_buffers(buffers[: self.r.randint(0, 3)])

    def constants(self) -> None:
        for stage in ("VERTEX", "FRAGMENT"):
            self.ctx.set_constant_buffer(stage, None if self.maybe(0.3) else self.floats(self.pick((1, 4, 5, 64))))

    def textures(self) -> None:
        levels = self.r.randint(0, 3)
        size = {"width0": self.pick((8, 33, 64)), "height0": self.pick((8, 16, 50))}
        texture = self.screen.resource_create(last_level=levels, format=self.pick(COLOR_FORMATS[:5]), **size)
        first = self.r.randint(0, levels)
        view = self.ctx.create_sampler_view(texture, first_level=first, last_level=self.r.randint(first, levels))
        given: dict[str, Any] = {"wrap_s": self.r.randint(0, 7), "wrap_t": self.r.randint(0, 7), "min_mip_filter": self.r.randint(0, 2)}
        given |= {"lod_bias": self.value(), "min_lod": self.value(), "max_lod": self.value(), "normalized_coords": self.maybe(0.8)}
        sampler = self.ctx.create_sampler_state(min_img_filter=self.r.randint(0, 1), border_color=self.floats(4).tolist(), **given)
        self.ctx.set_sampler_views("FRAGMENT", [None if self.maybe(0.1) else view])
        self.ctx.bind_sampler_states("FRAGMENT", [None if self.maybe(0.1) else sampler])

    def clear(self) -> None:
        self.ctx.clear(color=self.floats(4).tolist(), depth=self.value(), stencil=self.r.randint(0, 300))

    def draw(self) -> None:
        given: dict[str, Any] = {"mode": self.r.randint(0, 14), "count": self.pick((0, 1, 3, 6, 50, 300))}
        given |= {"start": self.pick((0, 0, 5, 2**31, 2**32 - 1)), "instance_count": self.pick((1, 1, 0, 3))}
        given |= {
            "start_instance": self.pick((0, 2**32 - 1)),
            "primitive_restart": self.maybe(0.3),
            "restart_index": self.pick((0, 255, 65535)),
        }
        if self.maybe():
            kind = self.pick((np.uint8, np.uint16, np.uint32))
            high = int(np.iinfo(kind).max)
            indices = [self.r.randint(0, 20) if self.maybe(0.9) else high for _ in range(self.pick((1, 5, 100)))]
            given |= {"index": np.array(indices, kind), "index_bias": self.pick((0, -5, 2**31 - 1, -(2**31)))}
        self.patches(given)
        self.ctx.draw_vbo(**given)

    def patches(self, given: dict[str, Any]) -> None:
        """Bind or unbind tessellation shaders so that they are bound exactly for PATCHES."""
        if given["mode"] != g.Prim.PATCHES:
            self.ctx.bind_tes_state(None)
            return
        kind = {"mode": self.pick((1, 4, 7)), "spacing": self.r.randint(0, 2), "points": self.r.randint(0, 1)}
        self.ctx.bind_tes_state(self.ctx.create_tes_state(EVALUATION.format(**kind)))
        self.ctx.bind_tcs_state(self.ctx.create_tcs_state(CONTROL) if self.maybe() else None)
        levels = [self.value() if self.maybe(0.1) else self.pick((1.0, 2.5, 4.0, 64.0)) for _ in range(6)]
        self.ctx.set_tess_state(levels[:4], levels[4:])
        given["vertices_per_patch"] = self.pick((0, 1, 3, 16, 32))

    def blit(self) -> None:
        width, height = self.size
        self.ctx.blit(self.color, src=self.color, src_box=(width, 0, -width, height), filter=self.r.randint(0, 1))

    def rage(self, steps: int) -> int:
        self.shaders()
        calls: list[Callable[[], None]] = [self.targets, self.viewport, self.rasterizer, self.blend, self.depth_stencil, self.shaders]
        calls += [self.vertices, self.constants, self.textures, self.clear, self.blit]
        drawn = 0
        for _ in range(steps):
            for call in self.r.sample(calls, 5):
                call()
            try:
                self.draw()
                drawn += 1
            except UnsupportedError:
                continue
        self.ctx.flush()
        return drawn


@pytest.mark.parametrize("seed", range(12))
def test_hostile_calls_are_carried_out_or_refused(screen: g.Screen, ctx: g.Context, seed: int) -> None:
    assert Storm(screen, ctx, seed).rage(15) > 0


def test_contexts_of_one_screen_draw_in_threads_of_their_own() -> None:
    screen = g.Screen(threads=1)
    results: dict[int, tuple[bytes, bytes]] = {}

    def work(number: int) -> None:
        with screen.context_create() as ctx:
            storm = Storm(screen, ctx, 100 + number % 2)
            storm.rage(10)
            results[number] = storm.color.texels().tobytes(), storm.depth.texels().tobytes()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 1, 2, 3]
    assert results[0] == results[2]
    assert results[1] == results[3]


def pictures(screen: g.Screen) -> list[bytes]:
    found = []
    for seed in range(40, 44):
        with screen.context_create() as ctx:
            storm = Storm(screen, ctx, seed)
            storm.rage(8)
            found += [storm.color.texels().tobytes(), storm.depth.texels().tobytes()]
    return found


KNOBS: tuple[dict[str, Any], ...] = ({"threads": 1}, {"threads": 7}, {"lanes": 8}, {"lanes": 64}, {"cpu": "x86-64"}, {"cpu": "x86-64-v3"})


@pytest.mark.parametrize("given", KNOBS, ids=str)
def test_hostile_calls_give_the_same_bytes_on_every_machine(screen: g.Screen, given: dict[str, Any]) -> None:
    try:
        found = pictures(g.Screen(**{"threads": 0} | given))
    except ValueError as error:
        if "cannot run here" not in str(error):
            raise
        pytest.skip(str(error))
    assert found == pictures(screen)
