"""Semantic limits, renumbering, interning, shader model 3 names."""

from __future__ import annotations

import pytest

from linkage import sm3
from linkage.interner import SemanticInterner
from linkage.sm3 import Usage, UsageName
from passes.lower.renumber import renumber
from passes.validate import check, validate
from passes.validate.semantics import ARBITRARY, BYTE, LIMITS, SM3, interpolators
from tests.unit.linkage.programs import frag, vert
from tgsi.language.diagnostics import LimitError
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration
from tgsi.language.program import Program


def codes(program: Program, name: str) -> list[str]:
    return [d.code for d in check(program, semantic_limits=LIMITS[name]) if d.code.startswith("S")]


@pytest.mark.parametrize(
    ("limits", "output", "expected"),
    [
        ("sm3", ("NORMAL", 0), ["S010"]),
        ("arbitrary", ("NORMAL", 0), ["S010"]),
        ("sm3", ("FOG", 1), ["S011"]),
        ("sm3", ("PSIZE", 1), ["S011"]),
        ("sm3", ("EDGEFLAG", 1), ["S011"]),
        ("sm3", ("CLIPDIST", 1), []),
        ("sm3", ("CLIPDIST", 2), ["S011"]),
        ("sm3", ("TEXCOORD", 7), []),
        ("sm3", ("TEXCOORD", 8), ["S011"]),
        ("sm3", ("COLOR", 1), []),
        ("sm3", ("COLOR", 2), ["S012"]),
        ("sm3", ("BCOLOR", 1), []),
        ("sm3", ("BCOLOR", 2), ["S012"]),
        *[("sm3", ("GENERIC", i), []) for i in (0, 31, 32, 63, 64, 216, 217, 218)],
        *[("sm3", ("GENERIC", i), ["S013"]) for i in (219, 255, 65535)],
        ("byte", ("GENERIC", 255), []),
        ("byte", ("GENERIC", 256), ["S013"]),
        ("arbitrary", ("GENERIC", 65535), []),
        ("a", ("GENERIC", 127), []),
        ("a", ("GENERIC", 128), ["S013"]),
        ("b", ("GENERIC", 255), []),
        ("b", ("GENERIC", 256), ["S013"]),
        ("c", ("GENERIC", 218), []),
        ("c", ("GENERIC", 219), ["S013"]),
        ("d", ("GENERIC", 0), []),
        ("d", ("GENERIC", 1), ["S015"]),
        ("e", ("GENERIC", 65535), []),
        ("f", ("GENERIC", 7), []),
        ("f", ("GENERIC", 8), ["S013"]),
    ],
)
def test_each_limit_set_takes_what_it_says(limits: str, output: tuple[str, int], expected: list[str]) -> None:
    assert codes(vert(("POSITION", 0), output), limits) == expected


@pytest.mark.parametrize(("index", "expected"), [(216, []), (217, ["S013"]), (218, ["S013"])])
def test_a_back_color_costs_two_generic_indices(index: int, expected: list[str]) -> None:
    assert codes(vert(("POSITION", 0), ("BCOLOR", 0), ("GENERIC", index)), "sm3") == expected


def test_fragment_outputs_count_render_targets() -> None:
    outputs = tuple(Declaration(File.OUT, i, i, semantic=Semantic("COLOR", i)) for i in range(8))
    assert codes(Program(Processor.FRAG, outputs, instructions=frag().instructions), "sm3") == []


def test_violation_names_declaration_rule_reason_and_nearest_legal_index() -> None:
    (found,) = check(vert(("POSITION", 0), ("GENERIC", 218), ("GENERIC", 230)), semantic_limits=SM3)
    assert found.message == (
        "GENERIC[230]: the limit set `sm3` has GENERIC 0 to 218; shader model 3 has 14 names of 16 indices (224); POSITION0, PSIZE0, "
        "COLOR0, COLOR1 and FOG0 are taken (in `DCL OUT[2], GENERIC[230]`)"
    )
    assert found.hint == "the nearest free index is GENERIC[217]"


def test_semantics_at_once_are_bounded() -> None:
    program = frag(*(("GENERIC", i) for i in range(10)), ("FACE", 0))
    validate(program, semantic_limits=interpolators(10))
    with pytest.raises(LimitError, match="S014"):
        validate(program, semantic_limits=LIMITS["byte"].limited(9, "there are 9"))


def test_no_limit_set_no_findings() -> None:
    assert check(vert(("POSITION", 0), ("GENERIC", 9999), ("FOG", 3))) == ()


