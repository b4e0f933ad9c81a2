"""The system refuses memory, threads or files: a call raises MemoryError or does without, and the context goes on."""

from __future__ import annotations

import ctypes
import mmap
import subprocess
import sys
from collections.abc import Iterator

import pytest

from backends.device import region as region_module
from backends.device.commands.slot_table import SlotTable
from backends.device.region import Region, reserved
from tests.campaigns import injector
from tests.campaigns.faults import check, inject
from tests.campaigns.frames import NAMES, Frames
from tests.fuzz.hostile import ROOT

pytestmark = pytest.mark.light

FEW = ("plain", "known", "geometry", "compute", "resized", "recorded")


@pytest.fixture
def frames() -> Iterator[Frames]:
    made = Frames(threads=2)
    yield made
    made.close()


def test_the_hook_of_numpy_refuses_memory() -> None:
    assert injector.works()


@pytest.mark.parametrize("name", FEW)
def test_a_frame_whose_arrays_are_refused_is_drawn_afterwards(frames: Frames, name: str) -> None:
    check(frames, name)
    most = inject(frames, "numpy", name, None)[1]
    assert most > 3
    outcomes = set()
    for number in range(0, most, -(-most // 4)):
        outcomes.add(inject(frames, "numpy", name, number)[0])
        check(frames, name)
    assert "refused" in outcomes


@pytest.mark.parametrize("number", [0, 7, 40])
def test_a_frame_whose_arenas_are_refused_is_drawn_afterwards(frames: Frames, number: int) -> None:
    assert inject(frames, "mapping", "resized", number)[0] == "refused"
    check(frames, "resized", "plain")


@pytest.mark.parametrize("number", [0, 1])
def test_the_caller_draws_alone_where_threads_are_refused(frames: Frames, number: int) -> None:
    assert inject(frames, "thread", "plain", number)[0] == "not needed"
    check(frames, "plain", "large")


def test_a_name_of_a_frame_is_drawn_by_all_frames() -> None:
    assert set(FEW) < set(NAMES)


def test_refused_pages_are_a_memory_error_with_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object, **options: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(mmap, "mmap", refuse)
    with pytest.raises(MemoryError, match="the system has no 1064 bytes of memory left: Cannot allocate memory"):
        reserved(1000)


def test_a_region_hands_no_memory_out_twice_after_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    region = Region(1 << 12, spare=8)
    region.allocate(3000)
    with monkeypatch.context() as patch:
        patch.setattr(region_module, "aligned", lambda size: (_ for _ in ()).throw(MemoryError("no more")))
        for _ in range(3):
            with pytest.raises(MemoryError):
                region.allocate(3000)
    region.allocate(3000)
    region.reset()
    given = [region.allocate(3000) for _ in range(6)]
    assert len(set(given)) == 6


class Slot(ctypes.Structure):
    """An entry of the tests."""

    _fields_ = [("value", ctypes.c_uint64)]


def test_a_table_that_cannot_grow_stays_as_it_is() -> None:
    places: list[int] = []
    refused = False

    def hash_of(key: int) -> int:
        if refused:
            raise MemoryError
        return key

    table: SlotTable[int] = SlotTable(Slot, hash_of, lambda address, _: places.append(address), fewest=8)
    for key in range(1, 5):
        table.put(key, key)
    refused = True
    with pytest.raises(MemoryError):
        table.put(5, 5)
    assert len(table) == 4
    assert 5 not in table
    assert ctypes.addressof(table.slots) == places[-1]
    refused = False
    table.put(5, 5)
    table.put(5, 6)
    assert table.get(5) == (6,)
    assert sorted(slot.value for slot in table.slots if slot.value) == [1, 2, 3, 4, 6]


LIMITED = """
import sys
import numpy.random  # numpy loads it later, and reports an ImportError where memory is short
from tests.campaigns.frames import KINDS, Frames
from tests.campaigns.limits import limited
frames = None
try:
    with limited(int(sys.argv[1]) << 20):
        frames = Frames(threads=1)
        for name in sys.argv[2:]:
            KINDS[name](frames)
except MemoryError:
    pass
frames = frames or Frames(threads=1)
print([KINDS[name](frames).hex() for name in sys.argv[2:]])
frames.close()
"""


@pytest.fixture(scope="module")
def unlimited() -> str:
    return _limited(8000)


def _limited(room: int) -> str:
    command = [sys.executable, "-c", LIMITED, str(room), "plain", "resized", "geometry"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("room", range(5, 205, 5))
def test_a_new_process_lives_under_any_limit_of_its_address_space(unlimited: str, room: int) -> None:
    assert _limited(room) == unlimited
