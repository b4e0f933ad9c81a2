"""The worked addresses of Mesa's page on the layout of ISBE, with its three slips corrected, and sizes in lines."""

from __future__ import annotations

import pytest

from backends.nvk.isbe.attributes import ATTRIBUTES, Attributes, attribute_address
from backends.nvk.isbe.index_map import CountByte, IndexByte, IndexMap, landing
from backends.nvk.isbe.mesh_output import MeshOutput, PrimitiveByte, SharedByte, UnusedRow, VertexByte
from backends.nvk.isbe.regions import IsbeError, Padding, PlainByte, PlainRegion, Region, Side
from backends.nvk.isbe.task_output import PayloadByte, ReservedByte, TaskOutput, TaskSharedByte, TaskWord

POINT_SIZE, POSITION_X = 0x6C, 0x70
EXAMPLE = MeshOutput(Attributes((POINT_SIZE, POSITION_X)), Attributes(()), 256, 256)


@pytest.mark.parametrize(
    ("vertex", "point_size", "position_x"),
    [
        (0, 0x000, 0x080),
        (31, 0x07C, 0x0FC),
        (32, 0x100, 0x180),
        (63, 0x17C, 0x1FC),
        (64, 0x200, 0x280),
        (255, 0x77C, 0x7FC),
    ],
)
def test_point_size_and_position_of_the_worked_example(vertex: int, point_size: int, position_x: int) -> None:
    assert EXAMPLE.address(VertexByte(vertex, POINT_SIZE)) == point_size
    assert EXAMPLE.address(VertexByte(vertex, POSITION_X)) == position_x
    assert EXAMPLE.at(point_size) == VertexByte(vertex, POINT_SIZE)
    assert EXAMPLE.at(position_x + 3) == VertexByte(vertex, POSITION_X, 3)


def test_the_worked_example_takes_0x800_bytes() -> None:
    assert EXAMPLE.size == EXAMPLE.primitive_start == 0x800


@pytest.mark.parametrize(("vertex", "address"), [(0, 0), (31, 248), (32, 256), (63, 504), (64, 512), (255, 2040)])
def test_without_skew_vertices_lie_one_after_the_other(vertex: int, address: int) -> None:
    assert EXAMPLE.address(VertexByte(vertex, POINT_SIZE), skew=False) == address
    assert EXAMPLE.at(address + 4, skew=False) == VertexByte(vertex, POSITION_X)


def test_primitives_follow_the_whole_blocks_of_vertices_and_shared_memory_the_primitives() -> None:
    output = MeshOutput(Attributes((0x70, 0x74, 0x78, 0x7C)), Attributes((0x64, 0x3A0)), 33, 2, shared_bytes=10)
    assert output.primitive_start == 2 * 4 * 128
    assert output.address(PrimitiveByte(1, 0x3A0)) == 1024 + 128 + 4
    assert output.shared_start == 1024 + 2 * 128
    assert output.address(SharedByte(9)) == 1280 + 9
    assert (output.size, output.shared_lines) == (1280 + 128, 1)
    assert output.at(1280 + 10) == Padding(0)
    assert output.at(512 + 4) == UnusedRow(33, 0x70)
    assert output.at(1024 + 8) == UnusedRow(2, 0x64, of_primitives=True)


def test_a_task_reserves_0x20_bytes_and_begins_shared_memory_on_a_line() -> None:
    output = TaskOutput(payload_bytes=100, shared_bytes=130)
    assert [output.address(ReservedByte(word)) for word in (TaskWord.COUNT, TaskWord.X, TaskWord.Y, TaskWord.Z)] == [4, 8, 12, 16]
    assert output.address(PayloadByte(0)) == 0x20
    assert output.shared_start == 256  # 0x20 + 100 is 132
    assert output.address(TaskSharedByte(129)) == 256 + 129
    assert (output.output_lines, output.buffer_lines, output.size) == (2, 4, 512)
    assert output.at(0x12) == ReservedByte(TaskWord.Z, 2)
    assert output.at(132) == Padding(0)


def test_a_task_without_memory_takes_one_line() -> None:
    assert (TaskOutput().output_lines, TaskOutput().buffer_lines) == (1, 1)
    assert TaskOutput(payload_bytes=0x60).output_lines == 1
    assert TaskOutput(payload_bytes=0x61).output_lines == 2


