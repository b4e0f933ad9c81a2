"""The tree of regions."""

from __future__ import annotations

import pytest

from passes.analysis.regions import MAX_DEPTH, Block, Call, If, Jump, Loop, Region, Switch, analyse_regions, walk
from tgsi.language.diagnostics import UnsupportedError, ValidationError
from tgsi.language.text.parser import parse

HEADER = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..3]\nIMM[0] UINT32 {0, 1, 2, 3}\n"


def _shape(region: Region) -> str:
    """Regions as text: one letter per node, regions in brackets."""
    parts = []
    for node in region:
        match node:
            case Block():
                parts.append("b" * len(node.instructions))
            case If():
                parts.append(f"if({_shape(node.then)}|{_shape(node.otherwise)})")
            case Loop():
                parts.append(f"loop({_shape(node.body)})")
            case Switch():
                parts.append(f"switch({'|'.join(('d:' if arm.is_default else 'c:') + _shape(arm.body) for arm in node.arms)})")
            case Jump():
                parts.append(node.instruction.opcode.name.lower())
            case Call():
                parts.append(f"call{node.sub}")
    return " ".join(parts)


def _main(body: str) -> str:
    return _shape(analyse_regions(parse(HEADER + body)).main)


def test_labels_do_not_matter_for_nesting() -> None:
    body = "UIF IN[0].xxxx :99\nMOV TEMP[0], IN[0]\nELSE :0\nBGNLOOP :7\nBRK\nENDLOOP :0\nENDIF\nMOV OUT[0], TEMP[0]\nEND\n"
    assert _main(body) == "if(b|loop(brk)) b"


def test_switch_keeps_its_arms_in_order_and_drops_what_no_lane_runs() -> None:
    body = "SWITCH IN[0].xxxx\nNOP\nDEFAULT\nNOP\nCASE IMM[0].xxxx\nBRK\nCASE IMM[0].yyyy\nENDSWITCH\nEND\n"
    assert _main(body) == "switch(d:b|c:brk|c:)"


def test_subroutines_may_stand_before_or_behind_end() -> None:
    regions = analyse_regions(parse(HEADER + "BGNSUB\nNOP\nENDSUB\nCAL :0\nCAL :6\nEND\nBGNSUB\nNOP\nRET\nENDSUB\n"))
    assert _shape(regions.main) == "call0 call6"
    assert {index: _shape(sub.body) for index, sub in regions.subs.items()} == {0: "b", 6: "b ret"}


def test_a_label_behind_bgnsub_means_that_subroutine() -> None:
    assert _main("CAL :3\nEND\nBGNSUB\nENDSUB\n") == "call2"


def test_code_behind_end_is_left_out() -> None:
    assert _main("NOP\nEND\nNOP\nNOP\n") == "b"


def test_walk_goes_through_everything_once() -> None:
    regions = analyse_regions(parse(HEADER + "NOP\nUIF IN[0].xxxx\nBGNLOOP\nBRK\nENDLOOP\nENDIF\nEND\n"))
    assert [type(node).__name__ for node in walk(regions.main)] == ["Block", "If", "Loop", "Jump"]


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("UIF IN[0].xxxx\nEND\n", 7, "END without"),
        ("ENDIF\nEND\n", 6, "ENDIF without"),
        ("BGNLOOP\nENDIF\nENDLOOP\nEND\n", 7, "ENDIF without"),
        ("BRK\nEND\n", 6, "BRK outside"),
        ("SWITCH IN[0].xxxx\nCASE IMM[0].xxxx\nCONT\nENDSWITCH\nEND\n", 8, "CONT outside"),
        ("CAL :7\nEND\n", 6, "does not name"),
        ("CAL :2\nEND\nBGNSUB\nCAL :2\nENDSUB\n", 9, "calls itself"),
        ("CAL :2\nEND\nBGNSUB\nNOP\n", 8, "without ENDSUB"),
    ],
)
def test_flow_that_does_not_nest_is_refused_at_its_place(body: str, line: int, words: str) -> None:
    with pytest.raises(ValidationError, match=words) as caught:
        analyse_regions(parse(HEADER + body))
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert span.line == line


def test_deep_nesting_is_unsupported_and_no_recursion_error() -> None:
    deep = "UIF IN[0].xxxx\n" * 5000 + "ENDIF\n" * 5000 + "END\n"
    with pytest.raises(UnsupportedError, match="nested"):
        analyse_regions(parse(HEADER + deep))
    fits = "UIF IN[0].xxxx\n" * MAX_DEPTH + "ENDIF\n" * MAX_DEPTH + "END\n"
    assert _main(fits).count("if(") == MAX_DEPTH


def test_depth_counts_through_calls() -> None:
    subs = [f"BGNSUB\n{'UIF IN[0].xxxx' + chr(10)}CAL :{2 + 5 * (i + 1)}\nENDIF\nENDSUB\n" for i in range(200)]
    text = HEADER + "CAL :2\nEND\n" + "".join(subs) + "BGNSUB\nENDSUB\n"
    with pytest.raises(UnsupportedError, match="nested"):
        analyse_regions(parse(text))


def test_calls_that_expand_beyond_measure_are_unsupported() -> None:
    subs = [f"BGNSUB\nCAL :{2 + 4 * (i + 1)}\nCAL :{2 + 4 * (i + 1)}\nENDSUB\n" for i in range(40)]
    text = HEADER + "CAL :2\nEND\n" + "".join(subs) + "BGNSUB\nNOP\nENDSUB\n"
    with pytest.raises(UnsupportedError, match="expand"):
        analyse_regions(parse(text))
