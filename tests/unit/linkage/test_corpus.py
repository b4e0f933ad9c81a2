"""Every real pair of a vertex and a fragment program with a common semantic links under every profile, or exceeds the device's limits."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from linkage import PROFILES, Linker, interface_of, link
from linkage.dump import as_json
from tgsi.language.diagnostics import LinkError, ParseError
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
REFUSALS = {"K020", "K021", "K022", "K030", "K031", "K032", "K033", "K035"}
SAMPLE = 150
"""Number of pairs of the closer look."""


def load(stage: str) -> list[Program]:
    programs = []
    for path in sorted(CORPUS.glob(f"{stage}-*.tgsi")):
        try:
            programs.append(parse(path.read_text(), name=path.name))
        except ParseError:
            continue  # other tests cover the parser
    return programs


def pairs() -> list[tuple[Program, Program]]:
    found = []
    fragments = load("FRAG")
    for vertex in load("VERT"):
        outputs = interface_of(vertex).by_semantic
        found += [(vertex, f) for f in fragments if any(i.semantic in outputs for i in interface_of(f).varyings)]
    return found


def distinct(everything: list[tuple[Program, Program]]) -> list[tuple[Program, Program]]:
    """One pair of each pair of interfaces."""
    found = {(repr(interface_of(vertex)), repr(interface_of(fragment))): (vertex, fragment) for vertex, fragment in everything}
    return list(found.values())


def link_all(chosen: list[tuple[Program, Program]]) -> Counter[tuple[str, str]]:
    """Result by profile: "linked" or the first code of the error."""
    results: Counter[tuple[str, str]] = Counter()
    for vertex, fragment in chosen:
        for profile in PROFILES:
            try:
                link(vertex, fragment, profile)
                results[profile, "linked"] += 1
            except LinkError as error:
                codes = {d.code for d in error.diagnostics if d.severity.value == "error"}
                assert codes, "an error that says nothing"
                assert codes <= REFUSALS
                results[profile, min(codes)] += 1
    return results


def patched(vertex: Program, fragment: Program) -> set[str]:
    """Codes of errors in the fragment program's patched tokens."""
    try:
        Linker(fragment).link(vertex)
    except LinkError as error:
        return {d.code for d in error.diagnostics}
    return set()


@pytest.mark.peers
@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not here")
def test_a_sample_of_real_pairs_links_under_every_profile_or_says_why_not() -> None:
    everything = pairs()
    chosen = everything[:: max(1, len(everything) // SAMPLE)]
    results = link_all(chosen)
    assert results["software", "linked"] == results["nv50", "linked"] + results["nv50", "K030"] == len(chosen)
    assert results["i965", "K035"] == len(chosen)
    assert all(results[profile, "linked"] > 0 for profile in PROFILES if profile != "i965")
    for vertex, fragment in chosen[::10]:
        table = link(vertex, fragment, "r600")
        assert str(table)
        assert as_json(table)["device"]
        assert patched(vertex, fragment) in (set(), {"K022"})


@pytest.mark.peers
@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not here")
def test_every_pair_of_real_interfaces_links_under_every_profile_or_says_why_not() -> None:
    chosen = distinct(pairs())
    assert len(chosen) > 700
    assert link_all(chosen)["software", "linked"] == len(chosen)


@pytest.mark.nightly
@pytest.mark.peers
@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not here")
def test_every_real_pair_links_under_every_profile_or_says_why_not() -> None:
    everything = pairs()
    results = link_all(everything)
    assert results["software", "linked"] == len(everything)
