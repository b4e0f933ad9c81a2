"""Both directions of every region agree: an address leads to a place, and the place to the address."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from backends.nvk.isbe.attributes import Attributes
from backends.nvk.isbe.index_map import IndexMap
from backends.nvk.isbe.mesh_output import MeshOutput
from backends.nvk.isbe.regions import PlainRegion, Region, Side
from backends.nvk.isbe.skew import block_bytes, plain, skewed
from backends.nvk.isbe.task_output import TaskOutput

ROW_BYTES = st.integers(1, 128).map(lambda words: 4 * words)
ROWS = st.sets(st.integers(0, 0xFF), max_size=20).map(lambda words: Attributes(tuple(4 * word for word in sorted(words))))


@settings(deadline=None, max_examples=100, derandomize=True)
@given(ROW_BYTES, st.integers(0, 1 << 20))
def test_skew_and_unskew_are_inverse(row_bytes: int, address: int) -> None:
    assert plain(skewed(address, row_bytes), row_bytes) == address
    assert skewed(plain(address, row_bytes), row_bytes) == address


@settings(deadline=None, max_examples=100, derandomize=True)
@given(ROW_BYTES, st.integers(0, 7))
def test_skew_permutes_each_block(row_bytes: int, block: int) -> None:
    size = block_bytes(row_bytes)
    addresses = range(block * size, block * size + size, 4)
    assert sorted(skewed(address, row_bytes) for address in addresses) == list(addresses)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(ROWS, ROWS, st.integers(1, 256), st.integers(1, 256), st.integers(0, 1000), st.booleans(), st.data())
def test_every_address_of_a_mesh_output_has_one_place(
    vertex: Attributes, primitive: Attributes, vertices: int, primitives: int, shared: int, skew: bool, data: st.DataObject
) -> None:
    output = MeshOutput(vertex, primitive, vertices, primitives, shared)
    if output.size:
        address = data.draw(st.integers(0, output.size - 1))
        assert output.address(output.at(address, skew), skew) == address


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.integers(0, 500), st.integers(0, 500))
def test_every_address_of_a_task_output_has_one_place(payload: int, shared: int) -> None:
    output = TaskOutput(payload, shared)
    places = [output.at(address) for address in range(output.size)]
    assert [output.address(place) for place in places] == list(range(output.size))
    assert len(set(places)) == output.size


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.integers(1, 3), st.integers(1, 256), st.sampled_from(Side))
def test_every_address_of_a_map_has_one_place(corners: int, primitives: int, side: Side) -> None:
    index_map = IndexMap(corners, primitives, side)
    assert [index_map.address(index_map.at(address)) for address in range(index_map.size)] == list(range(index_map.size))


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.sampled_from([Region.PATCH, Region.PRIM]), st.integers(1, 100))
def test_every_address_of_a_plain_region_has_one_place(region: Region, size: int) -> None:
    plain_region = PlainRegion(region, size)
    assert [plain_region.address(plain_region.at(address)) for address in range(size)] == list(range(size))
