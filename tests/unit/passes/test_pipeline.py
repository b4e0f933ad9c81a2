"""Pipelines: their text, their checks and error messages; `tgsi.optimize` and the command's options."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import tgsi
from passes.base import Pass
from passes.optimise.select import IfToSelect
from passes.pipeline import Pipeline
from passes.registry import DEFAULT, PASSES, find
from passes.validate import check
from tgsi.language.diagnostics import DiagnosticError, ValidationError
from tgsi.language.facts.enums import File
from tgsi.language.ir import Declaration
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.text.parser import parse
from tgsi.tools.compile.cli import main

TEXT = "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]\nEND\n"


@record(slots=False)
class DropEnd(Pass):
    """Remove the last instruction."""

    name = "drop-end"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return replace(program, instructions=program.instructions[:-1])


@record(slots=False)
class DeclareAgain(Pass):
    """Add a declaration; without one, declare all registers a second time."""

    name = "declare-again"
    more: Declaration | None = None

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        more = program.declarations if self.more is None else (self.more,)
        return replace(program, declarations=(*program.declarations, *[replace(item) for item in more]))


def test_text_of_a_pipeline_reads_back() -> None:
    made = Pipeline.parse(" if-to-select { instructions = 0x2 } , remove-dead-code")
    assert made.passes[0] == IfToSelect(instructions=2)
    assert str(made) == "if-to-select{instructions=2},remove-dead-code"
    assert Pipeline.parse(str(made)) == made
    assert Pipeline.parse("") == Pipeline(())


EXPANDED = "LRP, DP2, DP3, DP4, DST, FRC, CEIL, TRUNC, SGT, SLE, EXP, LOG, TXP, MAD, UMAD, FLR, SEQ, SNE, SSG, ARR"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("remove-ded-code", "there is no pass `remove-ded-code`; did you mean `remove-dead-code`?"),
        ("if-to-select{instruction=2}", "pass if-to-select: unknown option `instruction`; did you mean `instructions`?"),
        ("fold-constants{n=2}", "pass fold-constants: unknown option `n`; it has none"),
        ("if-to-select{instructions=few}", "pass if-to-select: instructions: `few` is not an integer"),
        ("if-to-select{instructions=1,instructions=2}", "pass if-to-select: option `instructions` is given twice"),
        ("expand-opcodes{only=ADD}", f"pass expand-opcodes: only: `ADD` is not one of {EXPANDED}; did you mean `MAD`?"),
        ("fold-constants,", "pipeline: a pass is missing after the last comma"),
        ("fold-constants{", "pipeline: cannot read `fold-constants{`; write `pass,pass{option=value}`"),
    ],
)
def test_wrong_pipelines_are_explained(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 the whole message is compared
        Pipeline.parse(text)
    assert str(caught.value) == message


def test_broken_result_blames_the_pass() -> None:
    with pytest.raises(ValidationError) as caught:
        Pipeline((DropEnd(),)).run(tgsi.parse(TEXT))
    assert caught.value.__notes__ == ["this is a bug in pass 'drop-end'"]


@pytest.mark.parametrize("is_valid", [False, True])
@pytest.mark.parametrize("wrong", [None, Declaration(File.SV, 0, 0), Declaration(File.TEMP, 3, 1), Declaration(File.TEMP, 1, 1 << 15)])
def test_declarations_that_a_pass_makes_are_checked(wrong: Declaration | None, is_valid: bool) -> None:
    with pytest.raises(DiagnosticError) as caught:
        Pipeline((DeclareAgain(wrong),)).run(tgsi.parse(TEXT), is_valid=is_valid)
    assert caught.value.__notes__ == ["this is a bug in pass 'declare-again'"]


def test_declarations_that_a_right_program_shares_are_not_checked_again() -> None:
    text = TEXT.replace("DCL TEMP[0]\n", "DCL TEMP[0]\nDCL SV[0], GENERIC[7]\n")
    wrong = tgsi.parse(text)
    assert [found.code for found in check(wrong)] == ["V026"]
    assert check(replace(wrong, instructions=wrong.instructions[1:]), good=wrong) == ()


def test_callback_sees_every_pass() -> None:
    seen: list[tuple[str, int]] = []
    Pipeline.parse("propagate-copies,remove-dead-code").run(
        tgsi.parse(TEXT), after=lambda item, program: seen.append((item.name, len(program.instructions)))
    )
    assert seen == [("propagate-copies", 3), ("remove-dead-code", 2)]


def test_every_registered_pass_has_its_name_and_a_summary() -> None:
    for name in PASSES:
        assert find(name).name == name
        assert find(name).summary().endswith(".")


def test_optimize_shortens_a_program() -> None:
    program = tgsi.parse(TEXT)
    assert [str(item.opcode.name) for item in tgsi.optimize(program).instructions] == ["MOV", "END"]
    assert tgsi.optimize(program, "") is program
    assert tgsi.optimize(program, DEFAULT) == tgsi.optimize(program)
    with pytest.raises(ValueError, match="there is no pass"):
        tgsi.optimize(program, "nonsense")
    with pytest.raises(TypeError, match="optimize: program"):
        tgsi.optimize(1)  # type: ignore[arg-type]


def test_command_runs_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "copy.tgsi"
    path.write_text(TEXT)
    assert main(["--passes", "propagate-copies,remove-dead-code", "--print-after", "propagate-copies", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "0: MOV OUT[0], IN[0]\n  1: END" in out
    assert err.startswith("# after propagate-copies\nFRAG\n")
    assert err.count("# after") == 1


def test_command_lists_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-passes"]) == 0
    assert "if-to-select{instructions=4,shorter=no}\n    Compute both arms" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--passes", "nonsense"], "there is no pass `nonsense`"),
        (["--print-after", "all"], "--print-after: needs --passes"),
        (["--passes", "fold-constants", "--print-after", "x"], "--print-after: `x` is not one of the passes that run: all, fold-constants"),
    ],
)
def test_wrong_options_are_usage_errors(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_half_written_pair_keeps_both_words_alive() -> None:
    """A 64-bit operation on two operands writes a whole pair, even if its mask names one word."""
    text = "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\nU64MUL TEMP[0].y, IN[0], IN[0]\nMOV OUT[0], TEMP[0].xxxx\nEND\n"
    program = tgsi.parse(text)
    assert tgsi.optimize(program).instructions == program.instructions


def test_repeat_runs_no_lowering_twice() -> None:
    head = "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nDCL CONST[0]\nDCL TEMP[0]\n"
    body = "IF CONST[0].xxxx\nADD TEMP[0], IN[0], IN[0]\nELSE\nMUL TEMP[0], IN[0], CONST[0]\nENDIF\nMOV OUT[0], TEMP[0]\nEND\n"
    made = Pipeline.parse(f"lower-alpha-test{{func=GREATER}},{DEFAULT}").run(parse(head + body))
    assert sum("KILL" in item.opcode.name for item in made.instructions) == 1


@pytest.mark.parametrize(
    "body",
    [
        "BGNLOOP\nADD TEMP[0], IN[0], IN[0]\nBRK\nENDLOOP\nMOV OUT[0], TEMP[0]\nEND\n",
        "MUL TEMP[0].xy, IN[0], CONST[0]\nADD OUT[0], TEMP[0].xyzz, IN[0]\nEND\n",
        "MOV TEMP[0], IN[0]\nBGNLOOP\nADD TEMP[0], TEMP[0], IN[0]\nIF TEMP[0].xxxx\nBRK\nENDIF\nENDLOOP\nMOV OUT[0], TEMP[0]\nEND\n",
    ],
    ids=[
        "a loop that goes",
        "a register read before it is written",
        "a loop that stays",
    ],
)
def test_programs_of_which_the_first_passes_leave_nothing_to_do_are_optimised_once(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    head = "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nDCL CONST[0]\nDCL TEMP[0..1]\n"
    seen = []
    once = Pipeline._once

    def counted(self: Pipeline, program: Program, after: None) -> tuple[Program, bool]:
        seen.append(program)
        return once(self, program, after)

    monkeypatch.setattr(Pipeline, "_once", counted)
    Pipeline.parse(DEFAULT).run(parse(head + body))
    assert len(seen) == 1


def test_dead_code_without_branches_goes_first() -> None:
    """Overwritten results of a long program are removed before any other pass runs; with branches, only after split-registers."""
    head = "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nDCL TEMP[0]\n"
    dead = "ADD TEMP[0], IN[0], IN[0]\nMUL TEMP[0].xy, IN[0], IN[0]\nMOV TEMP[0], IN[0]\n"
    branch = "IF IN[0].xxxx\nMOV TEMP[0].x, IN[0].yyyy\nENDIF\n"
    first = Pipeline.parse("remove-dead-code{branches=no}")
    assert first.run(parse(f"{head}{dead}MOV OUT[0], TEMP[0]\nEND\n")) == parse(f"{head}MOV TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]\nEND\n")
    program = parse(f"{head}{dead}{branch}MOV OUT[0], TEMP[0]\nEND\n")
    assert first.run(program) is program


@pytest.mark.parametrize("name", PASSES)
def test_programs_without_instructions_are_left_alone_or_refused(name: str) -> None:
    program = parse("FRAG\nDCL OUT[0], COLOR\n")
    with suppress(ValidationError):
        assert not Pipeline.parse(name).run(program).instructions
