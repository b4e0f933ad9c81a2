"""Fragment state of a draw: facts of tests and color buffers, and the key of its shading kernel."""

from __future__ import annotations

from backends.device.environment import StageKeys
from backends.device.framebuffer import FramebufferKind
from backends.pipe.enums import CompareFunc
from backends.pipe.limits import MAX_COLOR_BUFFERS
from backends.pipe.state import BlendState, DepthStencilAlphaState
from backends.raster.draw.facts import Targets, Tests, TileRules, TileSlots, Windows, Writes
from backends.raster.draw.sample_state import SampleKey
from backends.raster.draw_record import Fragments, HizTerms
from backends.raster.layouts import HizUse
from backends.raster.tile.buffer_keys import DepthKey, target_keys
from backends.raster.tile.coarse import hiz_of, slack_of
from backends.raster.tile.fragment import FragmentInfo, FragmentKey


def tests_of(dsa: DepthStencilAlphaState, kind: FramebufferKind) -> Tests:
    """The tests of a draw, without those that have no effect."""
    return Tests(DepthKey.of(dsa, kind.depth), dsa.alpha.func if dsa.alpha.enabled and dsa.alpha.func is not CompareFunc.ALWAYS else None)


def writes_of(info: FragmentInfo) -> Writes:
    """The colors that a fragment shader writes and reads."""
    return Writes(sum(info.writes(k) << k for k in range(MAX_COLOR_BUFFERS)), info.fetches)


def targets_of(blend: BlendState, kind: FramebufferKind, writes: Writes) -> Targets:
    """The color buffers of a draw."""
    has_samples = kind.samples > 1
    return Targets(
        target_keys(blend, kind.formats, lambda k: bool(writes.written >> k & 1)),
        tuple((k, format) for k, format in enumerate(kind.formats) if k in writes.fetched and format is not None),
        blend.alpha_to_coverage and has_samples,
        blend.alpha_to_one and has_samples,
    )


def fragment_key(
    rules: TileRules,
    slots: TileSlots,
    samples: SampleKey,
    bound: StageKeys,
    windows: Windows,
    tests: Tests,
    targets: Targets,
    *,
    lanes: int,
    is_few: bool,
    count_samples: bool,
    count_invocations: bool,
) -> FragmentKey:
    """The key of a draw's shading kernel: the bound state that affects the code."""
    textures, samplers, images = bound
    return FragmentKey(
        lanes=lanes,
        quads=not is_few,
        # inputs
        flatshade=slots.flatshade,
        sprites=slots.sprites,
        constants=slots.constants,
        textures=textures,
        samplers=samplers,
        images=images,
        fetched=targets.fetched,
        # primitives
        layered=slots.has_layer,
        views=slots.has_viewport,
        marks=rules.marks,
        stipple=rules.stipple,
        windows=windows,
        # tests
        depth=tests.depth,
        is_offset=rules.is_offset,
        alpha=tests.alpha,
        count_samples=count_samples,
        count_invocations=count_invocations,
        # samples
        samples=samples.pattern,
        per_sample=samples.per_sample,
        at_samples=samples.at_samples,
        to_coverage=samples.to_coverage,
        ignores_mask=samples.ignores_mask,
        to_one=targets.to_one,
        # colors
        targets=targets.keys,
        clamp_color=rules.clamps_color,
    )


def write_hiz(hiz: HizTerms, key: FragmentKey, info: FragmentInfo, rules: TileRules) -> None:
    """Write the group `Draw.hiz`, except the size of the framebuffer."""
    hiz.uses, hiz.slack = hiz_of(key, info), slack_of(key.depth)
    if rules.drops_samples:
        hiz.uses &= ~HizUse.LOWER  # samples outside of the mask keep their depth


def write_tests(fragments: Fragments, dsa: DepthStencilAlphaState) -> None:
    """Write the values of tests in the group `Draw.fragments`."""
    fragments.alpha_ref = dsa.alpha.ref_value
    fragments.depth_bounds[:] = (dsa.depth.bounds_min, dsa.depth.bounds_max)
