"""The single loop over plain programs returns the same cells as the query of each instruction."""

from __future__ import annotations

from passes.analysis.cells import CellMap, plain_accesses
from tests.property.programs import generate
from tgsi.language.text.parser import parse


def test_accesses_of_plain_programs_are_those_of_each_instruction() -> None:
    plain = 0
    for seed in range(300):
        items = (program := parse(generate(seed).text)).instructions
        cells, found = CellMap(program), plain_accesses(items)
        assert (found is None) is any(map(CellMap.has_indices, items))
        if found is not None and not cells.groups:
            plain += 1
            assert found == ([cells.reads(item) for item in items], [cells.writes(item) for item in items])
    assert plain > 20
