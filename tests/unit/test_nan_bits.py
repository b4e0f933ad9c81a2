"""The bits of a NaN are the same in both engines, for every vector width and level, wherever a program or a picture shows them.

docs/execution.md, "Numbers": arithmetic and conversions give the canonical NaN; opcodes that hand on a source keep its bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.formats import Format
from backends.run.textures import TextureData
from tests.levels import LEVELS, need
from tests.unit.picture import ENGINES, both
from tgsi import gallium as g
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import OTHER_LANES

Words = NDArray[Any]

NAN, WIDE_NAN = 0x7FC00000, 0x7FF8000000000000
ODD_NANS = (0xFFC00000, 0x7F800001, 0xFF812345, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00001)
"""NaNs of both signs, quiet and signaling, with payloads."""
WORDS = np.array([*ODD_NANS, NAN, 0x7F800000, 0xFF800000, 0xBF800000, 0x00000000, 0x80000000, 0x3F800000, 0x40490FDB], np.uint32)
COMPUTED = sorted(n for n, info in OPCODES.items() if info.computes_floats and not info.uses_64bit and not OTHER_LANES & info.traits)
WIDE = sorted(n for n, info in OPCODES.items() if info.computes_floats and info.uses_64bit and info.num_dst == 1)
HANDING_ON = ("MOV", "MIN", "MAX", "CMP", "UCMP")


def pairs_of_words(count: int) -> Words:
    """(rows, count, 4): every combination of words for `count` registers, one word in all channels of a register."""
    places = np.indices((len(WORDS),) * count).reshape(count, -1).T
    return np.repeat(WORDS[places][..., None], 4, axis=2)


def program(body: str, inputs: int, outputs: int = 1) -> str:
    declared = "".join(f"DCL IN[{k}]\n" for k in range(inputs)) + "".join(f"DCL OUT[{k}], GENERIC[{k}]\n" for k in range(outputs))
    return f"VERT\n{declared}DCL TEMP[0..3]\nIMM[0] FLT32 {{0.0, 1.0, -1.0, 2.0}}\nIMM[1] UINT32 {{0, 1, 255, 4294967295}}\n{body}\nEND\n"


def is_nan(words: Words) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (words & np.uint32(0x7FFFFFFF)) > 0x7F800000
    return found


@pytest.mark.parametrize("name", COMPUTED)
def test_every_opcode_that_computes_a_float_gives_the_canonical_nan(name: str) -> None:
    count = OPCODES[name].num_src
    sources = ", ".join(f"IN[{k}]" for k in range(count))
    given = pairs_of_words(min(count, 2))
    while given.shape[1] < count:
        given = np.concatenate([given, np.roll(given[:, :1], 5, axis=0)], axis=1)
    text = tgsi.parse(program(f"{name} OUT[0], {sources}", count))
    ours, theirs = (tgsi.run(text, given, engine=engine).outputs for engine in ENGINES)
    assert np.array_equal(is_nan(ours), is_nan(theirs))
    assert (ours[is_nan(ours)] == NAN).all()
    assert (theirs[is_nan(theirs)] == NAN).all()


@pytest.mark.parametrize("name", WIDE)
def test_every_opcode_that_computes_a_double_gives_the_canonical_nan(name: str) -> None:
    count = OPCODES[name].num_src
    given = pairs_of_words(1)[:, np.zeros(count, int)]
    given[:, :, ::2] = np.roll(given[:, :, ::2], 1, axis=0)
    words = both(program(f"{name} OUT[0], " + ", ".join(f"IN[{k}]" for k in range(count)), count), given).outputs
    doubles = np.ascontiguousarray(words).view(np.uint64)
    assert (doubles[np.isnan(doubles.view(np.float64))] == WIDE_NAN).all()


@pytest.mark.parametrize("name", HANDING_ON)
def test_opcodes_that_hand_on_a_source_keep_every_bit(name: str) -> None:
    count = OPCODES[name].num_src
    given = pairs_of_words(2)[:, [0, 1, 0][:count] if count == 3 else list(range(count))]
    words = both(program(f"{name} OUT[0], " + ", ".join(f"IN[{k}]" for k in range(count)), count), given).outputs[:, 0, 0]
    sources = given[:, :, 0]
    assert np.logical_or.reduce([words == sources[:, k] for k in range(count)]).all()
    assert set(ODD_NANS) <= set(words.tolist())


def test_abs_and_negation_change_the_sign_bit_of_a_nan_alone() -> None:
    given = pairs_of_words(1)
    text = program("MOV OUT[0], -IN[0]\nMOV OUT[1], |IN[0]|\nMOV OUT[2], -|IN[0]|\nADD TEMP[0], IN[0], IN[0]\nMOV OUT[3], -TEMP[0]", 1, 4)
    words, bits = both(text, given).outputs[..., 0], given[:, 0, 0]
    sign = np.uint32(1 << 31)
    assert np.array_equal(words[:, :3].T, [bits ^ sign, bits & ~sign, bits | sign])
    assert (words[is_nan(bits), 3] == NAN ^ sign).all()


def test_raw_words_that_share_a_register_with_computed_floats_keep_their_bits() -> None:
    """Lanes with a positive x compute, the others move an integer that looks like a NaN."""
    body = "MOV TEMP[0], IN[1]\nSLT TEMP[1], IMM[0].xxxx, IN[0]\nIF TEMP[1].xxxx\nMUL TEMP[0], IN[1], IN[0]\nENDIF\n"
    body += "BGNLOOP\nUADD TEMP[2].x, TEMP[2].xxxx, IMM[1].yyyy\nUSGE TEMP[3].x, TEMP[2].xxxx, IMM[1].zzzz\nUIF TEMP[3].xxxx\nBRK\nENDIF\n"
    body += "ENDLOOP\nXOR OUT[0], TEMP[0], IMM[1].yyyy\nMOV OUT[1], TEMP[0]"
    given = pairs_of_words(2)
    found = both(program(body, 2, 2), given).outputs[..., 0]
    x, word = given[:, 0, 0].view(np.float32), given[:, 1, 0]
    with np.errstate(all="ignore"):
        product = word.view(np.float32) * x
    want = np.where(x > 0, np.where(np.isnan(product), np.uint32(NAN), product.view(np.uint32)), word)
    assert np.array_equal(found[:, 0], want ^ 1)
    assert np.array_equal(found[:, 1], want)


def test_half_of_a_double_is_no_float() -> None:
    """The words of a double that look like NaNs stay as they are when an integer opcode reads them."""
    given = np.array([[[0x7FC12345, 0x3FF00000, 0xFFFFFFFF, 0x40000000]]], np.uint32)
    words = both(program("DADD TEMP[0], IN[0], IMM[0].xxxx\nUADD OUT[0], TEMP[0], IMM[1].xxxx", 1), given).outputs
    assert np.array_equal(words[0, 0], given[0, 0])


@pytest.mark.parametrize("filter", [g.TexFilter.NEAREST, g.TexFilter.LINEAR])
def test_a_texel_that_is_taken_alone_keeps_its_bits_and_a_mixture_is_canonical(filter: g.TexFilter) -> None:
    stored = np.array([*ODD_NANS, NAN], np.uint32)
    texels = stored.reshape(1, 1, -1, 1)[..., [0, 0, 0, 0]]
    texture = TextureData(Format.R32G32B32A32_FLOAT, (np.ascontiguousarray(texels).view(np.uint8),))
    text = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nTEX_LZ OUT[0], IN[0], SAMP[0], 2D\nEND\n"
    given = np.zeros((len(stored), 1, 4), np.float32)
    given[:, 0, 0] = (np.arange(len(stored)) + 0.5) / len(stored)
    options = {"textures": {0: texture}, "samplers": {0: g.SamplerState(min_img_filter=filter, mag_img_filter=filter)}}
    words = both(text, given.view(np.uint32), **options).outputs[:, 0, 0]
    if filter is g.TexFilter.NEAREST:
        assert np.array_equal(words, stored)
    else:
        assert (words == NAN).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_atomic_sum_leaves_the_canonical_nan_in_memory(engine: str) -> None:
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
    text += "ATOMFADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IN[0].xxxx\nMOV OUT[0], TEMP[0].xxxx\nEND\n"
    given = np.full((1, 1, 4), 0xFF812345, np.uint32)
    found = tgsi.run(tgsi.parse(text), given, engine=engine, buffers={0: np.array([0x3F800000], np.uint32)})
    assert found.buffers[0].view(np.uint32)[0] == NAN


MIXED = """DP4 TEMP[0], IN[0], IN[1].yzwx
MUL TEMP[1], -IN[1], IN[0]
ADD TEMP[2], IN[1], -IN[0]
XOR OUT[0], TEMP[0], TEMP[1]
UADD OUT[1], -TEMP[2], IN[0]
SQRT TEMP[0].x, IN[0].xxxx
LRP TEMP[0].yzw, IN[0], TEMP[1], TEMP[2]
MAX OUT[2], TEMP[0], IN[1]
DMUL TEMP[3], IN[0], IN[1]
MOV OUT[3], TEMP[3].yxwz"""


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("level", LEVELS)
def test_runs_have_the_bits_of_the_interpreter_for_all_lanes_and_levels(lanes: int, level: str) -> None:
    need(level)
    text, given = tgsi.parse(program(MIXED, 2, 4)), pairs_of_words(2)
    want = tgsi.run(text, given, engine="interp").outputs
    assert is_nan(want[:, 1:]).any(axis=0).all()
    assert np.array_equal(tgsi.run(text, given, lanes=lanes, cpu=level).outputs, want)


# Draws. Each shows the bits of NaNs that a vertex or a fragment program made from IN[1], and of words that only pass.

SETTINGS = [(lanes, level) for level in LEVELS for lanes in (8, 16, 32)]
POINTS = np.array([[(2 * k + 1) / len(WORDS) - 1, 0, 0, 1] for k in range(len(WORDS))], np.float32)
"""One point for each word, each in a pixel of its own."""

VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
ADD OUT[2], IN[1], -IN[1]
END
"""
HEAD = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL IN[1], GENERIC[1], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\n"
HEAD += "IMM[0] UINT32 {24, 16, 8, 0}\nIMM[1] UINT32 {255, 4, 0, 0}\nIMM[2] FLT32 {0.003921569, 0, 0, 0}\n"
BYTES = (
    "USHR TEMP[0], TEMP[0].xxxx, IMM[0]\nAND TEMP[0], TEMP[0], IMM[1].xxxx\nU2F TEMP[0], TEMP[0]\nMUL OUT[0], TEMP[0], IMM[2].xxxx\nEND\n"
)
SUM = "ADD TEMP[0], IN[0], IN[0].yxwz\n"


