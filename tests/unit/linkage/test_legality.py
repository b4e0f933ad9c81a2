"""Limits are law: checks, links and the command judge programs by the limit set of a profile; draws do not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tgsi
from linkage import PROFILES, Linker, link, link_chain, link_stages
from linkage.profiles.r300 import R300
from passes.validate.semantics import ARBITRARY, BYTE, LIMITS, SM3, SOFTWARE, judge
from tests.unit.linkage.programs import frag, vert
from tgsi.language.diagnostics import LimitError, LinkError
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.program import Program
from tgsi.tools.compile import cli

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
POSITION = ("POSITION", 0)
ILLEGAL = [
    (("NORMAL", 0), "S010"),
    (("FOG", 1), "S011"),
    (("PSIZE", 1), "S011"),
    (("EDGEFLAG", 1), "S011"),
    (("POSITION", 1), "S011"),
    (("PRIM_ID", 1), "S011"),
    (("COLOR", 2), "S012"),
    (("COLOR", 5), "S012"),
    (("BCOLOR", 2), "S012"),
    (("GENERIC", 1 << 16), "S013"),
    (("GENERIC", 1 << 32), "S013"),
]
LAST = {"software": 65535, "nv50": 2**32 - 1, "svga10": 2**32 - 1, "svga": 218, "i965": 218}
"""Last GENERIC index without back colors; 255 where no row stands."""
YOUNG = [(name, info.indices) for name, info in SEMANTICS.items() if info.number > 10 and info.indices and " out" in info.stages]
"""Semantics of outputs that the proposal of 2010 did not know."""


def codes(program: Program, profile: str = "software") -> list[str]:
    return [d.code for d in tgsi.check(program, profile) if d.severity is tgsi.Severity.ERROR]


def refusal(call: Callable[[], object]) -> list[str]:
    with pytest.raises(LinkError) as caught:
        call()
    return [d.code for d in caught.value.diagnostics]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("semantic", "code"), ILLEGAL)
def test_illegal_varyings_are_errors_on_every_profile(profile: str, semantic: tuple[str, int], code: str) -> None:
    if semantic == ("GENERIC", 1 << 16) and LAST.get(profile, 0) > 1 << 16:
        assert codes(vert(POSITION, semantic), profile) == []
        return
    vertex, fragment = vert(POSITION, semantic), frag(semantic)
    assert codes(vertex, profile) == codes(fragment, profile) == [code]
    with pytest.raises(LimitError, match=code):
        tgsi.validate(vertex, profile)
    assert refusal(lambda: link(vertex, frag(), profile)) == [code]
    assert refusal(lambda: tgsi.link(vert(POSITION), fragment, profile=profile)) == [code]


@pytest.mark.parametrize("profile", PROFILES)
def test_generic_ends_where_the_profile_says(profile: str) -> None:
    last = LAST.get(profile, 255)
    assert PROFILES[profile].semantic_limits.generics(has_back=False) == last + 1
    assert codes(vert(POSITION, ("GENERIC", last)), profile) == []
    assert codes(vert(POSITION, ("GENERIC", last + 1)), profile) == ["S013"]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_takes_the_indices_that_the_proposal_promises(profile: str) -> None:
    assert codes(vert(POSITION, *[("GENERIC", i) for i in range(0, 219, 6)], ("GENERIC", 218)), profile) == []
    assert codes(vert(POSITION, ("BCOLOR", 1), ("GENERIC", 216)), profile) == []


@pytest.mark.parametrize("index", [217, 218])
def test_a_back_color_of_one_program_lowers_the_limit_of_the_other(index: int) -> None:
    plain, generic = vert(POSITION, ("GENERIC", index)), ("GENERIC", index)
    assert link(plain, frag(generic), "svga").rows[0].output_register == 1
    assert refusal(lambda: link(vert(POSITION, ("BCOLOR", 0)), frag(generic), "svga")) == ["S013"]
    assert refusal(lambda: link(plain, frag(("BCOLOR", 0)), "svga")) == ["S013"]
    assert refusal(lambda: tgsi.link(vert(POSITION, ("BCOLOR", 1)), frag(generic), limits="sm3")) == ["S013"]
    assert link(vert(POSITION, ("BCOLOR", 0)), frag(generic), "nv40").profile == "nv40"


def test_gaps_of_one_program_are_filled_by_the_other() -> None:
    pair = vert(POSITION, ("GENERIC", 0), ("GENERIC", 1)), frag(("GENERIC", 1))
    assert [[d.code for d in tgsi.check(program, limits="d")] for program in pair] == [[], ["S015"]]
    assert tgsi.link(*pair, limits="d").rows[0].output_register == 2
    assert refusal(lambda: tgsi.link(vert(POSITION, ("GENERIC", 0)), frag(("GENERIC", 2)), limits="d")) == ["S015"]


def test_a_hint_names_no_index_that_the_other_program_uses() -> None:
    with pytest.raises(LinkError) as caught:
        tgsi.link(vert(POSITION, ("GENERIC", 218), ("GENERIC", 217)), frag(("GENERIC", 230)), profile="svga")
    assert [d.hint for d in caught.value.diagnostics] == ["the nearest free index is GENERIC[216]"]


def test_a_chain_is_judged_as_a_whole() -> None:
    geometry = tgsi.parse(
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
        "DCL IN[][0], POSITION\nDCL OUT[0], POSITION\nDCL OUT[1], BCOLOR\nIMM[0] UINT32 {0, 0, 0, 0}\nMOV OUT[0], IN[0][0]\n"
        "MOV OUT[1], IN[0][0]\nEMIT IMM[0].xxxx\nEND\n"
    )
    programs = vert(POSITION, ("GENERIC", 217)), geometry, frag()
    assert len(link_chain(*programs, profile="r600")) == 2
    assert refusal(lambda: link_chain(*programs, profile="r600", limits=SM3)) == ["S013"]
    assert refusal(lambda: link_chain(vert(POSITION, ("FOG", 1)), geometry, frag())) == ["S011"]
    assert refusal(lambda: link_stages(programs[0], geometry, limits=SM3)) == ["S013"]
    assert refusal(lambda: link_stages(vert(POSITION, ("NORMAL", 0)), geometry)) == ["S010"]


def test_a_linker_refuses_illegal_programs() -> None:
    assert refusal(lambda: Linker(frag(("FOG", 1)))) == ["S011"]
    assert refusal(lambda: Linker(frag(("GENERIC", 1 << 16)))) == ["S013"]
    assert refusal(lambda: Linker(frag(("FOG", 0))).link(vert(POSITION, ("COLOR", 2)))) == ["S012"]


def test_given_limits_take_the_place_of_the_profile() -> None:
    wide = vert(POSITION, ("GENERIC", 300))
    assert [d.code for d in tgsi.check(wide, "nv40")] == ["S013"]
    assert tgsi.check(wide, "nv40", limits="arbitrary") == ()
    assert [d.code for d in tgsi.check(wide, limits=BYTE)] == ["S013"]
    assert link(wide, frag(("GENERIC", 300)), "r600", limits=ARBITRARY).rows[0].output_register == 1
    assert refusal(lambda: link(vert(POSITION), frag(*[("GENERIC", i) for i in range(9)]), limits=LIMITS["f"])) == ["S013", "S014"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"profile": "nv41"}, ValueError, "check: profile: 'nv41' is not known; there are: software, "),
        ({"profile": "nv41", "limits": "sm3"}, ValueError, "check: profile: 'nv41' is not known"),
        ({"profile": ["nv40"]}, TypeError, "check: "),
        ({"limits": "sm2"}, ValueError, "check: limits: 'sm2' is not one of sm3, byte"),
        ({"limits": 3}, TypeError, "check: limits: expected a SemanticLimits or its name, not int"),
    ],
)
def test_wrong_arguments_of_a_check_are_named(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        tgsi.check(vert(POSITION), **arguments)


def test_fragment_outputs_are_render_targets_and_no_varyings() -> None:
    text = "FRAG\nDCL OUT[0], COLOR[%d]\nIMM[0] FLT32 {0, 0, 0, 0}\nMOV OUT[0], IMM[0]\nEND\n"
    assert [codes(tgsi.parse(text % i)) for i in range(8)] == [[]] * 8
    assert codes(tgsi.parse(text % 8)) == ["S012"]
    assert codes(tgsi.parse(text.replace("COLOR[%d]", "STENCIL[1]"))) == ["S011"]


def test_system_values_have_one_index() -> None:
    text = "VERT\nDCL SV[0], INSTANCEID[%d]\nDCL OUT[0], POSITION\nMOV OUT[0], SV[0]\nEND\n"
    assert [codes(tgsi.parse(text % i)) for i in range(2)] == [[], ["S011"]]


def test_inputs_of_vertex_programs_are_no_varyings() -> None:
    text = "VERT\nDCL IN[0], COLOR[7]\nDCL IN[1], NORMAL\nDCL OUT[0], POSITION\nADD OUT[0], IN[0], IN[1]\nEND\n"
    assert [(d.code, d.severity.value) for d in tgsi.check(tgsi.parse(text))] == [("S010", "warning")]


@pytest.mark.parametrize(("name", "indices"), YOUNG)
def test_semantics_younger_than_the_proposal_have_rows_of_their_own(name: str, indices: int) -> None:
    assert codes(vert(POSITION, (name, indices - 1)), "svga10")[:1] != ["S011"]
    assert "S011" in codes(vert(POSITION, (name, indices)), "svga10")


def test_younger_semantics_of_more_than_one_index_are_clip_distances_texture_coordinates_and_patch_constants() -> None:
    young = {name: indices for name, indices in YOUNG if indices > 1}
    assert young == {"CLIPDIST": 2, "TEXCOORD": 8, "PATCH": 32}
    assert {name for name, info in SEMANTICS.items() if info.number <= 10 and info.indices != 1} == {"GENERIC", "COLOR", "BCOLOR"}


def test_rows_of_devices_hold_indices_and_not_numbers_of_interpolators() -> None:
    assert PROFILES["i915"].semantic_limits is PROFILES["r500"].semantic_limits is R300.semantic_limits is BYTE
    assert all(profile.semantic_limits.distinct is None for profile in PROFILES.values())
    assert PROFILES["software"].semantic_limits is SOFTWARE


def test_warnings_of_one_program_do_not_refuse_a_pair() -> None:
    vertex = tgsi.parse("VERT\nDCL IN[0], NORMAL\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n")
    assert tgsi.link(vertex, frag()).position == 0


# -- tokens -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("index", [1 << 16, 1 << 32, (1 << 32) + 2])
def test_an_index_that_a_token_cannot_hold_is_refused_and_not_cut(index: int) -> None:
    program = tgsi.parse(f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[{index}]\nMOV OUT[0], IN[0]\nEND\n", name="wide.tgsi")
    with pytest.raises(tgsi.UnsupportedError, match=rf"P031.*GENERIC\[{index}\]: a token holds semantic indices of 16 bits") as caught:
        tgsi.encode(program)
    assert "wide.tgsi:4:1" in str(caught.value)


def test_the_last_index_of_a_token_comes_back() -> None:
    program = vert(POSITION, ("GENERIC", 65535))
    assert tgsi.decode(tgsi.encode(program)).declarations == program.declarations


# -- command ----------------------------------------------------------------------------------------------------------------
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    def call(*arguments: str | Program) -> tuple[int, str, str]:
        words = []
        for number, item in enumerate(arguments):
            path = tmp_path / f"{number}.tgsi"
            if isinstance(item, Program):
                path.write_text(str(item))
            words.append(str(path) if isinstance(item, Program) else item)
        code = cli.main(words)
        done = capsys.readouterr()
        return code, done.out, done.err

    return call


@pytest.mark.parametrize(("semantic", "code"), ILLEGAL)
def test_the_command_reports_illegal_programs_without_being_asked(run: Run, semantic: tuple[str, int], code: str) -> None:
    status, out, _ = run("--check", vert(POSITION, semantic))
    assert status == 1
    assert f"error[{code}]" in out
    status, _, err = run("--link", vert(POSITION, semantic), frag())
    assert status == 1
    assert f"error[{code}]" in err


def test_the_command_judges_by_the_profile_that_it_is_given(run: Run) -> None:
    wide = vert(POSITION, ("GENERIC", 219))
    assert run("--check", wide)[0] == 0
    assert "error[S013]" in run("--check", "--profile", "svga", wide)[1]
    assert run("--check", "--profile", "nv40", wide)[0] == 0
    assert "error[S013]" in run("--check", "--profile", "nv40", "--limits", "sm3", wide)[1]
    assert run("--check", "--profile", "svga", "--limits", "byte", wide)[0] == 0
    assert run("--check", "--profile", "nv41", wide)[2] == "tgsi-compile: --profile: unknown profile `nv41`; did you mean `nv40`?\n"


def test_the_command_judges_a_pair_together(run: Run) -> None:
    vertex, fragment = vert(POSITION, ("BCOLOR", 0), ("GENERIC", 1)), frag(("GENERIC", 217))
    assert run("--check", "--profile", "svga", vertex)[0] == run("--check", "--profile", "svga", fragment)[0] == 0
    status, _, err = run("--link=svga", vertex, fragment)
    assert status == 1
    assert "error[S013]: GENERIC[217]: the limit set `sm3` has GENERIC 0 to 216" in err
    assert run("--link", "--limits", "sm3", vertex, fragment)[0] == 1
    assert run("--link", vertex, fragment)[0] == 0


def test_texts_beyond_the_limits_can_still_be_printed(run: Run) -> None:
    assert run(vert(POSITION, ("FOG", 1)))[0] == 0
    assert run("--limits", "sm3", vert(POSITION, ("FOG", 1)))[0] == 1


# -- real programs ----------------------------------------------------------------------------------------------------------
@pytest.mark.peers
@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not here")
def test_every_shader_of_the_corpus_is_legal_on_every_profile() -> None:
    sets = {profile.semantic_limits for profile in PROFILES.values()}
    paths = sorted(CORPUS.glob("*.tgsi"))
    for path in paths:
        program = tgsi.parse(path.read_text(), name=path.name)
        assert [d.render() for limits in sets for d in judge(program, limits)] == []
    assert len(paths) > 900
