"""Texels of neighboring pixels: words that follow each other are loaded at once, and the words are those of a gather either way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.llvm.builder.function import I32, PTR, Function, Val
from backends.llvm.sampling.rows import are_in_step, load_rows
from tests.unit.llvm.support import evaluate

MEMORY = np.arange(1000, 1000 + 256, dtype=np.int32)

VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
"""
FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END
"""
TWICE = """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL SAMP[0..1]
DCL SVIEW[0..1], 2D, FLOAT
DCL TEMP[0..1]
IMM[0] FLT32 {0.5, 0.0, 0.0, 0.0}
TEX TEMP[0], IN[0], SAMP[0], 2D
TEX TEMP[1], IN[0], SAMP[1], 2D
ADD TEMP[0], TEMP[0], TEMP[1]
MUL OUT[0], TEMP[0], IMM[0].xxxx
END
"""
"""Programs with several samples call functions for them, which read rows."""


def _offsets(lanes: int, row: int) -> NDArray[np.int32]:
    """Offsets in step: each row begins somewhere else."""
    return np.array([4 * (3 + 17 * (lane // row) + lane % row) for lane in range(lanes)], np.int32)


@pytest.mark.parametrize(("lanes", "row"), [(8, 4), (16, 8), (32, 16), (64, 8)])
def test_only_rows_that_follow_texel_by_texel_are_in_step(lanes: int, row: int) -> None:
    def ask(given: NDArray[np.int32]) -> bool:
        def body(f: Function, offsets: Val) -> Val:
            return f.select(are_in_step(f, [offsets], row, 4), f.const(offsets.type, 1), f.const(offsets.type, 0))

        return bool(evaluate(body, given, type=I32, out=np.int32)[0])

    offsets = _offsets(lanes, row)
    assert ask(offsets)
    for lane in range(lanes):
        for change in (4, -4, 1 << 20):
            moved = offsets.copy()
            moved[lane] += change
            assert not ask(moved)


@pytest.mark.parametrize(("lanes", "row"), [(8, 4), (16, 8), (32, 16), (64, 8)])
def test_words_of_rows_are_those_at_the_offsets(lanes: int, row: int) -> None:
    def body(f: Function, offsets: Val) -> Val:
        base = f.emit(PTR, f"inttoptr i64 {MEMORY.ctypes.data} to ptr")
        return load_rows(f, I32, base, offsets, row)

    offsets = _offsets(lanes, row)
    assert np.array_equal(evaluate(body, offsets, type=I32, out=np.int32), MEMORY[offsets // 4])


SHIFTS: dict[str, Sequence[tuple[float, float]]] = {
    "NEAREST": ((0, 0), (1, 0), (-3, 2), (40, -7)),
    "LINEAR": ((0, 0), (-3, 2), (40, -7), (0.5, 0), (-2.75, 0.5), (66.5, 0.25)),
}


def _shifted(texels: NDArray[np.uint8], shift: tuple[float, float], wraps: bool) -> NDArray[np.float64]:
    """The mean of four texels for each pixel, (height, width, 4), by the fractions of the shift."""
    found = np.zeros(texels.shape)
    for dy, dx in ((0, 0), (0, 1), (1, 0), (1, 1)):
        weight = 1.0
        places = []
        for size, moved, second in zip(texels.shape, reversed(shift), (dy, dx)):
            fraction = moved - np.floor(moved)
            weight *= fraction if second else 1 - fraction
            index = np.arange(size) + int(np.floor(moved)) + second
            places.append(index % size if wraps else np.clip(index, 0, size - 1))
        found += weight * texels[places[0]][:, places[1]]
    return found


@pytest.mark.parametrize("lanes", [8, 16, 32, 64])
@pytest.mark.parametrize("image", SHIFTS)
@pytest.mark.parametrize("wrap", ["CLAMP_TO_EDGE", "REPEAT"])
@pytest.mark.parametrize("fragment", [FRAGMENT, TWICE], ids=["once", "twice"])
def test_a_picture_drawn_texel_by_texel_and_beyond_its_edges_is_that_picture(fragment: str, image: str, wrap: str, lanes: int) -> None:
    width, height = 70, 50
    texels = np.random.default_rng(5).integers(0, 16, (height, width, 4), dtype=np.uint8) * 16  # means are whole numbers
    with tgsi.Screen(threads=0, lanes=lanes) as screen, screen.context_create() as ctx:
        target, texture = (screen.resource_create(width0=width, height0=height, bind=bind) for bind in ("RENDER_TARGET", "SAMPLER_VIEW"))
        ctx.texture_subdata(texture, texels)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (width / 2, height / 2, 0.5), "translate": (width / 2, height / 2, 0.5)}])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        filters: dict[str, Any] = {"min_img_filter": image, "mag_img_filter": image, "min_mip_filter": "NONE"}
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(wrap_s=wrap, wrap_t=wrap, **filters)] * 2)
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)] * 2)
        for shift in SHIFTS[image]:
            corners = np.array([[-1, -1], [3, -1], [-1, 3]], np.float32)
            places = (corners + 1) / 2 + np.array(shift, np.float32) / (width, height)
            vertices = np.concatenate([corners, places.astype(np.float32)], axis=1)
            buffer = screen.resource_create(target="BUFFER", format="R8_UNORM", width0=vertices.nbytes, bind="VERTEX_BUFFER")
            ctx.buffer_subdata(buffer, vertices)
            ctx.set_vertex_buffers([{"buffer": buffer, "stride": 16}])
            ctx.bind_vertex_elements_state(
                ctx.create_vertex_elements_state(
                    [{"src_offset": 0, "src_format": "R32G32_FLOAT"}, {"src_offset": 8, "src_format": "R32G32_FLOAT"}],
                )
            )
            ctx.draw_vbo(mode="TRIANGLES", count=3)
            found = np.empty_like(texels)
            ctx.texture_read(target, found)
            assert np.array_equal(found, _shifted(texels, shift, wrap == "REPEAT"))
