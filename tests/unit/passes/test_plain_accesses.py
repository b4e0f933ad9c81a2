"""The single loop over plain programs returns the same cells as the query of each instruction."""

from __future__ import annotations

from passes.analysis import facts
from passes.analysis.access import indexed_operands, indexed_registers
from passes.analysis.cells import CellMap
from passes.analysis.reading import plain_accesses
from tests.property.programs import generate
from tgsi.language.text.parser import parse


def test_accesses_of_plain_programs_are_those_of_each_instruction() -> None:
    plain = 0
    for seed in range(300):
        items = (program := parse(generate(seed).text)).instructions
        found, cells = plain_accesses(program), CellMap(program)
        assert (found is None) is bool(cells.groups)
        if found is not None:
            plain += 1
            assert facts.of(program, indexed_registers) == indexed_operands(items)
            assert found == ([cells.reads(item) for item in items], [cells.writes(item) for item in items])
    assert plain > 50
