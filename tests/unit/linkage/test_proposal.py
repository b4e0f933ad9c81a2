"""Users and options of the linkage proposal of 2010: what each of them wants from semantics holds on every device that links."""

from __future__ import annotations

import sys
from itertools import pairwise
from types import FrameType

import pytest

import tgsi
from linkage import PROFILES, LinkOptions, SemanticInterner, link
from linkage.layout import Rule, SemanticSet, collect, lay_out
from linkage.options import DEFAULT, IDENTITY, link_state
from linkage.sm3 import PLAIN, USAGES, WITH_BACK, Scheme, Usage, UsageName
from passes.lower.renumber import renumber
from passes.validate.semantics import ARBITRARY, LIMITS, SM3, SemanticLimits, interpolators, judge
from tests.property.decoded_links import READERS, decoded, expected
from tests.property.linked_pairs import Pair
from tests.unit.linkage.programs import frag, vert
from tgsi.language.diagnostics import LinkError
from tgsi.language.facts.enums import File
from tgsi.language.facts.semantics import SEMANTICS, Semantic
from tgsi.language.program import Program

POSITION = ("POSITION", 0)
DEVICES = list(READERS)
FIXED = [("COLOR", 0), ("COLOR", 1), ("FOG", 0)]


def generics(indices: range | list[int]) -> list[tuple[str, int]]:
    return [("GENERIC", index) for index in indices]


def inputs_of(program: Program) -> list[Semantic | None]:
    return [declaration.semantic for declaration in program.declared(File.IN)]


def names(vertex: Program, fragment: Program) -> dict[str, str]:
    """The name of each semantic that VGPU9 declares."""
    device = link(vertex, fragment, "svga").device
    assert device is not None
    notes = [*device.block("output names").notes, *device.block("input names").notes]
    return {semantic.split()[1]: rest.split()[0] for semantic, rest in (note.split(" is ") for note in notes)}


# -- users ------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("profile", DEVICES)
@pytest.mark.parametrize(("user", "count"), [("video", 8), ("ARB programs", 8), ("vector graphics", 2), ("X", 2)])
def test_users_of_a_few_texture_coordinates_link_everywhere(profile: str, user: str, count: int) -> None:
    indices = generics(range(count))
    table = link(vert(POSITION, *indices), frag(*indices[::-1]), profile)
    assert [row.output_register for row in table.rows] == list(range(count, 0, -1)), user


@pytest.mark.parametrize("profile", DEVICES)
def test_directx_10_registers_0_to_31_are_legal_and_link_in_groups(profile: str) -> None:
    limits = PROFILES[profile].semantic_limits
    assert judge(vert(POSITION, *generics(range(32))), limits) == ()
    size = min(32, PROFILES[profile].interpolators)
    for first in range(33 - size):
        group = generics(range(first, first + size))
        assert all(row.output_register is not None for row in link(vert(POSITION, *group), frag(*group), profile).rows)


def test_strings_of_a_directx_10_compiler_become_the_registers_0_to_31() -> None:
    interner = SemanticInterner(interpolators(32))
    assert [interner.intern(f"TANGENT_SPACE_{i}").index for i in range(32)] == list(range(32))


def test_numbers_of_32_bits_link_through_an_interner_on_every_device() -> None:
    interner = SemanticInterner(SM3, has_back=True)
    keys: list[str | int] = [0, 255, 256, 1 << 16, (1 << 32) - 1, "a name", "another name"]
    indices = [interner.intern(key).index for key in keys]
    assert len(set(indices)) == len(keys)
    for profile in DEVICES:
        link(vert(POSITION, *generics(indices)), frag(*generics(indices)), profile, unmatched="error")


def test_a_linker_by_names_gives_rising_numbers() -> None:
    done = renumber((vert(*generics([700, 9, 80])), frag(*generics([80, 700]))), LIMITS["d"])
    assert sorted(semantic.index for semantic in done.mapping.values()) == [0, 1, 2]
    assert inputs_of(done.programs[1]) == [done.mapping[Semantic("GENERIC", 80)], done.mapping[Semantic("GENERIC", 700)]]


def test_glsl_next_to_texture_coordinates_needs_eight_more_slots() -> None:
    used = generics(range(300, 300 + 12))
    done = renumber((vert(POSITION, *used), frag(*used)), interpolators(12 + 8).limited(None), reserve=range(8))
    assert [semantic.index for semantic in done.mapping.values() if semantic.name == "GENERIC"] == list(range(8, 20))
    fixed = frag(*generics(range(8)))  # a program of texture coordinates, made apart, reads none of them
    assert len(link(done.programs[0], fixed).unmatched_inputs) == 8