def drawn(lanes: int, cpu: str, format: str, fragment: str, **given: Any) -> Words:
    """The row of pixels of a draw of all words, as points."""
    with g.Screen(threads=0, lanes=lanes, cpu=cpu) as screen:
        ctx = screen.context_create()
        target = screen.resource_create(width0=len(WORDS), height0=1, format=format)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.clear(color=(0, 0, 0, 0))
        ctx.set_viewport_states([g.ViewportState((len(WORDS) / 2, 0.5, 0.5), (len(WORDS) / 2, 0.5, 0.5))])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**given.get("rasterizer", {})))
        ctx.bind_blend_state(ctx.create_blend_state(given.get("blend")))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))
        values = np.repeat(WORDS[:, None], 4, axis=1)
        ctx.set_vertex_buffers([np.ascontiguousarray(np.hstack([POINTS.view(np.uint32), values])).view(np.float32)])
        memory = screen.resource_create(target="BUFFER", width0=16 * len(WORDS))
        ctx.set_shader_buffers("FRAGMENT", [memory])
        ctx.draw_vbo(mode="POINTS", count=len(WORDS))
        ctx.flush()
        if given.get("memory"):
            return np.array(memory.storage[: memory.size]).view(np.uint32)
        return np.array(target.texels()[0][0])