def test_hostile_number_of_bad_declarations_is_judged_quickly() -> None:
    outputs = tuple(Declaration(File.OUT, i, i, semantic=Semantic("GENERIC", 300 + i)) for i in range(20000))
    found = check(Program(Processor.VERT, outputs, instructions=vert().instructions), semantic_limits=SM3)
    assert 0 < len(found) < 500


# -- renumbering ------------------------------------------------------------------------------------------------------------
def semantics(program: Program, file: File) -> list[str]:
    return [str(d.semantic) for d in program.declared(file) if d.semantic is not None]


def test_a_pair_is_renumbered_together_and_legal_ones_stay() -> None:
    pair = vert(("POSITION", 0), ("GENERIC", 5), ("GENERIC", 300)), frag(("GENERIC", 300), ("GENERIC", 5))
    done = renumber(pair, SM3)
    assert semantics(done.programs[0], File.OUT) == ["POSITION", "GENERIC[5]", "GENERIC[0]"]
    assert semantics(done.programs[1], File.IN) == ["GENERIC[0]", "GENERIC[5]"]
    assert done.mapping[Semantic("GENERIC", 300)] == Semantic("GENERIC", 0)


def test_reserved_slots_stay_free() -> None:
    done = renumber((vert(("POSITION", 0), ("GENERIC", 2), ("GENERIC", 9)), frag(("GENERIC", 2), ("GENERIC", 9))), SM3, reserve=range(8))
    assert semantics(done.programs[1], File.IN) == ["GENERIC[8]", "GENERIC[9]"]


def test_illegal_names_become_generic_and_colors_keep_following_flatshade() -> None:
    pair = vert(("FOG", 1), ("COLOR", 2), ("COLOR", 1)), frag(("COLOR", 2), ("FOG", 1), ("COLOR", 1), interpolation=None)
    done = renumber(pair, SM3)
    assert semantics(done.programs[1], File.IN) == ["GENERIC[0]", "GENERIC[1]", "COLOR[1]"]
    assert semantics(done.programs[0], File.OUT) == ["GENERIC[1]", "GENERIC[0]", "COLOR[1]"]
    assert done.programs[1].declarations[0].interpolation is Interpolation.COLOR


def test_ranges_move_in_one_piece() -> None:
    array = Declaration(File.OUT, 0, 3, semantic=Semantic("GENERIC", 250), array_id=1)
    done = renumber((Program(Processor.VERT, (array,)), frag(("GENERIC", 252), ("GENERIC", 1))), SM3)
    assert semantics(done.programs[0], File.OUT) == ["GENERIC[2]"]
    assert semantics(done.programs[1], File.IN) == ["GENERIC[4]", "GENERIC[1]"]


def test_option_d_numbers_without_gaps() -> None:
    done = renumber((vert(("GENERIC", 9), ("GENERIC", 4)), frag(("GENERIC", 9))), LIMITS["d"])
    assert semantics(done.programs[0], File.OUT) == ["GENERIC[1]", "GENERIC[0]"]
    assert codes(done.programs[0], "d") == []


def test_too_many_semantics_cannot_be_renumbered() -> None:
    program = vert(*(("GENERIC", i) for i in range(230)))
    with pytest.raises(LimitError, match=r"GENERIC\[219\]: no legal GENERIC index is free; the limit set `sm3` has 0 to 218"):
        renumber((program,), SM3)


# -- interning --------------------------------------------------------------------------------------------------------------
def test_interner_gives_each_key_one_semantic() -> None:
    interner = SemanticInterner(reserve=range(8))
    assert interner.intern("normal") == interner.intern("normal") == Semantic("GENERIC", 8)
    assert interner.intern(0xFFFFFFFF) == Semantic("GENERIC", 9)
    assert interner.intern(40) == Semantic("GENERIC", 40)
    assert interner.key(Semantic("GENERIC", 9)) == 0xFFFFFFFF
    assert len(interner) == 3


def test_interner_says_when_it_is_full() -> None:
    interner = SemanticInterner(SM3, has_back=True)
    for number in range(217):
        interner.intern(f"v{number}")
    with pytest.raises(LimitError, match="'one more': all 217 GENERIC indices"):
        interner.intern("one more")


@pytest.mark.parametrize("key", [-1, 1 << 32])
def test_interner_refuses_numbers_beyond_32_bits(key: int) -> None:
    with pytest.raises(ValueError, match="32-bit"):
        SemanticInterner(ARBITRARY).intern(key)


def test_interner_refuses_what_is_no_key() -> None:
    with pytest.raises(TypeError, match="bool"):
        SemanticInterner(BYTE).intern(True)


