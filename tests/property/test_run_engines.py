"""One call of `tgsi.run` serves both engines: textures, samplers, buffers, fuel, and errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.formats import Format
from backends.pipe.enums import TexWrap
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData
from tests.unit.sampling.support import random_texture

pytestmark = pytest.mark.light

SAMPLER = SamplerState(wrap_s=TexWrap.REPEAT, wrap_t=TexWrap.CLAMP_TO_BORDER, border_color=(0.25, 0.5, 0.75, 1.0))
TEXTURE = random_texture(Format.R8G8B8A8_UNORM, 8, 4, seed=3)
FRAG = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SAMP[1]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0]
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
TEX OUT[0], IN[0], SAMP[1], 2D
MAD OUT[0], TEMP[0], CONST[0], OUT[0]
END
"""
VERT = """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL SV[0], VERTEXID
TXL OUT[0], IN[0].xyww, SAMP[0], 2D
MOV OUT[1], SV[0]
END
"""
BUFFERS = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
DCL BUFFER[0]
DCL BUFFER[1]
DCL CONST[0][0..1]
DCL ADDR[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 4, 8, 100}
"""


def both(text: str, *given: Any, **options: Any) -> tgsi.RunResult:
    """Run on both engines and check that all results are equal."""
    program = tgsi.parse(text)
    expected = tgsi.run(program, *given, engine="interp", **options)
    got = tgsi.run(program, *given, engine="jit", **options)
    assert got.outputs.tolist() == expected.outputs.tolist()
    assert got.alive.tolist() == expected.alive.tolist()
    assert {k: v.tolist() for k, v in got.buffers.items()} == {k: v.tolist() for k, v in expected.buffers.items()}
    return got


def test_fragments_with_textures() -> None:
    position = np.array([[0.5, 1.5, 0.5, 1.5], [0.5, 0.5, 1.5, 1.5], [0] * 4, [1, 1, 1, 2]], np.float32)
    coefs = np.zeros((1, 3, 4), np.float32)
    coefs[0] = [[0.1, -0.2, 0, 0], [0.3, 0.1, 0, 0], [0.2, 0.4, 0, 0]]
    options = {"coefs": coefs, "quad_pos": position, "constants": {0: [[1.0, 2.0, 3.0, 4.0]]}}
    result = both(FRAG, textures={0: TEXTURE}, samplers={0: SAMPLER, 1: SAMPLER}, **options)
    assert len(np.unique(result.outputs[:, 0, 0])) > 1
    unbound = both(FRAG, samplers={0: SAMPLER}, **options)
    assert unbound.floats[0, 0].tolist() == [0, 0, 0, 5]


def test_vertices_with_textures() -> None:
    inputs = np.random.default_rng(1).uniform(-1, 2, (11, 1, 4)).astype(np.float32)
    assert len(np.unique(both(VERT, inputs, textures={0: TEXTURE}, samplers={0: SAMPLER}).outputs[:, 0, 0])) > 1


def test_integer_views_have_integer_borders() -> None:
    inputs = np.array([[[0.1, 3.0, 0, 0]], [[0.1, 0.3, 0, 0]]], np.float32)
    texture = random_texture(Format.R32G32B32A32_SINT, 4, 4)
    sampler = replace(SAMPLER, border_color=(-1, 2, 3, 4))
    assert both(VERT, inputs, textures={0: texture}, samplers={0: sampler}).outputs[0, 0].tolist() == [2**32 - 1, 2, 3, 4]


def test_a_texture_read_as_an_array_and_as_a_plane() -> None:
    text = FRAG.replace("TEX OUT[0], IN[0], SAMP[1], 2D", "TEX OUT[0], IN[0], SAMP[0], 2D_ARRAY").replace("DCL SVIEW[0], 2D, FLOAT\n", "")
    assert "SVIEW" not in text
    inputs = np.random.default_rng(2).uniform(-1, 4, (8, 1, 4)).astype(np.float32)
    both(text, inputs, textures={0: random_texture(Format.R8_UNORM, 7, 4, 3)}, samplers={0: SAMPLER})


def test_fuel_ends_loops() -> None:
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nIMM[0] UINT32 {1, 0, 0, 0}\nBGNLOOP\nUADD OUT[0], OUT[0], IMM[0].xxxx\nENDLOOP\nEND\n"
    for fuel in (1, 5, 5000):
        assert both(text, np.zeros((3, 1, 4)), fuel=fuel).outputs[:, 0, 0].tolist() == [fuel] * 3
    assert tgsi.run(tgsi.parse(text), np.zeros((3, 1, 4)), fuel=70000).outputs[:, 0, 0].tolist() == [70000] * 3


@pytest.mark.parametrize(
    ("options", "error", "name"),
    [
        ({"textures": {0: 5}}, TypeError, r"textures\[0\]"),
        ({"textures": {-1: TEXTURE}}, ValueError, "textures"),
        ({"textures": {0: TextureData(Format.R8_UNORM, TEXTURE.levels)}}, ValueError, r"textures\[0\]"),
        ({"textures": {0: TextureData(TEXTURE.format, TEXTURE.levels * 2)}}, ValueError, r"textures\[0\]: level 1"),
        ({"textures": {0: TextureData(TEXTURE.format, ())}}, ValueError, r"textures\[0\]"),
        ({"samplers": {0: None}}, TypeError, r"samplers\[0\]"),
        ({"constants": {16: [[0, 0, 0, 0]]}}, ValueError, "constants"),
        ({"buffers": {32: [0]}}, ValueError, "buffers"),
        ({"buffers": {0: b"abc"}}, ValueError, r"buffers\[0\]"),
        ({"fuel": 0}, ValueError, "fuel"),
        ({"fuel": 1 << 31}, ValueError, "fuel"),
    ],
)
@pytest.mark.parametrize("engine", ["jit", "interp"])
def test_wrong_arguments_are_the_same_errors(engine: str, options: dict[str, Any], error: type[Exception], name: str) -> None:
    with pytest.raises(error, match=name):
        tgsi.run(tgsi.parse(VERT), np.zeros((4, 1, 4), np.float32), engine=engine, **options)


@pytest.mark.parametrize("engine", ["jit", "interp"])
def test_cubes_have_six_square_faces(engine: str) -> None:
    program = tgsi.parse(VERT.replace("2D", "CUBE"))
    with pytest.raises(ValueError, match="cube"):
        tgsi.run(program, np.zeros((4, 1, 4)), textures={0: TEXTURE}, samplers={0: SAMPLER}, engine=engine)


def test_a_trace_is_the_interpreters() -> None:
    with pytest.raises(ValueError, match="trace"):
        tgsi.run(tgsi.parse(VERT), np.zeros((4, 1, 4)), trace=True)


ADDRESSES = [0, 4, 9, 12, 16, 36, 40, 2**31, 2**32 - 4, 4, 4]
ATOMICS = ("UADD", "XCHG", "AND", "OR", "XOR", "UMIN", "UMAX", "IMIN", "IMAX", "INC_WRAP", "DEC_WRAP")
STATEMENTS = [
    "LOAD OUT[0], BUFFER[0].wwxy, IN[0].xxxx",
    "LOAD OUT[0].xz, CONSTBUF[0], IN[0].xxxx",
    "STORE BUFFER[0].xzw, IN[0].xxxx, IN[1]",
    "STORE BUFFER[0], IN[0].xxxx, IN[1].wzyx\nLOAD OUT[0], BUFFER[0], IN[0].xxxx",
    "UARL ADDR[0].x, IN[1].xxxx\nLOAD OUT[0], BUFFER[ADDR[0].x], IN[0].xxxx",
    "UARL ADDR[0].x, IN[1].xxxx\nSTORE BUFFER[ADDR[0].x+1].xy, IN[0].xxxx, IN[1]\nRESQ OUT[0], BUFFER[ADDR[0].x]",
    "UIF IN[1].xxxx\nSTORE BUFFER[1].y, IN[0].xxxx, IN[1]\nATOMUADD OUT[0], BUFFER[0], IMM[0].yyyy, IMM[0].wwww\nENDIF",
    "RESQ OUT[0], BUFFER[1]\nRESQ OUT[1], CONSTBUF[0]",
    "ATOMCAS OUT[0], BUFFER[0], IN[0].xxxx, IN[1].xxxx, IMM[0].wwww",
    "ATOMFADD OUT[0], BUFFER[0], IN[0].xxxx, IN[1].yyyy",
    *(f"ATOM{name} OUT[0], BUFFER[0], IN[0].xxxx, IN[1].zzzz" for name in ATOMICS),
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_memory_is_the_same(statement: str) -> None:
    random = np.random.default_rng(4)
    inputs = random.integers(0, 2**32, (len(ADDRESSES), 2, 4), dtype=np.uint32)
    inputs[:, 0, 0] = ADDRESSES
    inputs[:, 1, 0] = random.integers(0, 3, len(ADDRESSES))
    inputs[4, 1, 0] = 2**32 - 1
    inputs[:, 1, 1] = random.uniform(-2, 2, len(ADDRESSES)).astype(np.float32).view(np.uint32)
    words = random.uniform(-2, 2, 10).astype(np.float32).view(np.uint32)
    constants = {0: random.integers(0, 2**32, (2, 4), dtype=np.uint32)}
    both(f"{BUFFERS}{statement}\nEND\n", inputs, buffers={0: words, 1: [1, 2, 3]}, constants=constants)


def test_empty_buffers_and_those_that_are_not_bound() -> None:
    inputs = np.zeros((5, 2, 4), np.uint32)
    both(f"{BUFFERS}STORE BUFFER[0], IN[0], IN[1]\nATOMUADD OUT[0], BUFFER[1], IN[0], IMM[0].yyyy\nEND\n", inputs, buffers={0: b""})


def test_killed_fragments_change_nothing() -> None:
    text = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL BUFFER[0]
IMM[0] UINT32 {0, 1, 2, 3}
KILL_IF IN[0]
ATOMUADD OUT[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
END
"""
    inputs = np.repeat(np.array([-1, 1, 1, -1, 1, 1], np.float32)[:, None, None], 4, axis=2)
    assert both(text, inputs, buffers={0: [0]}).buffers[0].view(np.uint32).tolist() == [4]


