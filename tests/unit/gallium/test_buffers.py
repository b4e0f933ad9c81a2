"""Buffers as textures and constants, and calls that fill resources while draws that use the resources are pending."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.gallium.test_draw_memory import SIZE, Stage
from tgsi import gallium as g

pytestmark = pytest.mark.light

TEXEL = """FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], BUFFER, {kind}
DCL CONST[0]
DCL TEMP[0]
F2I TEMP[0].x, IN[0].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, CONST[0].xxxx
TXF OUT[0], TEMP[0], SAMP[0], BUFFER
END
"""


@pytest.fixture
def stage(screen: g.Screen, ctx: g.Context) -> Stage:
    found = Stage(screen, ctx)
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
    return found


def row(stage: Stage, format: str, text: str) -> NDArray[Any]:
    """First row of a fragment shader's picture in a target of a format."""
    target = stage.screen.resource_create(format=format, width0=SIZE, height0=SIZE)
    stage.ctx.set_framebuffer_state(cbufs=[target])
    stage.fragment(text)
    stage.cover()
    found: NDArray[Any] = stage.pixels(target)[0]
    return found


@pytest.mark.parametrize(
    ("format", "element", "count", "offset"),
    [("R32G32B32A32_FLOAT", "f4", 4, 0), ("R32G32B32_FLOAT", "f4", 3, 4), ("R16G16_FLOAT", "f2", 2, 6), ("R32_FLOAT", "f4", 1, 1)],
)
def test_buffer_views_begin_and_end_where_they_say(stage: Stage, format: str, element: str, count: int, offset: int) -> None:
    """Offsets need no alignment. Reads outside of the view return 0, even where the buffer has data."""
    ctx, texels = stage.ctx, 20
    values = np.random.default_rng(2).uniform(-4, 4, (texels + 8, count)).astype(element)
    raw = np.concatenate([np.full(offset, 255, np.uint8), values.view(np.uint8).reshape(-1)])
    view = ctx.create_sampler_view(stage.buffer(raw), format=format, offset=offset, size=texels * values[0].nbytes)
    ctx.set_sampler_views("FRAGMENT", [view])
    for first in (0, -3, 15):
        ctx.set_constant_buffer("FRAGMENT", np.array([first, 0, 0, 0], np.int32))
        found = row(stage, "R32G32B32A32_FLOAT", TEXEL.format(kind="FLOAT"))
        for x in (0, 1, 2, 3, 4, 5, 19, 20, 21, 100):
            k = first + x
            wanted = [*values[k].astype("f4"), 0, 0, 0, 1][:count] + [0, 0, 0, 1][count:] if 0 <= k < texels else None
            if wanted is None:
                assert not found[x][:3].any(), (first, x)
            else:
                assert found[x].tolist() == wanted, (first, x)


def test_integer_buffer_views_swizzle(stage: Stage) -> None:
    values = np.arange(64, dtype="u1")
    view = stage.ctx.create_sampler_view(stage.buffer(values), format="R8G8_UINT", swizzle="y1x0", offset=2)
    stage.ctx.set_sampler_views("FRAGMENT", [view])
    stage.ctx.set_constant_buffer("FRAGMENT", np.zeros(4, np.int32))
    found = row(stage, "R32G32B32A32_UINT", TEXEL.format(kind="UINT").replace("DCL OUT[0], COLOR", "DCL OUT[0], COLOR[0]"))
    assert found[5].tolist() == [13, 1, 12, 0]


def test_a_buffer_view_knows_its_size_and_reads_its_last_texel(stage: Stage) -> None:
    count = (1 << 20) + 3
    assert stage.screen.get_param("MAX_TEXTURE_BUFFER_SIZE") >= count
    values = np.zeros(count, "f4")
    values[-1] = 7
    stage.ctx.set_sampler_views("FRAGMENT", [stage.ctx.create_sampler_view(stage.buffer(values), format="R32_FLOAT")])
    found = row(
        stage,
        "R32G32B32A32_FLOAT",
        "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], BUFFER, FLOAT\nDCL TEMP[0..2]\nIMM[0] INT32 {0, -1, 0, 0}\n"
        "TXQ TEMP[0].x, IMM[0].xxxx, SAMP[0], BUFFER\nUADD TEMP[1].x, TEMP[0].xxxx, IMM[0].yyyy\nTXF TEMP[2], TEMP[1], SAMP[0], BUFFER\n"
        "MOV OUT[0].x, TEMP[2].xxxx\nU2F OUT[0].yzw, TEMP[0].xxxx\nEND\n",
    )
    assert found[0].tolist() == [7, count, count, count]


