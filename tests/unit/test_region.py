"""Memory of pending work: chunks that stay for the next frame."""

from __future__ import annotations

import pytest

from backends.device.region import ALIGNMENT, Region

CHUNK = 1 << 12


def fill(region: Region, chunks: int) -> set[int]:
    """Fill some chunks and empty the region. Returns the addresses."""
    places = {region.allocate(CHUNK - 2 * ALIGNMENT) for _ in range(chunks)}
    assert len(places) == chunks
    region.reset()
    return places


def spare(region: Region) -> int:
    return len(region._spare)


def test_as_many_chunks_stay_as_a_busy_frame_fills() -> None:
    region = Region(CHUNK, 2, busy=16)
    first = fill(region, 13)
    assert spare(region) == 12  # besides the one that is being filled
    assert fill(region, 13) == first


def test_chunks_go_after_the_frames_that_needed_them() -> None:
    region = Region(CHUNK, 2, busy=16)
    fill(region, 13)
    found = []
    for _ in range(5):
        fill(region, 1)
        found.append(spare(region))
    assert found == [6, 3, 2, 2, 2]


@pytest.mark.parametrize(("least", "busy", "filled", "want"), [(2, 4, 13, 4), (3, 0, 13, 3), (0, 0, 13, 0), (5, 16, 3, 2)])
def test_no_more_chunks_stay_than_are_allowed_or_were_made(least: int, busy: int, filled: int, want: int) -> None:
    region = Region(CHUNK, least, busy=busy)
    fill(region, filled)
    assert spare(region) == want