def test_programs_made_apart_agree_without_a_link_step() -> None:
    vertex, fragment = vert(POSITION, *generics([0, 3, 5])), frag(*generics([5, 3]))
    sides = [lay_out(collect(vertex, File.OUT), 8, 8), lay_out(collect(fragment, File.IN), 8, 8)]
    assert [side.rule for side in sides] == [Rule.IDENTITY, Rule.IDENTITY]
    assert all(side.index(index) == index for side, index in zip(sides, (3, 5)))


def test_a_mapping_joins_shaders_whose_indices_differ() -> None:
    table = tgsi.link(vert(POSITION, ("GENERIC", 4)), frag(("GENERIC", 9)), profile="nv40", mapping={"GENERIC[9]": "GENERIC[4]"})
    assert [row.output_register for row in table.rows] == [1]


@pytest.mark.parametrize("name", [name for name, info in SEMANTICS.items() if info.indices == 1 and info.number <= 10])
def test_names_of_one_index_have_index_0(name: str) -> None:
    limits = [profile.semantic_limits for profile in PROFILES.values()]
    codes = [[d.code for found in limits for d in judge(frag((name, index)), found)] for index in range(2)]
    first = "S010" if name == "NORMAL" else ""
    assert codes == [[first] * len(limits) if first else [], [first or "S011"] * len(limits)]


def test_links_of_twice_the_varyings_look_up_twice_as_much() -> None:
    calls = []
    for count in (7, 14):
        indices = generics(range(count))
        pair = vert(POSITION, *indices), frag(*indices[::-1])
        link(*pair, "nv50")  # facts of the programs are kept
        seen = 0

        def count_call(frame: FrameType, event: str, argument: object) -> None:
            nonlocal seen
            seen += event in ("call", "c_call")

        sys.setprofile(count_call)
        try:
            link(*pair, "nv50")
        finally:
            sys.setprofile(None)
        calls.append(seen)
    assert calls[1] < 2.2 * calls[0]


# -- shader model 3 ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", [PLAIN, WITH_BACK], ids=lambda scheme: scheme.name)
def test_every_shader_model_3_name_is_a_legal_semantic_and_comes_back(scheme: Scheme) -> None:
    semantics = [scheme.semantic(byte) for byte in range(USAGES)]
    own = [s for s in semantics if s.name != "GENERIC"]
    has_back = scheme is WITH_BACK
    assert len(set(semantics)) == 14 * 16
    assert sum(s.name == "GENERIC" for s in semantics) == (217 if has_back else 219)
    assert [str(s) for s in sorted(own) if s.name != "BCOLOR"] == ["POSITION", "COLOR", "COLOR[1]", "FOG", "PSIZE"]
    partners = (frag(("BCOLOR", 0)),) if has_back else ()
    assert all(judge(vert((s.name, s.index)), SM3, partners) == () for s in semantics)
    assert [scheme.usage(s) for s in semantics] == [Usage.of_byte(byte) for byte in range(USAGES)]


def test_svga_hands_the_semantics_of_a_program_to_the_host_without_looking_at_the_other() -> None:
    indices = generics(list(range(0, 217, 16)))
    read = frag(*indices)
    seen = [names(vert(POSITION, *rest, *FIXED), read) for rest in (indices, indices[::-1], [*indices[:3], ("BCOLOR", 0)])]
    for one, other in pairwise(seen):
        assert all(one[name] == other[name] for name in one.keys() & other.keys())
    assert {"POSITION": "POSITION0", "COLOR": "COLOR0", "COLOR[1]": "COLOR1", "FOG": "FOG0"}.items() <= seen[0].items()
    assert all(seen[0][f"GENERIC[{i}]"] == str(PLAIN.usage(Semantic("GENERIC", i))) for _, i in indices)


def test_svga_reserves_two_names_for_back_colors() -> None:
    found = names(vert(POSITION, ("BCOLOR", 0), ("BCOLOR", 1), ("GENERIC", 216)), frag(("GENERIC", 216)))
    assert found == {"POSITION": "POSITION0", "BCOLOR": "COLOR2", "BCOLOR[1]": "COLOR3", "GENERIC[216]": "SAMPLE15"}
    plain = names(vert(POSITION, *generics([217, 218])), frag(*generics([217, 218])))
    assert plain == {"POSITION": "POSITION0", "GENERIC[217]": "COLOR2", "GENERIC[218]": "COLOR3"}


