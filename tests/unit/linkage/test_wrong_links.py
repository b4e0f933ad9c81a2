"""Links that would carry another value than the one that is read: each is right, refused, or named by a finding with its place."""

from __future__ import annotations

import pytest

from linkage import LinkOptions, LinkTable, link, link_stages
from linkage.link import connect
from linkage.options import link_state
from tests.unit.linkage.programs import frag, vert
from tgsi.language.diagnostics import Diagnostic, LinkError, Severity
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

POSITION = ("POSITION", 0)
OLD = ("nv30", "nv40", "r300", "r500", "i915")


def found(table: LinkTable, code: str) -> list[Diagnostic]:
    return [item for item in table.findings if item.code == code]


def places(table: LinkTable) -> dict[str, str]:
    assert table.device is not None
    return {place.what: place.place for place in table.device.places}


def refusal(vertex: Program, fragment: Program, profile: str, **more: object) -> Diagnostic:
    with pytest.raises(LinkError) as caught:
        connect(vertex, fragment, profile, **more)  # type: ignore[arg-type]
    first = next(item for item in caught.value.diagnostics if item.severity is Severity.ERROR)
    assert first.hint
    return first


# -- one carrier for two values ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("profile", ["nv30", "nv40"])
@pytest.mark.parametrize("outputs", [[("TEXCOORD", 3), ("GENERIC", 3)], [("GENERIC", 3), ("TEXCOORD", 3)]])
@pytest.mark.parametrize("wanted", ["TEXCOORD", "GENERIC"])
def test_texcoord_and_generic_of_one_index_are_told_apart(profile: str, outputs: list[tuple[str, int]], wanted: str) -> None:
    table = link(vert(POSITION, *outputs), frag((wanted, 3)), profile)
    assert table.device is not None
    register = 1 + [name for name, _ in outputs].index(wanted)
    carrier = table.device.block("fragment slots").values[0] & 15
    assert table.device.block("interpolants").values[carrier] == register
    assert not found(table, "K034")


@pytest.mark.parametrize("profile", ["nv30", "nv40"])
def test_outputs_of_one_index_that_are_both_read_are_refused(profile: str) -> None:
    state = link_state({"GENERIC[0]": "TEXCOORD[3]", "GENERIC[1]": "GENERIC[3]"}, "state")
    pair = vert(POSITION, ("GENERIC", 3), ("TEXCOORD", 3)), frag(("GENERIC", 0), ("GENERIC", 1))
    assert "GENERIC[3] and TEXCOORD[3] of the vertex program are one texture coordinate" in refusal(*pair, profile, state=state).message


@pytest.mark.parametrize("profile", [*OLD, "svga"])
def test_a_second_fog_has_no_carrier(profile: str) -> None:
    error = refusal(vert(POSITION, ("FOG", 0), ("FOG", 1)), frag(("FOG", 0), ("FOG", 1)), profile)
    assert (error.code, "FOG[1] has no" in error.message) == ("K032", True)


@pytest.mark.parametrize("profile", OLD)
@pytest.mark.parametrize("index", [0, 1])
def test_a_back_color_is_no_fragment_input_where_the_rasterizer_chooses_the_side(profile: str, index: int) -> None:
    error = refusal(vert(POSITION, ("COLOR", index), ("BCOLOR", index)), frag(("BCOLOR", index)), profile)
    assert (error.code, error.hint.startswith(f"read COLOR[{index}]")) == ("K032", True)


@pytest.mark.parametrize("profile", ["nv50", "r600", "svga", "svga10"])
def test_a_back_color_as_fragment_input_is_fed_by_the_back_color(profile: str) -> None:
    table = link(vert(POSITION, ("COLOR", 0), ("BCOLOR", 0)), frag(("BCOLOR", 0)), profile)
    assert table.rows[0].output_register == 2
    assert not found(table, "K036")


def test_a_back_color_that_reads_the_front_color_is_named() -> None:
    table = link(vert(POSITION, ("COLOR", 0)), frag(("BCOLOR", 0)))
    assert [item.message for item in found(table, "K013")] == ["IN[0] BCOLOR has only a front color to read from"]


@pytest.mark.parametrize("name", ["POSITION", "FACE", "PCOORD", "PRIM_ID"])
def test_only_index_0_of_a_name_is_made_by_the_rasterizer(name: str) -> None:
    table = connect(vert(POSITION, (name, 1)), frag((name, 1)))
    assert table.specials == ()
    assert table.rows[0].output_register == 1


