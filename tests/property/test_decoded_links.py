"""The link of every profile, decoded back, equals that of the software profile, or the link is refused, or a finding names the input."""

from __future__ import annotations

from collections import Counter

import pytest

from linkage import PROFILES, link_chain
from linkage.link import connect
from tests.property.decoded_links import READERS, decoded, expected
from tests.property.linked_pairs import as_geometry, pair
from tests.unit.linkage.programs import frag
from tgsi.language.diagnostics import Diagnostic, LinkError, Severity
from tgsi.language.text.parser import parse

SEEDS = range(250)
NAMES = {"K015", "K034", "K036"}
"""Warnings about a value that differs from the software profile's: not surely written, fed by nothing, a quirk of the device."""


def check_refusal(found: tuple[Diagnostic, ...]) -> None:
    errors = [item for item in found if item.severity is Severity.ERROR]
    assert errors
    for item in errors:
        assert item.hint, f"no way out: {item}"
        assert item.labels or "the pair" in item.message or "OUT[" in item.message or "program" in item.message, f"no place: {item}"


def differences(seed: int, profile: str, rare: float, *, geometry: bool = False) -> Counter[str]:
    """Compare a link. Counts the compared values, so that the test can check that there were some."""
    made = pair(seed, rare=rare, geometry=geometry)
    try:
        table = connect(made.vertex, made.fragment, profile, state=made.state, options=made.options)
    except LinkError as error:
        check_refusal(error.diagnostics)
        return Counter(refused=1)
    named = [item.message for item in table.findings if item.code in NAMES]
    wanted, got = expected(made, table), decoded(made, table)
    assert wanted.keys() == got.keys()
    seen = Counter(linked=1)
    for (register, channel), values in wanted.items():
        if got[register, channel] == values:
            seen["equal"] += 1
            continue
        assert any(f"IN[{register}]" in text for text in named), (
            f"seed {seed}: IN[{register}].{'xyzw'[channel]}: {values} on software, {got[register, channel]} on {profile}\n{table}\n{made}"
        )
        seen["named"] += 1
    return seen


def test_every_profile_that_links_has_a_decoder() -> None:
    assert READERS.keys() | {"software", "i965"} == PROFILES.keys()


@pytest.mark.parametrize("rare", [0.0, 0.15])
@pytest.mark.parametrize("profile", READERS)
def test_decoded_links_differ_from_the_software_profile_only_where_a_finding_says_so(profile: str, rare: float) -> None:
    seen = sum((differences(seed, profile, rare) for seed in SEEDS), Counter[str]())
    assert seen["linked"] > 10
    assert seen["equal"] > seen["named"] > 0


@pytest.mark.parametrize("profile", ["nv50", "r600", "svga10"])
def test_decoded_links_of_geometry_programs_differ_only_where_a_finding_says_so(profile: str) -> None:
    seen = sum((differences(seed, profile, 0.0, geometry=True) for seed in range(100)), Counter[str]())
    assert seen["linked"] > 10
    assert seen["equal"] > seen["named"] > 0


def test_nv50_maps_of_vertex_and_geometry_programs_decode_to_their_table() -> None:
    equal = 0
    for seed in range(100):
        made = pair(seed, rare=0.0)
        geometry = parse(as_geometry(made.fragment))
        try:
            table, _ = link_chain(made.vertex, geometry, frag(), profile="nv50")
        except LinkError as error:
            check_refusal(error.diagnostics)
            continue
        assert table.device is not None
        entries, results = iter(table.device.block("map").values), table.device.block("results").values
        open_reads = {(u.input_register, c) for u in table.unwritten for c in range(4) if u.never >> c & 1}
        for row in table.rows:
            for channel in (c for c in range(4) if row.usage_mask >> c & 1):
                code = next(entries)
                if row.output_register is None or (row.input_register, channel) in open_reads:
                    assert code == (0x41 if channel == 3 else 0x40)
                else:
                    assert results[code] == row.output_register << 2 | channel
                    equal += 1
        assert next(entries, None) is None
    assert equal > 500
