"""Compiled conversion loops for tests: one function per format, all in one module."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.engine.engine import Library, compile_module

Body = Callable[[Function, Format, Val, Val, int], None]
Run = Callable[[Format, NDArray[np.uint8], int], NDArray[np.uint8]]


def compile_loops(
    formats: Iterable[Format],
    step_in: Callable[[Format], int],
    step_out: Callable[[Format], int],
    body: Body,
    lanes: int = 16,
    cpu: str = "host",
) -> tuple[Library, Run]:
    """Compile loops over pixels. `body(f, format, in, out, lanes)` handles `lanes` pixels; the steps are in bytes per pixel."""
    module = Module("formats", cpu)
    listed = list(formats)
    for format in listed:
        f = Function(module, format.name, [PTR, PTR, I32])
        source, target, count = f.args
        with f.range(0, count) as i:
            wide = i.sext(I64)
            body(f, format, f.at(source, wide * (lanes * step_in(format))), f.at(target, wide * (lanes * step_out(format))), lanes)
        f.ret()
    library = compile_module(module, cpu=cpu)

    def run(format: Format, data: NDArray[np.uint8], pixels: int) -> NDArray[np.uint8]:
        assert pixels % lanes == 0
        given = np.zeros(pixels * step_in(format) + 64, np.uint8)
        given[: data.size] = data
        out = np.zeros(pixels * step_out(format) + 64, np.uint8)
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32)(library.address[format.name])
        call(given.ctypes.data, out.ctypes.data, pixels // lanes)
        return out[: pixels * step_out(format)]

    return library, run


def load_channels(f: Function, pointer: Val, lanes: int, count: int = 4) -> list[Val]:
    """Load vectors from SoA blocks: channel c of a block of lanes is at c * 4 * lanes."""
    return [f.load(F32.wide(lanes), pointer, 4 * lanes * c) for c in range(count)]


def store_channels(f: Function, values: Iterable[Val], pointer: Val, lanes: int) -> None:
    for c, value in enumerate(values):
        f.store(value.as_int(), pointer, 4 * lanes * c)


def to_blocks(values: NDArray[np.uint32], lanes: int) -> NDArray[np.uint8]:
    """Convert values of shape (n, channels) to SoA blocks of `lanes`."""
    n, channels = values.shape
    return np.ascontiguousarray(values.reshape(n // lanes, lanes, channels).transpose(0, 2, 1)).view(np.uint8).reshape(-1)


def from_blocks(data: NDArray[np.uint8], lanes: int, channels: int) -> NDArray[np.uint32]:
    """Convert SoA blocks back to shape (n, channels)."""
    words = np.ascontiguousarray(data).view(np.uint32).reshape(-1, channels, lanes)
    return np.ascontiguousarray(words.transpose(0, 2, 1)).reshape(-1, channels)