@pytest.mark.parametrize("profile", [*OLD, "svga", "r600"])
def test_position_1_is_not_the_window_position(profile: str) -> None:
    assert refusal(vert(POSITION, ("POSITION", 1)), frag(("POSITION", 1)), profile).code == "K032"


@pytest.mark.parametrize("profile", ["nv50", "svga10"])
def test_position_1_is_a_varying_where_carriers_have_no_kinds(profile: str) -> None:
    table = connect(vert(POSITION, ("POSITION", 1)), frag(("POSITION", 1)), profile)
    assert "fixed" not in places(table).values()
    assert table.rows[0].output_register == 1


@pytest.mark.parametrize("profile", ["nv30", "nv40", "r300", "r500", "r600", "svga", "svga10", "i915", "nv50"])
def test_two_inputs_of_one_semantic_are_both_fed(profile: str) -> None:
    table = link(vert(POSITION, ("GENERIC", 4)), frag(("GENERIC", 4), ("GENERIC", 4)), profile)
    assert {"IN[0] GENERIC[4]", "IN[1] GENERIC[4]"} <= places(table).keys()
    if profile.startswith("nv") and table.device is not None and table.device.patches:
        assert {patch.value for patch in table.device.patches} == {0xF4}
        assert len(table.device.patches) == 2


def test_r300_numbers_colors_by_index_and_not_by_input() -> None:
    table = link(vert(POSITION, ("COLOR", 0), ("COLOR", 1)), frag(("COLOR", 1), ("COLOR", 0)), "r300")
    assert places(table) == {"IN[0] COLOR[1]": "color 1", "IN[1] COLOR": "color 0"}


def test_nvfx_reads_the_color_that_a_link_state_chose() -> None:
    state = link_state({"COLOR": "COLOR[1]"}, "state")
    assert places(link(vert(POSITION, ("COLOR", 0), ("COLOR", 1)), frag(("COLOR", 0)), "nv40", state=state))["IN[0] COLOR"] == "color 1"


@pytest.mark.parametrize("profile", ["r600", "svga"])
def test_an_input_whose_source_is_missing_does_not_fall_back_to_its_own_name(profile: str) -> None:
    state = link_state({"GENERIC[0]": "GENERIC[5]"}, "state")
    table = link(vert(POSITION, ("GENERIC", 0)), frag(("GENERIC", 0)), profile, state=state)
    assert table.device is not None
    if profile == "r600":
        ids = {word >> 8 * i & 0xFF for word in table.device.block("output ids").values for i in range(4)}
        assert table.device.block("input words").values[0] & 0xFF not in ids
    else:
        assert not set(table.device.block("input names").values) & set(table.device.block("output names").values)


def test_r600_id_of_the_primitive_is_not_that_of_an_output() -> None:
    table = link(vert(POSITION, ("GENERIC", 200)), frag(("PRIM_ID", 0)), "r600")  # both have the automatic id 201
    assert [item.code for item in found(table, "K033")] == ["K033"]


def test_nv50_outputs_beyond_the_map_are_not_taken_for_constants() -> None:
    outputs = [("GENERIC", i) for i in range(20)]
    table = link(vert(POSITION, *outputs), frag(("GENERIC", 19)), "nv50")
    assert table.device is not None
    assert table.device.block("map").values == tuple(range(8))
    assert refusal(vert(POSITION, *outputs), frag(*outputs), "nv50").code == "K030"


@pytest.mark.parametrize("profile", ["nv30", "nv40", "i915"])
def test_inputs_whose_number_is_computed_are_refused_where_instructions_name_inputs(profile: str) -> None:
    fragment = parse(
        "FRAG\nDCL IN[0..1], ARRAY(1), GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL ADDR[0]\nARL ADDR[0].x, IN[0].xxxx\n"
        "MOV OUT[0], IN[ADDR[0].x](1)\nEND\n"
    )
    assert "this MOV computes the number of one" in refusal(vert(POSITION, ("GENERIC", 0), ("GENERIC", 1)), fragment, profile).message