def sums() -> Words:
    """x + x of each word, canonical."""
    with np.errstate(all="ignore"):
        found = WORDS.view(np.float32) + WORDS.view(np.float32)
    return np.where(np.isnan(found), np.uint32(NAN), found.view(np.uint32))


def differences() -> Words:
    """x - x of each word, canonical."""
    return np.where((WORDS & 0x7FFFFFFF) >= 0x7F800000, np.uint32(NAN), np.uint32(0))


@pytest.mark.parametrize(("lanes", "level"), SETTINGS)
def test_pictures_show_the_same_bits_for_all_lanes_and_levels(lanes: int, level: str) -> None:
    need(level)
    floats = drawn(lanes, level, "R32G32B32A32_FLOAT", f"{HEAD}{SUM}MOV OUT[0], TEMP[0]\nEND\n")
    assert np.array_equal(floats.view(np.uint32), np.repeat(sums()[:, None], 4, axis=1))
    words = drawn(lanes, level, "R32G32B32A32_UINT", f"{HEAD}{SUM}MOV OUT[0].xy, TEMP[0]\nMOV OUT[0].z, IN[0]\nMOV OUT[0].w, IN[1]\nEND\n")
    assert np.array_equal(words, np.stack([sums(), sums(), WORDS, differences()], axis=1))
    bytes_of = drawn(lanes, level, "R8G8B8A8_UNORM", f"{HEAD}{SUM}{BYTES}")
    assert np.array_equal(bytes_of.astype(np.uint32) @ [1 << 24, 1 << 16, 1 << 8, 1], sums())
    flat = drawn(lanes, level, "R8G8B8A8_UNORM", f"{HEAD}MOV TEMP[0], IN[1]\n{BYTES}")
    assert np.array_equal(flat.astype(np.uint32) @ [1 << 24, 1 << 16, 1 << 8, 1], differences())


