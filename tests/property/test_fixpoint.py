"""The default pipeline changes nothing in a program that it made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.optimiser import long_program
from passes.pipeline import Pipeline
from passes.registry import DEFAULT, FOR_CODE
from tests.property.programs import GeneratedProgram, generate
from tests.property.vector_programs import generate_vectors
from tgsi.language.facts.enums import File
from tgsi.language.text.parser import parse


def changes(text: str) -> list[str]:
    """Both programs, if optimising twice gives another program than optimising once."""
    pipeline = Pipeline.parse(DEFAULT)
    once = pipeline.run(parse(text))
    twice = pipeline.run(once)
    return [] if twice == once else [str(once), str(twice)]


@pytest.mark.parametrize(("begin", "end"), [(0, 60), pytest.param(60, 2000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("make", [generate, generate_vectors])
def test_a_program_is_optimised_at_once(make: Callable[[int], GeneratedProgram], begin: int, end: int) -> None:
    assert [(seed, found) for seed in range(begin, end) if (found := changes(make(seed).text))] == []


@pytest.mark.parametrize("seed", [87, 139, 146])
def test_repeat_also_counts_the_passes_before_its_own_form(seed: int) -> None:
    pipeline = Pipeline.parse(f"{FOR_CODE},repeat")  # remove-unused-immediates ends the form of the passes in front of it
    once = pipeline.run(parse(generate_vectors(seed).text))
    assert len(pipeline.run(once).instructions) == len(once.instructions)


def test_a_long_program_is_optimised_at_once() -> None:
    assert changes(long_program(800)) == []  # walks over what changed alone left an instruction that equals an earlier one


def test_an_instruction_that_was_joined_from_two_replaces_a_later_equal_one() -> None:
    assert changes(generate(5202).text) == []  # the later one stood behind all places that changed


def test_a_branch_that_writes_fewer_registers_once_they_are_merged_becomes_a_choice_at_once() -> None:
    assert changes(generate_vectors(530).text) == []  # the passes in front of the form count registers


@pytest.mark.parametrize(
    ("make", "seed"),
    [
        pytest.param(generate, 856, id="a copy between two webs that share a register"),
        pytest.param(generate, 1941, id="immediates that no address reaches any more"),
        pytest.param(generate, 3917, id="a write that is dead once registers are merged"),
        pytest.param(generate_vectors, 64, id="registers that are split again"),
        pytest.param(generate_vectors, 1120, id="blocks that go after a first round"),
    ],
)
def test_programs_with_blocks_are_optimised_at_once(make: Callable[[int], GeneratedProgram], seed: int) -> None:
    assert changes(make(seed).text) == []


def test_a_move_of_a_register_to_itself_goes() -> None:
    head = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\n"
    made = Pipeline.parse(DEFAULT).run(parse(f"{head}ADD TEMP[0], IN[0], IN[0]\nMOV TEMP[0], TEMP[0]\nMOV OUT[0], TEMP[0]\nEND\n"))
    assert [item.opcode.name for item in made.instructions] == ["ADD", "END"]


@pytest.mark.peers
@pytest.mark.nightly
def test_corpus_is_optimised_at_once_to_fewer_instructions_and_no_more_temporaries(shared: Path) -> None:
    pipeline = Pipeline.parse(DEFAULT)
    before = after = 0
    for path in sorted((shared / "corpus").glob("*.tgsi")):
        program = parse(path.read_text(), name=path.name)
        made = pipeline.run(program)
        assert pipeline.run(made) == made, path.name
        assert made.file_size(File.TEMP) <= program.file_size(File.TEMP), path.name
        before, after = before + len(program.instructions), after + len(made.instructions)
    assert after < 0.68 * before
