"""Gathers, multisampled fetches and images stay within their memory for any coordinates."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np
import pytest

from backends.abi.keys import SamplerKey, TextureKey
from backends.abi.records import SamplerRecord, TextureRecord
from backends.formats import Format
from backends.llvm.builder.function import BOOL, F32, Function, Val
from backends.llvm.kernels.bind import bind_image, bind_texture
from backends.llvm.sampling.gather import emit_gather
from backends.llvm.sampling.image import Image
from backends.llvm.sampling.query import emit_fetch
from backends.pipe.enums import TextureTarget, TexWrap
from backends.pipe.state import SamplerState
from backends.run.textures import ImageData, TextureData
from tests.unit.sampling.guards import READABLE, Guarded, guarded, wild
from tests.unit.sampling.support import LANES, random_texture, run_blocks
from tgsi.language.facts.enums import TARGETS

pytestmark = [pytest.mark.light, pytest.mark.skipif(sys.platform != "linux", reason="needs mprotect")]

SHAPES = [(8, 8, 1), (8, 3, 5), (1, 1, 6)]
POISON = 0xA5


@pytest.mark.parametrize("target", ["1D", "2D", "3D", "CUBE", "2D_ARRAY", "CUBEARRAY", "SHADOW2D", "BUFFER", "2D_MSAA"])
@pytest.mark.parametrize("wrap", [TexWrap.REPEAT, TexWrap.MIRROR_REPEAT, TexWrap.CLAMP_TO_BORDER, TexWrap.MIRROR_CLAMP])
def test_gathers(target: str, wrap: TexWrap) -> None:
    for seamless, shape in zip((True, False, False), SHAPES):
        bound = bind_texture(random_texture(Format.R8G8B8A8_UNORM, *shape))
        memory = guarded(bound)
        state = SamplerState(wrap_s=wrap, wrap_t=wrap, wrap_r=wrap, seamless_cube_map=seamless)

        def emit(f: Function, pointers: list[Val], channels: list[Val], bound: Any = bound, state: SamplerState = state) -> Any:
            moves: list[list[Val | int]] = [[channels[4].as_int()] * 3, [7, -8, 3], [2**31 - 1, -(2**31), 0], [0, 0, 0]]
            keys, (texture, sampler) = (bound.key, SamplerKey.of(state)), pointers
            found = emit_gather(f, *keys, texture, sampler, channels, channels[4].as_int(), offsets=moves, target=target)
            plain = emit_gather(f, *keys, texture, sampler, channels, 3, target=target)
            return [a + b for a, b in zip(found, plain)]

        run_blocks(emit, wild(512), (bound.record, SamplerRecord.of(state)), LANES)
        memory.close()


@pytest.mark.parametrize("format", [Format.R8_UNORM, Format.R32G32B32A32_FLOAT])
def test_multisampled_fetches(format: Format) -> None:
    for samples, shape in ((4, (5, 3, 4)), (2, (3, 1, 6)), (1, (1, 1, 1))):
        bound = bind_texture(random_texture(format, *shape, samples=samples))
        memory = guarded(bound)
        inputs = np.concatenate([wild(512), np.random.default_rng(1).integers(-1, 7, (512, 5)).astype(np.uint32)])
        for target in ("2D_MSAA", "2D_ARRAY_MSAA", "2D", "3D", "CUBE", "CUBEARRAY", "BUFFER"):

            def emit(f: Function, pointers: list[Val], channels: list[Val], target: str = target, bound: Any = bound) -> Any:
                words = [c.as_int() for c in channels]
                return emit_fetch(f, bound.key, pointers[0], words, sample=words[4], offsets=(100000, -1, 2**31 - 1), target=target)

            run_blocks(emit, inputs, (bound.record,), LANES)
        memory.close()


def test_levels_of_volumes_read_as_arrays() -> None:
    """A level of a 3D view has fewer slices than the first: layers and samples of other targets must not reach beyond it."""
    texture = random_texture(Format.R32_FLOAT, 4, 4, 8, 3, volume=True)
    bound = bind_texture(texture, frozenset({"3D"}))
    assert bound.key.target is TextureTarget.TEXTURE_3D
    memory = guarded(bound)
    inputs = np.zeros((16, 5), np.uint32)
    inputs[:, 2], inputs[:, 4] = np.arange(16), 2

    def emit(f: Function, pointers: list[Val], channels: list[Val]) -> Any:
        words = [c.as_int() for c in channels]
        return emit_fetch(f, bound.key, pointers[0], words, lod=words[4], target="2D_ARRAY")

    found = run_blocks(emit, inputs, (bound.record,), LANES)
    assert [int(n) for n in (found[:, 3] != 0)] == [1, 1] + [0] * 14
    memory.close()


def _poisoned(image: ImageData) -> tuple[TextureRecord, Guarded, Any]:
    """Record of the image's texels at the end of guarded memory, and all of that memory, with poison around the texels."""
    _, record = bind_image(image)
    memory = Guarded(record.size + 2 * READABLE)
    record.base = memory.address + READABLE
    view = np.frombuffer((ctypes.c_uint8 * (record.size + 2 * READABLE)).from_address(memory.address), np.uint8)
    view[:] = POISON
    return record, memory, view


