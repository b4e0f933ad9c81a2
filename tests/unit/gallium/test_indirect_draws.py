"""Indirect draws whose number lies in a buffer, and draws with the field `indexed`."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tgsi import gallium as g

from .test_draw import QUAD, colored, pixels, target_of

pytestmark = pytest.mark.light


def _points(ctx: g.Context, number: int) -> None:
    """Bind `number` points; point k lies in the middle of pixel (k, 0)."""
    x = (2 * np.arange(number) + 1) / 16 - 1
    place = np.stack([x, np.full(number, 1 / 16 - 1)], axis=1)
    ctx.set_vertex_buffers([colored(place.astype(np.float32), (1, 1, 1, 1))])


def _drawn(ctx: g.Context, target: g.Resource) -> list[int]:
    found: NDArray[np.generic] = pixels(ctx, target)
    return np.flatnonzero(found.any(axis=(0, 2))).tolist()


def _buffer(screen: g.Screen, ctx: g.Context, words: list[int]) -> g.Resource:
    made = screen.resource_create(target="BUFFER", width0=4 * len(words))
    ctx.buffer_subdata(made, np.array(words, np.uint32))
    return made


@pytest.mark.parametrize(("count", "most", "expected"), [(0, 4, 0), (1, 4, 1), (3, 4, 3), (4, 4, 4), (9, 2, 2), (0xFFFFFFFF, 4, 4)])
def test_the_number_of_draws_is_the_word_of_a_buffer_but_at_most_draw_count(
    screen: g.Screen, drawing: g.Context, count: int, most: int, expected: int
) -> None:
    target = target_of(screen, drawing)
    _points(drawing, 8)
    records = _buffer(screen, drawing, [word for k in range(4) for word in (1, 1, 2 * k, 0, 77, 77)])
    counts = _buffer(screen, drawing, [7, 7, count, 7])
    drawing.draw_vbo(
        mode="POINTS", indirect=records, indirect_stride=24, draw_count=most, indirect_draw_count=counts, indirect_draw_count_offset=8
    )
    assert _drawn(drawing, target) == [0, 2, 4, 6][:expected]


def test_records_beyond_the_buffer_do_not_matter_if_the_count_excludes_them(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    _points(drawing, 8)
    records, counts = _buffer(screen, drawing, [2, 1, 3, 0]), _buffer(screen, drawing, [1])
    drawing.draw_vbo(mode="POINTS", indirect=records, draw_count=1000, indirect_draw_count=counts)
    assert _drawn(drawing, target) == [3, 4]


def test_a_count_that_a_grid_wrote_is_read_after_the_grid(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    _points(drawing, 8)
    records, counts = _buffer(screen, drawing, [1, 1, 1, 0, 1, 1, 5, 0]), _buffer(screen, drawing, [0])
    program = "COMP\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 2, 0, 0}\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\nEND\n"
    drawing.bind_compute_state(drawing.create_compute_state(program))
    drawing.set_shader_buffers("COMPUTE", [g.ShaderBuffer(counts)])
    drawing.launch_grid(grid=(1, 1, 1), block=(1, 1, 1))
    drawing.draw_vbo(mode="POINTS", indirect=records, draw_count=2, indirect_draw_count=counts)
    assert _drawn(drawing, target) == [1, 5]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"indirect_draw_count_offset": 4}, "indirect_draw_count: a word at 4 does not fit"),
        ({"indirect_draw_count_offset": 2}, "indirect_draw_count: a word at 2 does not fit"),
        ({"indirect": None}, "indirect: several draws need it"),
        ({"draw_count": 1 << 20}, "draw_count: 1048576 is not in"),
    ],
)
def test_counts_outside_of_their_buffer_are_refused(screen: g.Screen, drawing: g.Context, given: dict[str, object], message: str) -> None:
    target_of(screen, drawing)
    _points(drawing, 8)
    wanted = {"indirect": _buffer(screen, drawing, [1, 1, 0, 0]), "indirect_draw_count": _buffer(screen, drawing, [1])} | given
    with pytest.raises(ValueError, match=message):
        drawing.draw_vbo(mode="POINTS", **wanted)  # type: ignore[arg-type]


def test_indexed_reads_indices_of_the_size_that_the_index_buffer_was_bound_with(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    _points(drawing, 8)
    bytes_ = screen.resource_create(target="BUFFER", width0=8)
    drawing.buffer_subdata(bytes_, np.array([7, 0, 2, 0, 5, 0, 1, 0], np.uint8))
    drawing.set_index_buffer(bytes_, index_size=2, index_offset=2)
    info = g.DrawInfo(mode=g.Prim.POINTS, count=2, indexed=True)
    for _ in range(3):
        drawing.draw_vbo(info)
    assert _drawn(drawing, target) == [2, 5]
    drawing.set_index_buffer(np.array([6, 3], np.uint32))
    drawing.draw_vbo(info)
    assert _drawn(drawing, target) == [2, 3, 5, 6]


def test_without_indexed_a_bound_index_buffer_is_not_read(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    _points(drawing, 8)
    drawing.set_index_buffer(np.array([6, 7], np.uint8))
    drawing.draw_vbo(mode="POINTS", count=2, indexed=False)
    assert _drawn(drawing, target) == [0, 1]


def test_indirect_records_of_indexed_draws_have_five_words(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    _points(drawing, 8)
    drawing.set_index_buffer(np.array([5, 1, 4], np.uint16))
    records = _buffer(screen, drawing, [1, 1, 1, 0xFFFFFFFF, 0, 1, 1, 2, 3, 0])
    drawing.draw_vbo(mode="POINTS", indexed=True, indirect=records, draw_count=2)
    assert _drawn(drawing, target) == [0, 7]


def test_indexed_without_a_size_or_a_buffer_is_refused(screen: g.Screen, drawing: g.Context) -> None:
    target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD, (1, 1, 1, 1))])
    with pytest.raises(ValueError, match="indexed: bind an index buffer and give"):
        drawing.draw_vbo(mode="POINTS", count=1, indexed=True)
    other = screen.resource_create(target="BUFFER", width0=8)
    for _ in range(2):  # the second time by a native entry
        drawing.set_index_buffer(other, index_size=1)
        drawing.set_index_buffer(other)
    with pytest.raises(ValueError, match="indexed: bind an index buffer and give"):
        drawing.draw_vbo(mode="POINTS", count=1, indexed=True)
    drawing.set_index_buffer(None, index_size=2)
    with pytest.raises(ValueError, match="indexed: bind an index buffer and give"):
        drawing.draw_vbo(mode="POINTS", count=1, indexed=True)
    with pytest.raises(ValueError, match="index_size: 0, 1, 2 or 4 bytes, not 3"):
        drawing.set_index_buffer(None, index_size=3)
    with pytest.raises(ValueError, match="indexed: give index_size instead"):
        drawing.draw_many(np.zeros(2, [("start", np.uint32)]), mode="POINTS", count=1, indexed=True)
