"""Functions of the package itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tgsi

SHARED = Path(__file__).parents[3] / "shared" / "corpus"

DOUBLE = "VERT\nDCL IN[0]\nDCL CONST[0]\nDCL OUT[0], POSITION\nMUL OUT[0], IN[0], CONST[0]\nEND\n"
BROKEN = "VERT\nDCL OUT[0], POSITION\nMOV OUT[0], TEMP[0]\nEND\n"


@pytest.mark.parametrize("engine", ["jit", "interp"])
def test_both_engines_run_a_program(engine: str) -> None:
    inputs = np.arange(20, dtype=np.float32).reshape(5, 1, 4)
    result = tgsi.run(tgsi.parse(DOUBLE), inputs, constants={0: [(2.0, 2.0, 2.0, 2.0)]}, engine=engine)
    assert (result.floats[:, 0] == inputs[:, 0] * 2).all()
    assert np.asarray(result).dtype == np.uint32


def test_unknown_engine_and_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="engine: 'gpu' is not one of jit, interp"):
        tgsi.run(tgsi.parse(DOUBLE), engine="gpu")
    with pytest.raises(TypeError, match=r"link: vertex: expected a Program, a text or a SPIR-V module, not int"):
        tgsi.link(1, DOUBLE)  # type: ignore[arg-type]


def test_check_lists_and_validate_raises() -> None:
    program = tgsi.parse(BROKEN)
    found = tgsi.check(program)
    assert any(d.severity is tgsi.Severity.ERROR for d in found)
    with pytest.raises(tgsi.ValidationError):
        tgsi.validate(program)
    with pytest.raises(tgsi.ValidationError):
        tgsi.run(program, np.zeros((1, 1, 4), np.float32))
    assert tgsi.check(tgsi.parse(DOUBLE)) == ()


def test_text_round_trips() -> None:
    program = tgsi.parse(DOUBLE)
    assert tgsi.parse(str(program)) == program


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is not there")
def test_every_real_pair_with_a_common_semantic_links() -> None:
    programs = [tgsi.parse(path.read_text(), name=path.name) for path in sorted(SHARED.glob("*.tgsi"))]
    vertices = [p for p in programs if p.processor is tgsi.Processor.VERT]
    fragments = [p for p in programs if p.processor is tgsi.Processor.FRAG]
    linked = 0
    for vertex in vertices[::4]:
        for fragment in fragments[::8]:
            table = tgsi.link(vertex, fragment)
            assert len(table.rows) == table.slots
            assert {r.output_register is None for r in table.rows} <= {True, False}
            linked += any(row.output_register is not None for row in table.rows)
    assert linked > 100
