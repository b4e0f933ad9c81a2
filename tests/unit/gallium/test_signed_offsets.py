"""PIPE_CAP_SIGNED_VERTEX_BUFFER_OFFSET: elements before the buffer read zeros, all others their bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tgsi import gallium as g

pytestmark = pytest.mark.light

WIDTH = 64
#: A point on each pixel of a row, whose number is that of the vertex (or of the instance), with the color that was fetched.
VS = """VERT
DCL IN[0]
DCL SV[0], {0}
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0]
IMM[0] FLT32 {{0.03125, -0.984375, 0.0, 1.0}}
I2F TEMP[0].x, SV[0].xxxx
MAD OUT[0].x, TEMP[0].xxxx, IMM[0].xxxx, IMM[0].yyyy
MOV OUT[0].yzw, IMM[0].zzzw
MOV OUT[1], IN[0]
END
"""
FS = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
FORMATS: dict[str, tuple[str, int]] = {"R32G32_FLOAT": ("<f4", 2), "R8G8B8A8_UNORM": ("u1", 4), "R16_UINT": ("<u2", 1)}


class Row:
    """A context that draws one row of points from a buffer of noise."""

    def __init__(self, screen: g.Screen, format: str, system_value: str = "VERTEXID", divisor: int = 0) -> None:
        self.format, self.ctx = format, screen.context_create()
        self.target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=WIDTH, height0=1, bind="RENDER_TARGET")
        self.ctx.set_framebuffer_state(cbufs=[self.target])
        self.ctx.set_viewport_states([{"scale": (WIDTH / 2, 0.5, 0.5), "translate": (WIDTH / 2, 0.5, 0.5)}])
        self.ctx.bind_vs_state(self.ctx.create_vs_state(VS.format(system_value)))
        self.ctx.bind_fs_state(self.ctx.create_fs_state(FS))
        self.divisor = divisor
        self.bytes = np.random.default_rng(1).uniform(0.5, 2, 48).astype("<f4").view("u1")
        self.buffer = screen.resource_create(target="BUFFER", width0=len(self.bytes), bind="VERTEX_BUFFER")
        self.ctx.buffer_subdata(self.buffer, self.bytes)

    def bind(self, offset: int, stride: int, src_offset: int = 0) -> None:
        element = {"src_offset": src_offset, "src_format": self.format, "instance_divisor": self.divisor}
        self.ctx.bind_vertex_elements_state(self.ctx.create_vertex_elements_state([element]))
        self.ctx.set_vertex_buffers([{"buffer": self.buffer, "stride": stride, "buffer_offset": offset}])

    def drawn(self, **info: Any) -> NDArray[np.float32]:
        self.ctx.clear("COLOR0", color=(9, 9, 9, 9))
        given: dict[str, Any] = {"mode": "POINTS", "count": WIDTH}
        self.ctx.draw_vbo(**(given | info))
        self.ctx.flush()
        return np.array(self.target.blocks()[0]).view("f4").reshape(WIDTH, 4)

    def expected(self, offset: int, stride: int, src_offset: int = 0) -> NDArray[np.float32]:
        kind, channels = FORMATS[self.format]
        rows = np.tile(np.array([0, 0, 0, 1], "f4"), (WIDTH, 1))
        if self.format.endswith("UINT"):
            rows[:, 3] = np.array([1], "u4").view("f4")
        size = np.dtype(kind).itemsize * channels
        for k in range(WIDTH):
            at = offset + src_offset + k * stride
            values = np.zeros(channels, kind)
            if 0 <= at <= len(self.bytes) - size:
                values = self.bytes[at : at + size].view(kind)
            if kind == "<u2":
                values = values.astype("u4").view("f4")
            rows[k, :channels] = values / np.float32(255) if kind == "u1" else values
        return rows


@pytest.mark.parametrize("format", FORMATS)
def test_elements_before_the_buffer_read_zeros_and_others_their_bytes(screen: g.Screen, format: str) -> None:
    row = Row(screen, format)
    for offset, stride, src_offset in (
        (-40, 8, 0), (-41, 8, 0), (-47, 12, 12), (-3, 12, 12), (-12, 12, 12), (-13, 12, 12), (-190, 4, 0), (-800, 16, 4), (-5000, 16, 0),
        (-1, 0, 0), (-1, 0, 2), (-4, 0, 4), (16, 8, 0), (-(1 << 31), 65536, 0),
    ):  # fmt: skip
        for _ in range(2):  # generated code takes the second draw
            row.bind(offset, stride, src_offset)
            np.testing.assert_array_equal(row.drawn(), row.expected(offset, stride, src_offset))


def test_known_draws_take_each_others_places(screen: g.Screen) -> None:
    """One combination of state, with negative offsets and others by turns: what one draw bound must not stay for the next one."""
    row = Row(screen, "R32G32_FLOAT")
    for offset in (0, -16, 8, -24, 0, -1000, 16, -16, -8):
        row.bind(offset, 8)
        np.testing.assert_array_equal(row.drawn(), row.expected(offset, 8))


def test_indices_and_a_bias_count_from_the_offset(screen: g.Screen) -> None:
    row = Row(screen, "R32G32_FLOAT")
    row.bind(-80, 8)
    index = np.arange(WIDTH, dtype=np.uint16)[::-1].copy()
    np.testing.assert_array_equal(row.drawn(index=index), row.expected(-80, 8))
    found = row.drawn(index=index[4:], index_bias=4, count=WIDTH - 4)
    np.testing.assert_array_equal(found[4:], row.expected(-80, 8)[4:])
    np.testing.assert_array_equal(row.drawn(start=10, count=WIDTH - 10)[10:], row.expected(-80, 8)[10:])


@pytest.mark.parametrize("divisor", [1, 3])
def test_instances_count_from_the_offset(screen: g.Screen, divisor: int) -> None:
    row = Row(screen, "R32G32_FLOAT", "INSTANCEID", divisor)
    row.bind(-40, 8)
    found = row.drawn(count=1, instance_count=WIDTH)
    np.testing.assert_array_equal(found, row.expected(-40, 8)[np.arange(WIDTH) // divisor])
    found = row.drawn(count=1, instance_count=WIDTH - 7, start_instance=7)
    np.testing.assert_array_equal(found[: WIDTH - 7], row.expected(-40, 8)[7 + np.arange(WIDTH - 7) // divisor])


def test_stages_between_fetch_in_the_same_way(screen: g.Screen) -> None:
    row = Row(screen, "R32G32_FLOAT")
    gs = (
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
        "DCL IN[][0], POSITION\nDCL IN[][1], GENERIC[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
        "MOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][1]\nEMIT IMM[0].xxxx\nEND\n"
    )
    row.ctx.bind_gs_state(row.ctx.create_gs_state(gs))
    for offset in (-40, 0, -16):
        row.bind(offset, 8)
        for _ in range(2):
            np.testing.assert_array_equal(row.drawn(), row.expected(offset, 8))
        few = row.drawn(count=8)[:8]
        np.testing.assert_array_equal(few, row.expected(offset, 8)[:8])


def test_arrays_have_offsets_of_both_signs(screen: g.Screen) -> None:
    row = Row(screen, "R32G32_FLOAT")
    row.bind(0, 8)
    row.ctx.set_vertex_buffers([g.VertexBuffer(row.bytes, 8, -24)])
    np.testing.assert_array_equal(row.drawn(), row.expected(-24, 8))


def test_bundles_keep_negative_offsets(screen: g.Screen) -> None:
    row = Row(screen, "R32G32_FLOAT")
    row.bind(-24, 8)
    with row.ctx.record() as bundle:
        bundle.set_vertex_buffers([{"buffer": row.buffer, "stride": 8, "buffer_offset": -40}])
        bundle.draw_vbo(mode="POINTS", count=WIDTH)
    for _ in range(2):
        row.ctx.clear("COLOR0", color=(9, 9, 9, 9))
        row.ctx.replay(bundle)
        row.ctx.flush()
        found = np.array(row.target.blocks()[0]).view("f4").reshape(WIDTH, 4)
        np.testing.assert_array_equal(found, row.expected(-40, 8))


def test_a_draw_waits_for_writes_of_the_whole_buffer(screen: g.Screen) -> None:
    row = Row(screen, "R32G32_FLOAT")
    row.bind(-16, 8)
    row.ctx.clear("COLOR0")
    row.ctx.draw_vbo(mode="POINTS", count=WIDTH)
    before = row.expected(-16, 8)
    row.ctx.buffer_subdata(row.buffer, np.zeros(len(row.bytes), "u1"))  # after the draw, which may be pending
    row.ctx.flush()
    found = np.array(row.target.blocks()[0]).view("f4").reshape(WIDTH, 4)
    np.testing.assert_array_equal(found, before)


def test_offsets_that_32_bits_cannot_hold_are_refused(screen: g.Screen) -> None:
    row = Row(screen, "R32G32_FLOAT")
    with pytest.raises(ValueError, match="buffer_offset"):
        row.bind(-(1 << 31) - 1, 8)
    assert screen.get_param("SIGNED_VERTEX_BUFFER_OFFSET") == 1
