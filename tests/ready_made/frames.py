"""Frames of usual state through the public API, from which the list of ready-made kernels is recorded.

The pictures do not matter; which formats, sizes, primitives and sample counts meet does. Scenes and examples add theirs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tgsi

SIZE, LARGE = 64, 1024
COUNTS = (3, 90, 3000)
"""Vertices of draws: one of a vector, few triangles, many triangles."""

COLORS = ("R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R8G8B8X8_UNORM", "B8G8R8X8_UNORM", "R8G8B8A8_SRGB", "B8G8R8A8_SRGB")
FLOAT_COLORS = ("R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT", "R11G11B10_FLOAT", "R16_FLOAT", "R32_FLOAT")
OTHER_COLORS = (*FLOAT_COLORS, "R8_UNORM", "R8G8_UNORM", "B5G6R5_UNORM")
DEPTHS = ("Z24_UNORM_S8_UINT", "Z24X8_UNORM", "S8_UINT_Z24_UNORM", "X8Z24_UNORM", "Z32_FLOAT", "Z32_FLOAT_S8X24_UINT", "Z16_UNORM")
SAMPLES = (0, 4)
TEXTURES = ("R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "R8G8B8A8_SRGB")

FLOATS = ("R32_FLOAT", "R32G32_FLOAT", "R32G32B32_FLOAT", "R32G32B32A32_FLOAT")
VERTEX_BYTES = {**{name: 4 * k for k, name in enumerate(FLOATS, 1)}, "R8G8B8A8_UNORM": 4, "B8G8R8A8_UNORM": 4}
PACKED = ("R8G8B8A8_UNORM", "B8G8R8A8_UNORM")
SHADING = ((), ("R32G32_FLOAT",), ("R32G32B32_FLOAT",), ("R32G32B32_FLOAT", "R32G32_FLOAT"))
"""Floats that accompany a packed color: texture coordinates, a normal, or both."""

PASS = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
LOOP = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 {1.0, 0.0, 8.0, 0.1}
MOV TEMP[0], IN[0]
MOV TEMP[1].x, IMM[0].yyyy
BGNLOOP
  SGE TEMP[1].y, TEMP[1].xxxx, IMM[0].zzzz
  IF TEMP[1].yyyy
    BRK
  ENDIF
  MAD TEMP[0], TEMP[0], TEMP[0], IMM[0].wwww
  ADD TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
ENDLOOP
MOV OUT[0], TEMP[0]
END
"""
POWERS = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
POW TEMP[0].x, IN[0].xxxx, IN[0].yyyy
POW TEMP[0].y, IN[0].yyyy, IN[0].zzzz
SIN TEMP[0].z, IN[0].zzzz
SIN TEMP[0].w, IN[0].xxxx
COS OUT[0].w, IN[0].zzzz
COS OUT[0].z, IN[0].xxxx
ADD OUT[0].xy, TEMP[0], TEMP[0].zwzw
END
"""
WAVES = """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
SIN OUT[1].x, IN[0].xxxx
COS OUT[1].y, IN[0].yyyy
SIN OUT[1].z, IN[0].yyyy
POW OUT[1].w, IN[0].xxxx, IN[0].yyyy
MOV OUT[0], IN[0]
END
"""


def vertex_program(inputs: int) -> str:
    """A program that reads every input."""
    lines = [f"DCL IN[{k}]" for k in range(inputs)] + ["DCL OUT[0], POSITION", "DCL OUT[1], GENERIC[0]", "DCL TEMP[0]"]
    lines += ["MOV TEMP[0], IN[0]"] + [f"ADD TEMP[0], TEMP[0], IN[{k}]" for k in range(1, inputs)]
    return "\n".join(("VERT", *lines, "MOV OUT[0], IN[0]", "MOV OUT[1], TEMP[0]", "END", ""))


def sampling_program(channels: str) -> str:
    """A program of several texture instructions."""
    return (
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0..1]\n"
        f"TEX TEMP[0].{channels}, IN[0], SAMP[0], 2D\nTEX TEMP[1].{channels}, IN[0].yxzw, SAMP[0], 2D\n"
        f"MOV OUT[0], IN[0]\nADD OUT[0].{channels}, TEMP[0], TEMP[1]\nEND\n"
    )


class Frame:
    """A context with targets and programs, ready to draw."""

    def __init__(self, screen: tgsi.Screen, color: str | None, depth: str | None = None, samples: int = 0, size: int = SIZE) -> None:
        self.screen, self.context = screen, screen.context_create()
        shape: dict[str, Any] = {"width0": size, "height0": size, "nr_samples": samples}
        self.color = screen.resource_create(format=color, **shape) if color is not None else None
        depth_target = screen.resource_create(format=depth, **shape) if depth is not None else None
        cbufs = [self.color] if self.color is not None else []
        self.context.set_framebuffer_state(cbufs=cbufs, zsbuf=depth_target)
        self.context.set_viewport_states([{"scale": (size / 2, size / 2, 0.5), "translate": (size / 2, size / 2, 0.5)}])
        self.programs(vertex_program(2), PASS if color is not None else None)
        if depth is not None:
            test = {"enabled": True, "writemask": True, "func": "LESS"}
            self.context.bind_depth_stencil_alpha_state(self.context.create_depth_stencil_alpha_state(depth=test))

    def programs(self, vertex: str, fragment: str | None) -> None:
        self.context.bind_vs_state(self.context.create_vs_state(vertex))
        self.context.bind_fs_state(self.context.create_fs_state(fragment) if fragment is not None else None)

    def draw(self, formats: Sequence[str] = FLOATS[3:] * 2, counts: Sequence[int] = COUNTS, mode: str = "TRIANGLES", **more: Any) -> None:
        """Clear and draw, with a few vertices and with many."""
        sizes = [VERTEX_BYTES[name] for name in formats]
        offsets = [sum(sizes[:k]) for k in range(len(sizes))]
        self.context.bind_vertex_elements_state(self.context.create_vertex_elements_state(list(zip(offsets, formats, strict=True))))
        data = np.random.default_rng(5).uniform(0, 1, (max(counts), sum(sizes) // 4)).astype(np.float32)
        self.context.set_vertex_buffers([data])
        for count in counts:
            self.context.clear()
            self.context.draw_vbo(mode=mode, count=count, **more)
            self.context.flush()
        if self.color is not None and not self.color.nr_samples:
            self.color.pixels()

    def __enter__(self) -> Frame:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.destroy()


def targets(screen: tgsi.Screen) -> None:
    """Formats of colors and depths, with one and four samples."""
    for samples in SAMPLES:
        for color in (*COLORS, *OTHER_COLORS):
            with Frame(screen, color, samples=samples) as frame:
                frame.draw()
        for depth in DEPTHS:
            with Frame(screen, COLORS[0], depth, samples) as frame:
                frame.draw()


def depth_only(screen: tgsi.Screen) -> None:
    """Shadow maps: depth without colors."""
    for depth in DEPTHS:
        with Frame(screen, None, depth) as frame:
            frame.draw()


def primitives(screen: tgsi.Screen) -> None:
    """Each kind of primitive, also as lines and points, with and without samples, and queries."""
    for samples, mode in itertools.product(SAMPLES, ("POINTS", "LINES", "LINE_STRIP", "TRIANGLE_STRIP", "QUADS")):
        with Frame(screen, COLORS[0], DEPTHS[0], samples) as frame:
            frame.draw(mode=mode)
    for samples, fill in itertools.product(SAMPLES, ("LINE", "POINT")):
        with Frame(screen, COLORS[0], samples=samples) as frame:
            frame.context.bind_rasterizer_state(frame.context.create_rasterizer_state(fill_front=fill, fill_back=fill))
            frame.draw()
    for kind in ("OCCLUSION_COUNTER", "PRIMITIVES_GENERATED", "TIME_ELAPSED"):
        with Frame(screen, COLORS[0]) as frame:
            query = frame.context.create_query(kind)
            frame.context.begin_query(query)
            frame.draw(counts=(3,))
            frame.context.end_query(query)
            frame.context.get_query_result(query, wait=True)


def programs(screen: tgsi.Screen) -> None:
    """Loops, functions that programs share, vertices with planes that clip."""
    for samples, program in itertools.product(SAMPLES, (LOOP, POWERS)):
        with Frame(screen, COLORS[0], samples=samples) as frame:
            frame.programs(vertex_program(2), program)
            frame.draw()
    with Frame(screen, COLORS[0]) as frame:
        frame.programs(WAVES, PASS)
        frame.draw(FLOATS[3:])
    with Frame(screen, COLORS[0]) as frame:
        frame.context.bind_rasterizer_state(frame.context.create_rasterizer_state(clip_plane_enable=1))
        frame.draw()


def vertices(screen: tgsi.Screen) -> None:
    """Layouts of vertices: a place and a packed color, with floats between and behind."""
    for place, floats, color in itertools.product(FLOATS[1:], SHADING, PACKED):
        for layout in {(place, *floats, color), (place, color, *floats)}:
            with Frame(screen, COLORS[0]) as frame:
                frame.programs(vertex_program(len(layout)), PASS)
                frame.draw(layout)


def moves(screen: tgsi.Screen) -> None:
    """Copies, blits that convert, scale and mirror, levels of textures, and resolves."""
    for of, to in itertools.product(COLORS, COLORS):
        if of != to and ("SRGB" in of) != ("SRGB" in to):
            continue
        with screen.context_create() as context:
            source, target = (screen.resource_create(format=name, width0=SIZE, height0=SIZE) for name in (of, to))
            context.blit(target, src=source)
            context.blit(target, src=source, src_box=(0, SIZE, SIZE, -SIZE))
            context.blit(target, src=source, dst_box=(0, 0, SIZE // 2, SIZE // 2), filter="LINEAR")
    for format in (*COLORS, *OTHER_COLORS):
        with screen.context_create() as context:
            context.generate_mipmap(screen.resource_create(format=format, width0=SIZE, height0=SIZE, last_level=3))
            for samples in (2, 4, 8):
                many = screen.resource_create(format=format, width0=SIZE, height0=SIZE, nr_samples=samples)
                one = screen.resource_create(format=format, width0=SIZE, height0=SIZE)
                context.clear_render_target(many, color=(1, 0, 0, 1))
                context.blit(one, src=many)
                context.flush()
    with Frame(screen, COLORS[0], size=LARGE) as frame:
        frame.draw(counts=(3,))
        assert frame.color is not None
        frame.context.texture_read(frame.color, np.empty(4 * LARGE * LARGE, np.uint8))
    with Frame(screen, COLORS[0]) as frame:
        frame.draw()
        copied = screen.resource_create(format=COLORS[0], width0=SIZE, height0=SIZE)
        assert frame.color is not None
        frame.context.clear()
        frame.context.resource_copy_region(copied, frame.color)
        copied.pixels()
    for format in DEPTHS:
        with screen.context_create() as context:
            source, target = (screen.resource_create(format=format, width0=SIZE, height0=SIZE) for _ in range(2))
            context.blit(target, src=source)
            context.blit(target, src=source, src_box=(0, SIZE, SIZE, -SIZE))


def textures(screen: tgsi.Screen) -> None:
    """Programs of several texture instructions call shared functions: usual formats, filters, wrapping and numbers of channels."""
    ways = (("REPEAT", 64), ("CLAMP_TO_EDGE", 64), ("CLAMP_TO_EDGE", 80))
    for format, (wrap, size), level, channels in itertools.product(TEXTURES, ways, ("NONE", "LINEAR"), ("xyzw", "xyz")):
        with Frame(screen, COLORS[0]) as frame:
            frame.programs(vertex_program(2), sampling_program(channels))
            texture = screen.resource_create(format=format, width0=size, height0=size, last_level=3 if level != "NONE" else 0)
            frame.context.set_sampler_views("FRAGMENT", [frame.context.create_sampler_view(texture)])
            filters: dict[str, Any] = {"min_img_filter": "LINEAR", "mag_img_filter": "LINEAR", "min_mip_filter": level}
            sampler = frame.context.create_sampler_state(wrap_s=wrap, wrap_t=wrap, wrap_r=wrap, **filters)
            frame.context.bind_sampler_states("FRAGMENT", [sampler])
            frame.draw()


FRAMES: tuple[Callable[[tgsi.Screen], None], ...] = (targets, depth_only, primitives, programs, vertices, moves, textures)
