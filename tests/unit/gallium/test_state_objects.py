"""Constant state objects, bindings and templates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tgsi import ParseError, ValidationError
from tgsi import gallium as g

KINDS = ("blend", "rasterizer", "depth_stencil_alpha", "sampler")


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "sampler"])
def test_triplets_create_bind_and_destroy(ctx: g.Context, kind: str) -> None:
    handle = getattr(ctx, f"create_{kind}_state")()
    getattr(ctx, f"bind_{kind}_state")(handle)
    assert getattr(ctx.state, kind) is handle.state
    getattr(ctx, f"destroy_{kind}_state")(handle)
    with pytest.raises(ValueError, match="destroyed"):
        getattr(ctx, f"bind_{kind}_state")(handle)
    getattr(ctx, f"bind_{kind}_state")(None)
    assert getattr(ctx.state, kind) == type(handle.state)()


@pytest.mark.parametrize("kind", [*KINDS, "vertex_elements", "vs", "fs", "gs", "tcs", "tes", "compute"])
def test_delete_is_another_name_of_destroy(kind: str) -> None:
    assert getattr(g.Context, f"delete_{kind}_state") is getattr(g.Context, f"destroy_{kind}_state")


def test_equal_states_are_one_state(ctx: g.Context) -> None:
    first, second = ctx.create_rasterizer_state(cull_face="BACK"), ctx.create_rasterizer_state(g.RasterizerState(cull_face=g.Face.BACK))
    assert first is not second
    assert first.state is second.state


def test_handles_of_another_kind_are_refused(ctx: g.Context) -> None:
    with pytest.raises(TypeError, match="bind_blend_state: expected an object from create_blend_state, not a rasterizer object"):
        ctx.bind_blend_state(ctx.create_rasterizer_state())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not BlendState"):
        ctx.bind_blend_state(g.BlendState())  # type: ignore[arg-type]


def test_enumerations_are_taken_by_any_of_their_names(ctx: g.Context) -> None:
    for name in ("INV_SRC_ALPHA", "PIPE_BLENDFACTOR_INV_SRC_ALPHA", 19, g.BlendFactor.INV_SRC_ALPHA):
        blend = ctx.create_blend_state(blend_enable=1, rgb_dst_factor=name).state
        assert blend.rt[0].rgb_dst_factor is g.BlendFactor.INV_SRC_ALPHA
        assert blend.rt[0].blend_enable is True


def test_nested_templates_are_dictionaries(ctx: g.Context) -> None:
    state = ctx.create_depth_stencil_alpha_state(
        depth={"enabled": True, "func": "LESS"}, stencil={"enabled": True, "zpass_op": "INCR"}, alpha={"ref_value": 0.5}
    ).state
    assert state.depth == g.DepthState(enabled=True, func=g.CompareFunc.LESS)
    assert state.stencil == (g.StencilState(enabled=True, zpass_op=g.StencilOp.INCR), g.StencilState())
    assert state.alpha.ref_value == 0.5


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("blend", {"rgb_func": "AD"}, "create_blend_state: rgb_func: 'AD' is not a BlendFunc; did you mean ADD"),
        ("blend", {"rt": [{}] * 9}, "rt: 9 targets, at most 8"),
        ("rasterizer", {"cull_faces": 1}, "has no field cull_faces; did you mean cull_face"),
        ("rasterizer", {"line_width": "wide"}, "line_width: expected a number, not str"),
        ("rasterizer", {"point_size": float("inf")}, "point_size: inf is not a size"),
        ("rasterizer", {"line_width": -1}, "line_width: -1.0 is not a size"),
        ("rasterizer", {"clip_plane_enable": 256}, "clip_plane_enable: 256 is not in 0 .. 255"),
        ("depth_stencil_alpha", {"depth": {"func": 9}}, "depth: func: 9 is not a CompareFunc"),
        ("sampler", {"border_color": (1, 2)}, "border_color: expected 4 values, not 2"),
        ("sampler", {"max_anisotropy": 99}, "max_anisotropy: 99"),
    ],
)
def test_wrong_fields_are_named(ctx: g.Context, kind: str, given: dict[str, object], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        getattr(ctx, f"create_{kind}_state")(**given)


def test_vertex_elements_are_tuples_dictionaries_or_templates(ctx: g.Context) -> None:
    last = g.VertexElement(8, g.Format.R32_UINT, 1, 2)
    made = ctx.create_vertex_elements_state(
        [
            (4, "R32_FLOAT"),
            {"src_offset": 0, "src_format": "PIPE_FORMAT_R8G8_UNORM", "vertex_buffer_index": 3},
            last,
        ]
    )
    assert [(e.src_offset, e.src_format.name, e.vertex_buffer_index, e.instance_divisor) for e in made.state] == [
        (4, "R32_FLOAT", 0, 0), (0, "R8G8_UNORM", 3, 0), (8, "R32_UINT", 1, 2),
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"elements\[0\]: vertex_buffer_index: 32"):
        ctx.create_vertex_elements_state([(0, "R32_FLOAT", 32)])


def test_integer_border_colors_stay_exact(screen: g.Screen, ctx: g.Context) -> None:
    sampler = ctx.create_sampler_state(border_color=(16777217, -1, 0, 1))
    ctx.bind_sampler_states("FRAGMENT", [sampler])
    texture = screen.resource_create(width0=4, height0=4, format="R32G32B32A32_UINT")
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
    bound = ctx.state.fragment.samplers[0]
    assert bound is not None
    assert list(bound.record.border_integers) == [16777217, 0xFFFFFFFF, 0, 1]
    assert np.array(bound.record.border_color, np.uint32).view(np.float32).tolist() == [16777216, -1, 0, 1]


def test_unbound_units_leave_no_trace(screen: g.Screen, ctx: g.Context) -> None:
    view = ctx.create_sampler_view(screen.resource_create(width0=4))
    ctx.set_sampler_views("VERTEX", [view], start=3)
    assert [v is not None for v in ctx.state.vertex.views] == [False, False, False, True]
    ctx.set_sampler_views("VERTEX", [None], start=3)
    assert ctx.state.vertex.views == []
    with pytest.raises(ValueError, match="unit 32 does not exist"):
        ctx.set_sampler_views("VERTEX", [view], start=32)


def test_sampler_view_records_the_levels_and_layers_of_the_view(screen: g.Screen, ctx: g.Context) -> None:
    texture = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=32, height0=16, array_size=5, last_level=4)
    view = ctx.create_sampler_view(texture, first_level=1, last_level=3, first_layer=2, swizzle="bgr1")
    record = view.bound.record
    assert (record.width, record.height, record.depth, record.first_level, record.last_level) == (16, 8, 3, 1, 2)
    for index in range(3):
        level = texture.levels[index + 1]
        assert record.level_offset[index] == level.offset + 2 * level.layer_stride
        assert (record.row_stride[index], record.layer_stride[index]) == (level.row_stride, level.layer_stride)
    assert view.bound.key.swizzle == (g.Swizzle.Z, g.Swizzle.Y, g.Swizzle.X, g.Swizzle.ONE)
    assert record.base == texture.address
    assert record.size == texture.size


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"format": "R8_UNORM"}, "R8_UNORM has 8 bits a pixel"),
        ({"target": "TEXTURE_3D"}, "a TEXTURE_2D resource cannot be viewed as TEXTURE_3D"),
        ({"target": "TEXTURE_CUBE"}, "six layers"),
        ({"first_level": 1}, "first_level: 1 is not in 0 .. 0"),
        ({"swizzle": "xyz"}, "expected four channels, not 3"),
        ({"swizzle": "xyzq"}, "swizzle: 'q'"),
    ],
)
def test_impossible_views_are_refused(screen: g.Screen, ctx: g.Context, given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ctx.create_sampler_view(screen.resource_create(width0=4, height0=4), **given)  # type: ignore[arg-type]


def test_framebuffer_is_as_large_as_its_smallest_target(screen: g.Screen, ctx: g.Context) -> None:
    color, depth = screen.resource_create(width0=40, height0=20), screen.resource_create(width0=30, height0=50, format="Z16_UNORM")
    ctx.set_framebuffer_state(cbufs=[None, color], zsbuf=depth)
    assert (ctx.targets.framebuffer.width, ctx.targets.framebuffer.height) == (30, 20)
    ctx.set_framebuffer_state(g.FramebufferState((color,), None, 8, 8))
    assert (ctx.targets.framebuffer.width, ctx.targets.framebuffer.height) == (8, 8)
    ctx.set_framebuffer_state()
    assert (ctx.targets.framebuffer.width, ctx.targets.framebuffer.cbufs) == (0, ())


def test_wrong_targets_are_refused(screen: g.Screen, ctx: g.Context) -> None:
    color, depth = screen.resource_create(width0=4), screen.resource_create(width0=4, format="Z16_UNORM")
    with pytest.raises(ValueError, match=r"cbufs\[0\]: Z16_UNORM is not a color format"):
        ctx.set_framebuffer_state(cbufs=[depth])
    with pytest.raises(ValueError, match="zsbuf: R8G8B8A8_UNORM is not a depth"):
        ctx.set_framebuffer_state(zsbuf=color)
    with pytest.raises(ValueError, match="not made with bind RENDER_TARGET"):
        ctx.set_framebuffer_state(cbufs=[screen.resource_create(width0=4, bind="SAMPLER_VIEW")])
    with pytest.raises(ValueError, match=r"width: 5 is not in 0 \.\. 4"):
        ctx.set_framebuffer_state(cbufs=[color], width=5)


def test_constant_buffers_are_checked(screen: g.Screen, ctx: g.Context) -> None:
    ctx.set_constant_buffer("FRAGMENT", np.arange(8, dtype=np.float32), index=2, offset=16)
    assert [m.size if m else None for m in ctx.state.fragment.constants] == [None, None, 16]
    ctx.set_constant_buffer("FRAGMENT", None, index=2)
    assert ctx.state.fragment.constants == []
    for given, message in (
        ({"index": 16}, "index: 16 is not in 0 .. 15"),
        ({"offset": 3}, "offset: 3 is not a multiple of 4"),
        ({"offset": 40}, "offset: 40 is after the end"),
        ({"size": 33}, "size: 33"),
    ):
        with pytest.raises(ValueError, match=message):
            ctx.set_constant_buffer("FRAGMENT", bytes(32), **given)
    with pytest.raises(TypeError, match="expected bytes or an array, not list"):
        ctx.set_constant_buffer("FRAGMENT", [1.0])


def test_small_states_are_checked(ctx: g.Context) -> None:
    ctx.set_scissor_states([{"minx": 1, "maxx": 5}], start=1)
    assert [s.maxx for s in ctx.state.scissors] == [0, 5]
    ctx.set_stencil_ref(3)
    assert ctx.state.stencil_ref == (3, 3)
    ctx.set_blend_color((1, 0.5, 0, 1))
    assert ctx.state.blend_color == (1.0, 0.5, 0.0, 1.0)
    ctx.set_polygon_stipple([1] * 32)
    ctx.set_clip_state([(1, 0, 0, 0)])
    assert ctx.state.clip_planes == ((1.0, 0.0, 0.0, 0.0),)
    ctx.set_sample_mask(1)
    ctx.set_min_samples(1)
    ctx.set_tess_state((1, 1, 1, 1))
    calls: tuple[Callable[[], None], ...] = (
        lambda: ctx.set_scissor_states([{"minx": -1}]),
        lambda: ctx.set_stencil_ref((1, 256)),
        lambda: ctx.set_blend_color((1, 2)),
        lambda: ctx.set_polygon_stipple([1] * 31),
        lambda: ctx.set_clip_state([(0, 0, 0, 0)] * 9),
        lambda: ctx.set_viewport_states([{}] * 17),
    )
    for call in calls:
        with pytest.raises(ValueError, match="set_"):
            call()


def test_shaders_are_parsed_and_validated_when_they_are_made(ctx: g.Context) -> None:
    with pytest.raises(ParseError, match="MOO"):
        ctx.create_vs_state("VERT\nDCL OUT[0], POSITION\nMOO OUT[0], OUT[0]\nEND\n")
    with pytest.raises(ValidationError):
        ctx.create_vs_state("VERT\nDCL OUT[0], POSITION\nMOV OUT[0], TEMP[3]\nEND\n")
    with pytest.raises(ValueError, match="expected a VERT program, not FRAG"):
        ctx.create_vs_state("FRAG\nEND\n")
    with pytest.raises(TypeError, match="expected a Program, a text of TGSI or GLSL, or a SPIR-V module, not int"):
        ctx.create_fs_state(1)  # type: ignore[arg-type]
    shader = ctx.create_fs_state("FRAG\nEND\n")
    with pytest.raises(ValueError, match="expected a VERT shader"):
        ctx.bind_vs_state(shader)
    ctx.destroy_fs_state(shader)
    with pytest.raises(ValueError, match="destroyed"):
        ctx.bind_fs_state(shader)
