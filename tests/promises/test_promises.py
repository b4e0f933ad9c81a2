"""Every name of the documents has a test or a row of docs/deviations.md, and the written pages agree with the tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from backends.gallium.screen.caps import CAPFS, CAPS, COMPUTE_CAPS, shader_caps
from backends.pipe.enums import ShaderType
from tests.promises import names, tables
from tests.promises.pages import main, pages
from tests.promises.tables import ROOT, find_tests, read

TABLES = sorted(path.name for path in tables.HERE.glob("*.txt"))


@pytest.mark.parametrize("page", sorted(pages()))
def test_a_written_page_is_not_stale(page: str) -> None:
    assert (ROOT / page).read_text(encoding="utf-8") == pages()[page], "run `python -m tests.promises.pages`"


def test_pages_are_written_below_a_directory(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / "docs/caps.md").exists()


@pytest.mark.parametrize("table", TABLES)
def test_every_row_has_a_test_or_a_row_of_deviations(table: str) -> None:
    assert [row.text for row in read(table) if not row.tests and not row.deviations] == []


@pytest.mark.parametrize("prefix", names.CAPS)
def test_every_cap_of_the_documents_has_its_row(prefix: str) -> None:
    section = prefix.partition(" ")[0]
    rows = [row.names[0] for row in read("caps.txt") if row.section == section]
    assert len(rows) == len(set(rows))
    assert set(names.CAPS[prefix]) - set(rows) == set()


def test_every_cap_that_is_answered_has_its_row() -> None:
    answered = {"PIPE_CAP": CAPS, "PIPE_CAPF": CAPFS, "PIPE_SHADER_CAP": shader_caps(ShaderType.VERTEX), "PIPE_COMPUTE_CAP": COMPUTE_CAPS}
    for section, caps in answered.items():
        assert {row.names[0] for row in read("caps.txt") if row.section == section} == set(caps)


@pytest.mark.parametrize(
    "reference", ["a_test_that_is_not_there", "unknown_name_says_what_is_near", "the_field_changes_pixels[Nothing.at_all]"]
)
def test_a_reference_without_its_test_is_refused(reference: str) -> None:
    with pytest.raises(ValueError, match=reference.partition("[")[0]):
        list(find_tests(reference))


def test_a_named_test_is_a_function_that_pytest_collects() -> None:
    (found,) = find_tests("promises::a_named_test_is_a_function_that_pytest_collects")
    assert (found.path, found.name) == ("tests/promises/test_promises.py", "test_a_named_test_is_a_function_that_pytest_collects")
