"""Links of plain pairs, which are put together from parts of the two programs, are those that the profile's `build` makes."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from dataclasses import replace

import pytest

from linkage import PROFILES, PairCache, link
from linkage.options import DEFAULT
from linkage.scheme import link_pair
from tests.property.linked_pairs import pair
from tests.unit.linkage.programs import frag, vert
from tgsi.language.diagnostics import LinkError
from tgsi.language.program import Program

DEVICES = sorted(name for name, profile in PROFILES.items() if profile.plain is not None)
COUNT = 60


def programs(seed: int) -> tuple[Program, Program]:
    made = pair(seed, rare=0.02)
    return made.vertex, made.fragment


def test_every_device_has_a_strategy_for_plain_pairs() -> None:
    assert {*DEVICES} == PROFILES.keys() - {"software", "i965"}


@pytest.mark.parametrize("name", DEVICES)
def test_a_plain_link_is_the_one_that_the_profile_builds(name: str) -> None:
    profile = PROFILES[name]
    slow = replace(profile, plain=None)
    plain = 0
    for seed in range(COUNT):
        vertex, fragment = programs(seed)
        try:
            table = link(vertex, fragment, name)
        except LinkError:
            continue  # every error is one of `build`, or of the limits
        built = link_pair(slow, vertex, fragment, replace(table, device=None), DEFAULT)
        assert table.device is not None
        plain += hasattr(table.device, "_words")
        assert [(b.name, b.width, b.values) for b in table.device.blocks] == [(b.name, b.width, b.values) for b in built.blocks]
        assert table.device == built
        assert table.device.findings == built.findings
    assert plain >= COUNT // 10


def test_texts_of_a_link_are_there_after_its_programs_are_gone() -> None:
    vertex, fragment = vert(("GENERIC", 3), ("FOG", 0)), frag(("GENERIC", 3), ("FOG", 0), ("GENERIC", 9))
    table = link(vertex, fragment, "nv40")
    known = str(link(vertex, fragment, "nv40"))
    gone = weakref.ref(vertex), weakref.ref(fragment)
    del vertex, fragment
    gc.collect()
    assert [reference() for reference in gone] == [None, None]
    assert str(table) == known
    assert "GENERIC[9]" in known


def test_a_cache_of_a_device_keeps_no_program_alive() -> None:
    cache = PairCache("r600")
    vertex, fragment = vert(("GENERIC", 3)), frag(("GENERIC", 3))
    cache.link(vertex, fragment)
    gone = weakref.ref(vertex)
    del vertex
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("name", ["software", "nv30", "r600"])
def test_a_table_whose_texts_were_never_read_can_be_copied_and_pickled(name: str) -> None:
    made = [link(vert(("GENERIC", 3), ("GENERIC", 4)), frag(("GENERIC", 3), ("GENERIC", 5)), name) for _ in range(4)]
    assert copy.copy(made[0]) == made[1]
    assert copy.deepcopy(made[2]) == pickle.loads(pickle.dumps(made[3])) == made[1]
    assert made[0].dead_outputs
    assert made[0].unmatched_inputs


def test_a_late_record_has_no_other_attributes() -> None:
    table = link(vert(("GENERIC", 3)), frag(("GENERIC", 3)), "svga10")
    assert table.device is not None
    for item in (table, table.device, table.device.blocks[0]):
        with pytest.raises(AttributeError, match="no attribute 'colour'"):
            getattr(item, "colour")  # noqa: B009