def test_bytes_come_back_as_they_are_given() -> None:
    result = both(f"{BUFFERS}NOP\nEND\n", np.zeros((1, 2, 4)), buffers={3: bytes(range(8))})
    assert result.buffers[3].tobytes() == bytes(range(8))
    assert both(f"{BUFFERS}NOP\nEND\n", np.zeros((1, 2, 4)), buffers=result.buffers).buffers[3].tobytes() == bytes(range(8))


@pytest.mark.parametrize("lanes", [4, 32])
def test_margins_of_buffers_stay_as_they_are(lanes: int) -> None:
    """A buffer is bound as the middle of a larger array, whose other words must not change."""
    from backends.abi.records import BufferRecord
    from backends.llvm.kernels.bind import Environment

    poison = np.full(64, 0xABABABAB, np.uint32)
    text = f"{BUFFERS}STORE BUFFER[0], IN[0].xxxx, IN[1]\nATOMUADD OUT[0], BUFFER[0], IN[0].xxxx, IMM[0].wwww\nEND\n"
    inputs = np.zeros((256, 2, 4), np.uint32)
    inputs[:, 0, 0] = np.concatenate([np.arange(-128, 64), 2**31 + np.arange(64)]).astype(np.int64) & 0xFFFFFFFF
    original = Environment.__init__

    def bound(self: Environment, program: Any, arguments: Any) -> None:
        original(self, program, arguments)
        record = BufferRecord.from_address(self.record.buffers)
        record.base, record.words = poison.ctypes.data + 4 * 32, 4

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Environment, "__init__", bound)
        tgsi.run(tgsi.parse(text), inputs, buffers={0: [0] * 4}, lanes=lanes)
    assert (poison[:32] == 0xABABABAB).all()
    assert (poison[36:] == 0xABABABAB).all()
    assert not (poison[32:36] == 0xABABABAB).any()
