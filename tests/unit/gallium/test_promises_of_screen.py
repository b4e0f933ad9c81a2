"""Sentences of screen.rst about methods of a screen, each held by a test of its own."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from tests.unit.picture import screen
from tgsi import UnsupportedError
from tgsi import gallium as g

pytestmark = pytest.mark.light


def test_sample_counts_of_0_and_1_are_the_same() -> None:
    for count in (0, 1):
        assert screen().is_format_supported("R8G8B8A8_UNORM", sample_count=count, storage_sample_count=count, bind="RENDER_TARGET")
        assert screen().resource_create(width0=4, nr_samples=count).samples == 1
    for given in ({"sample_count": 33}, {"sample_count": 4, "storage_sample_count": 33}):
        with pytest.raises(ValueError, match=r"is_format_supported: \w+: 33"):
            screen().is_format_supported("R8G8B8A8_UNORM", **given)
    assert not screen().is_format_supported("R8G8B8A8_UNORM", sample_count=4, storage_sample_count=8, bind="RENDER_TARGET")


def test_a_resource_tells_its_uses() -> None:
    made = screen().resource_create(width0=4, height0=4, bind="SAMPLER_VIEW|RENDER_TARGET")
    assert screen().check_resource_capability(made, "SAMPLER_VIEW")
    assert screen().check_resource_capability(made, "SAMPLER_VIEW|RENDER_TARGET")
    assert not screen().check_resource_capability(made, "SHADER_IMAGE")


def test_other_ways_to_make_a_resource_make_the_same() -> None:
    template = g.Template(width0=4, height0=2, format=g.Format.R8_UNORM, bind=g.Bind.RENDER_TARGET)
    plain = screen().resource_create(template)
    for made in (screen().resource_create_front(template), screen().resource_create_with_modifiers(template, [0])):
        assert (made.width0, made.height0, made.format, made.bind) == (plain.width0, plain.height0, plain.format, plain.bind)
    with pytest.raises(ValueError, match="modifiers: only 0"):
        screen().resource_create_with_modifiers(template, [7])


@pytest.mark.parametrize("bind", ["DISPLAY_TARGET", "SCANOUT"])
def test_what_is_shown_has_the_bind_flag_for_it(bind: str) -> None:
    screen().flush_frontbuffer(screen().resource_create(width0=4, height0=4, bind=bind))
    with pytest.raises(ValueError, match="flush_frontbuffer: resource: it was not made with bind DISPLAY_TARGET"):
        screen().flush_frontbuffer(screen().resource_create(width0=4, height0=4, bind="SAMPLER_VIEW"))


TARGETS = list(g.TextureTarget)
COUNTS = (0, 2, 4)


def is_created(**given: Any) -> bool:
    try:
        screen().resource_create(g.Template(**given))
    except (ValueError, UnsupportedError):
        return False
    return True


@pytest.mark.parametrize("bind", [g.Bind.SAMPLER_VIEW, g.Bind.RENDER_TARGET, g.Bind.DEPTH_STENCIL, g.Bind.BLENDABLE, g.Bind.SHADER_IMAGE])
def test_resources_are_created_as_the_screen_says(bind: g.Bind) -> None:
    for format in g.Format:
        for target in TARGETS:
            size = 1 if "1D" in target.name or target is g.TextureTarget.BUFFER else 4
            layers = 6 if "CUBE" in target.name else 1
            for count in COUNTS:
                given: dict[str, Any] = {
                    "width0": 4,
                    "height0": size,
                    "array_size": layers,
                    "target": target,
                    "format": format,
                    "nr_samples": count,
                }
                created = is_created(**given, bind=bind)
                assert screen().can_create_resource(g.Template(**given, bind=bind)) is created, given
                assert screen().is_format_supported(format, target=target, sample_count=count, bind=bind) is created, given


def test_queries_of_the_driver_have_no_groups() -> None:
    assert screen().get_driver_query_group_info() == 0
    assert screen().get_driver_query_group_info(0) is None


def test_a_pattern_of_samples_has_a_size() -> None:
    for count in (0, 1, 2, 4, 8, 16):
        width, height = screen().get_sample_pixel_grid(count)
        assert width >= 1
        assert height >= 1


def test_a_fence_is_its_own_reference_and_has_no_descriptor(ctx: g.Context) -> None:
    fence = ctx.flush("FENCE_FD")
    assert screen().fence_reference(fence) is fence
    assert screen().fence_reference(None) is None
    assert screen().fence_get_fd(fence) == -1
    with pytest.raises(UnsupportedError, match="create_fence_fd"):
        ctx.create_fence_fd(0)


def test_a_clear_names_its_color_targets(ctx: g.Context) -> None:
    targets = [screen().resource_create(width0=2, height0=2, format="R32_FLOAT") for _ in range(8)]
    for named, expected in (("COLOR0", {0}), ("COLOR7", {7}), ("COLOR0|COLOR7", {0, 7}), ("COLOR", set(range(8)))):
        ctx.set_framebuffer_state(cbufs=targets)
        ctx.clear("COLOR", color=(0, 0, 0, 0))
        ctx.clear(named, color=(1, 0, 0, 0))
        ctx.flush()
        assert {k for k, target in enumerate(targets) if target.texels().all()} == expected


def test_threads_make_and_end_resources_of_one_screen() -> None:
    errors: list[BaseException] = []
    with g.Screen(threads=0) as shared:
        target = shared.resource_create(width0=64, height0=64)
        before = shared.query_memory_info()["used_bytes"]

        def work() -> None:
            try:
                for size in range(1, 60):
                    made = shared.resource_create(width0=size, height0=size)
                    assert shared.can_create_resource(g.Template(width0=size))
                    assert shared.is_format_supported("R8G8B8A8_UNORM")
                    assert shared.get_param("MAX_RENDER_TARGETS") == 8
                    shared.resource_destroy(made)
            except BaseException as error:
                errors.append(error)

        with shared.context_create() as ctx:
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for value in range(50):
                ctx.clear_render_target(target, color=(value / 255, 0, 0, 0))
                ctx.flush()
            for thread in threads:
                thread.join()
            found: Any = np.asarray(target.texels())
            assert (found[..., 0] == 49).all()
        assert shared.query_memory_info()["used_bytes"] == before
    assert errors == []
