"""Programs as devices take them: opcodes that their drivers translate, and the numbers of the chips for outputs and inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tgsi
from linkage.device_opcodes import TRANSLATED
from linkage.device_programs import device_program, untranslated
from linkage.usage import semantic_of
from passes.lower.arithmetic.table import EXPANSIONS
from tests.unit.linkage.programs import frag, vert
from tests.unit.linkage.test_corpus import CORPUS, load
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.program import Program
from tgsi.tools.compile.cli import main

VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], GENERIC[9]
DCL OUT[1], POSITION
DCL OUT[2], COLOR
DCL OUT[3], BCOLOR
DCL OUT[4], FOG
DCL OUT[5], PSIZE
DCL OUT[6], EDGEFLAG
MOV OUT[0], IN[1]
MOV OUT[1], IN[0]
MOV OUT[2], IN[1]
MOV OUT[3], IN[1]
DIV OUT[4], IN[0], IN[1]
MOV OUT[5], IN[1]
MOV OUT[6], IN[1]
END
"""
FRAGMENT = """FRAG
DCL IN[0], COLOR, COLOR
DCL IN[1], GENERIC[9], PERSPECTIVE
DCL IN[2], FOG, PERSPECTIVE
DCL IN[3], GENERIC[4], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
ADD TEMP[0], IN[0], IN[1]
EXP TEMP[0].xy, IN[2].xxxx
ADD OUT[0], TEMP[0], IN[3]
END
"""


def numbers(program: Program, file: File) -> dict[str, int]:
    return {str(item.semantic).removesuffix("[0]"): item.first for item in program.declared(file)}


@pytest.mark.parametrize(
    ("profile", "outputs"),
    [
        ("nv30", {"POSITION": 0, "BCOLOR": 1, "COLOR": 3, "FOG": 5, "PSIZE": 6, "GENERIC[9]": 8, "EDGEFLAG": 18}),
        ("nv40", {"POSITION": 0, "COLOR": 1, "BCOLOR": 3, "FOG": 5, "PSIZE": 6, "GENERIC[9]": 16, "EDGEFLAG": 18}),
    ],
)
def test_registers_have_the_numbers_of_the_chip(profile: str, outputs: dict[str, int]) -> None:
    vertex, fragment = tgsi.device_pair(VERTEX, FRAGMENT, profile)
    assert numbers(vertex, File.OUT) == outputs
    found = numbers(fragment, File.IN)
    assert found == {"COLOR": 1, "FOG": 3, "GENERIC[9]": 4 if profile == "nv30" else 13, "GENERIC[4]": 18}  # nothing carries GENERIC[4]


def test_opcodes_that_the_driver_lacks_are_lowered() -> None:
    vertex, fragment = tgsi.device_pair(VERTEX, FRAGMENT, "nv40")
    for program in (vertex, fragment):
        assert {item.opcode.name for item in program.instructions} <= TRANSLATED["nv40"][program.processor]
    assert str(tgsi.lowering_for(VERTEX, "nv40")) == "opcodes=DIV"
    assert str(tgsi.lowering_for(FRAGMENT, "nv30")) == "opcodes=EXP"
    assert str(tgsi.lowering_for(VERTEX, "r600")) == ""


def test_an_expansion_leads_to_opcodes_that_the_driver_translates() -> None:
    for name, stages in TRANSLATED.items():
        for stage, taken in stages.items():
            assert taken <= OPCODES.keys()
            for row in EXPANSIONS.values():
                if row.opcode not in taken and row.opcode not in ("UMAD", "ARR", "TXP"):
                    assert set(row.gives) <= taken, f"{name} {stage.name} {row.opcode}"


def test_an_opcode_without_an_expansion_is_a_warning() -> None:
    program = tgsi.parse("FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nUADD OUT[0], IN[0], IN[0]\nEND\n")
    (warning,) = untranslated(program, "nv40")
    assert "nv40: the driver does not translate UADD in FRAG programs" in warning.message
    assert warning.labels
    assert untranslated(program, "r600") == ()


def test_a_program_that_the_device_takes_stays_the_same_object() -> None:
    program = frag(("GENERIC", 3))
    assert device_program(program, "nv30") is program
    assert device_program(vert(("GENERIC", 3)), "i915").processor is Processor.VERT


def test_other_devices_number_inputs_as_outputs() -> None:
    vertex, fragment = tgsi.device_pair(VERTEX, FRAGMENT, "r600")
    assert str(vertex) == str(tgsi.parse(VERTEX))
    assert fragment == tgsi.linked_program(tgsi.parse(VERTEX), tgsi.parse(FRAGMENT))