# -- channels and sides ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("profile", "semantic", "channels"),
    [("nv40", "FOG", ".w"), ("r300", "FOG", ".yzw"), ("i915", "FOG", ".yzw"), ("i915", "COLOR[1]", ".w")],
)
def test_channels_that_a_carrier_lacks_are_named(profile: str, semantic: str, channels: str) -> None:
    name, index = semantic.split("[")[0], int("[" in semantic)
    messages = [item.message for item in found(link(vert(POSITION, (name, index)), frag((name, index)), profile), "K036")]
    assert [message.split(": ")[1] for message in messages] == [f"IN[0] {semantic}{channels}"]
    assert not found(
        link(vert(POSITION, ("FOG", 0)), parse("FRAG\nDCL IN[0], FOG, LINEAR\nMOV OUT[0], IN[0].xxxx\nEND\n"), profile), "K036"
    )


@pytest.mark.parametrize("profile", ["nv30", "nv40", "r300", "r500"])
def test_back_faces_without_a_back_color_are_named(profile: str) -> None:
    options = LinkOptions(light_twoside=True)
    table = link(vert(POSITION, ("COLOR", 1)), frag(("COLOR", 1)), profile, options=options)
    assert "back faces read BCOLOR[1], which nothing writes" in found(table, "K036")[0].message
    assert not found(link(vert(POSITION, ("COLOR", 1), ("BCOLOR", 1)), frag(("COLOR", 1)), profile, options=options), "K036")


@pytest.mark.parametrize(("profile", "block"), [("r600", "input words"), ("svga", "back names"), ("svga10", "input slots")])
def test_the_back_color_is_an_input_of_its_own_where_the_program_chooses_the_side(profile: str, block: str) -> None:
    pair = vert(POSITION, ("COLOR", 0), ("BCOLOR", 0)), frag(("COLOR", 0))
    table = link(*pair, profile, options=LinkOptions(light_twoside=True))
    assert table.device is not None
    assert [note.split("]")[0] for note in table.device.block(block).notes if note.startswith("back")] == ["back of IN[0"]


@pytest.mark.parametrize("profile", ["nv30", "nv40"])
@pytest.mark.parametrize("name", ["COLOR", "FOG"])
def test_a_fixed_register_that_nothing_writes_is_named(profile: str, name: str) -> None:
    table = link(vert(POSITION), frag((name, 0)), profile)
    assert [item.code for item in table.findings] == ["K010", "K034"]
    assert found(table, "K034")[0].hint.startswith(f"write {name} in the vertex program")


def test_r600_replaces_generic_inputs_only_and_says_so() -> None:
    table = link(vert(POSITION, ("TEXCOORD", 0)), frag(("TEXCOORD", 0)), "r600", options=LinkOptions(sprite_coord_enable=1))
    assert ["replaces GENERIC inputs only" in item.message for item in found(table, "K036")] == [True]


# -- a register with two semantics -----------------------------------------------------------------------------------------
def test_a_register_that_carries_two_semantics_is_refused() -> None:
    torn = parse("FRAG\nDCL IN[0].xy, GENERIC[0], LINEAR\nDCL IN[0].zw, GENERIC[1], LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n")
    pair = vert(POSITION, ("GENERIC", 0), ("GENERIC", 1))
    with pytest.raises(LinkError, match=r"K007.*IN\[0\] carries GENERIC\[0\] and GENERIC\[1\]"):
        link(pair, torn)
    outputs = parse("VERT\nDCL IN[0]\nDCL OUT[0].xy, GENERIC[0]\nDCL OUT[0].zw, GENERIC[1]\nMOV OUT[0], IN[0]\nEND\n")
    with pytest.raises(LinkError, match=r"K007.*OUT\[0\] carries GENERIC\[0\] and GENERIC\[1\]"):
        link(outputs, frag(("GENERIC", 0)))
    with pytest.raises(LinkError, match=r"K007.*OUT\[0\]"):
        link_stages(outputs, parse("GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nDCL IN[][0], GENERIC[0]\nEND\n"))


def test_components_of_one_semantic_may_be_declared_apart() -> None:
    text = "DCL {0}[0].xy, ARRAY(1), GENERIC[0]{1}\nDCL {0}[0].zw, ARRAY(2), GENERIC[0]{1}\n"
    vertex = parse("VERT\nDCL IN[0]\n" + text.format("OUT", "") + "MOV OUT[0](1), IN[0]\nEND\n")
    fragment = parse("FRAG\n" + text.format("IN", ", LINEAR") + "DCL OUT[0], COLOR\nMOV OUT[0], IN[0](1)\nEND\n")
    assert link(vertex, fragment).row(Semantic("GENERIC", 0))
