"""Scheme of each device: the layout it receives, its limits, its quirks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from linkage import PROFILES, LinkOptions, LinkTable, link, link_chain
from linkage.device_link import Block
from linkage.dump import as_json
from linkage.options import link_state
from linkage.profiles.r600 import automatic_id, clashes
from passes.validate.semantics import ARBITRARY
from tests.unit.linkage.programs import frag, mov, vert
from tgsi.language.diagnostics import LinkError
from tgsi.language.facts.enums import File, Interpolation
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

POSITION = ("POSITION", 0)
GEOMETRY = parse(
    "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
    "DCL IN[][0], POSITION\nDCL OUT[0], POSITION\nIMM[0] UINT32 {0, 0, 0, 0}\nMOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nEND\n"
)
BRANCHING = parse("FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nIF IN[0].xxxx\nMOV OUT[0], IN[0]\nENDIF\nEND\n")
INDEXED = parse("FRAG\nDCL CONST[0..3]\nDCL ADDR[0]\nDCL OUT[0], COLOR\nARL ADDR[0].x, CONST[0]\nMOV OUT[0], CONST[ADDR[0].x]\nEND\n")


def generics(count: int, first: int = 0) -> list[tuple[str, int]]:
    return [("GENERIC", i) for i in range(first, first + count)]


def block(table: LinkTable, name: str) -> Block:
    assert table.device is not None
    return table.device.block(name)


def values(table: LinkTable, name: str) -> list[int]:
    return list(block(table, name).values)


def places(table: LinkTable) -> dict[str, str]:
    assert table.device is not None
    return {place.what: place.place for place in table.device.places}


def codes(table: LinkTable) -> list[str]:
    assert table.device is not None
    return [d.code for d in table.device.findings]


@pytest.mark.parametrize(
    ("profile", "count", "expected"),
    [
        ("nv30", 8, None),
        ("nv30", 9, "K030"),
        ("nv40", 10, None),
        ("nv40", 11, "K030"),
        ("nv50", 15, None),
        ("nv50", 16, "K030"),  # position takes the first four of 64 components
        ("r300", 9, None),  # eight coordinates and a color interpolator
        ("r300", 10, "K030"),
        ("r600", 40, None),
        ("r600", 41, "K030"),
        ("svga", 16, None),
        ("svga", 17, "K030"),
        ("svga10", 32, None),
        ("i915", 8, None),
        ("i915", 9, "K030"),
        ("software", 80, None),
    ],
)
def test_number_of_varyings_is_bounded_by_device(profile: str, count: int, expected: str | None) -> None:
    pair = vert(POSITION, *generics(count)), frag(*generics(count))
    if expected is None:
        link(*pair, profile)
        return
    with pytest.raises(LinkError, match=rf"{expected}\]: {profile}: the fragment program needs \d+ .*, the device has"):
        link(*pair, profile)


@pytest.mark.parametrize(
    ("profile", "fragment", "message"),
    [
        ("nv30", frag(("FACE", 0)), "K031.*nv30: .*FACE: fragments cannot read their facing"),
        ("r300", frag(("FACE", 0)), "K031.*r300: .*FACE"),
        ("nv30", BRANCHING, "K031.*nv30: fragment programs have no control flow, and this one uses IF"),
        ("i915", BRANCHING, "K031.*i915: fragment programs have no control flow"),
        ("nv30", INDEXED, "K031.*constants of fragment programs are stored in"),
        ("nv40", INDEXED, "K031.*constants of fragment programs are stored in"),
        *[(p, frag(("PRIM_ID", 0)), f"K031.*{p}: .*PRIM_ID") for p in ("nv30", "nv40", "r300", "svga", "i915")],
        *[(p, frag(("LAYER", 0)), f"K031.*{p}: .*LAYER") for p in ("nv30", "nv40", "r300", "svga", "i915")],
        ("svga", frag(("TEXCOORD", 1)), "K032.*has no shader model 3 name"),
        ("nv40", frag(("GENERIC", 3), ("TEXCOORD", 3)), "K033.*are one texture coordinate here"),
        ("i915", frag(("PCOORD", 0)), "K032.*PCOORD has no carrier"),
        ("i965", frag(("GENERIC", 0)), "K035.*i965: the linking rules of this device are unknown"),
    ],
)
def test_what_a_device_lacks_is_refused_by_name(profile: str, fragment: Program, message: str) -> None:
    with pytest.raises(LinkError, match=message):
        link(vert(POSITION, ("GENERIC", 0)), fragment, profile)


@pytest.mark.parametrize("profile", ["nv40", "r500", "nv50", "r600", "svga", "svga10"])
def test_devices_with_face_take_it(profile: str) -> None:
    assert any("FACE" in what for what in places(link(vert(POSITION), frag(("FACE", 0)), profile)))


@pytest.mark.parametrize("profile", ["nv40", "nv50", "r500", "r600", "svga10"])
def test_devices_with_control_flow_take_it(profile: str) -> None:
    assert link(vert(POSITION, ("GENERIC", 0)), BRANCHING, profile).device


@pytest.mark.parametrize("profile", ["nv30", "nv40", "r300", "svga"])
def test_devices_without_geometry_stage_refuse_it(profile: str) -> None:
    with pytest.raises(LinkError, match=r"K031.*the device has no GEOM stage"):
        link(GEOMETRY, frag(("GENERIC", 0)), profile)


# -- nv30, nv40 -------------------------------------------------------------------------------------------------------------
def test_nvfx_table_says_what_to_read_for_each_index() -> None:
    table = link(vert(POSITION, ("GENERIC", 255), ("GENERIC", 63)), frag(("GENERIC", 63), ("GENERIC", 255), ("GENERIC", 7)), "nv40")
    assert {i: v for i, v in enumerate(values(table, "vertex table")) if v != 0x0F} == {63: 0xF0, 255: 0xF1}
    assert values(table, "fragment slots") == [0x0F, 0xF0, 0xF1]  # by index: 7, 63, 255
    assert codes(table) == ["K034"]
    assert values(table, "output enable") == [0b11]


def test_nvfx_keeps_identity_where_indices_are_small() -> None:
    table = link(vert(POSITION, ("GENERIC", 6), ("GENERIC", 2)), frag(("GENERIC", 2), ("GENERIC", 6)), "nv30")
    assert values(table, "fragment slots") == [0xF2, 0xF6]


def test_nvfx_patches_inputs_and_constants_of_instructions() -> None:
    fragment = parse("FRAG\nDCL IN[0], GENERIC[9], LINEAR\nDCL CONST[0..2]\nDCL OUT[0], COLOR\nMUL OUT[0], IN[0], CONST[2]\nEND\n")
    table = link(vert(POSITION, ("GENERIC", 9)), fragment, "nv30")
    assert table.device is not None
    patches = [(p.kind, p.field.shift, p.field.width, p.value) for p in table.device.patches]
    assert patches == [("constant", 6, 16, 2), ("input", 6, 16, 0xF0)]


def test_nvfx_leaves_out_unread_outputs_when_there_are_too_many() -> None:
    table = link(vert(POSITION, *generics(12)), frag(("GENERIC", 11)), "nv30")
    assert values(table, "fragment slots") == [0xF0]


def test_nvfx_sprites_share_the_first_free_interpolant() -> None:
    options = LinkOptions(sprite_coord_enable=0b110, sprite_lower_left=True)
    table = link(vert(POSITION, ("GENERIC", 0)), frag(*generics(3)), "nv40", options=options)
    assert values(table, "fragment slots") == [0xF0, 0xF1, 0xF1]
    assert table.device is not None
    assert [p.kind for p in table.device.patches] == ["input", "sprite input", "sprite input"]


def test_nvfx_without_a_free_interpolant_has_no_sprites() -> None:
    with pytest.raises(LinkError, match=r"K030.*no texture coordinate is free for the point coordinate"):
        link(vert(POSITION, *generics(8)), frag(*generics(8)), "nv30", options=LinkOptions(sprite_coord_enable=1))


def test_link_state_reaches_the_device() -> None:
    state = link_state({"GENERIC[3]": "GENERIC[1]"}, "state")
    table = link(vert(POSITION, ("GENERIC", 0), ("GENERIC", 1)), frag(("GENERIC", 3)), "nv40", state=state)
    assert values(table, "fragment slots") == [0xF1]


# -- nv50 -------------------------------------------------------------------------------------------------------------------
def test_nv50_map_names_a_component_each() -> None:
    fragment = frag(("GENERIC", 1), ("GENERIC", 5))
    fragment = replace(fragment, instructions=(mov(0, 0, (1, 1, 1, 1)), mov(0, 1)))
    table = link(vert(("GENERIC", 1), POSITION), fragment, "nv50")
    assert values(table, "map") == [4, 5, 6, 7, 1, 0x40, 0x40, 0x40, 0x41]


def test_nv50_component_that_is_not_written_is_0_0_0_1() -> None:
    vertex = vert(POSITION, ("GENERIC", 0))
    vertex = replace(vertex, instructions=(mov(0, 0), mov(1, 0, mask=0b0010)))
    assert values(link(vertex, frag(("GENERIC", 0)), "nv50"), "map")[4:] == [0x40, 4, 0x40, 0x41]


@pytest.mark.parametrize(("mask", "w"), [("xyz", True), ("xyzw", False), ("w", False), ("y", True)])
def test_nv50_says_that_an_unwritten_w_is_1(mask: str, w: bool) -> None:
    text = f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1].{mask}, IN[0]\nEND\n"
    found = link(parse(text), frag(("GENERIC", 0)), "nv50").findings
    said = [item.message for item in found if item.code == "K036"]
    assert said == ["nv50: IN[0] GENERIC[0].w: nothing writes w of OUT[1]; it is 1 here, and 0 in the software profile"] * w
    assert ("K015" in [item.code for item in found]) is (mask != "xyzw")


def test_nv50_constants_start_elsewhere_behind_a_geometry_program() -> None:
    assert values(link(GEOMETRY, frag(("GENERIC", 0)), "nv50"), "map")[4:] == [0x80, 0x80, 0x80, 0x81]


def test_nv50_order_is_position_clip_distances_back_colors_inputs_and_the_rest() -> None:
    vertex = vert(POSITION, ("CLIPDIST", 0), ("COLOR", 0), ("BCOLOR", 0), ("PSIZE", 0))
    table = link(vertex, frag(("COLOR", 0)), "nv50", options=LinkOptions(light_twoside=True))
    assert values(table, "map") == [*range(8), *range(12, 16), *range(8, 12), 16]
    assert values(table, "color ids") == [12, 8]


def test_nv50_ids_differ_under_two_sided_light_without_colors() -> None:
    table = link(vert(POSITION), frag(("GENERIC", 0)), "nv50", options=LinkOptions(light_twoside=True))
    assert len(set(values(table, "color ids"))) == 2
    assert "K036" in codes(table)


def test_nv50_sprites_are_nibbles_and_linear_components_bits() -> None:
    table = link(vert(POSITION), frag(("GENERIC", 0)), "nv50", options=LinkOptions(sprite_coord_enable=1))
    assert values(table, "sprite") == [0x43210000, 0, 0, 0, 0, 0, 0, 0]
    assert values(table, "no perspective") == [0xF0, 0]


def test_nv50_maps_components_between_vertex_and_geometry_program() -> None:
    text = str(GEOMETRY).replace("DCL IN[][0], POSITION", "DCL IN[][0], GENERIC[4]\nDCL IN[][1], GENERIC[9]\nDCL IN[][2], PRIM_ID")
    geometry = parse(text.replace("MOV OUT[0], IN[0][0]", "MOV OUT[0].xy, IN[0][0]\nMOV OUT[0].zw, IN[0][1]"))
    vertex = replace(vert(("GENERIC", 4), POSITION), instructions=(mov(0, 0, mask=0b0110), mov(1, 0)))
    first, last = link_chain(vertex, geometry, frag(("GENERIC", 0)), profile="nv50")
    assert (first.profile, values(first, "map")) == ("nv50", [0x40, 0, 0x40, 0x41])
    assert values(first, "results") == [1, 2, 4, 5, 6, 7]
    assert values(last, "map")[4:] == [0x80, 0x80, 0x80, 0x81]
    assert places(first) == {"IN[][0] GENERIC[4]": "map 0 to 1", "IN[][1] GENERIC[9]": "map 2 to 3"}
    assert [item.code for item in first.findings] == ["K010", "K015"]


def test_nv50_geometry_program_reads_at_most_64_components_of_a_vertex() -> None:
    inputs = "".join(f"DCL IN[][{i}], GENERIC[{i}]\n" for i in range(17))
    reads = "".join(f"ADD OUT[0], OUT[0], IN[0][{i}]\n" for i in range(17))
    text = str(GEOMETRY).replace("DCL IN[][0], POSITION\n", inputs).replace("MOV OUT[0], IN[0][0]", reads)
    with pytest.raises(LinkError, match=r"K030.*nv50: the geometry program needs 68 components of a vertex, the device has 64"):
        link_chain(vert(POSITION), parse(text), frag(), profile="nv50")


def test_nv50_has_no_tessellation() -> None:
    evaluation = parse("TESS_EVAL\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0][0]\nEND\n")
    with pytest.raises(LinkError, match=r"K031.*nv50: the device has no TESS_EVAL stage"):
        link(evaluation, frag(), "nv50")
    with pytest.raises(LinkError, match=r"K031.*nv50: the device has no TESS_EVAL stage"):
        link_chain(evaluation, GEOMETRY, frag(), profile="nv50")


def test_other_devices_have_no_table_before_the_rasterizer() -> None:
    first, last = link_chain(vert(POSITION), GEOMETRY, frag(), profile="r600")
    assert (first.profile, first.device, last.profile) == ("software", None, "r600")
    with pytest.raises(LinkError, match=r"K031.*nv40: the device has no GEOM stage"):
        link_chain(vert(POSITION), GEOMETRY, frag(), profile="nv40")


def test_the_number_of_the_primitive_needs_no_output() -> None:
    geometry = parse(
        str(GEOMETRY).replace("DCL IN[][0], POSITION", "DCL IN[][0], POSITION\nDCL IN[1], PRIM_ID").replace("IN[0][0]", "IN[1]")
    )
    assert link_chain(vert(POSITION), geometry, frag())[0].unmatched_inputs == ()


# -- r300 -------------------------------------------------------------------------------------------------------------------
def rs(table: LinkTable) -> list[tuple[int, int, int, tuple[int, ...]]]:
    words = values(table, "rs block")
    return [(w & 15, w >> 4 & 63, w >> 10 & 63, tuple(w >> 16 + 3 * c & 7 for c in range(4))) for w in words]


def test_r300_order_is_colors_generics_fog_and_window_position() -> None:
    vertex = vert(POSITION, ("GENERIC", 4), ("FOG", 0), ("COLOR", 0), ("GENERIC", 1))
    table = link(vertex, frag(POSITION, ("FOG", 0), ("GENERIC", 4), ("GENERIC", 1), ("COLOR", 0)), "r300")
    assert rs(table) == [
        (0, 0, 4, (0, 1, 2, 3)),
        (1, 0, 3, (0, 1, 2, 3)),
        (1, 1, 2, (0, 1, 2, 3)),
        (1, 2, 1, (0, 4, 4, 5)),
        (1, 3, 0, (0, 1, 2, 3)),
    ]


def test_r300_always_rasterizes_a_color_and_skips_unmatched_inputs() -> None:
    table = link(vert(POSITION), frag(("GENERIC", 0)), "r300")
    assert rs(table) == [(0, 0, 0x3F, (0, 1, 2, 3))]
    assert codes(table) == ["K034"]


def test_r300_ninth_generic_takes_a_color_interpolator() -> None:
    assert [entry[:2] for entry in rs(link(vert(POSITION, *generics(9)), frag(*generics(9)), "r300"))][-1] == (0, 1)


def test_r300_two_sided_light_costs_two_coordinates_with_or_without_back_colors() -> None:
    for outputs in ([], [("BCOLOR", 0)]):
        table = link(vert(POSITION, ("COLOR", 0), *outputs), frag(("COLOR", 0)), "r300", options=LinkOptions(light_twoside=True))
        assert values(table, "rs count") == [2 | 1 << 8]


def test_r300_sprite_is_stuffed_with_zero_and_one() -> None:
    table = link(vert(POSITION), frag(("GENERIC", 0)), "r300", options=LinkOptions(sprite_coord_enable=1))
    assert rs(table)[-1] == (1, 0, 0, (0, 1, 4, 5))


def test_r500_face_and_two_sided_light_exclude_each_other() -> None:
    with pytest.raises(LinkError, match=r"K031.*FACE cannot be combined with two-sided light"):
        link(vert(POSITION), frag(("FACE", 0)), "r500", options=LinkOptions(light_twoside=True))


# -- r600 -------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("semantic", "number"),
    [
        (POSITION, 0), (("PSIZE", 0), 0), (("FACE", 0), 0), (("GENERIC", 0), 1), (("GENERIC", 126), 127), (("GENERIC", 127), 128),
        (("GENERIC", 255), 0), (("COLOR", 0), 0x89), (("COLOR", 1), 0x8A), (("FOG", 0), 0x99), (("TEXCOORD", 0), 0x99),
    ],
)  # fmt: skip
def test_r600_automatic_ids(semantic: tuple[str, int], number: int) -> None:
    assert automatic_id(Semantic(*semantic)) == number


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("GENERIC", 136), ("COLOR", 0)),  # from 127 on the indices run into named semantics
        (("TEXCOORD", 0), ("FOG", 0)),  # names from 16 on coincide with those 16 before
        (("TEXCOORD", 8), ("PSIZE", 0)),  # no clash: PSIZE is not a varying
    ],
)
def test_r600_clashes_are_found(first: tuple[str, int], second: tuple[str, int]) -> None:
    assert bool(clashes([Semantic(*first), Semantic(*second)])) == (second[0] != "PSIZE")


def test_r600_clash_is_reported_and_ids_are_configured() -> None:
    pair = vert(POSITION, ("FOG", 0), ("TEXCOORD", 0)), frag(("TEXCOORD", 0), ("FOG", 0))
    table = link(*pair, "r600")
    assert codes(table) == ["K033"]
    assert values(table, "output ids")[0] == 0x0201
    assert [word & 0xFF for word in values(table, "input words")] == [2, 1]
    with pytest.raises(LinkError, match=r"K033.*FOG and TEXCOORD.* have the same id 153"):
        link(*pair, "r600", options=LinkOptions(ids="automatic"))


def test_r600_generic_255_has_no_automatic_id() -> None:
    pair = vert(POSITION, ("GENERIC", 255)), frag(("GENERIC", 255))
    with pytest.raises(LinkError, match=r"GENERIC\[255\] has id 0"):
        link(*pair, "r600", options=LinkOptions(ids="automatic"))
    assert values(link(*pair, "r600"), "input words") == [1 | 0]


def test_r600_input_words_carry_default_flat_and_sprite() -> None:
    fragment = frag(("COLOR", 0), ("GENERIC", 2), interpolation=Interpolation.CONSTANT)
    table = link(vert(POSITION), fragment, "r600", options=LinkOptions(sprite_coord_enable=4))
    assert values(table, "input words") == [0x89 | 3 << 8 | 1 << 10, 3 | 1 << 10 | 1 << 17]
    assert values(table, "export count") == [1]


# -- svga -------------------------------------------------------------------------------------------------------------------
def test_svga_names_follow_from_semantics_alone() -> None:
    vertex = vert(POSITION, ("GENERIC", 40), ("FOG", 0), ("GENERIC", 3), ("GENERIC", 9), ("COLOR", 1), ("BCOLOR", 1))
    table = link(vertex, frag(("GENERIC", 40), ("GENERIC", 3), ("FOG", 0), ("COLOR", 1)), "svga")
    assert places(table) == {
        "IN[0] GENERIC[40]": "BLENDWEIGHT9",
        "IN[1] GENERIC[3]": "TEXCOORD3",
        "IN[2] FOG": "FOG0",
        "IN[3] COLOR[1]": "COLOR1",
    }
    assert values(table, "output names")[-3:] == [1 << 31 | 5 | 9 << 16, 1 << 31 | 10 | 1 << 16, 1 << 31 | 10 | 3 << 16]


def test_svga_links_indices_beyond_its_names_and_says_so() -> None:
    vertex = vert(POSITION, ("GENERIC", 4000), ("BCOLOR", 0), ("GENERIC", 216), ("GENERIC", 217))
    table = link(vertex, frag(("GENERIC", 217), ("GENERIC", 4000), ("GENERIC", 216)), "svga", limits=ARBITRARY)
    assert codes(table) == ["K038", "K038"]
    assert places(table) == {"IN[0] GENERIC[217]": "SAMPLE13", "IN[1] GENERIC[4000]": "SAMPLE14", "IN[2] GENERIC[216]": "SAMPLE15"}
    assert values(table, "input names") == [values(table, "output names")[i] for i in (4, 1, 3)]


def test_svga_has_no_name_for_the_next_index_once_all_are_in_use() -> None:
    outputs = [("GENERIC", i) for i in range(219)]
    with pytest.raises(LinkError, match=r"K032.*GENERIC\[300\] has no shader model 3 name"):
        link(vert(POSITION, *outputs), frag(("GENERIC", 300)), "svga", limits=ARBITRARY)


def test_svga10_unmatched_inputs_get_slots_above_the_outputs() -> None:
    table = link(vert(POSITION, ("GENERIC", 1), ("CLIPDIST", 0)), frag(("GENERIC", 2), ("GENERIC", 1)), "svga10")
    assert values(table, "input slots") == [4, 1]
    assert values(table, "clip shadows") == [3]


# -- i915 -------------------------------------------------------------------------------------------------------------------
def test_i915_gives_units_in_order_and_marks_the_others() -> None:
    table = link(
        vert(POSITION, ("GENERIC", 200), ("COLOR", 1), ("FOG", 0)), frag(POSITION, ("GENERIC", 200), ("COLOR", 1), ("FOG", 0)), "i915"
    )
    assert values(table, "units") == [200, 0xFE, *[0xFF] * 6]
    assert values(table, "vertex layout") == [0xF400, 0xF002, 0x0401, 0xF103, 0x1400]


def test_i915_face_is_known_to_be_wrong() -> None:
    assert codes(link(vert(POSITION), frag(("FACE", 0)), "i915")) == ["K036"]


# -- all --------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "i965"])
@pytest.mark.parametrize("index", [31, 32, 63, 64, 216, 217, 218, 219, 255])
def test_boundary_indices_link_within_the_limits_of_the_profile(profile: str, index: int) -> None:
    pair = vert(POSITION, ("GENERIC", index)), frag(("GENERIC", index))
    if index >= PROFILES[profile].semantic_limits.generics(has_back=False):
        with pytest.raises(LinkError, match="S013"):
            link(*pair, profile)
    else:
        table = link(*pair, profile)
        assert table.rows[0].output_register == 1
        assert str(table)
        assert as_json(table)["profile"] == profile


@pytest.mark.parametrize("profile", ["nv30", "nv40", "r300", "r500", "i915"])
def test_devices_of_bytes_refuse_wider_indices_even_if_they_are_declared_legal(profile: str) -> None:
    pair = vert(POSITION, ("GENERIC", 256)), frag(("GENERIC", 256))
    with pytest.raises(LinkError, match=r"K032.*IN\[0\] GENERIC\[256\]: indices are bytes") as caught:
        link(*pair, profile, limits=ARBITRARY)
    assert len(caught.value.diagnostics) == 1
    if profile in ("nv40", "r300"):
        state = link_state({"GENERIC[1]": "GENERIC[256]"}, "state")
        with pytest.raises(LinkError, match=r"K032.*GENERIC\[1\] would be fed by OUT\[1\] GENERIC\[256\], and indices are bytes here"):
            link(pair[0], frag(("GENERIC", 1)), profile, limits=ARBITRARY, state=state)


def test_an_input_error_points_at_its_declaration() -> None:
    fragment = parse("FRAG\nDCL IN[0], FACE, CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n", name="f.tgsi")
    with pytest.raises(LinkError) as caught:
        link(vert(POSITION), fragment, "nv30")
    assert str(caught.value).splitlines() == [
        "error[K031]: nv30: IN[0] FACE: fragments cannot read their facing on this device",
        " --> f.tgsi:2:1",
        "  |",
        "2 | DCL IN[0], FACE, CONSTANT",
        "  | ^^^^^^^^^^^^^^^^^^^^^^^^^",
        "  = hint: select by two-sided color instead (passes.lower.face.face_from_back_color)",
    ]


def test_device_dump_is_what_a_person_reads() -> None:
    table = link(vert(POSITION, ("GENERIC", 4)), frag(("GENERIC", 4)), "i915")
    assert str(table).splitlines()[4:] == [
        "carriers:",
        "  IN[0] GENERIC[4]  unit 0",
        "units (8 bytes):",
        "  04  IN[0] GENERIC[4]",
        *["  ff"] * 7,
        "vertex layout (2 32-bit words):",
        "  0000f400  POSITION",
        "  00000401  GENERIC[4]",
    ]


def test_bytes_of_a_block_are_little_endian() -> None:
    assert block(link(vert(POSITION, ("GENERIC", 0)), frag(("GENERIC", 0)), "r600"), "output ids").bytes()[:4] == b"\1\0\0\0"


def test_range_inputs_link_on_devices() -> None:
    inputs = Declaration(File.IN, 0, 1, semantic=Semantic("GENERIC", 4), interpolation=Interpolation.LINEAR, array_id=1)
    fragment = Program(frag().processor, (inputs,), instructions=(mov(0, 0), mov(0, 1)))
    assert values(link(vert(POSITION, *generics(2, 4)), fragment, "nv40"), "fragment slots") == [0xF4, 0xF5]


@pytest.mark.parametrize(
    ("profile", "name", "expected"),
    [
        ("svga", "input names", [1 << 31 | 1 | 9 << 16]),
        ("r600", "input words", [41]),
        ("svga10", "input slots", [1]),
        ("nv40", "fragment slots", [0xF1]),
    ],
)
def test_devices_see_the_output_that_a_link_state_chose(profile: str, name: str, expected: list[int]) -> None:
    state = link_state({"GENERIC[1]": "GENERIC[40]"}, "state")
    table = link(vert(POSITION, ("GENERIC", 40), ("GENERIC", 1)), frag(("GENERIC", 1)), profile, state=state)
    assert values(table, name) == expected


@pytest.mark.parametrize(
    ("profile", "mapping"),
    [("nv40", {"GENERIC[0]": "FOG"}), ("nv40", {"FOG": "COLOR"}), ("nv40", {"COLOR": "GENERIC[0]"}), ("r600", {"FOG": "POSITION"})],
)
def test_link_states_that_a_device_cannot_carry_are_refused(profile: str, mapping: dict[Semantic | str, Semantic | str]) -> None:
    pair = vert(POSITION, ("GENERIC", 0), ("FOG", 0), ("COLOR", 0)), frag(("GENERIC", 0), ("FOG", 0), ("COLOR", 0))
    with pytest.raises(LinkError, match=r"K032.*would be fed by"):
        link(*pair, profile, state=link_state(mapping, "state"))


def test_r600_exports_the_back_color_that_a_color_falls_back_to() -> None:
    table = link(vert(POSITION, ("BCOLOR", 0)), frag(("COLOR", 0)), "r600")
    assert values(table, "output ids")[0] == values(table, "input words")[0] & 0xFF