def test_the_command_prints_both_programs_of_a_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [tmp_path / "v.tgsi", tmp_path / "f.tgsi"]
    for name, text in zip(names, (VERTEX, FRAGMENT)):
        name.write_text(text)
    pair = tgsi.device_pair(VERTEX, FRAGMENT, "nv40")
    for moved, program in zip(("vertex", "fragment"), pair):
        assert main([*map(str, names), "--link", "nv40", "--emit", "tokens", "--moved", moved]) == 0
        shown = capsys.readouterr()
        assert [int(word, 16) for word in shown.out.split()] == list(tgsi.encode(program))
        assert "nv40: the FRAG program is lowered for the device: opcodes=EXP" in shown.err
    assert main([str(names[1]), "--profile", "nv40", "--emit", "text"]) == 0
    shown = capsys.readouterr()
    assert "EXP" not in shown.out
    assert "opcodes=EXP" in shown.err
    assert main([str(names[1]), "--profile", "nv40", "--check"]) == 0
    assert "lowered" not in capsys.readouterr().err


def registers(program: Program, file: File) -> dict[tuple[str, int], int]:
    """Register numbers by semantic, or by number for inputs without one."""
    found: dict[tuple[str, int], int] = {}
    for item in program.declared(file):
        for number in range(item.first, item.last + 1):
            semantic = semantic_of(item, number)
            found[("", number) if semantic is None else (semantic.name, semantic.index)] = number
    return found


def is_same_run(before: Program, after: Program) -> bool:
    """True if two programs compute the same of the same values by semantic: to the bit, but for DIV and SQRT, which round twice."""
    values = np.random.default_rng(7).uniform(0.25, 1.5, (8, 64, 4)).astype(np.float32)
    results = []
    for program in (before, after):
        places = registers(program, File.IN)
        inputs = np.zeros((8, max(places.values(), default=0) + 1, 4), np.float32)
        for order, key in enumerate(sorted(places)):
            inputs[:, places[key]] = values[:, order]
        made = tgsi.run(program, inputs, engine="interp").floats
        results.append({key: made[:, number] for key, number in registers(program, File.OUT).items()})
    assert results[0].keys() == results[1].keys()
    is_exact = not {item.opcode.name for item in before.instructions} & {"DIV", "SQRT"}
    return all(np.allclose(results[0][key], results[1][key], rtol=0 if is_exact else 1e-4, atol=0, equal_nan=True) for key in results[0])


def judge(pairs: list[tuple[Program, Program]]) -> tuple[int, int]:
    """Number of pairs that a device takes, and of refusals."""
    made = refused = 0
    for vertex, fragment in pairs:
        for profile in TRANSLATED:
            try:
                chip = tgsi.device_pair(vertex, fragment, profile)
            except tgsi.DiagnosticError:
                refused += 1
                continue
            made += 1
            for original, program in zip((vertex, fragment), chip):
                tgsi.validate(program)
                if not any(item.file.name.startswith("SAMP") or item.file is File.SV for item in original.declarations):
                    assert is_same_run(original, program)
                assert tgsi.decode(tgsi.encode(program)) == tgsi.decode(tgsi.encode(tgsi.parse(str(program))))
            before, after = tgsi.link(vertex, fragment), tgsi.link(*chip)
            assert [row.semantic for row in sorted(before.rows, key=lambda r: str(r.semantic))] == [
                row.semantic for row in sorted(after.rows, key=lambda r: str(r.semantic))
            ]
            assert [s.semantic for s in before.unmatched_inputs] == [s.semantic for s in after.unmatched_inputs]
    return made, refused


def corpus_pairs(step: int) -> list[tuple[Program, Program]]:
    vertices, fragments = load("VERT"), load("FRAG")
    return [(vertices[i % len(vertices)], fragments[i * 7 % len(fragments)]) for i in range(0, len(vertices), step)]


@pytest.mark.peers
@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not here")
def test_a_sample_of_real_pairs_becomes_programs_of_each_device() -> None:
    made, _ = judge(corpus_pairs(20))
    assert made > 20


@pytest.mark.nightly
@pytest.mark.peers
@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not here")
def test_real_pairs_become_programs_of_each_device() -> None:
    made, _ = judge(corpus_pairs(1))
    assert made > 400


def test_a_lowered_program_computes_the_same() -> None:
    before = tgsi.parse(VERTEX), tgsi.parse(FRAGMENT)
    for first, second in zip(before, tgsi.device_pair(*before, "nv40")):
        assert is_same_run(first, second)
        assert first != second
