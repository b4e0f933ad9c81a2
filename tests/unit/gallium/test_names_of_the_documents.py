"""Names of fields that Gallium's documents use: each is taken where the documents have it, beside our own shorter ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.gallium.compute_cases import ADD_ONE
from tgsi import gallium as g

pytestmark = pytest.mark.light
SUM = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SVIEW[0], BUFFER, UINT
DCL SAMP[0]
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 4, 8, 12}
IMM[1] UINT32 {0, 0, 0, 0}
TXF TEMP[0], IMM[1], SAMP[0], BUFFER
TXQ TEMP[1].x, IMM[1], SAMP[0], BUFFER
STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0].xxxx
STORE BUFFER[0].x, IMM[0].yyyy, TEMP[0].yyyy
STORE BUFFER[0].x, IMM[0].zzzz, TEMP[1].xxxx
END
"""


def words_of(ctx: g.Context, view: g.SamplerView) -> list[int]:
    """The first texel of a view of a buffer, two channels, and the number of texels."""
    found = ctx.screen.resource_create(target="BUFFER", width0=12)
    ctx.bind_compute_state(ctx.create_compute_state(SUM))
    ctx.bind_sampler_states("COMPUTE", [ctx.create_sampler_state()])
    ctx.set_sampler_views("COMPUTE", [view])
    ctx.set_shader_buffers("COMPUTE", [found])
    ctx.launch_grid(block=(1, 1, 1))
    return [int(word) for word in np.frombuffer(found.tobytes(), np.uint32)]


def numbers(ctx: g.Context, count: int = 8) -> g.Resource:
    made = ctx.screen.resource_create(target="BUFFER", width0=4 * count)
    ctx.buffer_subdata(made, np.arange(10, 10 + count, dtype=np.uint32))
    return made


@pytest.mark.parametrize(
    ("given", "texel", "count"),
    [
        ({}, 10, 8),
        ({"first_element": 2}, 12, 6),
        ({"last_element": 2}, 10, 3),
        ({"first_element": 3, "last_element": 5}, 13, 3),
        ({"offset": 12, "size": 12}, 13, 3),
    ],
)
def test_views_of_buffers_have_ranges_of_elements_or_of_bytes(ctx: g.Context, given: dict[str, Any], texel: int, count: int) -> None:
    view = ctx.create_sampler_view(numbers(ctx), format="R32_UINT", **given)
    assert words_of(ctx, view) == [texel, 0, count]


def test_swizzles_are_taken_one_by_one(ctx: g.Context) -> None:
    buffer = numbers(ctx)
    cases: list[tuple[dict[str, Any], tuple[int, int]]] = [
        ({"swizzle_r": "ONE"}, (1, 0)),
        ({"swizzle_g": g.Swizzle.X}, (10, 10)),
        ({"swizzle_r": "0", "swizzle_g": "x", "swizzle_b": "z", "swizzle_a": 5}, (0, 10)),
        ({"swizzle": "xxxx", "swizzle_r": "PIPE_SWIZZLE_0"}, (0, 10)),
    ]
    for given, expected in cases:
        assert words_of(ctx, ctx.create_sampler_view(buffer, format="R32_UINT", **given))[:2] == list(expected)
    with pytest.raises(ValueError, match="create_sampler_view: swizzle"):
        ctx.create_sampler_view(buffer, format="R32_UINT", swizzle_b="q")


def test_wrong_elements_are_named(ctx: g.Context) -> None:
    buffer, texture = numbers(ctx), ctx.screen.resource_create(width0=4, height0=4)
    for resource, given, error, message in [
        (buffer, {"first_element": 8}, ValueError, "create_sampler_view: first_element: 8"),
        (buffer, {"first_element": 3, "last_element": 2}, ValueError, "create_sampler_view: last_element: 2"),
        (buffer, {"last_element": 8}, ValueError, "create_sampler_view: last_element: 8"),
        (buffer, {"first_element": 1, "offset": 4}, TypeError, "give a range of elements or one of bytes, not both"),
        (texture, {"first_element": 0}, ValueError, "first_element, last_element: the texture is not a buffer"),
    ]:
        settings: dict[str, Any] = {**given, "format": "R32_UINT"}
        with pytest.raises(error, match=message):
            ctx.create_sampler_view(resource, **settings)


def test_shader_resources_may_name_elements_and_say_whether_they_are_written(ctx: g.Context) -> None:
    buffer, texture = numbers(ctx), ctx.screen.resource_create(width0=4, height0=4)
    ctx.set_shader_images("COMPUTE", [{"resource": buffer, "format": "R32_UINT", "first_element": 1, "last_element": 2, "writable": False}])
    ctx.set_compute_resources([{"buffer": buffer, "writable": True}, ctx.create_surface(texture, writable=True)])
    ctx.set_shader_resources([g.ShaderBuffer(buffer, writable=False), ctx.create_surface(texture, writable=False)])
    assert not ctx.create_surface(texture, writable=False).writable
    ctx.bind_compute_state(ctx.create_compute_state(ADD_ONE))
    ctx.set_shader_buffers("COMPUTE", [{"buffer": buffer, "writable": True}])
    ctx.launch_grid(block=(4, 1, 1))
    with pytest.raises(ValueError, match=r"set_shader_images: images\[0\]: last_element: 8"):
        ctx.set_shader_images("COMPUTE", [{"resource": buffer, "format": "R32_UINT", "last_element": 8}])
    with pytest.raises(TypeError, match="create_surface: writable"):
        ctx.create_surface(texture, writable=np.zeros(2))  # type: ignore[arg-type]


def test_samples_that_are_stored_are_all_samples(screen: g.Screen) -> None:
    given: dict[str, Any] = {"width0": 4, "height0": 4, "nr_samples": 4}
    for stored in (0, 4):
        assert screen.can_create_resource(**given, nr_storage_samples=stored)
        assert screen.resource_create(**given, nr_storage_samples=stored).nr_storage_samples == stored
    for stored, relation in ((1, "fewer"), (2, "fewer"), (8, "more")):
        assert not screen.can_create_resource(**given, nr_storage_samples=stored)
        assert not screen.can_create_resource(g.Template(**given, nr_storage_samples=stored))
        with pytest.raises(ValueError, match=f"nr_storage_samples: {stored} are {relation} than the 4 samples"):
            screen.resource_create(**given, nr_storage_samples=stored)


def test_a_screen_answers_for_fields_as_it_does_for_templates(screen: g.Screen) -> None:
    assert screen.can_create_resource(width0=4, height0=4, format="R8G8B8A8_UNORM", bind="RENDER_TARGET")
    assert not screen.can_create_resource(width0=1 << 20)
    assert not screen.can_create_resource(format="Z32_FLOAT", bind="RENDER_TARGET")
    assert screen.can_create_resource(target="TEXTURE_CUBE", width0=4, height0=4)
    with pytest.raises(TypeError, match="can_create_resource: no resource has a field width"):
        screen.can_create_resource(width=4)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="give a template or its fields"):
        screen.can_create_resource(g.Template(width0=4), width0=4)
