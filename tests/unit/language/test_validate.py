"""Rules that only hand-made programs can break, limits, and the relation of our verdicts to those of Mesa's checker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from passes.validate import check, validate
from tests.golden.accept import rows
from tgsi.language.diagnostics import LimitError, Severity, ValidationError
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.limits import ShaderLimits
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import Declaration, DstOperand, Instruction, MemoryAccess, Property, RegisterRef, SrcOperand, TexOffset
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

IN0, OUT0 = RegisterRef(File.IN, 0), RegisterRef(File.OUT, 0)
MOV = Instruction(OPCODES["MOV"], (DstOperand(OUT0),), (SrcOperand(IN0),))
TEX = Instruction(OPCODES["TEX"], (DstOperand(OUT0),), (SrcOperand(IN0), SrcOperand(RegisterRef(File.SAMP, 0))), texture="2D")
DP3 = Instruction(OPCODES["DP3"], (DstOperand(OUT0),))
END = Instruction(OPCODES["END"])


def program(*instructions: Instruction, **more: tuple[object, ...]) -> Program:
    declared = Declaration(File.IN, 0, 0), Declaration(File.OUT, 0, 0), Declaration(File.SAMP, 0, 0)
    return replace(Program(Processor.FRAG, declared, instructions=(*instructions, END)), **more)  # type: ignore[arg-type]


def codes(made: Program, limits: ShaderLimits | None = None) -> list[str]:
    return [item.code for item in (check(made, limits=limits) if limits else check(made))]


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (program(replace(MOV, src=())), "V040"),
        (program(replace(MOV, dst=(DstOperand(OUT0, 0),))), "V041"),
        (program(replace(TEX, texture=None)), "V050"),
        (program(replace(MOV, texture="2D")), "V050"),
        (program(replace(MOV, offsets=(TexOffset(IN0),))), "V052"),
        (program(replace(TEX, offsets=(TexOffset(IN0),) * 5)), "V052"),
        (program(replace(MOV, memory=MemoryAccess())), "V053"),
        (replace(program(Instruction(OPCODES["BARRIER"], memory=MemoryAccess(target="1D"))), processor=Processor.COMP), "V053"),
        (program(properties=(Property("NO_SUCH", 1),)), "V062"),
        (program(declarations=(Declaration(File.IN, 0, 0, interpolation=Interpolation.COLOR),)), "V027"),
    ],
)
def test_hand_made_program_breaks_the_rule(made: Program, code: str) -> None:
    assert codes(made) == [code]


BY_HAND = (
    program(replace(MOV, src=())),
    program(replace(MOV, dst=(DstOperand(OUT0, 0),))),
    program(replace(TEX, texture=None)),
    program(replace(MOV, texture="2D")),
    program(replace(MOV, offsets=(TexOffset(IN0),))),
    program(replace(TEX, offsets=(TexOffset(IN0),) * 5)),
    program(replace(MOV, memory=MemoryAccess())),
    program(properties=(Property("NO_SUCH", 1),)),
    program(declarations=(Declaration(File.IN, 0, 0, interpolation=Interpolation.COLOR),)),
    program(replace(MOV, src=(SrcOperand(IN0),) * 3)),
    program(replace(DP3, src=(SrcOperand(IN0),) * 4)),
)


def test_whole_messages_about_programs_made_by_hand(golden: Callable[[Path, str], None]) -> None:
    shown = [diagnostic.render() for made in BY_HAND for diagnostic in check(made)]
    golden(Path(__file__).with_name("by_hand.txt"), "\n\n".join(shown) + "\n")


def test_programs_that_break_rules_have_facts_too() -> None:
    for made in BY_HAND:
        assert made.info.num_instructions == len(made.instructions)


def test_limits_may_differ_between_stages() -> None:
    made = parse("VERT\nDCL OUT[0], POSITION\nDCL TEMP[0..3]\nMOV OUT[0], TEMP[0]\nEND")
    small = ShaderLimits(temporaries=3)
    (found,) = check(made, limits={Processor.VERT: small})
    assert (found.code, found.message) == ("S005", "TEMP[3] is beyond the limit of 3 temporaries")
    assert check(made, limits={Processor.FRAG: small}) == ()
    with pytest.raises(LimitError):
        validate(made, limits={Processor.VERT: small})


def test_a_finding_without_a_text_quotes_the_statement() -> None:
    (found,) = check(program(replace(MOV, src=(SrcOperand(RegisterRef(File.TEMP, 3)),))))
    assert found.message == "TEMP[3] is not declared (in `MOV OUT[0], TEMP[3]`)"
    assert found.labels == ()


def test_validate_accepts_a_right_program_and_raises_with_every_finding() -> None:
    validate(program(MOV, TEX))
    with pytest.raises(ValidationError) as caught:
        validate(parse("VERT\nDCL OUT[0], POSITION\nDCL OUT[1], POSITION\nMOV OUT[0], IN[0]"))
    assert [item.code for item in caught.value.diagnostics] == ["V025", "V001", "V030"]


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (ShaderLimits(instructions=2), "S001"),
        (ShaderLimits(nesting=1), "S002"),
        (ShaderLimits(nesting=0), "S002"),
        (ShaderLimits(immediates=0), "S003"),
        (ShaderLimits(constant_buffers=1), "S004"),
        (ShaderLimits(temporaries=3), "S005"),
    ],
)
def test_limits_are_errors_of_their_own_kind(limits: ShaderLimits, code: str) -> None:
    made = parse(
        "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL CONST[1][0..1]\nDCL TEMP[0..3]\nIMM FLT32 {0, 0, 0, 0}\n"
        "IF IN[0].xxxx\nIF IN[0].xxxx\nENDIF\nENDIF\nEND"
    )
    assert codes(made) == []
    assert codes(made, limits) == [code]
    with pytest.raises(LimitError):
        validate(made, limits=limits)


@pytest.mark.parametrize(
    ("blocks", "depth"),
    [
        ("IF", 1),
        ("IF IF", 2),
        ("IF IF IF IF", 2),
        ("IF IF IF BGNLOOP", 3),
        ("BGNLOOP IF IF IF BGNLOOP IF BGNLOOP IF IF IF IF", 8),
        ("BGNLOOP BGNLOOP BGNLOOP", 3),
        ("SWITCH IF IF IF", 3),
    ],
)
def test_only_two_branches_that_stand_in_each_other_count_for_the_limit_of_nesting(blocks: str, depth: int) -> None:
    opened, closed = "", ""
    for block in blocks.split():
        opened += {"IF": "IF IN[0].xxxx\n", "SWITCH": "SWITCH IN[0].xxxx\nCASE IN[0].xxxx\n", "BGNLOOP": "BGNLOOP\nBRK\n"}[block]
        closed = {"IF": "ENDIF\n", "SWITCH": "ENDSWITCH\n", "BGNLOOP": "ENDLOOP\n"}[block] + closed
    made = parse(f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n{opened}{closed}{opened}{closed}END\n")
    assert codes(made, ShaderLimits(nesting=depth)) == []
    assert codes(made, ShaderLimits(nesting=depth - 1))[:1] == ["S002"]


def test_findings_of_a_program_that_is_wrong_everywhere_are_bounded() -> None:
    made = parse("VERT\n" + "".join(f"MOV OUT[{n}], IN[{n}]\n" for n in range(500)) + "END")
    assert len(check(made)) == 200


# Differences between our verdicts and those of Mesa's checker, with reasons. Codes are ours.
STRICTER: dict[str, Callable[[list[str]], bool]] = {
    "Mesa's checker does not look at control flow": lambda found: set(found) <= {"V003", "V004", "V006", "V008"},
    "Mesa takes any register for a sampler, view or resource": lambda found: set(found) == {"V038"},
    "Mesa has no stage rules": lambda found: set(found) == {"V060"},
    "numbers beyond 16 bits wrap around in Mesa": lambda found: found == ["V022"],
    "a range may not run backwards": lambda found: found == ["V021"],
    "shadow cube arrays need a second source": lambda found: found == ["V055"],
    "the target must be that of the view": lambda found: found == ["V051"],
}
MORE_TOLERANT = {
    "Invalid immediate data type": "64-bit immediates are legal",
    "Invalid register file name": "NULL is a destination",
    "Undeclared source register": "constant buffers need no second declaration as CONSTBUF",
    "Instruction expected but": "the order of declarations and code is only worth a warning",
}


def test_verdicts_differ_from_mesa_only_for_stated_reasons() -> None:
    stricter, tolerant = set(), 0
    for row in rows():
        if not row["parses"]:
            continue
        found = [item.code for item in check(parse(row["text"])) if item.severity is Severity.ERROR]
        if found and row["sane"]:
            reasons = [reason for reason, holds in STRICTER.items() if holds(found)]
            assert reasons, f"{row['name']}: {found}"
            stricter.update(reasons)
        elif not found and not row["sane"]:
            tolerant += 1
    assert stricter == set(STRICTER)
    assert tolerant == 9
    assert len(MORE_TOLERANT) == 4


@pytest.mark.parametrize(
    ("opener", "closer"), [("BGNLOOP", "ENDLOOP"), ("BGNSUB", "ENDSUB"), ("IF IN[0].xxxx", "ENDIF"), ("SWITCH IN[0].xxxx", "ENDSWITCH")]
)
def test_a_block_that_is_closed_after_the_end_of_the_program_is_told(opener: str, closer: str) -> None:
    found = check(parse(f"FRAG\nDCL IN[0], GENERIC[0], LINEAR\n{opener}\nEND\n{closer}\n"))
    assert [item.code for item in found if item.severity is Severity.ERROR][:2] == ["V004", "V003"]