# -- constants ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("offset", [0, 4, 12, 20, 256])
@pytest.mark.parametrize("as_resource", [False, True])
def test_constants_begin_at_any_word_and_end_with_zeros(stage: Stage, offset: int, as_resource: bool) -> None:
    values = np.arange(100, dtype="f4")
    given: Any = stage.buffer(values) if as_resource else values
    stage.ctx.set_constant_buffer("FRAGMENT", given, index=15, offset=offset, size=24)
    text = "FRAG\nDCL CONST[15][0..2]\nDCL OUT[0], COLOR\nDCL TEMP[0]\nADD TEMP[0], CONST[15][0], CONST[15][1]\n"
    text += "ADD OUT[0], TEMP[0], CONST[15][2]\nEND\n"
    first = offset // 4
    wanted = values[first : first + 4] + [*values[first + 4 : first + 6], 0, 0]
    assert row(stage, "R32G32B32A32_FLOAT", text)[3].tolist() == wanted.tolist()


INDEXED = """{head}
DCL CONST[0][0]
DCL CONST[1][0..3]
DCL CONST[2][0..3]
DCL CONST[3][0..3]
DCL ADDR[0]
DCL TEMP[0]
{declarations}
UARL ADDR[0].xy, CONST[0][0]
MOV {to}, CONST[ADDR[0].x][ADDR[0].y]
{tail}
END
"""


@pytest.mark.parametrize("stage_name", ["VERTEX", "FRAGMENT"])
@pytest.mark.parametrize("place", [(1, 0), (2, 3), (3, 1), (3, 500), (7, 0), (200, 0), (-1, -1)])
def test_constants_of_any_buffer_at_any_index(stage: Stage, stage_name: str, place: tuple[int, int]) -> None:
    """Reads outside of the bound range return 0."""
    ctx = stage.ctx
    ctx.set_constant_buffer(stage_name, np.array([*place, 0, 0], np.int32))
    tables = {k: np.random.default_rng(k).uniform(1, 2, (4, 4)).astype("f4") for k in (1, 2, 3)}
    for k, table in tables.items():
        ctx.set_constant_buffer(stage_name, table, index=k)
    if stage_name == "VERTEX":
        declarations = "DCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]"
        text = INDEXED.format(head="VERT", declarations=declarations, to="OUT[1]", tail="MOV OUT[0], IN[0]")
        ctx.bind_vs_state(ctx.create_vs_state(text))
        text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    else:
        text = INDEXED.format(head="FRAG", declarations="DCL OUT[0], COLOR", to="OUT[0]", tail="")
    buffer, index = place
    wanted = tables[buffer][index] if buffer in tables and 0 <= index < 4 else np.zeros(4)
    assert row(stage, "R32G32B32A32_FLOAT", text)[0].tolist() == wanted.tolist()


def test_constant_buffers_are_loaded_by_byte_addresses(stage: Stage) -> None:
    """LOAD_CONSTBUF returns 0 after the end of the buffer, and RESQ returns the size."""
    assert stage.screen.get_param("LOAD_CONSTBUF") == 1
    stage.ctx.set_constant_buffer("FRAGMENT", stage.buffer(np.arange(100, dtype="u4")), index=3, offset=40, size=24)
    text = (
        "FRAG\nDCL CONSTBUF[3]\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\nIMM[0] UINT32 {12, 0, 0, 0}\nLOAD TEMP[0], CONSTBUF[3], IMM[0].xxxx\n"
        "RESQ TEMP[1].x, CONSTBUF[3]\nU2F OUT[0].xyz, TEMP[0]\nUADD TEMP[1].x, TEMP[0].wwww, TEMP[1].xxxx\nU2F OUT[0].w, TEMP[1].xxxx\n"
        "END\n"
    )
    assert row(stage, "R32G32B32A32_FLOAT", text)[0].tolist() == [13, 14, 15, 24]


@pytest.mark.parametrize("more", [0, 256], ids=["as promised", "and what frontends add"])
def test_the_largest_constant_buffer_is_reached_to_its_end(stage: Stage, more: int) -> None:
    ctx = stage.ctx
    size = stage.screen.get_shader_param("FRAGMENT", "MAX_CONST_BUFFER_SIZE") + more
    values = np.zeros(size // 4, "f4")
    values[-4:] = (1, 2, 3, 4)
    ctx.set_constant_buffer("FRAGMENT", values)
    text = f"FRAG\nDCL CONST[0..{size // 16 - 1}]\nDCL OUT[0], COLOR\nMOV OUT[0], CONST[{size // 16 - 1}]\nEND\n"
    assert row(stage, "R32G32B32A32_FLOAT", text)[0].tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="at most 65792"):
        ctx.set_constant_buffer("FRAGMENT", np.zeros(16500, "f4"), size=65796)