def test_an_output_map_has_a_count_and_an_input_map_has_none() -> None:
    assert IndexMap(3, 256).address(IndexByte(5, 2)) == 4 + 17
    assert IndexMap(3, 256, Side.I).address(IndexByte(5, 2)) == 17
    assert IndexMap(3, 256).at(3) == CountByte(3)
    assert IndexMap(3, 256).size == 896
    with pytest.raises(IsbeError, match="an input MAP holds no count"):
        IndexMap(3, 256, Side.I).address(CountByte(0))


def test_a_32_bit_write_at_3_leaves_the_count_little_endian_at_0() -> None:
    written = bytearray(8)
    for address, byte in zip(landing(0x3, 4), (0x01020304).to_bytes(4, "little")):
        written[address] = byte
    assert int.from_bytes(written[:4], "little") == 0x01020304
    assert landing(9, 1) == (9,)
    assert landing(8, 4, Side.I) == (8, 9, 10, 11)
    with pytest.raises(IsbeError, match="0x3 is the least"):
        landing(2, 4)


def test_regions_have_the_numbers_of_the_page() -> None:
    assert [region.name for region in sorted(Region)] == ["MAP", "PATCH", "PRIM", "ATTR"]


def test_attributes_lie_where_the_hardware_has_them() -> None:
    assert attribute_address("POSITION", component=3) == 0x7C
    assert attribute_address("GENERIC", 31, 3) == 0x27C
    assert attribute_address("CLIPDIST", 1, 3) == 0x2DC
    assert attribute_address("VIEWPORT_MASK") == 0x3A0


def test_no_attributes_overlap_but_clip_vertex_and_the_last_generic() -> None:
    seen: dict[int, str] = {}
    shared = set()
    for name, row in ATTRIBUTES.items():
        for index in range(row.indices):
            for component in range(row.scalars):
                address = attribute_address(name, index, component)
                if address in seen:
                    shared.add((seen[address], name))
                seen[address] = name
    assert shared == {("GENERIC", "CLIPVERTEX")}


@pytest.mark.parametrize(
    ("message", "place"),
    [
        (r"vertex 256 is not in 0 \.\. 255", VertexByte(256, POINT_SIZE)),
        (r"attribute 0x074 is not among those of a row: 0x06c 0x070", VertexByte(0, 0x74)),
        (r"byte of a word 4 is not in 0 \.\. 3", VertexByte(0, POINT_SIZE, 4)),
        (r"attribute 0x06c is not among those of a row: none", PrimitiveByte(0, POINT_SIZE)),
        (r"byte of shared memory 0: there is none", SharedByte(0)),
        (r"row 255: rows 256 \.\. 255 are unused", UnusedRow(255, POINT_SIZE)),
    ],
)
def test_a_place_that_does_not_exist_is_refused_by_name(message: str, place: VertexByte | PrimitiveByte | SharedByte | UnusedRow) -> None:
    with pytest.raises(IsbeError, match=message):
        EXAMPLE.address(place)


def test_an_address_beyond_the_region_is_refused() -> None:
    with pytest.raises(IsbeError, match=r"address in ATTR 2048 is not in 0 \.\. 2047"):
        EXAMPLE.at(0x800)
    with pytest.raises(IsbeError, match="address in MAP -1"):
        IndexMap(1, 1).at(-1)
    with pytest.raises(IsbeError, match=r"address in PRIM 4 is not in 0 \.\. 3"):
        PlainRegion(Region.PRIM, 4).at(4)
    with pytest.raises(IsbeError, match="a byte of PATCH does not lie in PRIM"):
        PlainRegion(Region.PRIM, 4).address(PlainByte(Region.PATCH, 0))


def test_attributes_that_no_hardware_has_are_refused() -> None:
    with pytest.raises(IsbeError, match=r"index of GENERIC 32 is not in 0 \.\. 31"):
        attribute_address("GENERIC", 32)
    with pytest.raises(IsbeError, match="NORMAL has no attribute"):
        attribute_address("NORMAL")
    with pytest.raises(IsbeError, match="multiples of 4 below 0x400"):
        Attributes((0x71,))
    with pytest.raises(IsbeError, match="addresses rise"):
        Attributes((0x74, 0x70))
