"""Run generated sampling code on numpy data, for comparison with the interpreter."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.abi.keys import GALLIUM_TARGETS, SamplerKey, TextureKey, texture_key
from backends.abi.records import SamplerRecord, TextureRecord
from backends.formats import Format
from backends.llvm.builder.function import F32, I32, PTR, Function, Module, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.engine.engine import compile_module
from backends.llvm.sampling.query import emit_fetch, emit_query_size
from backends.llvm.sampling.sample import LodMode, emit_sample
from backends.llvm.targets.machines import native_lanes
from backends.pipe.enums import TextureTarget
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData

LANES = native_lanes("host")
"""Lanes of tests that are not about their number: those of production. Wider vectors are slow to compile."""


def gallium_target(name: str) -> TextureTarget:
    """Gallium target that a TGSI target samples."""
    return GALLIUM_TARGETS[name.removeprefix("SHADOW") if name != "SHADOWCUBEARRAY" else "CUBEARRAY"]


def random_texture(
    format: Format, width: int, height: int = 1, layers: int = 1, levels: int = 1, *, volume: bool = False, seed: int = 1, **extra: Any
) -> TextureData:
    """Texture of random bytes; float formats get random finite values."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(levels):
        shape = (max(1, layers >> k) if volume else layers, max(1, height >> k), max(1, width >> k))
        if format.block_bits == 32 * len(format.channels) and not format.is_integer and format.channels[0].size == 32:
            values = rng.uniform(-2.0, 2.0, (*shape, len(format.channels))).astype(np.float32)
            found.append(values.view(np.uint8).reshape(*shape, format.block_bytes))
        else:
            found.append(rng.integers(0, 256, (*shape, format.block_bytes), dtype=np.uint8))
    return TextureData(format, tuple(found), **extra)


@dataclass
class Bound:
    """Texture in memory in the layout of kernels."""

    record: TextureRecord
    memory: NDArray[np.uint8]
    key: TextureKey


def bind(texture: TextureData, target: str) -> Bound:
    """Lay out the levels with padded rows and 64 bytes of slack; all padding is 0xEE."""
    record = TextureRecord()
    format = texture.format
    size = format.block_bytes
    plans = []
    offset = 0
    for k, level in enumerate(texture.levels):
        layers, height, width, _ = level.shape
        stride = -(-width * size // 64) * 64
        record.level_offset[k], record.row_stride[k], record.layer_stride[k] = offset, stride, stride * height
        plans.append((offset, stride))
        offset += stride * height * layers
    memory = np.full(offset + 64, 0xEE, np.uint8)
    for (start, stride), level in zip(plans, texture.levels):
        layers, height, width, _ = level.shape
        rows = memory[start : start + stride * height * layers].reshape(layers, height, stride)
        rows[:, :, : width * size] = level.reshape(layers, height, width * size)
    depth, height, width, _ = texture.levels[0].shape
    record.base, record.size = memory.ctypes.data, offset
    record.width, record.height, record.depth = width, height, depth
    record.last_level, record.samples = len(texture.levels) - 1, 1
    key = texture_key(
        format, gallium_target(target), texture.swizzle, width=width, height=height, depth=depth, last_level=record.last_level
    )
    return Bound(record, memory, key)


def run_blocks(
    emit: Any, inputs: NDArray[np.uint32], pointers: Sequence[ctypes.Structure], lanes: int, cpu: str = "host"
) -> NDArray[np.uint32]:
    """Run `emit(f, pointers, channels)`, which returns four values, over all rows of `inputs` (n, channels)."""
    count, channels = inputs.shape
    assert count % lanes == 0
    module = Module("sampling", cpu)
    f = Function(module, "kernel", [PTR, PTR, I32, *[PTR] * len(pointers)])
    source, target, blocks, *given = f.args
    with f.range(0, blocks) as i:
        start = f.at(source, i * (4 * lanes * channels))
        found: list[Val] = emit(f, given, [f.load(F32.wide(lanes), start, 4 * lanes * c) for c in range(channels)])
        end = f.at(target, i * (16 * lanes))
        for c, value in enumerate(found):
            f.store(value.as_int(), end, 4 * lanes * c)
    f.ret()
    library = compile_module(module)
    data = np.ascontiguousarray(inputs.reshape(-1, lanes, channels).transpose(0, 2, 1))
    out = np.zeros((count // lanes, 4, lanes), np.uint32)
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, *[ctypes.c_void_p] * len(pointers))
    call(library.address["kernel"])(data.ctypes.data, out.ctypes.data, count // lanes, *[ctypes.addressof(p) for p in pointers])
    return np.ascontiguousarray(out.transpose(0, 2, 1)).reshape(count, 4)


def staged_sample(
    texture: TextureData,
    state: SamplerState,
    target: str,
    coords: NDArray[np.float32],
    *,
    lod_mode: LodMode = "implicit",
    lod: NDArray[np.float32] | None = None,
    derivatives: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
    offsets: Sequence[int] = (),
    lanes: int = LANES,
    cpu: str = "host",
) -> NDArray[np.uint32]:
    """Counterpart of the interpreter's `sample` in generated code; lanes are quads of four."""
    bound = bind(texture, target)
    columns = [coords]
    if lod is not None:
        columns.append(lod[:, None])
    if derivatives is not None:
        columns += list(derivatives)
    inputs = np.concatenate(columns, axis=1).astype(np.float32)
    width = coords.shape[1]
    axes = derivatives[0].shape[1] if derivatives is not None else 0
    after = width + (lod is not None)

    def emit(f: Function, pointers: list[Val], channels: list[Val]) -> list[Val]:
        gradients = [channels[after : after + axes], channels[after + axes :]] if axes else None
        return emit_sample(
            f,
            LaneMap(lanes, "linear"),
            bound.key,
            SamplerKey.of(state),
            pointers[0],
            pointers[1],
            channels[:width],
            lod_mode=lod_mode,
            lod=channels[width] if lod is not None else None,
            gradients=gradients,
            offsets=offsets,
            target=target,
        )

    pointers = (bound.record, SamplerRecord.of(state))
    return run_blocks(emit, inputs.view(np.uint32), pointers, lanes, cpu)


def staged_fetch(
    texture: TextureData, target: str, coords: NDArray[np.int32], lod: NDArray[np.int32] | None = None, offsets: Sequence[int] = ()
) -> NDArray[np.uint32]:
    bound = bind(texture, target)
    inputs = coords if lod is None else np.concatenate([coords, lod[:, None]], axis=1)

    def emit(f: Function, pointers: list[Val], channels: list[Val]) -> list[Val]:
        words = [c.as_int() for c in channels]
        return emit_fetch(f, bound.key, pointers[0], words[:4], lod=words[4] if lod is not None else None, offsets=offsets, target=target)

    return run_blocks(emit, np.ascontiguousarray(inputs).view(np.uint32), (bound.record,), LANES)


def staged_size(texture: TextureData, target: str, lod: NDArray[np.int32]) -> NDArray[np.uint32]:
    bound = bind(texture, target)

    def emit(f: Function, pointers: list[Val], channels: list[Val]) -> list[Val]:
        return emit_query_size(f, bound.key, pointers[0], LANES, lod=channels[0].as_int(), target=target)

    return run_blocks(emit, np.ascontiguousarray(lod[:, None]).view(np.uint32), (bound.record,), LANES)