@pytest.mark.parametrize(("lanes", "level"), SETTINGS)
def test_interpolated_inputs_and_memory_show_the_canonical_nan(lanes: int, level: str) -> None:
    need(level)
    head = HEAD.replace("GENERIC[1], CONSTANT", "GENERIC[1], LINEAR")
    words = drawn(lanes, level, "R32G32B32A32_UINT", f"{head}MOV OUT[0], IN[1]\nEND\n")
    assert np.array_equal(words[:, 0], differences())
    place = "DCL IN[2], POSITION, LINEAR\nDCL BUFFER[0]\n"
    store = "F2U TEMP[1].x, IN[2].xxxx\nSHL TEMP[1].x, TEMP[1].xxxx, IMM[1].yyyy\nSTORE BUFFER[0], TEMP[1].xxxx, TEMP[0]\nEND\n"
    stored = drawn(lanes, level, "R8G8B8A8_UNORM", HEAD.replace("DCL OUT", f"{place}DCL OUT") + SUM + store, memory=True)
    assert np.array_equal(stored.reshape(-1, 4), np.repeat(sums()[:, None], 4, axis=1))


@pytest.mark.parametrize(("lanes", "level"), SETTINGS)
def test_stream_output_has_the_canonical_nan(lanes: int, level: str) -> None:
    need(level)
    with g.Screen(threads=0, lanes=lanes, cpu=level) as screen:
        ctx = screen.context_create()
        info = g.StreamOutputInfo((8,), (g.StreamOutput(1), g.StreamOutput(2, dst_offset=4)))
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX, stream_output=info))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(rasterizer_discard=True))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))
        values = np.repeat(WORDS[:, None], 4, axis=1)
        ctx.set_vertex_buffers([np.ascontiguousarray(np.hstack([POINTS.view(np.uint32), values])).view(np.float32)])
        memory = screen.resource_create(target="BUFFER", width0=32 * len(WORDS))
        ctx.set_stream_output_targets([ctx.create_stream_output_target(memory)])
        ctx.draw_vbo(mode="POINTS", count=len(WORDS))
        found = np.array(memory.storage[: memory.size]).view(np.uint32).reshape(-1, 8)
    assert np.array_equal(found[:, :4], values)
    assert np.array_equal(found[:, 4:], np.repeat(differences()[:, None], 4, axis=1))
