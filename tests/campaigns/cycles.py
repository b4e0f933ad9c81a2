"""Contexts, resources, shaders, views, queries and draws made and ended again and again: memory stays as large as it is."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path
from resource import getpagesize

import numpy as np

import tgsi
from tests.property.order_programs import FRAGMENTS, VERTICES

EACH = 500
"""Cycles of a seed."""

OF_CONTEXT = 10  # cycles of a context
WARM = 20  # seeds of a process after which its memory is known
SPARE = 4 << 20  # bytes that heaps may grow by

_screens: list[tgsi.Screen] = []
_sizes: list[int] = []


def resident() -> int:
    """Bytes of memory of this process that are there, after what can be collected is."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize()


def cycle(screen: tgsi.Screen, ctx: tgsi.Context, number: int) -> None:
    """Make something of every kind, draw, and end most of it, in one of several orders; the rest ends with the context or on its own."""
    size = 16 + number % 5 * 40
    target = screen.resource_create(width0=size, height0=size, bind="RENDER_TARGET|SAMPLER_VIEW")
    source = screen.resource_create(width0=8, height0=8, bind="SAMPLER_VIEW")
    ctx.texture_subdata(source, np.full((8, 8, 4), number % 256, np.uint8))
    vertices = screen.resource_create(target="BUFFER", width0=16 * 30)
    ctx.buffer_subdata(vertices, np.ones((30, 4), "f4") * (number % 7))
    vs, fs = ctx.create_vs_state(VERTICES["plain"]), ctx.create_fs_state(FRAGMENTS["textured" if number % 2 else "plain"])
    view, sampler = ctx.create_sampler_view(source), ctx.create_sampler_state()
    elements, blend = ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", 0)]), ctx.create_blend_state()
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear(color=(number % 3, 0, 0, 1))
    ctx.bind_vs_state(vs)
    ctx.bind_fs_state(fs)
    ctx.bind_vertex_elements_state(elements)
    ctx.bind_blend_state(blend)
    ctx.set_sampler_views("FRAGMENT", [view])
    ctx.bind_sampler_states("FRAGMENT", [sampler])
    ctx.set_viewport_states([{"scale": (size / 2, size / 2, 0.5), "translate": (size / 2, size / 2, 0.5)}])
    ctx.set_constant_buffer("FRAGMENT", np.full(4, number / 1000, "f4"))
    ctx.set_vertex_buffers([{"buffer": vertices, "stride": 16}] if number % 3 else [np.ones((30, 4), "f4")])
    query = ctx.create_query("OCCLUSION_COUNTER")
    ctx.begin_query(query)
    ctx.draw_vbo(mode="TRIANGLES", count=30)
    ctx.end_query(query)
    if number % 4 == 0:
        ctx.get_query_result(query)
        with ctx.transfer_map(target, usage="READ") as mapped:
            assert mapped.data.shape[:2] == (size, size)
    if number % 5 == 0:
        with ctx.record() as bundle:
            bundle.draw_vbo(mode="TRIANGLES", count=9)
        ctx.replay(bundle)
    if number % 6 == 0:
        return  # the context ends with everything that it has
    ctx.destroy_query(query)
    ctx.set_sampler_views("FRAGMENT", [None])
    ctx.sampler_view_destroy(view)
    for kind, state in (("vs", vs), ("fs", fs), ("vertex_elements", elements), ("blend", blend), ("sampler", sampler)):
        getattr(ctx, f"destroy_{kind}_state" if kind in ("vs", "fs") else f"delete_{kind}_state")(state)
    for made in (target, source, vertices) if number % 2 else ():
        screen.resource_destroy(made)


def attempt(seed: int) -> Counter[str]:
    """Run cycles. The memory of the process comes back to that of its first WARM seeds, and a little more."""
    if not _screens or seed % 10 == 0:
        for screen in _screens:
            screen.destroy()
        _screens[:] = [tgsi.Screen(threads=seed % 2)]
    for first in range(seed * EACH, seed * EACH + EACH, OF_CONTEXT):
        with _screens[0].context_create() as ctx:
            for number in range(first, first + OF_CONTEXT):
                cycle(_screens[0], ctx, number)
    _sizes.append(resident())
    if len(_sizes) >= 2 * WARM:  # heaps grow for a while, and shrink again
        assert min(_sizes[-WARM:]) <= max(_sizes[:WARM]) + SPARE, f"bytes after each seed: {_sizes}"
    return Counter({"cycles": EACH})


def given(seed: int) -> str:
    """A description of what the seed makes."""
    return f"cycles {seed * EACH} to {seed * EACH + EACH - 1}"
