"""The list that coverage makes of one triangle in one tile: whole windows as runs, the quads at its edges packed."""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.abi.limits import TILE
from backends.llvm.builder.function import Module
from backends.llvm.engine.engine import Library, compile_module
from backends.raster.draw_record import Draw
from backends.raster.layouts import SetupLayout
from backends.raster.tile.coverage import HEAD, build_coverage
from backends.raster.tile.lists import LIST_LIMIT, list_capacity, quad_width, row_lanes, run_bytes, run_rows

pytestmark = pytest.mark.light

RECORD, CHUNK = 64, 1024
CORNERS = (
    ((3, 2), (60, 9), (20, 63)),
    ((0, 0), (63, 0), (0, 63)),
    ((-40, 10), (90, 30), (10, 44)),
    ((31, 1), (33, 1), (32, 62)),
    ((-100, -100), (300, -100), (-100, 300)),
    ((70, 70), (90, 70), (80, 90)),
)
"""Corners of triangles in pixels of the tile, clockwise: of middle size, half a tile, cut by it, narrow, all of it, none of it."""


@dataclass
class Entries:
    """Entries of a list. shaded: times that each pixel is shaded, (TILE, TILE). masks: of runs. lanes: of all vectors that are shaded."""

    shaded: NDArray[np.int32] = field(default_factory=lambda: np.zeros((TILE, TILE), np.int32))
    masks: list[int] = field(default_factory=list)
    quads: list[tuple[int, int]] = field(default_factory=list)
    lanes: int = 0


def edges(corners: tuple[tuple[int, int], ...]) -> list[tuple[int, int, int]]:
    """Edge functions a x + b y + c of pixel numbers, not negative inside."""
    found = []
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0])):
        a, b = y0 - y1, x1 - x0
        found.append((a, b, -(a * x0 + b * y0)))
    return found


def covered(corners: tuple[tuple[int, int], ...]) -> NDArray[np.bool_]:
    y, x = np.mgrid[:TILE, :TILE]
    found = np.ones((TILE, TILE), bool)
    for a, b, c in edges(corners):
        found &= a * x + b * y + c >= 0
    return found


@functools.cache
def kernel(lanes: int, has_loops: bool, packs: bool) -> Library:
    module = Module("coverage")
    build_coverage(lanes, module, True, run_rows(lanes, has_loops), packs)
    return compile_module(module)


def entries(corners: tuple[tuple[int, int], ...], lanes: int, has_loops: bool = False, packs: bool = True, is_cut: bool = False) -> Entries:
    """Run the coverage kernel and read its list. is_cut: the box is that of a region, and what lies outside of it does not count."""
    arena = np.zeros(4096, np.uint8)
    a, b, c = (np.array(column) for column in zip(*edges(corners)))
    arena[RECORD:][: SetupLayout.C].view(np.int32)[:] = [*a, 0, *b, 0]
    arena[RECORD + SetupLayout.C :][:24].view(np.int64)[:] = c
    low, high = (np.clip(edge, 0, TILE - 1) for edge in (np.min(corners, axis=0), np.max(corners, axis=0)))
    if is_cut:
        low, high = np.maximum(low, (9, 5)), np.minimum(high, (40, 33))
    arena[RECORD + SetupLayout.BOX :][:8].view(np.uint16)[:] = [low[0] | (SetupLayout.CUT if is_cut else 0), low[1], *high]
    arena[CHUNK : CHUNK + 4].view(np.int32)[0] = RECORD
    out = np.full(list_capacity(8) + 64, 0xEE, np.uint8)
    draw, cursor, farthest = Draw(), ctypes.c_int32(CHUNK), ctypes.c_float(1.0)
    pointer, number = ctypes.c_void_p, ctypes.c_int32
    call = ctypes.CFUNCTYPE(number, pointer, pointer, number, pointer, number, number, pointer, pointer)
    size = call(kernel(lanes, has_loops, packs).address["coverage"])(
        ctypes.addressof(draw), arena.ctypes.data, 4096, ctypes.addressof(cursor), 0, 0, out.ctypes.data, ctypes.addressof(farthest)
    )
    assert (out[list_capacity(8) :] == 0xEE).all()
    return _read(out, size, lanes, run_rows(lanes, has_loops))


def _read(out: NDArray[np.uint8], size: int, lanes: int, rows: int) -> Entries:
    found, at, width = Entries(), 0, quad_width(lanes)
    dx, dy = (np.array(places) for places in row_lanes(lanes, rows))
    while at < size:
        record, blocks, xy, bits = (int(word) for word in out[at : at + HEAD].view(np.uint32))
        assert record == RECORD
        found.lanes += blocks * (lanes if bits else width)
        if bits:
            mask = bits if lanes <= 32 else int(out[at + HEAD :][:8].view(np.uint64)[0])
            lit = np.array([mask >> lane & 1 for lane in range(lanes)])
            for block in range(blocks):
                np.add.at(found.shaded, ((xy >> 16) + dy, (xy & 0xFFFF) + block * (lanes // rows) + dx), lit)
            found.masks.append(mask)
            at += run_bytes(lanes)
            continue
        words = [int(word) for word in out[at + HEAD :][: blocks * width].view(np.uint32)]
        for word in dict.fromkeys(words):  # copies of the last quad fill its block
            x, y, mask = word & 63, word >> 8 & 63, word >> 16
            assert mask
            for lane in range(4):
                found.shaded[y + lane // 2, x + lane % 2] += mask >> lane & 1
            found.quads.append((x, y))
        assert words == sorted(words, key=words.index)
        at += HEAD + blocks * width
    assert at == size
    return found


@pytest.mark.parametrize("lanes", [8, 16, 32, 64])
@pytest.mark.parametrize("has_loops", [False, True])
@pytest.mark.parametrize("is_cut", [False, True])
def test_each_pixel_of_a_triangle_is_shaded_once(lanes: int, has_loops: bool, is_cut: bool) -> None:
    for corners in CORNERS:
        want = covered(corners)
        if is_cut:
            inside = np.zeros_like(want)
            inside[5:34, 9:41] = True
            want &= inside
        assert np.array_equal(entries(corners, lanes, has_loops, is_cut=is_cut).shaded, want)


@pytest.mark.parametrize("lanes", [8, 16, 32, 64])
def test_runs_have_all_their_lanes_and_quads_at_least_a_pixel(lanes: int) -> None:
    for corners in CORNERS:
        found = entries(corners, lanes)
        assert all(mask == (1 << lanes) - 1 for mask in found.masks)
        assert len(set(found.quads)) == len(found.quads)


@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_packing_takes_fewer_lanes(lanes: int) -> None:
    for corners in CORNERS[:4]:
        assert entries(corners, lanes).lanes < entries(corners, lanes, packs=False).lanes


def test_a_narrow_triangle_takes_a_third_of_the_lanes() -> None:
    assert 3 * entries(CORNERS[3], 16).lanes <= entries(CORNERS[3], 16, packs=False).lanes


def test_a_tile_of_packed_quads_fits_after_a_list_at_its_limit() -> None:
    assert list_capacity(8) >= LIST_LIMIT + HEAD + TILE * TILE + 64
