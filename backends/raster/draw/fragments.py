"""Fragment state of a draw: the key of its shading kernel, and the run-time values that are not in the key."""

from __future__ import annotations

import numpy as np

from backends.device.bound import DrawState, Framebuffer, clamps
from backends.device.environment import StageKeys
from backends.pipe.enums import CompareFunc, Face
from backends.raster.draw.sample_state import SampleKey, placed
from backends.raster.draw.style import Style
from backends.raster.draw.varyings import VertexSlots
from backends.raster.draw_record import Fragments, HizTerms
from backends.raster.layouts import NO_SLOT, HizUse
from backends.raster.tile.buffer_keys import DepthKey, TargetKeys
from backends.raster.tile.coarse import hiz_of, slack_of
from backends.raster.tile.fragment import FragmentInfo, FragmentKey


def fragment_key(
    state: DrawState,
    framebuffer: Framebuffer,
    info: FragmentInfo,
    style: Style,
    slots: VertexSlots,
    samples: SampleKey,
    bound: StageKeys,
    targets: TargetKeys,
    *,
    lanes: int,
    is_few: bool,
) -> FragmentKey:
    """The key of a draw's shading kernel: bound state without anything that has no effect on the code."""
    r, dsa = state.rasterizer, state.depth_stencil_alpha
    textures, samplers, images = bound
    is_stippled = r.poly_stipple_enable and state.polygon_stipple is not None
    return FragmentKey(
        lanes=lanes,
        quads=not is_few,
        # inputs
        flatshade=r.flatshade and info.has_color_interpolation,
        sprites=slots.sprites,
        constants=slots.constants,
        textures=textures,
        samplers=samplers,
        images=images,
        fetched=tuple((k, s.format) for k, s in enumerate(framebuffer.cbufs) if k in info.fetches and s is not None),
        # primitives
        layered=slots.layer != NO_SLOT,
        views=slots.viewport != NO_SLOT,
        marks=style.marks,
        stipple=style.filled if is_stippled else Face.NONE,
        windows=(state.window_rectangles[0], len(state.window_rectangles[1])),
        # tests
        depth=DepthKey.of(dsa, framebuffer.zsbuf.format if framebuffer.zsbuf is not None else None),
        alpha=dsa.alpha.func if dsa.alpha.enabled and dsa.alpha.func is not CompareFunc.ALWAYS else None,
        count_samples=state.count_samples,
        count_invocations=state.count_statistics,
        # samples
        samples=samples.pattern,
        per_sample=samples.per_sample,
        at_samples=samples.at_samples,
        to_coverage=samples.to_coverage,
        to_one=state.blend.alpha_to_one and framebuffer.samples > 1,
        # colors
        targets=targets,
        clamp_color=clamps(r.clamp_fragment_color, r, framebuffer),
    )


def write_hiz(hiz: HizTerms, key: FragmentKey, info: FragmentInfo, sample_mask: int) -> None:
    """Write the group `Draw.hiz`, but for the size of the framebuffer."""
    hiz.uses, hiz.slack = hiz_of(key, info), slack_of(key.depth)
    if key.samples is not None and ~sample_mask & key.samples.every:
        hiz.uses &= ~HizUse.LOWER  # samples that are left out keep their depth


def write_fragments(fragments: Fragments, state: DrawState, key: FragmentKey) -> None:
    """Write the group `Draw.fragments`, but for bound values."""
    dsa = state.depth_stencil_alpha
    if key.samples is not None:
        fragments.sample_mask = state.sample_mask & key.samples.every
        if key.samples.is_programmed and state.sample_locations is not None:
            places = placed(state.sample_locations, key.samples.count) - np.float32(0.5)
            fragments.location_x[: key.samples.count], fragments.location_y[: key.samples.count] = places.T.tolist()
    fragments.alpha_ref = dsa.alpha.ref_value
    fragments.depth_bounds[:] = (dsa.depth.bounds_min, dsa.depth.bounds_max)
