"""The written reference agrees with the tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tgsi.language.codes import EXPLANATIONS
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.facts.traits import Trait
from tgsi.tools.reference import main, pages

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", sorted(pages()))
def test_generated_file_is_not_stale(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == pages()[name], "run `python -m tgsi.tools.reference`"


def test_nothing_else_lies_beside_the_generated_files() -> None:
    assert {f"docs/reference/{path.name}" for path in (ROOT / "docs/reference").iterdir()} <= set(pages())


def test_every_fact_is_on_its_page() -> None:
    text = pages()
    assert all(f"`{name}`" in text["docs/reference/opcodes.md"] for name, info in OPCODES.items() if Trait.GAP not in info.traits)
    assert all(f"`{name}`" in text["docs/reference/semantics.md"] for name in SEMANTICS)
    assert all(f"`{name}`" in text["docs/reference/properties.md"] for name in PROPERTIES)
    assert all(f"## {code}: " in text["docs/reference/diagnostics.md"] for code in EXPLANATIONS)


def test_main_writes_below_a_directory(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / "docs/reference/opcodes.md").exists()