# -- options ----------------------------------------------------------------------------------------------------------------
def test_option_a_takes_most_shader_model_3_programs_as_they_are_and_the_others_renumbered() -> None:
    usages = Usage(UsageName.TEXCOORD), Usage(UsageName.TEXCOORD, 15), Usage(UsageName.NORMAL), Usage(UsageName.TANGENT)
    usual = [PLAIN.semantic(usage.byte) for usage in usages]
    vertex = vert(*[(s.name, s.index) for s in usual])
    assert judge(vertex, LIMITS["a"]) == ()
    rare = vert(POSITION, *generics([218, 5]))
    assert [d.code for d in judge(rare, LIMITS["a"])] == ["S013"]
    done = renumber((rare, frag(*generics([5, 218]))), LIMITS["a"])
    assert [judge(program, LIMITS["a"]) for program in done.programs] == [(), ()]
    assert [row.output_register for row in tgsi.link(*done.programs, limits="a").rows] == [2, 1]


@pytest.mark.parametrize(("profile", "code"), [("r600", "K033"), ("svga", "K038")])
@pytest.mark.parametrize("index", [256, 65535, 65536, (1 << 32) - 1])
def test_option_e_falls_back_to_software_linkage_where_a_device_compares_ids(profile: str, code: str, index: int) -> None:
    pair = Pair(vert(POSITION, *generics([index, 44, 43])), frag(*generics([43, index])), IDENTITY, DEFAULT)
    table = link(pair.vertex, pair.fragment, profile, limits=ARBITRARY)
    assert code in [d.code for d in table.findings]
    assert decoded(pair, table) == expected(pair, table)
    with pytest.raises(LinkError, match="S013"):
        link(pair.vertex, pair.fragment, profile)


def test_r600_ids_of_wide_indices_are_never_those_of_others() -> None:
    fragment = frag(*generics([300]))
    with pytest.raises(LinkError, match=r"K033.*GENERIC\[300\] has id 0"):
        link(vert(POSITION, *generics([300])), fragment, "r600", limits=ARBITRARY, options=LinkOptions(ids="automatic"))


@pytest.mark.parametrize("profile", ["nv50", "svga10", "software"])
def test_devices_that_look_outputs_up_take_arbitrary_indices(profile: str) -> None:
    wide = generics([0, 300, 65535])
    assert [row.output_register for row in link(vert(POSITION, *wide), frag(*wide[::-1]), profile).rows] == [3, 2, 1]


@pytest.mark.parametrize("count", [1, 8, 10, 32])
def test_option_f_bounds_indices_by_interpolators_and_lets_the_user_map_them(count: int) -> None:
    limits = interpolators(count)
    last = ("GENERIC", count - 1)
    assert judge(frag(last), limits) == ()
    assert [d.code for d in judge(frag(("GENERIC", count)), limits)] == ["S013"]
    state = link_state({f"GENERIC[{count - 1}]": "GENERIC[0]"}, "state")
    assert link(vert(POSITION, ("GENERIC", 0)), frag(last), limits=limits, state=state).rows[0].output_register == 1


def test_a_translator_asks_for_the_limits_and_renumbers_only_where_they_are_too_low() -> None:
    pair = vert(POSITION, *generics([210, 3])), frag(*generics([3, 210]))
    for profile in DEVICES:
        limits = PROFILES[profile].semantic_limits
        assert renumber(pair, limits).programs == pair
        lower = SemanticLimits(name="lower", generic=64, generic_with_back=64, reason="a new constraint")
        vertex, fragment = renumber(pair, lower).programs
        assert [row.output_register for row in link(vertex, fragment, profile, limits=lower).rows] == [2, 1]


@pytest.mark.parametrize("profile", list(PROFILES))
def test_every_device_promises_at_least_the_names_of_shader_model_3_and_nearly_all_a_byte(profile: str) -> None:
    limits = PROFILES[profile].semantic_limits
    assert limits.generics(has_back=False) >= 219
    assert limits.generics(has_back=True) >= 217
    assert limits.generics(has_back=False) >= 256 or profile in ("svga", "i965")


def test_nv30_and_nv40_take_all_256_indices() -> None:
    for profile in ("nv30", "nv40"):
        for first in range(0, 256, 8):
            pair = Pair(vert(POSITION, *generics(range(first, first + 8))), frag(*generics(range(first, first + 8))), IDENTITY, DEFAULT)
            table = link(pair.vertex, pair.fragment, profile)
            assert decoded(pair, table) == expected(pair, table)


def test_sets_of_the_utility_hold_a_byte() -> None:
    assert lay_out(SemanticSet.of([255]), 8, 8).index(0) == 255
