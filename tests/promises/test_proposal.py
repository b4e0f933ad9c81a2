"""Every rule of the linkage proposal that docs/linkage-rules.md lists names tests that exist, or says why nothing holds it."""

from __future__ import annotations

import re

from tests.promises import tables

DOCUMENT = tables.ROOT / "docs/linkage-rules.md"
RULES = 100
"""Rules that the document has at least."""


def rows() -> list[tuple[int, str, str]]:
    """Number, rule and last column of each row."""
    return [
        (int(n), rule, held)
        for n, rule, held in re.findall(r"^\| (\d+) \| (.+?) \| (.+?) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    ]


def named(held: str) -> list[tuple[str, str]]:
    """Module and name, without test_, of each test of a row."""
    return re.findall(r"`(tests/[\w/]+\.py)::test_(\w+)`", held)


def test_rules_of_the_proposal_are_numbered_and_each_stands_once() -> None:
    found = rows()
    assert [number for number, _, _ in found] == list(range(1, len(found) + 1))
    assert len({rule for _, rule, _ in found}) == len(found) >= RULES
    assert len(re.findall(r"^\| \d", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)) == len(found), "a row that cannot be read"


def test_every_rule_of_the_proposal_has_a_test_or_a_reason() -> None:
    without = [f"{number}: {rule}" for number, rule, held in rows() if not named(held) and not re.fullmatch(r"Not held: .{20,}", held)]
    assert without == []


def test_tests_that_hold_rules_of_the_proposal_exist() -> None:
    tree = tables.tests_of_the_tree()
    references = [(number, path, name) for number, _, held in rows() for path, name in named(held)]
    missing = [f"{number}: {path}::test_{name}" for number, path, name in references if path not in tree.get(name, ())]
    assert missing == []


def test_nothing_but_tests_stands_beside_a_rule_that_has_them() -> None:
    assert [held for _, _, held in rows() if named(held) and held.replace("<br>", "").count("`") != 2 * len(named(held))] == []
