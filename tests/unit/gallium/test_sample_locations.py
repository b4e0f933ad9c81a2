"""set_sample_locations: draws use the places that it sets as they use the standard ones (p_context.h, ARB_sample_locations)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.run.textures import STANDARD_POSITIONS
from tests.texts import VS_POSITION
from tests.unit.gallium.test_multisampled import SIZE, SLANTED, WHOLE, Bench
from tests.unit.gallium.test_sample_planes import CASES, planes, vertices
from tgsi import gallium as g

pytestmark = pytest.mark.light


def packed(places: Any) -> bytes:
    """Places in sixteenths of a pixel as the bytes of set_sample_locations."""
    return bytes(int(x) | int(y) << 4 for x, y in places)


def places(count: int, seed: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    found = [(int(x), int(y)) for x, y in rng.integers(0, 16, (count, 2))]
    return [(0, 0), (15, 15), *found[2:]] if count > 2 else found  # corners of the pixel


@pytest.mark.parametrize("samples", [2, 16])
@pytest.mark.parametrize("name", CASES)
def test_the_standard_places_give_the_same_bytes(screen: g.Screen, name: str, samples: int) -> None:
    data = vertices(20.0)
    given = CASES[name] | {"locations": packed(STANDARD_POSITIONS[samples])}
    assert planes(screen, samples, given, data, (0.0, 0.0)) == planes(screen, samples, CASES[name], data, (0.0, 0.0))


@pytest.mark.parametrize(("samples", "size"), [(1, 90.0), (1, 6.0), (4, 6.0), (8, 90.0)])
@pytest.mark.parametrize("name", ["plain", "blended bytes", "16-bit depth, kills", "stencil and depth", "scissor and stipple"])
def test_a_sample_is_a_pixel_that_lies_elsewhere(screen: g.Screen, name: str, samples: int, size: float) -> None:
    data, chosen = vertices(size), places(samples, 8 * samples)
    case = CASES[name] | {"locations": packed(chosen)}
    case["rasterizer"] = {"multisample": True} | CASES[name].get("rasterizer", {})
    found = planes(screen, samples, case, data, (0.0, 0.0))
    for k, (x, y) in enumerate(chosen):
        (expected,) = planes(screen, 1, CASES[name], data, ((8 - x) / 16, (8 - y) / 16))
        assert found[k] == expected, f"sample {k} of {samples}"


@pytest.mark.parametrize("samples", [1, 4])
def test_programs_see_the_places(screen: g.Screen, samples: int) -> None:
    chosen = places(samples, 3)
    bench = Bench(screen, samples, "R32G32B32A32_FLOAT")
    bench.ctx.bind_rasterizer_state(bench.ctx.create_rasterizer_state(multisample=True))
    bench.ctx.set_sample_locations(packed(chosen))
    bench.draw("DCL SV[0], SAMPLEID\nDCL SV[1], SAMPLEPOS\nDCL OUT[0], COLOR\nI2F OUT[0].x, SV[0].xxxx\nMOV OUT[0].yz, SV[1].xxyy\n")
    for k, plane in enumerate(bench.planes()):
        assert (plane.view("f4")[..., :3] == (k, chosen[k][0] / 16, chosen[k][1] / 16)).all()


def test_inputs_at_samples_are_those_of_the_places(screen: g.Screen) -> None:
    chosen = places(4, 5)
    columns, rows = np.meshgrid(np.arange(SIZE), np.arange(SIZE))
    bench = Bench(screen, 4, "R32G32B32A32_FLOAT")
    bench.ctx.set_sample_locations(packed(chosen))
    sampled = "DCL IN[0], GENERIC[0], LINEAR, SAMPLE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\n"
    asked = "DCL IN[0], GENERIC[0], LINEAR\nDCL SV[0], SAMPLEID\nDCL OUT[0], COLOR\nINTERP_SAMPLE OUT[0], IN[0], SV[0].xxxx\n"
    for text in (sampled, asked):
        bench.draw(text, WHOLE)
        for plane, (x, y) in zip(bench.planes(), chosen):
            found = (plane.view("f4")[..., :2] + 1) * (SIZE / 2)
            np.testing.assert_allclose(found, np.stack([columns + x / 16, rows + y / 16], -1), atol=1e-4)


def test_centroids_and_depth_are_those_of_the_places(screen: g.Screen) -> None:
    declared = "DCL IN[0], GENERIC[0], LINEAR, CENTROID\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\n"
    chosen = [(15, 3), (2, 2), (0, 15), (9, 14)]
    bench = Bench(screen, 4, "R32G32B32A32_FLOAT", "Z32_FLOAT")
    assert bench.depth is not None
    depth = {"enabled": True, "writemask": True, "func": "ALWAYS"}
    bench.ctx.bind_depth_stencil_alpha_state(bench.ctx.create_depth_stencil_alpha_state(depth=depth))
    bench.ctx.set_sample_locations(packed(chosen))
    bench.ctx.clear("COLOR0|DEPTH", color=(9, 9, 9, 9), depth=1.0)
    sloped = SLANTED.copy()
    sloped[:, 2] = sloped[:, 0] * 0.25
    bench.draw(declared, sloped)
    values, depths = np.stack([p.view("f4")[..., :2] for p in bench.planes()]), np.stack([p.view("f4") for p in bench.planes(bench.depth)])
    there = values[..., 0] != 9
    columns, rows = np.meshgrid(np.arange(SIZE), np.arange(SIZE))
    first = np.argmax(there, axis=0)
    some, all_ = there.any(axis=0), there.all(axis=0)
    assert (some & ~all_).any()
    assert all_.any()
    offsets = np.where(all_[..., None], 8, np.array(chosen)[first]) / 16
    expected = np.stack([columns + offsets[..., 0], rows + offsets[..., 1]], -1)
    for k in range(4):
        np.testing.assert_allclose((values[k][there[k]] + 1) * (SIZE / 2), expected[there[k]], atol=1e-4)
        at_x = (columns + chosen[k][0] / 16) * 2 / SIZE - 1
        np.testing.assert_allclose(depths[k][..., 0][there[k]], (at_x * 0.125 + 0.5)[there[k]], atol=1e-6)


def test_queries_of_the_standard_places_stay(screen: g.Screen) -> None:
    with screen.context_create() as ctx:
        ctx.set_sample_locations(bytes(4))
        assert [ctx.get_sample_position(4, k) for k in range(4)] == [(x / 16, y / 16) for x, y in STANDARD_POSITIONS[4]]
    assert screen.get_param("PROGRAMMABLE_SAMPLE_LOCATIONS") == 1
    assert screen.get_sample_pixel_grid(4) == (1, 1)


@pytest.mark.parametrize("samples", [1, 4])
def test_without_multisample_rules_every_sample_is_the_center(screen: g.Screen, samples: int) -> None:
    case: dict[str, Any] = {"rasterizer": {"multisample": False}}
    data = vertices(20.0)
    found = planes(screen, samples, case | {"locations": packed(places(samples, 7))}, data, (0.0, 0.0))
    assert found == planes(screen, samples, case, data, (0.0, 0.0))


def test_samples_without_a_byte_lie_at_the_center_and_nothing_means_the_standard_places(screen: g.Screen) -> None:
    data, case = vertices(20.0), CASES["depth"]
    short, whole = packed([(3, 4)]), packed([(3, 4), (8, 8), (8, 8), (8, 8)])
    found, wanted, standard, empty = (
        planes(screen, 4, case | {"locations": locations}, data, (0.0, 0.0)) for locations in (short, list(whole), None, b"")
    )
    assert found == wanted
    assert found != standard
    assert standard == empty


def test_draws_that_come_again_take_new_places(screen: g.Screen) -> None:
    """Known combinations run in generated code, which must not reuse the places of an earlier draw."""
    with screen.context_create() as ctx:
        color = screen.resource_create(width0=16, height0=16, nr_samples=4, bind="RENDER_TARGET")
        ctx.set_framebuffer_state(cbufs=[color])
        ctx.set_viewport_states([{"scale": (8, 8, 0.5), "translate": (8, 8, 0.5)}])
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(multisample=True))
        ctx.bind_vs_state(ctx.create_vs_state(VS_POSITION))
        ctx.bind_fs_state(ctx.create_fs_state("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n"))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT")]))
        ctx.set_vertex_buffers([np.array([[-1, -1], [0.06, -1], [-1, 1], [0.06, -1], [-1, 1], [0.06, 1]], np.float32)])
        edge = 8.48  # pixels
        for x in (3, 9, 3, 7, 12, 9):
            ctx.set_sample_locations(packed([(x, 2), (x - 3, 5), (x + 3, 9), (8, 8)]))
            ctx.clear("COLOR0")
            ctx.draw_vbo(mode="TRIANGLES", count=6)
            ctx.flush()
            found = [bool(color.blocks(0, k)[0][4, 8, 0]) for k in range(4)]
            assert found == [8 + v / 16 < edge for v in (x, x - 3, x + 3, 8)]


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        (b"12345678123456789", ValueError, r"locations: 17 are too many"),
        ([3, 256], ValueError, r"locations\[1\]"),
        (7, TypeError, "set_sample_locations: locations"),
    ],
)
def test_bad_places_are_refused_by_name(screen: g.Screen, given: Any, error: type[Exception], match: str) -> None:
    with screen.context_create() as ctx, pytest.raises(error, match=match):
        ctx.set_sample_locations(given)