# -- writes between draws ----------------------------------------------------------------------------------------------
FILL = "FRAG\nDCL CONST[0]\nDCL OUT[0], COLOR\nMOV OUT[0], CONST[0]\nEND\n"
LOAD = "FRAG\nDCL BUFFER[0]\nDCL OUT[0], COLOR\nIMM[0] UINT32 {0, 0, 0, 0}\nLOAD OUT[0], BUFFER[0], IMM[0].xxxx\nEND\n"
FETCH = (
    "FRAG\nDCL SAMP[0]\nDCL SVIEW[0], BUFFER, FLOAT\nDCL OUT[0], COLOR\nIMM[0] UINT32 {0, 0, 0, 0}\n"
    "TXF OUT[0], IMM[0], SAMP[0], BUFFER\nEND\n"
)


@pytest.mark.parametrize("use", [FILL, LOAD, FETCH], ids=["constants", "memory", "texture"])
@pytest.mark.parametrize("write", ["subdata", "clear", "map", "copy", "grid"])
def test_a_write_between_two_draws_is_seen_by_the_second_only(stage: Stage, use: str, write: str) -> None:
    ctx, red, blue = stage.ctx, np.array([1, 0, 0, 1], "f4"), np.array([0, 0, 1, 1], "f4")
    source = stage.buffer(red)
    ctx.set_constant_buffer("FRAGMENT", source)
    ctx.set_shader_buffers("FRAGMENT", [source])
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(source, format="R32G32B32A32_FLOAT")])
    stage.fragment(use)
    stage.cover(right=0.0)
    if write == "subdata":
        ctx.buffer_subdata(source, blue)
    elif write == "clear":
        ctx.clear_buffer(source, blue)
    elif write == "map":
        with ctx.transfer_map(source, usage="WRITE") as mapped:
            mapped.data.reshape(-1).view("f4")[:] = blue
    elif write == "copy":
        ctx.resource_copy_region(source, stage.buffer(blue))
    else:
        ctx.set_shader_buffers("COMPUTE", [source])
        text = "COMP\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nIMM[1] FLT32 {0.0, 0.0, 1.0, 1.0}\n"
        text += "STORE BUFFER[0], IMM[0].xxxx, IMM[1]\nEND\n"
        ctx.bind_compute_state(ctx.create_compute_state(text))
        ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1))
    stage.cover(left=0.0)
    found = stage.pixels(stage.color)
    assert (found[:, : SIZE // 2] == (255, 0, 0, 255)).all()
    assert (found[:, SIZE // 2 :] == (0, 0, 255, 255)).all()


def test_clear_buffer_repeats_elements_of_any_size(stage: Stage) -> None:
    for size in (1, 2, 3, 4, 8, 12, 16):
        element = np.arange(1, size + 1, dtype=np.uint8)
        buffer = stage.buffer(np.full(200, 99, np.uint8))
        stage.ctx.clear_buffer(buffer, element, offset=5, size=size * 7)
        wanted = np.full(200, 99, np.uint8)
        wanted[5 : 5 + 7 * size] = np.tile(element, 7)
        assert (buffer.storage[:200] == wanted).all()


@pytest.mark.parametrize(
    ("target", "sizes", "box"),
    [
        ("TEXTURE_3D", (8, 6, 5), (1, 2, 1, 3, 2, 3)),
        ("TEXTURE_2D_ARRAY", (8, 6, 5), (0, 0, 4, 8, 6, 1)),
        ("TEXTURE_CUBE", (8, 8, 6), (7, 7, 2, 1, 1, 4)),
    ],
)
def test_clear_texture_fills_its_box_alone(stage: Stage, target: str, sizes: tuple[int, int, int], box: tuple[int, ...]) -> None:
    width, height, layers = sizes
    depth, array = (layers, 1) if target == "TEXTURE_3D" else (1, layers)
    texture = stage.screen.resource_create(target=target, width0=width, height0=height, depth0=depth, array_size=array, last_level=1)
    stage.ctx.clear_texture(texture, bytes((1, 2, 3, 4)), box=box)
    found = np.zeros((layers, height, width, 4), np.uint8)
    x, y, z, w, h, d = box
    found[z : z + d, y : y + h, x : x + w] = (1, 2, 3, 4)
    assert (stage.pixels(texture) == found).all()


@pytest.mark.parametrize("call", ["clear_buffer", "buffer_subdata", "clear_texture", "clear_render_target", "texture_subdata", "copy"])
def test_memory_of_the_caller_keeps_what_a_call_does_not_fill(stage: Stage, call: str) -> None:
    """The caller changes the memory between the calls."""
    ctx, mine = stage.ctx, np.zeros((4, 4, 4), np.uint8)
    is_buffer = "buffer" in call
    target = "BUFFER" if is_buffer else "TEXTURE_2D"
    given: dict[str, Any] = {} if is_buffer else {"width0": 4, "height0": 4, "format": "R8G8B8A8_UNORM"}
    resource = stage.screen.resource_from_user_memory(mine, target=target, **given)
    mine[:] = 9
    other = stage.screen.resource_create(width0=1, height0=1)
    ctx.texture_subdata(other, b"\1\1\1\1")
    calls: dict[str, Callable[[], None]] = {
        "clear_buffer": lambda: ctx.clear_buffer(resource, b"\1", size=4),
        "buffer_subdata": lambda: ctx.buffer_subdata(resource, b"\1\1\1\1"),
        "clear_texture": lambda: ctx.clear_texture(resource, b"\1\1\1\1", box=(0, 0, 0, 1, 1, 1)),
        "clear_render_target": lambda: ctx.clear_render_target(resource, color=(1 / 255,) * 4, width=1, height=1),
        "texture_subdata": lambda: ctx.texture_subdata(resource, b"\1\1\1\1", box=(0, 0, 0, 1, 1, 1)),
        "copy": lambda: ctx.resource_copy_region(resource, other),
    }
    calls[call]()
    assert mine.reshape(-1)[:6].tolist() == [1, 1, 1, 1, 9, 9]
    assert (mine.reshape(-1)[4:] == 9).all()


def test_an_invalidated_resource_is_still_one(stage: Stage) -> None:
    stage.ctx.invalidate_resource(stage.color)
    stage.ctx.clear("COLOR", color=(1, 1, 1, 1))
    stage.ctx.invalidate_resource(stage.color)
    assert stage.pixels(stage.color).shape == (SIZE, SIZE, 4)
    with pytest.raises(TypeError, match="invalidate_resource: resource"):
        stage.ctx.invalidate_resource(3)  # type: ignore[arg-type]


# -- draws that read results of earlier draws --------------------------------------------------------------------------
def test_fetched_colors_are_those_of_the_primitives_before() -> None:
    """Every triangle of one draw adds one to the color in the target, by FBFETCH or by blending."""
    text = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\n"
    text += "FBFETCH TEMP[0], OUT[0]\nADD OUT[0], TEMP[0], IMM[0]\nEND\n"
    plain = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"
    for threads, lanes in ((0, None), (3, 8), (2, 32)):
        with g.Screen(threads=threads, lanes=lanes) as screen, screen.context_create() as ctx:
            pictures = []
            for program in (text, plain):
                stage = Stage(screen, ctx)
                target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=SIZE, height0=SIZE)
                ctx.set_framebuffer_state(cbufs=[target])
                factors: dict[str, Any] = {f"{part}_{side}_factor": "ONE" for part in ("rgb", "alpha") for side in ("src", "dst")}
                ctx.bind_blend_state(ctx.create_blend_state(blend_enable=program is plain, **factors))
                stage.fragment(program)
                stage.scatter(500, 0.5)
                pictures.append(stage.pixels(target))
            assert pictures[0].max() > 20
            assert (pictures[0] == pictures[1]).all()


def test_a_barrier_lets_a_draw_sample_its_own_target(stage: Stage) -> None:
    """Each round adds one to the previous round's value at the mirrored place."""
    ctx = stage.ctx
    target = stage.screen.resource_create(format="R32G32B32A32_FLOAT", width0=SIZE, height0=SIZE)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear("COLOR")
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(target)])
    stage.fragment(
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0..1]\n"
        f"IMM[0] INT32 {{{SIZE - 1}, 0, 0, 0}}\n"
        "IMM[1] FLT32 {1.0, 1.0, 1.0, 1.0}\nF2I TEMP[0].xy, IN[0]\nINEG TEMP[0].xy, TEMP[0]\nUADD TEMP[0].xy, TEMP[0], IMM[0].xxxx\n"
        "MOV TEMP[0].zw, IMM[0].yyyy\nTXF TEMP[1], TEMP[0], SAMP[0], 2D\nADD OUT[0], TEMP[1], IMM[1]\nEND\n"
    )
    for half in ((-1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)):
        stage.cover(left=half[0], right=half[1])
        ctx.texture_barrier()
    found = stage.pixels(target)[..., 0]
    assert (found[:, : SIZE // 2] == 3).all()
    assert (found[:, SIZE // 2 :] == 2).all()