# -- shader model 3 ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("has_back", "generics"), [(False, 219), (True, 217)])
def test_bytes_are_a_bijection_over_all_that_is_legal(has_back: bool, generics: int) -> None:
    scheme = sm3.scheme(has_back=has_back)
    fixed = [Semantic(n) for n in ("POSITION", "PSIZE", "FOG")] + [Semantic("COLOR", i) for i in range(2)]
    backs = [Semantic("BCOLOR", i) for i in range(2)] if has_back else []
    legal = [*fixed, *backs, *(Semantic("GENERIC", i) for i in range(generics)), *sm3.MARKS]
    numbers = [scheme.byte(semantic) for semantic in legal]
    assert len(set(numbers)) == len(legal)
    assert [scheme.semantic(number) for number in numbers] == legal
    assert set(range(224)) <= set(numbers)
    assert sm3.NO_BYTE not in numbers
    with pytest.raises(ValueError, match=f"GENERIC is 0 to {generics - 1}"):
        scheme.byte(Semantic("GENERIC", generics))


def test_both_schemes_agree_on_what_both_have() -> None:
    assert all(sm3.PLAIN.byte(Semantic("GENERIC", i)) == sm3.WITH_BACK.byte(Semantic("GENERIC", i)) for i in range(217))


@pytest.mark.parametrize(
    ("semantic", "usage"),
    [
        (Semantic("POSITION"), "POSITION0"),
        (Semantic("PSIZE"), "PSIZE0"),
        (Semantic("COLOR", 1), "COLOR1"),
        (Semantic("FOG"), "FOG0"),
        (Semantic("GENERIC", 0), "TEXCOORD0"),
        (Semantic("GENERIC", 15), "TEXCOORD15"),
        (Semantic("GENERIC", 16), "POSITION1"),
        (Semantic("GENERIC", 216), "SAMPLE15"),
        (Semantic("GENERIC", 217), "COLOR2"),
        (Semantic("GENERIC", 218), "COLOR3"),
    ],
)
def test_names_of_semantics(semantic: Semantic, usage: str) -> None:
    assert str(sm3.PLAIN.usage(semantic)) == usage


def test_back_colors_are_color_two_and_three() -> None:
    assert [str(sm3.WITH_BACK.usage(Semantic("BCOLOR", i))) for i in range(2)] == ["COLOR2", "COLOR3"]


@pytest.mark.parametrize("byte", [-1, 224, 255])
def test_bytes_without_a_name_are_refused(byte: int) -> None:
    with pytest.raises(ValueError, match="0 to 223"):
        Usage.of_byte(byte)


@pytest.mark.parametrize(
    ("name", "index", "semantic"),
    [
        (UsageName.TEXCOORD, 12, Semantic("GENERIC", 12)),
        (UsageName.POSITION, 0, Semantic("POSITION")),
        (UsageName.POSITION, 1, Semantic("GENERIC", 16)),
        (UsageName.POSITIONT, 2, Semantic("GENERIC", 26)),
        (UsageName.DEPTH, 0, Semantic("POSITION")),
        (UsageName.COLOR, 1, Semantic("COLOR", 1)),
        (UsageName.COLOR, 2, Semantic("GENERIC", 17)),
        (UsageName.BLENDWEIGHT, 0, Semantic("GENERIC", 18)),
        (UsageName.BLENDINDICES, 0, Semantic("GENERIC", 19)),
        (UsageName.NORMAL, 0, Semantic("GENERIC", 20)),
        (UsageName.TANGENT, 1, Semantic("GENERIC", 31)),
        (UsageName.BINORMAL, 0, Semantic("GENERIC", 22)),
        (UsageName.TESSFACTOR, 15, Semantic("GENERIC", 173)),
        (UsageName.FOG, 0, Semantic("FOG")),
        (UsageName.PSIZE, 0, Semantic("PSIZE")),
    ],
)
def test_nine_interleaves_by_ten(name: UsageName, index: int, semantic: Semantic) -> None:
    assert sm3.nine(Usage(name, index)) == semantic


@pytest.mark.parametrize("texcoord", [False, True])
def test_nine_is_injective_and_its_inverse_undoes_it(texcoord: bool) -> None:
    same = (UsageName.POSITIONT, UsageName.DEPTH, UsageName.SAMPLE)
    usages = [Usage(n, i) for n in UsageName for i in range(16) if n not in same and not (n in (UsageName.PSIZE, UsageName.FOG) and i)]
    assert [sm3.nine_usage(sm3.nine(usage, texcoord=texcoord), texcoord=texcoord) for usage in usages] == usages


@pytest.mark.parametrize("usage", [Usage(UsageName.SAMPLE), Usage(UsageName.FOG, 1), Usage(UsageName.PSIZE, 3)])
def test_nine_refuses_what_it_has_no_use_for(usage: Usage) -> None:
    with pytest.raises(ValueError, match="refuses"):
        sm3.nine(usage)