@pytest.mark.parametrize("format", [Format.R8_UNORM, Format.B5G6R5_UNORM, Format.R8G8B8_UNORM, Format.R32_UINT, Format.R16G16B16_FLOAT,
                                    Format.R16G16B16A16_SNORM, Format.R32G32B32_FLOAT, Format.R32G32B32A32_UINT])  # fmt: skip
def test_images(format: Format) -> None:
    for target in ("BUFFER", "1D", "2D", "3D", "CUBE", "2D_ARRAY", "1D_ARRAY", "CUBEARRAY", "2D_MSAA", "2D_ARRAY_MSAA"):
        for samples, shape in ((1, (3, 5, 6)), (2, (5, 1, 4))):
            texels = random_texture(format, *shape).levels[0]
            image = ImageData(format, texels.copy(), samples)
            key, _ = bind_image(image)
            record, memory, view = _poisoned(image)

            def emit(f: Function, pointers: list[Val], channels: list[Val], key: Any = key, target: str = target) -> Any:
                place = Image(f, key, pointers[0], LANES, TARGETS[target])
                words = [c.as_int() for c in channels]
                everyone = f.const(BOOL.wide(LANES), 1)
                place.store(words, channels[1:5], 15, everyone)
                place.store(words, channels[:4], 2, everyone)
                if key.format is Format.R32_UINT:
                    place.update(words, everyone, everyone, [], lambda old, given: old + 1)
                loaded = place.load(words)
                return [*loaded[:3], loaded[3] + place.sizes()[0].to_float()]

            inputs = np.concatenate([wild(512), np.random.default_rng(1).integers(-1, 7, (512, 5)).astype(np.uint32)])
            run_blocks(emit, inputs, (record,), LANES)
            assert (view[:READABLE] == POISON).all()
            assert (view[-READABLE:] == POISON).all()
            assert not (view == POISON).all()
            memory.close()


def test_stores_of_one_texel_act_in_the_order_of_lanes() -> None:
    lanes = 16
    image = ImageData(Format.R8G8B8_UNORM, np.zeros((1, 1, 2, 3), np.uint8))
    key, record = bind_image(image)

    def emit(f: Function, pointers: list[Val], channels: list[Val]) -> Any:
        place = Image(f, key, pointers[0], lanes, TARGETS["1D"])
        everyone = f.const(BOOL.wide(lanes), 1)
        place.store([channels[0].as_int()] * 4, [channels[1]] * 4, 5, everyone)
        return [f.const(F32.wide(lanes), 0.0)] * 4

    inputs = np.zeros((lanes, 2), np.float32)
    inputs[:, 1] = np.arange(lanes) / 255.0
    inputs[:, 0] = (np.arange(lanes) % 2).astype(np.int32).view(np.float32)
    run_blocks(emit, inputs.view(np.uint32), (record,), lanes)
    assert image.texels[0, 0].tolist() == [[14, 0, 14], [15, 0, 15]]


def test_keys_of_views_fit_their_own_target_only() -> None:
    key = TextureKey(Format.R8_UNORM, TextureTarget.TEXTURE_2D)
    assert (key.fits("2D"), key.fits("SHADOW2D"), key.fits("3D"), key.fits("CUBE")) == (True, True, False, False)
    assert TextureKey(Format.R8_UNORM, TextureTarget.TEXTURE_2D, handles=("3D",)).fits("3D")
    assert bind_texture(TextureData(Format.R8_UNORM, (np.zeros((1, 1, 1, 1), np.uint8),))).key.handles is None
