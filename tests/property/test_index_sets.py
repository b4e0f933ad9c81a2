"""Any set of legal indices links on every device, as many as it has interpolators, and decodes back to the outputs of the same indices."""

from __future__ import annotations

import random

import pytest

from linkage import PROFILES, link
from linkage.link import connect
from linkage.options import DEFAULT, IDENTITY
from passes.lower.renumber import renumber
from passes.validate.semantics import LIMITS, SOFTWARE, judge
from tests.property.decoded_links import READERS, decoded, expected
from tests.property.linked_pairs import Pair
from tests.unit.linkage.programs import frag, vert
from tgsi.language.diagnostics import LinkError

SEEDS = range(60)
OUTPUTS = 31
"""Outputs next to POSITION, read or not: what our own screen promises."""


def check(profile: str, vertex: list[tuple[str, int]], fragment: list[tuple[str, int]]) -> None:
    """Link a pair and compare the decoded link with the table."""
    pair = Pair(vert(("POSITION", 0), *vertex), frag(*fragment), IDENTITY, DEFAULT)
    table = link(pair.vertex, pair.fragment, profile)
    assert decoded(pair, table) == expected(pair, table)
    assert [row.output_register for row in table.rows] == [vertex.index(item) + 1 for item in fragment]
    assert not table.unmatched_inputs


@pytest.mark.parametrize("profile", READERS)
@pytest.mark.parametrize("has_back", [False, True])
def test_random_legal_index_sets_link_and_decode_back(profile: str, has_back: bool) -> None:
    device = PROFILES[profile]
    last = min(device.semantic_limits.generics(has_back), 65536)
    room = device.interpolators - 2 * has_back  # two colors take two of them where they have no registers of their own
    for seed in SEEDS:
        choose = random.Random(seed)
        count = choose.choice((room, choose.randint(1, room)))
        indices = choose.sample(range(choose.choice((last, min(last, 217 if has_back else 219)))), max(count, OUTPUTS))
        read = [("GENERIC", index) for index in indices[:count]]
        written = [("GENERIC", index) for index in indices[: max(count, choose.randint(count, max(count, OUTPUTS - 2)))]]
        written += [("COLOR", 0), ("BCOLOR", 0)] if has_back else []
        choose.shuffle(written)
        check(profile, written, read)


EDGES = (0, 1, 2, 7, 8, 31, 127, 128, 216, 217, 218, 219, 255, 256, 65535, 65536, (1 << 32) - 1, 1 << 32)
NAMES = ("GENERIC", "GENERIC", "GENERIC", "COLOR", "BCOLOR", "FOG", "PSIZE", "TEXCOORD", "CLIPDIST", "NORMAL", "EDGEFLAG", "PATCH")


def some(choose: random.Random) -> list[tuple[str, int]]:
    """Semantics, most of them legal."""
    made = []
    for _ in range(choose.randint(0, 4)):
        name = choose.choice(NAMES[: choose.choice((4, 8, len(NAMES)))])
        made.append((name, choose.choice(EDGES) if name == "GENERIC" else choose.choice((0, 0, 0, 1, 2, 8))))
    return list(dict.fromkeys(made))


@pytest.mark.parametrize("name", [*LIMITS, "software"])
def test_a_link_refuses_exactly_what_the_judgement_of_both_programs_refuses(name: str) -> None:
    limits = LIMITS.get(name, SOFTWARE)
    seen = set()
    for seed in range(150):
        choose = random.Random(seed)
        pair = vert(("POSITION", 0), *some(choose)), frag(*some(choose))
        wanted = [d.code for program, partner in (pair, pair[::-1]) for d in judge(program, limits, [partner])]
        try:
            link(*pair, limits=limits)
            found = []
        except LinkError as error:
            found = [d.code for d in error.diagnostics]
        assert found == wanted, seed
        seen |= {bool(wanted)}
    assert seen == {True, False}


@pytest.mark.parametrize("name", [name for name in LIMITS if name != "f"])
def test_any_pair_is_legal_after_renumbering_and_its_link_stays(name: str) -> None:
    for seed in range(100):
        choose = random.Random(seed)
        outputs = [item for item in some(choose) if item[0] not in ("COLOR", "BCOLOR")]  # a color may fall back to the other side
        inputs = [item for item in outputs if choose.random() < 0.7] + [("GENERIC", choose.choice(EDGES))]
        pair = vert(("POSITION", 0), *outputs), frag(*dict.fromkeys(inputs))
        made = renumber(pair, LIMITS[name]).programs
        assert [judge(program, LIMITS[name], [partner]) for program, partner in (made, made[::-1])] == [(), ()]
        before, after = connect(*pair), link(made[0], made[1], limits=LIMITS[name])
        assert [row.output_register for row in before.rows] == [row.output_register for row in after.rows]


@pytest.mark.parametrize("profile", READERS)
def test_every_promised_index_links_and_decodes_back(profile: str) -> None:
    for index in range(219):
        check(profile, [("GENERIC", (index + 7) % 219), ("GENERIC", index)], [("GENERIC", index)])
    for index in range(217):
        check(profile, [("BCOLOR", 1), ("GENERIC", index)], [("GENERIC", index)])


@pytest.mark.parametrize("profile", READERS)
def test_the_number_of_interpolators_is_what_the_profile_says(profile: str) -> None:
    count = PROFILES[profile].interpolators
    indices = [("GENERIC", index) for index in range(216, 216 - count, -1)]
    check(profile, indices, indices)


@pytest.mark.parametrize("profile", [name for name in READERS if name not in ("r300", "r500")])  # these have color interpolators, too
def test_one_more_varying_than_interpolators_is_refused(profile: str) -> None:
    indices = [("GENERIC", index) for index in range(PROFILES[profile].interpolators + 1)]
    with pytest.raises(LinkError, match="K030"):
        link(vert(("POSITION", 0), *indices), frag(*indices), profile)
